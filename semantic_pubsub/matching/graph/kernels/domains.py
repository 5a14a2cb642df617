"""What each vertex of a pattern may map to by itself: its place in the event, then its tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.kernels.events import AT_FLAGS, AT_TEXTS
from semantic_pubsub.matching.graph.layout import (
    ASK_PYTHON,
    IS_NUMBER,
    IS_ROUGH,
    IS_TEXT,
    LOWER_OPEN,
    NO,
    SHAPE_HEADER,
    SHAPE_TESTS,
    SHAPE_VERTICES,
    SLOT_PARAMETERS,
    SLOT_SHAPE,
    TEST_KIND_MASK,
    TEST_KINDS,
    UPPER_OPEN,
    VERTEX_NODE,
    VERTEX_WIDTH,
    YES,
    Marks,
    Tables,
    View,
)

__all__ = ["domains_of"]

_CONSTANT, _PREDICATE, _INTERVAL = int(Kind.CONSTANT), int(Kind.PREDICATE), int(Kind.INTERVAL)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@inner
def _in_interval(vertex: int, flags: int, bound: int, t: Tables, v: View) -> int:
    """Whether a number lies in an interval; one whose double is shared by others is not decided near the bounds."""
    if not flags & IS_NUMBER:
        return NO
    number, lower, upper = v.numbers[spot(vertex)], t.bounds[spot(bound), 0], t.bounds[spot(bound), 1]
    if flags & IS_ROUGH:
        slack_lower = abs(lower) * 2.5e-7 + 1e-37 if np.isfinite(lower) else 0.0
        slack_upper = abs(upper) * 2.5e-7 + 1e-37 if np.isfinite(upper) else 0.0
        if number < lower - slack_lower or number > upper + slack_upper:
            return NO
        return YES if lower + slack_lower < number < upper - slack_upper else ASK_PYTHON
    if number < lower or number > upper:
        return NO
    ends = t.ends[spot(bound)]
    if (ends & LOWER_OPEN and number == lower) or (ends & UPPER_OPEN and number == upper):
        return NO
    return YES


@inner
def _passes_text(vertex: int, flags: int, needle: int, t: Tables, v: View) -> int:
    """CONTAINS, STRSTARTS, STRENDS on UTF-8: no character begins inside another, so bytes decide."""
    if not flags & IS_TEXT:
        return NO
    at, length, operator = t.needles[spot(needle), 0], t.needles[spot(needle), 1], t.needles[spot(needle), 2]
    start, end = v.integers[spot(v.integers[AT_TEXTS] + vertex)], v.integers[spot(v.integers[AT_TEXTS] + vertex + 1)]
    if end - start < length:
        return NO
    first = end - length if operator == 2 else start
    last = start if operator == 1 else end - length
    for position in range(first, last + 1):
        k = 0
        while k < length and v.texts[spot(position + k)] == t.needle_bytes[spot(at + k)]:
            k += 1
        if k == length:
            return YES
    return NO


@inner
def _keep_fitting(kind: int, value: int, base: int, t: Tables, v: View, domain: Any) -> int:
    """Take away the candidates that fail a test of their value; ASK_PYTHON if one is kept without being sure."""
    answer = YES
    flags = v.integers[AT_FLAGS]
    for w in range(v.words):
        left = domain[spot(base + w)]
        while left:
            bit = lowest_bit(left)
            left &= left - _ONE
            vertex = (w << 6) + bit
            own = v.integers[spot(flags + vertex)]
            if kind == _INTERVAL:
                fits = _in_interval(vertex, own, value, t, v)
            else:
                fits = _passes_text(vertex, own, value, t, v)
            if fits == NO:
                domain[spot(base + w)] &= ~(_ONE << np.uint64(bit))
            elif fits == ASK_PYTHON:
                answer = ASK_PYTHON
    return answer


@inner
def _start(shape: int, t: Tables, v: View, m: Marks, domain: Any) -> bool:
    """Each vertex of the pattern may be whatever its path from home leads to."""
    vertex_at = shape + SHAPE_HEADER
    for number in range(t.shapes[spot(shape + SHAPE_VERTICES)]):
        node = t.shapes[spot(vertex_at + number * VERTEX_WIDTH + VERTEX_NODE)]
        if m.nodes[spot(node), 0] != v.epoch:
            return False
        mask = np.int64(m.nodes[spot(node), 1]) * v.words
        for w in range(v.words):
            domain[spot(number * v.words + w)] = v.node_masks[spot(mask + w)]
    return True


@inner
def domains_of(slot: int, judged: bool, true_masks: Any, t: Tables, v: View, m: Marks, domain: Any) -> int:
    """NO if a vertex has no candidate; else YES, or ASK_PYTHON if some candidate is not sure to pass its test.

    `true_masks` holds for each predicate the vertices on which it is true, and counts if `judged`.
    """
    shape, at = np.int64(t.slots[spot(slot), SLOT_SHAPE]), np.int64(t.slots[spot(slot), SLOT_PARAMETERS])
    if not _start(shape, t, v, m, domain):
        return NO
    answer = YES
    test_at = shape + SHAPE_HEADER + t.shapes[spot(shape + SHAPE_VERTICES)] * VERTEX_WIDTH
    for test in range(t.shapes[spot(shape + SHAPE_TESTS)]):
        own = np.int64(t.shapes[spot(test_at + test)])
        base, kind = (own >> TEST_KINDS) * v.words, own & TEST_KIND_MASK
        value = np.int64(t.parameters[spot(at + test)])
        if kind <= _CONSTANT:
            if m.labels[spot(value), 0] != v.epoch:
                return NO
            mask = np.int64(m.labels[spot(value), 1]) * v.words
            for w in range(v.words):
                domain[spot(base + w)] &= v.label_masks[spot(mask + w)]
        elif kind == _PREDICATE:
            if judged:
                mask = np.int64(m.predicates[spot(value), 1]) * v.words
                for w in range(v.words):
                    domain[spot(base + w)] &= true_masks[spot(mask + w)]
        elif _keep_fitting(kind, value, base, t, v, domain) == ASK_PYTHON:
            answer = ASK_PYTHON
        some = _ZERO
        for w in range(v.words):
            some |= domain[spot(base + w)]
        if not some:
            return NO
    return answer
