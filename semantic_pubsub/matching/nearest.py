"""The partial mapping that satisfies most of a pattern: what an explanation of a miss is about.

Branch and bound over the pattern's vertices, outward from home. A vertex may stay without an image; one that has an
image need not satisfy everything asked of it, it only earns points for what it does. Finding the best is as hard as
matching, so after a number of steps the best so far is taken: good enough to explain by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.definition import has_arc, iri_of, outward
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import HOME, Pattern, Variable, Vertex, references
from semantic_pubsub.terms import Literal, NamedNode, Term

if TYPE_CHECKING:
    from semantic_pubsub.events.closure import ClosedEvent

__all__ = ["nearest_mapping"]

_STEPS = 20_000


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
        self.mapping: dict[Vertex, Term] = {}
        self.best: dict[Vertex, Term] = {}
        self.best_score = -1
        self.steps = 0
        self.potential = self._potentials()

    def run(self) -> None:
        self.mapping[HOME] = self.event.home
        self._extend(1, self._points(HOME))

    def _extend(self, position: int, score: int) -> None:
        self.steps += 1
        if score > self.best_score:
            self.best_score, self.best = score, dict(self.mapping)
        if position == len(self.order) or self.steps > _STEPS:
            return
        vertex = self.order[position]
        ranked: list[tuple[int, Term]] = []
        for image in self._candidates(vertex):
            self.mapping[vertex] = image
            ranked.append((self._points(vertex), image))
            del self.mapping[vertex]
        ranked.sort(key=lambda pair: -pair[0])
        for points, image in ranked:
            if score + points + self.potential[position + 1] > self.best_score:
                self.mapping[vertex] = image
                self._extend(position + 1, score + points)
                del self.mapping[vertex]
        if score + self.potential[position + 1] > self.best_score:
            self._extend(position + 1, score)

    def _candidates(self, vertex: Vertex) -> list[Term]:
        """What the event has where the pattern's arcs lead, and the constant itself if the event has it."""
        found: dict[Term, None] = {}
        for arc in self.pattern.arcs:
            if arc.object != vertex or arc.subject not in self.mapping:
                continue
            subject, prop = self.mapping[arc.subject], iri_of(arc.property)
            for stated in self.event.arcs:
                if stated.subject == subject and prop in stated.properties:
                    found[stated.object] = None
        return list(found)

    def _points(self, vertex: Vertex) -> int:
        """How many requirements the vertex just mapped satisfies."""
        image = self.mapping[vertex]
        points = sum(
            iri_of(asked.name) in self.event.closed_classes[image]
            for asked in self.pattern.classes
            if asked.vertex == vertex
        )
        points += isinstance(vertex, NamedNode | Literal) and vertex == image
        points += self._distinct(vertex, image)
        for arc in self.pattern.arcs:
            if vertex in (arc.subject, arc.object) and arc.subject in self.mapping and arc.object in self.mapping:
                points += has_arc(self.event, self.mapping[arc.subject], iri_of(arc.property), self.mapping[arc.object])
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
