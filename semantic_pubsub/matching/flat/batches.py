"""Many events at once, as arrays: pairs that are there many times are looked up once, the rest is numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semantic_pubsub.errors import EventError, OntologyError, quoted
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.encoding import EncodedEvent, EncodedPairs, is_crowded
from semantic_pubsub.matching.flat.kernels import gather_records
from semantic_pubsub.matching.flat.pairs import FlatEvent, is_missing, known_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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
    """A row of a wide table is an event; None and NaN are no value, a list in a cell is several. `is_plain(key)` says
    whether it only matters where numbers of an attribute lie."""
    codes = np.full((rows, len(columns)), -1, np.int32)
    numbers = np.full((rows, len(columns)), np.nan)
    pairs: list[tuple[Key, Known]] = []
    more: list[tuple[int, int]] = []
    for n, (key, column) in enumerate(columns.items()):
        if len(column) != rows:
            raise EventError(f"column {key!r} has {len(column):,} values, not {rows:,}", hint="one value for each row")
        values = _as_numbers(column)
        if values is not None and _fits(values) and _only_lies(key, is_plain):
            codes[:, n] = np.where(np.isnan(values), -1, len(pairs)) if values.dtype.kind == "f" else len(pairs)
            numbers[:, n] = values
            pairs.append((key, 0.0 if values.dtype.kind == "f" else 0))
        else:
            codes[:, n] = _numbered(key, _values_in(column), pairs, more)
    return _put_together(codes, numbers, pairs, more)


def _put_together(
    codes: npt.NDArray[np.int32],
    numbers: npt.NDArray[np.float64],
    pairs: list[tuple[Key, Known]],
    more: list[tuple[int, int]],
) -> PairTable:
    """The table of one pair for each cell, and of the further pairs (row, number) of cells that are lists."""
    taken = codes >= 0
    counts, found, given = taken.sum(axis=1), codes[taken], numbers[taken]
    if more:
        further = np.array(more, np.int64)
        of_row = np.concatenate((np.nonzero(taken)[0], further[:, 0]))
        order = np.argsort(of_row, kind="stable")
        found = np.concatenate((found, further[:, 1].astype(np.int32)))[order]
        given = np.concatenate((given, np.full(len(more), np.nan)))[order]
        counts = np.bincount(of_row, minlength=len(codes))
    return PairTable(np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))), found, pairs, given)


def _only_lies(key: Any, is_plain: Callable[[Any], bool]) -> bool:
    try:
        return is_plain(key)
    except OntologyError as error:
        raise _bad_attribute(key, error) from None


def _bad_attribute(key: Any, error: OntologyError) -> EventError:
    return EventError(f"attribute {quoted(key)}: {error.message}", hint=error.hint)


def _as_numbers(column: Any) -> npt.NDArray[Any] | None:
    """The column as numbers of one type; None where it is none, or where numpy would make its values into one."""
    if isinstance(column, list | tuple):
        if set(map(type, column)) not in ({int}, {float}):
            return None
    elif getattr(column, "null_count", 0):  # Arrow's integers beside nulls would become doubles
        return None
    values = column if isinstance(column, np.ndarray) else np.asarray(column)
    return values if values.dtype.kind in "iuf" and values.ndim == 1 else None


def _values_in(column: Any) -> Iterable[Any]:
    """The values one by one, as they would stand in a row: numpy's points in time and durations stay what they are."""
    values: Iterable[Any] = column
    if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "biuUO":
        values = column.tolist()
    elif hasattr(column, "to_pylist"):
        values = column.to_pylist()
    return values


def _fits(values: npt.NDArray[Any]) -> bool:
    """Whether doubles stand for all of the numbers, and infinities are none of them."""
    if values.dtype.itemsize != 8 and values.dtype.kind == "f":
        return False
    return not bool(((values >= 1e15) | (values <= -1e15)).any())


def _numbered(
    key: Any, column: Iterable[Any], pairs: list[tuple[Key, Known]], more: list[tuple[int, int]]
) -> list[int]:
    """The pair of each value of a column, made once for equal values of one kind; -1 for a missing one. Of a list the
    first; the others are added to `more`."""
    known: dict[tuple[object, ...], int] = {}
    found = []
    for row, value in enumerate(column):
        if not _is_list(value):
            found.append(_code(key, value, pairs, known))
            continue
        codes = [_code(key, one, pairs, known) for one in value]
        present = [code for code in codes if code >= 0]
        found.append(present[0] if present else -1)
        more.extend((row, code) for code in present[1:])
    return found


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray) and not hasattr(value, "_fields")


def _code(key: Any, value: object, pairs: list[tuple[Key, Known]], known: dict[tuple[object, ...], int]) -> int:
    """The number of a value's pair."""
    # Equal points in time of numpy may be a day and its first second: their unit tells them apart. Those of Python may
    # be the two hours when clocks are put back: `fold` does.
    mark = value.dtype if isinstance(value, np.generic) else getattr(value, "fold", 0)
    name = (type(value), value, mark)
    try:
        code = known.get(name)
    except TypeError:  # it has no hash: no value, then, or one that nothing can be kept by
        return -1 if is_missing(value) else _new_pair(key, value, pairs)
    if code is None:
        code = known[name] = -1 if is_missing(value) else _new_pair(key, value, pairs)
    return code


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
