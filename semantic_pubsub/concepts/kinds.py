"""Which names are classes, datatypes, properties and individuals, and what is stated to be below what.

A class is what is declared one (`owl:Class`, `rdfs:Class`), stands on either side of `rdfs:subClassOf` or
`owl:equivalentClass`, or is the domain or range of a property. A datatype is what is declared one, built in, the
range of an `owl:DatatypeProperty`, or below another datatype. A property is what is declared one, stands
on either side of `rdfs:subPropertyOf` or `owl:equivalentProperty`, or has a domain, range or restriction.
Only statements between two names make an order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from semantic_pubsub.concepts.datatypes import BUILTIN_DATATYPES, DATATYPE_EDGES
from semantic_pubsub.concepts.hierarchy import Hierarchy
from semantic_pubsub.vocab import LITERAL, OWL, RDF, RDF_TYPE, RDFS, RESOURCE, SCHEMA, SH, THING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.concepts.facts import Facts

__all__ = ["NOTHING", "Edge", "Kinds", "domain_predicates", "range_predicates"]

Edge = tuple[str, str]

NOTHING: Final = OWL + "Nothing"
_TOPS: Final = (THING, RESOURCE)
_CLASS_TYPES: Final = (OWL + "Class", RDFS + "Class")
_OBJECT: Final = (OWL + "ObjectProperty",)
_DATA: Final = (OWL + "DatatypeProperty",)
_PROPERTY_TYPES: Final = (
    RDF + "Property",
    *_OBJECT,
    *_DATA,
    *(
        OWL + name
        for name in [
            "AnnotationProperty",
            "AsymmetricProperty",
            "DeprecatedProperty",
            "FunctionalProperty",
            "InverseFunctionalProperty",
            "IrreflexiveProperty",
            "OntologyProperty",
            "ReflexiveProperty",
            "SymmetricProperty",
            "TransitiveProperty",
        ]
    ),
)
# Types that say what a name is for, not what kind of thing it names.
_VOCABULARIES: Final = (RDF, RDFS, OWL, SH)
_INDIVIDUAL_TYPES: Final = frozenset((OWL + "NamedIndividual", THING))

domain_predicates: Final = (RDFS + "domain", *(base + "domainIncludes" for base in SCHEMA))
range_predicates: Final = (RDFS + "range", *(base + "rangeIncludes" for base in SCHEMA))


@dataclass
class Kinds:
    """The names and orders that some facts state; what a reasoner found is added to an order when it is made."""

    facts: Facts

    @cached_property
    def object_properties(self) -> set[str]:
        return self.facts.typed(*_OBJECT)

    @cached_property
    def datatype_properties(self) -> set[str]:
        return self.facts.typed(*_DATA)

    @cached_property
    def _class_statements(self) -> list[Edge]:
        """Stated pairs of classes or datatypes, equivalence as two pairs."""
        return _both_ways(self.facts, RDFS + "subClassOf", OWL + "equivalentClass")

    @cached_property
    def impossible(self) -> set[str]:
        """The names that are stated to be below owl:Nothing."""
        return {lower for lower, upper in self._class_statements if upper == NOTHING and lower != NOTHING}

    @cached_property
    def datatypes(self) -> set[str]:
        """Declared and built-in datatypes, what is below one, and undeclared ranges of datatype properties."""
        facts = self.facts
        found = {*BUILTIN_DATATYPES, LITERAL, *facts.typed(RDFS + "Datatype")}
        no_datatypes = {*facts.typed(*_CLASS_TYPES), *_TOPS, NOTHING}
        found.update(o for _, o in facts.pairs(SH + "datatype") if isinstance(o, str) and o not in no_datatypes)
        for prop, name in facts.named(RDFS + "range"):
            if prop in self.datatype_properties and name not in no_datatypes:
                found.add(name)
        below: dict[str, list[str]] = {}
        for lower, upper in self._class_statements:
            below.setdefault(upper, []).append(lower)
        queue = list(found)
        while queue:
            fresh = [n for n in below.get(queue.pop(), ()) if n not in found and n not in _TOPS and n != NOTHING]
            found.update(fresh)
            queue.extend(fresh)
        return found

    def class_hierarchy(self, inferred: Iterable[Edge] = ()) -> Hierarchy:
        facts, datatypes = self.facts, self.datatypes
        names = _names(facts, _CLASS_TYPES, (RDFS + "subClassOf", OWL + "equivalentClass"))
        names.update(
            dict.fromkeys(o for p in (RDFS + "domain", RDFS + "range") for _, o in facts.pairs(p) if isinstance(o, str))
        )
        edges = [(a, b) for a, b in (*self._class_statements, *inferred) if a not in datatypes and b not in datatypes]
        kept = (name for name in names if name not in datatypes)
        return Hierarchy(kept, edges, tops=_TOPS, builtin=(NOTHING,) if NOTHING in names else ())

    def datatype_hierarchy(self) -> Hierarchy:
        datatypes = self.datatypes
        edges = [(a, b) for a, b in self._class_statements if a in datatypes and b not in _TOPS]
        classes = self._above({b for _, b in edges if b not in datatypes})
        edges += [(a, b) for a, b in self._class_statements if a in classes and b in classes]
        return Hierarchy(
            datatypes, [*DATATYPE_EDGES, *edges], tops=(LITERAL,), builtin=BUILTIN_DATATYPES, beside=classes
        )

    def _above(self, names: set[str]) -> set[str]:
        """Some classes and all that is stated to be above them, tops left out."""
        found, fresh = set(names), set(names)
        while fresh:
            fresh = {b for a, b in self._class_statements if a in fresh and b not in found and b not in _TOPS}
            found |= fresh
        return found

    def property_hierarchy(self, inferred: Iterable[Edge] = ()) -> Hierarchy:
        facts = self.facts
        predicates = (RDFS + "subPropertyOf", OWL + "equivalentProperty")
        names = _names(facts, _PROPERTY_TYPES, predicates)
        for predicate in (*domain_predicates, *range_predicates):
            names.update(dict.fromkeys(s for s, _ in facts.pairs(predicate) if isinstance(s, str)))
        for predicate in (OWL + "onProperty", SH + "path"):
            names.update(dict.fromkeys(o for _, o in facts.pairs(predicate) if isinstance(o, str)))
        edges = _both_ways(facts, *predicates)
        return Hierarchy(names, [*edges, *inferred], builtin=() if RDF_TYPE in names else (RDF_TYPE,))

    def individuals(self, *others: Hierarchy) -> list[str]:
        """The IRIs that have a type and are neither class, datatype nor property."""
        found: dict[str, None] = {}
        for subject, kind in self.facts.named(RDF_TYPE):
            if kind in _INDIVIDUAL_TYPES or not kind.startswith(_VOCABULARIES):
                found[subject] = None
        return sorted(name for name in found if not any(name in other for other in others))


def _names(facts: Facts, types: tuple[str, ...], predicates: tuple[str, ...]) -> dict[str, None]:
    wanted = frozenset(types)
    names = {s: None for s, o in facts.pairs(RDF_TYPE) if o in wanted and isinstance(s, str)}
    for predicate in predicates:
        for pair in facts.pairs(predicate):
            names.update((side, None) for side in pair if isinstance(side, str))
    return names


def _both_ways(facts: Facts, below: str, same: str) -> list[Edge]:
    edges = list(facts.named(below))
    for first, second in facts.named(same):
        edges += ((first, second), (second, first))
    return edges
