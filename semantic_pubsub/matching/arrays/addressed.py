"""Many tables as one argument: a list of addresses.

Handing an array to a kernel takes 0.1 µs, as long as matching some thousand subscriptions. So the tables of an index
are handed over together, as one array with the address and the length of each, and found again inside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic

from semantic_pubsub.matching.arrays.compiling import inner

__all__ = ["Addresses", "bytes_of", "doubles", "doubles_from", "ints", "longs", "words", "words_from"]


class Addresses:
    """Where the tables of an index are; `put` keeps a table alive until another takes its place."""

    def __init__(self, tables: int) -> None:
        self.array: npt.NDArray[np.int64] = np.zeros(2 * tables, np.int64)
        self._kept: list[object] = [None] * tables

    def put(self, table: int, array: npt.NDArray[Any]) -> None:
        """A table's array, whenever it is a new one."""
        if self._kept[table] is not array:
            self._kept[table] = array
            self.array[2 * table] = array.ctypes.data
            self.array[2 * table + 1] = array.size


@intrinsic
def _pointer(_context: Any, _address: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), generate


@inner
def ints(addresses: Any, table: int) -> Any:
    """A table of 32-bit integers."""
    return carray(_pointer(addresses[2 * table]), (addresses[2 * table + 1],), np.int32)


@inner
def bytes_of(addresses: Any, table: int) -> Any:
    """A table of bytes."""
    return carray(_pointer(addresses[2 * table]), (addresses[2 * table + 1],), np.uint8)


@inner
def longs(addresses: Any, table: int) -> Any:
    """A table of 64-bit integers."""
    return carray(_pointer(addresses[2 * table]), (addresses[2 * table + 1],), np.int64)


@inner
def words(addresses: Any, table: int) -> Any:
    """A table of 64-bit words."""
    return carray(_pointer(addresses[2 * table]), (addresses[2 * table + 1],), np.uint64)


@inner
def doubles(addresses: Any, table: int) -> Any:
    """A table of doubles (or of 64-bit words read as such)."""
    return carray(_pointer(addresses[2 * table]), (addresses[2 * table + 1],), np.float64)


@inner
def doubles_from(addresses: Any, table: int, first: int, count: int) -> Any:
    """Some doubles of a table, as an array that begins there."""
    return carray(_pointer(addresses[2 * table] + 8 * first), (count,), np.float64)


@inner
def words_from(addresses: Any, table: int, first: int, count: int) -> Any:
    """Some words of a table, as an array that begins there: the compiler makes vector instructions of loops over it."""
    return carray(_pointer(addresses[2 * table] + 8 * first), (count,), np.uint64)
