"""Where a subscription waits: EMS items made on demand, and their waiting lists.

The paper (section 5.2) puts every statement pattern of home into a waiting list and derives the others while an event
is traversed. Here a pattern's requirements are known when it is added: each is an item (path from home, label). The
pattern waits under one of them, the rarest in the events seen so far, and its row names the next seven, so that most
of what cannot match is dismissed by looking at one row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import borrowed
from semantic_pubsub.matching.arrays.compiling import entry, inner
from semantic_pubsub.matching.graph.kernels.requirements import MOST_REQUIREMENTS, requirements_of
from semantic_pubsub.matching.graph.layout import (
    COUNT_EVENTS,
    COUNT_FREE,
    COUNT_ROWS,
    COUNT_SEGMENTS,
    ITEM_BORN,
    ITEM_HEAD,
    ITEM_LABEL,
    ITEM_SEEN,
    ITEM_USES,
    ITEM_WAITING,
    LABEL_BOUND,
    LABEL_CELL,
    LABEL_EXISTS,
    LABEL_POINT,
    LABEL_TEXT,
    LARGEST_SEGMENT,
    ROW_WIDTH,
    SEGMENT_CAPACITY,
    SEGMENT_COUNT,
    SEGMENT_NEXT,
    SEGMENT_START,
    SLOT_ITEM,
    SLOT_OWNER,
    SLOT_ROW,
    Tables,
)

__all__ = ["file_slots", "release_slot"]

_PRIOR_WEIGHT = 8.0
_WORTH_MOVING = 0.7


@inner
def _likelihood(item: int, t: Tables) -> float:
    """How often the item is active in an event: what was seen, and a guess that fades."""
    label = t.items[item, ITEM_LABEL]
    if label == LABEL_EXISTS:
        guess = 0.9
    elif label < LABEL_POINT:
        guess = 0.3
    elif label < LABEL_CELL:
        guess = 0.02
    elif label < LABEL_TEXT:
        guess = 0.1
    elif label < LABEL_BOUND:
        guess = 0.05
    else:
        guess = 0.5
    events = t.counts[COUNT_EVENTS] - t.items[item, ITEM_BORN]
    crowd = 0.05 * t.items[item, ITEM_WAITING] / (t.items[item, ITEM_WAITING] + 100.0)
    return (t.items[item, ITEM_SEEN] + _PRIOR_WEIGHT * (guess + crowd)) / (events + _PRIOR_WEIGHT)


@inner
def _rank(capacity: int) -> int:
    rank = 0
    while 1 << rank < capacity:
        rank += 1
    return rank


@inner
def _place(item: int, t: Tables) -> int:
    """A free row at the end of an item's waiting list: a chain of segments, each twice as long as the one before."""
    head = np.int64(t.items[item, ITEM_HEAD])
    if head < 0 or t.segments[head, SEGMENT_COUNT] == t.segments[head, SEGMENT_CAPACITY]:
        capacity = 1 if head < 0 else min(2 * np.int64(t.segments[head, SEGMENT_CAPACITY]), LARGEST_SEGMENT)
        free = COUNT_FREE + _rank(capacity)
        fresh = t.counts[free]
        if fresh >= 0:
            t.counts[free] = t.segments[fresh, SEGMENT_NEXT]
        else:
            fresh = t.counts[COUNT_SEGMENTS]
            t.counts[COUNT_SEGMENTS] += 1
            t.segments[fresh, SEGMENT_START] = t.counts[COUNT_ROWS]
            t.segments[fresh, SEGMENT_CAPACITY] = capacity
            t.counts[COUNT_ROWS] += capacity
        t.segments[fresh, SEGMENT_COUNT] = 0
        t.segments[fresh, SEGMENT_NEXT] = head
        t.items[item, ITEM_HEAD] = fresh
        head = fresh
    row = np.int64(t.segments[head, SEGMENT_START]) + t.segments[head, SEGMENT_COUNT]
    t.segments[head, SEGMENT_COUNT] += 1
    t.items[item, ITEM_WAITING] += 1
    return row


@inner
def _drop_row(slot: int, t: Tables) -> None:
    """Take a slot's row out of its waiting list; the list's last row moves into its place."""
    row, item = np.int64(t.slots[slot, SLOT_ROW]), np.int64(t.slots[slot, SLOT_ITEM])
    head = np.int64(t.items[item, ITEM_HEAD])
    last = np.int64(t.segments[head, SEGMENT_START]) + t.segments[head, SEGMENT_COUNT] - 1
    if last != row:
        for column in range(ROW_WIDTH):
            t.rows[row, column] = t.rows[last, column]
        t.slots[t.rows[row, 0], SLOT_ROW] = row
    t.segments[head, SEGMENT_COUNT] -= 1
    t.items[item, ITEM_WAITING] -= 1
    if t.segments[head, SEGMENT_COUNT] == 0:
        t.items[item, ITEM_HEAD] = t.segments[head, SEGMENT_NEXT]
        free = COUNT_FREE + _rank(t.segments[head, SEGMENT_CAPACITY])
        t.segments[head, SEGMENT_NEXT] = t.counts[free]
        t.counts[free] = head
    t.slots[slot, SLOT_ROW] = -1


@inner
def _sort_by_weight(found: Any, weight: Any, count: int) -> None:
    """Insertion sort of a few items, the rarest first."""
    for i in range(1, count):
        w, f = weight[i], found[i]
        j = i - 1
        while j >= 0 and weight[j] > w:
            weight[j + 1], found[j + 1] = weight[j], found[j]
            j -= 1
        weight[j + 1], found[j + 1] = w, f


@inner
def _chosen(slot: int, found: Any, weight: Any, count: int, t: Tables) -> int:
    """Which of the sorted requirements a filed slot should wait under: the rarest, if moving there is worth it."""
    current = np.int64(t.slots[slot, SLOT_ITEM])
    if found[0] != current and weight[0] > _WORTH_MOVING * _likelihood(current, t):
        for i in range(count):
            if found[i] == current:
                return i
    return 0


@inner
def _write_row(slot: int, found: Any, count: int, chosen: int, t: Tables) -> None:
    item = found[chosen]
    row = _place(item, t)
    t.rows[row, 0] = slot
    filled = 1
    for i in range(count):
        if i != chosen and filled < ROW_WIDTH:
            t.rows[row, filled] = found[i]
            filled += 1
    for column in range(filled, ROW_WIDTH):
        t.rows[row, column] = item  # active whenever the row is looked at
    t.slots[slot, SLOT_ROW] = row
    t.slots[slot, SLOT_ITEM] = item


@inner
def _file_slot(slot: int, fresh: bool, found: Any, weight: Any, t: Tables) -> None:
    count = requirements_of(slot, found, t)
    for i in range(count):
        weight[i] = _likelihood(found[i], t)
        if fresh:
            t.items[found[i], ITEM_USES] += 1
    _sort_by_weight(found, weight, count)
    chosen = 0
    if not fresh:
        chosen = _chosen(slot, found, weight, count, t)
        _drop_row(slot, t)
    _write_row(slot, found, count, chosen, t)


@entry
def file_slots(
    which: Any, fresh: bool, keys: Any, values: Any, nodes: Any, items: Any, orders: Any, segments: Any,
    rows: Any, slots: Any, shapes: Any, parameters: Any, bounds: Any, ends: Any, needles: Any, needle_bytes: Any,
    counts: Any,
) -> int:  # fmt: skip
    """File slots under their rarest requirement; those that are filed already move only if that is worth it.

    Ends early where the table of rows must grow first; gives how many slots were looked at.
    """
    t = Tables(
        borrowed(keys), borrowed(values), borrowed(nodes), borrowed(items), borrowed(orders), borrowed(segments),
        borrowed(rows), borrowed(slots), borrowed(shapes), borrowed(parameters), borrowed(bounds), borrowed(ends),
        borrowed(needles), borrowed(needle_bytes), borrowed(counts),
    )  # fmt: skip
    found = np.empty(MOST_REQUIREMENTS, np.int64)
    weight = np.empty(MOST_REQUIREMENTS, np.float64)
    for k in range(len(which)):
        if counts[COUNT_ROWS] + LARGEST_SEGMENT > len(rows):
            return k
        slot = which[k]
        if slots[slot, SLOT_OWNER] >= 0 and fresh == (slots[slot, SLOT_ROW] < 0):  # never twice
            _file_slot(slot, fresh, found, weight, t)
    return len(which)


@entry
def release_slot(
    slot: int, keys: Any, values: Any, nodes: Any, items: Any, orders: Any, segments: Any,
    rows: Any, slots: Any, shapes: Any, parameters: Any, bounds: Any, ends: Any, needles: Any, needle_bytes: Any,
    counts: Any,
) -> None:  # fmt: skip
    """Forget where a slot waits and what it required."""
    t = Tables(
        borrowed(keys), borrowed(values), borrowed(nodes), borrowed(items), borrowed(orders), borrowed(segments),
        borrowed(rows), borrowed(slots), borrowed(shapes), borrowed(parameters), borrowed(bounds), borrowed(ends),
        borrowed(needles), borrowed(needle_bytes), borrowed(counts),
    )  # fmt: skip
    found = np.empty(MOST_REQUIREMENTS, np.int64)
    if slots[slot, SLOT_ROW] >= 0:  # else it was added, and not yet filed
        for i in range(requirements_of(slot, found, t)):
            items[found[i], ITEM_USES] -= 1
        _drop_row(slot, t)
    slots[slot, SLOT_OWNER] = -1
