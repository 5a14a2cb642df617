"""Section 1.3 of the paper: a subscription into the poset, from there into the index if limits are passed; and out."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, ints, longs, words
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import entry, inner, rare
from semantic_pubsub.matching.flat.hmacd_layout import (
    COVER_COUNTS,
    ENTRIES,
    ENTRY_GROUPS,
    ENTRY_NODE,
    ENTRY_WIDTH,
    FREE_NODE,
    IN_POSET,
    N_INDEXED,
    N_LIVE_NODES,
    N_MOVED,
    N_NODES,
    N_SHELVES,
    NODE_BOUNDS,
    NODE_CHILDREN,
    NODE_COUNT,
    NODE_GROUPS,
    NODE_HASH,
    NODE_LEAVES,
    NODE_LEFT,
    NODE_MEMBER,
    NODE_MEMBERS,
    NODE_PARENT,
    NODE_RUN,
    NODE_SAME,
    NODE_SHARE,
    NODE_SHELF,
    NODE_START,
    NODE_WIDTH,
    NODES,
    NOTHING,
    ROOF,
    SAME,
    SHELF_KEY,
    SHELF_NEXT,
    SHELF_VIEW,
    SHELF_WIDTH,
    SHELVES,
    SPAN_BOUNDS,
    SPAN_VIEWS,
    VIEW_SHELF,
)
from semantic_pubsub.matching.flat.kernels.covering.poset import attach, detach, dress, join, leave
from semantic_pubsub.matching.flat.kernels.covering.relations import covers, groups_of, hash_of, is_same, order_span
from semantic_pubsub.matching.flat.kernels.covering.shelves import insert_entry, mark_entry, remove_entry, shelf_for
from semantic_pubsub.matching.flat.layout import (
    SLOT_BUCKET,
    SLOT_START,
    SLOT_WIDTH,
    SLOTS,
    VIEW_WHAT,
    VIEW_WIDTH,
    VIEWS,
)

__all__ = ["rehash_nodes", "rehash_points", "resubscribe", "start_roof", "subscribe", "unsubscribe"]

_NOTHING = np.uint64(0)


@entry
def start_roof(a: Any) -> None:
    """The roof above all roots: no subscription, and no node below another."""
    nodes, counts = ints(a, NODES), longs(a, COVER_COUNTS)
    counts[N_NODES] = 1
    _clear(nodes, ROOF)


@inner
def _clear(nodes: Any, node: int) -> None:
    own = node * NODE_WIDTH
    for k in range(NODE_WIDTH):
        nodes[spot(own + k)] = NOTHING
    nodes[spot(own + NODE_CHILDREN)], nodes[spot(own + NODE_LEAVES)], nodes[spot(own + NODE_MEMBERS)] = 0, 0, 0
    nodes[spot(own + NODE_START)], nodes[spot(own + NODE_COUNT)], nodes[spot(own + NODE_LEFT)] = 0, 0, 0


# nodes by what they ask


@inner
def _find_same(a: Any, start: int, count: int, key: int) -> int:
    nodes, hashes, same = ints(a, NODES), longs(a, NODE_HASH), ints(a, SAME)
    node = np.int64(same[spot(key & (len(same) - 1))])
    while node >= 0:
        own = node * NODE_WIDTH
        other = np.int64(nodes[spot(own + NODE_START)])
        if hashes[spot(node)] == key and nodes[spot(own + NODE_COUNT)] == count and is_same(a, start, other, count):
            return node
        node = np.int64(nodes[spot(own + NODE_SAME)])
    return node


@inner
def _new_node(a: Any, start: int, count: int, key: int, share: float) -> int:
    nodes, counts, same = ints(a, NODES), longs(a, COVER_COUNTS), ints(a, SAME)
    node = counts[FREE_NODE]
    if node >= 0:
        counts[FREE_NODE] = np.int64(nodes[spot(node * NODE_WIDTH + NODE_SAME)])
    else:
        node = counts[N_NODES]
        counts[N_NODES] = node + 1
    _clear(nodes, node)
    own, place = node * NODE_WIDTH, key & (len(same) - 1)
    nodes[spot(own + NODE_START)], nodes[spot(own + NODE_COUNT)] = start, count
    nodes[spot(own + NODE_SAME)] = same[spot(place)]
    same[spot(place)] = node
    longs(a, NODE_HASH)[spot(node)] = key
    words(a, NODE_GROUPS)[spot(node)] = groups_of(a, start, count)
    doubles(a, NODE_SHARE)[spot(node)] = share
    counts[N_LIVE_NODES] += 1
    return node


@inner
def _free_node(a: Any, node: int) -> None:
    nodes, counts, same = ints(a, NODES), longs(a, COVER_COUNTS), ints(a, SAME)
    place = longs(a, NODE_HASH)[spot(node)] & (len(same) - 1)
    at = np.int64(same[spot(place)])
    if at == node:
        same[spot(place)] = nodes[spot(node * NODE_WIDTH + NODE_SAME)]
    else:
        while nodes[spot(at * NODE_WIDTH + NODE_SAME)] != node:
            at = np.int64(nodes[spot(at * NODE_WIDTH + NODE_SAME)])
        nodes[spot(at * NODE_WIDTH + NODE_SAME)] = nodes[spot(node * NODE_WIDTH + NODE_SAME)]
    nodes[spot(node * NODE_WIDTH + NODE_SAME)] = counts[FREE_NODE]
    counts[FREE_NODE] = node
    counts[N_LIVE_NODES] -= 1


# into the poset


@rare
def _node_covers(a: Any, node: int, other: int) -> bool:
    nodes = ints(a, NODES)
    one, two = node * NODE_WIDTH, other * NODE_WIDTH
    return covers(
        a,
        np.int64(nodes[spot(one + NODE_START)]),
        np.int64(nodes[spot(one + NODE_COUNT)]),
        np.int64(nodes[spot(two + NODE_START)]),
        np.int64(nodes[spot(two + NODE_COUNT)]),
    )


@inner
def _lowest_above(a: Any, node: int, deepest: int) -> int:
    """From the roof down to a node that covers the given one while none of its children does. Of several children the
    one that events satisfy least: it keeps most of them away."""
    nodes, entries, shares, at = ints(a, NODES), ints(a, ENTRIES), doubles(a, NODE_SHARE), np.int64(ROOF)
    groups = words(a, ENTRY_GROUPS)
    others = ~words(a, NODE_GROUPS)[spot(node)]
    for _ in range(deepest):
        best, run = np.int64(-1), np.int64(nodes[spot(at * NODE_WIDTH + NODE_RUN)])
        for e in range(run, run + nodes[spot(at * NODE_WIDTH + NODE_CHILDREN)]):
            if groups[spot(e)] & others != _NOTHING:
                continue
            child = np.int64(entries[spot(e * ENTRY_WIDTH + ENTRY_NODE)])
            if (best < 0 or shares[spot(child)] < shares[spot(best)]) and _node_covers(a, child, node):
                best = child
        if best < 0:
            break
        at = best
    return at


@inner
def _adopt(a: Any, node: int, parent: int) -> None:
    """Let those children of a node that another covers be children of that."""
    nodes, entries, groups = ints(a, NODES), ints(a, ENTRIES), words(a, ENTRY_GROUPS)
    own = words(a, NODE_GROUPS)[spot(node)]
    run = np.int64(nodes[spot(parent * NODE_WIDTH + NODE_RUN)])
    for e in range(run + np.int64(nodes[spot(parent * NODE_WIDTH + NODE_CHILDREN)]) - 1, run - 1, -1):
        child = np.int64(entries[spot(e * ENTRY_WIDTH + ENTRY_NODE)])
        if own & ~groups[spot(e)] == _NOTHING and _node_covers(a, node, child):
            detach(a, child)  # the last takes its place: it was looked at before
            attach(a, child, node)


@rare
def _place(a: Any, node: int, free_roots: int, siblings: int, deepest: int) -> None:
    """The subscribing process of section 1.3."""
    # step 1: into the poset
    parent = _lowest_above(a, node, deepest)
    _adopt(a, node, parent)
    attach(a, node, parent)
    # steps 2 and 3: out of it, if there are too many like this one
    _limit(a, node, free_roots, siblings)


@inner
def _limit(a: Any, node: int, free_roots: int, siblings: int) -> None:
    """Move a node of the poset into the index if it is one root or leaf too many. One with children counts, too, among
    four times as many: it takes them along, so that no node has more children than can be looked at."""
    nodes = ints(a, NODES)
    own = node * NODE_WIDTH
    parent = np.int64(nodes[spot(own + NODE_PARENT)])
    limit = free_roots if parent == ROOF else siblings
    if not nodes[spot(own + NODE_COUNT)]:
        return  # what asks for nothing can wait under nothing
    leaves = np.int64(nodes[spot(parent * NODE_WIDTH + NODE_LEAVES)])
    is_leaf = nodes[spot(own + NODE_CHILDREN)] == 0
    if (is_leaf and leaves > limit) or nodes[spot(parent * NODE_WIDTH + NODE_CHILDREN)] > 4 * limit:
        detach(a, node)
        _file(a, node)
        longs(a, COVER_COUNTS)[N_MOVED] += 1


# into the index


@rare
def _file(a: Any, node: int) -> None:
    """Let a node wait under its rarest predicate, with the second beside it."""
    nodes, views, of_span = ints(a, NODES), ints(a, VIEWS), ints(a, SPAN_VIEWS)
    bounds, of_bound = doubles(a, NODE_BOUNDS), doubles(a, SPAN_BOUNDS)
    own = node * NODE_WIDTH
    start, count = np.int64(nodes[spot(own + NODE_START)]), np.int64(nodes[spot(own + NODE_COUNT)])
    doubles(a, NODE_SHARE)[spot(node)] = order_span(a, start, count)
    nodes[spot(own + NODE_LEFT)] = count
    view, low, high = np.int64(of_span[spot(start)]), of_bound[spot(2 * start)], of_bound[spot(2 * start + 1)]
    shelf = shelf_for(a, view, views[spot(view * VIEW_WIDTH + VIEW_WHAT)] < 0, low, high)
    nodes[spot(own + NODE_SHELF)] = shelf
    bounds[spot(2 * node)], bounds[spot(2 * node + 1)] = low, high
    insert_entry(a, shelf, low, high, node)
    longs(a, COVER_COUNTS)[N_INDEXED] += 1


@rare
def _unfile(a: Any, node: int) -> None:
    nodes, bounds = ints(a, NODES), doubles(a, NODE_BOUNDS)
    own = node * NODE_WIDTH
    shelf = np.int64(nodes[spot(own + NODE_SHELF)])
    remove_entry(a, shelf, bounds[spot(2 * node)], bounds[spot(2 * node + 1)], node)
    nodes[spot(own + NODE_SHELF)] = IN_POSET
    longs(a, COVER_COUNTS)[N_INDEXED] -= 1


# what Python calls


@entry
def subscribe(a: Any, slot: int, start: int, count: int, free_roots: int, siblings: int, deepest: int) -> None:
    """File a slot whose predicates stand in SPANS."""
    share = order_span(a, start, count)
    key = hash_of(a, start, count)
    node = _find_same(a, start, count, key)
    is_new = node < 0
    if is_new:
        node = _new_node(a, start, count, key, share)
    join(a, slot, node)
    ints(a, SLOTS)[spot(slot * SLOT_WIDTH + SLOT_BUCKET)] = node
    if is_new:
        _place(a, node, free_roots, siblings, deepest)
    else:
        mark_entry(a, node)


@entry
def unsubscribe(a: Any, slot: int, free_roots: int, siblings: int) -> None:
    """Take a slot out of whatever structure it is in."""
    nodes, slots = ints(a, NODES), ints(a, SLOTS)
    node = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)])
    own = node * NODE_WIDTH
    leave(a, slot, node)
    if nodes[spot(own + NODE_MEMBERS)]:
        if nodes[spot(own + NODE_START)] == slots[spot(slot * SLOT_WIDTH + SLOT_START)]:
            _stand_for(a, node)
        mark_entry(a, node)
        return
    # step 1: out of the index, or step 2: out of the poset; what was below it is now below what was above it
    parent = np.int64(ROOF)
    if nodes[spot(own + NODE_SHELF)] != IN_POSET:
        _unfile(a, node)
    else:
        parent = np.int64(nodes[spot(own + NODE_PARENT)])
        detach(a, node)
    entries = ints(a, ENTRIES)
    while nodes[spot(own + NODE_CHILDREN)]:
        last = np.int64(nodes[spot(own + NODE_RUN)]) + np.int64(nodes[spot(own + NODE_CHILDREN)]) - 1
        child = np.int64(entries[spot(last * ENTRY_WIDTH + ENTRY_NODE)])
        detach(a, child)
        attach(a, child, parent)
        _limit(a, child, free_roots, siblings)
    _free_node(a, node)


@inner
def _stand_for(a: Any, node: int) -> None:
    """Let the first member of a node stand for it, after the one that did has left."""
    nodes = ints(a, NODES)
    own = node * NODE_WIDTH
    member = np.int64(nodes[spot(own + NODE_MEMBER)])
    start = ints(a, SLOTS)[spot(member * SLOT_WIDTH + SLOT_START)]
    if nodes[spot(own + NODE_SHELF)] != IN_POSET:
        _unfile(a, node)
        nodes[spot(own + NODE_START)] = start
        _file(a, node)
    else:
        nodes[spot(own + NODE_START)] = start
        dress(a, node)


@entry
def resubscribe(a: Any, first: int, count: int, free_roots: int, siblings: int, deepest: int) -> None:
    """File some nodes of the index anew: by what is known of the events now, in the poset if there is a place."""
    nodes, counts = ints(a, NODES), longs(a, COVER_COUNTS)
    for node in range(first, first + count):
        own = node * NODE_WIDTH
        if nodes[spot(own + NODE_MEMBER)] < 0 or nodes[spot(own + NODE_SHELF)] == IN_POSET:
            continue
        _unfile(a, node)
        _place(a, node, free_roots, siblings, deepest)
        # Out of the index and back again is no move.
        counts[N_MOVED] += 1 if nodes[spot(own + NODE_SHELF)] == IN_POSET else -1


@entry
def rehash_nodes(a: Any, same: Any) -> None:
    """Write the nodes into a larger table of hashes."""
    nodes, hashes, counts = ints(a, NODES), longs(a, NODE_HASH), longs(a, COVER_COUNTS)
    for node in range(1, counts[N_NODES]):
        if nodes[spot(node * NODE_WIDTH + NODE_MEMBER)] >= 0:
            place = hashes[spot(node)] & (len(same) - 1)
            nodes[spot(node * NODE_WIDTH + NODE_SAME)] = same[spot(place)]
            same[spot(place)] = node


@entry
def rehash_points(a: Any, points: Any) -> None:
    """Write the lists of numbers into a larger table of hashes."""
    shelves, keys, of_view = ints(a, SHELVES), longs(a, SHELF_KEY), ints(a, VIEW_SHELF)
    for shelf in range(longs(a, COVER_COUNTS)[N_SHELVES]):
        view = np.int64(shelves[spot(shelf * SHELF_WIDTH + SHELF_VIEW)])
        if view >= 0 and of_view[spot(view)] != shelf:
            place = keys[spot(shelf)] & (len(points) - 1)
            shelves[spot(shelf * SHELF_WIDTH + SHELF_NEXT)] = points[spot(place)]
            points[spot(place)] = shelf
