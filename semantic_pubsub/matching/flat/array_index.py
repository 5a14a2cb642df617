"""The bit rows of CTPS and the rare predicates of our own index: one set of tables, and a rule for where a slot waits.

`rare` is that rule: a slot waits under its rarest predicate if events activate it less often than that, else it is in
the bit rows. With 0 everything is in the bit rows: CTPS. How often is learned from the events, and what is rare may be
chosen anew with each review.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.kernels import (
    file_new_slot,
    file_slots,
    match_event,
    match_events,
    order_positions,
    start_rows,
    unfile_slot,
)
from semantic_pubsub.matching.flat.slot_index import NEVER, SlotIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.batches import EncodedBatch
    from semantic_pubsub.matching.flat.encoding import Numbers, Records
    from semantic_pubsub.matching.flat.index import Slots

__all__ = ["ArrayIndex"]

_BATCH: Final = 4096


class ArrayIndex(SlotIndex):
    """Slots in bit rows or under rare predicates. Subclasses say what is rare."""

    name = "arrays"

    def __init__(self, ontology: Ontology) -> None:
        self._given = np.zeros(64, np.int32)
        self._written = self._given.data
        self.rare = 0.0
        """Events activate a predicate less often than that: then it is worth waiting under."""
        super().__init__(ontology)
        self.rare = self._choose_rare()

    def _start(self) -> None:
        super()._start()
        self.prepare_at = 64
        self._review_size = 1024
        self._reviewed = self._review_end = 0
        own = self.tables[at.COUNTS]
        own[at.N_SPANS_FREE :] = -1
        own[at.N_ROW_CHUNKS] = 1
        own[at.FREE_POSITION] = -1
        self.tables.reserve(at.HASH_KEYS, 64)
        self.tables.reserve(at.HASH_VALUES, 64)
        self._make_room(1)
        start_rows(self._addresses)

    @abstractmethod
    def _choose_rare(self) -> float:
        """What `rare` is to be, asked at the beginning and with each review."""

    # adding and removing

    def _file(self, slot: int, start: int, preds: Sequence[int]) -> None:
        if self._live >= 2 * self._review_size:
            self._start_review()
        count = len(preds)
        if count > len(self._given):
            self._given = np.zeros(2 * count, np.int32)
            self._written = self._given.data
        self._written[:count] = array("i", preds)
        while (left := file_new_slot(self._addresses, slot, start, self._given, count, self.rare)) != 0:
            if left > 0:
                self.room.widen_places(1 << (left - 1).bit_length())
            else:
                self._make_room(max(1, count))

    def _unfile(self, slot: int) -> None:
        unfile_slot(self._addresses, slot)

    def _make_room(self, preds: int) -> None:
        self.room.make(preds, self._live)

    def _refile(self, which: npt.NDArray[np.int64]) -> None:
        while len(which):
            which = which[file_slots(self._addresses, which, self.rare) :]
            if len(which):
                count = int(self.tables[at.SLOTS][int(which[0]) * at.SLOT_WIDTH + at.SLOT_COUNT])
                self._make_room(max(1, count))

    # matching

    def _find(self, records: Records, numbers: Numbers, extra: Records) -> int:
        found = match_event(self._addresses, records, numbers, extra)
        while found < 0:
            self._make_room(max(1, len(self.tables[at.BIT_ROW_COUNT]) // 512))
            found = match_event(self._addresses, records, numbers, extra)
        return found

    def match_batch(self, batch: EncodedBatch) -> tuple[npt.NDArray[np.int64], Slots]:
        self._start_batch(batch)
        count = len(batch.ends) - 1
        found, ends, done = np.empty(max(1024, 4 * count), np.int32), np.zeros(count + 1, np.int64), 0
        while done < count:
            before = done
            done = match_events(
                self._addresses, batch.records, batch.numbers, batch.extra, batch.ends, done, found, ends
            )
            if done < count:
                found = self._more_room(found, int(ends[done]), stuck=done == before)
        return ends, found[: ends[-1]]

    def _more_room(self, found: Slots, filled: int, *, stuck: bool) -> Slots:
        """More room for whatever was too small: what is found, and tables."""
        if len(found) - filled < len(self):
            larger = np.empty(2 * len(found) + len(self), np.int32)
            larger[:filled] = found[:filled]
            found = larger
        if stuck:
            self._make_room(max(1, len(self.tables[at.BIT_ROW_COUNT]) // 512))
        return found

    def _prepare(self) -> None:
        """File slots anew, some at each event, when there is more to know: of the events, or of how many slots."""
        if self.read_only:
            self.prepare_at = NEVER
            return
        if self._reviewed == self._review_end:
            self._start_review()
        last = min(self._reviewed + _BATCH, self._review_end)
        self._refile(np.arange(self._reviewed, last))
        self._reviewed = last
        if last == self._review_end:
            self._close_positions()
            self.prepare_at = max(64, 8 * self.events)

    def _start_review(self) -> None:
        order_positions(self._addresses)
        self.rare = self._choose_rare()
        self._review_size = max(1024, self._live)
        self._reviewed, self._review_end = 0, int(self.tables[at.COUNTS][at.N_SLOTS])
        self.prepare_at = 0  # until all are filed anew

    def _close_positions(self) -> None:
        """Let the last slots of the bit rows have what others left free: the sooner rows end, the less they cost."""
        order_positions(self._addresses)
        counts, slots = self.tables[at.COUNTS], self.tables[at.SLOTS]
        positions = np.arange(int(counts[at.N_IN_BITS]), int(counts[at.N_POSITIONS]))
        last = self.tables[at.BIT_SLOT][positions].astype(np.int64)
        positions, last = positions[last >= 0], last[last >= 0]
        taken = slots[last * at.SLOT_WIDTH + at.SLOT_BUCKET] == at.IN_BITS
        taken &= slots[last * at.SLOT_WIDTH + at.SLOT_INDEX] == positions
        self._refile(last[taken])
        order_positions(self._addresses)
        self.room.gather_chunks()

    def settle(self) -> None:
        """Do at once what reviews do little by little."""
        order_positions(self._addresses)
        self.rare = self._choose_rare()
        self._refile(np.arange(int(self.tables[at.COUNTS][at.N_SLOTS])))
        self._close_positions()
        self.prepare_at = max(64, 8 * self.events)
        self._review_size = max(1024, self._live)
        self._reviewed = self._review_end

    # what it holds

    def _used(self) -> dict[int, int]:
        counts = self.tables[at.COUNTS]
        chunks = int(counts[at.N_CHUNKS] - counts[at.N_FREE_CHUNKS])
        rows = int(counts[at.N_BIT_ROWS] - counts[at.N_FREE_ROWS])
        return super()._used() | {
            at.FIRSTS: 4 * int(counts[at.N_ROWS]),
            at.ROWS: 4 * at.ROW_WIDTH * int(counts[at.N_ROWS]),
            at.CHUNKS: chunks * (8 * at.CHUNK_WORDS + 8),
            at.BIT_ROWS: 4 * rows * (int(counts[at.N_ROW_CHUNKS]) + 2),
            at.BUCKETS: 4 * at.BUCKET_WIDTH * int(counts[at.N_BUCKETS]),
        }

    def _elsewhere(self) -> frozenset[int]:
        return frozenset((at.FREE_CHUNKS, at.FREE_ROWS, at.CHUNK_COUNT, at.BIT_ROW_COUNT))

    def restored(self) -> None:
        # Rows that matching makes need the room that the other tables of chunks speak of; a file has the used chunks.
        self.tables.reserve(at.CHUNKS, len(self.tables[at.CHUNK_COUNT]) * at.CHUNK_WORDS)
        self.tables.reserve(at.TRUTH, len(self.predicates.forms))
        self.tables.reserve(at.AWAKE, len(self.tables[at.BUCKETS]) // at.BUCKET_WIDTH)

    def stats(self) -> dict[str, int | float | str]:
        counts = self.tables[at.COUNTS]
        return super().stats() | {
            "in bit rows": int(counts[at.N_IN_BITS]),
            "under a predicate": len(self) - int(counts[at.N_IN_BITS]),
            "rows scanned": int(counts[at.N_SCANNED]),
            "checked exactly": int(counts[at.N_CHECKED]),
        }
