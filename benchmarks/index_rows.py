"""One setting of a scenario measured: a row for each candidate, and rows that compare `auto` with the others.

CPU time of an event: the mean over the events of a round, the median over rounds with the least and the greatest, where
all candidates take turns. What lies within the spread of both is no difference. Every answer is compared with the
scan's before anything is timed; with changes between events, each answer of the first round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.candidates import OURS, Candidate, candidate, is_known, plain
from benchmarks.measuring import Summary, progress
from benchmarks.scenarios import LIMITS, Point, Scenario
from benchmarks.workloads.load import Load

__all__ = ["WARM", "Comparison", "Effort", "Row", "compared", "is_ours", "measured", "overlap"]

WARM = 100
"""Events before the measured ones: ours learn from them."""


@dataclass(frozen=True)
class Effort:
    """How many events, and how often all of them."""

    events: int
    rounds: int


@dataclass(frozen=True)
class Row:
    """A candidate at one setting; times in microseconds of CPU."""

    scenario: str
    x: float
    subscriptions: int
    candidate: str
    event: float
    event_least: float
    event_most: float
    match_rate: float
    bytes_each: float
    insert: float
    insert_bulk: float
    note: str = ""

    @property
    def time(self) -> Summary:
        return Summary(self.event, self.event_least, self.event_most)


@dataclass(frozen=True)
class Comparison:
    """How much faster one is than another; 1 means that there is no difference."""

    scenario: str
    x: float
    what: str
    ratio: float
    verdict: str


def compared(rows: list[Row]) -> Iterator[Comparison]:
    """`auto` against the best of all indexes, and against each competitor, at one setting."""
    by_name = {row.candidate: row for row in rows}
    auto = by_name.get("auto")
    if auto is None:
        return
    indexes = [row for row in rows if is_ours(row.candidate) and row is not auto]
    if indexes:
        best = min(indexes, key=lambda row: row.event)
        ratio = auto.event / best.event
        verdict = f"no difference to {best.candidate}" if overlap(auto, best) else f"{best.candidate} takes 1"
        yield Comparison(auto.scenario, auto.x, "auto against the best of all indexes (time)", ratio, verdict)
    for row in rows:
        if not is_ours(row.candidate):
            ratio = row.event / auto.event
            verdict = "no difference" if overlap(auto, row) else "ahead" if ratio > 1 else "behind"
            yield Comparison(auto.scenario, auto.x, f"auto against {row.candidate} (times faster)", ratio, verdict)


def is_ours(name: str) -> bool:
    """Whether a candidate is an index of ours, adjusted or not."""
    return plain(name) in OURS


def overlap(one: Row, other: Row) -> bool:
    """Whether the spreads of two have something in common: then there is no difference."""
    return one.event_least <= other.event_most and other.event_least <= one.event_most


def measured(scenario: Scenario, point: Point, effort: Effort, only: frozenset[str] = frozenset()) -> Iterator[Row]:
    """A row for each candidate of the scenario that is there.

    They take turns, a round each: what else the machine does while it measures falls on all of them.
    """
    answers = _Answers(scenario, point, effort)
    filled = (_filled(name, scenario, point, effort, answers) for name in _asked_for(scenario, point, only))
    runs = [run for run in filled if run is not None]
    for _ in range(effort.rounds):
        for run in runs:
            run.go_round()
    for run in runs:
        row = run.row(scenario, point, answers.rate)
        progress(f"  {row.candidate}: {row.time.text(1, 'µs')} an event, {row.bytes_each:,.0f} B a subscription")
        yield row


def _asked_for(scenario: Scenario, point: Point, only: frozenset[str]) -> Iterator[str]:
    for name in scenario.peers:
        if not is_known(name) or (only and name not in only):
            continue
        if point.number > LIMITS.get(name, point.number):
            progress(f"  {name}: not asked above {LIMITS[name]:,} subscriptions")
            continue
        yield name


class _Answers:
    """What the scan says, made when first asked for."""

    def __init__(self, scenario: Scenario, point: Point, effort: Effort) -> None:
        scan = candidate("scan", point.load)
        scan.fill(point.number)
        changes = int(point.x) if scenario.churns else 0
        events = scan.events(WARM + effort.events)[WARM:]
        self.found = [scan.numbers(answer) for answer in _asked(scan, events, changes, point.number)]
        self.rate = float(np.mean([len(found) for found in self.found])) / point.number

    def compare(self, which: int, who: Candidate, slots: Any) -> None:
        if not np.array_equal(who.numbers(slots), self.found[which]):
            raise AssertionError(f"{who.name} gave another answer than the scan for event {which}")


def _asked(who: Candidate, events: list[Any], changes: int, number: int) -> Iterator[Any]:
    for which, event in enumerate(events):
        _change(who, changes, which, number)
        yield who.ask(event)


def _change(who: Candidate, changes: int, step: int, number: int) -> float:
    """Remove the oldest subscriptions, and add as many that come after all that were there."""
    first = changes * step
    if not changes:
        return 0.0
    return who.remove(list(range(first, first + changes))) + who.add(number + first, number + first + changes)


_compiled: set[str] = set()


def _compile(name: str, load: Load) -> None:
    """Let its kernels be compiled, once in a process, before anything is timed."""
    if name in _compiled:
        return
    _compiled.add(name)
    who = candidate(name, load)
    who.fill(40)
    for event in who.events(2):
        who.ask(event)
    if who.changes:
        who.remove([0])


class _Run:
    """A filled candidate and its rounds."""

    def __init__(self, who: Candidate, events: list[Any], bulk: float, single: float) -> None:
        self.who = who
        self._events = events
        self._bulk, self._single = bulk, single
        self._rounds: list[float] = []

    def compare(self, answers: _Answers) -> None:
        """Compare each answer with the scan's."""
        for which, event in enumerate(self._events):
            answers.compare(which, self.who, self.who.ask(event))

    def go_round(self) -> None:
        """All events once more; before that once without a clock: others have taken the caches meanwhile."""
        for event in self._events:
            self.who.ask(event)
        self._rounds.append(_round(self.who.ask, self._events))

    def row(self, scenario: Scenario, point: Point, rate: float) -> Row:
        """What was measured."""
        micros = [1e6 * seconds for seconds in sorted(self._rounds)]
        return Row(
            scenario.name,
            float(point.x),
            point.number,
            self.who.name,
            micros[len(micros) // 2],
            micros[0],
            micros[-1],
            rate,
            self.who.memory() / point.number,
            1e6 * self._single,
            1e6 * self._bulk / point.number,
            _chosen(self.who),
        )


class _ChangingRun(_Run):
    """The same with changes before each event. Rounds go on with other subscriptions than those before."""

    def __init__(self, who: Candidate, events: list[Any], bulk: float, single: float, point: Point) -> None:
        super().__init__(who, events, bulk, single)
        self._changes, self._number = int(point.x), point.number

    def compare(self, answers: _Answers) -> None:
        """The first round is the one that the scan was asked in."""
        self._go(answers)

    def go_round(self) -> None:
        self._go(None)

    def _go(self, answers: _Answers | None) -> None:
        total, first = 0.0, len(self._rounds) * len(self._events)
        for at, _ in enumerate(self._events):
            total += _change(self.who, self._changes, first + at, self._number)
            # What came may have made what was encoded before out of date: encoding is not part of the time.
            event = self.who.event(WARM + at)
            start = time.process_time_ns()
            slots = self.who.ask(event)
            total += (time.process_time_ns() - start) / 1e9
            if answers is not None:
                answers.compare(at, self.who, slots)
        self._rounds.append(total / len(self._events))


def _filled(name: str, scenario: Scenario, point: Point, effort: Effort, answers: _Answers) -> _Run | None:
    """A candidate whose answers were all compared."""
    _compile(name, point.load)
    who = candidate(name, point.load)
    if scenario.churns and point.x and not who.changes:
        progress(f"  {name}: it is built anew, not changed")
        return None
    bulk, single = who.fill(point.number)
    progress(f"  {name}: filled")
    events = who.events(WARM + effort.events)
    for event in events[:WARM]:
        who.ask(event)
    who.settle()
    run = _Run(who, events[WARM:], bulk, single)
    if scenario.churns:
        run = _ChangingRun(who, events[WARM:], bulk, single, point)
    run.compare(answers)
    return run


def _chosen(who: Candidate) -> str:
    """What `auto` took."""
    index = getattr(who, "index", None)
    counts = index.stats() if who.name == "auto" and index is not None else {}
    return str(counts.get("chosen", ""))


def _round(ask: Callable[[Any], Any], events: list[Any]) -> float:
    start = time.process_time_ns()
    for event in events:
        ask(event)
    return (time.process_time_ns() - start) / 1e9 / len(events)
