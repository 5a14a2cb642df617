"""From a compiled pattern back to the algebra: what the index keeps, told as a subscriber would write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.graph.compiled import Interval, Kind, TextTest
from semantic_pubsub.subscriptions.algebra import (
    Arc,
    Call,
    ClassAsked,
    Constant,
    Expression,
    Filter,
    Pattern,
    Reference,
    Variable,
)
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_pubsub.matching.graph.compiled import CompiledPattern, Test
    from semantic_pubsub.subscriptions.algebra import Vertex

__all__ = ["conditions", "to_pattern"]

_STRING: Final = XSD + "string"


def to_pattern(compiled: CompiledPattern) -> Pattern:
    """A pattern that means the same. An interval is told by its own bounds, whatever else was implied by them."""
    vertices = compiled.vertices
    arcs = tuple(Arc(vertices[s], NamedNode(prop), vertices[o]) for s, prop, o in compiled.arcs())
    classes = tuple(
        ClassAsked(vertices[test.vertex], NamedNode(test.value))
        for test in compiled.tests
        if test.kind is Kind.CLASS and isinstance(test.value, str)
    )
    filters = [Filter(part) for test in compiled.tests for part in conditions(test, vertices[test.vertex])]
    filters += [Filter(expression) for expression in compiled.joint]
    return Pattern(arcs, classes, tuple(filters))


def conditions(test: Test, vertex: Vertex) -> Iterator[Expression]:
    """The filters behind a test of a vertex; none for a class, or for a constant that is the vertex itself."""
    value = test.value
    if isinstance(value, Interval):
        yield from value.sources
    elif isinstance(value, TextTest):
        yield value.source
    elif test.kind is Kind.PREDICATE and isinstance(value, Constant | Reference | Call):
        yield value
    elif test.kind is Kind.CONSTANT and isinstance(vertex, Variable) and isinstance(value, NamedNode | Literal):
        plain = isinstance(value, NamedNode) or value.datatype.value == _STRING
        yield Call("=" if plain else "SAMETERM", (Reference(vertex.name), Constant(value)))
