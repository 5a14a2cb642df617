"""Matching on Spark beside plain Spark, in one run, with the rows compared.

    python -m benchmarks.spark [--quick] [--rows NAME,...]

CPU per event: the driver's JVM, its Python workers and this process together, from /proc before and after a job.
Every job writes to the `noop` sink; where rows are compared, the job is run once more and counted. Ours is run on at
least 100,000 events, plain Spark on fewer, since it takes as long; both after a first run that warms everything up.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.competitors.spark_joins import a4, constraints_frame, naive
from benchmarks.measuring import progress
from benchmarks.workloads import Shop
from benchmarks.workloads.gem import Gem
from semantic_pubsub import Ontology
from semantic_pubsub.spark import CompiledIndex, compile_subscriptions, match_events, quiet_session
from semantic_pubsub.spark.generate import event_text, generate_subscriptions
from semantic_pubsub.subscriptions import SubscriptionText

__all__ = ["ROWS", "main"]

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    ours: str
    peer: str
    ratio: float | None
    wanted: str


def tree_cpu() -> dict[int, float]:
    """CPU seconds of this process and of each that runs below it."""
    found: dict[int, float] = {}
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            found[pid] = sum(map(int, fields[11:13])) / _TICKS
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                waiting += map(int, children.read_text().split())
        except OSError:
            continue
    return found


def private_mb() -> float:
    """The private memory of the largest Python worker, in MB."""
    largest = 0.0
    for place in Path("/proc").iterdir():
        try:
            if b"pyspark.daemon" in (place / "cmdline").read_bytes():
                lines = (place / "smaps_rollup").read_text().splitlines()
                own = sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
                largest = max(largest, own / 1024)
        except OSError:
            continue
    return largest


def run(frame: Any) -> tuple[float, float]:
    """CPU and wall seconds of a job that writes nowhere."""
    started, before = time.perf_counter(), tree_cpu()
    frame.write.format("noop").mode("overwrite").save()
    wall = time.perf_counter() - started
    return sum(cpu - before.get(pid, 0.0) for pid, cpu in tree_cpu().items()), wall


def warm(frame: Any, task: Any) -> None:
    """Let every worker load what it needs: a job on a little of each partition, twice."""
    for _ in range(2):
        run(frame.where("event_id % 50 = 0").transform(task))


def session(cores: int = 2) -> Any:
    settings = {"spark.driver.memory": "6g", "spark.sql.shuffle.partitions": "2", "spark.sql.adaptive.enabled": "false"}
    return quiet_session(f"local[{cores}]", "benchmark", settings)


def gem_pairs(spark: Any, workload: Gem, events: int, folder: Path) -> Any:
    """Events as pairs, in a Parquet file, partitioned by id."""
    import pyarrow as pa
    from pyarrow import parquet

    name = folder / f"gem-{events}.parquet"
    if not name.exists():
        rows = workload.events(events)
        kind = pa.struct([(field, pa.string()) for field in ("path", "kind", "value", "datatype")])
        number = "http://www.w3.org/2001/XMLSchema#integer"
        paths = list(workload.names)
        schema = pa.schema([("event_id", pa.int64()), ("pairs", pa.list_(kind))])
        with parquet.ParquetWriter(name, schema) as writer:
            for start in range(0, events, 5_000):
                some = rows[start : start + 5_000].astype(int).tolist()
                pairs = [[(p, "literal", str(v), number) for p, v in zip(paths, row, strict=True)] for row in some]
                ids = pa.array(range(start, start + len(some)), pa.int64())
                data = [[dict(zip(kind.names, one, strict=True)) for one in row] for row in pairs]
                writer.write_batch(pa.RecordBatch.from_arrays([ids, pa.array(data, pa.list_(kind))], schema=schema))
    return spark.read.parquet(str(name)).repartition(4, "event_id").localCheckpoint()


def long_pairs(frame: Any) -> Any:
    """The same as (event_id, attribute, value), partitioned by id and held in memory."""
    from pyspark.sql import functions as f

    one = frame.select("event_id", f.explode("pairs").alias("pair"))
    attribute = f.expr("cast(substring(pair.path, 10) as smallint)").alias("attribute")
    return one.select("event_id", attribute, f.expr("cast(pair.value as double)").alias("value")).localCheckpoint()


def gem_index(workload: Gem, number: int, folder: Path) -> CompiledIndex:
    place = folder / f"index-{number}"
    if not place.exists():
        progress(f"compiling {number:,} subscriptions")
        compile_subscriptions(workload.ontology(), workload.flat_subscriptions(number), place)
    return CompiledIndex.load(place)


def flat(number: int, events: int, theirs: int, wanted: str, peers: tuple[str, ...], folder: Path) -> Iterator[Line]:
    """Flat pairs against plain Spark."""
    spark, workload = session(), Gem()
    index = gem_index(workload, number, folder)
    frame, small = gem_pairs(spark, workload, events, folder), gem_pairs(spark, workload, theirs, folder)
    task = match_events(index)
    warm(frame, task)
    progress(f"ours, {number:,} subscriptions, {events:,} events")
    cpu, wall = run(frame.transform(task))
    ours = cpu / events
    rows = {(r.event_id, int(r.subscription_id[1:])) for r in small.transform(task).collect()}
    constraints = constraints_frame(spark, *workload.subscriptions(number)).localCheckpoint()
    pairs = long_pairs(small)
    for name in peers:
        progress(f"{name}, {number:,} subscriptions, {theirs:,} events")
        job = {"A4": a4, "naive": naive}[name](pairs, constraints, workload.predicates)
        if name == "A4":
            found = {(r.event_id, r.sub) for r in job.collect()}
            assert found == rows, "different rows"
        else:  # it takes far longer: a part of the events tells enough
            some = theirs // 10
            job = naive(pairs.where(f"event_id < {some}"), constraints, workload.predicates)
        other = run(job)[0] / (theirs if name == "A4" else some)
        shown = f"{ours * 1e6:,.1f} µs ({events / wall:,.0f}/s)"
        what = f"{number:,} subscriptions, flat pairs, against {name}"
        yield Line(what, shown, f"{other * 1e6:,.0f} µs", other / ours, wanted if name == "A4" else "")


def large(events: int, number: int, folder: Path) -> Iterator[Line]:
    """A million subscriptions: it runs, and what a worker holds for itself."""
    spark, workload = session(), Gem(rate=0.0001)
    index = gem_index(workload, number, folder / "rare")
    frame = gem_pairs(spark, workload, events, folder)
    warm(frame, match_events(index))
    cpu, wall = run(frame.transform(match_events(index)))
    shown = f"{cpu / events * 1e6:,.0f} µs ({events / wall:,.0f}/s), {private_mb():,.0f} MB private"
    yield Line(f"{number:,} subscriptions, 0.01 % match", shown, "", None, "1,500 MB")


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
    """The graph answer against the flat one, *shop*."""
    spark, workload = session(), Shop()
    asked = [SubscriptionText(name, one) for name, one in workload.subscriptions(number)]
    ontology = workload.ontology()
    frame = spark.createDataFrame(list(enumerate(workload.events(events))), "event_id long, body string")
    frame = frame.repartition(4).localCheckpoint()
    costs = []
    for verify in (True, False):
        progress(f"shop, verify={verify}")
        task = match_events(compile_subscriptions(ontology, asked, verify=verify), text="body")
        warm(frame, task)
        costs.append(run(frame.transform(task))[0] / events)
    what = f"shop, {number:,} subscriptions: verify=True against flat only, from Turtle"
    yield Line(what, f"{costs[0] * 1e6:,.0f} µs", f"{costs[1] * 1e6:,.0f} µs", costs[0] / costs[1], "at most 2")


def cores(number: int, events: int, folder: Path) -> Iterator[Line]:
    """Two cores against one."""
    workload = Gem()
    index = gem_index(workload, number, folder)
    found = []
    for count in (1, 2):
        spark = session(count)
        frame = gem_pairs(spark, workload, events, folder)
        task = match_events(index)
        warm(frame, task)
        found.append(run(frame.transform(task)))
        spark.stop()
    (one, slow), (two, fast) = found
    shown = f"{two / events * 1e6:,.1f} µs (wall {slow / fast:.2f}x faster)"
    yield Line("local[2] against local[1], CPU per event", shown, f"{one / events * 1e6:,.1f} µs", two / one, "1.15")


ROWS: dict[str, Callable[[bool, Path], Iterator[Line]]] = {
    "flat-10k": lambda q, p: flat(1_000 if q else 10_000, 5_000 if q else 100_000, 2_000, "100", ("A4", "naive"), p),
    "flat-100k": lambda q, p: flat(2_000 if q else 100_000, 5_000 if q else 100_000, 100, "500", ("A4",), p),
    "text": lambda q, _: text("shop", 1_000 if q else 10_000, 2_000 if q else 100_000, True),
    "text-flat": lambda q, _: text("shop", 1_000 if q else 10_000, 2_000 if q else 100_000, False),
    "text-many": lambda q, _: text("auction", 1_000 if q else 10_000, 2_000 if q else 100_000, True),
    "large": lambda q, p: large(1_000 if q else 20_000, 5_000 if q else 1_000_000, p),
    "verify": lambda q, _: verified(500 if q else 10_000, 500 if q else 20_000),
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
