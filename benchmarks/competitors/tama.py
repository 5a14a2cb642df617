"""TAMA: a table of cells, finer from level to level, and counters.

Zhao, Wu: *Towards approximate event processing in a large-scale content-based network*, ICDCS 2011.

| paper | here |
|---|---|
| matching table of an attribute, levels that halve the cells of the one above | nodes 1, 2 to 3, 4 to 7, … of a tree |
| an interval in the fewest cells that make it up, from the top to the bottom | `_cells` |
| discretization level d | `levels` |
| a value lies in one cell of each level: count what is in these | `_match`, up from the finest |
| counting algorithm | bytes, eight looked at together |

Departure. The paper rounds the ends of an interval to the finest cells and is approximate. Here these two cells have
lists of their own, whose entries carry the end that the value is compared with: exact at every level.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from benchmarks.competitors.contract import Ends, IntervalIndex, Numbers
from benchmarks.competitors.counting import NEVER, zeros
from benchmarks.competitors.lists import Pool, append, discard, has_room
from benchmarks.competitors.rein import bucket_of
from semantic_pubsub.matching.arrays.compiling import entry, inner

__all__ = ["Tama"]

_MOST: Final = 64
"""Predicates of a subscription: what is inside one cell is kept as number * 64 + column, taken apart by shifts."""

# The lists of a finest cell: intervals that begin in it, that end in it, equalities, and others that do both.
BEGIN, END, EQUAL, INSIDE = range(4)


class Tama(IntervalIndex):
    """A tree of cells for each attribute, 2^levels nodes, and four lists for each of its 2^(levels - 1) leaves."""

    name = "tama"

    def __init__(self, lowest: Ends, highest: Ends, levels: int = 13) -> None:
        super().__init__(lowest, highest)
        self._leaves = 1 << (levels - 1)
        self._levels = levels
        self._cells = Pool(2 * self._leaves * self.width)
        self._ends = Pool(4 * self._leaves * self.width, valued=True)
        self._first = np.empty(0, np.uint8)
        self._left = np.empty(0, np.uint8)

    def _resized(self, number: int) -> None:
        first = np.full(-(-number // 8) * 8, NEVER, np.uint8)
        first[: len(self._first)] = self._first
        self._first, self._left = first, np.empty_like(first)

    def _insert(self, first: int, last: int) -> None:
        if self.rows.attributes.shape[1] > _MOST:
            raise ValueError(f"at most {_MOST} predicates a subscription")
        room, at = 2 * self._levels * self.rows.attributes.shape[1] + 1, first
        while at < last:
            for pool in (self._cells, self._ends):
                if not pool.has_room(room):
                    pool.grow()
            tree = self.lowest, self.highest, self._leaves
            at = _insert(self._cells.lists, self._ends.lists, at, last, self.rows, *tree, self._levels)
        self._first[first:last] = self.rows.counts[first:last]

    def _delete(self, number: int) -> None:
        _delete(self._cells.lists, self._ends.lists, number, self.rows, self.lowest, self.highest, self._leaves)
        self._first[number] = NEVER

    def _find(self, attributes: Numbers, values: Ends) -> int:
        left, leaves = self._left, self._leaves
        left[:] = self._first
        lists = self._cells.lists, self._ends.lists
        _match(*lists, attributes, values, self.rows, self.lowest, self.highest, leaves, left)
        return zeros(left.view(np.uint64), left, 0, self._found, 0)

    def _index_bytes(self) -> int:
        return self._cells.nbytes + self._ends.nbytes + self._first.nbytes + self._left.nbytes


@entry
def _insert(cells, ends, first, last, rows, lowest, highest, leaves, levels):
    for number in range(first, last):
        entries = 2 * levels * rows.counts[number]
        if not (has_room(cells, entries) and has_room(ends, entries)):
            return number
        for column in range(rows.counts[number]):
            _place(cells, ends, number, column, rows, lowest, highest, leaves, True)
    return last


@entry
def _delete(cells, ends, number, rows, lowest, highest, leaves):
    for column in range(rows.counts[number]):
        _place(cells, ends, number, column, rows, lowest, highest, leaves, False)


@inner
def _place(cells, ends, number, column, rows, lowest, highest, leaves, is_new):
    """Put a predicate into its cells, or take it out: the ends into their own lists, the fewest between them."""
    attribute = rows.attributes[number, column]
    lower, upper = rows.lower[number, column], rows.upper[number, column]
    low = bucket_of(lower, lowest[attribute], highest[attribute], leaves)
    high = bucket_of(upper, lowest[attribute], highest[attribute], leaves)
    base = 4 * leaves * attribute
    if lower == upper:
        _put(ends, base + 4 * low + EQUAL, number, lower, is_new)
    elif low == high:
        _put(ends, base + 4 * low + INSIDE, number * _MOST + column, 0.0, is_new)
    else:
        _put(ends, base + 4 * low + BEGIN, number, lower, is_new)
        _put(ends, base + 4 * high + END, number, upper, is_new)
    base = 2 * leaves * attribute
    left, right = leaves + low + 1, leaves + high
    while left < right:
        if left & 1:
            _put(cells, base + left, number, 0.0, is_new)
            left += 1
        if right & 1:
            right -= 1
            _put(cells, base + right, number, 0.0, is_new)
        left, right = left >> 1, right >> 1


@inner
def _put(lists, which, number, value, is_new):
    if is_new:
        append(lists, which, number, value)
    else:
        discard(lists, which, number)


@entry
def _match(cells, ends, attributes, values, rows, lowest, highest, leaves, left):
    ids, _, heads, fills, _ = cells
    end_ids, end_values, end_heads, end_fills, _ = ends
    _, lower, upper, _ = rows
    for at in range(attributes.size):
        attribute, value = attributes[at], values[at]
        cell = bucket_of(value, lowest[attribute], highest[attribute], leaves)
        base = 4 * (leaves * attribute + cell)
        for kind in (BEGIN, END, EQUAL):
            start, fill = end_heads[base + kind], end_fills[base + kind]
            while start >= 0:
                _compare(end_ids, end_values, start, fill, value, kind, left)
                start = end_ids[start - 2]
                fill = end_ids[start - 1] if start >= 0 else 0
        _check(end_ids, end_heads, end_fills, base + INSIDE, value, lower, upper, left)
        base, node = 2 * leaves * attribute, leaves + cell
        while node:
            _count_down(ids, heads, fills, base + node, left)
            node >>= 1


@inner
def _count_down(ids, heads, fills, which, left):
    at, fill = heads[which], fills[which]
    while at >= 0:
        for number in ids.view(np.uint32)[at : at + fill]:
            left[number] -= np.uint8(1)
        at = ids[at - 2]
        fill = ids[at - 1] if at >= 0 else 0


@inner
def _compare(ids, ends, start, fill, value, kind, left):
    """The other end of these is in another cell, or is the same."""
    numbers, own = ids.view(np.uint32)[start : start + fill], ends[start : start + fill]
    for place in range(numbers.size):
        end = own[place]
        left[numbers[place]] -= np.uint8(
            end <= value if kind == BEGIN else value <= end if kind == END else end == value
        )


@inner
def _check(ids, heads, fills, which, value, lower, upper, left):
    """Intervals that begin and end in the cell of a value."""
    at, fill = heads[which], fills[which]
    while at >= 0:
        for both in ids.view(np.uint32)[at : at + fill]:
            number, column = both >> np.uint32(6), both & np.uint32(63)
            if lower[number, column] <= value <= upper[number, column]:
                left[number] -= np.uint8(1)
        at = ids[at - 2]
        fill = ids[at - 1] if at >= 0 else 0
