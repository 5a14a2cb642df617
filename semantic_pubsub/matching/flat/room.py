"""Room in the tables of an array index: for names, for places, and for what the kernels may make next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.kernels import compact_rows, rehash

if TYPE_CHECKING:
    from semantic_pubsub.matching.flat.encoding import Encoder

__all__ = ["NameRoom", "Room"]


class Room:
    """Makes tables larger before the kernels need it: they cannot."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.tables = encoder.tables
        self.vocabulary = encoder.vocabulary
        self._grouped = 0  # attributes whose group is in the table
        self.places = 4
        """How many constraints on one group a slot may have; more make it grow."""

    def widen_places(self, places: int) -> None:
        """More places in each table that has them; what is combined is made anew."""
        self.encoder.forget()
        old = self.places
        for table, unit in (
            (at.GROUP_ROW, 1),
            (at.ATTR_ROW, 1),
            (at.ITEM_ROW, 1),
            (at.COLUMN_ROW, 1),
            (at.CELL_ROWS, 2 * at.CELLS),
        ):
            rows = self.tables[table]
            members = len(rows) // (old * unit)
            wide = np.full((members, places * unit), -1, np.int32)
            wide[:, : old * unit] = rows[: members * old * unit].reshape(members, old * unit)
            self.tables.put(table, wide.reshape(-1))
        self.places = places
        self.tables[at.COUNTS][at.N_PLACES] = places
        self.make_names()

    def make_names(self) -> None:
        """Room for all names in the tables that have a row for each."""
        tables, words = self.tables, self.vocabulary
        attrs, groups = len(words.attr_group), len(words.groups)
        for table, size in (*self._sizes(), *self._row_sizes()):
            tables.reserve(table, size)
        tables[at.ATTR_GROUP][self._grouped : attrs] = words.attr_group[self._grouped :]
        self._grouped = attrs
        known = int(tables[at.COUNTS][at.N_GROUPS])
        for group in range(known, groups):
            tables[at.GROUPS][group * at.GROUP_WIDTH + at.GROUP_CLOSURES] = -1
        tables[at.COUNTS][at.N_GROUPS] = groups

    def _sizes(self) -> tuple[tuple[int, int], ...]:
        attrs, items, columns, groups = *self.vocabulary.sizes(), len(self.vocabulary.groups)
        return (
            (at.ATTR_MASK, attrs),
            (at.ATTR_GROUP, attrs),
            (at.ITEM_MASK, items),
            (at.ITEM_SEEN, items),
            (at.ITEM_VIEWS, items),
            (at.COLUMN_HEAD, columns),
            (at.COLUMN_VIEWS, columns),
            (at.GROUPS, groups * at.GROUP_WIDTH),
            (at.TOUCHED, attrs + items + 2),
        )

    def _row_sizes(self) -> tuple[tuple[int, int], ...]:
        """What only bit rows and buckets need."""
        attrs, items, columns, groups = *self.vocabulary.sizes(), len(self.vocabulary.groups)
        places = self.places
        return (
            (at.ATTR_ROW, attrs * places),
            (at.ITEM_BUCKET, items),
            (at.ITEM_ROW, items * places),
            (at.COLUMN_BUCKET, columns),
            (at.COLUMN_SEEN, columns),
            (at.COLUMN_LEVELS, columns),
            (at.COLUMN_RANGE, 2 * columns),
            (at.COLUMN_ROW, columns * places),
            (at.CUTS, columns * at.MOST_CUTS),
            (at.CUT_COUNT, columns),
            (at.CELL_ROWS, columns * places * at.CELLS * 2),
            (at.BIT_GROUPS, groups),
            (at.GROUP_ROW, groups * places),
        )

    def make(self, preds: int, slots: int) -> None:
        """Room for the rows and chunks that so many predicates may make next, where so many slots stand."""
        tables, counts = self.tables, self.tables[at.COUNTS]
        positions = int(counts[at.N_POSITIONS])
        tables.reserve(at.BIT_SLOT, positions + 1 + at.SLACK)
        while positions >= counts[at.N_ROW_CHUNKS] * at.CHUNK_BITS:
            self._widen_rows()
        width = int(counts[at.N_ROW_CHUNKS])
        rows = int(counts[at.N_BIT_ROWS]) + preds * (2 * at.CELLS + 4) + 16
        tables.reserve(at.BIT_ROW_COUNT, rows)
        tables.reserve(at.FREE_ROWS, rows)
        tables.reserve(at.BIT_ROWS, len(tables[at.BIT_ROW_COUNT]) * width)
        chunks = int(counts[at.N_CHUNKS]) + max(8 * width, preds * (2 * at.CELLS + 4) + 16)
        tables.reserve(at.CHUNK_COUNT, chunks)
        tables.reserve(at.FREE_CHUNKS, chunks)
        tables.reserve(at.CHUNKS, len(tables[at.CHUNK_COUNT]) * at.CHUNK_WORDS)
        tables.reserve(at.BUCKETS, (int(counts[at.N_BUCKETS]) + 4) * at.BUCKET_WIDTH)
        tables.reserve(at.AWAKE, len(tables[at.BUCKETS]) // at.BUCKET_WIDTH)
        self._close_gaps(slots)
        waiting = int(counts[at.N_ROWS])
        # All may be in one bucket, which then grows by a quarter; memory that is not used costs nothing.
        tables.reserve(at.ROWS, (2 * waiting + waiting // 4 + 256) * at.ROW_WIDTH)
        tables.reserve(at.FIRSTS, len(tables[at.ROWS]) // at.ROW_WIDTH)
        if 2 * (int(counts[at.N_HASHED]) + 2) >= len(tables[at.HASH_KEYS]):
            size = 2 * len(tables[at.HASH_KEYS])
            keys, values = np.full(size, -1, np.int64), np.zeros(size, np.int32)
            rehash(tables.addresses.array, keys, values)
            tables.put(at.HASH_KEYS, keys)
            tables.put(at.HASH_VALUES, values)

    def _close_gaps(self, slots: int) -> None:
        """Write the rows anew where more than a third of their room is gaps: buckets leave some when they grow."""
        counts = self.tables[at.COUNTS]
        used = slots - int(counts[at.N_IN_BITS])
        if counts[at.N_ROWS] <= 1.5 * used + 1024 * 16:
            return
        room = used + used // 8 + int(counts[at.N_BUCKETS])
        rows, firsts = np.zeros(room * at.ROW_WIDTH, np.int32), np.zeros(room, np.int32)
        end = compact_rows(self.tables.addresses.array, rows, firsts)
        self.tables[at.ROWS][: end * at.ROW_WIDTH] = rows[: end * at.ROW_WIDTH]
        self.tables[at.FIRSTS][:end] = firsts[:end]

    def gather_chunks(self) -> None:
        """Put the chunks of the bit rows side by side again, in the order of their rows, where most are free: what is
        scattered over more memory takes an event half as long again."""
        tables, counts = self.tables, self.tables[at.COUNTS]
        if 2 * counts[at.N_FREE_CHUNKS] < counts[at.N_CHUNKS]:
            return
        rows = tables[at.BIT_ROWS][: int(counts[at.N_BIT_ROWS] * counts[at.N_ROW_CHUNKS])]
        taken = rows >= 0
        old, number = rows[taken], int(taken.sum())
        rows[taken] = np.arange(number, dtype=np.int32)
        chunks = tables[at.CHUNKS]
        whole = chunks[: len(chunks) // at.CHUNK_WORDS * at.CHUNK_WORDS].reshape(-1, at.CHUNK_WORDS)
        whole[:number] = whole[old]
        tables[at.CHUNK_COUNT][:number] = tables[at.CHUNK_COUNT][old]
        counts[at.N_CHUNKS], counts[at.N_FREE_CHUNKS] = number, 0

    def _widen_rows(self) -> None:
        """Twice as many chunks in each row."""
        tables, counts = self.tables, self.tables[at.COUNTS]
        width = int(counts[at.N_ROW_CHUNKS])
        count = len(tables[at.BIT_ROW_COUNT])
        wide = np.full((count, 2 * width), -1, np.int32)
        wide[:, :width] = tables[at.BIT_ROWS][: count * width].reshape(count, width)
        tables.put(at.BIT_ROWS, wide.reshape(-1))
        counts[at.N_ROW_CHUNKS] = 2 * width


class NameRoom(Room):
    """For indexes without bit rows and buckets: a thousandth of the room for a column of numbers."""

    def _row_sizes(self) -> tuple[tuple[int, int], ...]:
        return ()
