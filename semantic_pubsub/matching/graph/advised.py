"""What the warnings about a subscription depend on, so that they are looked for once per form and not once each.

Advice on a pattern follows from its arcs and the classes asked along them, which is asked here part by part and
remembered; and from the IRIs in it, the kinds of its values, and its conditions, which are its *form*. Where an
interval is empty, a condition is none of the simple ones, or a selected variable is never bound, the subscription has
no form and is looked at by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.graph.compiled import Interval, Kind
from semantic_pubsub.subscriptions.algebra import Variable
from semantic_pubsub.terms import Literal, NamedNode

if TYPE_CHECKING:
    from collections.abc import Hashable

    from semantic_pubsub.matching.graph.compiled import CompiledPattern, Test
    from semantic_pubsub.subscriptions.advice import Advice

__all__ = ["are_clean", "classes_of", "form_of_advice"]

Classes = dict[int, list[NamedNode]]


def form_of_advice(patterns: list[CompiledPattern], projection: tuple[str, ...] | None) -> Hashable | None:
    """Equal for subscriptions about which, classes apart, the ontology says the same; None if that is not known."""
    if projection:
        bound = {vertex.name for pattern in patterns for vertex in pattern.vertices if isinstance(vertex, Variable)}
        if not bound.issuperset(projection):
            return None
    parts = []
    for pattern in patterns:
        values = [_kind(test, pattern) for test in pattern.tests]
        if None in values or pattern.joint or not pattern.satisfiable:
            return None
        parts.append((pattern.tree, pattern.chords, tuple(values)))
    return tuple(parts)


def _kind(test: Test, pattern: CompiledPattern) -> Hashable | None:
    value = test.value
    if test.kind is Kind.CLASS:
        constant = isinstance(pattern.vertices[test.vertex], NamedNode | Literal)
        return None if constant else (test.vertex, Kind.CLASS)
    if isinstance(value, Literal):
        return test.vertex, value.datatype.value
    if isinstance(value, Interval):
        # one comparison a side: more may exclude each other in ways that the interval does not show
        ordinary = value.lower < value.upper and len(value.sources) <= 2
        return (test.vertex, "number") if ordinary else None
    if test.kind is Kind.TEXT:
        return test.vertex, "text"
    return None if test.kind is Kind.PREDICATE else (test.vertex, value)


def classes_of(pattern: CompiledPattern) -> Classes:
    """The classes asked of each vertex."""
    found: Classes = {}
    for test in pattern.tests:
        if test.kind is Kind.CLASS:
            found.setdefault(test.vertex, []).append(NamedNode(str(test.value)))
    return found


def are_clean(classes: Classes, pattern: CompiledPattern, advice: Advice) -> bool:
    """Whether the ontology has nothing to say against these classes where the pattern asks for them."""
    for asked in classes.values():
        if any(advice.of_class(name) is not None for name in asked):
            return False
        if any(advice.of_both(asked[i], asked[j]) is not None for j in range(len(asked)) for i in range(j)):
            return False
    nothing: list[NamedNode | None] = [None]
    for subject, prop, value in pattern.arcs():
        vertex, named = pattern.vertices[value], NamedNode(prop)
        values = [vertex.datatype] if isinstance(vertex, Literal) else classes.get(value, nothing)
        for one in classes.get(subject, nothing):
            if any(advice.of_statement(one, named, other) is not None for other in values):
                return False
    return True
