"""The tree at hand: its tables, found once per call, and what can be read from them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, ints, longs, words
from semantic_pubsub.matching.arrays.bits import find, spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.flat.gem_layout import (
    BOXES,
    CHILDREN,
    FORK_AXIS,
    FORK_NODE,
    FORK_WIDTH,
    FORKS,
    HITS,
    HITS_WIDTH,
    LINK_KEYS,
    LINK_VALUES,
    N_CUTS,
    NODE_CELL,
    NODE_COST,
    NODE_PARENT,
    NODE_WIDTH,
    NODES,
    OWN,
    SAMPLE,
    SAMPLE_WIDTH,
    SAMPLED,
    TAKEN,
    TRIANGLE,
    TRIANGLE_CUTS,
    VISITS,
)
from semantic_pubsub.matching.flat.layout import (
    BUCKETS,
    COUNTS,
    ITEM_SEEN,
    N_EVENTS,
    PRED_LOWER,
    PRED_UPPER,
    PRED_VIEW,
    SLOT_COUNT,
    SLOT_START,
    SLOT_WIDTH,
    SLOTS,
    SPANS,
    VIEW_ATTR,
    VIEW_WHAT,
    VIEW_WIDTH,
    VIEWS,
)

__all__ = [
    "FREE_AXIS",
    "REFINABLE",
    "USED_AXIS",
    "Tree",
    "axis_of",
    "axis_on_path",
    "box_of",
    "cell_place",
    "child_at",
    "fork_key",
    "fork_of",
    "is_diagonal",
    "item_key",
    "item_rate",
    "place_of",
    "pred_on",
    "presence",
    "range_on_path",
    "rate_at",
    "tree_of",
    "wish",
]

_ONE = np.uint64(1)
_GUESS = 0.03  # how often an item or a number is in an event, before any was seen
_WEIGHT = 4.0  # as so many events
_HALF = 0.5  # how often an interval holds, before any number was seen
_PART = 0.125  # how often a number is that of a predicate if it lies in its cell
FREE_AXIS, REFINABLE, USED_AXIS = 0, 1, 2


class Tree(NamedTuple):
    """The tables of a tree."""

    nodes: Any
    cost: Any
    forks: Any
    taken: Any
    cuts: Any
    hits: Any
    children: Any
    keys: Any
    links: Any
    own: Any
    sample: Any
    counts: Any
    item_seen: Any
    buckets: Any
    slots: Any
    spans: Any
    views: Any
    pred_view: Any
    lower: Any
    upper: Any


@inner
def tree_of(a: Any) -> Tree:
    """The tables as they are now."""
    return Tree(
        ints(a, NODES), doubles(a, NODE_COST), ints(a, FORKS), words(a, TAKEN), doubles(a, TRIANGLE_CUTS),
        ints(a, HITS), ints(a, CHILDREN), longs(a, LINK_KEYS), ints(a, LINK_VALUES), longs(a, OWN), doubles(a, SAMPLE),
        longs(a, COUNTS), ints(a, ITEM_SEEN), ints(a, BUCKETS), ints(a, SLOTS), ints(a, SPANS), ints(a, VIEWS),
        ints(a, PRED_VIEW), doubles(a, PRED_LOWER), doubles(a, PRED_UPPER),
    )  # fmt: skip


# where a predicate looks


@inner
def axis_of(t: Tree, pred: int) -> int:
    """The axis of a predicate: its view if that is of numbers, else ~attribute."""
    view = np.int64(t.pred_view[spot(pred)])
    is_number = t.views[spot(view * VIEW_WIDTH + VIEW_WHAT)] < 0
    return view if is_number else ~np.int64(t.views[spot(view * VIEW_WIDTH + VIEW_ATTR)])


@inner
def _item_of(t: Tree, pred: int) -> int:
    return np.int64(t.views[spot(np.int64(t.pred_view[spot(pred)]) * VIEW_WIDTH + VIEW_WHAT)])


@inner
def pred_on(t: Tree, slot: int, axis: int) -> int:
    """The predicate with which a slot is filed on an axis: of several the one with the lowest number; -1 for none."""
    start = np.int64(t.slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    found = np.int64(-1)
    for k in range(start, start + t.slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)]):
        pred = np.int64(t.spans[spot(k)])
        if axis_of(t, pred) == axis and (found < 0 or pred < found):
            found = pred
    return found


# cells


@inner
def box_of(t: Tree, fork: int, number: float) -> int:
    """The box of a number: how many cuts do not lie above it."""
    base, box = fork * N_CUTS, 0
    for k in range(N_CUTS):
        box += t.cuts[spot(base + k)] <= number
    return box


@inner
def place_of(t: Tree, fork: int, pred: int) -> int:
    """The cell of a predicate: the location algorithm of the paper, with cuts in place of Rm / λ."""
    if t.forks[spot(fork * FORK_WIDTH + FORK_AXIS)] < 0:
        return _item_of(t, pred)
    column = box_of(t, fork, t.lower[spot(pred)])
    return max(column, box_of(t, fork, t.upper[spot(pred)])) * BOXES + column  # an empty interval needs a cell, too


@inner
def cell_place(cell: int) -> int:
    """Where a cell is among the 36 of a triangle."""
    row = cell // BOXES
    return row * (row + 1) // 2 + cell % BOXES


@inner
def is_diagonal(cell: int) -> bool:
    """Whether both ends lie in one box."""
    return cell // BOXES == cell % BOXES


@inner
def item_key(fork: int, item: int) -> int:
    """The link from a fork to the node of an item."""
    return np.int64(fork) << 33 | np.int64(1) << 32 | np.int64(item)


@inner
def fork_key(node: int, axis: int) -> int:
    """The link from a node to its fork on an axis."""
    return np.int64(node) << 33 | (np.int64(axis) & 0xFFFFFFFF)


@inner
def fork_of(t: Tree, node: int, axis: int) -> int:
    """The fork of a node on an axis, or -1."""
    return find(t.keys, t.links, fork_key(node, axis))


@inner
def child_at(t: Tree, fork: int, cell: int) -> int:
    """The node of a cell, or -1."""
    if t.forks[spot(fork * FORK_WIDTH + FORK_AXIS)] < 0:
        return find(t.keys, t.links, item_key(fork, cell))
    if t.taken[spot(fork)] >> np.uint64(cell) & _ONE:
        return np.int64(t.children[spot(fork * TRIANGLE + cell_place(cell))])
    return np.int64(-1)


# how often


@inner
def item_rate(t: Tree, item: int) -> float:
    """How often an event shows an item."""
    return (t.item_seen[spot(item)] + _GUESS * _WEIGHT) / (t.counts[N_EVENTS] + _WEIGHT)


@inner
def rate_at(t: Tree, fork: int, cell: int) -> float:
    """m of the paper for one cell: how often an event that comes to the fork must look into it."""
    if t.forks[spot(fork * FORK_WIDTH + FORK_AXIS)] < 0:
        return item_rate(t, cell)
    base, hits = fork * HITS_WIDTH, 0
    for box in range(cell % BOXES, cell // BOXES + 1):
        hits += t.hits[spot(base + box)]
    return min(1.0, hits / max(1, t.hits[spot(base + VISITS)]))


@inner
def presence(t: Tree, column: int) -> float:
    """How often an event shows a number of a column."""
    shown = t.sample[spot(column * SAMPLE_WIDTH)]
    return min(1.0, (shown + _WEIGHT) / (t.counts[N_EVENTS] + _WEIGHT))


# the way from the root


@inner
def axis_on_path(t: Tree, node: int, axis: int) -> int:
    """Whether an axis is on the way to a node; if only by cells of the diagonal, these can be parted once more."""
    state = FREE_AXIS
    fork = np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_PARENT)])
    while fork >= 0:
        if t.forks[spot(fork * FORK_WIDTH + FORK_AXIS)] == axis:
            if axis < 0 or not is_diagonal(np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_CELL)])):
                return USED_AXIS
            state = REFINABLE
        node = np.int64(t.forks[spot(fork * FORK_WIDTH + FORK_NODE)])
        fork = np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_PARENT)])
    return state


@inner
def range_on_path(t: Tree, node: int, axis: int) -> tuple[float, float]:
    """What the cells on the way to a node leave of an axis: from a number on, and below another."""
    low, high = -np.inf, np.inf
    fork = np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_PARENT)])
    while fork >= 0:
        if t.forks[spot(fork * FORK_WIDTH + FORK_AXIS)] == axis:
            box = np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_CELL)]) % BOXES
            if box > 0:
                low = max(low, t.cuts[spot(fork * N_CUTS + box - 1)])
            if box < N_CUTS:
                high = min(high, t.cuts[spot(fork * N_CUTS + box)])
        node = np.int64(t.forks[spot(fork * FORK_WIDTH + FORK_NODE)])
        fork = np.int64(t.nodes[spot(node * NODE_WIDTH + NODE_PARENT)])
    return low, high


@rare
def wish(a: Any, node: int, axis: int, pred: int) -> float:
    """How many of the events that come to a node can be kept away by a predicate: how often it holds there, by what
    the last events showed. Beyond 1 where it is of no further use."""
    t = tree_of(a)
    if axis < 0:
        return item_rate(t, _item_of(t, pred)) if axis_on_path(t, node, axis) == FREE_AXIS else 2.0
    low, high, guess = -np.inf, np.inf, _GUESS
    lower, upper = t.lower[spot(pred)], t.upper[spot(pred)]
    state = axis_on_path(t, node, axis)
    if state != FREE_AXIS:
        low, high = range_on_path(t, node, axis)
        guess = _PART
        if state == USED_AXIS or (lower <= low and high <= np.nextafter(upper, np.inf)):
            return 2.0
    guess = _HALF if lower < upper else guess
    column = ~_item_of(t, pred)
    base = column * SAMPLE_WIDTH
    known, within = 0, 0
    for k in range(1, min(SAMPLED, np.int64(t.sample[spot(base)])) + 1):
        number = t.sample[spot(base + k)]
        known += (low <= number) & (number < high)
        within += (low <= number) & (number < high) & (lower <= number) & (number <= upper)
    return presence(t, column) * (within + guess * _WEIGHT) / (known + _WEIGHT)
