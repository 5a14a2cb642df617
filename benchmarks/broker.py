"""The broker under load, beside the bare store in the same run: the ratio is the figure.

    python -m benchmarks.broker [--quick] [--rows load,http,start,webhooks] [--outstanding 256] [--rounds 5]

A few threads publish offers of a shop as fast as they are taken, with so many outstanding at most. An event counts when
it was acknowledged: it is on disk with its matches. Beside it, in turn, round by round, the bare store, three times:

- *store*: the same publishers hand the same events with their matches to a store of the same kind; nothing is parsed
  or matched;
- *SQLite*: one thread and plain `sqlite3` insert the same rows in as many transactions (see `broker_bare.py`);
- *events*: the same without the matches.

The ratio is the broker's rate divided by theirs. Figures are medians of the rounds. The matches of an event stay about
the same, so that the number of subscriptions is all that changes.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import rdflib

from benchmarks.broker_bare import BareStore, Inserted, rows_since, store_events
from benchmarks.broker_http import http_row
from benchmarks.broker_load import Flood, end_to_end, fill, flood
from benchmarks.broker_webhooks import webhooks
from benchmarks.measuring import progress
from benchmarks.workloads import Shop
from semantic_pubsub import EventValidator, Ontology
from semantic_pubsub.broker import Broker, open_store

__all__ = ["main"]

SHAPES = """@prefix : <http://example.org/shop#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:OfferShape a sh:NodeShape ; sh:targetClass :Offer ;
    sh:property [ sh:path :price ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:decimal ; sh:minInclusive 0.0 ] ,
        [ sh:path :target ; sh:minCount 1 ; sh:class :Product ] , [ sh:path :seller ; sh:class :Agent ] .
:ProductShape a sh:NodeShape ; sh:targetClass :Product ;
    sh:property [ sh:path :title ; sh:minCount 1 ] , [ sh:path :weight ; sh:datatype xsd:integer ] .
"""
HEADS = (
    "subscribed", "SHACL", "matches", "events/s", "of store", "of SQLite", "of events", "CPU", "store CPU",
    "SQLite CPU", "per commit", "ack ms (p99)", "e2e ms (p99)",
)  # fmt: skip
PACE = 50.0
"""Events a second while latency is measured from end to end."""


@dataclass(frozen=True)
class Options:
    """How much is done."""

    sizes: tuple[int, ...]
    events: int
    validated: int
    timed: int
    rounds: int
    outstanding: int
    hook_rounds: int = 8
    hook_events: int = 100
    hook_pace: float = 5.0
    connections: tuple[int, ...] = (1, 32)


@dataclass(frozen=True)
class Round:
    """One round of the broker, and what the bare store then took for the same rows."""

    flood: Flood
    store: Flood
    rows: Inserted
    events_alone: Inserted

    @property
    def rate(self) -> float:
        return self.flood.events / self.flood.seconds

    def ratio(self, bare: Flood | Inserted) -> float:
        """The broker's rate divided by a bare store's."""
        return bare.seconds / self.flood.seconds


def shop(subscriptions: int) -> Shop:
    """About ten matches an event with 10,000 subscriptions and with 100,000."""
    return Shop(rate=0.001 if subscriptions <= 10_000 else 0.0001)


def load(options: Options) -> None:
    """The table of rates and latencies."""
    print(f"load: {options.rounds} rounds, at most {options.outstanding} events outstanding; medians")
    print("  ".join(f"{head:>12}" for head in HEADS))
    for size in options.sizes:
        for validated in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                progress(f"{size:,} subscriptions, {'with' if validated else 'without'} SHACL")
                _load_row(Path(folder), size, validated, options)
    print("CPU: microseconds an event, of all threads. ack: from the call to the acknowledgement, in the flood.")
    print(f"e2e: from the call until a subscriber's stream has it, with its bindings, at {PACE:.0f} events/s.\n")


def _load_row(folder: Path, size: int, validated: bool, options: Options) -> None:
    workload = shop(size)
    ontology = workload.ontology()
    path = folder / "broker.db"
    fill(path, workload.subscriptions(size))
    bare, bare_events = BareStore(path, folder / "bare.db"), BareStore(path, folder / "events.db")
    validator = EventValidator(rdflib.Graph().parse(data=SHAPES), ontology) if validated else None
    texts = workload.endless_events()
    count = options.validated if validated else options.events
    store = open_store(f"sqlite:///{shutil.copy(path, folder / 'store.db')}")
    rounds = []
    with store, Broker(ontology, store=path, validator=validator) as broker:
        for number in range(options.rounds + 1):
            load = list(islice(texts, count))
            gc.collect()
            after = broker.store.read("SELECT coalesce(max(number), 0) FROM events")[0][0]
            found = flood(broker.store, broker.publish_soon, load, options.outstanding)
            rows = rows_since(path, after)
            if rows.matches != found.matches or len(rows.events) != found.events:
                raise RuntimeError("what is in the store is not what was acknowledged")
            ready = store_events(rows, load)
            again = flood(store, store.events.publish, ready, options.outstanding)
            alone = bare_events.insert(rows, found.commits, matches=False)
            if number:  # the first one warms up: kernels, caches, what the index knows of events
                rounds.append(Round(found, again, bare.insert(rows, found.commits, matches=True), alone))
        timed = end_to_end(broker, list(islice(texts, options.timed)), PACE)
    bare.close()
    bare_events.close()
    _print_load(size, validated, rounds, timed)


def _print_load(size: int, validated: bool, rounds: list[Round], timed: list[float]) -> None:
    def median(of: Callable[[Round], float]) -> float:
        return statistics.median(map(of, rounds))

    acks = [seconds for r in rounds for seconds in r.flood.latencies]
    cells = (
        f"{size:,}",
        "on" if validated else "off",
        f"{median(lambda r: r.flood.matches / r.flood.events):.1f}",
        f"{median(lambda r: r.rate):,.0f}",
        f"{median(lambda r: r.ratio(r.store)):.2f}",
        f"{median(lambda r: r.ratio(r.rows)):.2f}",
        f"{median(lambda r: r.ratio(r.events_alone)):.2f}",
        f"{median(lambda r: r.flood.cpu / r.flood.events) * 1e6:.0f}",
        f"{median(lambda r: r.store.cpu / r.flood.events) * 1e6:.0f}",
        f"{median(lambda r: r.rows.cpu / r.flood.events) * 1e6:.0f}",
        f"{median(lambda r: r.flood.events / r.flood.commits):.0f}",
        latency(acks),
        latency(timed),
    )
    print("  ".join(f"{cell:>12}" for cell in cells), flush=True)


def latency(seconds: Sequence[float]) -> str:
    """Median and 99th percentile in milliseconds."""
    ranked = sorted(seconds)
    return f"{statistics.median(ranked) * 1e3:.1f} ({ranked[round(0.99 * (len(ranked) - 1))] * 1e3:.1f})"


def start(options: Options) -> None:
    """How long a broker takes to open a store with many subscriptions: parsing them all, and with the compiled set."""
    size = max(options.sizes)
    workload = shop(size)
    ontology = workload.ontology()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "broker.db"
        fill(path, workload.subscriptions(size))
        compiled = path.with_name("broker.db.compiled")
        with Broker(ontology, store=path):
            pass  # the kernels are there from now on
        print(f"start with {size:,} stored subscriptions")
        for name, forget in (("all texts parsed", True), ("from the compiled set", False)):
            taken = [_start(ontology, path, compiled if forget else None) for _ in range(3)]
            seconds, cpu = (statistics.median(found) for found in zip(*taken, strict=True))
            print(f"  {name:24}{seconds:8.2f} s, CPU {cpu:6.2f} s")
    print()


def _start(ontology: Ontology, path: Path, forget: Path | None) -> tuple[float, float]:
    if forget is not None:
        shutil.rmtree(forget)
    gc.collect()
    started, cpu = time.perf_counter(), time.process_time()
    with Broker(ontology, store=path):
        return time.perf_counter() - started, time.process_time() - cpu


def hooks(options: Options) -> None:
    """What a hanging and a dead webhook change for the others."""
    webhooks(options.hook_rounds, options.hook_events, options.hook_pace)


def over_http(options: Options) -> None:
    """The table of rates over HTTP."""
    print(f"over HTTP: {options.rounds} rounds of {options.validated:,} events; medians")
    heads = f"{'subscribed':>12}{'SHACL':>8}{'connections':>14}{'events/s':>12}{'embedded':>12}{'ratio':>8}"
    print(f"{heads}{'server CPU':>12}{'ack ms (p99)':>18}")
    for size in options.sizes:
        for shapes in (None, SHAPES):
            for connections in options.connections:
                http_row(size, shop(size), connections, options.validated, options.rounds, shapes)
    print(
        "embedded: the same events (validated or not) by publish_soon, as many outstanding as there are connections.\n"
    )


ROWS: dict[str, Callable[[Options], None]] = {"load": load, "http": over_http, "start": start, "webhooks": hooks}


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m benchmarks.broker", description=__doc__.partition("\n")[0])
    reader.add_argument("--quick", action="store_true", help="10 and 1,000 subscriptions, few events")
    reader.add_argument("--rows", default=",".join(ROWS), help=f"which ones: {', '.join(ROWS)}")
    reader.add_argument("--sizes", help="numbers of subscriptions, separated by commas")
    reader.add_argument("--outstanding", type=int, default=256)
    reader.add_argument("--rounds", type=int, default=5)
    given = reader.parse_args()
    options = Options((10, 10_000, 100_000), 8_000, 1_000, 500, given.rounds, given.outstanding)
    if given.quick:
        options = Options((10, 1_000), 1_000, 200, 50, 2, given.outstanding, 1, 20)
    if given.sizes:
        options = replace(options, sizes=tuple(map(int, given.sizes.split(","))))
    for name in given.rows.split(","):
        ROWS[name](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
