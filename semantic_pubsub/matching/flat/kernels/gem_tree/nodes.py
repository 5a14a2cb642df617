"""Nodes, forks and the links between them: made when something is filed there, given back when nothing is left."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints
from semantic_pubsub.matching.arrays.bits import hash_slot, insert_new, spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.flat.gem_layout import (
    CAPACITY,
    FORK_AXIS,
    FORK_BEFORE,
    FORK_CELLS,
    FORK_NEXT,
    FORK_NODE,
    FORK_WIDTH,
    FREE_FORK,
    FREE_NODE,
    LEAST,
    N_FORKS,
    N_LINKS,
    N_NODES,
    NODE_CAPACITY,
    NODE_CELL,
    NODE_DEPTH,
    NODE_FIRST,
    NODE_FORKS,
    NODE_HELD,
    NODE_PARENT,
    NODE_WIDTH,
    ROOT,
    TRIANGLE,
)
from semantic_pubsub.matching.flat.kernels.gem_tree.tree import (
    FREE_AXIS,
    Tree,
    axis_on_path,
    cell_place,
    fork_key,
    item_key,
    rate_at,
    tree_of,
)
from semantic_pubsub.matching.flat.kernels.pivots import put_row
from semantic_pubsub.matching.flat.layout import (
    BUCKET_COUNT,
    BUCKET_START,
    BUCKET_WIDTH,
    FIRSTS,
    N_BUCKETS,
    N_ROWS,
    ROW_WIDTH,
    ROWS,
    SLOT_COUNT,
    SLOT_INDEX,
    SLOT_WIDTH,
)

__all__ = ["ALPHA", "charge", "give_back", "has_room", "new_fork", "new_node", "own_cost", "put_slot"]

ALPHA = 1.0  # what the look at a slot costs, in checks of a predicate
_ONE = np.uint64(1)


@inner
def has_room(a: Any, t: Tree, moves: int) -> bool:
    """Whether the tables have room for so many slots to move, each to a node of its own."""
    rows = t.counts[N_ROWS]
    return (
        len(t.nodes) // NODE_WIDTH - t.counts[N_BUCKETS] > moves + 1
        and len(t.forks) // FORK_WIDTH - t.own[N_FORKS] > moves // LEAST + 1
        and len(t.keys) > 2 * (t.own[N_LINKS] + 2 * moves + 2)
        and len(ints(a, ROWS)) // ROW_WIDTH - rows > rows + rows // 4 + 4 * moves + 64
    )


@inner
def new_node(t: Tree, fork: int, cell: int) -> int:
    """An empty node for a cell of a fork; with -1 the root."""
    own, nodes = t.own, t.nodes
    node = own[FREE_NODE]
    if node >= 0:
        own[FREE_NODE] = np.int64(nodes[spot(node * NODE_WIDTH + NODE_PARENT)])
    else:
        node = t.counts[N_BUCKETS]
        t.counts[N_BUCKETS] += 1
        for k in range(BUCKET_WIDTH):
            t.buckets[spot(node * BUCKET_WIDTH + k)] = 0
    own[N_NODES] += 1
    base = node * NODE_WIDTH
    nodes[spot(base + NODE_PARENT)], nodes[spot(base + NODE_CELL)] = fork, cell
    nodes[spot(base + NODE_FIRST)], nodes[spot(base + NODE_FORKS)] = -1, 0
    nodes[spot(base + NODE_CAPACITY)], nodes[spot(base + NODE_HELD)] = CAPACITY, 0
    nodes[spot(base + NODE_DEPTH)], t.cost[spot(node)] = 0, 0.0
    if fork < 0:
        return node
    axis = np.int64(t.forks[spot(fork * FORK_WIDTH + FORK_AXIS)])
    above = np.int64(t.forks[spot(fork * FORK_WIDTH + FORK_NODE)])
    is_further = axis_on_path(t, above, axis) == FREE_AXIS
    nodes[spot(base + NODE_DEPTH)] = nodes[spot(above * NODE_WIDTH + NODE_DEPTH)] + is_further
    t.forks[spot(fork * FORK_WIDTH + FORK_CELLS)] += 1
    if axis < 0:
        _link(t, item_key(fork, cell), node)
    else:
        t.taken[spot(fork)] |= _ONE << np.uint64(cell)
        t.children[spot(fork * TRIANGLE + cell_place(cell))] = node
    return node


@inner
def new_fork(t: Tree, node: int, axis: int) -> int:
    """A fork without cells; cuts and hits are for the caller to fill in."""
    own, forks = t.own, t.forks
    fork = own[FREE_FORK]
    if fork >= 0:
        own[FREE_FORK] = np.int64(forks[spot(fork * FORK_WIDTH + FORK_NEXT)])
    else:
        fork = own[N_FORKS]
        own[N_FORKS] += 1
    base, first = fork * FORK_WIDTH, np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_FIRST)])
    forks[spot(base + FORK_AXIS)], forks[spot(base + FORK_NODE)] = axis, node
    forks[spot(base + FORK_NEXT)], forks[spot(base + FORK_BEFORE)] = first, -1
    forks[spot(base + FORK_CELLS)], t.taken[spot(fork)] = 0, 0
    if first >= 0:
        forks[spot(first * FORK_WIDTH + FORK_BEFORE)] = fork
    t.nodes[spot(node * NODE_WIDTH + NODE_FIRST)] = fork
    t.nodes[spot(node * NODE_WIDTH + NODE_FORKS)] += 1
    _link(t, fork_key(node, axis), fork)
    return fork


@inner
def _link(t: Tree, key: int, value: int) -> None:
    insert_new(t.keys, t.links, key, value)
    t.own[N_LINKS] += 1


@inner
def _unlink(t: Tree, key: int) -> None:
    """Take a link out, and let those behind it move up: no search may end too soon."""
    keys, links, mask = t.keys, t.links, len(t.keys) - 1
    gap = hash_slot(key, mask)
    while keys[gap] != key:
        gap = (gap + 1) & mask
    at = gap
    while True:
        at = (at + 1) & mask
        if keys[at] < 0:
            break
        if (at - hash_slot(keys[at], mask)) & mask >= (at - gap) & mask:
            keys[gap], links[gap] = keys[at], links[at]
            gap = at
    keys[gap] = -1
    t.own[N_LINKS] -= 1


@rare
def give_back(a: Any, node: int) -> None:
    """Take an empty node out of the tree, and all above it that are empty then."""
    t = tree_of(a)
    while node != ROOT:
        base = node * NODE_WIDTH
        empty = t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)] == 0 and t.nodes[spot(base + NODE_FORKS)] == 0
        if not empty:
            return
        fork, cell = np.int64(t.nodes[spot(base + NODE_PARENT)]), np.int64(t.nodes[spot(base + NODE_CELL)])
        if t.forks[spot(fork * FORK_WIDTH + FORK_AXIS)] < 0:
            _unlink(t, item_key(fork, cell))
        else:
            t.taken[spot(fork)] &= ~(_ONE << np.uint64(cell))
        t.nodes[spot(base + NODE_PARENT)] = t.own[FREE_NODE]
        t.own[FREE_NODE] = node
        t.own[N_NODES] -= 1
        t.forks[spot(fork * FORK_WIDTH + FORK_CELLS)] -= 1
        if t.forks[spot(fork * FORK_WIDTH + FORK_CELLS)]:
            return
        node = np.int64(t.forks[spot(fork * FORK_WIDTH + FORK_NODE)])
        _give_fork(t, fork, node)


@inner
def _give_fork(t: Tree, fork: int, node: int) -> None:
    base = fork * FORK_WIDTH
    before, following = np.int64(t.forks[spot(base + FORK_BEFORE)]), np.int64(t.forks[spot(base + FORK_NEXT)])
    if before >= 0:
        t.forks[spot(before * FORK_WIDTH + FORK_NEXT)] = following
    else:
        t.nodes[spot(node * NODE_WIDTH + NODE_FIRST)] = following
    if following >= 0:
        t.forks[spot(following * FORK_WIDTH + FORK_BEFORE)] = before
    t.nodes[spot(node * NODE_WIDTH + NODE_FORKS)] -= 1
    _unlink(t, fork_key(node, np.int64(t.forks[spot(base + FORK_AXIS)])))
    t.forks[spot(base + FORK_NEXT)] = t.own[FREE_FORK]
    t.own[FREE_FORK] = fork


@inner
def own_cost(t: Tree, slot: int, node: int) -> float:
    """What an event that comes to a node spends on a slot there: the look, and what is not on the way."""
    depth = t.nodes[spot(node * NODE_WIDTH + NODE_DEPTH)]
    return ALPHA + t.slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)] - depth


@inner
def charge(t: Tree, node: int, cost: float, held: int) -> None:
    """UpdateRanking: a node costs and holds more (or less), and so do those above it, as often as events get there."""
    while True:
        base = node * NODE_WIDTH
        t.nodes[spot(base + NODE_HELD)] += held
        t.cost[spot(node)] = max(0.0, t.cost[spot(node)] + cost) if t.nodes[spot(base + NODE_HELD)] else 0.0
        fork = np.int64(t.nodes[spot(base + NODE_PARENT)])
        if fork < 0:
            return
        cost *= rate_at(t, fork, np.int64(t.nodes[spot(base + NODE_CELL)]))
        node = np.int64(t.forks[spot(fork * FORK_WIDTH + FORK_NODE)])


@inner
def put_slot(a: Any, t: Tree, slot: int, node: int) -> None:
    """Put a slot into a bucket, its span in order; what is looked at first is the first that is not on the way."""
    put_row(a, slot, node)
    depth = np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_DEPTH)])
    row = np.int64(t.buckets[spot(node * BUCKET_WIDTH + BUCKET_START)])
    row += t.slots[spot(slot * SLOT_WIDTH + SLOT_INDEX)]
    column = min(depth + 1, ROW_WIDTH - 1)
    ints(a, FIRSTS)[spot(row)] = ints(a, ROWS)[spot(row * ROW_WIDTH + column)]
