"""A table from integers to integers in a fraction of a dict's memory, for millions of them."""

from __future__ import annotations

import numpy as np

__all__ = ["IntTable"]


class IntTable:
    """Open addressing, at most two thirds full; keys and values are not negative."""

    def __init__(self) -> None:
        self._size = 0
        self._keys = np.full(16, -1, np.int64)
        self._values = np.zeros(16, np.int32)

    def __len__(self) -> int:
        return self._size

    def get(self, key: int) -> int:
        """The value of a key, or -1."""
        keys, mask = self._keys, len(self._keys) - 1
        at = _place(key, mask)
        while (there := keys[at]) != -1:
            if there == key:
                return int(self._values[at])
            at = (at + 1) & mask
        return -1

    def put(self, key: int, value: int) -> None:
        """Another key; it must not be there."""
        if 3 * (self._size + 1) > 2 * len(self._keys):
            self._grow()
        self._insert(key, value)
        self._size += 1

    def _insert(self, key: int, value: int) -> None:
        mask = len(self._keys) - 1
        at = _place(key, mask)
        while self._keys[at] != -1:
            at = (at + 1) & mask
        self._keys[at], self._values[at] = key, value

    def _grow(self) -> None:
        taken = self._keys >= 0
        old = zip(self._keys[taken].tolist(), self._values[taken].tolist(), strict=True)
        size = 2 * len(self._keys)
        self._keys, self._values = np.full(size, -1, np.int64), np.zeros(size, np.int32)
        for key, value in old:
            self._insert(key, value)

    def memory(self) -> int:
        """Bytes in use."""
        return self._keys.nbytes + self._values.nbytes


def _place(key: int, mask: int) -> int:
    return (key * 0x9E3779B97F4A7C15 >> 20) & mask
