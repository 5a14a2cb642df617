"""What a pattern requires of an event, as EMS items: necessary conditions that a hash can find."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.arrays.grids import NO_CELL, cell_bit, cell_of, grid_index
from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.kernels.ems import bound_item, item_of, value_item
from semantic_pubsub.matching.graph.kernels.labels import cell_label, point_label, text_label
from semantic_pubsub.matching.graph.layout import (
    LABEL_EXISTS,
    NODE_LEVELS,
    NODE_USES,
    SHAPE_EXTRA_AT,
    SHAPE_EXTRAS,
    SHAPE_HEADER,
    SHAPE_TESTS,
    SHAPE_VERTICES,
    SLOT_PARAMETERS,
    SLOT_SHAPE,
    TEST_KIND_MASK,
    TEST_KINDS,
    USES_EXISTENCE,
    USES_POINTS,
    USES_TEXT,
    VERTEX_NODE,
    VERTEX_WIDTH,
    Tables,
)

__all__ = ["MOST_REQUIREMENTS", "requirements_of"]

MOST_REQUIREMENTS = 96
"""How many requirements of one pattern are considered; any choice of them is right, more are not better."""

_CONSTANT, _INTERVAL, _TEXT = int(Kind.CONSTANT), int(Kind.INTERVAL), int(Kind.TEXT)
_FULL = MOST_REQUIREMENTS - 4


@inner
def _interval_items(node: int, bound: int, found: Any, count: int, t: Tables) -> int:
    lower, upper = t.bounds[bound, 0], t.bounds[bound, 1]
    if lower == upper:
        t.nodes[node, NODE_USES] |= USES_POINTS
        found[count] = value_item(node, point_label(lower), t)
        return count + 1
    if np.isfinite(lower) and np.isfinite(upper) and lower < upper:
        level, grid = cell_of(lower, upper)
        if level != NO_CELL:
            t.nodes[node, NODE_LEVELS] |= cell_bit(level)
            found[count] = value_item(node, cell_label(level, grid, grid_index(lower, level, grid)), t)
            return count + 1
    if np.isfinite(lower):
        found[count] = bound_item(node, lower, False, t)
        count += 1
    if np.isfinite(upper):
        found[count] = bound_item(node, upper, True, t)
        count += 1
    return count


@inner
def _text_items(node: int, needle: int, found: Any, count: int, t: Tables) -> int:
    start, length, operator = t.needles[needle, 0], t.needles[needle, 1], t.needles[needle, 2]
    if length < 3:
        return count
    t.nodes[node, NODE_USES] |= USES_TEXT
    found[count] = item_of(node, text_label(t.needle_bytes, start, 1 if operator == 1 else 0), t)
    return count + 1


@inner
def _existence(node: int, found: Any, count: int, t: Tables) -> int:
    t.nodes[node, NODE_USES] |= USES_EXISTENCE
    found[count] = item_of(node, LABEL_EXISTS, t)
    return count + 1


@inner
def _of_tests(shape: int, at: int, found: Any, t: Tables) -> int:
    vertex_at = shape + SHAPE_HEADER
    test_at = vertex_at + t.shapes[shape + SHAPE_VERTICES] * VERTEX_WIDTH
    count = 0
    for test in range(t.shapes[shape + SHAPE_TESTS]):
        if count > _FULL:
            break
        vertex, kind = t.shapes[test_at + test] >> TEST_KINDS, t.shapes[test_at + test] & TEST_KIND_MASK
        node = np.int64(t.shapes[vertex_at + vertex * VERTEX_WIDTH + VERTEX_NODE])
        value = np.int64(t.parameters[at + test])
        if kind <= _CONSTANT:
            found[count] = item_of(node, value, t)
            count += 1
        elif kind == _INTERVAL:
            count = _interval_items(node, value, found, count, t)
        elif kind == _TEXT:
            count = _text_items(node, value, found, count, t)
    return count


@inner
def _of_extras(shape: int, at: int, found: Any, count: int, t: Tables) -> int:
    """What must be there beside the tests: at the end of a chord whatever is asked of its object, or just something."""
    test_at = shape + SHAPE_HEADER + t.shapes[shape + SHAPE_VERTICES] * VERTEX_WIDTH
    extra_at = shape + t.shapes[shape + SHAPE_EXTRA_AT]
    for extra in range(t.shapes[shape + SHAPE_EXTRAS]):
        node, vertex = np.int64(t.shapes[extra_at + 2 * extra]), t.shapes[extra_at + 2 * extra + 1]
        named = False
        for test in range(t.shapes[shape + SHAPE_TESTS]):
            own = t.shapes[test_at + test]
            if own >> TEST_KINDS == vertex and own & TEST_KIND_MASK <= _CONSTANT:
                if count > _FULL:
                    return count
                named = True
                found[count] = item_of(node, np.int64(t.parameters[at + test]), t)
                count += 1
        if not named and count <= _FULL:
            count = _existence(node, found, count, t)
    return count


@inner
def requirements_of(slot: int, found: Any, t: Tables) -> int:
    """Every item that the slot's pattern requires, each once; how many there are, one at least."""
    shape, at = np.int64(t.slots[slot, SLOT_SHAPE]), np.int64(t.slots[slot, SLOT_PARAMETERS])
    count = _of_extras(shape, at, found, _of_tests(shape, at, found, t), t)
    if count == 0:
        count = _existence(0, found, count, t)
    return _each_once(found, count)


@inner
def _each_once(found: Any, count: int) -> int:
    kept = 0
    for i in range(count):
        known = False
        for j in range(kept):
            if found[j] == found[i]:
                known = True
                break
        if not known:
            found[kept] = found[i]
            kept += 1
    return kept
