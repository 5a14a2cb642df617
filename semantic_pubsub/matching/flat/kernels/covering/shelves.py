"""The index of HMACD: lists by hash for equalities, interval trees for ranges, both made of shelves.

A shelf is an interval tree of two levels: entries by their lower bound, then the upper one, in blocks of at most 64;
over them heads, each with the least lower and the greatest upper bound of its block. A list is a shelf whose entries
all have the same bounds. Wide nodes, because entries that lie together are looked at without a branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, ints, longs, words
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.flat.hmacd_layout import (
    BLOCK_CLASS,
    BLOCK_ROOM,
    COVER_COUNTS,
    ENTRIES,
    ENTRY_BOUNDS,
    ENTRY_BOUNDS_WIDTH,
    ENTRY_GROUPS,
    ENTRY_NODE,
    ENTRY_SLOT,
    ENTRY_VIEW,
    ENTRY_WIDTH,
    FREE_BLOCKS,
    FREE_SHELF,
    FREE_TREES,
    HEAD_BLOCK,
    HEAD_BOUNDS,
    HEAD_CLASS,
    HEAD_COUNT,
    HEAD_WIDTH,
    HEADS,
    LARGEST_TREE,
    N_ENTRIES,
    N_HEADS,
    N_POINTS,
    N_SHELVES,
    NODE_BOUNDS,
    NODE_CHILDREN,
    NODE_GROUPS,
    NODE_LEFT,
    NODE_MEMBER,
    NODE_MEMBERS,
    NODE_PARENT,
    NODE_PLACE,
    NODE_RUN,
    NODE_SHELF,
    NODE_START,
    NODE_WIDTH,
    NODES,
    NOTHING,
    POINTS,
    SHELF_COUNT,
    SHELF_KEY,
    SHELF_NEXT,
    SHELF_ROOM,
    SHELF_START,
    SHELF_VIEW,
    SHELF_WIDTH,
    SHELVES,
    SPAN_BOUNDS,
    SPAN_VIEWS,
    VIEW_POINTS,
    VIEW_SHELF,
)
from semantic_pubsub.matching.flat.kernels.covering.relations import number_key
from semantic_pubsub.matching.flat.layout import ALWAYS

__all__ = [
    "copy_entry",
    "find_points",
    "give_run",
    "insert_entry",
    "mark_entry",
    "remove_entry",
    "shelf_for",
    "take_run",
    "write_entry",
]


@inner
def take_run(a: Any, table: int, width: int, first: int, total: int, size: int) -> int:
    """A run of a power of two: one that was given back, or new."""
    counts = longs(a, COVER_COUNTS)
    start = counts[first + size]
    if start >= 0:
        counts[first + size] = np.int64(ints(a, table)[spot(start * width)])
        return start
    start = counts[total]
    counts[total] = start + (np.int64(1) << np.int64(size))
    return start


@inner
def give_run(a: Any, table: int, width: int, first: int, start: int, size: int) -> None:
    counts = longs(a, COVER_COUNTS)
    ints(a, table)[spot(start * width)] = counts[first + size]
    counts[first + size] = start


@inner
def copy_entry(a: Any, target: int, source: int) -> None:
    entries, bounds = ints(a, ENTRIES), doubles(a, ENTRY_BOUNDS)
    for k in range(ENTRY_WIDTH):
        entries[spot(target * ENTRY_WIDTH + k)] = entries[spot(source * ENTRY_WIDTH + k)]
    for k in range(ENTRY_BOUNDS_WIDTH):
        bounds[spot(target * ENTRY_BOUNDS_WIDTH + k)] = bounds[spot(source * ENTRY_BOUNDS_WIDTH + k)]
    words(a, ENTRY_GROUPS)[spot(target)] = words(a, ENTRY_GROUPS)[spot(source)]


@inner
def _copy_head(a: Any, target: int, source: int) -> None:
    heads, bounds = ints(a, HEADS), doubles(a, HEAD_BOUNDS)
    for k in range(HEAD_WIDTH):
        heads[spot(target * HEAD_WIDTH + k)] = heads[spot(source * HEAD_WIDTH + k)]
    for k in range(2):
        bounds[spot(target * 2 + k)] = bounds[spot(source * 2 + k)]


@inner
def _is_before(a: Any, at: int, lower: float, upper: float, node: int) -> bool:
    """Whether an entry comes before another in the order of a shelf."""
    bounds = doubles(a, ENTRY_BOUNDS)
    low, high = bounds[spot(at * ENTRY_BOUNDS_WIDTH)], bounds[spot(at * ENTRY_BOUNDS_WIDTH + 1)]
    if low != lower:
        return low < lower
    if high != upper:
        return high < upper
    return ints(a, ENTRIES)[spot(at * ENTRY_WIDTH + ENTRY_NODE)] < node


@inner
def _head_of(a: Any, shelf: int, lower: float, upper: float, node: int) -> int:
    """The last head whose first entry is not behind another, which so belongs into its block."""
    shelves, heads = ints(a, SHELVES), ints(a, HEADS)
    start = np.int64(shelves[spot(shelf * SHELF_WIDTH + SHELF_START)])
    low, high = start, start + np.int64(shelves[spot(shelf * SHELF_WIDTH + SHELF_COUNT)])
    while high - low > 1:
        middle = (low + high) // 2
        if _is_before(a, np.int64(heads[spot(middle * HEAD_WIDTH + HEAD_BLOCK)]), lower, upper, node + 1):
            low = middle
        else:
            high = middle
    return low


@inner
def _place_in(a: Any, head: int, lower: float, upper: float, node: int) -> int:
    """How many entries of a block come before another."""
    heads = ints(a, HEADS)
    block = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
    low, high = np.int64(0), np.int64(heads[spot(head * HEAD_WIDTH + HEAD_COUNT)])
    while low < high:
        middle = (low + high) // 2
        if _is_before(a, block + middle, lower, upper, node):
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _bound(a: Any, head: int) -> None:
    """Find the bounds of a block anew."""
    heads, of_head, bounds = ints(a, HEADS), doubles(a, HEAD_BOUNDS), doubles(a, ENTRY_BOUNDS)
    block = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
    of_head[spot(2 * head)] = bounds[spot(block * ENTRY_BOUNDS_WIDTH)]
    most = -np.inf
    for e in range(block, block + heads[spot(head * HEAD_WIDTH + HEAD_COUNT)]):
        most = max(most, bounds[spot(e * ENTRY_BOUNDS_WIDTH + 1)])
    of_head[spot(2 * head + 1)] = most


@inner
def _move_block(a: Any, head: int, size: int) -> None:
    """Another room for the entries of a block."""
    heads = ints(a, HEADS)
    old = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
    block = take_run(a, ENTRIES, ENTRY_WIDTH, FREE_BLOCKS, N_ENTRIES, size)
    for k in range(heads[spot(head * HEAD_WIDTH + HEAD_COUNT)]):
        copy_entry(a, block + k, old + k)
    give_run(a, ENTRIES, ENTRY_WIDTH, FREE_BLOCKS, old, np.int64(heads[spot(head * HEAD_WIDTH + HEAD_CLASS)]))
    heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)] = block
    heads[spot(head * HEAD_WIDTH + HEAD_CLASS)] = size


@rare
def _open_head(a: Any, shelf: int, place: int, size: int) -> int:
    """A head with an empty block, as the n-th of a shelf."""
    shelves, counts = ints(a, SHELVES), longs(a, COVER_COUNTS)
    base = shelf * SHELF_WIDTH
    start, count = np.int64(shelves[spot(base + SHELF_START)]), np.int64(shelves[spot(base + SHELF_COUNT)])
    room = np.int64(shelves[spot(base + SHELF_ROOM)])
    if count == np.int64(1) << room:
        wider = take_run(a, HEADS, HEAD_WIDTH, FREE_TREES, N_HEADS, room + 1)
        for k in range(count):
            _copy_head(a, wider + k, start + k)
        give_run(a, HEADS, HEAD_WIDTH, FREE_TREES, start, room)
        start = wider
        shelves[spot(base + SHELF_START)] = wider
        shelves[spot(base + SHELF_ROOM)] = room + 1
        counts[LARGEST_TREE] = max(counts[LARGEST_TREE], room + 1)
    for k in range(count, place, -1):
        _copy_head(a, start + k, start + k - 1)
    shelves[spot(base + SHELF_COUNT)] = count + 1
    heads = ints(a, HEADS)
    head = start + place
    heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)] = take_run(a, ENTRIES, ENTRY_WIDTH, FREE_BLOCKS, N_ENTRIES, size)
    heads[spot(head * HEAD_WIDTH + HEAD_COUNT)] = 0
    heads[spot(head * HEAD_WIDTH + HEAD_CLASS)] = size
    return head


@rare
def _split(a: Any, shelf: int, head: int) -> None:
    """Let the second half of a full block be a block of its own."""
    heads, half = ints(a, HEADS), BLOCK_ROOM // 2
    place = head - np.int64(ints(a, SHELVES)[spot(shelf * SHELF_WIDTH + SHELF_START)])
    new = _open_head(a, shelf, place + 1, BLOCK_CLASS)
    first, second = (
        np.int64(heads[spot((new - 1) * HEAD_WIDTH + HEAD_BLOCK)]),
        np.int64(heads[spot(new * HEAD_WIDTH + HEAD_BLOCK)]),
    )
    for k in range(half):
        copy_entry(a, second + k, first + half + k)
    heads[spot((new - 1) * HEAD_WIDTH + HEAD_COUNT)] = half
    heads[spot(new * HEAD_WIDTH + HEAD_COUNT)] = half
    _bound(a, new - 1)
    _bound(a, new)


@inner
def _mark(a: Any, at: int, node: int) -> None:
    """Write down the slot of a node if there is nothing else to know of it."""
    nodes, own = ints(a, NODES), node * NODE_WIDTH
    is_plain = nodes[spot(own + NODE_MEMBERS)] == 1 and nodes[spot(own + NODE_CHILDREN)] == 0
    is_plain &= nodes[spot(own + NODE_LEFT)] <= 2
    ints(a, ENTRIES)[spot(at * ENTRY_WIDTH + ENTRY_SLOT)] = nodes[spot(own + NODE_MEMBER)] if is_plain else NOTHING


@rare
def mark_entry(a: Any, node: int) -> None:
    """The same wherever the node waits, after members or children came or went."""
    nodes, bounds = ints(a, NODES), doubles(a, NODE_BOUNDS)
    own = node * NODE_WIDTH
    parent, shelf = np.int64(nodes[spot(own + NODE_PARENT)]), np.int64(nodes[spot(own + NODE_SHELF)])
    if parent >= 0:
        run = np.int64(nodes[spot(parent * NODE_WIDTH + NODE_RUN)])
        _mark(a, run + np.int64(nodes[spot(own + NODE_PLACE)]), node)
    elif shelf >= 0:
        lower, upper = bounds[spot(2 * node)], bounds[spot(2 * node + 1)]
        head = _head_of(a, shelf, lower, upper, node)
        block = np.int64(ints(a, HEADS)[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
        _mark(a, block + _place_in(a, head, lower, upper, node), node)


@inner
def write_entry(a: Any, at: int, node: int) -> None:
    """Write down a node with the first two predicates of its run; ALWAYS where it has none."""
    nodes, entries, bounds = ints(a, NODES), ints(a, ENTRIES), doubles(a, ENTRY_BOUNDS)
    of_span, of_bound = ints(a, SPAN_VIEWS), doubles(a, SPAN_BOUNDS)
    start = np.int64(nodes[spot(node * NODE_WIDTH + NODE_START)])
    left = nodes[spot(node * NODE_WIDTH + NODE_LEFT)]
    entries[spot(at * ENTRY_WIDTH + ENTRY_NODE)] = node
    _mark(a, at, node)
    words(a, ENTRY_GROUPS)[spot(at)] = words(a, NODE_GROUPS)[spot(node)]
    for k in range(2):
        own = at * ENTRY_BOUNDS_WIDTH + 2 * k
        if k < left:
            entries[spot(at * ENTRY_WIDTH + ENTRY_VIEW + k)] = of_span[spot(start + k)]
            bounds[spot(own)] = of_bound[spot(2 * (start + k))]
            bounds[spot(own + 1)] = of_bound[spot(2 * (start + k) + 1)]
        else:
            entries[spot(at * ENTRY_WIDTH + ENTRY_VIEW + k)] = ALWAYS
            bounds[spot(own)], bounds[spot(own + 1)] = 1.0, 1.0


@rare
def insert_entry(a: Any, shelf: int, lower: float, upper: float, node: int) -> None:
    """Put a node where the bounds of its first predicate belong."""
    shelves, heads, of_head = ints(a, SHELVES), ints(a, HEADS), doubles(a, HEAD_BOUNDS)
    if not shelves[spot(shelf * SHELF_WIDTH + SHELF_COUNT)]:
        head = _open_head(a, shelf, 0, 0)
        of_head[spot(2 * head)], of_head[spot(2 * head + 1)] = lower, upper
    head = _head_of(a, shelf, lower, upper, node)
    if heads[spot(head * HEAD_WIDTH + HEAD_COUNT)] == BLOCK_ROOM:
        _split(a, shelf, head)
        head = _head_of(a, shelf, lower, upper, node)
    count = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_COUNT)])
    size = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_CLASS)])
    if count == np.int64(1) << size:
        _move_block(a, head, size + 1)
    block = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
    place = _place_in(a, head, lower, upper, node)
    for k in range(count, place, -1):
        copy_entry(a, block + k, block + k - 1)
    write_entry(a, block + place, node)
    heads[spot(head * HEAD_WIDTH + HEAD_COUNT)] = count + 1
    of_head[spot(2 * head)] = min(of_head[spot(2 * head)], lower)
    of_head[spot(2 * head + 1)] = max(of_head[spot(2 * head + 1)], upper)


@rare
def remove_entry(a: Any, shelf: int, lower: float, upper: float, node: int) -> None:
    """Take a node off its shelf; blocks, heads and shelves without entries go with it."""
    shelves, heads = ints(a, SHELVES), ints(a, HEADS)
    head = _head_of(a, shelf, lower, upper, node)
    base = head * HEAD_WIDTH
    block, count = np.int64(heads[spot(base + HEAD_BLOCK)]), np.int64(heads[spot(base + HEAD_COUNT)]) - 1
    for k in range(_place_in(a, head, lower, upper, node), count):
        copy_entry(a, block + k, block + k + 1)
    heads[spot(base + HEAD_COUNT)] = count
    size = np.int64(heads[spot(base + HEAD_CLASS)])
    if count:
        if 4 * count <= np.int64(1) << size:
            _move_block(a, head, size - 1)
        _bound(a, head)
        return
    give_run(a, ENTRIES, ENTRY_WIDTH, FREE_BLOCKS, block, size)
    own = shelf * SHELF_WIDTH
    start, left = np.int64(shelves[spot(own + SHELF_START)]), np.int64(shelves[spot(own + SHELF_COUNT)]) - 1
    for k in range(head, start + left):
        _copy_head(a, k, k + 1)
    shelves[spot(own + SHELF_COUNT)] = left
    if not left:
        _close_shelf(a, shelf)


@inner
def _close_shelf(a: Any, shelf: int) -> None:
    shelves, counts, keys = ints(a, SHELVES), longs(a, COVER_COUNTS), longs(a, SHELF_KEY)
    own = shelf * SHELF_WIDTH
    view = np.int64(shelves[spot(own + SHELF_VIEW)])
    start, room = np.int64(shelves[spot(own + SHELF_START)]), np.int64(shelves[spot(own + SHELF_ROOM)])
    give_run(a, HEADS, HEAD_WIDTH, FREE_TREES, start, room)
    if ints(a, VIEW_SHELF)[spot(view)] == shelf:
        ints(a, VIEW_SHELF)[spot(view)] = NOTHING
    else:
        points = ints(a, POINTS)
        place = keys[spot(shelf)] & (len(points) - 1)
        at = np.int64(points[spot(place)])
        if at == shelf:
            points[spot(place)] = shelves[spot(own + SHELF_NEXT)]
        else:
            while shelves[spot(at * SHELF_WIDTH + SHELF_NEXT)] != shelf:
                at = np.int64(shelves[spot(at * SHELF_WIDTH + SHELF_NEXT)])
            shelves[spot(at * SHELF_WIDTH + SHELF_NEXT)] = shelves[spot(own + SHELF_NEXT)]
        counts[N_POINTS] -= 1
        ints(a, VIEW_POINTS)[spot(view)] -= 1
    shelves[spot(own + SHELF_VIEW)] = NOTHING
    shelves[spot(own + SHELF_NEXT)] = counts[FREE_SHELF]
    counts[FREE_SHELF] = shelf


@inner
def _open_shelf(a: Any, view: int) -> int:
    shelves, counts = ints(a, SHELVES), longs(a, COVER_COUNTS)
    shelf = counts[FREE_SHELF]
    if shelf >= 0:
        counts[FREE_SHELF] = np.int64(shelves[spot(shelf * SHELF_WIDTH + SHELF_NEXT)])
    else:
        shelf = counts[N_SHELVES]
        counts[N_SHELVES] = shelf + 1
    own = shelf * SHELF_WIDTH
    shelves[spot(own + SHELF_START)] = take_run(a, HEADS, HEAD_WIDTH, FREE_TREES, N_HEADS, 0)
    shelves[spot(own + SHELF_COUNT)], shelves[spot(own + SHELF_ROOM)] = 0, 0
    shelves[spot(own + SHELF_VIEW)], shelves[spot(own + SHELF_NEXT)] = view, NOTHING
    return shelf


@inner
def find_points(a: Any, view: int, number: float) -> int:
    """The list of a number, or -1."""
    shelves, points, keys = ints(a, SHELVES), ints(a, POINTS), longs(a, SHELF_KEY)
    key = number_key(view, number)
    shelf = np.int64(points[spot(key & (len(points) - 1))])
    while shelf >= 0 and keys[spot(shelf)] != key:
        shelf = np.int64(shelves[spot(shelf * SHELF_WIDTH + SHELF_NEXT)])
    return shelf


@inner
def shelf_for(a: Any, view: int, is_number: bool, lower: float, upper: float) -> int:
    """The shelf on which what asks for an interval (or an item) of a view waits, made if need be."""
    if is_number and lower == upper:
        shelf = find_points(a, view, lower)
        if shelf < 0:
            shelf = _open_shelf(a, view)
            points, key = ints(a, POINTS), number_key(view, lower)
            place = key & (len(points) - 1)
            longs(a, SHELF_KEY)[spot(shelf)] = key
            ints(a, SHELVES)[spot(shelf * SHELF_WIDTH + SHELF_NEXT)] = points[spot(place)]
            points[spot(place)] = shelf
            longs(a, COVER_COUNTS)[N_POINTS] += 1
            ints(a, VIEW_POINTS)[spot(view)] += 1
        return shelf
    of_view = ints(a, VIEW_SHELF)
    if of_view[spot(view)] < 0:
        of_view[spot(view)] = _open_shelf(a, view)
    return np.int64(of_view[spot(view)])
