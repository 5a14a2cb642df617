"""Section 1.4 of the paper: an event through the poset (algorithm 1) and through the index (algorithm 2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, ints, longs
from semantic_pubsub.matching.arrays.bits import fetch, spot
from semantic_pubsub.matching.arrays.compiling import entry, inner, rare
from semantic_pubsub.matching.flat.hmacd_layout import (
    BUCKET,
    COVER_COUNTS,
    ENTRIES,
    ENTRY_BOUNDS,
    ENTRY_BOUNDS_WIDTH,
    ENTRY_NODE,
    ENTRY_SECOND,
    ENTRY_SLOT,
    ENTRY_VIEW,
    ENTRY_WIDTH,
    HEAD_BLOCK,
    HEAD_BOUNDS,
    HEAD_COUNT,
    HEAD_WIDTH,
    HEADS,
    MEMBER_NEXT,
    MEMBER_WIDTH,
    MEMBERS,
    N_LOOKED_AT,
    N_PROPOSED,
    NODE_CHILDREN,
    NODE_LEFT,
    NODE_MEMBER,
    NODE_MEMBERS,
    NODE_RUN,
    NODE_STAMP,
    NODE_START,
    NODE_WIDTH,
    NODES,
    ROOF,
    SHELF_COUNT,
    SHELF_START,
    SHELF_WIDTH,
    SHELVES,
    SPAN_BOUNDS,
    SPAN_VIEWS,
    VIEW_POINTS,
    VIEW_SEEN,
    VIEW_SHELF,
)
from semantic_pubsub.matching.flat.kernels.board import Board, board_of, clear_board, hide, holds, show, spread
from semantic_pubsub.matching.flat.kernels.covering.relations import widen
from semantic_pubsub.matching.flat.kernels.covering.shelves import find_points
from semantic_pubsub.matching.flat.layout import (
    COLUMN_RANGE,
    COLUMN_VIEWS,
    COUNTS,
    ITEM_VIEWS,
    N_EVENTS,
    N_STAMP,
    OUT,
    RECORD_COLUMN,
    SIGHT,
    TOUCHED,
    VIEW_ATTR,
    VIEW_NEXT,
    VIEW_WIDTH,
    WORK_BIT,
    WORK_WIDTH,
)

__all__ = ["match_covering", "match_coverings"]

_ONE = np.uint64(1)
_NOTHING = np.uint64(0)


# algorithm 1


@inner
def _holds_all(a: Any, node: int, first: int, shown: bool, b: Board) -> bool:
    """Whether an event satisfies the predicates of a node that do not follow from its parent's, from one on."""
    nodes, views, bounds = ints(a, NODES), ints(a, SPAN_VIEWS), doubles(a, SPAN_BOUNDS)
    start = np.int64(nodes[spot(node * NODE_WIDTH + NODE_START)])
    for k in range(start + first, start + nodes[spot(node * NODE_WIDTH + NODE_LEFT)]):
        if shown:
            seen = b.sight[spot(views[spot(k)])]
            if not (bounds[spot(2 * k)] <= seen and seen <= bounds[spot(2 * k + 1)]):
                return False
        elif not holds(b.spans[spot(k)], False, b):
            return False
    return True


@inner
def _give_out(a: Any, node: int, out: Any, found: int) -> int:
    """All subscriptions that a node stands for."""
    nodes, members = ints(a, NODES), ints(a, MEMBERS)
    slot = np.int64(nodes[spot(node * NODE_WIDTH + NODE_MEMBER)])
    out[spot(found)] = slot
    for k in range(1, nodes[spot(node * NODE_WIDTH + NODE_MEMBERS)]):
        slot = np.int64(members[spot(slot * MEMBER_WIDTH + MEMBER_NEXT)])
        out[spot(found + k)] = slot
    return found + nodes[spot(node * NODE_WIDTH + NODE_MEMBERS)]


@rare
def _fill_below(a: Any, node: int, shown: bool, count: int, found: int) -> tuple[int, int]:
    """Put the children of a node that the event satisfies into the bucket, if their two predicates hold; those of which
    there is nothing else to know are given out. All of them into the bucket, if there is nothing to see."""
    nodes, entries, bounds, sight = ints(a, NODES), ints(a, ENTRIES), doubles(a, ENTRY_BOUNDS), doubles(a, SIGHT)
    bucket, out = ints(a, BUCKET), ints(a, OUT)
    run, children = np.int64(nodes[spot(node * NODE_WIDTH + NODE_RUN)]), nodes[spot(node * NODE_WIDTH + NODE_CHILDREN)]
    for e in range(run, run + children):
        base, own = e * ENTRY_WIDTH, e * ENTRY_BOUNDS_WIDTH
        slot = entries[spot(base + ENTRY_SLOT)]
        bucket[spot(count)], out[spot(found)] = entries[spot(base + ENTRY_NODE)], slot
        seen, second = sight[spot(entries[spot(base + ENTRY_VIEW)])], sight[spot(entries[spot(base + ENTRY_SECOND)])]
        fits = shown & (bounds[spot(own)] <= seen) & (seen <= bounds[spot(own + 1)])
        fits &= (bounds[spot(own + 2)] <= second) & (second <= bounds[spot(own + 3)])
        found += fits & (slot >= 0)
        count += (fits & (slot < 0)) | (not shown)
    return count, found


# algorithm 2


@rare
def _fill(a: Any, shelf: int, number: float, count: int, found: int) -> tuple[int, int]:
    """Put what waits for a number into the bucket, if its second predicate holds, too; or give it out at once."""
    shelves, heads, of_head, bucket = ints(a, SHELVES), ints(a, HEADS), doubles(a, HEAD_BOUNDS), ints(a, BUCKET)
    entries, bounds, sight, out = ints(a, ENTRIES), doubles(a, ENTRY_BOUNDS), doubles(a, SIGHT), ints(a, OUT)
    start = np.int64(shelves[spot(shelf * SHELF_WIDTH + SHELF_START)])
    for head in range(start, start + shelves[spot(shelf * SHELF_WIDTH + SHELF_COUNT)]):
        if of_head[spot(2 * head)] > number:
            break
        if of_head[spot(2 * head + 1)] < number:
            continue
        block = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
        for e in range(block, block + heads[spot(head * HEAD_WIDTH + HEAD_COUNT)]):
            base, own = e * ENTRY_WIDTH, e * ENTRY_BOUNDS_WIDTH
            slot, seen = entries[spot(base + ENTRY_SLOT)], sight[spot(entries[spot(base + ENTRY_SECOND)])]
            bucket[spot(count)], out[spot(found)] = entries[spot(base + ENTRY_NODE)], slot
            fits = (bounds[spot(own)] <= number) & (number <= bounds[spot(own + 1)])
            fits &= (bounds[spot(own + 2)] <= seen) & (seen <= bounds[spot(own + 3)])
            found += fits & (slot >= 0)
            count += fits & (slot < 0)
    return count, found


@rare
def _fill_once(a: Any, shelf: int, number: float, stamp: int, count: int) -> int:
    """The same where an attribute may have several values: each node once, its second predicate not looked at."""
    shelves, heads, of_head, bucket = ints(a, SHELVES), ints(a, HEADS), doubles(a, HEAD_BOUNDS), ints(a, BUCKET)
    entries, bounds, stamps = ints(a, ENTRIES), doubles(a, ENTRY_BOUNDS), longs(a, NODE_STAMP)
    start = np.int64(shelves[spot(shelf * SHELF_WIDTH + SHELF_START)])
    for head in range(start, start + shelves[spot(shelf * SHELF_WIDTH + SHELF_COUNT)]):
        if of_head[spot(2 * head)] > number:
            break
        block = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
        for e in range(block, block + heads[spot(head * HEAD_WIDTH + HEAD_COUNT)]):
            node, own = entries[spot(e * ENTRY_WIDTH + ENTRY_NODE)], e * ENTRY_BOUNDS_WIDTH
            if bounds[spot(own)] <= number <= bounds[spot(own + 1)] and stamps[spot(node)] != stamp:
                stamps[spot(node)] = stamp
                bucket[spot(count)] = node
                count += 1
    return count


@inner
def _fill_from(
    a: Any, view: int, number: float, shown: bool, stamp: int, count: int, found: int
) -> tuple[int, int]:  # fmt: skip
    """What waits under a view in which the event shows a number: in its hash list, and in the interval tree (or in the
    list of an item)."""
    longs(a, VIEW_SEEN)[spot(view)] += 1
    shelf = np.int64(ints(a, VIEW_SHELF)[spot(view)])
    points = find_points(a, view, number) if ints(a, VIEW_POINTS)[spot(view)] else np.int64(-1)
    for _ in range(2):
        if points >= 0:
            if shown:
                count, found = _fill(a, points, number, count, found)
            else:
                count = _fill_once(a, points, number, stamp, count)
        points = shelf
    return count, found


@inner
def _fill_bucket(a: Any, records: Any, items: int, shown: bool, b: Board, stamp: int) -> tuple[int, int]:
    """Whatever waits under something that the event shows, on an attribute at or above the event's own."""
    touched, of_item, of_column, views = ints(a, TOUCHED), ints(a, ITEM_VIEWS), ints(a, COLUMN_VIEWS), b.views
    ranges, last, count, found = doubles(a, COLUMN_RANGE), len(touched) - 1, 0, 0
    for k in range(items):
        item = np.int64(touched[spot(last - k)])
        view = np.int64(of_item[spot(item)])
        while view >= 0:
            own = view * VIEW_WIDTH
            if b.attr_mask[spot(views[spot(own + VIEW_ATTR)])] & b.item_mask[spot(item)] != _NOTHING:
                count, found = _fill_from(a, view, 1.0, shown, stamp, count, found)
            view = np.int64(views[spot(own + VIEW_NEXT)])
    for r in range(len(records)):
        column = np.int64(records[r, RECORD_COLUMN])
        if column < 0:
            continue
        number, bit = b.numbers[spot(r), 0], _ONE << np.uint64(b.work[spot(r * WORK_WIDTH + WORK_BIT)])
        widen(ranges, column, number)
        view = np.int64(of_column[spot(column)])
        while view >= 0:
            own = view * VIEW_WIDTH
            if b.attr_mask[spot(views[spot(own + VIEW_ATTR)])] & bit != _NOTHING:
                count, found = _fill_from(a, view, number, shown, stamp, count, found)
            view = np.int64(views[spot(own + VIEW_NEXT)])
    return count, found


@inner
def _fetch_ahead(nodes: Any, bucket: Any, at: int, views: Any, bounds: Any, entries: Any, children: Any) -> None:
    """Ask for the memory of nodes that come soon: they lie anywhere. Beyond the last there are old ones: no harm."""
    fetch(nodes, np.int64(bucket[spot(at + 12)]) * NODE_WIDTH)
    node = np.int64(bucket[spot(at + 6)]) * NODE_WIDTH
    start, run = np.int64(nodes[spot(node + NODE_START)]), max(np.int64(nodes[spot(node + NODE_RUN)]), 0)
    fetch(views, start)
    fetch(bounds, 2 * start)
    fetch(bounds, 2 * start + 8)
    fetch(entries, run * ENTRY_WIDTH)
    fetch(children, run * ENTRY_BOUNDS_WIDTH)
    fetch(children, run * ENTRY_BOUNDS_WIDTH + 8)


@rare
def _match(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    nodes, out, bucket = ints(a, NODES), ints(a, OUT), ints(a, BUCKET)
    views, bounds, entries, children = (
        ints(a, SPAN_VIEWS), doubles(a, SPAN_BOUNDS), ints(a, ENTRIES), doubles(a, ENTRY_BOUNDS)
    )  # fmt: skip
    counts, own = longs(a, COUNTS), longs(a, COVER_COUNTS)
    state = np.zeros(2, np.int64)
    shown = not spread(a, records, extra, state)
    b = board_of(a, numbers)
    if shown:
        show(a, records, b.numbers, state[1])
    counts[N_STAMP] += 1
    # step 2 of the paper, first here: nodes of the index may have children in the poset
    count, found = _fill_bucket(a, records, state[1], shown, b, counts[N_STAMP])
    own[N_PROPOSED] += count + found
    # step 1: the roots, and whatever is below a node that the event satisfies
    own[N_LOOKED_AT] += nodes[ROOF * NODE_WIDTH + NODE_CHILDREN]
    count, found = _fill_below(a, np.int64(ROOF), shown, count, found)
    at, first = 0, 2 if shown else 0
    while at < count:
        _fetch_ahead(nodes, bucket, at, views, bounds, entries, children)
        node = np.int64(bucket[spot(at)])
        at += 1
        if _holds_all(a, node, first, shown, b):
            found = _give_out(a, node, out, found)
            if nodes[spot(node * NODE_WIDTH + NODE_CHILDREN)]:
                own[N_LOOKED_AT] += nodes[spot(node * NODE_WIDTH + NODE_CHILDREN)]
                count, found = _fill_below(a, node, shown, count, found)
    if shown:
        hide(a, records, state[1])
    counts[N_EVENTS] += 1
    clear_board(a, records, state)
    return found


@entry
def match_covering(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    """Write the slots that an event satisfies to OUT and give their number."""
    return _match(a, records, numbers, extra)


@entry
def match_coverings(
    a: Any, records: Any, numbers: Any, extra: Any, ends: Any, first: int, found: Any, found_ends: Any
) -> int:  # fmt: skip
    """The same for many events, from the given one on: the records of the n-th end at ends[n + 1], its slots in `found`
    at found_ends[n + 1]. Gives the number of the first event for which there is no room in `found`."""
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
