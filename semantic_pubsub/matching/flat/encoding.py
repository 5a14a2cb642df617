"""From an event's pairs to records: numbers that the kernels know, with closures of names made once and kept."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from semantic_pubsub.errors import EventError, OntologyError, quoted
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.event_shapes import EventShapes, ShapedPart
from semantic_pubsub.matching.flat.kernels import forget_closures
from semantic_pubsub.matching.flat.labels import NUMBERS, measured
from semantic_pubsub.matching.flat.nearby import NO_PREDS, Place, Preds
from semantic_pubsub.matching.flat.plain import ClassName, Iri, Text
from semantic_pubsub.matching.flat.resolving import LiteralValue, pair_values, resolved_path
from semantic_pubsub.matching.flat.vocabulary import literal_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.matching.flat.labels import Measured
    from semantic_pubsub.matching.flat.nearby import Nearby
    from semantic_pubsub.matching.flat.pairs import FlatEvent
    from semantic_pubsub.matching.flat.paths import Key, Path
    from semantic_pubsub.matching.flat.plain import Known
    from semantic_pubsub.matching.flat.resolving import Pair, PairValue
    from semantic_pubsub.matching.flat.tables import Tables
    from semantic_pubsub.matching.flat.vocabulary import Group, Vocabulary

__all__ = ["EncodedEvent", "EncodedPairs", "Encoder", "Numbers", "Records", "is_crowded"]

_MOST_CLOSURES: Final = 100_000  # whoever sends ever new names fills no memory
_MOST_PATHS: Final = 100_000
_LONGEST: Final = 10**15  # integers up to here have a double of their own
_NO_EXTRA: Final = np.zeros(1, np.int32)
_NO_RECORDS: Final = np.zeros((0, at.RECORD_WIDTH), np.int32)
_NO_NUMBERS: Final = np.zeros((0, 2), np.float64)


Records: TypeAlias = npt.NDArray[np.int32]
Numbers: TypeAlias = npt.NDArray[np.float64]
_Place: TypeAlias = "tuple[int, int, tuple[PairValue, ...]]"
"""A group, the closure of an attribute, and what its value is."""


class EncodedEvent(NamedTuple):
    """An event for the kernels. `rough`: it has more attributes than a mask has bits, so that what is found must be
    checked again. Valid as long as `version` is the encoder's: new names change what is above an event's.

    Where a number has no double of its own, `denied` are the predicates that only its double satisfies, as of so many
    `changes` of the predicates.
    """

    records: Records
    numbers: Numbers
    extra: Records
    rough: bool
    version: int
    denied: Preds = NO_PREDS
    changes: int = -1


class EncodedPairs(NamedTuple):
    """Records of many pairs: those of the n-th end at `ends[n + 1]`; `rough` says which have a number without a double
    of its own."""

    event: EncodedEvent
    ends: npt.NDArray[np.int64]
    rough: npt.NDArray[np.bool_]


class _Records:
    """Records as they are put together."""

    __slots__ = ("extra", "integers", "numbers", "rough", "wrong")

    def __init__(self) -> None:
        self.integers = array("i")
        self.numbers = array("d")
        self.extra: list[int] = []
        self.rough = False
        self.wrong: dict[int, list[Preds]] = {}


class Encoder:
    """Makes records; keeps the closures of names that events showed, until new names of subscriptions change them."""

    def __init__(self, vocabulary: Vocabulary, tables: Tables, nearby: Nearby) -> None:
        self.vocabulary = vocabulary
        self.tables = tables
        self.nearby = nearby
        self.version = 0
        self._closures = 0
        self._data = 0
        self._interned: dict[tuple[int, ...], int] = {}
        self._of_path: dict[Path, tuple[tuple[int, int], ...]] = {}
        self._of_key: dict[Key, tuple[tuple[int, int], ...]] = {}
        self._of_value: dict[tuple[object, ...], int] = {}
        self._shapes = EventShapes()
        self._groups_with_closures: set[int] = set()

    def begin_anew(self, vocabulary: Vocabulary, tables: Tables, nearby: Nearby) -> None:
        """Other names and tables, with numbers of their own."""
        self.forget()
        self.vocabulary, self.tables, self.nearby = vocabulary, tables, nearby

    # closures

    def forget(self) -> None:
        """There are new names: what was above an event's names before may not be all."""
        self.version += 1
        groups = self.tables[at.GROUPS]
        for group in self._groups_with_closures:
            forget_closures(self.tables.addresses.array, group)
            groups[group * at.GROUP_WIDTH + at.GROUP_CLOSURES] = -1
        self._groups_with_closures.clear()
        for cache in (self._interned, self._of_path, self._of_key, self._of_value, self._shapes):
            cache.clear()
        self._closures = self._data = 0

    def _closure(self, group: int, members: Sequence[int]) -> int:
        key = (group, *members)
        known = self._interned.get(key)
        if known is not None:
            return known
        tables, number = self.tables, self._closures
        places = int(tables[at.COUNTS][at.N_PLACES])
        tables.reserve(at.CLOSURES, (number + 1) * at.CLOSURE_WIDTH)
        tables.reserve(at.CLOSURE_DATA, self._data + len(members) + 1)
        tables.reserve(at.CLOSURE_ROW, (number + 1) * places)
        tables[at.CLOSURE_ROW][number * places : (number + 1) * places] = at.ROW_UNKNOWN
        tables[at.CLOSURE_DATA][self._data : self._data + len(members)] = members
        head = group * at.GROUP_WIDTH + at.GROUP_CLOSURES
        base = number * at.CLOSURE_WIDTH
        following = int(tables[at.GROUPS][head]) if group in self._groups_with_closures else -1
        tables[at.CLOSURES][base : base + at.CLOSURE_WIDTH] = (self._data, len(members), following, -1)
        tables[at.GROUPS][head] = number
        self._groups_with_closures.add(group)
        self._closures += 1
        self._data += len(members)
        self._interned[key] = number
        return number

    @property
    def closures(self) -> int:
        """How many closures there are."""
        return self._closures

    # events

    def encode(self, pairs: Iterable[Pair]) -> EncodedEvent:
        """The records of resolved pairs."""
        self.make_room()
        records, places = _Records(), []
        for path, value in pairs:
            for group, above in self._path(path):
                self._put(records, group, above, (value,))
                places.append((group, above, (value,)))
        return self._done(records, places)

    def encode_flat(self, event: FlatEvent) -> EncodedEvent:
        """The records of a flat event; attributes that nobody knows are left out."""
        self.make_room()
        keys, values = zip(*event.items, strict=True) if event.items else ((), ())
        kinds = tuple(map(type, values))
        may_be_known = EventShapes.can_have(kinds)
        if may_be_known:
            known = self._shapes.fill(keys, kinds, values, self._of_value)
            if known is not None:
                return EncodedEvent(*known, _NO_EXTRA, False, self.version)
        records = _Records()
        for key, value in event.items:
            self._put_item(records, key, value)
        encoded = self._done(records, self._places(event) if records.wrong else ())
        if may_be_known and not encoded.rough and not records.rough:
            self._learn(keys, kinds, values, encoded.records)
        return encoded

    def _places(self, event: FlatEvent) -> list[_Place]:
        """The values of an event by group, with what is above their attributes."""
        ontology = self.vocabulary.ontology
        return [
            (group, above, pair_values(value, ontology))
            for key, value in event.items
            for group, above in self._of_key[key]
        ]

    def _put_item(self, records: _Records, key: Key, value: Known) -> None:
        places = self._of_key.get(key)
        if places is None:
            places = self._key(key)
        for group, above in places:
            self._put_known(records, group, above, value)

    def _learn(
        self, keys: tuple[Key, ...], kinds: tuple[type, ...], values: tuple[Known, ...], records: Records
    ) -> None:
        """Keep the shape of an event, if its numbers and texts can be filled in without a look at what they are."""
        if any(value != value for value in values):
            return  # NaN lies nowhere among the numbers: its record has no place for one
        parts = []
        for number, (key, kind) in enumerate(zip(keys, kinds, strict=True)):
            for group, _ in self._of_key[key]:
                own = self.vocabulary.groups[group]
                if own.tests.texts if kind is Text else own.tests.numbers or own.points:
                    return
                parts.append(ShapedPart(number, group, kind is Text))
        self._shapes.learn(keys, kinds, records, parts)

    def has_plain_numbers(self, key: Key) -> bool:
        """Whether it only matters where numbers of an attribute lie: nobody asks for one in particular."""
        places = self._of_key.get(key)
        groups = (self.vocabulary.groups[group] for group, _ in (self._key(key) if places is None else places))
        return not any(own.tests.numbers or own.points for own in groups)

    def encode_pairs(self, pairs: Sequence[tuple[Key, Known]]) -> EncodedPairs:
        """The records of pairs by themselves, to be put together to many events."""
        self.make_room()
        records, ends, rough = _Records(), np.zeros(len(pairs) + 1, np.int64), np.zeros(len(pairs), np.bool_)
        for number, (key, value) in enumerate(pairs):
            records.rough = False
            try:
                self._put_item(records, key, value)
            except OntologyError as error:
                raise EventError(f"attribute {quoted(key)}: {error.message}", hint=error.hint) from None
            ends[number + 1] = len(records.integers) // at.RECORD_WIDTH
            rough[number] = records.rough
        return EncodedPairs(self._done(records, ()), ends, rough)

    def encode_vertices(self, vertices: Iterable[tuple[int, tuple[int, ...], tuple[PairValue, ...]]]) -> EncodedEvent:
        """The records of vertices: for each a group, its attributes that lead there, and what the vertex is."""
        records, places = _Records(), []
        for group, attrs, values in vertices:
            above = self._closure(group, attrs)
            self._put(records, group, above, values)
            places.append((group, above, values))
        return self._done(records, places)

    def make_room(self) -> None:
        """Forget what events showed, if that is too much."""
        if self._closures > _MOST_CLOSURES or len(self._of_key) > _MOST_PATHS or len(self._of_value) > _MOST_PATHS:
            self.forget()

    def _done(self, records: _Records, places: Sequence[_Place]) -> EncodedEvent:
        count = len(records.integers) // at.RECORD_WIDTH
        self.tables.reserve(at.WORK, (count + 1) * at.WORK_WIDTH)
        integers = np.frombuffer(records.integers, np.int32).reshape(count, at.RECORD_WIDTH) if count else _NO_RECORDS
        numbers = np.frombuffer(records.numbers, np.float64).reshape(count, 2) if count else _NO_NUMBERS
        extra = np.array(records.extra, np.int32) if records.extra else _NO_EXTRA
        rough = count > at.EVENT_BITS and is_crowded(integers)
        if not records.rough:
            return EncodedEvent(integers, numbers, extra, rough, self.version)
        denied = self._denied(records.wrong, places) if records.wrong else NO_PREDS
        return EncodedEvent(integers, numbers, extra, rough, self.version, denied, self.nearby.changes)

    def _denied(self, wrong: dict[int, list[Preds]], places: Sequence[_Place]) -> Preds:
        own = [Place(group, self._members(above), values) for group, above, values in places if group in wrong]
        return self.nearby.denied(wrong, own)

    def _members(self, closure: int) -> frozenset[int]:
        start, length = self.tables[at.CLOSURES][closure * at.CLOSURE_WIDTH :][:2].tolist()
        return frozenset(self.tables[at.CLOSURE_DATA][start : start + length].tolist())

    def _path(self, path: Path) -> tuple[tuple[int, int], ...]:
        known = self._of_path.get(path)
        if known is None:
            above = self.vocabulary.attrs_above(path)
            known = tuple((group, self._closure(group, attrs)) for group, attrs in above.items())
            self._of_path[path] = known
        return known

    def _key(self, key: Key) -> tuple[tuple[int, int], ...]:
        try:
            places = self._path(resolved_path(key, self.vocabulary.ontology))
        except OntologyError as error:
            if error.message.startswith("ambiguous"):
                raise
            places = ()
        self._of_key[key] = places
        return places

    def _put_known(self, records: _Records, group: int, above: int, value: Known) -> None:
        """A value as people write it: plain numbers and texts take the short way."""
        kind = type(value)
        own = self.vocabulary.groups[group]
        if kind is float or kind is int:
            short = kind is float or -_LONGEST < value < _LONGEST  # type: ignore[operator]
            if short and value == value and not own.tests.numbers:
                closure = self._number_closure(own, kind, value)
                records.integers.extend((group, above, closure, own.number_column, 0, 0))
                records.numbers.extend((value, value))  # type: ignore[arg-type]
                return
        elif kind is Text and not own.tests.texts:
            name = (group, value)
            known = self._of_value.get(name)
            if known is None:
                known = self._closure_of(own, pair_values(value, self.vocabulary.ontology))
                self._of_value[name] = known
            records.integers.extend((group, above, known, -1, 0, 0))
            records.numbers.extend((0.0, 0.0))
            return
        self._put(records, group, above, pair_values(value, self.vocabulary.ontology))

    def _number_closure(self, group: Group, kind: type, value: object) -> int:
        name: tuple[object, ...] = (group.number, kind)
        if group.points and ("point", value) in group.items:
            name = (group.number, kind, value)
        known = self._of_value.get(name)
        if known is None:
            known = self._closure_of(group, pair_values(value, self.vocabulary.ontology))  # type: ignore[arg-type]
            self._of_value[name] = known
        return known

    def _put(self, records: _Records, group: int, above: int, values: tuple[PairValue, ...]) -> None:
        own = self.vocabulary.groups[group]
        closure = self._cached_closure(own, values)
        first = len(records.extra)
        if own.tests:
            records.extra.extend(own.tests.satisfied(values, self.vocabulary.ontology))
        numbers = self._numbers(records, own, values) if own.columns or own.points else []
        column, number = numbers[0] if numbers else (-1, 0.0)
        records.integers.extend((group, above, closure, column, first, len(records.extra) - first))
        records.numbers.extend((number, number))
        for column, number in numbers[1:]:
            records.integers.extend((group, above, -1, column, 0, 0))
            records.numbers.extend((number, number))

    def _numbers(self, records: _Records, group: Group, values: tuple[PairValue, ...]) -> list[tuple[int, float]]:
        """The columns in which a value can be compared, with numbers that stand for it."""
        found: list[tuple[int, float]] = []
        for value in (value for value in values if isinstance(value, LiteralValue)):
            for place in measured(value):
                column = group.columns.get(place.family, -1)
                if place.rough:
                    found.extend((column, number) for number in self._rough(records, group, value, column, place))
                elif column >= 0:
                    found.append((column, place.number))
        return found

    def _rough(
        self, records: _Records, group: Group, value: LiteralValue, column: int, place: Measured
    ) -> Iterable[float]:
        """The numbers that stand for a value that no double stands for; what they say too much is noted."""
        if group.points and place.family == NUMBERS:
            records.rough = True
            records.extra.extend(self.vocabulary.sets_near(group, value, place))
        if column < 0:
            return ()
        records.rough = True
        numbers, wrong = self.nearby.stand(column, place, value)
        if len(wrong):
            records.wrong.setdefault(group.number, []).append(wrong)
        return numbers

    def _cached_closure(self, group: Group, values: tuple[PairValue, ...]) -> int:
        """The closure of a vertex or value; what no subscription asks for by itself shares that of its kind."""
        name: list[object] = [group.number]
        for value in values:
            if isinstance(value, ClassName):
                name.append(value.iri)
            elif isinstance(value, Iri):
                name.append(("iri", value.iri) if ("iri", value.iri) in group.items else Iri)
            else:
                label = literal_label(value)
                name.append((value.datatype, label if label in group.items else None))
        key = tuple(name)
        known = self._of_value.get(key)
        if known is None:
            known = self._of_value[key] = self._closure_of(group, values)
        return known

    def _closure_of(self, group: Group, values: tuple[PairValue, ...]) -> int:
        items = dict.fromkeys(item for value in values for item in self.vocabulary.items_of(group, value))
        return self._closure(group.number, tuple(~item for item in items)) if items else -1


def is_crowded(records: npt.NDArray[np.int32]) -> bool:
    """Whether a group has more different attributes than a mask has bits."""
    different = np.unique(records[:, [at.RECORD_GROUP, at.RECORD_ATTRS]], axis=0)
    return int(np.bincount(different[:, 0]).max()) > at.EVENT_BITS
