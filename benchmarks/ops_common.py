"""What the rows of the OPS benchmark have in common: results and verdicts, loading, and timing on fresh events."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.competitors import AskLoop
from benchmarks.measuring import Summary, cpu, summary
from benchmarks.workloads import Workload
from semantic_pubsub import Event, Matcher, Subscription

__all__ = [
    "WARM_UP",
    "DisagreementError",
    "Result",
    "Timed",
    "agree",
    "bulk_load",
    "check_against_ask",
    "judge",
    "measured_events",
    "parsed",
    "sample_of",
    "time_events",
]

WARM_UP = 30
ROUNDS = 5


class DisagreementError(Exception):
    """Two matchers gave different answers: nothing that was measured counts."""


@dataclass
class Result:
    """One line of the table; `figures` are the plain numbers for the CSV file."""

    what: str
    measured: str
    ratio: str
    must: str
    aim: str
    verdict: str
    figures: dict[str, Any] = field(default_factory=dict)


def judge(value: float, must: float, aim: float, *, higher: bool) -> str:
    """`aim` reached, `must` reached, or `missed`."""
    if higher:
        return "aim" if value >= aim else "must" if value >= must else "missed"
    return "aim" if value <= aim else "must" if value <= must else "missed"


def parsed(pairs: Iterable[tuple[str, str]], *, injective: bool = False) -> Iterator[Subscription]:
    """Subscriptions from pairs (id, text)."""
    return (Subscription.parse(text, id=name, injective=injective) for name, text in pairs)


def bulk_load(matcher: Matcher, pairs: Iterable[tuple[str, str]]) -> None:
    """Many texts on the fastest way that the matcher has."""
    matcher.add_all(pairs)


@dataclass
class Timed:
    """CPU seconds for each event (the median of the rounds), and the ids that were found."""

    seconds: list[float]
    ids: list[list[str]]

    @property
    def spread(self) -> Summary:
        return summary(self.seconds)

    @property
    def matches(self) -> float:
        """Matches of an event, in the mean."""
        return statistics.fmean(map(len, self.ids))


def time_events(
    match_ids: Callable[[Event], list[str]], workload: Workload, number: int, *, rounds: int = ROUNDS
) -> Timed:
    """Time `match_ids` on events that it has not seen as objects: each is parsed anew for every call.

    The events before them only warm up (kernels, what the index learns about events); they are not measured.
    """
    texts = list(workload.events(WARM_UP + number))
    for text in texts[:WARM_UP]:
        match_ids(Event.parse(text))
    texts = texts[WARM_UP:]
    times: list[list[float]] = [[] for _ in texts]
    found: list[list[str]] = [[] for _ in texts]
    for _ in range(rounds):
        for number_of, text in enumerate(texts):
            seconds, found[number_of] = cpu(match_ids, Event.parse(text))
            times[number_of].append(seconds)
    return Timed([statistics.median(t) for t in times], found)


def measured_events(workload: Workload, number: int) -> list[Event]:
    """The events that `time_events` measures, for a peer."""
    return [Event.parse(text) for text in list(workload.events(WARM_UP + number))[WARM_UP:]]


def sample_of(pairs: Sequence[tuple[str, str]], number: int, seed: int = 1) -> list[tuple[str, str]]:
    """Some of the subscriptions, for a peer that would take too long with all of them."""
    return list(pairs) if len(pairs) <= number else random.Random(seed).sample(list(pairs), number)


def agree(ours: Iterable[str], theirs: Iterable[str], among: set[str] | None = None) -> None:
    """Both found the same ids (of those that both were asked about), each once."""
    mine = list(ours)
    own, other = set(mine), set(theirs)
    if len(own) != len(mine):
        raise DisagreementError("an id was given twice")
    own = own if among is None else own & among
    if own != other:
        raise DisagreementError(f"only ours: {sorted(own - other)[:5]}; only the peer's: {sorted(other - own)[:5]}")


def check_against_ask(ask: AskLoop, events: Iterable[Event], ids: Iterable[list[str]]) -> int:
    """Compare ids with an ASK loop on its subscriptions; how many answers were compared."""
    among = {name for name, _ in ask.queries}
    count = 0
    for event, found in zip(events, ids, strict=False):
        agree(found, ask.match_ids(ask.prepare(event)), among)
        count += len(among)
    return count
