"""REIN: find what does not match, and take the rest.

Qian, Cao, Zhu, Li: *REIN: a fast event matching approach for content-based publish/subscribe systems*, INFOCOM 2014.

| paper | here |
|---|---|
| rectangle intersection: an interval fails if its low end is above the value, or its high end below | `_mark` |
| two lists of buckets for each attribute, of low and of high ends | lists `2 (a B + b)` and `2 (a B + b) + 1` |
| traverse the buckets above the value's in one, below in the other | `_mark_lists` |
| compare each end in the value's own buckets | `_mark_bucket` |
| a bit set of what does not match; unset bits are the answer | `_marks` |

Departures. An attribute that the event does not have marks all that ask for it, which the published code forgets. Ends
outside the range are in the outermost buckets, which changes nothing: buckets keep the order of the ends.
"""

from __future__ import annotations

import numpy as np

from benchmarks.competitors.contract import Ends, IntervalIndex, Numbers
from benchmarks.competitors.lists import Pool, append, discard, has_room
from semantic_pubsub.matching.arrays.compiling import entry, inner

__all__ = ["Rein", "bucket_of"]


class Rein(IntervalIndex):
    """Two bucket lists for each attribute, and a bit set."""

    name = "rein"
    reads_rows = False

    def __init__(self, lowest: Ends, highest: Ends, buckets: int = 64) -> None:
        super().__init__(lowest, highest)
        self._buckets = buckets
        self._pool = Pool(2 * buckets * self.width, valued=True)
        self._gone = np.empty(0, np.uint64)  # bits of the numbers that nobody has
        self._marks = np.empty(0, np.uint64)

    def _resized(self, number: int) -> None:
        gone = np.full(-(-number // 64), 0xFFFF_FFFF_FFFF_FFFF, np.uint64)
        gone[: len(self._gone)] = self._gone
        self._gone, self._marks = gone, np.empty_like(gone)

    def _insert(self, first: int, last: int) -> None:
        self._pool.filled(
            first,
            last,
            lambda lists, at, end: _insert(
                lists, at, end, self.rows, self.lowest, self.highest, self._buckets, self._gone
            ),
        )

    def _delete(self, number: int) -> None:
        _delete(self._pool.lists, number, self.rows, self.lowest, self.highest, self._buckets, self._gone)

    def _find(self, attributes: Numbers, values: Ends) -> int:
        row = np.full(self.width, np.nan)
        row[attributes] = values
        self._marks[:] = self._gone
        _mark(self._pool.lists, row, self.lowest, self.highest, self._buckets, self._marks)
        return _unmarked(self._marks, self._found)

    def _index_bytes(self) -> int:
        return self._pool.nbytes + self._gone.nbytes + self._marks.nbytes


@inner
def bucket_of(value, lowest, highest, buckets):
    """The bucket of a value when a range is divided evenly; buckets keep the order of values."""
    if value <= lowest:
        return 0
    if value >= highest:
        return buckets - 1
    return min(buckets - 1, int((value - lowest) / (highest - lowest) * buckets))


@entry
def _insert(lists, first, last, rows, lowest, highest, buckets, gone):
    for number in range(first, last):
        if not has_room(lists, 2 * rows.counts[number]):
            return number
        for column in range(rows.counts[number]):
            attribute = rows.attributes[number, column]
            low, high = rows.lower[number, column], rows.upper[number, column]
            base = attribute * buckets
            bucket = bucket_of(low, lowest[attribute], highest[attribute], buckets)
            append(lists, 2 * (base + bucket), number, low)
            bucket = bucket_of(high, lowest[attribute], highest[attribute], buckets)
            append(lists, 2 * (base + bucket) + 1, number, high)
        gone[number >> 6] &= ~(np.uint64(1) << np.uint64(number & 63))
    return last


@entry
def _delete(lists, number, rows, lowest, highest, buckets, gone):
    for column in range(rows.counts[number]):
        attribute = rows.attributes[number, column]
        base = attribute * buckets
        low, high = rows.lower[number, column], rows.upper[number, column]
        discard(lists, 2 * (base + bucket_of(low, lowest[attribute], highest[attribute], buckets)), number)
        discard(lists, 2 * (base + bucket_of(high, lowest[attribute], highest[attribute], buckets)) + 1, number)
    gone[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@entry
def _mark(lists, row, lowest, highest, buckets, marks):
    ids, values, heads, fills, _ = lists
    for attribute in range(row.size):
        value, base = row[attribute], attribute * buckets
        if np.isnan(value):
            _mark_lists(ids, heads, fills, base, base + buckets, 0, marks)
            continue
        own = bucket_of(value, lowest[attribute], highest[attribute], buckets)
        _mark_lists(ids, heads, fills, base + own + 1, base + buckets, 0, marks)
        _mark_lists(ids, heads, fills, base, base + own, 1, marks)
        _mark_bucket(ids, values, heads, fills, 2 * (base + own), value, 1.0, marks)
        _mark_bucket(ids, values, heads, fills, 2 * (base + own) + 1, -value, -1.0, marks)


@inner
def _mark_lists(ids, heads, fills, first, last, side, marks):
    """All entries of some buckets of one side."""
    numbers = ids.view(np.uint32)
    for bucket in range(first, last):
        which = 2 * bucket + side
        at, fill = heads[which], fills[which]
        while at >= 0:
            for number in numbers[at : at + fill]:
                marks[number >> np.uint32(6)] |= np.uint64(1) << np.uint64(number & np.uint32(63))
            at = ids[at - 2]
            fill = ids[at - 1] if at >= 0 else 0


@inner
def _mark_bucket(ids, values, heads, fills, which, value, sign, marks):
    """The entries of one bucket that are above a value; below it, if both signs are turned."""
    at, fill = heads[which], fills[which]
    while at >= 0:
        numbers, ends = ids.view(np.uint32)[at : at + fill], values[at : at + fill]
        for place in range(numbers.size):
            if sign * ends[place] > value:
                number = numbers[place]
                marks[number >> np.uint32(6)] |= np.uint64(1) << np.uint64(number & np.uint32(63))
        at = ids[at - 2]
        fill = ids[at - 1] if at >= 0 else 0


@entry
def _unmarked(marks, found):
    count = 0
    for word in range(marks.size):
        left = ~marks[word]
        base = word << 6
        while left:
            if left & np.uint64(1):
                found[count] = base
                count += 1
            left >>= np.uint64(1)
            base += 1
    return count
