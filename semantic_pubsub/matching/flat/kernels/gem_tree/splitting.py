"""What happens to a bucket that overflows: its slots are parted by the most popular axis (MoveSubs, algorithm 2)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints
from semantic_pubsub.matching.arrays.bits import lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import entry, inner, rare
from semantic_pubsub.matching.flat.gem_layout import (
    BOXES,
    CAPACITY,
    HITS_WIDTH,
    LEAST,
    N_CUTS,
    N_WANTED,
    NODE_CAPACITY,
    NODE_WIDTH,
    PENDING,
    ROOT,
    SAMPLE_WIDTH,
    SAMPLED,
    TRIANGLE,
    VISITS,
)
from semantic_pubsub.matching.flat.kernels.gem_tree.inserting import best_fork, is_overflowing, least_wish, settle_in
from semantic_pubsub.matching.flat.kernels.gem_tree.nodes import charge, has_room, new_fork, new_node, own_cost
from semantic_pubsub.matching.flat.kernels.gem_tree.tree import (
    REFINABLE,
    Tree,
    axis_of,
    axis_on_path,
    child_at,
    fork_of,
    item_rate,
    place_of,
    pred_on,
    presence,
    range_on_path,
    rate_at,
    tree_of,
    wish,
)
from semantic_pubsub.matching.flat.kernels.pivots import take_row
from semantic_pubsub.matching.flat.layout import (
    BUCKET_COUNT,
    BUCKET_START,
    BUCKET_WIDTH,
    ROW_WIDTH,
    ROWS,
    SLOT_BUCKET,
    SLOT_COUNT,
    SLOT_START,
    SLOT_WIDTH,
    VIEW_WHAT,
    VIEW_WIDTH,
)

__all__ = ["dispersion", "open_fork", "relieve"]

_OPENING = 5.0  # what it costs to come to a cell, in looks at a slot
_VISIT = 2.0  # and to a fork
_MOST_PENDING = 64
_MOST_VISITS = 1 << 16
_WORTH_GOING = 0.8  # a cell that more of the events come to is no better than the bucket
_ONE = np.uint64(1)


@rare
def relieve(a: Any, node: int, adjusted: bool) -> bool:
    """Split a node until it and what comes out of it overflow no more; False if a table must grow first. What is not
    remembered then, or because there is too much of it, is split when the next slot comes there."""
    t = tree_of(a)
    t.own[PENDING] = -1
    pending, left = np.empty(_MOST_PENDING, np.int64), 1
    pending[0] = node
    while left:
        node = pending[left - 1]
        if not is_overflowing(t, node):
            left -= 1
            continue
        count = np.int64(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)])
        if not has_room(a, t, count):
            t.own[PENDING], t.own[N_WANTED] = node, count
            return False
        moved = _split(a, t, node)
        if len(moved) == 0:
            moved = _drain(a, t, node, adjusted)
        left_here = np.int64(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)])
        t.nodes[spot(node * NODE_WIDTH + NODE_CAPACITY)] = CAPACITY if left_here <= CAPACITY else 2 * left_here
        for k in range(len(moved)):
            child = np.int64(t.slots[spot(moved[k] * SLOT_WIDTH + SLOT_BUCKET)])
            if is_overflowing(t, child) and pending[left - 1] != child and left < _MOST_PENDING:
                pending[left] = child
                left += 1
    return True


@inner
def _slots_in(a: Any, t: Tree, node: int) -> Any:
    """The slots of a bucket."""
    rows = ints(a, ROWS)
    start = np.int64(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_START)])
    slots = np.empty(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)], np.int64)
    for k in range(len(slots)):
        slot = np.int64(rows[spot((start + k) * ROW_WIDTH)])
        slots[k] = slot if slot >= 0 else ~slot
    return slots


@inner
def _axes_in(a: Any, t: Tree, node: int, slots: Any) -> tuple[Any, Any, Any]:
    """What the slots of a node could be parted by: axes in order, and for each the slot and its predicate."""
    total = 0
    for k in range(len(slots)):
        total += t.slots[spot(slots[k] * SLOT_WIDTH + SLOT_COUNT)]
    axes, owners, preds = np.empty(total, np.int64), np.empty(total, np.int64), np.empty(total, np.int64)
    n = 0
    for k in range(len(slots)):
        start = np.int64(t.slots[spot(slots[k] * SLOT_WIDTH + SLOT_START)])
        most = min(1.0, least_wish(a, slots[k], node))
        for place in range(start, start + t.slots[spot(slots[k] * SLOT_WIDTH + SLOT_COUNT)]):
            pred = np.int64(t.spans[spot(place)])
            axis = axis_of(t, pred)
            if pred == pred_on(t, slots[k], axis) and wish(a, node, axis, pred) <= most:
                axes[n], owners[n], preds[n] = axis, slots[k], pred
                n += 1
    order = np.argsort(axes[:n])
    return axes[:n][order], owners[:n][order], preds[:n][order]


@inner
def _split(a: Any, t: Tree, node: int) -> Any:
    """Part the slots of a node by the axes by which something is gained, most first, until there are few enough; gives
    those that moved."""
    axes, owners, preds = _axes_in(a, t, node, _slots_in(a, t, node))
    cuts, hits = np.empty(N_CUTS, np.float64), np.empty(HITS_WIDTH, np.int32)
    firsts, gains, runs, first = np.empty(len(axes) + 1, np.int64), np.empty(len(axes), np.float64), 0, 0
    while first < len(axes):
        last = first + 1
        while last < len(axes) and axes[last] == axes[first]:
            last += 1
        gains[runs] = _gain(a, node, axes[first], preds[first:last], cuts, hits)
        firsts[runs] = first
        runs += 1
        first = last
    firsts[runs] = len(axes)
    moved, count = np.empty(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)], np.int64), 0
    order = np.argsort(-gains[:runs])
    for k in range(runs):
        first, last = firsts[order[k]], firsts[order[k] + 1]
        if gains[order[k]] <= 0.0 or (k and t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)] <= CAPACITY):
            break
        left = 0  # those that did not move by an axis before
        for n in range(first, last):
            if t.slots[spot(owners[n] * SLOT_WIDTH + SLOT_BUCKET)] == node:
                owners[first + left], preds[first + left] = owners[n], preds[n]
                left += 1
        if _gain(a, node, axes[first], preds[first : first + left], cuts, hits) > 0.0:
            _move(a, t, node, axes[first], owners[first : first + left], cuts, hits)
            for n in range(first, first + left):
                moved[count] = owners[n]
                count += 1
    return moved[:count]


@rare
def _gain(a: Any, node: int, axis: int, preds: Any, cuts: Any, hits: Any) -> float:
    """How many looks at a slot an event is spared if these predicates part their slots."""
    t = tree_of(a)
    if len(preds) < LEAST:
        return -1.0
    if axis < 0:
        return _gain_of_items(t, preds)
    low, high = -np.inf, np.inf
    if axis_on_path(t, node, axis) == REFINABLE:
        low, high = range_on_path(t, node, axis)
    if not _choose_cuts(t, preds, low, high, cuts):
        return -1.0
    _guess_hits(t, axis, low, high, cuts, hits)
    return _gain_of_cells(t, preds, cuts, hits)


@inner
def _gain_of_items(t: Tree, preds: Any) -> float:
    gain, before = -_VISIT, np.int64(-1)
    items = np.sort(preds)  # who asks for the same item shares the predicate
    for k in range(len(items)):
        view = np.int64(t.pred_view[spot(items[k])])
        rate = item_rate(t, np.int64(t.views[spot(view * VIEW_WIDTH + VIEW_WHAT)]))
        gain += 1.0 - rate
        if items[k] != before:
            gain -= _OPENING * rate
        before = items[k]
    return gain


@inner
def _gain_of_cells(t: Tree, preds: Any, cuts: Any, hits: Any) -> float:
    gain, opened = -_VISIT, np.uint64(0)
    for k in range(len(preds)):
        column, row = _cell_between(t, preds[k], cuts)
        gain += 1.0 - _rate(hits, column, row)
        opened |= _ONE << np.uint64(row * BOXES + column)
    while opened:
        cell = lowest_bit(opened)
        opened &= opened - _ONE
        gain -= _OPENING * _rate(hits, cell % BOXES, cell // BOXES)
    return gain


@inner
def _cell_between(t: Tree, pred: int, cuts: Any) -> tuple[int, int]:
    column, row = 0, 0
    for k in range(N_CUTS):
        column += cuts[k] <= t.lower[spot(pred)]
        row += cuts[k] <= t.upper[spot(pred)]
    return column, max(column, row)


@inner
def _rate(hits: Any, column: int, row: int) -> float:
    count = 0
    for box in range(column, row + 1):
        count += hits[box]
    return count / hits[VISITS]


@inner
def _choose_cuts(t: Tree, preds: Any, low: float, high: float, cuts: Any) -> bool:
    """Cuts at what the bounds themselves divide: each where few are different, else with as many between any two."""
    bounds, n = np.empty(2 * len(preds), np.float64), 0
    for k in range(len(preds)):
        for bound in (t.lower[spot(preds[k])], np.nextafter(t.upper[spot(preds[k])], np.inf)):
            if low < bound < high:
                bounds[n] = bound
                n += 1
    bounds = np.sort(bounds[:n])
    different = 0
    for k in range(n):
        different += k == 0 or bounds[k] != bounds[k - 1]
    cuts[:] = np.inf
    chosen = 0
    for k in range(n):
        if k and bounds[k] == bounds[k - 1]:
            continue
        if different <= N_CUTS or k * BOXES // n > chosen:
            cuts[chosen] = bounds[k]
            chosen += 1
    return chosen > 0


@inner
def _guess_hits(t: Tree, axis: int, low: float, high: float, cuts: Any, hits: Any) -> None:
    """How events will lie in the boxes: as the last ones did, of which little is known at first."""
    hits[:] = 0
    for box in range(BOXES):
        if box == 0 or cuts[box - 1] < np.inf:
            hits[box] = 1
            hits[VISITS] += 1
    column = ~np.int64(t.views[spot(axis * VIEW_WIDTH + VIEW_WHAT)])
    base = column * SAMPLE_WIDTH
    for k in range(1, min(SAMPLED, np.int64(t.sample[spot(base)])) + 1):
        number = t.sample[spot(base + k)]
        if low <= number < high:
            box = 0
            for cut in range(N_CUTS):
                box += cuts[cut] <= number
            hits[box] += 1
            hits[VISITS] += 1
    hits[VISITS] = np.int32(min(_MOST_VISITS, hits[VISITS] / presence(t, column)))


@inner
def _move(a: Any, t: Tree, node: int, axis: int, moved: Any, cuts: Any, hits: Any) -> None:
    """Move slots of a node to its fork on an axis; if they wish for one only now, it may be there already."""
    fork = fork_of(t, node, axis)
    if fork < 0:
        fork = _fork_with(t, node, axis, cuts, hits)
    for k in range(len(moved)):  # steps 1 to 5
        _go_by(a, moved[k], node, fork, place_of(t, fork, pred_on(t, moved[k], axis)))


@inner
def _fork_with(t: Tree, node: int, axis: int, cuts: Any, hits: Any) -> int:
    fork = new_fork(t, node, axis)
    for k in range(N_CUTS):
        t.cuts[spot(fork * N_CUTS + k)] = cuts[k]
    for k in range(HITS_WIDTH):
        t.hits[spot(fork * HITS_WIDTH + k)] = hits[k]
    return fork


@rare
def _go_by(a: Any, slot: int, node: int, fork: int, cell: int) -> None:
    """Move a slot from a node to a cell of one of its forks."""
    t = tree_of(a)
    charge(t, node, -own_cost(t, slot, node), -1)
    take_row(a, slot)  # step 7
    child = child_at(t, fork, cell)
    settle_in(a, slot, child if child >= 0 else new_node(t, fork, cell))  # step 6


@inner
def _drain(a: Any, t: Tree, node: int, adjusted: bool) -> Any:
    """Let slots that wished for a better fork than there is go by those that there are; gives those that went."""
    slots, count = _slots_in(a, t, node), 0
    for k in range(len(slots)):
        slot = slots[k]
        fork, cell = best_fork(a, slot, node, 1.0, adjusted)
        if fork < 0 or rate_at(t, fork, cell) > _WORTH_GOING:
            continue
        _go_by(a, slot, node, fork, cell)
        slots[count] = slot
        count += 1
    return slots[:count]


# the global adjustment


@entry
def dispersion(a: Any, preds: Any) -> float:
    """d of the paper: the standard deviation of how many predicates lie in each cell of an axis."""
    t = tree_of(a)
    counts = np.zeros(BOXES * BOXES, np.float64)
    cuts = np.empty(N_CUTS, np.float64)
    _choose_cuts(t, preds, -np.inf, np.inf, cuts)
    for k in range(len(preds)):
        column, row = _cell_between(t, preds[k], cuts)
        counts[row * BOXES + column] += 1.0
    total, squares = 0.0, 0.0
    for row in range(BOXES):
        for column in range(row + 1):
            total += counts[row * BOXES + column]
            squares += counts[row * BOXES + column] ** 2
    return math.sqrt(max(0.0, squares / TRIANGLE - (total / TRIANGLE) ** 2))


@entry
def open_fork(a: Any, axis: int, slots: Any) -> None:
    """Give the root a fork for the slots that wish for it, if there are enough: its cells follow the bounds of all."""
    t = tree_of(a)
    preds, count = np.empty(len(slots), np.int64), 0
    for k in range(len(slots)):
        pred = pred_on(t, slots[k], axis)
        if wish(a, ROOT, axis, pred) <= min(1.0, least_wish(a, slots[k], ROOT)):
            preds[count] = pred
            count += 1
    if count < LEAST:
        return
    cuts, hits = np.full(N_CUTS, np.inf), np.zeros(HITS_WIDTH, np.int32)
    if axis >= 0:
        if not _choose_cuts(t, preds[:count], -np.inf, np.inf, cuts):
            return
        _guess_hits(t, axis, -np.inf, np.inf, cuts, hits)
    _fork_with(t, ROOT, axis, cuts, hits)
