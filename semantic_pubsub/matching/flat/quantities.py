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
from semantic_pubsub.matching.flat.synonyms import SameAs
from semantic_pubsub.matching.flat.units import CURRENCY_CLASSES
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import RDF, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.conversions import Conversion
    from semantic_pubsub.matching.flat.units import UnitTable

__all__ = ["Notify", "Quantities", "Role", "is_unit_term", "shown"]

Notify: TypeAlias = "Callable[[str], None]"
Holds: TypeAlias = OneString["value", "unit"]

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
_MOST_REMEMBERED: Final = 10_000
_LONGEST_SYMBOL: Final = 3
_MOST_SHOWN: Final = 200
_DECLARE: Final = "declare it with units={value: unit}"


class Role(NamedTuple):
    """What a property holds. Values and units of one vertex belong together where `bundle` is the same."""

    holds: Holds
    bundle: str = ""


class Quantities:
    """The value and unit properties of an ontology, with the pairs that were declared.

    `own_word` gives the IRI of a word that somebody declared for it.
    """

    def __init__(
        self, ontology: Ontology, table: UnitTable, declared: Mapping[str, str], own_word: Callable[[str], str | None]
    ) -> None:
        self._ontology = ontology
        self._table = table
        self._own_word = own_word
        self._declared = dict(_declared(value, unit, ontology) for value, unit in declared.items())
        recognised = [(iri, "") for pair in self._declared.items() for iri in pair if self._recognised(iri)]
        self._bundles = SameAs([*self._declared.items(), *recognised])
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
                return Role("value", self._bundles.root(value))
            if unit in above:
                return Role("unit", self._bundles.root(unit))
        holds = self._recognised(iri)
        return None if holds is None else Role(holds)

    def _recognised(self, iri: str) -> Holds | None:
        """What a property holds without being declared."""
        above = self._ontology.superproperties(iri)
        if above & _VALUES:
            return "value"
        return "unit" if above & _UNITS or self._leads_to_units(above) else None

    def _leads_to_units(self, properties: Iterable[str]) -> bool:
        ranges = {name for iri in properties for name in self._ontology.ranges(iri)}
        kinds = {local_name(upper) for name in ranges for upper in self._ontology.superclasses(name)}
        return bool(kinds & _UNIT_CLASSES) and not kinds & CURRENCY_CLASSES

    # what units mean

    def conversion(self, terms: Iterable[object], where: str, notify: Notify) -> Conversion | None:
        """How numbers with all of these units become base units. None where they do not: money, a unit that is unknown
        or several that differ, with a notice."""
        found = self.conversions(terms, where, notify)
        if len(found) > 1 and None not in found:
            units = ", ".join(shown(same[0]) for same in found.values())
            notify(f"{where}: several units ({units}), so nothing is converted")
        return next(iter(found)) if len(found) == 1 else None

    def conversions(self, terms: Iterable[object], where: str, notify: Notify) -> dict[Conversion | None, list[object]]:
        """The units by what they mean; under None money, and with a notice what is unknown."""
        found: dict[Conversion | None, list[object]] = {}
        for term in terms:
            money = self._is_currency(term)
            meant = None if money else self._meaning(term)
            if meant is None and not money:
                notify(f"{where}: the unit {shown(term)} is unknown and stays as it is")
            found.setdefault(meant, []).append(term)
        return found

    def unconverted(self, terms: Iterable[object], where: str, notify: Notify) -> list[Conversion]:
        """What the units mean beside which nothing is known as a value, with a notice. A number there is not converted,
        so its unit must not become the base unit: 1 MB would be taken for 1 GB."""
        found = [meant for meant in self.conversions(terms, where, notify) if meant is not None]
        if found:
            notify(f"{where}: no value property is known beside the unit, so no number is converted: {_DECLARE}")
        return found

    def _meaning(self, term: object) -> Conversion | None:
        if isinstance(term, NamedNode):
            return self._table.of_iri(term.value)
        if isinstance(term, Iri):
            return self._table.of_iri(term.iri)
        if isinstance(term, Literal):
            return self._table.of_code(term.value)
        return self._meaning_of_text(term.text) if isinstance(term, Text) else None

    def _meaning_of_text(self, text: str) -> Conversion | None:
        """A text is an own word or a name of the ontology first, then a code, then a label."""
        for name in (self._own_word(text), named_iri(text, self._ontology)):
            if name is not None and (found := self._table.of_iri(name)) is not None:
                return found
        if (found := self._table.of_code(text)) is not None:
            return found
        labelled = {self._table.of_iri(iri) for iri in self._ontology.named(text) if self._is_word(text, iri)}
        return labelled.pop() if len(labelled) == 1 else None

    def _is_word(self, text: str, iri: str) -> bool:
        """Whether a text is a word for something. In short ones capitals matter: mW is not MW."""
        node = NamedNode(iri)
        return len(text) > _LONGEST_SYMBOL or text in (self._ontology.label(node), *self._ontology.synonyms(node))

    def _is_currency(self, term: object) -> bool:
        if isinstance(term, NamedNode | Literal):
            return self._table.is_currency(term.value)
        if isinstance(term, Iri):
            return self._table.is_currency(term.iri)
        if not isinstance(term, Text):
            return False
        text = term.text
        names = (text, self._own_word(text), named_iri(text, self._ontology), *self._ontology.named(text))
        return any(self._table.is_currency(name) for name in names if name is not None)


def is_unit_term(value: object) -> bool:
    """Whether a value can name a unit: an IRI or a text, not a class or a number."""
    return isinstance(value, NamedNode | Iri | Text | Literal)


def shown(value: object) -> str:
    """A term as a notice names it."""
    if isinstance(value, Text):
        return repr(value.text[:_MOST_SHOWN])
    return f"<{value.iri}>" if isinstance(value, Iri) else str(value)[:_MOST_SHOWN]


def _declared(value: str, unit: str, ontology: Ontology) -> tuple[str, str]:
    """The two properties of a declared pair of attributes, which must hang at the same vertex."""
    first, second = parse_path(value, ontology), parse_path(unit, ontology)
    if not first or not second or first[:-1] != second[:-1]:
        hint = "a value and its unit are attributes of the same thing, such as size.value and size.units"
        raise OntologyError(f"{value!r} and {unit!r} do not belong to one vertex", hint=hint)
    return first[-1], second[-1]
