"""Matching on Spark beside plain Spark, in one run, with the rows compared.

    python -m benchmarks.spark [--quick] [--rows NAME,...]

CPU per event: the driver's JVM, its Python workers and this process together, from /proc before and after a job.
Every job writes to the `noop` sink; that plain Spark gives the same rows is checked on all events that it runs on.
What is compared for flat pairs is what an event more costs, ours on 100,000 events, plain Spark's on fewer; what a job
costs before it meets events (planning, tables, their broadcast) is shown beside. `A4` is the best general job that we
know, `filed` one written by hand for the shape of these events. All after a first run that loads and compiles.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import progress
from benchmarks.spark_flat import cores, flat, large
from benchmarks.spark_jobs import Line, run, session, warm
from benchmarks.workloads import Shop
from semantic_pubsub import FlatMatcher, Ontology
from semantic_pubsub.spark import compile_subscriptions, flatten_events, match_events
from semantic_pubsub.spark.generate import event_text, generate_subscriptions
from semantic_pubsub.subscriptions import SubscriptionText

__all__ = ["ROWS", "main"]


def _json_ld(turtle: str) -> str:
    """The same event as JSON-LD, written by pyoxigraph."""
    from pyoxigraph import RdfFormat, parse, serialize

    return (serialize(parse(turtle, RdfFormat.TURTLE), format=RdfFormat.JSON_LD) or b"").decode()


def _parsing(some: Any) -> Any:
    """The texts parsed as JSON-LD, and nothing done with it."""

    def parse(batches: Any) -> Any:
        from pyoxigraph import RdfFormat
        from pyoxigraph import parse as read

        for batch in batches:
            for body in batch.column(1).to_pylist():
                for _ in read(body, RdfFormat.JSON_LD):
                    pass
            yield batch.select([0])

    return some.mapInArrow(parse, "event_id long")


def text(workload: str, number: int, events: int, verify: bool) -> Iterator[Line]:
    """From JSON-LD text to matches, against parsing alone in the same job; alternately, medians of three."""
    spark = session()
    if workload == "shop":
        shop = Shop()
        ontology, texts = shop.ontology(), [_json_ld(one) for one in shop.events(events)]
        asked = [SubscriptionText(name, one) for name, one in shop.subscriptions(number)]
    else:
        ontology = Ontology.load(Path(__file__).resolve().parents[1] / "ontology" / "auction.ttl")
        texts = [event_text(7, n) for n in range(events)]
        asked = [SubscriptionText(name, one) for name, one in generate_subscriptions(7, number)]
    frame = spark.createDataFrame(list(enumerate(texts)), "event_id long, body string")
    frame = frame.repartition(4).localCheckpoint()
    progress(f"JSON-LD, {workload}, {number:,} subscriptions, verify={verify}")
    task = match_events(compile_subscriptions(ontology, asked, verify=verify), text="body", format="json-ld")
    warm(frame, _parsing)
    warm(frame, task)
    rows = frame.transform(task).count()
    costs = [(run(frame.transform(task))[0], run(frame.transform(_parsing))[0]) for _ in range(3)]
    ours, theirs = (sorted(side)[1] / events for side in zip(*costs, strict=True))
    answer = "the graph answer" if verify else "the flat answer"
    what = f"JSON-LD, {workload}, {number:,} subscriptions, {rows / events:.3g} matches an event, {answer}, to parsing"
    yield Line(what, f"{ours * 1e6:,.0f} µs", f"{theirs * 1e6:,.0f} µs", ours / theirs, "at most 2.5")


def verified(number: int, events: int) -> Iterator[Line]:
    """The graph answer from texts against two flat ones, *shop*: from the same texts, and from pairs made before."""
    spark, workload = session(), Shop()
    asked = [SubscriptionText(name, one) for name, one in workload.subscriptions(number)]
    ontology = workload.ontology()
    frame = spark.createDataFrame(list(enumerate(workload.events(events))), "event_id long, body string")
    frame = frame.repartition(4).localCheckpoint()
    graph, flat = (compile_subscriptions(ontology, asked, verify=verify) for verify in (True, False))
    pairs = frame.transform(flatten_events(ontology, text="body", paths=paths_of(ontology, asked))).localCheckpoint()
    jobs = {
        "verify=True, from Turtle": (frame, match_events(graph, text="body")),
        "flat, from Turtle": (frame, match_events(flat, text="body")),
        "flat, from pairs": (pairs, match_events(flat)),
    }
    costs = []
    for name, (some, task) in jobs.items():
        progress(f"shop, {name}")
        warm(frame=some, task=task)
        costs.append(run(some.transform(task))[0] / events)
    for name, cost, must in zip(list(jobs)[1:], costs[1:], ("at most 2", ""), strict=True):
        what = f"shop, {number:,} subscriptions: verify=True, from Turtle, against {name}"
        yield Line(what, f"{costs[0] * 1e6:,.0f} µs", f"{cost * 1e6:,.0f} µs", costs[0] / cost, must)


def paths_of(ontology: Ontology, asked: list[SubscriptionText]) -> Any:
    """What the subscriptions look at."""
    matcher = FlatMatcher(ontology)
    matcher.add_all(asked)
    return matcher.paths


def _peers(quick: bool, thousands: int) -> dict[str, int]:
    """How many events plain Spark's jobs are measured on."""
    if quick:
        return {"A4": 200, "filed": 1_000, "naive": 20}
    return {"A4": 2_000, "filed": 20_000, "naive": 200} if thousands == 10 else {"A4": 200, "filed": 4_000}


ROWS: dict[str, Callable[[bool, Path], Iterator[Line]]] = {
    "flat-10k": lambda q, p: flat(1_000 if q else 10_000, 5_000 if q else 100_000, _peers(q, 10), "100", p),
    "flat-100k": lambda q, p: flat(2_000 if q else 100_000, 5_000 if q else 100_000, _peers(q, 100), "500", p),
    "text": lambda q, _: text("shop", 1_000 if q else 10_000, 2_000 if q else 100_000, True),
    "text-flat": lambda q, _: text("shop", 1_000 if q else 10_000, 2_000 if q else 100_000, False),
    "text-many": lambda q, _: text("auction", 1_000 if q else 10_000, 2_000 if q else 100_000, True),
    "large": lambda q, p: large(1_000 if q else 100_000, 5_000 if q else 1_000_000, p),
    "verify": lambda q, _: verified(500 if q else 10_000, 500 if q else 100_000),
    "cores": lambda q, p: cores(1_000 if q else 10_000, 5_000 if q else 100_000, p),
}


def main() -> int:
    import tempfile

    reader = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__.partition("\n")[0])
    reader.add_argument("--quick", action="store_true", help="smaller inputs: to see that everything runs")
    reader.add_argument("--rows", help=f"which ones, with commas between: {', '.join(ROWS)}")
    given = reader.parse_args()
    names = given.rows.split(",") if given.rows else list(ROWS)
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        reader.error(f"no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    table = Table("what", "ours", "peer", "ratio", "must", title="Spark")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rare").mkdir()
        for name in names:
            for line in ROWS[name](given.quick, Path(folder)):
                ratio = "" if line.ratio is None else f"{line.ratio:,.2f}"
                table.add_row(line.what, line.ours, line.peer, ratio, line.wanted)
                progress(f"{line.what}: {line.ours}; {line.peer}; {ratio}")
    Console(width=160).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
