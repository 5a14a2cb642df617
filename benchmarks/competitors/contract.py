"""What the competitors on intervals have in common: conjunctions of closed intervals on numbered attributes.

An equality is an interval with equal ends, an open side an infinite end (−∞ below, ∞ above), an end that does not
belong to it the next double. Several predicates of a subscription may be on one attribute: each must hold. An event is
a pair of arrays, the attributes that it has, each once, and their values; `match_row` takes a row with NaN for what is
absent.

Subscriptions have numbers; one that was removed is used again. A subclass keeps an index (`_insert`, `_delete`,
`_find`), here are the predicates as rows (`Rows`), which some need for matching and all for removing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from semantic_pubsub.matching.arrays.compiling import forget_the_outdated

__all__ = ["Conjunctions", "IntervalIndex", "Numbers", "Rows", "event_of_row"]

forget_the_outdated(Path(__file__).parent)  # before any kernel of the competitors is loaded

Numbers: TypeAlias = npt.NDArray[np.int32]
Integers: TypeAlias = npt.NDArray[np.integer]
Ends: TypeAlias = npt.NDArray[np.float64]

FREE = -1
"""In place of a count of predicates: nobody has this number."""


class Conjunctions(NamedTuple):
    """Rows are subscriptions, columns their predicates; an attribute of -1 is no predicate."""

    attributes: Integers
    lower: npt.NDArray[np.number]
    upper: npt.NDArray[np.number]

    def part(self, which: slice) -> Conjunctions:
        """Some of the rows."""
        return Conjunctions(self.attributes[which], self.lower[which], self.upper[which])


class Rows(NamedTuple):
    """The predicates by number, those that there are first, and how many."""

    attributes: Numbers
    lower: Ends
    upper: Ends
    counts: npt.NDArray[np.int16]

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)

    def resized(self, number: int, width: int) -> Rows:
        """The same with more room."""
        attributes = np.full((number, width), -1, np.int32)
        lower, upper = np.zeros((number, width)), np.zeros((number, width))
        counts = np.full(number, FREE, np.int16)
        for new, old in zip((attributes, lower, upper), self[:3], strict=True):
            new[: old.shape[0], : old.shape[1]] = old
        counts[: len(self.counts)] = self.counts
        return Rows(attributes, lower, upper, counts)


_NOTHING = Rows(np.empty((0, 0), np.int32), np.empty((0, 0)), np.empty((0, 0)), np.empty(0, np.int16))


class IntervalIndex(ABC):
    """Subscriptions by number. `lowest` and `highest` say in which range the values of each attribute mostly are."""

    name: ClassVar[str]
    changes: ClassVar[bool] = True
    """Whether it is made for adding and removing between events; else it is built anew."""
    reads_rows: ClassVar[bool] = True
    """Whether matching reads the rows of predicates: then they count as memory of the index."""

    def __init__(self, lowest: Ends, highest: Ends) -> None:
        self.lowest, self.highest = np.asarray(lowest, np.float64), np.asarray(highest, np.float64)
        self.width = len(self.lowest)
        self.rows = _NOTHING
        self.size = 0
        """Numbers that were given so far."""
        self._free: list[int] = []
        self._found = np.empty(0, np.int32)

    def add(self, attributes: Integers, lower: Ends, upper: Ends) -> int:
        """Another subscription; gives its number."""
        self._check(attributes)
        if len(attributes) and attributes.min() < 0:
            there = attributes >= 0
            attributes, lower, upper = attributes[there], lower[there], upper[there]
        count = len(attributes)
        number = self._free.pop() if self._free else self.size
        self.size = max(self.size, number + 1)
        self._reserve(self.size, count)
        rows = self.rows
        rows.attributes[number, :count], rows.attributes[number, count:] = attributes, -1
        rows.lower[number, :count], rows.upper[number, :count] = lower, upper
        rows.counts[number] = count
        self._insert(number, number + 1)
        return number

    def add_all(self, given: Conjunctions) -> None:
        """Many new ones at once, numbered in their order."""
        self._check(given.attributes)
        first, last = self.size, self.size + len(given.attributes)
        self._reserve(last, given.attributes.shape[1])
        self.size = last
        for start in range(first, last, 1 << 18):
            block = slice(start, min(start + (1 << 18), last))
            self._write(block, given.part(slice(block.start - first, block.stop - first)))
            self._insert(block.start, block.stop)

    def remove(self, number: int) -> None:
        """Forget a subscription."""
        if not 0 <= number < self.size or self.rows.counts[number] == FREE:
            raise KeyError(number)
        self._delete(number)
        self.rows.counts[number] = FREE
        self._free.append(number)

    def match(self, attributes: Numbers, values: Ends) -> Numbers:
        """The numbers of the subscriptions that an event satisfies, in no particular order."""
        return self._found[: self._find(attributes, values)].copy()

    def match_row(self, row: Ends) -> Numbers:
        """The same for a row with a column for each attribute; NaN is an absent one."""
        if len(row) < self.width:
            raise ValueError(f"an event has {self.width} attributes, not {len(row)}")
        return self.match(*event_of_row(row[: self.width]))

    @property
    def nbytes(self) -> int:
        """The memory of what matching reads."""
        return self._index_bytes() + (self.rows.nbytes if self.reads_rows else 0)

    def __len__(self) -> int:
        return self.size - len(self._free)

    # what subclasses say

    @abstractmethod
    def _insert(self, first: int, last: int) -> None:
        """Let the subscriptions of these numbers be found; their rows are there."""

    @abstractmethod
    def _delete(self, number: int) -> None:
        """Let a subscription be found no more; its row is still there."""

    @abstractmethod
    def _find(self, attributes: Numbers, values: Ends) -> int:
        """Write what matches into `_found`; gives how many."""

    @abstractmethod
    def _index_bytes(self) -> int: ...

    def _resized(self, number: int) -> None:  # noqa: B027 - most have arrays of their own, the scan has none
        """Room for numbers below this one is needed; for arrays of a subclass that have an entry for each."""

    # rows

    def _check(self, attributes: Integers) -> None:
        if attributes.size and int(attributes.max()) >= self.width:
            raise ValueError(f"attribute {int(attributes.max())}: there are {self.width}")

    def _reserve(self, number: int, width: int) -> None:
        room, columns = self.rows.attributes.shape
        if number > room or width > columns:
            if number > room:  # a bulk gets what it needs, single ones an eighth more
                room = max(number, room + room // 8 + 64)
            self.rows = self.rows.resized(room, max(width, columns))
            self._found = np.empty(room, np.int32)
            self._resized(room)

    def _write(self, where: slice, given: Conjunctions) -> None:
        attributes = given.attributes
        order = np.argsort(attributes < 0, axis=1, kind="stable")  # what is no predicate comes last
        width = attributes.shape[1]
        self.rows.attributes[where] = -1
        for row, part in zip(self.rows[:3], given, strict=True):
            row[where, :width] = np.take_along_axis(part, order, axis=1)
        self.rows.counts[where] = (attributes >= 0).sum(axis=1)


def event_of_row(row: Ends) -> tuple[Numbers, Ends]:
    """The attributes and values of a row without NaN."""
    there = np.flatnonzero(~np.isnan(row)).astype(np.int32)
    return there, row[there]
