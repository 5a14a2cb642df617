"""Ours and competitors behind one face for the bench: fill, ask, add, remove; answers are numbers of subscriptions."""

from __future__ import annotations

import gc
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Conjunctions
from benchmarks.competitors.counting import Counting
from benchmarks.competitors.interval_indexes import INTERVAL_INDEXES
from benchmarks.workloads.load import Load
from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.index import Asked
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.pairs import FlatEvent
from semantic_pubsub.matching.flat.resolving import pairs_of

__all__ = ["ADJUSTED", "ADJUSTED_TO_EVENTS", "OURS", "Candidate", "candidate", "is_known", "plain"]

OURS: Final = tuple(name for name in INDEXES if name != "scan")
ADJUSTED: Final = ", adjusted"
"""After the name of an index: its global adjustment is done when it is filled, before it sees an event."""
ADJUSTED_TO_EVENTS: Final = ", adjusted to events"
"""After the name of an index: its global adjustment is done after the events that are not measured."""
_SINGLE: Final = 1_000
_BLOCK: Final = 10_000

Answers = npt.NDArray[np.int32]


def is_known(name: str) -> bool:
    """Whether there is such an index or competitor; an adjusted one needs an index that can be."""
    if name.endswith((ADJUSTED, ADJUSTED_TO_EVENTS)):
        return hasattr(INDEXES.get(plain(name)), "rebalance")
    return name in INDEXES or name in INTERVAL_INDEXES


def plain(name: str) -> str:
    """The index, adjusted or not."""
    return name.partition(",")[0]


def candidate(name: str, load: Load) -> Candidate:
    """An empty one; `scan` is the one of the competitors, which is fast enough for a million."""
    return _Competitor(name, load) if name in INTERVAL_INDEXES else _Index(name, load)


class Candidate(ABC):
    """Subscriptions have the numbers of the load, events are encoded before they are timed."""

    changes = True
    """Whether subscriptions may come and go between events."""

    def __init__(self, name: str, load: Load) -> None:
        self.name = name
        self.load = load
        self._encoded: list[Any] = []
        self._owners = np.empty(0, np.int32)
        self._slots: dict[int, int] = {}

    def fill(self, number: int) -> tuple[float, float]:
        """Add the first subscriptions; CPU seconds of all, and for each of the last thousand, added one by one."""
        single = min(_SINGLE, number // 2)
        bulk = self._fill(number - single)
        one_by_one = self.add(number - single, number)
        return bulk + one_by_one, one_by_one / single

    def add(self, first: int, last: int) -> float:
        """Add some of the load's subscriptions one by one; CPU seconds."""
        inputs = self._inputs(first, last)
        with _without_collecting():
            start = time.process_time_ns()
            slots = [self._add(one) for one in inputs]
            seconds = (time.process_time_ns() - start) / 1e9
        self._own(slots, first)
        return seconds

    def remove(self, numbers: list[int]) -> float:
        """Remove subscriptions by their numbers in the load; CPU seconds."""
        slots = [self._slots.pop(number) for number in numbers]
        with _without_collecting():
            start = time.process_time_ns()
            for slot in slots:
                self._remove(slot)
            return (time.process_time_ns() - start) / 1e9

    def _own(self, slots: list[int], first: int) -> None:
        room = max(slots, default=-1) + 1
        if room > len(self._owners):
            self._owners = np.concatenate((self._owners, np.full(room, -1, np.int32)))
        for number, slot in enumerate(slots, first):
            self._owners[slot] = number
            self._slots[number] = slot

    def numbers(self, slots: Answers) -> Answers:
        """Which subscriptions an answer means, sorted."""
        return np.sort(self._owners[slots])

    @abstractmethod
    def _fill(self, number: int) -> float: ...

    @abstractmethod
    def _inputs(self, first: int, last: int) -> list[Any]: ...

    @abstractmethod
    def _add(self, one: Any) -> int: ...

    @abstractmethod
    def _remove(self, slot: int) -> None: ...

    @abstractmethod
    def events(self, number: int) -> list[Any]:
        """The first events, encoded for `ask`."""

    def event(self, number: int) -> Any:
        """One of the events that were asked for, encoded anew where that may be needed."""
        return self._encoded[number]

    @abstractmethod
    def ask(self, event: Any) -> Answers:
        """The slots that match."""

    @abstractmethod
    def memory(self) -> int:
        """Bytes of the index."""

    def settle(self) -> None:  # noqa: B027 - competitors have nothing to do
        """Do what is done now and then, before it is measured."""


class _Competitor(Candidate):
    def __init__(self, name: str, load: Load) -> None:
        super().__init__(name, load)
        kind = INTERVAL_INDEXES[name]
        self.index = Counting(*load.ranges, whole=load.whole) if kind is Counting else kind(*load.ranges)
        self.changes = kind.changes

    def _fill(self, number: int) -> float:
        given = self.load.conjunctions(number)
        start = time.process_time_ns()
        self.index.add_all(given)
        if isinstance(self.index, Counting):
            self.index.build()
        seconds = (time.process_time_ns() - start) / 1e9
        self._owners = np.arange(number, dtype=np.int32)
        self._slots = dict(enumerate(range(number)))
        return seconds

    def _inputs(self, first: int, last: int) -> list[Any]:
        # Many to come are drawn with these: drawing begins with the first every time.
        drawn = _conjunctions(self.load, -(-last // _BLOCK) * _BLOCK)
        return list(zip(*drawn.part(slice(first, last)), strict=True))

    def _add(self, one: Any) -> int:
        return self.index.add(*one)

    def _remove(self, slot: int) -> None:
        self.index.remove(slot)

    def events(self, number: int) -> list[Any]:
        self._encoded = self.load.interval_events(number)
        return self._encoded

    def ask(self, event: Any) -> Answers:
        return self.index.match(*event)

    def memory(self) -> int:
        return self.index.nbytes


class _Index(Candidate):
    def __init__(self, name: str, load: Load) -> None:
        super().__init__(name, load)
        self.index: Any = INDEXES[plain(name)](_ontology(load))
        self._encodes = hasattr(self.index, "match_encoded")
        self._adding = _Asked(load)
        self._flat: list[FlatEvent] = []

    def fill(self, number: int) -> tuple[float, float]:
        bulk, single = super().fill(number)
        if self.name.endswith(ADJUSTED):
            start = time.process_time_ns()
            self.index.rebalance()
            bulk += (time.process_time_ns() - start) / 1e9
        return bulk, single

    def _fill(self, number: int) -> float:
        total = 0.0
        self._adding.expect(number + _SINGLE)
        for first in range(0, number, _BLOCK):
            total += self.add(first, min(first + _BLOCK, number))
        return total

    def _inputs(self, first: int, last: int) -> list[Any]:
        return self._adding.part(first, last)

    def _add(self, one: Asked) -> int:
        return int(self.index.add(one))

    def _remove(self, slot: int) -> None:
        self.index.remove(slot)

    def events(self, number: int) -> list[Any]:
        self._flat = list(self.load.flat_events(number))
        return [self.event(at) for at in range(number)]

    def event(self, number: int) -> Any:
        flat = self._flat[number]
        return self.index.encode_flat(flat) if self._encodes else pairs_of(flat, self.index.ontology)[0]

    @property
    def ask(self) -> Callable[[Any], Answers]:  # type: ignore[override]
        return self.index.match_encoded if self._encodes else self.index.match  # type: ignore[no-any-return]

    def memory(self) -> int:
        return int(self.index.memory()) if hasattr(self.index, "memory") else int(self.index.stats().get("bytes", 0))

    def settle(self) -> None:
        if self.name.endswith(ADJUSTED_TO_EVENTS):
            self.index.rebalance()
        if hasattr(self.index, "settle"):
            self.index.settle()


class _Asked:
    """The load's subscriptions for ours in their order, made as they are needed."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._stream: Iterator[Asked] = iter(())
        self._at = self._made = 0

    def expect(self, number: int) -> None:
        """So many are about to be asked for."""
        self._made = number
        self._stream = self._load.asked(number)

    def part(self, first: int, last: int) -> list[Asked]:
        if first != self._at or last > self._made:
            self._made = max(last, 2 * self._made)
            self._stream = islice(self._load.asked(self._made), first, None)
        self._at = last
        return list(islice(self._stream, last - first))


@contextmanager
def _without_collecting() -> Iterator[None]:
    """No garbage collection meanwhile: it goes through what the bench keeps, and is no part of what is measured."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@lru_cache(maxsize=2)
def _ontology(load: Load) -> Ontology:
    return load.ontology()


@lru_cache(maxsize=2)
def _conjunctions(load: Load, number: int) -> Conjunctions:
    return load.conjunctions(number)
