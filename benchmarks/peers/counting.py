"""A counting index in machine code: the stand-in for those in C++ (TAMA, REIN, OpIndex).

For each attribute and value there is a list of the subscriptions with a predicate on the attribute that the value
satisfies. A subscription has a counter that begins at the number of its predicates; for each attribute of an event the
counters in the list of its value go down by one, and those at zero have matched.

In its favour: counters are bytes; subscriptions are taken in blocks, so that counters stay in a near cache and a list
names them in two bytes; counters are set by copying, and eight are looked at together when zeros are sought.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = ["Counting"]

_BLOCK: Final = 1 << 16
_ONES: Final = np.uint64(0x0101010101010101)
_TOPS: Final = np.uint64(0x8080808080808080)
_NEVER: Final = 255  # the counter of a place without a subscription

Integers: TypeAlias = npt.NDArray[np.integer]


class Counting:
    """Subscriptions as conjunctions of closed intervals on attributes with the values 0, 1, … `values` - 1.

    Rows of `attributes`, `lower` and `upper` are subscriptions, columns their predicates; an attribute of -1 is no
    predicate. Several predicates of a subscription may be on one attribute: each counts.
    """

    def __init__(self, attributes: Integers, lower: Integers, upper: Integers, values: int = 32) -> None:
        number, predicates = attributes.shape
        if predicates >= _NEVER:
            raise ValueError(f"{predicates} predicates a subscription: at most {_NEVER - 1}")
        blocks = -(-number // _BLOCK)
        self._values = values
        self._found = np.empty(number, np.int32)
        self._first = np.full(-(-number // 8) * 8, _NEVER, np.uint8)
        self._first[:number] = (attributes >= 0).sum(axis=1)
        lower, upper = np.maximum(lower, 0).astype(np.int16), np.minimum(upper, values - 1).astype(np.int16)
        self.attributes = int(attributes.max(initial=-1)) + 1
        starts = np.zeros(blocks * self.attributes * values + 1, np.int64)
        _count(attributes, lower, upper, self.attributes, values, starts[1:])
        self._starts = np.cumsum(starts)
        self._lists = np.empty(self._starts[-1], np.uint16)
        _fill(attributes, lower, upper, self.attributes, values, self._starts[:-1].copy(), self._lists)
        self._left = np.empty(min(_BLOCK, self._first.size), np.uint8)

    @property
    def nbytes(self) -> int:
        """The memory of the index."""
        arrays = (self._found, self._first, self._starts, self._lists, self._left)
        return sum(array.nbytes for array in arrays)

    def match(self, event: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
        """The numbers of the subscriptions that match, ascending; NaN is an absent attribute."""
        if len(event) < self.attributes:
            raise ValueError(f"an event has {self.attributes} attributes, not {len(event)}")
        left = self._left
        count = _match(
            event,
            self.attributes,
            self._values,
            self._starts,
            self._lists,
            self._first.view(np.uint64),
            left,
            left.view(np.uint64),
            self._found,
        )
        return self._found[:count].copy()


@njit(cache=True)
def _count(attributes, lower, upper, width, values, counts):  # type: ignore[no-untyped-def]
    for row in range(attributes.shape[0]):
        base = (row // _BLOCK) * width
        for column in range(attributes.shape[1]):
            if attributes[row, column] >= 0:
                place = (base + attributes[row, column]) * values
                for value in range(lower[row, column], upper[row, column] + 1):
                    counts[place + value] += 1


@njit(cache=True)
def _fill(attributes, lower, upper, width, values, ends, lists):  # type: ignore[no-untyped-def]
    for row in range(attributes.shape[0]):
        base = (row // _BLOCK) * width
        for column in range(attributes.shape[1]):
            if attributes[row, column] >= 0:
                place = (base + attributes[row, column]) * values
                for value in range(lower[row, column], upper[row, column] + 1):
                    lists[ends[place + value]] = row % _BLOCK
                    ends[place + value] += 1


@njit(cache=True)
def _match(event, width, values, starts, lists, first, left, words, found):  # type: ignore[no-untyped-def]
    count = 0
    for block in range((first.size + words.size - 1) // words.size if words.size else 0):
        part = first[block * words.size : (block + 1) * words.size]
        words[: part.size] = part
        for attribute in range(width):
            number = event[attribute]
            if not 0 <= number < values or number != np.floor(number):
                continue
            place = (block * width + attribute) * values + int(number)
            for at in range(starts[place], starts[place + 1]):
                left[lists[at]] -= 1
        count = _zeros(words[: part.size], left, block * left.size, found, count)
    return count


@njit(cache=True)
def _zeros(words, left, base, found, count):  # type: ignore[no-untyped-def]
    """Write down which counters are zero, after those found before."""
    for word in range(words.size):
        eight = words[word]
        if (eight - _ONES) & ~eight & _TOPS:
            for at in range(8 * word, 8 * word + 8):
                if left[at] == 0:
                    found[count] = base + at
                    count += 1
    return count
