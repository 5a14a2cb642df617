"""Quantities: which properties of a vertex hold a number and which its unit, and what a unit term means.

One vertex has both: a value property (rdf:value, QUDT's and schema.org's, or one below them) and a unit property
(qudt:unit, schema:unitCode, or any whose range is a class of units). Other pairs are declared: {value: unit}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from typing import Literal as OneString

from semantic_pubsub.concepts.facts import QUDT
from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.errors import OntologyError
from semantic_pubsub.matching.flat.paths import parse_path
from semantic_pubsub.matching.flat.plain import Iri, Text
from semantic_pubsub.matching.flat.resolving import named_iri
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import RDF, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.units import Conversion, UnitTable

__all__ = ["Notify", "Quantities", "Role", "is_unit_term", "shown"]

Notify: TypeAlias = "Callable[[str], None]"

_VALUES: Final = frozenset(
    (
        RDF + "value",
        *(QUDT + name for name in ("numericValue", "value", "lowerBound", "upperBound")),
        *(base + name for base in SCHEMA for name in ("value", "minValue", "maxValue")),
        "https://saref.etsi.org/core/hasValue",
        "http://www.ontology-of-units-of-measure.org/resource/om-2/hasNumericalValue",
    )
)
_UNITS: Final = frozenset(
    (
        *(QUDT + name for name in ("unit", "hasUnit")),
        *(base + name for base in SCHEMA for name in ("unitCode", "unitText")),
    )
)
_UNIT_CLASSES: Final = frozenset(("Unit", "UnitOfMeasure", "UnitOfMeasurement", "MeasurementUnit"))
_CURRENCY_CLASSES: Final = frozenset(("Currency", "CurrencyUnit"))
_MOST_REMEMBERED: Final = 10_000


class Role(NamedTuple):
    """What a property holds. Values and units of one vertex belong together where `bundle` is the same."""

    holds: OneString["value", "unit"]
    bundle: str = ""


class Quantities:
    """The value and unit properties of an ontology, with the pairs that were declared."""

    def __init__(self, ontology: Ontology, table: UnitTable, declared: Mapping[str, str]) -> None:
        self._ontology = ontology
        self._table = table
        self._declared = dict(_declared(value, unit, ontology) for value, unit in declared.items())
        self._roles: dict[str, Role | None] = {}

    def role(self, iri: str) -> Role | None:
        """What a property holds; None for most. A property of currencies holds no unit: money is compared as it is."""
        try:
            return self._roles[iri]
        except KeyError:
            if len(self._roles) >= _MOST_REMEMBERED:
                self._roles.clear()
            found = self._roles[iri] = self._role(iri)
            return found

    def _role(self, iri: str) -> Role | None:
        above = self._ontology.superproperties(iri)
        for value, unit in self._declared.items():
            if value in above:
                return Role("value", unit)
            if unit in above:
                return Role("unit", unit)
        if above & _VALUES:
            return Role("value")
        if above & _UNITS or self._leads_to_units(above):
            return Role("unit")
        return None

    def _leads_to_units(self, properties: Iterable[str]) -> bool:
        ranges = {name for iri in properties for name in self._ontology.ranges(iri)}
        kinds = {local_name(upper) for name in ranges for upper in self._ontology.superclasses(name)}
        return bool(kinds & _UNIT_CLASSES) and not kinds & _CURRENCY_CLASSES

    def conversion(self, terms: Iterable[object], where: str, notify: Notify) -> Conversion | None:
        """How numbers with these units become base units. None, with a notice unless it is money, where they do not:
        a unit that is unknown, or several that differ."""
        found: dict[Conversion, object] = {}
        for term in terms:
            if self._is_currency(term):
                return None
            meant = self._meaning(term)
            if meant is None:
                notify(f"{where}: the unit {shown(term)} is unknown and stays as it is")
                return None
            found[meant] = term
        if len(found) > 1:
            notify(f"{where}: several units ({', '.join(map(shown, found.values()))}), so nothing is converted")
            return None
        return next(iter(found), None)

    def _meaning(self, term: object) -> Conversion | None:
        """What a unit term says. A text is a name of the ontology first, then a code, then a label."""
        if isinstance(term, NamedNode):
            return self._table.of_iri(term.value)
        if isinstance(term, Iri):
            return self._table.of_iri(term.iri)
        if isinstance(term, Literal):
            return self._table.of_code(term.value)
        if not isinstance(term, Text):
            return None
        named = named_iri(term.text, self._ontology)
        found = self._table.of_iri(named) if named is not None else self._table.of_code(term.text)
        if found is None:
            labelled = {self._table.of_iri(iri) for iri in self._ontology.named(term.text)}
            found = labelled.pop() if len(labelled) == 1 else None
        return found

    def _is_currency(self, term: object) -> bool:
        if isinstance(term, NamedNode | Literal):
            return self._table.is_currency(term.value)
        if isinstance(term, Iri):
            return self._table.is_currency(term.iri)
        if not isinstance(term, Text):
            return False
        names = (term.text, named_iri(term.text, self._ontology), *self._ontology.named(term.text))
        return any(self._table.is_currency(name) for name in names if name is not None)


def is_unit_term(value: object) -> bool:
    """Whether a value can name a unit: an IRI or a text, not a class or a number."""
    return isinstance(value, NamedNode | Iri | Text | Literal)


def shown(value: object) -> str:
    """A term as a notice names it."""
    if isinstance(value, Text):
        return repr(value.text)
    return f"<{value.iri}>" if isinstance(value, Iri) else str(value)


def _declared(value: str, unit: str, ontology: Ontology) -> tuple[str, str]:
    """The two properties of a declared pair of attributes, which must hang at the same vertex."""
    first, second = parse_path(value, ontology), parse_path(unit, ontology)
    if not first or not second or first[:-1] != second[:-1]:
        hint = "a value and its unit are attributes of the same thing, such as size.value and size.units"
        raise OntologyError(f"{value!r} and {unit!r} do not belong to one vertex", hint=hint)
    return first[-1], second[-1]
