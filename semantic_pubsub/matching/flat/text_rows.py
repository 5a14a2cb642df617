"""Rows of several texts as small integers: equal rows have one number, from batch to batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from semantic_pubsub.matching.arrays.addressed import Addresses
from semantic_pubsub.matching.flat.kernels import number_rows, rehash_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TextColumn", "TextRows"]

_FIRST: Final = 1024
_PADDING: Final = 8  # bytes behind the last letter, which the kernels read


class TextColumn(NamedTuple):
    """Texts one after the other in UTF-8: the n-th is `letters[starts[n]:starts[n + 1]]`. `present` is empty where none
    is null, else one byte for each."""

    starts: npt.NDArray[np.int32]
    letters: npt.NDArray[np.uint8]
    present: npt.NDArray[np.uint8]


class TextRows:
    """Numbers rows of `columns` texts by what stands in them."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._table = np.full(2 * _FIRST, -1, np.int32)
        self._keys = np.zeros(_FIRST, np.int64)
        self._known = np.zeros(_FIRST * 2 * columns, np.int64)
        self._kept = np.zeros(64 * _FIRST, np.uint8)
        self._state = np.zeros(4, np.int64)

    def __len__(self) -> int:
        """How many different rows there were."""
        return int(self._state[0])

    def number(self, columns: Sequence[TextColumn]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """The number of each row, and where rows stand that were not seen before, in the order of their numbers."""
        rows = len(columns[0].starts) - 1
        codes, new = np.empty(rows, np.int32), np.empty(rows, np.int64)
        addresses = Addresses(3 * len(columns))
        for number, column in enumerate(columns):
            addresses.put(3 * number, column.starts)
            addresses.put(3 * number + 1, _padded(column))
            addresses.put(3 * number + 2, column.present)
        state = self._state
        state[2] = done = 0
        while True:
            own = self._table, self._keys, self._known, self._kept
            done = number_rows(addresses.array, len(columns), done, codes, *own, state, new)
            if done == rows:
                return codes, new[: state[2]]
            self._grow(int(state[3]))

    def _grow(self, letters: int) -> None:
        count = len(self)
        if count >= len(self._keys) or 2 * (count + 1) > len(self._table):
            self._keys = np.concatenate((self._keys, np.zeros_like(self._keys)))
            self._known = np.concatenate((self._known, np.zeros_like(self._known)))
            self._table = np.full(4 * len(self._keys), -1, np.int32)
            rehash_rows(self._keys, count, self._table)
        if int(self._state[1]) + letters + _PADDING > len(self._kept):
            self._kept = np.concatenate((self._kept, np.zeros(len(self._kept) + letters + _PADDING, np.uint8)))


def _padded(column: TextColumn) -> npt.NDArray[np.uint8]:
    if len(column.letters) - int(column.starts[-1]) >= _PADDING:
        return column.letters
    return np.concatenate((column.letters, np.zeros(_PADDING, np.uint8)))
