"""The partial mapping that satisfies most of a pattern: what an explanation of a miss is about.

Branch and bound over the pattern's vertices, outward from home. A vertex may stay without an image; one that has an
image need not satisfy everything asked of it, it only earns points for what it does. Finding the best is as hard as
matching, so after a number of steps the best so far is taken: good enough to explain by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.definition import iri_of, outward
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import HOME, Pattern, Variable, Vertex, references
from semantic_pubsub.terms import Literal, NamedNode, Term

if TYPE_CHECKING:
    from semantic_pubsub.events.closure import ClosedEvent

__all__ = ["nearest_mapping"]

_STEPS = 30_000  # images tried
_LARGEST = 500  # vertices of a pattern that is searched and not only walked through once


def nearest_mapping(pattern: Pattern, event: ClosedEvent, *, injective: bool) -> dict[Vertex, Term]:
    """The best partial mapping found within a bounded number of steps."""
    search = _Search(pattern, event, injective)
    search.run()
    return search.best


class _Search:
    def __init__(self, pattern: Pattern, event: ClosedEvent, injective: bool) -> None:
        self.pattern = pattern
        self.event = event
        self.injective = injective
        self.order = outward(pattern)
        self.filters = [(frozenset(references(f.expression)), compile_filter(f.expression)) for f in pattern.filters]
        self.targets = _targets(pattern, event)
        self.arcs: dict[Vertex, list[tuple[Vertex, str, Vertex]]] = {vertex: [] for vertex in self.order}
        for arc in pattern.arcs:
            for vertex in {arc.subject, arc.object}:
                self.arcs[vertex].append((arc.subject, iri_of(arc.property), arc.object))
        self.classes: dict[Vertex, list[str]] = {}
        for asked in pattern.classes:
            self.classes.setdefault(asked.vertex, []).append(iri_of(asked.name))
        self.mapping: dict[Vertex, Term] = {}
        self.best: dict[Vertex, Term] = {}
        self.best_score = -1
        self.steps = 0
        self.potential = self._potentials()

    def run(self) -> None:
        self.mapping[HOME] = self.event.home
        if len(self.order) > _LARGEST:
            self._take_the_best()
        else:
            self._extend(1, self._points(HOME))

    def _take_the_best(self) -> None:
        """For each vertex the image that earns most, never looking back: the stack is too short for more."""
        for vertex in self.order[1:]:
            ranked = self._ranked(vertex)
            if ranked:
                self.mapping[vertex] = ranked[0][1]
        self.best = self.mapping

    def _extend(self, position: int, score: int) -> None:
        if score > self.best_score:
            self.best_score, self.best = score, dict(self.mapping)
        if position == len(self.order) or self.steps > _STEPS:
            return
        vertex = self.order[position]
        for points, image in self._ranked(vertex):
            if score + points + self.potential[position + 1] > self.best_score:
                self.mapping[vertex] = image
                self._extend(position + 1, score + points)
                del self.mapping[vertex]
        if score + self.potential[position + 1] > self.best_score:
            self._extend(position + 1, score)

    def _ranked(self, vertex: Vertex) -> list[tuple[int, Term]]:
        """The images that a vertex could have with the points that each earns, most first."""
        ranked: list[tuple[int, Term]] = []
        for image in self._candidates(vertex):
            self.steps += 1
            self.mapping[vertex] = image
            ranked.append((self._points(vertex), image))
            del self.mapping[vertex]
        ranked.sort(key=lambda pair: -pair[0])
        return ranked

    def _candidates(self, vertex: Vertex) -> list[Term]:
        """What the event has where the pattern's arcs lead."""
        found: dict[Term, None] = {}
        for subject, prop, value in self.arcs[vertex]:
            if value == vertex and subject in self.mapping:
                found.update(self.targets.get((self.mapping[subject], prop), _NOTHING))
        return list(found)

    def _points(self, vertex: Vertex) -> int:
        """How many requirements the vertex just mapped satisfies."""
        image, mapping = self.mapping[vertex], self.mapping
        closed = self.event.closed_classes[image]
        points = sum(name in closed for name in self.classes.get(vertex, ()))
        points += isinstance(vertex, NamedNode | Literal) and vertex == image
        points += self._distinct(vertex, image)
        for subject, prop, value in self.arcs[vertex]:
            if subject in mapping and value in mapping:
                points += mapping[value] in self.targets.get((mapping[subject], prop), _NOTHING)
        return points + self._filters(vertex)

    def _distinct(self, vertex: Vertex, image: Term) -> bool:
        if not self.injective or isinstance(image, Literal):
            return True
        return all(other == vertex or taken != image for other, taken in self.mapping.items())

    def _filters(self, vertex: Vertex) -> int:
        if not isinstance(vertex, Variable):
            return 0
        values = {v.name: image for v, image in self.mapping.items() if isinstance(v, Variable)}
        return sum(
            condition(values) for used, condition in self.filters if vertex.name in used and used <= values.keys()
        )

    def _potentials(self) -> list[int]:
        """For each position, the most points that the vertices from there on can earn."""
        rank = {vertex: position for position, vertex in enumerate(self.order)}
        gains = [1] * (len(self.order) + 1)
        gains[-1] = 0
        for vertex in self.order:
            gains[rank[vertex]] += isinstance(vertex, NamedNode | Literal)
        for asked in self.pattern.classes:
            gains[rank[asked.vertex]] += 1
        for arc in self.pattern.arcs:
            gains[max(rank[arc.subject], rank[arc.object])] += 1
        for used, _ in self.filters:
            ranks = [rank[Variable(name)] for name in used if Variable(name) in rank]
            gains[max(ranks, default=0)] += 1
        for position in range(len(self.order) - 1, -1, -1):
            gains[position] += gains[position + 1]
        return gains


_NOTHING: dict[Term, None] = {}


def _targets(pattern: Pattern, event: ClosedEvent) -> dict[tuple[Term, str], dict[Term, None]]:
    """Where each property of the pattern leads from each vertex of the event."""
    asked = {iri_of(arc.property) for arc in pattern.arcs}
    found: dict[tuple[Term, str], dict[Term, None]] = {}
    for arc in event.arcs:
        for prop in asked & arc.properties:
            found.setdefault((arc.subject, prop), {})[arc.object] = None
    return found
