"""Flat pairs on Spark: ours in three forms of input beside plain Spark, a million subscriptions, two cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.competitors.spark_joins import (
    EVENTS_PER_PARTITION,
    a4,
    constraints_frame,
    filed,
    filed_frame,
    held_frame,
    naive,
)
from benchmarks.measuring import progress
from benchmarks.spark_jobs import Line, measured, private_mb, run, session, settled, warm
from benchmarks.workloads.gem import Gem
from semantic_pubsub.spark import CompiledIndex, compile_subscriptions, match_events

__all__ = ["cores", "flat", "large"]


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


def forms(frame: Any, workload: Gem) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The same events in each form that `match_events` takes, and what to tell it."""
    from pyspark.sql import functions as f

    names = {f"a{number}": name for number, name in enumerate(workload.names)}
    keys, values = "transform(pairs, p -> p.path)", "transform(pairs, p -> cast(p.value as int))"
    maps = frame.select("event_id", f.expr(f"map_from_arrays({keys}, {values}) pairs"))
    columns = [f.expr(f"cast(pairs[{number}].value as int)").alias(name) for number, name in enumerate(names)]
    return {
        "structs": (frame, {}),
        "maps": (maps.localCheckpoint(), {}),
        "columns": (frame.select("event_id", *columns).localCheckpoint(), {"columns": names}),
    }


def gem_index(workload: Gem, number: int, folder: Path) -> CompiledIndex:
    """A compiled set, made once."""
    place = folder / f"index-{number}"
    if not place.exists():
        progress(f"compiling {number:,} subscriptions")
        compile_subscriptions(workload.ontology(), workload.flat_subscriptions(number), place)
    return CompiledIndex.load(place)


def plain(spark: Any, workload: Gem, number: int) -> dict[str, Callable[[Any, int], Any]]:
    """Plain Spark's jobs: from events as pairs, and how many of them, to (event_id, sub)."""
    asked, each, cardinality = workload.subscriptions(number), workload.predicates, workload.cardinality
    held = held_frame(spark, *asked, cardinality).localCheckpoint()
    side_by_side = filed_frame(spark, *asked).localCheckpoint()
    constraints = constraints_frame(spark, *asked).localCheckpoint()

    def some(frame: Any, events: int, *columns: str) -> Any:
        chosen = _first(frame, events).selectExpr("event_id", *columns)
        return chosen.repartition(max(2, events // EVENTS_PER_PARTITION), "event_id").localCheckpoint()

    def pairs(frame: Any, events: int) -> Any:
        return some(frame, events, "posexplode(transform(pairs, p -> cast(p.value as int))) as (attribute, value)")

    def arrays(frame: Any, events: int) -> Any:
        found = _first(frame, events).selectExpr("event_id", "transform(pairs, p -> cast(p.value as int)) v")
        return found.repartition(4, "event_id").localCheckpoint()

    return {
        "A4": lambda frame, events: a4(pairs(frame, events), held, each, cardinality),
        "naive": lambda frame, events: naive(pairs(frame, events), constraints, each),
        "filed": lambda frame, events: filed(arrays(frame, events), side_by_side, each, cardinality),
    }


def flat(number: int, events: int, theirs: dict[str, int], wanted: str, folder: Path) -> Iterator[Line]:
    """Flat pairs against plain Spark; `theirs` is how many events each of its jobs is measured on."""
    spark, workload = session(), Gem()
    index = gem_index(workload, number, folder)
    frame = gem_pairs(spark, workload, events, folder)
    ours, others = {}, {}
    for form, (some, told) in forms(frame, workload).items():
        progress(f"{form}, {number:,} subscriptions, {events:,} events")
        task = match_events(index, **told)
        ours[form] = measured(lambda n, some=some, task=task: _first(some, n).transform(task), events)  # type: ignore[misc]
    for name, job in plain(spark, workload, number).items():
        if name in theirs:
            _compare(job(frame, theirs[name]), _first(frame, theirs[name]).transform(match_events(index)))
            progress(f"{name}, {number:,} subscriptions, {theirs[name]:,} events")
            others[name] = measured(lambda n, job=job: job(frame, n), theirs[name])  # type: ignore[misc]
    for form, name in [*((form, "A4") for form in ours), *(("columns", name) for name in others if name != "A4")]:
        own, peer = ours[form], others[name]
        shown = f"{own.marginal * 1e6:,.1f} µs (whole job {own.whole * 1e6:,.1f}, {own.rate:,.0f}/s)"
        beside = f"{peer.marginal * 1e6:,.0f} µs (whole job {peer.whole * 1e6:,.0f})"
        must = wanted if name == "A4" else ""
        yield Line(f"{number:,}, {form}, to {name}", shown, beside, peer.marginal / own.marginal, must)


def _first(frame: Any, events: int) -> Any:
    return frame.where(f"event_id < {events}")


def _compare(theirs: Any, ours: Any) -> None:
    """Both give the same rows; they may be too many to be collected."""
    named = ours.selectExpr("event_id", "cast(substring(subscription_id, 2) as int) sub")
    assert _told(theirs) == _told(named), "different rows"


def _told(rows: Any) -> tuple[int, ...]:
    """How many rows there are, and what their hashes give together in whatever order they come."""
    hashed = rows.selectExpr("xxhash64(cast(event_id as long), cast(sub as long)) h")
    found = hashed.selectExpr("count(1)", "sum(cast(h as decimal(38, 0)))", "bit_xor(h)").first()
    return tuple(int(value or 0) for value in found)


def large(events: int, number: int, folder: Path) -> Iterator[Line]:
    """A million subscriptions: it runs, and what a worker holds for itself."""
    spark, workload = session(), Gem(rate=0.0001)
    index = gem_index(workload, number, folder / "rare")
    frame = gem_pairs(spark, workload, events, folder)
    warm(frame, match_events(index))
    cpu, wall = run(frame.transform(match_events(index)))
    shown = f"{cpu / events * 1e6:,.0f} µs ({events / wall:,.0f}/s), {private_mb():,.0f} MB private"
    yield Line(f"{number:,} subscriptions, 0.01 % match", shown, "", None, "1,500 MB")


def cores(number: int, events: int, folder: Path) -> Iterator[Line]:
    """Two cores against one."""
    workload = Gem()
    index = gem_index(workload, number, folder)
    found = []
    for count in (1, 2):
        spark = session(count)
        frame = gem_pairs(spark, workload, events, folder)
        found.append(settled(frame.transform(match_events(index))))
        spark.stop()
    (one, slow), (two, fast) = found
    shown = f"{two / events * 1e6:,.1f} µs (wall {slow / fast:.2f}x faster)"
    yield Line("local[2] against local[1], CPU per event", shown, f"{one / events * 1e6:,.1f} µs", two / one, "1.15")
