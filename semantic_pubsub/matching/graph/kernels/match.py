"""One call per event: activate items, look at what waits under them (SBPV), search on what is left (BEBV)."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import borrowed, fetch, spot
from semantic_pubsub.matching.arrays.compiling import free_entry, inner, rare
from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.kernels.activation import activate
from semantic_pubsub.matching.graph.kernels.domains import domains_of
from semantic_pubsub.matching.graph.kernels.events import AT_FLAGS, VERTICES, arcs_of, grown, labels_of, push, union_of
from semantic_pubsub.matching.graph.kernels.search import exists
from semantic_pubsub.matching.graph.layout import (
    ASK_PYTHON,
    COUNT_CANDIDATES,
    COUNT_EPOCH,
    COUNT_EVENTS,
    COUNT_SCANNED,
    COUNT_WORDS,
    FLAG_JOINT,
    FLAG_PREDICATES,
    GIVEN_UP,
    IS_LITERAL,
    ITEM_HEAD,
    ITEM_SEEN,
    ITEM_WAITING,
    NO,
    SEGMENT_COUNT,
    SEGMENT_NEXT,
    SEGMENT_START,
    SHAPE_FLAGS,
    SHAPE_HEADER,
    SHAPE_TESTS,
    SHAPE_VERTICES,
    SLOT_OWNER,
    SLOT_PARAMETERS,
    SLOT_SHAPE,
    TEST_KIND_MASK,
    TEST_KINDS,
    VERTEX_WIDTH,
    Marks,
    Tables,
    View,
)

__all__ = ["ASKED", "FOUND", "NEEDED", "PENDING", "UNDECIDED", "match"]

FOUND, PENDING, ASKED, UNDECIDED, NEEDED = range(5)
"""The rows of the table of answers; `lengths` has an entry for each."""

_PREDICATE = int(Kind.PREDICATE)
_BATCH = 64  # candidates whose memory is asked for together
_LINE = 16  # integers in one line of the cache
_SHAPE_LINES = 5
_ONE = np.uint64(1)


@inner
def _resources(event: Any, words: int) -> Any:
    found = np.zeros(words, np.uint64)
    for vertex in range(event[VERTICES]):
        if not event[event[AT_FLAGS] + vertex] & IS_LITERAL:
            found[vertex >> 6] |= _ONE << np.uint64(vertex & 63)
    return found


@inner
def _all_active(row: int, t: Tables, v: View, m: Marks) -> bool:
    """SBPV: whatever else a row requires must be active too."""
    return (
        m.items[spot(t.rows[spot(row), 1])] == v.epoch
        and m.items[spot(t.rows[spot(row), 2])] == v.epoch
        and m.items[spot(t.rows[spot(row), 3])] == v.epoch
        and m.items[spot(t.rows[spot(row), 4])] == v.epoch
        and m.items[spot(t.rows[spot(row), 5])] == v.epoch
        and m.items[spot(t.rows[spot(row), 6])] == v.epoch
        and m.items[spot(t.rows[spot(row), 7])] == v.epoch
    )


@inner
def _put(kind: int, value: int, answers: Any, lengths: Any) -> None:
    answers[spot(kind), spot(lengths[spot(kind)])] = value
    lengths[spot(kind)] += 1


@inner
def _settle(slot: int, sure: int, found: int, t: Tables, v: View, m: Marks, answers: Any, lengths: Any) -> None:
    """Put a slot where its verdict belongs."""
    if found == NO:
        return
    if found == GIVEN_UP:
        _put(UNDECIDED, slot, answers, lengths)
    elif sure == ASK_PYTHON or t.shapes[spot(np.int64(t.slots[spot(slot), SLOT_SHAPE]) + SHAPE_FLAGS)] & FLAG_JOINT:
        _put(ASKED, slot, answers, lengths)
    else:
        owner = t.slots[spot(slot), SLOT_OWNER]
        if m.owners[spot(owner)] != v.epoch:
            m.owners[spot(owner)] = v.epoch
            _put(FOUND, owner, answers, lengths)


@inner
def _note_needed(slot: int, t: Tables, v: View, m: Marks, domain: Any, answers: Any, lengths: Any, needed: Any) -> Any:
    """Which predicates a pending slot needs, and on which vertices."""
    shape, at = np.int64(t.slots[spot(slot), SLOT_SHAPE]), np.int64(t.slots[spot(slot), SLOT_PARAMETERS])
    test_at = shape + SHAPE_HEADER + t.shapes[spot(shape + SHAPE_VERTICES)] * VERTEX_WIDTH
    for test in range(t.shapes[spot(shape + SHAPE_TESTS)]):
        own = np.int64(t.shapes[spot(test_at + test)])
        if own & TEST_KIND_MASK != _PREDICATE:
            continue
        predicate = np.int64(t.parameters[spot(at + test)])
        if m.predicates[spot(predicate), 0] != v.epoch:
            m.predicates[spot(predicate), 0] = v.epoch
            m.predicates[spot(predicate), 1] = lengths[NEEDED]
            _put(NEEDED, predicate, answers, lengths)
            needed = grown(needed, lengths[NEEDED] * v.words)
        mask = np.int64(m.predicates[spot(predicate), 1]) * v.words
        base = (own >> TEST_KINDS) * v.words
        for w in range(v.words):
            needed[spot(mask + w)] |= domain[spot(base + w)]
    return needed


@inner
def _pick(awake: Any, count: int, t: Tables, v: View, m: Marks) -> Any:
    """SBPV: of all rows that wait under active items, the slots whose other requirements are active too."""
    total = 0
    for k in range(count):
        total += t.items[spot(awake[spot(k)]), ITEM_WAITING]
    t.counts[COUNT_SCANNED] += total
    picked = np.empty(total, np.int64)
    found = 0
    for k in range(count):
        segment = np.int64(t.items[spot(awake[spot(k)]), ITEM_HEAD])
        while segment >= 0:
            start = np.int64(t.segments[spot(segment), SEGMENT_START])
            for row in range(start, start + t.segments[spot(segment), SEGMENT_COUNT]):
                if _all_active(row, t, v, m):
                    picked[spot(found)] = t.rows[spot(row), 0]
                    found += 1
            segment = np.int64(t.segments[spot(segment), SEGMENT_NEXT])
    t.counts[COUNT_CANDIDATES] += found
    return picked, found


@inner
def _fetch(picked: Any, first: int, last: int, t: Tables, m: Marks) -> None:
    """Ask for all that verifying some candidates will read: waiting for memory would take longer than verifying."""
    for k in range(first, last):
        fetch(t.slots, picked[spot(k)])
    for k in range(first, last):
        shape = np.int64(t.slots[spot(picked[spot(k)]), SLOT_SHAPE])
        fetch(m.owners, np.int64(t.slots[spot(picked[spot(k)]), SLOT_OWNER]))
        fetch(t.parameters, np.int64(t.slots[spot(picked[spot(k)]), SLOT_PARAMETERS]))
        for line in range(_SHAPE_LINES):
            fetch(t.shapes, shape + line * _LINE)


@inner
def _verify(
    picked: Any, candidates: int, largest: int, budget: int, t: Tables, v: View, m: Marks, answers: Any, lengths: Any
) -> Any:
    """BEBV: which of the candidates' patterns are in the event."""
    domain, work = np.empty(largest * v.words, np.uint64), np.empty(largest * v.words, np.uint64)
    image, used = np.empty(largest, np.int64), np.empty(v.words, np.uint64)
    needed = np.zeros(v.words, np.uint64)
    for k in range(candidates):
        if k % _BATCH == 0:
            _fetch(picked, k, min(k + _BATCH, candidates), t, m)
        slot = picked[spot(k)]
        if m.owners[spot(t.slots[spot(slot), SLOT_OWNER])] == v.epoch:
            continue  # another alternative was found already
        sure = domains_of(slot, False, needed, t, v, m, domain)
        if sure == NO:
            continue
        shape = np.int64(t.slots[spot(slot), SLOT_SHAPE])
        if t.shapes[spot(shape + SHAPE_FLAGS)] & FLAG_PREDICATES:
            needed = _note_needed(slot, t, v, m, domain, answers, lengths, needed)
            _put(PENDING, slot, answers, lengths)
        else:
            found = exists(shape, budget, t, v, m, domain, image, used, work)
            _settle(slot, sure, found, t, v, m, answers, lengths)
    return needed


@rare
def _judge(
    largest: int, budget: int, true_masks: Any, t: Tables, v: View, m: Marks, answers: Any, lengths: Any
) -> None:
    """Decide the pending slots of an earlier scan, now that the truth of their predicates is known."""
    domain, work = np.empty(largest * v.words, np.uint64), np.empty(largest * v.words, np.uint64)
    image, used = np.empty(largest, np.int64), np.empty(v.words, np.uint64)
    for k in range(lengths[FOUND]):
        m.owners[spot(answers[FOUND, spot(k)])] = v.epoch
    for k in range(lengths[PENDING]):
        slot = np.int64(answers[PENDING, spot(k)])
        sure = domains_of(slot, True, true_masks, t, v, m, domain)
        if sure != NO:
            found = exists(np.int64(t.slots[spot(slot), SLOT_SHAPE]), budget, t, v, m, domain, image, used, work)
            _settle(slot, sure, found, t, v, m, answers, lengths)


@free_entry
def match(
    event: Any, numbers: Any, texts: Any, closure: Any, largest: int, budget: int, judged: bool, true_masks: Any,
    proposed: Any,
    node_marks: Any, item_marks: Any, label_marks: Any, property_marks: Any, owner_marks: Any, predicate_marks: Any,
    awake: Any, answers: Any, lengths: Any,
    keys: Any, values: Any, nodes: Any, items: Any, orders: Any, segments: Any, rows: Any, slots: Any,
    shapes: Any, parameters: Any, bounds: Any, ends: Any, needles: Any, needle_bytes: Any, counts: Any,
) -> Any:  # fmt: skip
    """Fill `answers`: owners found, slots that need predicates, that Python must decide, that were given up.

    The candidates are those that SBPV lets pass, or the slots that somebody else `proposed` (then items stay asleep).
    With `judged` the pending slots of the call before are decided by `true_masks`. Gives the masks of vertices on
    which each needed predicate must be judged. (Arrays one by one: as tuples they take twice as long to pass.)
    """
    t = Tables(
        borrowed(keys), borrowed(values), borrowed(nodes), borrowed(items), borrowed(orders), borrowed(segments),
        borrowed(rows), borrowed(slots), borrowed(shapes), borrowed(parameters), borrowed(bounds), borrowed(ends),
        borrowed(needles), borrowed(needle_bytes), borrowed(counts),
    )  # fmt: skip
    m = Marks(
        borrowed(node_marks), borrowed(item_marks), borrowed(label_marks), borrowed(property_marks),
        borrowed(owner_marks), borrowed(predicate_marks),
    )  # fmt: skip
    epoch = counts[COUNT_EPOCH]
    size = np.int64(event[VERTICES])
    words = (size + 63) >> 6
    state = np.zeros(2 + size, np.int64)
    label_masks, links = labels_of(event, words, epoch, closure, m, state)
    reached_count, reached, node_masks = push(event, words, epoch, closure, t, m)
    relevant = union_of(node_masks, reached_count, words)
    adjacency, targets = arcs_of(event, words, epoch, closure, m, relevant)
    resources = _resources(event, words)
    v = View(
        borrowed(event), borrowed(numbers), borrowed(texts), size, words, epoch, borrowed(node_masks),
        borrowed(label_masks), borrowed(adjacency), borrowed(targets), borrowed(resources),
    )  # fmt: skip
    needed = true_masks
    if judged:
        _judge(largest, budget, true_masks, t, v, m, answers, lengths)
    else:
        if len(proposed):
            picked, candidates = proposed, len(proposed)
        else:
            count = activate(reached, reached_count, links, state, awake, t, v, m)
            counts[COUNT_EVENTS] += 1
            for k in range(count):
                items[awake[spot(k)], ITEM_SEEN] += 1
            picked, candidates = _pick(awake, count, t, v, m)
        if words == 1:  # most events: with this known, the compiler makes single words of all loops over words
            v = View(
                borrowed(event), borrowed(numbers), borrowed(texts), size, np.int64(1), epoch, borrowed(node_masks),
                borrowed(label_masks), borrowed(adjacency), borrowed(targets), borrowed(resources),
            )  # fmt: skip
            needed = _verify(picked, candidates, largest, budget, t, v, m, answers, lengths)
        else:
            needed = _verify(picked, candidates, largest, budget, t, v, m, answers, lengths)
    # What is borrowed must live until here: the last use of its owner decides.
    counts[COUNT_WORDS] = len(node_masks) + len(label_masks) + len(adjacency) + len(targets) + len(resources)
    return needed
