"""The tables of an array index: each found by its number, grown when it must, known to the kernels by its address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from semantic_pubsub.matching.arrays.addressed import Addresses
from semantic_pubsub.matching.arrays.pools import Pool
from semantic_pubsub.matching.flat import layout as at

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["TableKind", "Tables"]

_INT, _LONG, _WORD, _DOUBLE = np.int32, np.int64, np.uint64, np.float64
_TYPES: Final[dict[int, Any]] = {
    at.PRED_LOWER: _DOUBLE,
    at.PRED_UPPER: _DOUBLE,
    at.SIGHT: _DOUBLE,
    at.COUNTS: _LONG,
    at.HASH_KEYS: _LONG,
    at.COLUMN_LEVELS: _LONG,
    at.ATTR_MASK: _WORD,
    at.ITEM_MASK: _WORD,
    at.CHUNKS: _WORD,
    at.CHUNK_WORK: _WORD,
    at.COLUMN_RANGE: _DOUBLE,
    at.CUTS: _DOUBLE,
    at.TRUTH: np.uint8,
}
_FILL: Final = {
    **dict.fromkeys((at.COLUMN_HEAD, at.COLUMN_BUCKET, at.ITEM_BUCKET, at.HASH_KEYS), -1),
    **dict.fromkeys((at.GROUP_ROW, at.ATTR_ROW, at.ITEM_ROW), -1),
    **dict.fromkeys((at.COLUMN_ROW, at.CLOSURE_ROW, at.CELL_ROWS), at.ROW_UNKNOWN),
    **dict.fromkeys((at.ITEM_VIEWS, at.COLUMN_VIEWS), -1),
    at.SIGHT: np.nan,
}
_LARGE: Final = frozenset(
    (at.SLOTS, at.SPANS, at.ROWS, at.CHUNKS, at.FIRSTS, at.PRED_LOWER, at.PRED_UPPER, at.PRED_VIEW, at.OUT)
)
_SCRATCH: Final = frozenset(
    (
        at.ATTR_MASK,
        at.ITEM_MASK,
        at.COLUMN_HEAD,
        at.SIGHT,
        at.TOUCHED,
        at.OUT,
        at.WORK,
        at.TRUTH,
        at.AWAKE,
        at.CHUNK_WORK,
    )
)


class TableKind(NamedTuple):
    """What a table is made of: a type, what fills it where nothing was written, whether it grows in place, and whether
    it only holds the event at hand and so is not saved."""

    dtype: Any
    fill: float = 0
    large: bool = False
    scratch: bool = False


_SHARED: Final = tuple(
    TableKind(_TYPES.get(table, _INT), _FILL.get(table, 0), table in _LARGE, table in _SCRATCH)
    for table in range(at.TABLES)
)


class Tables:
    """Arrays by number: those of `layout.py`, and an index's own after them. A large one grows in place where the
    system can (`Pool`; it is filled with 0), a small one is copied."""

    def __init__(self, own: Sequence[TableKind] = ()) -> None:
        self.kinds = (*_SHARED, *own)
        self.kept = tuple(table for table, kind in enumerate(self.kinds) if not kind.scratch)
        """The tables that are saved."""
        self.addresses = Addresses(len(self.kinds))
        self._pools = {table: Pool(kind.dtype) for table, kind in enumerate(self.kinds) if kind.large}
        self.arrays: list[npt.NDArray[Any]] = []
        for table, kind in enumerate(self.kinds):
            self.arrays.append(np.zeros(0, kind.dtype))
            self.reserve(table, 8)
        self.reserve(at.CHUNK_WORK, 4 * at.CHUNK_WORDS)

    def __getitem__(self, table: int) -> npt.NDArray[Any]:
        return self.arrays[table]

    def reserve(self, table: int, size: int) -> None:
        """Room for so many elements."""
        old = self.arrays[table]
        if size <= len(old):
            return
        pool = self._pools.get(table)
        if pool is not None:
            pool.size = len(old)
            del old
            self.arrays[table] = np.zeros(0, pool.dtype)
            self.addresses.put(table, self.arrays[table])  # nobody may look at what is about to move
            pool.reserve(max(0, size - pool.size))
            self.put(table, pool.array)
            return
        kind = self.kinds[table]
        fresh = np.full(max(size, 2 * len(old)), kind.fill, kind.dtype)
        fresh[: len(old)] = old
        if table == at.COLUMN_RANGE:
            fresh[len(old) :: 2], fresh[len(old) + 1 :: 2] = np.inf, -np.inf
        self.put(table, fresh)

    def put(self, table: int, array: npt.NDArray[Any]) -> None:
        """Another array for a table."""
        self.arrays[table] = array
        self.addresses.put(table, array)

    def adopt(self, table: int, array: npt.NDArray[Any]) -> None:
        """Use an array where it lies; it is copied when it must grow."""
        pool = self._pools.get(table)
        if pool is not None:
            pool.adopt(array)
        self.put(table, array)
