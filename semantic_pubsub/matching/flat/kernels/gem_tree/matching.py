"""MatchEvent and CheckaNode (algorithms 3 and 4): first the nodes that an event comes to, then the slots in them.

No recursion: the nodes stand in a queue, each with whether all cells on the way were fully matched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semantic_pubsub.matching.arrays.addressed import bytes_of, doubles, ints
from semantic_pubsub.matching.arrays.bits import find, lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import entry, inner, rare
from semantic_pubsub.matching.flat.gem_layout import (
    AXES,
    BOXES,
    FORK_AXIS,
    FORK_NEXT,
    FORK_WIDTH,
    HITS_WIDTH,
    N_CERTAIN,
    N_INTERSECTED,
    NODE_DEPTH,
    NODE_FIRST,
    NODE_FORKS,
    NODE_WIDTH,
    ROOT,
    SAMPLE_WIDTH,
    SAMPLED,
    SEEN,
    SEEN_HEAD,
    SHOWS,
    TRIANGLE,
    VISITS,
)
from semantic_pubsub.matching.flat.kernels.board import (
    Board,
    board_of,
    clear_board,
    hide,
    holds,
    satisfied,
    show,
    spread,
)
from semantic_pubsub.matching.flat.kernels.gem_tree.tree import Tree, box_of, cell_place, fork_of, item_key, tree_of
from semantic_pubsub.matching.flat.layout import (
    AWAKE,
    BUCKET_COUNT,
    BUCKET_START,
    BUCKET_WIDTH,
    COLUMN_VIEWS,
    FIRSTS,
    ITEM_VIEWS,
    N_EVENTS,
    N_PREDS,
    N_SCANNED,
    OUT,
    RECORD_COLUMN,
    ROW_PREDS,
    ROW_WIDTH,
    ROWS,
    SIGHT,
    TOUCHED,
    TRUTH,
    VIEW_ATTR,
    VIEW_NEXT,
    VIEW_WHAT,
    VIEW_WIDTH,
    WORK_BIT,
    WORK_NEXT,
    WORK_WIDTH,
)

__all__ = ["match_event", "match_events"]

_ONE = np.uint64(1)
_NOTHING = np.uint64(0)
_BLOCK = 256  # slots that are looked at together
_WORTH_SHOWING = 32
_OLD = 1 << 20  # events: then what was learned of a fork counts half
_SEVERAL = -1


def _cells(inside: bool) -> Any:
    """For each box the cells in which a number there may lie, or those in which it surely does."""
    sets = [0] * BOXES
    for box in range(BOXES):
        for row in range(BOXES):
            for column in range(row + 1):
                if (column < box < row) if inside else (column <= box <= row):
                    sets[box] |= 1 << (row * BOXES + column)
    return np.array(sets, np.uint64)


_REACHED, _INSIDE = _cells(inside=False), _cells(inside=True)


class _Walk(NamedTuple):
    """The tables that say what the event at hand shows on each axis, and the queue of nodes."""

    shows: Any
    seen_head: Any
    seen: Any
    axes: Any
    queue: Any


# what the event shows


@inner
def _look(a: Any, t: Tree, w: _Walk, records: Any, items: int, b: Board) -> int:
    """Write down on which axes an event shows something, and learn how often; gives how many."""
    touched, of_item, of_column = ints(a, TOUCHED), ints(a, ITEM_VIEWS), ints(a, COLUMN_VIEWS)
    last, axes, noted = len(touched) - 1, 0, 0
    for k in range(items):
        item = np.int64(touched[spot(last - k)])
        t.item_seen[spot(item)] += 1
        view = np.int64(of_item[spot(item)])
        while view >= 0:
            attr = np.int64(t.views[spot(view * VIEW_WIDTH + VIEW_ATTR)])
            if b.attr_mask[spot(attr)] & b.item_mask[spot(item)]:
                before = w.seen_head[spot(attr)]
                if before == 0:
                    w.axes[spot(axes)] = ~attr
                    axes += 1
                w.seen[spot(2 * noted)], w.seen[spot(2 * noted + 1)] = item, before
                noted += 1
                w.seen_head[spot(attr)] = noted
            view = np.int64(t.views[spot(view * VIEW_WIDTH + VIEW_NEXT)])
    for r in range(len(records)):
        column = np.int64(records[r, RECORD_COLUMN])
        if column < 0:
            continue
        _learn(t, column, b.numbers[spot(r), 0])
        view, bit = np.int64(of_column[spot(column)]), np.uint64(b.work[spot(r * WORK_WIDTH + WORK_BIT)])
        while view >= 0:
            if b.attr_mask[spot(t.views[spot(view * VIEW_WIDTH + VIEW_ATTR)])] >> bit & _ONE:
                if w.shows[spot(view)] == 0:
                    w.axes[spot(axes)] = view
                    axes += 1
                    w.shows[spot(view)] = r + 1
                else:
                    w.shows[spot(view)] = _SEVERAL
            view = np.int64(t.views[spot(view * VIEW_WIDTH + VIEW_NEXT)])
    return axes


@inner
def _learn(t: Tree, column: int, number: float) -> None:
    """Keep the last numbers of each column."""
    base = column * SAMPLE_WIDTH
    known = np.int64(t.sample[spot(base)])
    t.sample[spot(base + 1 + known % SAMPLED)] = number
    t.sample[spot(base)] = known + 1


@inner
def _forget(w: _Walk, axes: int) -> None:
    for k in range(axes):
        axis = np.int64(w.axes[spot(k)])
        if axis >= 0:
            w.shows[spot(axis)] = 0
        else:
            w.seen_head[spot(~axis)] = 0


# the nodes that it comes to


@inner
def _come_to(t: Tree, w: _Walk, axes: int, b: Board) -> int:
    """Put all nodes that an event comes to into the queue, the root first; gives how many."""
    count, k = 1, 0
    w.queue[0] = ROOT << 1
    while k < count:
        entry = np.int64(w.queue[spot(k)])
        node, flag = entry >> 1, entry & 1
        k += 1
        forks = t.nodes[spot(node * NODE_WIDTH + NODE_FORKS)]
        if forks == 0:
            continue
        if forks <= 2 * axes:
            fork = np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_FIRST)])
            while fork >= 0:
                count = _pass(t, w, fork, flag, b, count)
                fork = np.int64(t.forks[spot(fork * FORK_WIDTH + FORK_NEXT)])
        else:  # step 2 of algorithm 3: for each attribute in the event
            for n in range(axes):
                fork = fork_of(t, node, np.int64(w.axes[spot(n)]))
                if fork >= 0:
                    count = _pass(t, w, fork, flag, b, count)
    return count


@inner
def _pass(t: Tree, w: _Walk, fork: int, flag: int, b: Board, count: int) -> int:
    """Queue the cells of a fork that the event matches fully or intersects."""
    axis = np.int64(t.forks[spot(fork * FORK_WIDTH + FORK_AXIS)])
    if axis < 0:
        place = np.int64(w.seen_head[spot(~axis)])
        while place > 0:
            node = find(t.keys, t.links, item_key(fork, np.int64(w.seen[spot(2 * place - 2)])))
            if node >= 0:
                t.own[N_CERTAIN] += 1
                w.queue[spot(count)] = node << 1 | flag
                count += 1
            place = np.int64(w.seen[spot(2 * place - 1)])
        return count
    hits = fork * HITS_WIDTH
    t.hits[spot(hits + VISITS)] += 1
    if t.hits[spot(hits + VISITS)] > _OLD:
        for k in range(HITS_WIDTH):
            t.hits[spot(hits + k)] >>= 1
    shown = np.int64(w.shows[spot(axis)])
    if shown == 0:
        return count
    reached, inside = _NOTHING, _NOTHING
    if shown > 0:
        box = box_of(t, fork, b.numbers[spot(shown - 1), 0])
        t.hits[spot(hits + box)] += 1
        reached, inside = _REACHED[spot(box)], _INSIDE[spot(box)]
    else:
        reached, inside = _boxes_of_several(t, fork, axis, b)
    reached &= t.taken[spot(fork)]
    while reached:
        cell = lowest_bit(reached)
        reached &= reached - _ONE
        crossed = np.int64(~inside >> np.uint64(cell) & _ONE)
        t.own[N_INTERSECTED] += crossed
        t.own[N_CERTAIN] += 1 - crossed
        w.queue[spot(count)] = np.int64(t.children[spot(fork * TRIANGLE + cell_place(cell))]) << 1 | flag | crossed
        count += 1
    return count


@inner
def _boxes_of_several(t: Tree, fork: int, axis: int, b: Board) -> tuple[Any, Any]:
    """The cells that some one of several numbers reaches, and those that one of them surely matches."""
    reached, inside = _NOTHING, _NOTHING
    mask = b.attr_mask[spot(t.views[spot(axis * VIEW_WIDTH + VIEW_ATTR)])]
    record = np.int64(b.heads[spot(~np.int64(t.views[spot(axis * VIEW_WIDTH + VIEW_WHAT)]))])
    while record >= 0:
        if mask >> np.uint64(b.work[spot(record * WORK_WIDTH + WORK_BIT)]) & _ONE:
            box = box_of(t, fork, b.numbers[spot(record), 0])
            t.hits[spot(fork * HITS_WIDTH + box)] += 1
            reached |= _REACHED[spot(box)]
            inside |= _INSIDE[spot(box)]
        record = np.int64(b.work[spot(record * WORK_WIDTH + WORK_NEXT)])
    return reached, inside


# the slots that it matches


@inner
def _check(a: Any, t: Tree, entry: int, shown: bool, b: Board, kept: Any, out: Any, found: int) -> int:
    """CheckaNode: what is not on the way, and what is where a cell was only intersected."""
    node = entry >> 1
    rows, firsts = ints(a, ROWS), ints(a, FIRSTS)
    start = np.int64(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_START)])
    end = start + np.int64(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)])
    first = 1 if entry & 1 else 1 + min(np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_DEPTH)]), ROW_PREDS)
    for block in range(start, end, _BLOCK):
        count = 0
        for row in range(block, min(block + _BLOCK, end)):  # no branch: whether the first holds cannot be foreseen
            kept[spot(count)] = row
            count += holds(firsts[spot(row)], shown, b)
        for k in range(count):
            at = np.int64(kept[spot(k)]) * ROW_WIDTH
            fits = True
            for p in range(first, ROW_WIDTH):
                if not holds(rows[spot(at + p)], shown, b):
                    fits = False
                    break
            if fits:
                found = _put(np.int64(rows[spot(at)]), shown, b, out, found)
    return found


@inner
def _put(slot: int, shown: bool, b: Board, out: Any, found: int) -> int:
    """Give a slot out, if what its row has no room for holds, too."""
    if slot < 0:
        slot = ~slot
        if not satisfied(slot, ROW_PREDS, shown, b):
            return found
    out[spot(found)] = slot
    return found + 1


@inner
def _check_known(a: Any, t: Tree, entry: int, truth: Any, b: Board, kept: Any, out: Any, found: int) -> int:
    """The same with what is known of all predicates: no branch that cannot be foreseen."""
    node = entry >> 1
    rows, firsts = ints(a, ROWS), ints(a, FIRSTS)
    start = np.int64(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_START)])
    end = start + np.int64(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)])
    depth = np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_DEPTH)])
    for block in range(start, end, _BLOCK):
        count = 0
        for row in range(block, min(block + _BLOCK, end)):
            kept[spot(count)] = row
            count += truth[spot(firsts[spot(row)])]
        for column in range(min(depth + 2, ROW_PREDS), min(depth + 4, ROW_WIDTH)):
            rest, count = count, 0
            for k in range(rest):
                row = np.int64(kept[spot(k)])
                kept[spot(count)] = row
                count += truth[spot(rows[spot(row * ROW_WIDTH + column)])]
        for k in range(count):
            at = np.int64(kept[spot(k)]) * ROW_WIDTH
            fits = truth[spot(rows[spot(at + 1)])] & truth[spot(rows[spot(at + 2)])] & truth[spot(rows[spot(at + 3)])]
            fits &= truth[spot(rows[spot(at + 4)])] & truth[spot(rows[spot(at + 5)])] & truth[spot(rows[spot(at + 6)])]
            fits &= truth[spot(rows[spot(at + 7)])]
            slot = np.int64(rows[spot(at)])
            if slot < 0:
                if fits:
                    found = _put(slot, False, b, out, found)
                continue
            out[spot(found)] = slot
            found += fits
    return found


@inner
def _judge_all(t: Tree, shown: bool, sight: Any, b: Board, truth: Any) -> None:
    """What is true of the event, for all predicates at once."""
    preds = t.counts[N_PREDS]
    if not shown:
        for pred in range(preds):
            truth[spot(pred)] = holds(pred, False, b)
        return
    lower, upper, view = t.lower, t.upper, t.pred_view
    for pred in range(preds):
        seen = sight[spot(view[spot(pred)])]
        truth[spot(pred)] = (lower[spot(pred)] <= seen) & (seen <= upper[spot(pred)])


@inner
def _check_nodes(
    a: Any, t: Tree, w: _Walk, records: Any, items: int, several: bool, b: Board, nodes: int
) -> int:  # fmt: skip
    """Look at the slots of all nodes in the queue; gives how many match."""
    out, kept, held = ints(a, OUT), np.empty(_BLOCK, np.int32), 0
    for k in range(nodes):
        held += t.buckets[spot((np.int64(w.queue[spot(k)]) >> 1) * BUCKET_WIDTH + BUCKET_COUNT)]
    t.counts[N_SCANNED] += held
    shown = not several and held >= _WORTH_SHOWING
    if shown:
        show(a, records, b.numbers, items)
    found = 0
    if 2 * held > t.counts[N_PREDS]:
        truth = bytes_of(a, TRUTH)
        _judge_all(t, shown, doubles(a, SIGHT), b, truth)
        for k in range(nodes):
            found = _check_known(a, t, np.int64(w.queue[spot(k)]), truth, b, kept, out, found)
    else:
        for k in range(nodes):
            found = _check(a, t, np.int64(w.queue[spot(k)]), shown, b, kept, out, found)
    if shown:
        hide(a, records, items)
    return found


@rare
def _match(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    t = tree_of(a)
    state = np.zeros(2, np.int64)
    several = spread(a, records, extra, state)
    b = board_of(a, numbers)
    w = _Walk(ints(a, SHOWS), ints(a, SEEN_HEAD), ints(a, SEEN), ints(a, AXES), ints(a, AWAKE))
    axes = _look(a, t, w, records, state[1], b)
    nodes = _come_to(t, w, axes, b)
    found = _check_nodes(a, t, w, records, state[1], several, b, nodes)
    t.counts[N_EVENTS] += 1
    _forget(w, axes)
    clear_board(a, records, state)
    return found


@entry
def match_event(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    """Write the slots that an event satisfies to OUT and give their number."""
    return _match(a, records, numbers, extra)


@entry
def match_events(
    a: Any, records: Any, numbers: Any, extra: Any, ends: Any, first: int, found: Any, found_ends: Any
) -> int:  # fmt: skip
    """The same for many events, from the given one on: the records of the n-th end at ends[n + 1], its slots in `found`
    at found_ends[n + 1]. Gives the number of the first event that was not matched: `found` must grow."""
    out, filled = ints(a, OUT), found_ends[first]
    for event in range(first, len(ends) - 1):
        start, end = ends[event], ends[event + 1]
        count = _match(a, records[start:end], numbers[start:end], extra)
        if filled + count > len(found):
            return event
        for k in range(count):
            found[spot(filled + k)] = out[spot(k)]
        filled += count
        found_ends[event + 1] = filled
    return len(ends) - 1
