"""What the indexes on flat tables share: names as numbers, slots as runs of predicates, events as records.

A subclass says how a slot is filed (`_file`, `_unfile`) and found (`_find`). Its own tables come after those of
`layout.py`: `own_tables` says what they are, and their numbers begin at `layout.TABLES`.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.arrays.pools import Spans
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat import storage
from semantic_pubsub.matching.flat.encoding import Encoder
from semantic_pubsub.matching.flat.index import Asked, FlatIndex, Slots
from semantic_pubsub.matching.flat.kernels import scan_event
from semantic_pubsub.matching.flat.nearby import Nearby
from semantic_pubsub.matching.flat.predicates import Predicates
from semantic_pubsub.matching.flat.room import Room
from semantic_pubsub.matching.flat.tables import Tables
from semantic_pubsub.matching.flat.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.batches import EncodedBatch
    from semantic_pubsub.matching.flat.encoding import EncodedEvent, Numbers, Records
    from semantic_pubsub.matching.flat.nearby import Preds
    from semantic_pubsub.matching.flat.pairs import FlatEvent
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.matching.flat.resolving import Pair
    from semantic_pubsub.matching.flat.tables import TableKind

__all__ = ["NEVER", "SlotIndex"]

NEVER: Final = 1 << 62
_MOST_UNUSED: Final = 4_096  # names: fewer are not worth building an index anew


class SlotIndex(FlatIndex):
    """Slots in flat tables, asked with records of numbers."""

    name: ClassVar[str] = "slots"
    own_tables: ClassVar[tuple[TableKind, ...]] = ()
    layout_version: ClassVar[int] = 1
    """Raised when the columns of own tables change: what was saved before is refused."""

    def __init__(self, ontology: Ontology) -> None:
        super().__init__(ontology)
        self._make_tables()
        self.encoder = Encoder(self.vocabulary, self.tables, self.nearby)
        self._free_slots: list[int] = []
        self.events = 0
        """How many events were matched."""
        self.rebuilt = 0
        """How often it was built anew, to be rid of names that nobody uses."""
        self.read_only = False
        """Whether it was loaded: then nothing can be added or removed."""
        self.room = Room(self.encoder)
        self._start()

    def _make_tables(self) -> None:
        self.vocabulary = Vocabulary(self.ontology)
        self.tables = Tables(self.own_tables)
        self._addresses = self.tables.addresses.array
        self.predicates = Predicates(self.vocabulary, self.tables)
        self.nearby = Nearby(self.predicates)
        self.spans = _Spans(self.tables)
        self._live = 0
        self.prepare_at = NEVER

    def _start(self) -> None:
        """Begin with empty tables: the first time, and when it is built anew."""
        self.tables.reserve(at.COUNTS, at.N_COUNTS)
        own = self.tables[at.COUNTS]
        own[:] = 0
        own[at.N_PLACES] = self.room.places
        self.room.make_names()
        self.predicates.always()
        self.show_always()

    def show_always(self) -> None:
        """What fills up short rows is true of every event."""
        self.tables[at.ATTR_MASK][at.ALWAYS] = self.tables[at.ITEM_MASK][at.ALWAYS] = 1
        self.tables[at.SIGHT][at.ALWAYS] = 1.0

    # what subclasses say

    @abstractmethod
    def _file(self, slot: int, start: int, preds: Sequence[int]) -> None:
        """Let a slot be found: its predicates come to stand in SPANS from `start` on, see `_keep`."""

    @abstractmethod
    def _unfile(self, slot: int) -> None:
        """Let a slot be found no more; its row in SLOTS and its span are still there."""

    @abstractmethod
    def _find(self, records: Records, numbers: Numbers, extra: Records) -> int:
        """Write the slots that an event satisfies into OUT; gives how many. Not asked for rough events."""

    def _prepare(self) -> None:
        """Called before the event is matched whose number is `prepare_at`, for what an index does now and then; it
        sets that anew."""

    def restored(self) -> None:
        """Called when all tables were loaded: those that are not saved have room for nothing yet."""

    # adding and removing

    def add(self, asked: Asked) -> int:
        return self.add_preds(self.preds_of(asked))

    def preds_of(self, asked: Asked) -> list[int]:
        """The numbers of constraints, one for each, shared by all that ask the same."""
        self._check_writable()
        names = self.vocabulary.names
        number = self.predicates.number
        preds = list(dict.fromkeys([number(path, one) for path, one in asked]))
        if self.vocabulary.names != names:
            self.encoder.forget()
            self.room.make_names()
        return preds

    def add_preds(self, preds: Sequence[int]) -> int:
        """Keep a slot with these constraints."""
        slot = self._free_slots.pop() if self._free_slots else self._new_slot()
        self._put(slot, preds)
        return slot

    def _put(self, slot: int, preds: Sequence[int]) -> None:
        count = len(preds)
        start = self.spans.take(count) if count else 0
        self.predicates.take(preds)
        self._live += 1
        self._file(slot, start, preds)

    def _new_slot(self) -> int:
        slot = int(self.tables[at.COUNTS][at.N_SLOTS])
        self.tables[at.COUNTS][at.N_SLOTS] = slot + 1
        self.tables.reserve(at.SLOTS, (slot + 1) * at.SLOT_WIDTH)
        self.tables.reserve(at.OUT, slot + 1 + at.SLACK)
        return slot

    def _keep(self, slot: int, start: int, preds: Sequence[int]) -> None:
        """Write down which predicates a slot has."""
        base, count = slot * at.SLOT_WIDTH, len(preds)
        self.tables[at.SLOTS][base : base + at.SLOT_WIDTH] = (start, count, 0, 0)
        self.tables[at.SPANS][start : start + count] = preds

    def _check_writable(self) -> None:
        if self.read_only:
            hint = "add the subscriptions to a new matcher and save that"
            raise SemanticPubSubError("a loaded index is read-only", hint=hint)

    def remove(self, slot: int) -> None:
        self._check_writable()
        self._unfile(slot)
        start, preds = self.span(slot)
        self.predicates.give(preds)
        if preds:
            self.spans.give(start, len(preds))
        self.tables[at.SLOTS][slot * at.SLOT_WIDTH + at.SLOT_COUNT] = at.FREE
        self._free_slots.append(slot)
        self._live -= 1
        if self.vocabulary.unused > self.vocabulary.live + _MOST_UNUSED:
            self._rebuild()

    def _rebuild(self) -> None:
        """Build it anew without the names that nobody uses: numbers of slots stay, all others may change."""
        slots = int(self.tables[at.COUNTS][at.N_SLOTS])
        counts = self.tables[at.SLOTS][at.SLOT_COUNT : slots * at.SLOT_WIDTH : at.SLOT_WIDTH]
        held = [(slot, self.asked(slot)) for slot in np.flatnonzero(counts != at.FREE).tolist()]
        self._make_tables()
        self.encoder.begin_anew(self.vocabulary, self.tables, self.nearby)
        self.room = Room(self.encoder)
        self._start()
        for slot in range(slots):
            self._new_slot()
            self.tables[at.SLOTS][slot * at.SLOT_WIDTH + at.SLOT_COUNT] = at.FREE
        for slot, asked in held:
            self._put(slot, self.preds_of(asked))
        self.rebuilt += 1

    def span(self, slot: int) -> tuple[int, list[int]]:
        """Where the predicates of a slot are, and which."""
        base = slot * at.SLOT_WIDTH
        start, count = self.tables.arrays[at.SLOTS][base : base + 2].tolist()
        return start, self.tables.arrays[at.SPANS][start : start + count].tolist()

    def asked(self, slot: int) -> Asked:
        return tuple(map(self.predicates.asked, self.span(slot)[1]))

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
        records, numbers, extra, rough, version, denied, changes = event
        if version != self.encoder.version or changes not in (-1, self.predicates.changes):
            raise ValueError("the event was encoded before subscriptions with new names came: encode it again")
        self.events += 1
        if self.events >= self.prepare_at:
            self._prepare()
        found = scan_event(self._addresses, records, numbers, extra) if rough else self._find(records, numbers, extra)
        slots: Slots = self.tables.arrays[at.OUT][:found].copy()
        return self._without(slots, denied) if len(denied) else slots

    def _without(self, slots: Slots, denied: Preds) -> Slots:
        """Those of the slots that ask for none of these predicates."""
        base = slots.astype(np.int64) * at.SLOT_WIDTH
        starts, counts = (self.tables[at.SLOTS][base + n].astype(np.int64) for n in (at.SLOT_START, at.SLOT_COUNT))
        of_slot = np.repeat(np.arange(len(slots)), counts)
        places = np.arange(len(of_slot)) + (starts - np.cumsum(counts) + counts)[of_slot]
        is_denied = np.zeros(len(self.predicates.forms), np.bool_)
        is_denied[denied] = True
        kept = np.ones(len(slots), np.bool_)
        kept[of_slot[is_denied[self.tables[at.SPANS][places]]]] = False
        return slots[kept]

    def match_batch(self, batch: EncodedBatch) -> tuple[npt.NDArray[np.int64], Slots]:
        """The slots that each of many events satisfies: those of the n-th end at the n-th end plus one.

        What is given for rough events does not count: they are for `match_encoded` and `checked`, one by one.
        """
        self._start_batch(batch)
        found, ends = [np.zeros(0, np.int32)], np.zeros(len(batch.ends), np.int64)
        for number, (start, end) in enumerate(pairwise(batch.ends.tolist())):
            count = self._find(batch.records[start:end], batch.numbers[start:end], batch.extra)
            found.append(self.tables.arrays[at.OUT][:count].copy())
            ends[number + 1] = ends[number] + count
        return ends, np.concatenate(found)

    def _start_batch(self, batch: EncodedBatch) -> None:
        if batch.version != self.encoder.version:
            raise ValueError("the events were encoded before subscriptions with new names came: encode them again")
        self.events += len(batch.ends) - 1
        if self.events >= self.prepare_at:
            self._prepare()
        self.tables.reserve(at.WORK, (int(np.diff(batch.ends).max(initial=0)) + 1) * at.WORK_WIDTH)

    def checked(self, slots: Slots, pairs: Sequence[Pair]) -> Slots:
        """Those of the slots that the pairs satisfy by the definition."""
        from semantic_pubsub.matching.flat.meaning import witness

        fine = [
            slot
            for slot in slots.tolist()
            if all(witness(pairs, path, one, self.ontology) is not None for path, one in self.asked(slot))
        ]
        return np.array(fine, np.int32)

    # in other processes

    def __reduce__(self) -> tuple[Any, ...]:
        directory, arrays = storage.state_of(self)
        copies = {name: array.copy() for name, array in arrays.items()}
        return _unpickled, (type(self), self.ontology, directory, copies)

    # what it holds

    def paths(self) -> Iterable[Path]:
        return self.vocabulary.paths()

    def stats(self) -> dict[str, int | float | str]:
        return {
            "index": self.name,
            "slots": len(self),
            "attributes": len(self.vocabulary.paths()),
            "predicates": len(self.predicates),
            "events": self.events,
            "bytes": self.memory(),
        }

    def memory(self) -> int:
        """Bytes in use for the subscriptions: tables as far as they are filled."""
        kept = set(self.tables.kept) - self._elsewhere()
        used = self._used()
        return self.predicates.memory() + sum(used.get(table, self.tables[table].nbytes) for table in kept)

    def _used(self) -> dict[int, int]:
        """The bytes that are in use of tables that are larger."""
        counts, preds = self.tables[at.COUNTS], len(self.predicates.forms)
        return {
            at.PRED_LOWER: 8 * preds,
            at.PRED_UPPER: 8 * preds,
            at.PRED_VIEW: 4 * preds,
            at.SLOTS: 4 * at.SLOT_WIDTH * int(counts[at.N_SLOTS]),
            at.SPANS: 4 * self.spans.size,
        }

    def _elsewhere(self) -> frozenset[int]:
        """Tables that do not count: room for work, or for what others count."""
        return frozenset()

    def __len__(self) -> int:
        return self._live


def _unpickled(
    kind: type[SlotIndex], ontology: Ontology, directory: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> SlotIndex:
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
