"""One event as pyshacl gets to see it, and which of its vertices which shapes look at."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from rdflib import Graph, URIRef
from rdflib.plugins.sparql.operators import register_custom_function, unregister_custom_function
from rdflib.plugins.stores.memory import SimpleMemory

from semantic_pubsub.terms import NamedNode, to_rdflib
from semantic_pubsub.vocab import RDF_TYPE, RDFS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rdflib.term import Node

    from semantic_pubsub.events.model import Event
    from semantic_pubsub.events.prepared import PreparedShape
    from semantic_pubsub.events.targets import Targets

__all__ = ["EventGraph", "Examination"]

_SUBCLASS: Final = RDFS + "subClassOf"


class EventGraph(Graph):
    """A small rdflib graph without contexts, and what pyshacl's SPARQL functions ask of a graph."""

    is_oxigraph = False

    def __init__(self) -> None:
        super().__init__(SimpleMemory(), bind_namespaces="none")

    def register_custom_function(
        self, name: URIRef, function: Callable[..., Any], _other: object, override: bool = False, raw: bool = False
    ) -> None:
        register_custom_function(name, function, override, raw)

    def unregister_custom_function(self, name: URIRef, function: Callable[..., Any], _other: object = None) -> None:
        unregister_custom_function(name, function)


class Examination:
    """The event's triples with the superclasses of its classes, and the focus nodes of each shape.

    What the ontology says of an individual counts for `sh:class`, but does not make it a focus node: an event
    is examined, not the ontology.
    """

    __slots__ = ("_done", "_stated", "_targets", "_types", "focus", "graph", "places")

    def __init__(self, event: Event, targets: Targets) -> None:
        self.graph = EventGraph()
        self.focus: dict[PreparedShape, dict[Node, None]] = {}
        self.places: dict[Node, int] = {}
        """Where in the event each node is named first."""
        self._targets = targets
        self._types: list[tuple[Node, str]] = []
        self._stated: dict[str, set[str]] = {}
        self._done: set[str] = set()
        self._take_event(event)
        for shape, node in targets.nodes:
            self._look_at((shape,), node)
        self._settle(0)

    def add(self, statements: Iterable[tuple[Node, Node, Node]]) -> None:
        """Take in triples that rules derived."""
        before = len(self._types)
        for subject, predicate, value in statements:
            self.graph.store.add((subject, predicate, value), self.graph)
            self._index(subject, str(predicate), value)
        self._settle(before)

    def nodes(self, shape: PreparedShape) -> list[Node]:
        """The focus nodes of a shape."""
        found = list(self.focus.get(shape, ()))
        if shape.has_own_target:
            found.extend(shape.own_focus_nodes(self.graph))
        return list(dict.fromkeys(found))

    def shapes(self) -> Iterable[PreparedShape]:
        """The shapes that have something to look at, or may have."""
        return dict.fromkeys((*self.focus, *self._targets.own))

    def _take_event(self, event: Event) -> None:
        made: dict[Any, Node] = {}
        add, graph = self.graph.store.add, self.graph
        individual = self._targets.superclasses.individual
        known: list[Any] = []
        for triple in event.triples:
            terms = []
            ends: tuple[Any, Any] = triple.subject, triple.object
            for term in ends:
                node = made.get(term)
                if node is None:
                    if isinstance(term, NamedNode):
                        node = made[term] = _iri(term.value)
                        known.extend(individual(term.value))
                    else:
                        node = made[term] = to_rdflib(term)
                    self.places[node] = len(made)
                terms.append(node)
            predicate = triple.predicate.value
            add((terms[0], _iri(predicate), terms[1]), graph)
            self._index(terms[0], predicate, terms[1])
        for statement in known:
            add(statement, graph)

    def _index(self, subject: Node, predicate: str, value: Node) -> None:
        if predicate == RDF_TYPE:
            if isinstance(value, URIRef):
                self._types.append((subject, str(value)))
        elif predicate == _SUBCLASS:
            self._stated.setdefault(str(subject), set()).add(str(value))
        targets = self._targets
        self._look_at(targets.subjects_of.get(predicate, ()), subject)
        self._look_at(targets.objects_of.get(predicate, ()), value)

    def _settle(self, first: int) -> None:
        """Find the focus nodes of new types, and put the superclasses into the graph."""
        targets, stated = self._targets, self._stated
        for subject, name in self._types[0 if stated else first :]:
            if stated:
                shapes = targets.of_types(targets.superclasses.above_with(name, stated))
            else:
                shapes = targets.of_type(name)
            self._look_at(shapes, subject)
            self._close(name)
        for lower, uppers in stated.items():
            for name in (lower, *uppers):
                self._close(name)

    def _look_at(self, shapes: Iterable[PreparedShape], node: Node) -> None:
        for shape in shapes:
            self.focus.setdefault(shape, {})[node] = None

    def _close(self, name: str) -> None:
        if name not in self._done:
            self._done.add(name)
            for statement in self._targets.superclasses.triples(name):
                self.graph.store.add(statement, self.graph)


@lru_cache(16384)
def _iri(value: str) -> URIRef:
    return URIRef(value)
