"""Shapes: what many patterns have in common, kept once.

A shape is a pattern without its names and values: how many vertices, which arcs, what kind of test at which vertex.
The values of one pattern are its *parameters*, one integer per test. A million subscriptions from fifty forms are
fifty shapes and a million short rows of parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.layout import (
    CHORD_INTO,
    CHORD_LOOP,
    CHORD_OUT,
    CHORD_WIDTH,
    EXTRA_EXISTS,
    FLAG_INJECTIVE,
    FLAG_JOINT,
    FLAG_PREDICATES,
    SHAPE_HEADER,
    STEP_WIDTH,
    TEST_KINDS,
)
from semantic_pubsub.terms import Literal, NamedNode

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.matching.graph.compiled import CompiledPattern
    from semantic_pubsub.subscriptions.algebra import Expression, Vertex

__all__ = ["Shape", "search_order", "shape_key", "shape_numbers"]


class Shape(NamedTuple):
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
    return Shape(
        tuple([None if isinstance(v, NamedNode | Literal) else v for v in pattern.vertices]),
        pattern.tree,
        pattern.chords,
        tuple([(test.vertex, test.kind) for test in pattern.tests]),
        pattern.joint,
        pattern.injective,
        projection,
        statements,
    )


def shape_numbers(shape: Shape, property_number: Callable[[str], int], child: Callable[[int, int], int]) -> list[int]:
    """The shape as the kernels read it; `child` gives the path node that a property leads to."""
    nodes, vertices = [0], [0, -1, -1]
    for parent, prop in shape.tree:
        number = property_number(prop)
        nodes.append(child(nodes[parent], number))
        vertices += (nodes[-1], parent, number)
    chords, closing, extras = _chords(shape, nodes, property_number, child)
    tests = [vertex << TEST_KINDS | int(kind) for vertex, kind in shape.tests]
    steps = [number for vertex in search_order(shape) for number in (vertex, *closing.get(vertex, (0, 0)))]
    flags = FLAG_INJECTIVE if shape.injective else 0
    flags |= FLAG_JOINT if shape.joint else 0
    flags |= FLAG_PREDICATES if any(kind is Kind.PREDICATE for _, kind in shape.tests) else 0
    at_chords = SHAPE_HEADER + len(vertices) + len(tests) + len(steps)
    head = [
        len(nodes),
        len(tests),
        len(steps) // STEP_WIDTH,
        len(extras) // 2,
        flags,
        at_chords,
        at_chords + len(chords),
    ]
    return [*head, *vertices, *tests, *steps, *chords, *extras]


def _chords(
    shape: Shape, nodes: list[int], property_number: Callable[[str], int], child: Callable[[int, int], int]
) -> tuple[list[int], dict[int, tuple[int, int]], list[int]]:
    """Chords grouped by the vertex at which they close, where each group is, and further requirements.

    A chord is a second path to its object. A vertex of which nothing is asked and on which nothing hangs requires
    that something is there.
    """
    groups: dict[int, list[int]] = {}
    extras: list[int] = []
    for subject, prop, value in shape.chords:
        number = property_number(prop)
        if subject == value:
            entry = (CHORD_LOOP, subject, number)
        elif subject < value:
            entry = (CHORD_INTO, subject, number)
        else:
            entry = (CHORD_OUT, value, number)
        groups.setdefault(max(subject, value), []).extend(entry)
        extras += (child(nodes[subject], number), value)
    asked = {vertex for vertex, kind in shape.tests if kind is not Kind.PREDICATE}
    asked |= {parent for parent, _ in shape.tree} | {subject for subject, _, _ in shape.chords}
    for vertex in range(1, len(nodes)):
        if vertex not in asked:
            extras += (nodes[vertex], EXTRA_EXISTS)
    chords: list[int] = []
    closing: dict[int, tuple[int, int]] = {}
    for vertex, group in groups.items():
        closing[vertex] = len(chords) // CHORD_WIDTH, len(group) // CHORD_WIDTH
        chords += group
    return chords, closing, extras


def search_order(shape: Shape) -> list[int]:
    """The vertices that a search must try, outward from home.

    Where vertices may share images, what hangs on the pattern like a tree needs no search: that each candidate extends
    down the tree is known before. Left are the vertices on cycles and on the way from home to them.
    """
    count = len(shape.vertices)
    if shape.injective:
        return list(range(count))
    arcs = [(parent, number) for number, (parent, _) in enumerate(shape.tree, 1)]
    arcs += [(subject, value) for subject, _, value in shape.chords if subject != value]
    degree = [0] * count
    for one, other in arcs:
        degree[one] += 1
        degree[other] += 1
    loops = {subject for subject, _, value in shape.chords if subject == value}
    kept = set(range(count))
    leaves = [vertex for vertex in kept if degree[vertex] <= 1 and vertex and vertex not in loops]
    while leaves:  # take away leaf after leaf
        leaf = leaves.pop()
        kept.discard(leaf)
        for one, other in arcs:
            near = other if one == leaf else one if other == leaf else -1
            if near in kept:
                degree[near] -= 1
                if degree[near] <= 1 and near and near not in loops:
                    leaves.append(near)
    return sorted(kept)
