"""Many events at once, as arrays: pairs that are there many times are looked up once, the rest is numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semantic_pubsub.errors import EventError
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.encoding import EncodedEvent, EncodedPairs, is_crowded
from semantic_pubsub.matching.flat.kernels import gather_records
from semantic_pubsub.matching.flat.pairs import FlatEvent, is_missing, known_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from semantic_pubsub.matching.flat.encoding import Encoder
    from semantic_pubsub.matching.flat.index import Slots
    from semantic_pubsub.matching.flat.paths import Key
    from semantic_pubsub.matching.flat.plain import Known

__all__ = ["EncodedBatch", "KnownPairs", "PairTable", "batch_of", "joined", "replaced", "table_of", "without_repeats"]


class EncodedBatch(NamedTuple):
    """Events for the kernels, one after the other: the records of the n-th end at `ends[n + 1]`.

    The events in `rough` have a number that no double stands for: they have no records here and are matched by
    themselves.
    """

    records: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.float64]
    extra: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    rough: npt.NDArray[np.int64]
    version: int


class PairTable(NamedTuple):
    """Events as numbers of pairs: those of the n-th are `codes[offsets[n]:offsets[n + 1]]`.

    Where `numbers` is not NaN it stands for the number of the pair, which then only says of which attribute it is.
    """

    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int32]
    pairs: Sequence[tuple[Key, Known]]
    numbers: npt.NDArray[np.float64] | None = None

    def event(self, number: int) -> FlatEvent:
        """One of the events by itself."""
        start, end = self.offsets[number : number + 2].tolist()
        items = [self.pairs[code] for code in self.codes[start:end].tolist()]
        if self.numbers is not None:
            given = self.numbers[start:end].tolist()
            items = [(key, old if n != n else type(old)(n)) for (key, old), n in zip(items, given, strict=True)]
        return FlatEvent.of_items(items)

    def events(self) -> Iterator[FlatEvent]:
        """Each event by itself."""
        return map(self.event, range(len(self.offsets) - 1))


class KnownPairs:
    """The records of pairs that come again and again, made once: of a list that may grow, until another one comes."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._pairs: Sequence[tuple[Key, Known]] | None = None
        self._count = 0
        self._found: EncodedPairs | None = None

    def of(self, pairs: Sequence[tuple[Key, Known]]) -> EncodedPairs:
        """The records of all pairs."""
        old = self._found
        if old is None or pairs is not self._pairs or old.event.version != self._encoder.version:
            found = self._encoder.encode_pairs(pairs)
        elif len(pairs) > self._count:
            more = self._encoder.encode_pairs(pairs[self._count :])
            same = more.event.version == old.event.version
            found = joined(old, more) if same else self._encoder.encode_pairs(pairs)
        else:
            return old
        self._pairs, self._count, self._found = pairs, len(pairs), found
        return found


def joined(one: EncodedPairs, other: EncodedPairs) -> EncodedPairs:
    """The records of pairs, and of more pairs after them."""
    later = other.event.records.copy()
    later[:, at.RECORD_EXTRA] += len(one.event.extra)
    event = EncodedEvent(
        np.concatenate((one.event.records, later)),
        np.concatenate((one.event.numbers, other.event.numbers)),
        np.concatenate((one.event.extra, other.event.extra)),
        one.event.rough or other.event.rough,
        one.event.version,
    )
    ends = np.concatenate((one.ends, other.ends[1:] + one.ends[-1]))
    return EncodedPairs(event, ends, np.concatenate((one.rough, other.rough)))


def batch_of(pairs: EncodedPairs, table: PairTable) -> EncodedBatch:
    """Events put together from pairs."""
    offsets, codes = table.offsets, table.codes
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.diff(pairs.ends)[codes])))
    rough = _events_with(pairs.rough[codes], offsets) if pairs.rough.any() else np.zeros(0, np.int64)
    ends = before[offsets]
    records, numbers = np.empty((ends[-1], at.RECORD_WIDTH), np.int32), np.empty((ends[-1], 2), np.float64)
    given = np.zeros(0) if table.numbers is None else table.numbers
    gather_records(codes, pairs.ends, pairs.event.records, pairs.event.numbers, given, records, numbers)
    many = np.flatnonzero(np.diff(ends) > at.EVENT_BITS).tolist()
    crowded = [n for n in many if is_crowded(records[ends[n] : ends[n + 1]])]
    rough = np.union1d(rough, np.array(crowded, np.int64)) if crowded else rough
    if len(rough):
        records, numbers, ends = _without(records, numbers, ends, rough)
    return EncodedBatch(records, numbers, pairs.event.extra, ends, rough, pairs.event.version)


def _events_with(marked: npt.NDArray[np.bool_], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The events that have a marked pair."""
    counted = np.concatenate((np.zeros(1, np.int64), np.cumsum(marked)))
    return np.flatnonzero(np.diff(counted[offsets]))


def _without(
    records: npt.NDArray[np.int32],
    numbers: npt.NDArray[np.float64],
    ends: npt.NDArray[np.int64],
    events: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The same without the records of some events."""
    lengths = np.diff(ends)
    kept = np.ones(len(lengths), np.bool_)
    kept[events] = False
    of_record = np.repeat(kept, lengths)
    lengths[events] = 0
    return records[of_record], numbers[of_record], np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def table_of(columns: Mapping[Any, Any], rows: int, is_plain: Callable[[Any], bool]) -> PairTable:
    """A row of a wide table is an event; None and NaN are no value. `is_plain(key)` says whether it only matters where
    numbers of an attribute lie."""
    codes = np.full((rows, len(columns)), -1, np.int32)
    numbers = np.full((rows, len(columns)), np.nan)
    pairs: list[tuple[Key, Known]] = []
    for n, (key, column) in enumerate(columns.items()):
        if len(column) != rows:
            raise EventError(f"column {key!r} has {len(column):,} values, not {rows:,}", hint="one value for each row")
        values = np.asarray(column) if not isinstance(column, np.ndarray) else column
        if values.dtype.kind in "iuf" and _fits(values) and is_plain(key):
            codes[:, n] = np.where(np.isnan(values), -1, len(pairs)) if values.dtype.kind == "f" else len(pairs)
            numbers[:, n] = values
            pairs.append((key, 0.0 if values.dtype.kind == "f" else 0))
        else:
            codes[:, n] = _numbered(key, column, pairs)
    taken = codes >= 0
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(taken.sum(axis=1))))
    return PairTable(offsets, codes[taken], pairs, numbers[taken])


def _fits(values: npt.NDArray[Any]) -> bool:
    """Whether doubles stand for all of the numbers, and infinities are none of them."""
    if values.dtype.itemsize < 8 and values.dtype.kind == "f":
        return False  # an xsd:float compares in its own way
    with np.errstate(invalid="ignore"):
        return not bool((np.abs(values) >= 1e15).any())


def _numbered(key: Any, column: Any, pairs: list[tuple[Key, Known]]) -> list[int]:
    """The pair of each value of a column, made once for equal values of one kind; -1 for a missing one."""
    known: dict[tuple[type, object], int] = {}
    found = []
    for value in column.tolist() if isinstance(column, np.ndarray) and column.dtype.kind != "f" else column:
        name = (type(value), value)
        code = known.get(name)
        if code is None:
            code = known[name] = -1 if is_missing(value) else _new_pair(key, value, pairs)
        found.append(code)
    return found


def _new_pair(key: Any, value: object, pairs: list[tuple[Key, Known]]) -> int:
    pairs.append((key, known_value(key, value)))
    return len(pairs) - 1


def replaced(
    ends: npt.NDArray[np.int64], slots: Slots, event: int, found: Slots
) -> tuple[npt.NDArray[np.int64], Slots]:
    """With other slots for one event."""
    start, end = ends[event], ends[event + 1]
    later = ends.copy()
    later[event + 1 :] += len(found) - (end - start)
    return later, np.concatenate((slots[:start], found, slots[end:]))


def without_repeats(ends: npt.NDArray[np.int64], slots: Slots) -> tuple[npt.NDArray[np.int64], Slots]:
    """Each slot of an event once."""
    events = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    once = np.unique(events << 32 | slots)
    counts = np.bincount(once >> 32, minlength=len(ends) - 1)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))), (once & 0xFFFFFFFF).astype(np.int32)
