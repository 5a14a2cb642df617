"""What the warnings about a subscription depend on, so that they are looked for once per form and not once each.

Advice on a pattern follows from its arcs, the classes and IRIs in it, the kinds of its values, and its conditions
other than intervals and tests of texts. Where an interval is empty or a selected variable is never bound, nothing
is said here and the subscription is looked at by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.graph.compiled import Interval, Kind
from semantic_pubsub.subscriptions.algebra import Variable
from semantic_pubsub.terms import Literal

if TYPE_CHECKING:
    from collections.abc import Hashable

    from semantic_pubsub.matching.graph.compiled import CompiledPattern, Test

__all__ = ["form_of_advice"]


def form_of_advice(patterns: list[CompiledPattern], projection: tuple[str, ...] | None) -> Hashable | None:
    """Equal for subscriptions about which the ontology says the same; None if that is not known."""
    if projection:
        bound = {vertex.name for pattern in patterns for vertex in pattern.vertices if isinstance(vertex, Variable)}
        if not bound.issuperset(projection):
            return None
    parts = []
    for pattern in patterns:
        values = [_kind(test) for test in pattern.tests]
        if None in values or pattern.joint or not pattern.satisfiable:
            return None
        parts.append((pattern.tree, pattern.chords, tuple(values)))
    return tuple(parts)


def _kind(test: Test) -> Hashable | None:
    value = test.value
    if test.kind is Kind.CLASS:
        return test.vertex, Kind.CLASS, value
    if isinstance(value, Literal):
        return test.vertex, value.datatype.value
    if isinstance(value, Interval):
        # one comparison a side: more may exclude each other in ways that the interval does not show
        ordinary = value.lower < value.upper and len(value.sources) <= 2
        return (test.vertex, "number") if ordinary else None
    if test.kind is Kind.TEXT:
        return test.vertex, "text"
    return None if test.kind is Kind.PREDICATE else (test.vertex, value)
