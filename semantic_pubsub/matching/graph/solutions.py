"""All mappings of one compiled pattern into one event: what bindings, explanations and joint filters need.

The kernels say whether a mapping exists. This says which ones: the same search in Python, on the closed event, with
filters evaluated as SPARQL defines them. Where the kernels cannot decide (a filter over several variables, a number
at the very edge of its precision) this decides.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.judging import operators
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import Variable, references
from semantic_pubsub.terms import Literal, Term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from semantic_pubsub.events.closure import ClosedEvent
    from semantic_pubsub.matching.graph.compiled import CompiledPattern, Test
    from semantic_pubsub.subscriptions.algebra import Expression

__all__ = ["EventGraph", "OutOfBudgetError", "acceptance", "mappings"]


class EventGraph:
    """A closed event by subject and property, for looking up where an arc can lead."""

    def __init__(self, closed: ClosedEvent) -> None:
        self.closed = closed
        self._forward: defaultdict[tuple[Term, str], dict[Term, None]] = defaultdict(dict)
        for arc in closed.arcs:
            for prop in arc.properties:
                self._forward[arc.subject, prop][arc.object] = None

    def targets(self, subject: Term, prop: str) -> dict[Term, None]:
        """Where a property (or one below it) leads from a vertex."""
        return self._forward.get((subject, prop), _NOTHING)


_NOTHING: dict[Term, None] = {}


class OutOfBudgetError(Exception):
    """The search had to end before it was over: what it has not found may still exist."""


def mappings(pattern: CompiledPattern, graph: EventGraph, budget: int = 0) -> Iterator[tuple[Term, ...]]:
    """Every mapping, as the images of the pattern's vertices in their order.

    With a budget, `OutOfBudgetError` ends a search of more steps. Each choice is one, and each operator of a filter.
    """
    if not pattern.satisfiable:
        return iter(())
    return _Search(pattern, graph).run(budget)


class _Search:
    def __init__(self, pattern: CompiledPattern, graph: EventGraph) -> None:
        self.pattern = pattern
        self.graph = graph
        self.accepts = [acceptance(pattern, number, graph.closed) for number in range(len(pattern.vertices))]
        self.known: list[dict[Term, bool]] = [{} for _ in pattern.vertices]
        self.image: list[Term] = []
        joint = _joint_by_last(pattern)
        self.joint = {number: [compile_filter(expression) for expression in found] for number, found in joint.items()}
        self.effort = [_effort(pattern, number) for number in range(len(pattern.vertices))]
        self.joint_effort = {number: sum(map(operators, found)) for number, found in joint.items()}
        self.left = 0

    def run(self, budget: int) -> Iterator[tuple[Term, ...]]:
        """Depth first; the way so far is `image`, what is left to try on it are the iterators."""
        self.left = budget
        image, last = self.image, len(self.pattern.vertices)
        waiting = [self._choices(0)]
        while waiting:
            number = len(waiting) - 1
            del image[number:]
            if not self._advance(number, waiting[-1], bool(budget)):
                waiting.pop()
            elif number + 1 == last:
                yield tuple(image)
            else:
                waiting.append(self._choices(number + 1))

    def _choices(self, number: int) -> Iterator[Term]:
        if not number:
            return iter((self.graph.closed.home,))
        parent, prop = self.pattern.tree[number - 1]
        return iter(self.graph.targets(self.image[parent], prop))

    def _advance(self, number: int, choices: Iterator[Term], bounded: bool) -> bool:
        """Give a vertex the next image that fits; False if there is none."""
        image, injective = self.image, self.pattern.injective
        for choice in choices:
            self.left -= 1
            if bounded and self.left < 0:
                raise OutOfBudgetError
            if not self._accepted(number, choice):
                continue
            if injective and not isinstance(choice, Literal) and choice in image:
                continue
            image.append(choice)
            if self._closes(number) and self._holds(number):
                return True
            image.pop()
        return False

    def _accepted(self, number: int, choice: Term) -> bool:
        known = self.known[number]
        verdict = known.get(choice)
        if verdict is None:
            self.left -= self.effort[number]
            verdict = known[choice] = all(accept(choice) for accept in self.accepts[number])
        return verdict

    def _closes(self, number: int) -> bool:
        """Whether the arcs between this vertex and earlier ones are there."""
        image = self.image
        return all(
            image[value] in self.graph.targets(image[subject], prop)
            for subject, prop, value in self.pattern.chords
            if max(subject, value) == number
        )

    def _holds(self, number: int) -> bool:
        conditions = self.joint.get(number)
        if not conditions:
            return True
        self.left -= self.joint_effort[number]
        names = {v.name: i for i, v in enumerate(self.pattern.vertices) if isinstance(v, Variable)}
        values = {name: self.image[i] for name, i in names.items() if i <= number}
        return all(condition(values) for condition in conditions)


def _joint_by_last(pattern: CompiledPattern) -> dict[int, list[Expression]]:
    """Filters over several variables, under the vertex with which the last of them gets its image."""
    place = {v.name: i for i, v in enumerate(pattern.vertices) if isinstance(v, Variable)}
    found: dict[int, list[Expression]] = {}
    for expression in pattern.joint:
        last = max(place[name] for name in references(expression) if name in place)
        found.setdefault(last, []).append(expression)
    return found


def _effort(pattern: CompiledPattern, number: int) -> int:
    """What it costs to evaluate a vertex's own filters, in steps; looking up classes and constants is part of one."""
    tests = [t for t in pattern.tests if t.vertex == number and t.kind not in (Kind.CLASS, Kind.CONSTANT)]
    return sum(operators(source) for test in tests for source in _sources(test))


def acceptance(pattern: CompiledPattern, number: int, closed: ClosedEvent) -> list[Callable[[Term], bool]]:
    """What the image of a vertex must fulfil by itself: its constant, its classes, its filters."""
    vertex = pattern.vertices[number]
    name = vertex.name if isinstance(vertex, Variable) else ""
    return [_judge(test, name, closed) for test in pattern.tests if test.vertex == number]


def _judge(test: Test, name: str, closed: ClosedEvent) -> Callable[[Term], bool]:
    value = test.value
    if test.kind is Kind.CLASS:
        return lambda term: value in closed.closed_classes[term]
    if test.kind is Kind.CONSTANT:
        return lambda term: term == value
    conditions = [compile_filter(source) for source in _sources(test)]
    return lambda term: all(condition({name: term}) for condition in conditions)


def _sources(test: Test) -> tuple[Expression, ...]:
    """The filter expressions behind a test."""
    value = test.value
    if test.kind is Kind.INTERVAL:
        return value.sources  # type: ignore[union-attr]
    if test.kind is Kind.TEXT:
        return (value.source,)  # type: ignore[union-attr]
    return (value,)  # type: ignore[return-value]
