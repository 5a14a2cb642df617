"""What an ontology says above the classes of an event, as the few triples that an event needs of it.

Given a whole ontology, pyshacl copies it into every event. An event uses ten of its classes: these get their
superclasses, each in one step and only those that a shape asks about, and so `sh:class` and `sh:targetClass`
respect sub-classes. What is above what the ontology decides: `owl:Thing` is above every class, and equivalent
classes are above each other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from rdflib import RDF, RDFS, URIRef

from semantic_pubsub.vocab import RESOURCE, THING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.concepts import Ontology

__all__ = ["Statement", "Superclasses"]

Statement: TypeAlias = tuple[URIRef, URIRef, URIRef]

_REMEMBERED: Final = 8192
_TOPS: Final = (THING, RESOURCE)


class Superclasses:
    """Superclass triples by class name; without an ontology there are none."""

    def __init__(self, ontology: Ontology | None, asked: frozenset[str], stepwise: bool = False) -> None:
        """`asked` are the classes that shapes ask about.

        A query may walk the hierarchy by itself: then (`stepwise`) it is given as stated, one step a triple.
        """
        self._ontology = ontology
        self._asked = asked
        self._stepwise = stepwise
        self.triples = lru_cache(_REMEMBERED)(self._triples)
        """The superclass triples of a class; remembered."""

    def above(self, name: str) -> frozenset[str]:
        """The class and all classes above it."""
        return frozenset((name,)) if self._ontology is None else self._ontology.superclasses(name)

    def above_with(self, name: str, stated: Mapping[str, set[str]]) -> frozenset[str]:
        """The class and all classes above it, where the event itself states `rdfs:subClassOf`, too."""
        found: set[str] = set()
        waiting = {name}
        while waiting:
            found |= waiting
            above = {upper for lower in waiting for upper in (*self.above(lower), *stated.get(lower, ()))}
            waiting = above - found
        return frozenset(found)

    def individual(self, name: str) -> tuple[Statement, ...]:
        """The types that the ontology states of something that an event names, such as a unit."""
        if self._ontology is None:
            return ()
        types = self._ontology.types(name)
        own = [(URIRef(name), RDF.type, URIRef(kind)) for kind in types if self._is_asked(kind)]
        return (*own, *(triple for kind in types for triple in self.triples(kind))) if own else ()

    def _triples(self, name: str) -> tuple[Statement, ...]:
        pairs = self._steps(name) if self._stepwise else {(name, upper) for upper in self.above(name) & self._asked}
        return tuple((URIRef(a), RDFS.subClassOf, URIRef(b)) for a, b in sorted(pairs) if a != b)

    def _steps(self, name: str) -> set[tuple[str, str]]:
        if self._ontology is None or name not in self._ontology.classes:
            return set()
        order = self._ontology.classes
        lowers = [lower for lower in order.above(name) if lower not in _TOPS]
        steps = {(lower, upper) for lower in lowers for upper in (*order.parents(lower), *order.same(lower))}
        return {(lower, upper) for lower, upper in steps if upper not in _TOPS or upper in self._asked}

    def _is_asked(self, kind: str) -> bool:
        return self._stepwise or not self._asked.isdisjoint(self.above(kind))
