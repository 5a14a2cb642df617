"""BEBV compiled: is there one mapping of a whole pattern? Exact search over sets of event vertices as bits.

The paper (section 5.5) multiplies out Boolean expressions over vertex pairs; their disjuncts are the mappings that
this search visits one by one. Rule 4 (one image per vertex) holds by construction, rule 5 (distinct images) is the
mask of used resources, and only where the subscription is injective. The search is plain backtracking along the
pattern's spanning tree; one that does not end within a few hundred steps goes on in `consistency`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.graph.kernels.consistency import search_consistently
from semantic_pubsub.matching.graph.kernels.events import leads_to, row_of, tree_row_of
from semantic_pubsub.matching.graph.layout import (
    CHORD_INTO,
    CHORD_LOOP,
    CHORD_WIDTH,
    COUNT_STEPS,
    FLAG_INJECTIVE,
    NO,
    SHAPE_CHORD_AT,
    SHAPE_EXTRA_AT,
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

__all__ = ["exists"]

_PLAIN_STEPS = 200
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@inner
def _through_chords(base: int, chord: int, count: int, t: Tables, v: View, m: Marks, image: Any, work: Any) -> None:
    """Keep the candidates whose arcs to and from earlier vertices are there."""
    for _ in range(count):
        direction, other, prop = t.shapes[spot(chord)], np.int64(t.shapes[spot(chord + 1)]), t.shapes[spot(chord + 2)]
        chord += CHORD_WIDTH
        if direction == CHORD_INTO:
            row = row_of(prop, image[spot(other)], v, m)
            for w in range(v.words):
                work[spot(base + w)] = work[spot(base + w)] & v.targets[spot(row * v.words + w)] if row >= 0 else _ZERO
            continue
        for w in range(v.words):
            left = work[spot(base + w)]
            while left:
                bit = lowest_bit(left)
                left &= left - _ONE
                own = (w << 6) + bit
                if not leads_to(prop, own, own if direction == CHORD_LOOP else np.int64(image[spot(other)]), v, m):
                    work[spot(base + w)] &= ~(_ONE << np.uint64(bit))


@inner
def _candidates(
    step: int, at: int, shape: int, t: Tables, v: View, m: Marks, domain: Any, image: Any, used: Any, work: Any
) -> None:
    """What the vertex of a step may map to, given the images of all before it."""
    number = np.int64(t.shapes[spot(at + STEP_VERTEX)])
    base, own = step * v.words, number * v.words
    if number:
        vertex = shape + SHAPE_HEADER + number * VERTEX_WIDTH
        row = tree_row_of(
            t.shapes[spot(vertex + VERTEX_PROPERTY)], image[spot(t.shapes[spot(vertex + VERTEX_PARENT)])], v, m
        )
        for w in range(v.words):
            work[spot(base + w)] = (
                domain[spot(own + w)] & v.targets[spot(row * v.words + w)] & ~used[spot(w)] if row >= 0 else _ZERO
            )
    else:
        for w in range(v.words):
            work[spot(base + w)] = domain[spot(w)]
    count = t.shapes[spot(at + STEP_CHORD_COUNT)]
    if count:
        chord = shape + t.shapes[spot(shape + SHAPE_CHORD_AT)] + t.shapes[spot(at + STEP_CHORDS)] * CHORD_WIDTH
        _through_chords(base, chord, count, t, v, m, image, work)


@inner
def _keep_extendable(shape: int, vertices: int, t: Tables, v: View, m: Marks, domain: Any) -> bool:
    """From the leaves up, keep the candidates from which every tree arc leads on; False if a vertex has none left."""
    for number in range(vertices - 1, 0, -1):
        vertex = shape + SHAPE_HEADER + number * VERTEX_WIDTH
        parent, prop = np.int64(t.shapes[spot(vertex + VERTEX_PARENT)]), t.shapes[spot(vertex + VERTEX_PROPERTY)]
        some = _ZERO
        for w in range(v.words):
            left = domain[spot(parent * v.words + w)]
            while left:
                bit = lowest_bit(left)
                left &= left - _ONE
                row = tree_row_of(prop, (w << 6) + bit, v, m)
                common = _ZERO
                if row >= 0:
                    for x in range(v.words):
                        common |= v.targets[spot(row * v.words + x)] & domain[spot(number * v.words + x)]
                if not common:
                    domain[spot(parent * v.words + w)] &= ~(_ONE << np.uint64(bit))
            some |= domain[spot(parent * v.words + w)]
        if not some:
            return False
    return True


@inner
def exists(shape: int, budget: int, t: Tables, v: View, m: Marks, domain: Any, image: Any, used: Any, work: Any) -> int:
    """YES, NO or GIVEN_UP: whether one mapping takes each vertex from its domain and respects every arc."""
    vertices = np.int64(t.shapes[spot(shape + SHAPE_VERTICES)])
    if not _keep_extendable(shape, vertices, t, v, m, domain):
        return NO
    last = np.int64(t.shapes[spot(shape + SHAPE_STEPS)])
    injective = t.shapes[spot(shape + SHAPE_FLAGS)] & FLAG_INJECTIVE
    if last == 1 and t.shapes[spot(shape + SHAPE_CHORD_AT)] == t.shapes[spot(shape + SHAPE_EXTRA_AT)]:
        return YES  # a tree: what is extendable at home extends to a whole mapping
    first = shape + SHAPE_HEADER + vertices * VERTEX_WIDTH + t.shapes[spot(shape + SHAPE_TESTS)]
    for w in range(v.words):
        used[spot(w)] = _ZERO
    step, tried = 0, 0
    _candidates(0, first, shape, t, v, m, domain, image, used, work)
    while True:
        base = step * v.words
        w = 0
        while w < v.words and not work[spot(base + w)]:
            w += 1
        if w == v.words:  # no candidate is left: go back
            step -= 1
            if step < 0:
                t.counts[COUNT_STEPS] += tried
                return NO
            if injective:
                back = image[spot(t.shapes[spot(first + step * STEP_WIDTH)])]
                used[spot(back >> 6)] &= ~(_ONE << np.uint64(back & 63))
            continue
        bit = lowest_bit(work[spot(base + w)])
        work[spot(base + w)] &= work[spot(base + w)] - _ONE
        tried += 1
        if tried > _PLAIN_STEPS or (budget and tried > budget):
            t.counts[COUNT_STEPS] += tried
            return search_consistently(shape, budget, t, v, m, domain)
        image[spot(t.shapes[spot(first + step * STEP_WIDTH)])] = (w << 6) + bit
        step += 1
        if step == last:
            t.counts[COUNT_STEPS] += tried
            return YES
        if injective:
            used[spot(w)] |= (_ONE << np.uint64(bit)) & v.resources[spot(w)]
        _candidates(step, first + step * STEP_WIDTH, shape, t, v, m, domain, image, used, work)
