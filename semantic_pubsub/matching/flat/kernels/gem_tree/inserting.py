"""InsertSub (algorithm 1): down from the root by the fork of the highest rank, into a bucket."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.flat.gem_layout import (
    NODE_CAPACITY,
    NODE_DEPTH,
    NODE_FORKS,
    NODE_HELD,
    NODE_WIDTH,
    ORDER_OF_ATTR,
    ORDER_OF_VIEW,
    ROOT,
)
from semantic_pubsub.matching.flat.kernels.gem_tree.nodes import ALPHA, charge, new_node, own_cost, put_slot
from semantic_pubsub.matching.flat.kernels.gem_tree.tree import (
    FREE_AXIS,
    Tree,
    axis_of,
    axis_on_path,
    child_at,
    fork_of,
    place_of,
    pred_on,
    rate_at,
    tree_of,
    wish,
)
from semantic_pubsub.matching.flat.layout import (
    BUCKET_COUNT,
    BUCKET_WIDTH,
    SLOT_COUNT,
    SLOT_START,
    SLOT_WIDTH,
)

__all__ = ["best_fork", "insert", "is_overflowing", "least_wish", "settle_in"]

_NEAR = 0.1  # rates are known from few events: wishes that differ by less are alike


@inner
def _order_of(a: Any, axis: int) -> int:
    """The place of an axis in the order of the global adjustment."""
    return np.int64(ints(a, ORDER_OF_VIEW)[spot(axis)] if axis >= 0 else ints(a, ORDER_OF_ATTR)[spot(~axis)])


@inner
def is_overflowing(t: Tree, node: int) -> bool:
    """Whether a bucket holds more than it should."""
    count = t.buckets[spot(node * BUCKET_WIDTH + BUCKET_COUNT)]
    return count > t.nodes[spot(node * NODE_WIDTH + NODE_CAPACITY)]


@inner
def _rank(t: Tree, fork: int, cell: int, remaining: int) -> float:
    """What a further slot in a cell is expected to cost an event: the average of what is there. The least is best."""
    node, cost, held = child_at(t, fork, cell), ALPHA + remaining, 1
    if node >= 0:
        cost += t.cost[spot(node)]
        held += t.nodes[spot(node * NODE_WIDTH + NODE_HELD)]
    return rate_at(t, fork, cell) * cost / held


@rare
def least_wish(a: Any, slot: int, node: int) -> float:
    """The wish up to which a slot wants to be parted by a predicate: that of its best, and a little more."""
    t = tree_of(a)
    start = np.int64(t.slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    least = 1.0
    for k in range(start, start + t.slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)]):
        pred = np.int64(t.spans[spot(k)])
        least = min(least, wish(a, node, axis_of(t, pred), pred))
    return 2.0 * least + _NEAR


@rare
def best_fork(a: Any, slot: int, node: int, most: float, adjusted: bool) -> tuple[int, int]:
    """The fork by which a slot leaves a node, and its cell there; -1 if none parts by what the slot wishes."""
    t = tree_of(a)
    start = np.int64(t.slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    count = np.int64(t.slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)])
    remaining = count - t.nodes[spot(node * NODE_WIDTH + NODE_DEPTH)] - 1
    best, best_cell, best_rank, best_place = np.int64(-1), np.int64(0), 0.0, np.int64(0)
    for k in range(start, start + count):  # step 3: for each attribute in the subscription
        pred = np.int64(t.spans[spot(k)])
        axis = axis_of(t, pred)
        fork = fork_of(t, node, axis)  # steps 4 to 6: forks are never on what is used on the way
        if fork < 0 or pred != pred_on(t, slot, axis) or wish(a, node, axis, pred) > most:
            continue
        cell = place_of(t, fork, pred)
        rank, place = _rank(t, fork, cell, remaining), np.int64(0)
        if adjusted:
            place = _order_of(a, axis)
        if best < 0 or rank < best_rank or (rank == best_rank and place < best_place):  # step 8
            best, best_cell, best_rank, best_place = fork, cell, rank, place
    return best, best_cell


@rare
def insert(a: Any, slot: int, adjusted: bool) -> int:
    """Put a slot where it belongs; gives the node."""
    t = tree_of(a)
    node = np.int64(ROOT)
    while t.nodes[spot(node * NODE_WIDTH + NODE_FORKS)]:
        fork, cell = best_fork(a, slot, node, least_wish(a, slot, node), adjusted)
        if fork < 0:
            break
        node = child_at(t, fork, cell)  # steps 11 to 14
        if node < 0:
            node = new_node(t, fork, cell)
    settle_in(a, slot, node)  # step 17
    return node


@inner
def _arrange(a: Any, t: Tree, slot: int, node: int) -> None:
    """The span of a slot in order: what is on the way first, then the rest, what holds most rarely before others."""
    start = np.int64(t.slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    count = np.int64(t.slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)])
    rates = np.empty(count, np.float64)
    for k in range(count):
        pred = np.int64(t.spans[spot(start + k)])
        axis = axis_of(t, pred)
        is_on_path = axis_on_path(t, node, axis) != FREE_AXIS and pred == pred_on(t, slot, axis)
        rate = -1.0 if is_on_path else wish(a, node, axis, pred)
        at = k
        while at > 0 and rates[at - 1] > rate:
            rates[at] = rates[at - 1]
            t.spans[spot(start + at)] = t.spans[spot(start + at - 1)]
            at -= 1
        rates[at] = rate
        t.spans[spot(start + at)] = pred


@rare
def settle_in(a: Any, slot: int, node: int) -> None:
    """Let a slot stand in the bucket of a node."""
    t = tree_of(a)
    _arrange(a, t, slot, node)
    put_slot(a, t, slot, node)
    charge(t, node, own_cost(t, slot, node), 1)
