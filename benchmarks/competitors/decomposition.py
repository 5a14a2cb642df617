"""The decomposition algorithm, which the OPS paper compares with in figure 8 (b), in straightforward Python.

Messmer, Bunke: *Efficient subgraph isomorphism detection: a decomposition approach*, TKDE 12 (2), 2000.

| paper | here |
|---|---|
| model graphs | alternatives of subscriptions: `Model` |
| decomposition: 4-tuples (G, G′, G″, E), down to single vertices | `Part`: `first`, `second`, `edges` |
| a part that several models share is there once | `Decomposition._parts` |
| decompose: the largest known part S_max in G, then the rest | `_decomposed` |
| instances of vertices, then combinations of those of G′ and G″ with the edges E, no vertex twice | `_joined` |

A vertex is labelled with what is asked of it alone (home, classes, a constant, filters on it), an edge with its
property; an event's vertex or arc fits if it satisfies the label under the ontology. Filters over several variables are
checked on complete instances.

In its favour: where no part is known a graph is cut where its halves stay connected, and a rest in several pieces is
combined piece by piece, so that parts are joined along edges; candidates for one end of an edge are looked up by the
image of the other. Known parts are found exactly (both labels and edges), by search.

What it pays, as in the paper: all instances of all parts are made, whether or not the whole has any.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from semantic_pubsub import Event, Ontology, Subscription
from semantic_pubsub.events.closure import ClosedEvent, close
from semantic_pubsub.matching.definition import iri_of
from semantic_pubsub.subscriptions import compile_filter, resolve
from semantic_pubsub.subscriptions.algebra import HOME, Expression, Pattern, Variable, Vertex, references
from semantic_pubsub.terms import Literal, NamedNode, Term

__all__ = ["Decomposition", "TooManyInstancesError"]

_LIMIT = 2_000_000

Condition: TypeAlias = Callable[[Mapping[str, Term]], bool]
Edge: TypeAlias = tuple[int, str, int]
Instance: TypeAlias = tuple[Term, ...]
"""The image of each vertex of a part, in the part's order."""


class TooManyInstancesError(Exception):
    """A part has more instances in an event than memory should hold."""


@dataclass(frozen=True, slots=True)
class Label:
    """What is asked of a vertex alone."""

    is_home: bool
    classes: frozenset[str]
    constant: Term | None
    filters: tuple[tuple[str, Expression], ...]
    injective: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """Labelled vertices, numbered, and the edges between them."""

    labels: tuple[Label, ...]
    edges: frozenset[Edge]

    def cut_out(self, vertices: list[int]) -> Graph:
        """The part on some vertices, renumbered in the order given."""
        at = {vertex: number for number, vertex in enumerate(vertices)}
        edges = ((at[s], p, at[o]) for s, p, o in self.edges if s in at and o in at)
        return Graph(tuple(self.labels[v] for v in vertices), frozenset(edges))

    def neighbours(self, vertex: int) -> set[int]:
        return {o for s, _, o in self.edges if s == vertex} | {s for s, _, o in self.edges if o == vertex}


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A graph, and of what it is put together: `edges` lead from vertices of one to vertices of the other."""

    graph: Graph
    first: Part | None = None
    second: Part | None = None
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """An alternative of a subscription."""

    id: str
    part: Part
    places: tuple[int, ...]
    """For each vertex of the part its number in the pattern."""
    names: tuple[tuple[str, int], ...]
    late: tuple[Condition, ...]


class Decomposition:
    """Subscriptions decomposed into parts that they share. `prepare` closes the event and is not timed."""

    def __init__(self, ontology: Ontology, limit: int = _LIMIT) -> None:
        self.ontology = ontology
        self._limit = limit
        self._parts: list[Part] = []
        self._models: list[Model] = []

    def __len__(self) -> int:
        return len(self._parts)

    def add_all(self, subscriptions: Iterable[Subscription]) -> None:
        for subscription in subscriptions:
            whole = resolve(subscription, self.ontology)
            for pattern in whole.alternatives:
                self._add(whole, pattern)

    def _add(self, whole: Subscription, pattern: Pattern) -> None:
        bound = frozenset(pattern.variables())
        asked = [(bound.intersection(references(f.expression)), f.expression) for f in pattern.filters]
        if not all(compile_filter(expression)({}) for used, expression in asked if not used):
            return
        vertices = list(dict.fromkeys((HOME, *pattern.vertices())))
        single: defaultdict[str, list[tuple[str, Expression]]] = defaultdict(list)
        for used, expression in asked:
            if len(used) == 1:
                (name,) = used
                single[name].append((name, expression))
        labels = tuple(_label(vertex, pattern, single, whole.injective) for vertex in vertices)
        numbers = {vertex: number for number, vertex in enumerate(vertices)}
        edges = frozenset((numbers[a.subject], iri_of(a.property), numbers[a.object]) for a in pattern.arcs)
        part, places = self._decomposed(Graph(labels, edges))
        names = tuple((v.name, places.index(n)) for v, n in numbers.items() if isinstance(v, Variable))
        late = tuple(compile_filter(expression) for used, expression in asked if len(used) > 1)
        self._models.append(Model(whole.id, part, tuple(places), names, late))

    # decomposing

    def _decomposed(self, graph: Graph) -> tuple[Part, list[int]]:
        """The part of a graph, and for each of its vertices the one of the graph."""
        known, places = self._largest_known(graph)
        if known is not None and len(places) == len(graph.labels):
            return known, places
        if len(graph.labels) == 1:
            return self._kept(Part(graph)), [0]
        if known is None or len(places) == 1:
            half = _half(graph)
            known, inner = self._decomposed(graph.cut_out(half))
            places = [half[place] for place in inner]
        for piece in _pieces(graph, set(range(len(graph.labels))) - set(places)):
            other, inner = self._decomposed(graph.cut_out(piece))
            known, places = self._combined(graph, known, places, other, [piece[place] for place in inner])
        return known, places

    def _combined(
        self, graph: Graph, one: Part, places: list[int], other: Part, others: list[int]
    ) -> tuple[Part, list[int]]:
        both = places + others
        inside = one.graph.edges | {(s + len(places), p, o + len(places)) for s, p, o in other.graph.edges}
        cut = graph.cut_out(both)
        return self._kept(Part(cut, one, other, tuple(sorted(cut.edges - inside)))), both

    def _kept(self, part: Part) -> Part:
        self._parts.append(part)
        return part

    def _largest_known(self, graph: Graph) -> tuple[Part | None, list[int]]:
        """The known part with most vertices that is in a graph, with all edges that the graph has there."""
        for part in sorted(self._parts, key=lambda part: -len(part.graph.labels)):
            if len(part.graph.labels) <= len(graph.labels):
                places = next(_embeddings(part.graph, graph, []), None)
                if places is not None:
                    return part, places
        return None, []

    # matching

    def prepare(self, event: Event) -> ClosedEvent:
        return close(event, self.ontology)

    def match_ids(self, event: ClosedEvent) -> list[str]:
        """The ids of the subscriptions that match."""
        arcs = _Arcs(event)
        instances: dict[int, list[Instance]] = {}
        for part in self._parts:  # a part comes after those that it is made of
            found = list(_joined(part, instances, arcs, self._limit) if part.first else _images(part, event))
            instances[id(part)] = found
        matched = (m.id for m in self._models if any(_holds(m, one) for one in instances[id(m.part)]))
        return list(dict.fromkeys(matched))


class _Arcs:
    """The arcs of a closed event by property and either end."""

    def __init__(self, event: ClosedEvent) -> None:
        self.there: set[tuple[Term, str, Term]] = set()
        self.after: defaultdict[tuple[Term, str], set[Term]] = defaultdict(set)
        self.before: defaultdict[tuple[Term, str], set[Term]] = defaultdict(set)
        for arc in event.arcs:
            for prop in arc.properties:
                self.there.add((arc.subject, prop, arc.object))
                self.after[arc.subject, prop].add(arc.object)
                self.before[arc.object, prop].add(arc.subject)


def _label(
    vertex: Vertex, pattern: Pattern, single: Mapping[str, list[tuple[str, Expression]]], injective: bool
) -> Label:
    classes = frozenset(iri_of(item.name) for item in pattern.classes if item.vertex == vertex)
    constant = vertex if isinstance(vertex, NamedNode | Literal) else None
    filters = tuple(single.get(vertex.name, ())) if isinstance(vertex, Variable) else ()
    return Label(vertex == HOME, classes, constant, filters, injective)


def _half(graph: Graph) -> list[int]:
    """The part of a spanning tree on one side of the arc that divides it most evenly."""
    order, parent = [0], {0: 0}
    for vertex in order:
        for other in sorted(graph.neighbours(vertex) - set(parent)):
            parent[other] = vertex
            order.append(other)
    below = {vertex: [vertex] for vertex in order}
    for vertex in reversed(order[1:]):
        below[parent[vertex]] += below[vertex]
    best = min(order[1:], key=lambda vertex: abs(2 * len(below[vertex]) - len(order)))
    return sorted(set(order) - set(below[best]))


def _pieces(graph: Graph, rest: set[int]) -> Iterator[list[int]]:
    """The connected pieces of some vertices."""
    while rest:
        piece = [min(rest)]
        rest = rest - {piece[0]}
        for vertex in piece:
            near = sorted(graph.neighbours(vertex) & rest)
            piece += near
            rest = rest - set(near)
        yield piece


def _embeddings(part: Graph, graph: Graph, places: list[int]) -> Iterator[list[int]]:
    """Ways to lay a part on a graph, vertex by vertex, so that between these both have the same edges."""
    vertex = len(places)
    if vertex == len(part.labels):
        yield list(places)
        return
    for candidate, label in enumerate(graph.labels):
        if candidate in places or label != part.labels[vertex]:
            continue
        places.append(candidate)
        own = {(places[s], p, places[o]) for s, p, o in part.edges if max(s, o) == vertex}
        there = {(s, p, o) for s, p, o in graph.edges if s in places and o in places and candidate in (s, o)}
        if own == there:
            yield from _embeddings(part, graph, places)
        places.pop()


def _images(part: Part, event: ClosedEvent) -> Iterator[Instance]:
    """The vertices of an event that fit a single vertex, with its edges to itself."""
    (label,) = part.graph.labels
    conditions = [(name, compile_filter(expression)) for name, expression in label.filters]
    loops = {prop for _, prop, _ in part.graph.edges}
    there = {(arc.subject, p) for arc in event.arcs if arc.subject == arc.object for p in arc.properties}
    for vertex, classes in event.closed_classes.items():
        if (
            (not label.is_home or vertex == event.home)
            and (label.constant is None or vertex == label.constant)
            and label.classes <= classes
            and all((vertex, prop) in there for prop in loops)
            and all(condition({name: vertex}) for name, condition in conditions)
        ):
            yield (vertex,)


def _joined(part: Part, instances: Mapping[int, list[Instance]], arcs: _Arcs, limit: int) -> Iterator[Instance]:
    """Instances of both parts that fit together."""
    firsts, seconds = instances[id(part.first)], instances[id(part.second)]
    injective, count = part.graph.labels[0].injective, 0
    candidates = _lookup(part, seconds, arcs)
    for one in firsts:
        for other in candidates(one):
            both = one + other
            if injective and not _are_distinct(one, other):
                continue
            if all((both[s], p, both[o]) in arcs.there for s, p, o in part.edges):
                count += 1
                if count > limit:
                    raise TooManyInstancesError(f"more than {limit:,} instances of {len(both)} vertices")
                yield both


def _lookup(part: Part, seconds: list[Instance], arcs: _Arcs) -> Callable[[Instance], Iterable[Instance]]:
    """Those instances of the second part whose end of the first edge is where an arc from the first part leads."""
    split = len(part.first.graph.labels)  # type: ignore[union-attr]
    if not part.edges:
        return lambda _: seconds
    subject, prop, value = part.edges[0]
    ahead = subject < split
    inner, outer = (subject, value) if ahead else (value, subject)
    by_end: defaultdict[Term, list[Instance]] = defaultdict(list)
    for other in seconds:
        by_end[other[outer - split]].append(other)
    following = arcs.after if ahead else arcs.before
    return lambda one: (other for end in following.get((one[inner], prop), ()) for other in by_end.get(end, ()))


def _are_distinct(one: Instance, other: Instance) -> bool:
    """Among resources: two vertices may share a literal."""
    return not any(image in one for image in other if not isinstance(image, Literal))


def _holds(model: Model, instance: Instance) -> bool:
    solution = {name: instance[place] for name, place in model.names}
    return all(condition(solution) for condition in model.late)
