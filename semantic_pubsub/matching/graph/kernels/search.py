"""BEBV compiled: is there one mapping of a whole pattern? Exact search over sets of event vertices as bits.

The paper (section 5.5) multiplies out Boolean expressions over vertex pairs; their disjuncts are the mappings that
this search visits one by one. Rule 4 (one image per vertex) holds by construction, rule 5 (distinct images) is the
mask of used resources, and only where the subscription is injective. The search is plain backtracking along the
pattern's spanning tree; one that does not end within a few hundred steps goes on in `consistency`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.graph.kernels.bits import lowest_bit
from semantic_pubsub.matching.graph.kernels.compiling import inner
from semantic_pubsub.matching.graph.kernels.consistency import search_consistently
from semantic_pubsub.matching.graph.kernels.events import leads_to, row_of
from semantic_pubsub.matching.graph.layout import (
    CHORD_INTO,
    CHORD_LOOP,
    CHORD_WIDTH,
    COUNT_STEPS,
    FLAG_INJECTIVE,
    NO,
    SHAPE_CHORD_AT,
    SHAPE_FLAGS,
    SHAPE_VERTEX_AT,
    SHAPE_VERTICES,
    VERTEX_CHORD_COUNT,
    VERTEX_CHORDS,
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
def _through_chords(number: int, shape: int, vertex: int, t: Tables, v: View, m: Marks, image: Any, work: Any) -> None:
    """Keep the candidates whose arcs to and from earlier vertices are there."""
    base = number * v.words
    chord = shape + t.shapes[shape + SHAPE_CHORD_AT] + t.shapes[vertex + VERTEX_CHORDS] * CHORD_WIDTH
    for _ in range(t.shapes[vertex + VERTEX_CHORD_COUNT]):
        direction, other, prop = t.shapes[chord], np.int64(t.shapes[chord + 1]), t.shapes[chord + 2]
        chord += CHORD_WIDTH
        if direction == CHORD_INTO:
            row = row_of(prop, image[other], v, m)
            for w in range(v.words):
                work[base + w] = work[base + w] & v.targets[row * v.words + w] if row >= 0 else _ZERO
            continue
        for w in range(v.words):
            left = work[base + w]
            while left:
                bit = lowest_bit(left)
                left &= left - _ONE
                own = (w << 6) + bit
                if not leads_to(prop, own, own if direction == CHORD_LOOP else np.int64(image[other]), v, m):
                    work[base + w] &= ~(_ONE << np.uint64(bit))


@inner
def _candidates(
    number: int, shape: int, t: Tables, v: View, m: Marks, domain: Any, image: Any, used: Any, work: Any
) -> None:
    """What vertex `number` may map to, given the images of all before it."""
    vertex = shape + t.shapes[shape + SHAPE_VERTEX_AT] + number * VERTEX_WIDTH
    base = number * v.words
    if number:
        row = row_of(t.shapes[vertex + VERTEX_PROPERTY], image[t.shapes[vertex + VERTEX_PARENT]], v, m)
        for w in range(v.words):
            work[base + w] = domain[base + w] & v.targets[row * v.words + w] & ~used[w] if row >= 0 else _ZERO
    else:
        for w in range(v.words):
            work[base + w] = domain[base + w]
    if t.shapes[vertex + VERTEX_CHORD_COUNT]:
        _through_chords(number, shape, vertex, t, v, m, image, work)


@inner
def exists(shape: int, budget: int, t: Tables, v: View, m: Marks, domain: Any, image: Any, used: Any, work: Any) -> int:
    """YES, NO or GIVEN_UP: whether one mapping takes each vertex from its domain and respects every arc."""
    vertices = np.int64(t.shapes[shape + SHAPE_VERTICES])
    injective = t.shapes[shape + SHAPE_FLAGS] & FLAG_INJECTIVE
    for w in range(v.words):
        used[w] = _ZERO
    number = 0
    steps = 0
    _candidates(0, shape, t, v, m, domain, image, used, work)
    while True:
        base = number * v.words
        w = 0
        while w < v.words and not work[base + w]:
            w += 1
        if w == v.words:  # no candidate is left: go back
            number -= 1
            if number < 0:
                t.counts[COUNT_STEPS] += steps
                return NO
            if injective:
                back = image[number]
                used[back >> 6] &= ~(_ONE << np.uint64(back & 63))
            continue
        bit = lowest_bit(work[base + w])
        work[base + w] &= work[base + w] - _ONE
        steps += 1
        if steps > _PLAIN_STEPS or (budget and steps > budget):
            t.counts[COUNT_STEPS] += steps
            return search_consistently(shape, budget, t, v, m, domain)
        image[number] = (w << 6) + bit
        number += 1
        if number == vertices:
            t.counts[COUNT_STEPS] += steps
            return YES
        if injective:
            used[w] |= (_ONE << np.uint64(bit)) & v.resources[w]
        _candidates(number, shape, t, v, m, domain, image, used, work)
