"""Rows of the OPS benchmark: an event beside an ASK loop and the paper's algorithm, bands, traps, texts."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import pyoxigraph as ox

from benchmarks.competitors import AskLoop, PaperMatcher, parse_turtle
from benchmarks.measuring import ChildTimeoutError, cpu, progress, run_child, summary
from benchmarks.ops_common import (
    WARM_UP,
    DisagreementError,
    Result,
    agree,
    bulk_load,
    check_against_ask,
    judge,
    measured_events,
    parsed,
    sample_of,
    time_events,
)
from benchmarks.workloads import Bands, Shop, Workload, traps
from semantic_pubsub import Event, OpsMatcher

__all__ = ["Limits", "against_ask", "against_paper", "bands", "text_to_ids", "trapped"]

OUR_EVENTS = 100
SAMPLE = 2_000
PLANNED = 1_000


@dataclass(frozen=True)
class Limits:
    """What a row must reach, and what it aims at."""

    must: float
    aim: float


def against_ask(workload: Workload, size: int, limits: Limits, *, injective: bool, events: int) -> Iterator[Result]:
    """One event against all subscriptions: ours, and one ASK after the other on the event closed upward."""
    pairs = list(workload.subscriptions(size))
    ontology = workload.ontology()
    matcher, ask = OpsMatcher(ontology), AskLoop(ontology)
    progress(f"loading {size:,} {workload.name} subscriptions")
    for subscription in parsed(pairs, injective=injective):
        matcher.add(subscription)
    asked = sample_of(pairs, SAMPLE if size > 20_000 else size)
    ask.add_all(parsed(asked, injective=injective))
    progress("timing ours")
    ours = time_events(matcher.match_ids, workload, OUR_EVENTS)
    progress(f"timing {len(asked):,} ASK queries on {events} events")
    among, factor, theirs = {name for name, _ in asked}, size / len(asked), []
    for event, found in zip(measured_events(workload, events), ours.ids, strict=False):
        seconds, expected = cpu(ask.match_ids, ask.prepare(event))
        agree(found, expected, among)
        theirs.append(seconds * factor)
    some = ask.queries[:PLANNED]
    planning = cpu(ask.match_ids, ox.Store(), some)[0] * size / len(some)  # nothing to evaluate: all of it is planning
    ratio = statistics.fmean(theirs) / statistics.fmean(ours.seconds[:events])
    scaled = "" if factor == 1 else f", scaled from {len(asked):,}"
    yield Result(
        f"{workload.name}, S = {size:,}, {'injective' if injective else 'SPARQL'}, against an ASK loop",
        f"{ours.spread.text()}; ASK {summary(theirs).text()}{scaled}, "
        f"{planning / statistics.fmean(theirs):.0%} of it parsing and planning; "
        f"{ours.matches:.1f} matches ({ours.matches / size:.3%}); "
        f"{events * len(asked):,} answers agree",
        f"{ratio:,.0f}x",
        f"{limits.must:,.0f}x",
        f"{limits.aim:,.0f}x",
        judge(ratio, limits.must, limits.aim, higher=True),
        {
            "ours_s": ours.spread.median,
            "peer_s": statistics.fmean(theirs),
            "peer_planning_s": planning,
            "ratio": ratio,
            "matches": ours.matches,
            "agreed": events * len(asked),
        },
    )


def against_paper(workload: Workload, size: int, limits: Limits, *, events: int) -> Iterator[Result]:
    """The same against the paper's own algorithm; injective on both sides, as the paper defines it.

    Its trees are garbage with cycles, and a collection costs several times what the matching does. None falls into
    what is timed of it: a collector is no part of the algorithm.
    """
    ontology = workload.ontology()
    matcher, paper = OpsMatcher(ontology), PaperMatcher(ontology)
    progress(f"loading {size:,} {workload.name} subscriptions, twice")
    subscriptions = list(parsed(workload.subscriptions(size), injective=True))
    for subscription in subscriptions:
        matcher.add(subscription)
    paper.add_all(subscriptions)
    ours = time_events(matcher.match_ids, workload, OUR_EVENTS)
    progress(f"timing the paper's algorithm on {events} events")
    for text in workload.events(WARM_UP):
        paper.match_ids(paper.prepare(Event.parse(text)))
    gc.collect()
    gc.freeze()  # what was loaded stays: no need to look at it again and again
    theirs, nodes = [], []
    for event, found in zip(measured_events(workload, events), ours.ids, strict=False):
        prepared = paper.prepare(event)
        gc.collect()
        gc.disable()
        seconds, expected = cpu(paper.match_ids, prepared)
        gc.enable()
        agree(found, expected)
        theirs.append(seconds)
        nodes.append(paper.nodes_per_tree)
    gc.unfreeze()
    ratio = statistics.fmean(theirs) / statistics.fmean(ours.seconds[:events])
    yield Result(
        f"{workload.name}, S = {size:,}, injective, against the paper's algorithm",
        f"{ours.spread.text()}; paper {summary(theirs).text()}, {statistics.fmean(nodes):.1f} nodes a tree; "
        f"{ours.matches:.1f} matches; {events * size:,} answers agree",
        f"{ratio:,.0f}x",
        f"{limits.must:,.0f}x",
        f"{limits.aim:,.0f}x",
        judge(ratio, limits.must, limits.aim, higher=True),
        {"ours_s": ours.spread.median, "peer_s": statistics.fmean(theirs), "ratio": ratio, "matches": ours.matches},
    )


def bands(kind: str, small: int, large: int) -> Iterator[Result]:
    """Subscriptions that differ only in the numbers of a price filter; every answer is checked with the numbers."""
    workload = Bands(kind=kind)  # type: ignore[arg-type]
    matcher = OpsMatcher(workload.ontology())
    pairs = workload.subscriptions(large)
    times = []
    for size in (small, large):
        progress(f"loading {kind} bands up to {size:,}")
        bulk_load(matcher, (pair for pair, _ in zip(pairs, range(size - len(matcher)), strict=False)))
        timed = time_events(matcher.match_ids, workload, OUR_EVENTS)
        limits = [pair for pair, _ in zip(workload.limits(), range(size), strict=False)]
        for event, found in zip(measured_events(workload, 20), timed.ids, strict=False):
            price = next(float(t.object.value) for t in event.triples if t.predicate.value.endswith("#price"))
            fitting = (i for i, (low, high) in enumerate(limits) if (low is None or low <= price) and price < high)
            agree(found, (f"s{i}" for i in fitting))
        times.append(timed)
    growth = statistics.fmean(times[1].seconds) / statistics.fmean(times[0].seconds)
    yield Result(
        f"{kind} price bands, S = {small:,} to {large:,}",
        f"{times[0].spread.text()} with {times[0].matches:.1f} matches, then {times[1].spread.text()} with "
        f"{times[1].matches:.1f}; {20 * (small + large):,} answers agree",
        f"grows {growth:.2f}x",
        f"{large / small:.0f}x",
        "with the matches only",
        judge(growth, large / small, 1 + (large / small) / 4, higher=False),
        {"small_s": times[0].spread.median, "large_s": times[1].spread.median, "growth": growth},
    )


def trapped(timeout: float) -> Iterator[Result]:
    """Patterns that a plain search does not get out of; each in a process of its own, which can be stopped."""
    for number, trap in enumerate(traps()):
        name = f"trap: {trap.name}, {'injective' if trap.injective else 'SPARQL'}"
        progress(name)
        try:
            found = run_child("benchmarks.ops_children", ["trap", number], timeout=timeout)
        except ChildTimeoutError as late:
            yield Result(name, str(late), "", "1 ms", "0.05 ms", "missed")
            continue
        if found["impossible"] or not found["possible"]:
            raise DisagreementError(f"{name}: a wrong answer")
        worst = summary(found["seconds"])
        verdict = judge(worst.median, 1e-3, 5e-5, higher=False)
        yield Result(name, worst.text(), "", "1 ms", "0.05 ms", verdict, {"ours_s": worst.median})


def text_to_ids(size: int, limits: Limits) -> Iterator[Result]:
    """From the text of an event to ids, beside a plain parse of the same text."""
    workload = Shop()
    matcher = OpsMatcher(workload.ontology())
    pairs = list(workload.subscriptions(size))
    progress(f"loading {size:,} shop subscriptions")
    bulk_load(matcher, pairs)
    texts = list(workload.events(WARM_UP + OUR_EVENTS))
    ours, theirs = [], []
    for _ in range(5):
        for number, text in enumerate(texts):
            seconds, found = cpu(matcher.match_text, text, "turtle")
            plain, _ = cpu(parse_turtle, text)
            if number >= WARM_UP:
                ours.append(seconds)
                theirs.append(plain)
                agree(found, matcher.match_ids(Event.parse(text)))
    ask = AskLoop(matcher.ontology)
    ask.add_all(parsed(sample_of(pairs, SAMPLE)))
    events = measured_events(workload, 3)
    agreed = check_against_ask(ask, events, [matcher.match_ids(event) for event in events])
    ratio = summary(ours).median / summary(theirs).median
    yield Result(
        f"Turtle text to ids, shop, S = {size:,}, against a plain parse",
        f"{summary(ours).text()}; parse {summary(theirs).text()}; {agreed:,} answers agree",
        f"{ratio:.2f} times the parse",
        f"{limits.must:.0f}x",
        f"{limits.aim:.0f}x",
        judge(ratio, limits.must, limits.aim, higher=False),
        {"ours_s": summary(ours).median, "peer_s": summary(theirs).median, "ratio": ratio},
    )
