"""Shapes: what many patterns have in common, kept once.

A shape is a pattern without its names and values: how many vertices, which arcs, what kind of test at which vertex.
The values of one pattern are its *parameters*, one integer per test. A million subscriptions from fifty forms are
fifty shapes and a million short rows of parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.layout import (
    CHORD_INTO,
    CHORD_LOOP,
    CHORD_OUT,
    FLAG_INJECTIVE,
    FLAG_JOINT,
    FLAG_PREDICATES,
    SHAPE_HEADER,
    VERTEX_WIDTH,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.matching.graph.compiled import CompiledPattern
    from semantic_pubsub.subscriptions.algebra import Expression, Vertex

__all__ = ["Shape", "shape_key", "shape_numbers"]


@dataclass(frozen=True, slots=True)
class Shape:
    """The common part of patterns; `vertices` holds None where the pattern has a constant.

    `projection` and `statements` (which syntax it was written in) belong to the subscription as a whole and are
    here so that a subscription can be told again from what the index keeps.
    """

    vertices: tuple[Vertex | None, ...]
    tree: tuple[tuple[int, str], ...]
    chords: tuple[tuple[int, str, int], ...]
    tests: tuple[tuple[int, Kind], ...]
    joint: tuple[Expression, ...]
    injective: bool
    projection: tuple[str, ...] | None
    statements: bool


def shape_key(pattern: CompiledPattern, projection: tuple[str, ...] | None, statements: bool) -> Shape:
    """The shape of a pattern whose tests are in the index's order."""
    from semantic_pubsub.terms import Literal, NamedNode

    return Shape(
        tuple(None if isinstance(v, NamedNode | Literal) else v for v in pattern.vertices),
        pattern.tree,
        pattern.chords,
        tuple((test.vertex, test.kind) for test in pattern.tests),
        pattern.joint,
        pattern.injective,
        projection,
        statements,
    )


def shape_numbers(shape: Shape, property_number: Callable[[str], int], child: Callable[[int, int], int]) -> list[int]:
    """The shape as the kernels read it; `child` gives the path node that a property leads to."""
    nodes = [0]
    for parent, prop in shape.tree:
        nodes.append(child(nodes[parent], property_number(prop)))
    asked = {vertex for vertex, kind in shape.tests if kind is not Kind.PREDICATE}
    asked |= {parent for parent, _ in shape.tree} | {subject for subject, _, _ in shape.chords}
    closing: list[list[int]] = [[] for _ in nodes]
    extras: list[int] = []
    for subject, prop, value in shape.chords:
        number = property_number(prop)
        if subject == value:
            closing[subject] += (CHORD_LOOP, subject, number)
        elif subject < value:
            closing[value] += (CHORD_INTO, subject, number)
        else:
            closing[subject] += (CHORD_OUT, value, number)
        extras += (child(nodes[subject], number), value)
    vertices: list[int] = []
    chords: list[int] = []
    for number, node in enumerate(nodes):
        parent, prop_name = shape.tree[number - 1] if number else (-1, "")
        bare = int(number not in asked and number > 0)
        prop_number = property_number(prop_name) if number else -1
        vertices += (node, parent, prop_number, len(chords) // 3, len(closing[number]) // 3, bare)
        chords += closing[number]
    tests = [number for vertex, kind in shape.tests for number in (vertex, int(kind))]
    flags = FLAG_INJECTIVE if shape.injective else 0
    flags |= FLAG_JOINT if shape.joint else 0
    flags |= FLAG_PREDICATES if any(kind is Kind.PREDICATE for _, kind in shape.tests) else 0
    at_chords = SHAPE_HEADER + len(nodes) * VERTEX_WIDTH
    at_tests = at_chords + len(chords)
    at_extras = at_tests + len(tests)
    head = [len(nodes), len(shape.tests), len(extras) // 2, flags, SHAPE_HEADER, at_chords, at_tests, at_extras]
    return [*head, *vertices, *chords, *tests, *extras]
