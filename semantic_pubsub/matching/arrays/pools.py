"""Tables that grow without a copy: numpy arrays on private memory of their own.

A million rows that are copied when they grow make everybody wait. Where the system can (Linux), a table is an
anonymous mapping that is enlarged in place; elsewhere it is copied, which is right but slower.
"""

from __future__ import annotations

import mmap
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["Pool", "Spans"]

_PAGE: Final = 1 << 16
_LARGE: Final = 1 << 23
_CAN_GROW: Final = hasattr(mmap, "MAP_ANONYMOUS") and hasattr(mmap.mmap, "resize")


class Pool:
    """A table of rows with `size` of them in use; `array` is the whole capacity and is replaced when it grows."""

    def __init__(self, dtype: npt.DTypeLike, width: int = 1, fill: int = 0) -> None:
        self.dtype = np.dtype(dtype)
        self.width = width
        self.fill = fill
        self.size = 0
        self._memory: mmap.mmap | None = None
        self.array: npt.NDArray[Any] = self._shaped(np.empty(0, self.dtype))

    def reserve(self, more: int) -> None:
        """Make room for further rows."""
        wanted = self.size + more
        if wanted > len(self.array):
            self._grow(wanted)

    def take(self, count: int = 1) -> int:
        """The number of the first of `count` new rows."""
        if self.size + count > len(self.array):
            self._grow(self.size + count)
        first = self.size
        self.size += count
        return first

    def adopt(self, rows: npt.NDArray[Any]) -> None:
        """Use these rows where they lie, as all there is; they are copied when the table must grow."""
        if rows.dtype != self.dtype or rows.shape[1:] != self.array.shape[1:]:
            raise ValueError(f"rows of {rows.dtype} {rows.shape[1:]} for {self.dtype} {self.array.shape[1:]}")
        if len(rows):  # otherwise the room that is there will do
            self._memory = None
            self.array = rows
        self.size = len(rows)

    def _grow(self, wanted: int) -> None:
        row = self.width * self.dtype.itemsize
        rows = max(wanted, len(self.array) + (len(self.array) >> 2))
        length = -(-rows * row // _PAGE) * _PAGE
        before = len(self.array)
        flat = self._enlarged(length)
        self.array = self._shaped(flat[: length // row * self.width])
        if self.fill:
            self.array[before:] = self.fill

    def _enlarged(self, length: int) -> npt.NDArray[Any]:
        old = self.array
        self.array = self._shaped(np.empty(0, self.dtype))  # a mapping with a view on it cannot be resized
        if _CAN_GROW:
            try:
                if self._memory is None:
                    self._memory = mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
                    self._use_large_pages(length)
                    flat = np.frombuffer(self._memory, self.dtype, length // self.dtype.itemsize)
                    flat[: old.size] = old.reshape(-1)  # rows that were adopted, or copied for want of a mapping
                    return flat
                del old
                self._memory.resize(length)
                self._use_large_pages(length)
            except (BufferError, OSError, SystemError, ValueError):
                pass
            else:
                return np.frombuffer(self._memory, self.dtype, length // self.dtype.itemsize)
        fresh = np.zeros(length // self.dtype.itemsize, self.dtype)
        previous = old.reshape(-1) if self._memory is None else np.frombuffer(self._memory, self.dtype)
        fresh[: len(previous)] = previous
        self._memory = None
        return fresh

    def _use_large_pages(self, length: int) -> None:
        """A large table that is read here and there spends its time looking up pages: the fewer, the better."""
        if length >= _LARGE and self._memory is not None and hasattr(mmap, "MADV_HUGEPAGE"):
            self._memory.madvise(mmap.MADV_HUGEPAGE)

    def _shaped(self, flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return flat.reshape(-1, self.width) if self.width > 1 else flat


class Spans:
    """Runs of a one-column pool, handed out by length and taken back for reuse."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._free: dict[int, list[int]] = {}

    def take(self, length: int) -> int:
        """The start of a run of this length."""
        free = self._free.get(length)
        return free.pop() if free else self._pool.take(length)

    def give(self, start: int, length: int) -> None:
        """Let somebody else have the run."""
        self._free.setdefault(length, []).append(start)

    def free(self) -> list[tuple[int, int]]:
        """The runs that were given back, as (start, length), in the order in which to give them again."""
        return [(start, length) for length, starts in self._free.items() for start in starts]
