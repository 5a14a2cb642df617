"""What an event means under an ontology: the classes of its vertices, and what lies above them.

`rdf:type` arcs are types and not arcs. A resource without any type takes the `rdfs:range` of the properties
that reach it and the `rdfs:domain` of those that leave it (super-properties included). A literal's class is
its datatype. Every matcher starts from here, so the typing rules live in one place.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from semantic_pubsub.terms import Literal, NamedNode, Term
from semantic_pubsub.vocab import RDF_TYPE, RESOURCE, THING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events.model import Event

__all__ = ["ClosedEvent", "EventArc", "close"]


@dataclass(frozen=True, slots=True)
class EventArc:
    """One arc as the event states it, with every property above it (its own included)."""

    subject: Term
    property: str
    object: Term
    properties: frozenset[str]


@dataclass(frozen=True, slots=True)
class ClosedEvent:
    """An event read under an ontology: own classes and closed classes of each vertex, closed arcs."""

    event: Event
    home: Term
    classes: Mapping[Term, tuple[str, ...]]
    closed_classes: Mapping[Term, frozenset[str]]
    arcs: tuple[EventArc, ...]
    ontology: Ontology

    def above(self, vertex: Term, own: str) -> frozenset[str]:
        """Everything above one of the vertex's own classes, itself included."""
        return _closed(vertex, (own,), self.ontology)

    @property
    def vertices(self) -> tuple[Term, ...]:
        """Home first, then in the order of the event."""
        return tuple(self.closed_classes)


def close(event: Event, ontology: Ontology) -> ClosedEvent:
    """Read an event under an ontology."""
    arcs: list[EventArc] = []
    types: dict[Term, dict[str, None]] = {event.home: {}}
    for subject, predicate, value in event.triples:
        prop = predicate.value
        above = ontology.superproperties(prop)
        if RDF_TYPE in above and isinstance(value, NamedNode):
            types.setdefault(subject, {})[value.value] = None
        if prop != RDF_TYPE:
            arcs.append(EventArc(subject, prop, value, above))
            types.setdefault(subject, {})
            types.setdefault(value, {})
    _type_the_untyped(types, arcs, ontology)
    classes = {vertex: _own_classes(vertex, found) for vertex, found in types.items()}
    closed = {vertex: _closed(vertex, own, ontology) for vertex, own in classes.items()}
    return ClosedEvent(event, event.home, classes, closed, tuple(arcs), ontology)


def _type_the_untyped(types: dict[Term, dict[str, None]], arcs: list[EventArc], ontology: Ontology) -> None:
    """Give resources without a type the ranges and domains of the properties around them."""
    untyped = {v for v, found in types.items() if not found and not isinstance(v, Literal)}
    if not untyped:
        return
    implied: defaultdict[Term, dict[str, None]] = defaultdict(dict)
    for arc in arcs:
        for prop in arc.properties:
            if arc.subject in untyped:
                implied[arc.subject].update(dict.fromkeys(ontology.domains(prop)))
            if arc.object in untyped:
                implied[arc.object].update(dict.fromkeys(ontology.ranges(prop)))
    types.update((vertex, dict.fromkeys(sorted(found))) for vertex, found in implied.items())


def _own_classes(vertex: Term, found: dict[str, None]) -> tuple[str, ...]:
    if isinstance(vertex, Literal):
        return (vertex.datatype.value,)
    return tuple(found) or (THING,)


def _closed(vertex: Term, own: tuple[str, ...], ontology: Ontology) -> frozenset[str]:
    if isinstance(vertex, Literal):
        return ontology.superdatatypes(own[0])
    return frozenset((THING, RESOURCE)).union(*(ontology.superclasses(name) for name in own))
