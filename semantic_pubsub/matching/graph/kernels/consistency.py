"""The hard cases of the search: arc consistency, and whether all different images can exist at all.

Finding a pattern in an event is NP-hard. Plain backtracking is fastest where it ends soon; where it does not, keeping
all domains consistent with each other after every choice cuts off what cannot work: a tree without distinctness is
then decided without any search, twelve twins asked of eleven by one matching.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.graph.kernels.distinctness import all_different_possible, keep_distinct, population
from semantic_pubsub.matching.graph.kernels.events import leads_to, row_of
from semantic_pubsub.matching.graph.layout import (
    CHORD_INTO,
    CHORD_OUT,
    CHORD_WIDTH,
    COUNT_STEPS,
    FLAG_INJECTIVE,
    GIVEN_UP,
    NO,
    SHAPE_CHORD_AT,
    SHAPE_FLAGS,
    SHAPE_HEADER,
    SHAPE_STEPS,
    SHAPE_TESTS,
    SHAPE_VERTICES,
    STEP_CHORD_COUNT,
    STEP_CHORDS,
    STEP_VERTEX,
    STEP_WIDTH,
    VERTEX_PARENT,
    VERTEX_PROPERTY,
    VERTEX_WIDTH,
    YES,
    Marks,
    Tables,
    View,
)

__all__ = ["search_consistently"]

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@inner
def _supported(subject: int, prop: int, value: int, own: int, v: View, m: Marks, domain: Any, reached: Any) -> bool:
    """Whether an arc leads from one candidate of the subject to a candidate of the object; notes which it reaches."""
    if subject == value:
        if leads_to(prop, own, own, v, m):
            reached[spot(own >> 6)] |= _ONE << np.uint64(own & 63)
            return True
        return False
    row = row_of(prop, own, v, m)
    supported = False
    if row >= 0:
        for w in range(v.words):
            common = v.targets[spot(row * v.words + w)] & domain[spot(value * v.words + w)]
            if common:
                supported = True
                reached[spot(w)] |= common
    return supported


@inner
def _narrow(subject: int, prop: int, value: int, v: View, m: Marks, domain: Any, reached: Any) -> bool:
    """Make two domains agree on one arc; whether anything was taken away."""
    changed = False
    for w in range(v.words):
        reached[spot(w)] = _ZERO
    for w in range(v.words):
        left = domain[spot(subject * v.words + w)]
        while left:
            bit = lowest_bit(left)
            left &= left - _ONE
            if not _supported(subject, prop, value, (w << 6) + bit, v, m, domain, reached):
                domain[spot(subject * v.words + w)] &= ~(_ONE << np.uint64(bit))
                changed = True
    for w in range(v.words):
        if domain[spot(value * v.words + w)] & ~reached[spot(w)]:
            domain[spot(value * v.words + w)] &= reached[spot(w)]
            changed = True
    return changed


@inner
def _narrow_all(shape: int, t: Tables, v: View, m: Marks, domain: Any, reached: Any) -> bool:
    """Every arc of the pattern once."""
    changed = False
    for number in range(1, t.shapes[spot(shape + SHAPE_VERTICES)]):
        vertex = shape + SHAPE_HEADER + number * VERTEX_WIDTH
        parent = np.int64(t.shapes[spot(vertex + VERTEX_PARENT)])
        changed |= _narrow(parent, t.shapes[spot(vertex + VERTEX_PROPERTY)], number, v, m, domain, reached)
    chord_at = shape + t.shapes[spot(shape + SHAPE_CHORD_AT)]
    step_at = _step_at(shape, t)
    for step in range(t.shapes[spot(shape + SHAPE_STEPS)]):
        at = step_at + step * STEP_WIDTH
        for chord in range(t.shapes[spot(at + STEP_CHORD_COUNT)]):
            entry = chord_at + (t.shapes[spot(at + STEP_CHORDS)] + chord) * CHORD_WIDTH
            subject = value = np.int64(t.shapes[spot(at + STEP_VERTEX)])
            if t.shapes[spot(entry)] == CHORD_INTO:
                subject = np.int64(t.shapes[spot(entry + 1)])
            elif t.shapes[spot(entry)] == CHORD_OUT:
                value = np.int64(t.shapes[spot(entry + 1)])
            changed |= _narrow(subject, t.shapes[spot(entry + 2)], value, v, m, domain, reached)
    return changed


@inner
def _step_at(shape: int, t: Tables) -> int:
    tests = np.int64(t.shapes[spot(shape + SHAPE_TESTS)])
    return shape + SHAPE_HEADER + t.shapes[spot(shape + SHAPE_VERTICES)] * VERTEX_WIDTH + tests


@inner
def _consistent(shape: int, t: Tables, v: View, m: Marks, domain: Any) -> bool:
    """Arc consistency to the fixpoint, and distinctness where it is asked for; False if nothing is left somewhere."""
    vertices = np.int64(t.shapes[spot(shape + SHAPE_VERTICES)])
    injective = t.shapes[spot(shape + SHAPE_FLAGS)] & FLAG_INJECTIVE
    reached = np.empty(v.words, np.uint64)
    changed = True
    while changed:
        changed = _narrow_all(shape, t, v, m, domain, reached)
        if injective:
            changed |= keep_distinct(vertices, v, domain)
        for number in range(vertices):
            if population(number, v.words, domain) == 0:
                return False
    return not injective or all_different_possible(vertices, v, domain)


@inner
def _open_vertex(shape: int, t: Tables, words: int, domain: Any) -> int:
    """The vertex with the fewest choices left among those that need a search, -1 if every one is settled."""
    best, fewest = -1, 1 << 62
    step_at = _step_at(shape, t)
    for step in range(t.shapes[spot(shape + SHAPE_STEPS)]):
        number = np.int64(t.shapes[spot(step_at + step * STEP_WIDTH)])
        choices = population(number, words, domain)
        if 1 < choices < fewest:
            best, fewest = number, choices
    return best


@rare
def search_consistently(shape: int, budget: int, t: Tables, v: View, m: Marks, domain: Any) -> int:
    """Backtracking that keeps all domains consistent; complete, and slow only where the problem is."""
    vertices = np.int64(t.shapes[spot(shape + SHAPE_VERTICES)])
    levels = np.empty((vertices + 1, vertices * v.words), np.uint64)
    for cell in range(vertices * v.words):
        levels[0, cell] = domain[spot(cell)]
    if not _consistent(shape, t, v, m, levels[0]):
        return NO
    choice = np.full(vertices + 1, -1, np.int64)
    choice[0] = _open_vertex(shape, t, v.words, levels[0])
    if choice[0] < 0:
        return YES
    depth = 0
    steps = 0
    while depth >= 0:
        current, base = levels[depth], choice[depth] * v.words
        w = 0
        while w < v.words and not current[base + w]:
            w += 1
        if w == v.words:
            depth -= 1
            continue
        steps += 1
        t.counts[COUNT_STEPS] += 1
        if budget and steps > budget:
            return GIVEN_UP
        bit = _ONE << np.uint64(lowest_bit(current[base + w]))
        following = levels[depth + 1]
        for cell in range(vertices * v.words):
            following[cell] = current[cell]
        for x in range(v.words):
            following[base + x] = _ZERO
        following[base + w] = bit
        current[base + w] &= ~bit
        if _consistent(shape, t, v, m, following):
            depth += 1
            choice[depth] = _open_vertex(shape, t, v.words, following)
            if choice[depth] < 0:
                return YES
    return NO
