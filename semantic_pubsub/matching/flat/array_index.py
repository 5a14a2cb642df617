"""The indexes on flat arrays: one set of tables, and a rule for where each slot waits.

`rare` is that rule: a slot waits under its rarest predicate if events activate it less often than that, else it is in
the bit rows. With 0 everything is in the bit rows: CTPS. How often is learned from the events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.arrays.pools import Spans
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat import storage
from semantic_pubsub.matching.flat.encoding import EncodedEvent, Encoder
from semantic_pubsub.matching.flat.index import Asked, FlatIndex, Slots
from semantic_pubsub.matching.flat.kernels import (
    file_new_slot,
    file_slots,
    match_event,
    match_events,
    order_positions,
    scan_event,
    start_rows,
    unfile_slot,
)
from semantic_pubsub.matching.flat.predicates import Predicates
from semantic_pubsub.matching.flat.room import Room
from semantic_pubsub.matching.flat.tables import SCRATCH, Tables
from semantic_pubsub.matching.flat.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.batches import EncodedBatch
    from semantic_pubsub.matching.flat.pairs import FlatEvent
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.matching.flat.resolving import Pair

__all__ = ["ArrayIndex"]

_BATCH: Final = 4096
_NEVER: Final = 1 << 62


class ArrayIndex(FlatIndex):
    """Slots in flat tables. Subclasses say what is rare."""

    name = "arrays"

    def __init__(self, ontology: Ontology) -> None:
        super().__init__(ontology)
        self.vocabulary = Vocabulary(ontology)
        self.tables = Tables()
        self._addresses = self.tables.addresses.array
        self.encoder = Encoder(self.vocabulary, self.tables)
        self.predicates = Predicates(self.vocabulary, self.tables)
        self._given = np.zeros(64, np.int32)
        self._free_slots: list[int] = []
        self._spans = _Spans(self.tables)
        self._live = 0
        self._events = 0
        self.read_only = False
        """Whether it was loaded: then nothing can be added or removed."""
        self.room = Room(self.encoder)
        self._review_at = 64
        self._review_size = 1024
        self._reviewed = self._review_end = 0
        self._start()
        self._rare = self.rare  # of now: it is looked at again with each review

    def _start(self) -> None:
        counts = self.tables
        counts.reserve(at.COUNTS, at.N_COUNTS)
        own = counts[at.COUNTS]
        own[:] = 0
        own[at.N_SPANS_FREE :] = -1
        own[at.N_PLACES] = self.room.places
        own[at.N_ROW_CHUNKS] = 1
        own[at.FREE_POSITION] = -1
        self.tables.reserve(at.HASH_KEYS, 64)
        self.tables.reserve(at.HASH_VALUES, 64)
        self._make_room(1)
        start_rows(self._addresses)
        self.room.make_names()
        self.predicates.always()
        self._show_always()

    def _show_always(self) -> None:
        """What fills up short rows is true of every event."""
        self.tables[at.ATTR_MASK][at.ALWAYS] = self.tables[at.ITEM_MASK][at.ALWAYS] = 1
        self.tables[at.SIGHT][at.ALWAYS] = 1.0

    @property
    def rare(self) -> float:
        """Events activate a predicate less often than that: then it is worth waiting under."""
        raise NotImplementedError

    # adding and removing

    def add(self, asked: Asked) -> int:
        return self.add_preds(self.preds_of(asked))

    def preds_of(self, asked: Asked) -> list[int]:
        """The numbers of constraints, one for each, shared by all that ask the same."""
        self._check_writable()
        names = self.vocabulary.sizes()
        number = self.predicates.number
        preds = list(dict.fromkeys([number(path, one) for path, one in asked]))
        if self.vocabulary.sizes() != names:
            self.encoder.forget()
            self.room.make_names()
        return preds

    def add_preds(self, preds: Sequence[int]) -> int:
        """Keep a slot with these constraints."""
        slot = self._free_slots.pop() if self._free_slots else self._new_slot()
        count = len(preds)
        start = self._spans.take(count) if count else 0
        self.predicates.take(preds)
        self._live += 1
        if self._live >= 2 * self._review_size:
            self._start_review()
        if count > len(self._given):
            self._given = np.zeros(2 * count, np.int32)
        self._given[:count] = preds
        while (left := file_new_slot(self._addresses, slot, start, self._given, count, self._rare)) != 0:
            if left > 0:
                self.room.widen_places(1 << (left - 1).bit_length())
            else:
                self._make_room(max(1, count))
        return slot

    def _new_slot(self) -> int:
        slot = int(self.tables[at.COUNTS][at.N_SLOTS])
        self.tables[at.COUNTS][at.N_SLOTS] = slot + 1
        self.tables.reserve(at.SLOTS, (slot + 1) * at.SLOT_WIDTH)
        self.tables.reserve(at.OUT, slot + 1 + at.SLACK)
        return slot

    def _check_writable(self) -> None:
        if self.read_only:
            hint = "add the subscriptions to a new matcher and save that"
            raise SemanticPubSubError("a loaded index is read-only", hint=hint)

    def remove(self, slot: int) -> None:
        self._check_writable()
        unfile_slot(self._addresses, slot)
        start, preds = self._span(slot)
        self.predicates.give(preds)
        if preds:
            self._spans.give(start, len(preds))
        self.tables[at.SLOTS][slot * at.SLOT_WIDTH + at.SLOT_COUNT] = at.FREE
        self._free_slots.append(slot)
        self._live -= 1

    def _span(self, slot: int) -> tuple[int, list[int]]:
        """Where the predicates of a slot are, and which."""
        base = slot * at.SLOT_WIDTH
        start, count = self.tables.arrays[at.SLOTS][base : base + 2].tolist()
        return start, self.tables.arrays[at.SPANS][start : start + count].tolist()

    def asked(self, slot: int) -> Asked:
        return tuple(map(self.predicates.asked, self._span(slot)[1]))

    def _make_room(self, preds: int) -> None:
        self.room.make(preds, self._live)

    def _refile(self, which: npt.NDArray[np.int64]) -> None:
        while len(which):
            which = which[file_slots(self._addresses, which, self.rare) :]
            if len(which):
                count = int(self.tables[at.SLOTS][int(which[0]) * at.SLOT_WIDTH + at.SLOT_COUNT])
                self._make_room(max(1, count))

    # matching

    def encode(self, pairs: Iterable[Pair]) -> EncodedEvent:
        """An event for `match_encoded`."""
        return self.encoder.encode(pairs)

    def encode_flat(self, event: FlatEvent) -> EncodedEvent:
        """A flat event for `match_encoded`."""
        return self.encoder.encode_flat(event)

    def match(self, pairs: Sequence[Pair]) -> Slots:
        encoded = self.encode(pairs)
        found = self.match_encoded(encoded)
        return self.checked(found, pairs) if encoded.rough else found

    def match_encoded(self, event: EncodedEvent) -> Slots:
        """The slots that an event satisfies; for a rough one those that it may satisfy (see `checked`)."""
        records, numbers, extra, rough, version = event
        if version != self.encoder.version:
            raise ValueError("the event was encoded before subscriptions with new names came: encode it again")
        self._events += 1
        if self._events >= self._review_at or self._reviewed < self._review_end:
            self._review()
        if rough:
            found = scan_event(self._addresses, records, numbers, extra)
        else:
            found = match_event(self._addresses, records, numbers, extra)
            while found < 0:
                self._make_room(max(1, len(self.tables[at.BIT_ROW_COUNT]) // 512))
                found = match_event(self._addresses, records, numbers, extra)
        return self.tables.arrays[at.OUT][:found].copy()

    def match_batch(self, batch: EncodedBatch) -> tuple[npt.NDArray[np.int64], Slots]:
        """The slots that each of many events satisfies: those of the n-th end at the n-th end plus one.

        What is given for rough events does not count: they are for `match_encoded` and `checked`, one by one.
        """
        if batch.version != self.encoder.version:
            raise ValueError("the events were encoded before subscriptions with new names came: encode them again")
        count = len(batch.ends) - 1
        self._events += count
        self._review()
        self.tables.reserve(at.WORK, (int(np.diff(batch.ends).max(initial=0)) + 1) * at.WORK_WIDTH)
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

    def checked(self, slots: Slots, pairs: Sequence[Pair]) -> Slots:
        """Those of the slots that the pairs satisfy by the definition."""
        from semantic_pubsub.matching.flat.meaning import witness

        fine = [
            slot
            for slot in slots.tolist()
            if all(witness(pairs, path, one, self.ontology) is not None for path, one in self.asked(slot))
        ]
        return np.array(fine, np.int32)

    def _review(self) -> None:
        """File slots anew, some at each event, when there is more to know: of the events, or of how many slots."""
        if self.read_only:
            self._review_at = _NEVER
            return
        if self._events >= self._review_at:
            self._review_at = max(64, 8 * self._events)
            self._start_review()
        if self._reviewed < self._review_end:
            last = min(self._reviewed + _BATCH, self._review_end)
            self._refile(np.arange(self._reviewed, last))
            self._reviewed = last
            if last == self._review_end:
                self._close_positions()

    def _start_review(self) -> None:
        order_positions(self._addresses)
        self._rare = self.rare
        self._review_size = max(1024, self._live)
        self._reviewed, self._review_end = 0, int(self.tables[at.COUNTS][at.N_SLOTS])

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

    def settle(self) -> None:
        """Do at once what reviews do little by little."""
        order_positions(self._addresses)
        self._refile(np.arange(int(self.tables[at.COUNTS][at.N_SLOTS])))
        self._close_positions()
        self._review_at = max(64, 8 * self._events)
        self._review_size = max(1024, self._live)
        self._reviewed = self._review_end

    # in other processes

    def __reduce__(self) -> tuple[Any, ...]:
        directory, arrays = storage.state_of(self)
        return _unpickled, (
            type(self),
            self.ontology,
            directory,
            {name: array.copy() for name, array in arrays.items()},
        )

    # what it holds

    def paths(self) -> Iterable[Path]:
        return self.vocabulary.attrs

    def memory(self) -> int:
        """Bytes in use for the subscriptions: tables as far as they are filled."""
        counts = self.tables[at.COUNTS]
        chunks = int(counts[at.N_CHUNKS] - counts[at.N_FREE_CHUNKS])
        rows = int(counts[at.N_BIT_ROWS] - counts[at.N_FREE_ROWS])
        used = {
            at.PRED_LOWER: 8 * len(self.predicates.forms),
            at.PRED_UPPER: 8 * len(self.predicates.forms),
            at.PRED_VIEW: 4 * len(self.predicates.forms),
            at.FIRSTS: 4 * int(counts[at.N_ROWS]),
            at.SLOTS: 4 * at.SLOT_WIDTH * int(counts[at.N_SLOTS]),
            at.SPANS: 4 * self._spans.size,
            at.ROWS: 4 * at.ROW_WIDTH * int(counts[at.N_ROWS]),
            at.CHUNKS: chunks * (8 * at.CHUNK_WORDS + 8),
            at.BIT_ROWS: 4 * rows * (int(counts[at.N_ROW_CHUNKS]) + 2),
            at.BUCKETS: 4 * at.BUCKET_WIDTH * int(counts[at.N_BUCKETS]),
            **dict.fromkeys((*SCRATCH, at.FREE_CHUNKS, at.FREE_ROWS, at.CHUNK_COUNT, at.BIT_ROW_COUNT), 0),
        }
        return self.predicates.memory() + sum(used.get(t, self.tables[t].nbytes) for t in range(at.TABLES))

    def stats(self) -> dict[str, int | float | str]:
        counts = self.tables[at.COUNTS]
        return {
            "index": self.name,
            "slots": len(self),
            "in bit rows": int(counts[at.N_IN_BITS]),
            "under a predicate": len(self) - int(counts[at.N_IN_BITS]),
            "attributes": len(self.vocabulary.attrs),
            "predicates": len(self.predicates),
            "events": int(counts[at.N_EVENTS]),
            "rows scanned": int(counts[at.N_SCANNED]),
            "checked exactly": int(counts[at.N_CHECKED]),
            "bytes": self.memory(),
        }

    def __len__(self) -> int:
        return self._live


def _unpickled(
    kind: type[ArrayIndex], ontology: Ontology, directory: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> ArrayIndex:
    index = kind(ontology)
    storage.restore(index, directory, arrays)
    return index


class _Spans(Spans):
    """Runs of the table of spans."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.size = 0
        self._free: dict[int, list[int]] = {}

    def take(self, length: int) -> int:
        """The start of a run of this length."""
        free = self._free.get(length)
        if free:
            return free.pop()
        start = self.size
        self.size += length
        self._tables.reserve(at.SPANS, self.size)
        return start
