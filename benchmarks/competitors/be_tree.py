"""BE-Tree: space partitioning by attributes and space clustering by values, in turn.

Sadoghi, Jacobsen: *BE-Tree: an index structure to efficiently match Boolean expressions over high-dimensional discrete
space*, SIGMOD 2011.

| paper | here |
|---|---|
| c-node with its l-node (a leaf of subscriptions) | node n: list n, `nodes[n]` |
| p-directory and p-node: partitions of a c-node by attribute | chain `FIRST` → `p_nodes` |
| c-directory: the range of an attribute, halved again and again; each bucket has a c-node | `LEFT`, `RIGHT`, `ranges` |
| insertion: the best p-node whose attribute the subscription has, the smallest bucket that encloses it | `_home_of` |
| overflow of a leaf above max_cap: cluster, then partition by the best attribute not used above | `_split` |
| a leaf that nothing divides grows | `CAPACITY` doubles |
| matching: p-nodes of the event's attributes, buckets that contain its value | `_come_to` |
| leaves are checked in full | `_check` |

Departures. The paper scores a partition by how many it attracts (gain) and by the false candidates seen in matching
(loss), the latter learned from events. Here the gain decides when a leaf is partitioned; the loss is taken from the
structure: an insertion prefers the p-node where its bucket is the smallest part of the range. Removal empties leaves
and does not merge buckets. Ranges are doubles and halved at most 16 times.

In its favour, as our own kernels do: the leaves are listed first, and what is asked is fetched from memory before it is
looked at. Of 200,000 subscriptions of *gem* that takes 0.6 times as long. With 10 or 40 in a leaf nothing is gained.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Ends, IntervalIndex, Numbers
from benchmarks.competitors.lists import Pool, append, discard, has_room
from benchmarks.competitors.scan import holds
from semantic_pubsub.matching.arrays.bits import fetch
from semantic_pubsub.matching.arrays.compiling import entry, inner, rare

__all__ = ["BeTree"]

# columns of a node
FIRST, LEFT, RIGHT, COUNT, CAPACITY, DEPTH, ATTRIBUTE, PARENT = range(8)
# columns of a p-node
NEXT, OF, ROOT = range(3)
_HALVINGS: Final = 16
_AHEAD: Final = 12  # subscriptions
# entries of `own`
NODES, P_NODES, BASE = range(3)


class _Tree(NamedTuple):
    nodes: npt.NDArray[np.int32]
    ranges: npt.NDArray[np.float64]
    p_nodes: npt.NDArray[np.int32]
    home: npt.NDArray[np.int32]  # the node of each subscription
    own: npt.NDArray[np.int64]


class BeTree(IntervalIndex):
    """A tree of attributes and halved ranges with small leaves."""

    name = "be-tree"

    def __init__(self, lowest: Ends, highest: Ends, capacity: int = 20) -> None:
        super().__init__(lowest, highest)
        self._pool = Pool(1 << 8)
        self._tree = _Tree(
            np.empty((1 << 8, 8), np.int32),
            np.empty((1 << 8, 2)),
            np.empty((1 << 8, 3), np.int32),
            np.empty(0, np.int32),
            np.array([1, 0, capacity]),
        )
        self._tree.nodes[0] = (-1, -1, -1, 0, capacity, 0, -1, -1)
        self._row = np.full(self.width, np.nan)
        self._used = np.zeros(self.width, np.int64)
        self._stack = np.empty(1 << 8, np.int32)

    def _resized(self, number: int) -> None:
        home = np.full(number, -1, np.int32)
        home[: len(self._tree.home)] = self._tree.home
        self._tree = self._tree._replace(home=home)

    def _insert(self, first: int, last: int) -> None:
        while True:
            state = self._pool.lists, first, last, self.rows, self._tree, self.lowest, self.highest, self._used
            if (first := _insert(*state)) == last:
                return
            self._make_room()

    def _make_room(self) -> None:
        """A half as much again at least of whatever is half full, and for entries in any case."""
        tree = self._tree
        self._pool.grow()
        if 2 * tree.own[NODES] > len(tree.nodes):
            size = 2 * len(tree.nodes)
            nodes, ranges = np.empty((size, 8), np.int32), np.empty((size, 2))
            nodes[: len(tree.nodes)], ranges[: len(tree.nodes)] = tree.nodes, tree.ranges
            self._tree = tree = tree._replace(nodes=nodes, ranges=ranges)
            self._stack = np.empty(size, np.int32)
            self._pool.more_lists(size)
        if 2 * tree.own[P_NODES] > len(tree.p_nodes):
            p_nodes = np.empty((2 * len(tree.p_nodes), 3), np.int32)
            p_nodes[: len(tree.p_nodes)] = tree.p_nodes
            self._tree = tree._replace(p_nodes=p_nodes)

    def _delete(self, number: int) -> None:
        node = self._tree.home[number]
        discard(self._pool.lists, node, number)
        self._tree.nodes[node, COUNT] -= 1

    def _find(self, attributes: Numbers, values: Ends) -> int:
        self._row[attributes] = values
        found = _match(self._pool.lists, self._row, self.rows, self._tree, self._stack, self._found)
        self._row[attributes] = np.nan
        return found

    def _index_bytes(self) -> int:
        tree, lists = self._tree, self._pool.lists
        nodes, p_nodes = int(tree.own[NODES]), int(tree.own[P_NODES])
        return int(lists.own[0]) * 4 + nodes * (8 + 32 + 16) + p_nodes * 12 + tree.home.nbytes


@inner
def _column_of(rows, number, attribute):
    for column in range(rows.counts[number]):
        if rows.attributes[number, column] == attribute:
            return column
    return -1


@inner
def _encloses(tree, node, low, high):
    return node >= 0 and tree.ranges[node, 0] <= low and high <= tree.ranges[node, 1]


@inner
def _bucket(tree, node, low, high):
    """The smallest bucket below this one that encloses an interval."""
    while True:
        if _encloses(tree, tree.nodes[node, LEFT], low, high):
            node = tree.nodes[node, LEFT]
        elif _encloses(tree, tree.nodes[node, RIGHT], low, high):
            node = tree.nodes[node, RIGHT]
        else:
            return node


@inner
def _home_of(rows, number, tree):
    """The node for a subscription: down the best partitions, until none has an attribute of it."""
    node = 0
    while True:
        best, depth = -1, -1
        at = tree.nodes[node, FIRST]
        while at >= 0:
            column = _column_of(rows, number, tree.p_nodes[at, OF])
            if column >= 0:
                bucket = _bucket(tree, tree.p_nodes[at, ROOT], rows.lower[number, column], rows.upper[number, column])
                if tree.nodes[bucket, DEPTH] > depth:
                    best, depth = bucket, tree.nodes[bucket, DEPTH]
            at = tree.p_nodes[at, NEXT]
        if best < 0:
            return node
        node = best


@inner
def _new_node(tree, attribute, low, high, depth, parent):
    node = tree.own[NODES]
    tree.own[NODES] += 1
    row = tree.nodes[node]
    row[FIRST], row[LEFT], row[RIGHT], row[COUNT] = -1, -1, -1, 0
    row[CAPACITY], row[DEPTH], row[ATTRIBUTE], row[PARENT] = tree.own[BASE], depth, attribute, parent
    tree.ranges[node, 0], tree.ranges[node, 1] = low, high
    return node


@inner
def _enough(lists, tree, leaf):
    """Whether a split has room: three nodes, a p-node, and a leaf that moves; else the kernel stops before it."""
    return (
        tree.own[NODES] + 4 <= min(tree.nodes.shape[0], lists.heads.size)
        and tree.own[P_NODES] + 2 <= tree.p_nodes.shape[0]
        and has_room(lists, 4)
        and lists.own[0] + 4 * leaf + 256 <= lists.ids.size
    )


@entry
def _insert(lists, first, last, rows, tree, lowest, highest, used):
    for number in range(first, last):
        node = _home_of(rows, number, tree)
        if not _enough(lists, tree, tree.nodes[node, COUNT] + 1):
            return number
        _put(lists, tree, node, number)
        # Splitting can fill a new leaf in turn, which is split when the next one comes to it.
        if tree.nodes[node, COUNT] > tree.nodes[node, CAPACITY]:
            _split(lists, tree, node, rows, lowest, highest, used)
    return last


@inner
def _put(lists, tree, node, number):
    append(lists, node, number, 0.0)
    tree.nodes[node, COUNT] += 1
    tree.home[number] = node


@rare
def _split(lists, tree, node, rows, lowest, highest, used):
    """Space clustering if the node is a bucket that was not yet halved; if that moves none, space partitioning."""
    moved = 0
    if tree.nodes[node, ATTRIBUTE] >= 0 and tree.nodes[node, LEFT] < 0 and tree.nodes[node, DEPTH] < _HALVINGS:
        moved = _cluster(lists, tree, node, rows)
    if moved == 0:
        moved = _partition(lists, tree, node, rows, lowest, highest, used)
    if moved == 0:
        tree.nodes[node, CAPACITY] *= 2


@inner
def _numbers_of(lists, node, count):
    """The subscriptions of a leaf, copied: they are about to move."""
    numbers = np.empty(count, np.int32)
    at, fill, n = lists.heads[node], lists.fills[node], 0
    while at >= 0:
        for place in range(at, at + fill):
            numbers[n] = lists.ids[place]
            n += 1
        at = lists.ids[at - 2]
        fill = lists.ids[at - 1] if at >= 0 else 0
    return numbers


@rare
def _cluster(lists, tree, node, rows):
    attribute, depth = tree.nodes[node, ATTRIBUTE], tree.nodes[node, DEPTH]
    low, high = tree.ranges[node, 0], tree.ranges[node, 1]
    middle = tree.ranges[node, 0] / 2 + tree.ranges[node, 1] / 2
    if not (np.isfinite(middle) and low < middle < high):
        return 0
    numbers = _numbers_of(lists, node, tree.nodes[node, COUNT])
    moved = 0
    for number in numbers:
        column = _column_of(rows, number, attribute)
        if rows.upper[number, column] <= middle or rows.lower[number, column] >= middle:
            moved += 1
    if moved == 0:
        return 0
    left = _new_node(tree, attribute, low, middle, depth + 1, node)
    right = _new_node(tree, attribute, middle, high, depth + 1, node)
    tree.nodes[node, LEFT], tree.nodes[node, RIGHT] = left, right
    for number in numbers:
        column = _column_of(rows, number, attribute)
        if rows.upper[number, column] <= middle:
            _move(lists, tree, node, left, number)
        elif rows.lower[number, column] >= middle:
            _move(lists, tree, node, right, number)
    return moved


@inner
def _move(lists, tree, node, other, number):
    discard(lists, node, number)
    tree.nodes[node, COUNT] -= 1
    _put(lists, tree, other, number)


@rare
def _partition(lists, tree, node, rows, lowest, highest, used):
    """A p-node for the attribute that most of the leaf have, of those that are not on the way here nor have one."""
    numbers = _numbers_of(lists, node, tree.nodes[node, COUNT])
    for number in numbers:
        for column in range(rows.counts[number]):
            used[rows.attributes[number, column]] += 1
    at = node
    while at >= 0:
        if tree.nodes[at, ATTRIBUTE] >= 0:
            used[tree.nodes[at, ATTRIBUTE]] = 0
        at = tree.nodes[at, PARENT]
    best, most = -1, 1
    for number in numbers:
        for column in range(rows.counts[number]):
            attribute = rows.attributes[number, column]
            if used[attribute] > most:
                best, most = attribute, used[attribute]
            used[attribute] = 0
    if best < 0:
        return 0
    root = _new_node(tree, best, lowest[best], highest[best], 0, node)
    p_node = tree.own[P_NODES]
    tree.own[P_NODES] += 1
    tree.p_nodes[p_node, NEXT] = tree.nodes[node, FIRST]
    tree.p_nodes[p_node, OF], tree.p_nodes[p_node, ROOT] = best, root
    tree.nodes[node, FIRST] = p_node
    for number in numbers:
        if _column_of(rows, number, best) >= 0:
            _move(lists, tree, node, root, number)
    return most


@entry
def _match(lists, row, rows, tree, stack, found):
    return _check(row, rows, found, _come_to(lists, row, tree, stack, found))


@inner
def _come_to(lists, row, tree, stack, found):
    """Write down the subscriptions of all leaves that an event comes to; gives how many."""
    ids, _, heads, fills, _ = lists
    nodes, ranges, p_nodes, _, _ = tree
    count, top = 0, 1
    stack[0] = 0
    while top:
        top -= 1
        node = stack[top]
        at, fill = heads[node], fills[node]
        while at >= 0:
            for number in ids[at : at + fill]:
                found[count] = number
                count += 1
            at = ids[at - 2]
            fill = ids[at - 1] if at >= 0 else 0
        left, right = nodes[node, LEFT], nodes[node, RIGHT]
        if left >= 0:
            value = row[nodes[node, ATTRIBUTE]]
            if value <= ranges[left, 1]:
                stack[top] = left
                top += 1
            if value >= ranges[right, 0]:
                stack[top] = right
                top += 1
        at = nodes[node, FIRST]
        while at >= 0:
            if not np.isnan(row[p_nodes[at, OF]]):
                stack[top] = p_nodes[at, ROOT]
                top += 1
            at = p_nodes[at, NEXT]
    return count


@inner
def _check(row, rows, found, there):
    """Keep those that match; they lie anywhere, so they are asked for from memory beforehand."""
    attributes, lower, upper, counts = rows
    count = 0
    for at in range(there):
        if at + _AHEAD < there:
            later = np.int64(found[at + _AHEAD])
            fetch(attributes, later)
            fetch(lower, later)
            fetch(upper, later)
        number = found[at]
        found[count] = number
        count += holds(attributes, lower, upper, counts, number, row)
    return count
