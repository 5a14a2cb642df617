"""Many lists that grow and shrink, in a few arrays that kernels read: entries are numbers, with a double if asked.

A list is one chunk that doubles from 4 entries to 1,024, and from there on a chain of chunks, the newest first and only
that one partly filled: short lists are small, all are read in order. Before a chunk stand the chunk before it and its
length. Chunks that become free are used again.

A kernel that adds asks `has_room` first, and gives back where it stopped; `Pool.filled` makes room and goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from semantic_pubsub.matching.arrays.compiling import entry, inner, rare

__all__ = ["Lists", "Pool", "append", "discard", "has_room"]

_LEAST: Final = 4
_MOST: Final = 1024
_HEADER: Final = 2
_END: Final = 0  # in `own`: the first entry that was never used
_FREE: Final = 1  # in `own`, and after it: free chunks by the logarithm of their length

Int32s = npt.NDArray[np.int32]


class Lists(NamedTuple):
    """What kernels get."""

    ids: Int32s
    values: npt.NDArray[np.float64]
    heads: Int32s
    fills: Int32s
    own: npt.NDArray[np.int64]


class Pool:
    """Lists that Python makes room for. Without `valued` the entries are numbers alone."""

    def __init__(self, number: int, *, valued: bool = False) -> None:
        self._valued = valued
        own = np.full(16, -1, np.int64)
        own[_END] = _HEADER
        self.lists = Lists(np.zeros(1 << 10, np.int32), np.zeros(0), *_empty(number), own)
        self.grow()

    def grow(self) -> None:
        """Half as much room again for entries."""
        ids, values, *rest = self.lists
        size = len(ids) + len(ids) // 2
        self.lists = Lists(_longer(ids, size), _longer(values, size if self._valued else 0), *rest)

    def has_room(self, entries: int) -> bool:
        """Whether so many entries can be appended, wherever they go."""
        return int(self.lists.own[_END]) + entries * (_MOST + _HEADER) <= len(self.lists.ids)

    def more_lists(self, number: int) -> None:
        """Room for some lists in all."""
        heads, fills = _empty(max(number, len(self.lists.heads) * 3 // 2))
        heads[: len(self.lists.heads)], fills[: len(self.lists.fills)] = self.lists.heads, self.lists.fills
        self.lists = self.lists._replace(heads=heads, fills=fills)

    def filled(self, first: int, last: int, insert: Callable[[Lists, int, int], int]) -> None:
        """Call a kernel until it has inserted everything from `first` to `last`."""
        while (first := insert(self.lists, first, last)) < last:
            self.grow()

    @property
    def nbytes(self) -> int:
        """Bytes in use: chunks, and the table of lists."""
        lists = self.lists
        each = lists.ids.itemsize + (lists.values.itemsize if self._valued else 0)
        return int(lists.own[_END]) * each + lists.heads.nbytes + lists.fills.nbytes


def _empty(number: int) -> tuple[Int32s, Int32s]:
    return np.full(number, -1, np.int32), np.zeros(number, np.int32)


def _longer(array: npt.NDArray[np.generic], size: int) -> npt.NDArray[np.generic]:
    longer = np.zeros(size, array.dtype)
    longer[: len(array)] = array
    return longer


@inner
def has_room(lists, entries):
    """Whether so many entries can be appended, wherever they go."""
    return lists.own[_END] + entries * (_MOST + _HEADER) <= lists.ids.size


@rare
def append(lists, which, number, value):
    """Another entry of a list; the caller has asked for room."""
    head, fill = lists.heads[which], lists.fills[which]
    if head < 0 or fill == lists.ids[head - 1]:
        head, fill = _longer_chunk(lists, which, head, fill)
    lists.ids[head + fill] = number
    if lists.values.size:
        lists.values[head + fill] = value
    lists.fills[which] = fill + 1


@rare
def _longer_chunk(lists, which, head, fill):
    """Room for another entry: a chunk of twice the length, or another one once they are long."""
    if head >= 0 and fill < _MOST:
        start = _take(lists, 2 * fill)
        lists.ids[start - 2] = lists.ids[head - 2]
        lists.ids[start : start + fill] = lists.ids[head : head + fill]
        if lists.values.size:
            lists.values[start : start + fill] = lists.values[head : head + fill]
        _give(lists, head)
    else:
        start = _take(lists, _LEAST if head < 0 else _MOST)
        lists.ids[start - 2] = head
        fill = 0
    lists.heads[which] = start
    return start, fill


@entry
def discard(lists, which, number):
    """Take one entry with this number out of a list; gives whether there was one."""
    head, last = lists.heads[which], lists.fills[which] - 1
    at, fill = head, lists.fills[which]
    while at >= 0:
        for place in range(at, at + fill):
            if lists.ids[place] == number:
                lists.ids[place] = lists.ids[head + last]
                if lists.values.size:
                    lists.values[place] = lists.values[head + last]
                _shorten(lists, which, head, last)
                return True
        at = lists.ids[at - 2]
        fill = lists.ids[at - 1] if at >= 0 else 0
    return False


@inner
def _shorten(lists, which, head, last):
    lists.fills[which] = last
    if last == 0:
        before = lists.ids[head - 2]
        _give(lists, head)
        lists.heads[which] = before
        lists.fills[which] = lists.ids[before - 1] if before >= 0 else 0


@inner
def _take(lists, length):
    which = _FREE
    while (_LEAST << (which - _FREE)) < length:
        which += 1
    start = lists.own[which]
    if start >= 0:
        lists.own[which] = lists.ids[start - 2]
    else:
        start = lists.own[_END]
        lists.own[_END] = start + length + _HEADER
    lists.ids[start - 1] = length
    return start


@inner
def _give(lists, start):
    which = _FREE
    while (_LEAST << (which - _FREE)) < lists.ids[start - 1]:
        which += 1
    lists.ids[start - 2] = lists.own[which]
    lists.own[which] = start
