"""The flat indexes beside a counting index and the OPS matcher, in one run, with every answer compared.

    python -m benchmarks.flat [--quick] [--rows NAME,...]

CPU time per event, medians with the spread of the middle 80 %; ratios are of medians. Indexes are asked with encoded
events, one call each, and give slot numbers as an array, as the counting index does; `flat-events` says what reading a
`FlatEvent` and naming the ids adds. Before the measured events each index has seen others and settled.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Summary, progress, summary
from benchmarks.peers.counting import Counting
from benchmarks.workloads import Shop
from benchmarks.workloads.gem import ATTRIBUTES, Gem
from semantic_pubsub import Event, FlatEvent, FlatMatcher, OpsMatcher
from semantic_pubsub.matching.flat.array_index import ArrayIndex
from semantic_pubsub.matching.flat.constraints import Between
from semantic_pubsub.matching.flat.ctps import CtpsIndex
from semantic_pubsub.matching.flat.hybrid import AutoIndex, HybridIndex

__all__ = ["ROWS", "main"]

INDEXES: dict[str, type[ArrayIndex]] = {"auto": AutoIndex, "ctps": CtpsIndex, "hybrid": HybridIndex}
PATHS = [(f"urn:gem:a{number}",) for number in range(ATTRIBUTES)]


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    ours: str
    peer: str
    ratio: float | None
    wanted: str


def _timed(calls: list[Callable[[], Any]]) -> Summary:
    times = []
    for call in calls:
        start = time.process_time_ns()
        call()
        times.append((time.process_time_ns() - start) / 1e9)
    return summary(times)


def _filled(kind: type[ArrayIndex], workload: Gem, number: int) -> ArrayIndex:
    index = kind(workload.ontology())
    columns = (array.tolist() for array in workload.subscriptions(number))
    for attributes, lower, upper in zip(*columns, strict=True):
        index.add(tuple((PATHS[a], Between(low, high)) for a, low, high in zip(attributes, lower, upper, strict=True)))
    return index


def _encoded(index: ArrayIndex, rows: Any) -> list[Any]:
    return [index.encode_flat(FlatEvent({PATHS[n][0]: value for n, value in enumerate(row)})) for row in rows.tolist()]


def gem(workload: Gem, number: int, must: float, kinds: tuple[str, ...], events: int) -> Iterator[Line]:
    """Each index against counting."""
    rows = workload.events(100 + events)
    counting = Counting(*workload.subscriptions(number))
    for row in rows[:20]:
        counting.match(row)
    answers = [counting.match(row) for row in rows[100:]]
    theirs = _timed([lambda row=row: counting.match(row) for row in rows[100:]])
    share = float(np.mean([len(found) for found in answers])) / number
    for name in kinds:
        progress(f"gem, {number:,} subscriptions, {name}")
        index = _filled(INDEXES[name], workload, number)
        encoded = _encoded(index, rows)
        for event in encoded[:100]:
            index.match_encoded(event)
        index.settle()
        for event, right in zip(encoded[100:], answers, strict=True):
            assert sorted(index.match_encoded(event).tolist()) == sorted(right.tolist()), "different answers"
        match = index.match_encoded
        ours = _timed([lambda event=event, match=match: match(event) for event in encoded[100:]])
        what = f"{workload.name}, {number:,} subscriptions, {share:.2%} match: {name}"
        memory = f", {index.memory() / number:.0f} B a subscription"
        yield Line(
            what, ours.text(1e-6, "µs") + memory, theirs.text(1e-6, "µs"), theirs.median / ours.median, f"{must:g}"
        )
        if name == "auto":
            yield from _changes(index, workload, number)


def _changes(index: ArrayIndex, workload: Gem, number: int) -> Iterator[Line]:
    """One insertion and one removal in a filled index; and with names and values read from constraints."""
    columns = [array[:1000].tolist() for array in workload.subscriptions(1000)]
    asked = [
        tuple((PATHS[a], Between(low, high)) for a, low, high in zip(*row, strict=True))
        for row in zip(*columns, strict=True)
    ]
    preds = [index.preds_of(one) for one in asked]
    slots: list[int] = []
    insert = _timed([lambda one=one: slots.append(index.add_preds(one)) for one in preds])
    whole = _timed([lambda one=one: slots.append(index.add(one)) for one in asked])
    remove = _timed([lambda slot=slot: index.remove(slot) for slot in slots])
    shown = f"{insert.text(1e-6, 'µs')}, from constraints {whole.text(1e-6, 'µs')}"
    yield Line(f"insert, {number:,} subscriptions", shown, "", None, "10 µs")
    yield Line(f"remove, {number:,} subscriptions", remove.text(1e-6, "µs"), "", None, "10 µs")


def flat_events(number: int, events: int) -> Iterator[Line]:
    """What the edge costs: from a `FlatEvent` to ids."""
    workload = Gem()
    matcher = FlatMatcher(workload.ontology())
    matcher.add_all(workload.flat_subscriptions(number))  # type: ignore[arg-type]
    made = list(workload.flat_events(100 + events))
    for event in made[:100]:
        matcher.match_ids(event)
    ours = _timed([lambda event=event: matcher.match_ids(event) for event in made[100:]])
    yield Line(f"gem, {number:,} subscriptions: FlatEvent to ids", ours.text(1e-6, "µs"), "", None, "")


def verified_shop(number: int, events: int) -> Iterator[Line]:
    """The graph answer by filter and verification against OPS."""
    workload = Shop()
    ontology = workload.ontology()
    ops, flat = OpsMatcher(ontology), FlatMatcher(ontology, verify=True)
    texts = list(workload.subscriptions(number))
    progress(f"shop, {number:,} subscriptions")
    ops.add_all(texts)
    flat.add_all(texts)
    made = [Event.parse(text) for text in workload.events(600 + events)]
    for event in made[:600]:
        assert sorted(ops.match_ids(event)) == sorted(flat.match_ids(event)), "different answers"
    ours = _timed([lambda event=event: flat.match_ids(event) for event in made[600:]])
    theirs = _timed([lambda event=event: ops.match_ids(event) for event in made[600:]])
    what = f"shop, {number:,} subscriptions: verify=True against OpsMatcher"
    yield Line(what, ours.text(1e-6, "µs"), theirs.text(1e-6, "µs"), theirs.median / ours.median, "0.67")


ROWS: dict[str, Callable[[bool], Iterator[Line]]] = {
    "gem-10k": lambda q: gem(Gem(), 10_000, 4, tuple(INDEXES), 50 if q else 300),
    "gem-100k": lambda q: gem(Gem(), 20_000 if q else 100_000, 8, tuple(INDEXES), 50 if q else 200),
    "gem-1m": lambda q: gem(Gem(), 30_000 if q else 1_000_000, 8, ("auto",), 50 if q else 100),
    "gem-rare": lambda q: gem(Gem(rate=0.0001), 20_000 if q else 100_000, 8, tuple(INDEXES), 50 if q else 200),
    "gem-zipf": lambda q: gem(Gem(values="zipf"), 20_000 if q else 100_000, 8, tuple(INDEXES), 50 if q else 200),
    "flat-events": lambda q: flat_events(10_000, 50 if q else 300),
    "verify": lambda q: verified_shop(5_000 if q else 100_000, 50 if q else 300),
}


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m benchmarks.flat", description=__doc__.partition("\n")[0])
    reader.add_argument("--quick", action="store_true", help="smaller inputs: to see that everything runs")
    reader.add_argument("--rows", help=f"which ones, with commas between: {', '.join(ROWS)}")
    given = reader.parse_args()
    names = given.rows.split(",") if given.rows else list(ROWS)
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        reader.error(f"no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    table = Table("what", "ours", "peer", "ratio", "must", title="flat indexes")
    for name in names:
        for line in ROWS[name](given.quick):
            ratio = "" if line.ratio is None else f"{line.ratio:.2f}"
            table.add_row(line.what, line.ours, line.peer, ratio, line.wanted)
    Console(width=160).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
