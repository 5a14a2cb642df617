"""The rows of `benchmarks.flat`: what is filled, what is asked, and beside whom."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.competitors.gtopss import GToPSS
from benchmarks.competitors.mic import DoesNotFitError, Mic
from benchmarks.measuring import Summary, progress, summary
from benchmarks.workloads import Shop
from benchmarks.workloads.concepts import Concepts
from benchmarks.workloads.gem import Gem
from semantic_pubsub import Event, FlatMatcher, OpsMatcher
from semantic_pubsub.matching.flat.array_index import ArrayIndex
from semantic_pubsub.matching.flat.ctps import CtpsIndex
from semantic_pubsub.matching.flat.encoding import EncodedEvent
from semantic_pubsub.matching.flat.hybrid import AutoIndex, HybridIndex
from semantic_pubsub.matching.flat.index import ScanIndex
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat

__all__ = [
    "INDEXES",
    "Line",
    "changes",
    "concept_index",
    "concepts",
    "flat_events",
    "heights",
    "timed",
    "verified_shop",
]

INDEXES: dict[str, type[ArrayIndex]] = {"auto": AutoIndex, "ctps": CtpsIndex, "hybrid": HybridIndex}
WARM = 100  # events before the measured ones
_TURNS = 15


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    ours: str
    peer: str = ""
    ratio: float | None = None
    wanted: str = ""


def timed(call: Callable[[Any], Any], inputs: Sequence[Any], block: int = 10) -> Summary:
    """CPU seconds of a call, from blocks of some: the clock itself takes as long as a tenth of the shortest."""
    times = []
    for at in range(0, len(inputs), block):
        some = inputs[at : at + block]
        start = time.process_time_ns()
        for one in some:
            call(one)
        times.append((time.process_time_ns() - start) / 1e9 / len(some))
    return summary(times)


def micros(value: Summary) -> str:
    return value.text(1e-6, "µs")


def _measured(index: ArrayIndex, encoded: list[EncodedEvent], answers: list[set[int]]) -> Summary:
    """The time for the events after the warm ones; every answer is compared."""
    for event in encoded[:WARM]:
        index.match_encoded(event)
    index.settle()
    for event, right in zip(encoded[WARM:], answers, strict=True):
        found = index.match_encoded(event).tolist()
        assert sorted(found) == sorted(right), "different answers"
    return timed(index.match_encoded, encoded[WARM:])


def _auto_against_best(times: dict[str, Summary]) -> Iterator[Line]:
    if len(times) > 1:
        best = min(time.median for name, time in times.items() if name != "auto")
        yield Line("… auto against the better of the others", "", "", times["auto"].median / best, "at most 1.25")


# the CTPS paper's table 1


def concept_index(kind: type[ArrayIndex], workload: Concepts, number: int) -> ArrayIndex:
    """An index with the first subscriptions of the workload."""
    ontology = workload.ontology()
    index = kind(ontology)
    for subscription in workload.flat_subscriptions(number):
        index.add(resolve_flat(subscription, ontology).alternatives[0].constraints)  # type: ignore[arg-type]
    return index


def _scan_answers(workload: Concepts, number: int, events: int) -> tuple[list[set[int]], Summary]:
    ontology = workload.ontology()
    scan = ScanIndex(ontology)
    for subscription in workload.flat_subscriptions(number):
        scan.add(resolve_flat(subscription, ontology).alternatives[0].constraints)  # type: ignore[arg-type]
    pairs = [pairs_of(event, ontology)[0] for event in workload.flat_events(WARM + events)][WARM:]
    return [set(scan.match(one).tolist()) for one in pairs], timed(scan.match, pairs, 1)


def concepts(height: int, number: int, events: int, peer_events: int, must: float) -> Iterator[Line]:
    """Each index against the literal G-ToPSS, MIC where its expansion fits, and the scan."""
    workload = Concepts(height)
    progress(f"{workload.name}, {number:,} subscriptions, G-ToPSS")
    peer = GToPSS(workload.parents())
    peer.add_all(workload.constraints(number))
    given = list(workload.pairs(WARM + events))[WARM:]
    answers = [set(peer.match(event)) for event in given]
    theirs = timed(peer.match, given[:peer_events], 1)
    share = float(np.mean([len(found) for found in answers])) / number
    times = {}
    for name, kind in INDEXES.items():
        progress(f"{workload.name}, {number:,} subscriptions, {name}")
        index = concept_index(kind, workload, number)
        encoded = [index.encode_flat(event) for event in workload.flat_events(WARM + events)]
        times[name] = ours = _measured(index, encoded, answers)
        what = f"{workload.name}, {number:,} subscriptions, {share:.2%} match: {name} against G-ToPSS"
        memory = f", {index.memory() / 1e6:.2f} MB"
        yield Line(what, micros(ours) + memory, micros(theirs), theirs.median / ours.median, f"{must:g}; 3 MB")
    yield from _auto_against_best(times)
    yield from _other_peers(workload, number, given, answers, peer_events, times["ctps"])


def _other_peers(
    workload: Concepts, number: int, given: list[Any], answers: list[set[int]], peer_events: int, ours: Summary
) -> Iterator[Line]:
    what = f"{workload.name}, {number:,} subscriptions: ctps against "
    mic = Mic(workload.parents())
    try:
        mic.add_all(workload.constraints(number))
    except DoesNotFitError as error:
        yield Line(what + "MIC", micros(ours), str(error))
    else:
        for event, right in zip(given[:peer_events], answers, strict=False):
            assert set(mic.match(event)) == right, "different answers"
        theirs = timed(mic.match, given[:peer_events], 1)
        yield Line(what + "MIC", micros(ours), micros(theirs), theirs.median / ours.median)
    progress(f"{workload.name}, {number:,} subscriptions, scan")
    found, theirs = _scan_answers(workload, number, 2)
    assert found == answers[:2], "different answers"
    yield Line(what + "scan", micros(ours), micros(theirs), theirs.median / ours.median)


def heights(number: int, events: int, most: int) -> Iterator[Line]:
    """How the time per event changes with the height of the trees, at equal match rate. Both heights take turns."""
    for name, kind in INDEXES.items():
        asks, rates = [], []
        for height in (1, most):
            workload = Concepts(height)
            progress(f"{workload.name}, {number:,} subscriptions, {name}")
            index = concept_index(kind, workload, number)
            encoded = [index.encode_flat(event) for event in workload.flat_events(WARM + events)]
            for event in encoded:
                index.match_encoded(event)
            index.settle()
            rates.append(_checked_rate(index, workload, number, encoded[WARM:]))
            asks.append((index.match_encoded, encoded[WARM:]))
        low, high = (summary(times) for times in zip(*(map(_block_times, asks) for _ in range(_TURNS)), strict=True))
        shares = " and ".join(f"{rate:.2%}" for rate in rates)
        what = f"ctps, {number:,} subscriptions, {name}: height {most} against 1 ({shares} match)"
        yield Line(what, micros(high), micros(low), high.median / low.median, "below 1.3")


def _block_times(asked: tuple[Callable[[Any], Any], Sequence[Any]]) -> float:
    """Seconds of an event, when all were seen just before."""
    call, inputs = asked
    for one in inputs:
        call(one)
    start = time.process_time_ns()
    for one in inputs:
        call(one)
    return (time.process_time_ns() - start) / 1e9 / len(inputs)


def _checked_rate(index: ArrayIndex, workload: Concepts, number: int, encoded: Sequence[EncodedEvent]) -> float:
    """The share of subscriptions that events match; the answers for the first two are compared with the scan's."""
    right, _ = _scan_answers(workload, number, 2)
    assert [set(index.match_encoded(event).tolist()) for event in encoded[:2]] == right, "different answers"
    return float(np.mean([len(index.match_encoded(event)) for event in encoded])) / number


# coming and going

_CHANGES = 2_000


def changes(number: int) -> Iterator[Line]:
    """One subscription less, one more, each by one call, among many."""
    workload = Gem()
    index = AutoIndex(workload.ontology())
    progress(f"gem, {number:,} subscriptions, filling")
    stream = workload.asked(number + _CHANGES)
    slots = [index.add(asked) for asked in islice(stream, number)]
    for event in workload.flat_events(WARM):
        index.match_encoded(index.encode_flat(event))
    index.settle()
    gone, more = slots[:: number // _CHANGES][:_CHANGES], list(stream)
    less, added = timed(index.remove, gone), timed(index.add, more)
    what = f"gem, {number:,} subscriptions, auto"
    yield Line(f"{what}: insert, one call", micros(added), wanted="10 µs")
    yield Line(f"{what}: remove, one call", micros(less), wanted="10 µs")


# the edge, and the graph


def flat_events(number: int, events: int) -> Iterator[Line]:
    """What the edge costs: from a `FlatEvent` to ids, and from columns of a table."""
    workload = Gem()
    matcher = FlatMatcher(workload.ontology())
    matcher.add_all(workload.flat_subscriptions(number))  # type: ignore[arg-type]
    made = list(workload.flat_events(WARM + events))
    for event in made[:WARM]:
        matcher.match_ids(event)
    ours = timed(matcher.match_ids, made[WARM:])
    yield Line(f"gem, {number:,} subscriptions: FlatEvent to ids", micros(ours))
    rows = workload.events(20 * events)
    columns = {name: rows[:, n].astype(np.int64) for n, name in enumerate(workload.names)}
    matcher.match_columns(columns, len(rows))
    start = time.process_time_ns()
    matcher.match_columns(columns, len(rows))
    each = (time.process_time_ns() - start) / 1e3 / len(rows)
    yield Line(f"gem, {number:,} subscriptions: {len(rows):,} rows of a table, each", f"{each:.3g} µs")


def verified_shop(number: int, events: int) -> Iterator[Line]:
    """The graph answer by filter and verification against OPS."""
    workload = Shop()
    ontology = workload.ontology()
    ops = OpsMatcher(ontology)
    texts = list(workload.subscriptions(number))
    progress(f"shop, {number:,} subscriptions")
    ops.add_all(texts)
    made = [Event.parse(text) for text in workload.events(600 + events)]
    answers = [sorted(ops.match_ids(event)) for event in made]
    for name in ("auto", "hybrid"):
        progress(f"shop, {number:,} subscriptions, {name}")
        flat = FlatMatcher(ontology, name, verify=True)
        flat.add_all(texts)
        for event, right in zip(made, answers, strict=True):
            assert sorted(flat.match_ids(event)) == right, "different answers"
        ours, theirs = timed(flat.match_ids, made[600:]), timed(ops.match_ids, made[600:])
        what = f"shop, {number:,} subscriptions: {name}, verify=True, against OpsMatcher"
        yield Line(what, micros(ours), micros(theirs), ours.median / theirs.median, "at most 1.5")
