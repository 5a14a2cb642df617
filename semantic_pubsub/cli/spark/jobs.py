"""What the Spark commands share: the session, reading, writing with progress, and the summary."""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semantic_pubsub.cli.output import counted, fail, progress, stderr
from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Counts", "MasterOption", "OutputOption", "TableFormat", "read_all", "session", "summary", "write"]

MasterOption = Annotated[
    str | None, typer.Option("--master", help="Spark's master; default: local[*], or what spark-submit says.")
]
OutputOption = Annotated[
    Path, typer.Option("--output", metavar="FOLDER", help="Write into this folder.", show_default=False)
]


class TableFormat(StrEnum):
    """How tables are written."""

    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"


@dataclass
class Counts:
    """What a job saw."""

    events: int
    found: int
    bad: int
    example: str | None
    seconds: float


@contextmanager
def session(master: str | None) -> Iterator[Any]:
    """A quiet session with the `rdf-events` source; one that was running before is left running."""
    try:
        from pyspark.sql import SparkSession

        from semantic_pubsub.spark import quiet_session, register
    except ImportError:
        hint = "pip install 'semantic-pubsub[spark]'"
        raise SemanticPubSubError("PySpark is not installed", hint=hint) from None
    running = SparkSession.getActiveSession()
    found = quiet_session(master)
    register(found)
    try:
        yield found
    finally:
        if running is None:
            found.stop()


def read_all(spark: Any, paths: list[Path]) -> Any:
    """The records of all paths."""
    frames = []
    for path in paths:
        if not path.exists():
            raise SemanticPubSubError("no such file or folder", source=str(path), hint="check --events")
        frames.append(spark.read.format("rdf-events").load(str(path.resolve())))
    first, *others = frames
    for other in others:
        first = first.unionAll(other)
    return first


def check_output(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that is there, unless it may be replaced."""
    if not folder.exists():
        return
    if not overwrite:
        raise SemanticPubSubError("is there already", source=str(folder), hint="name another, or say --overwrite")
    if folder.is_dir():
        shutil.rmtree(folder)
    else:
        folder.unlink()


def write(
    spark: Any, records: Any, transform: Any, kept: str, chosen: list[str], out: Path, form: TableFormat
) -> Counts:
    """Run the job. `kept` is a column that is null in bad rows; `chosen` are the columns to write."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import Observation
    from pyspark.sql import functions as f

    before, after = Observation(), Observation()
    result = records.observe(before, f.count(f.lit(1)).alias("events")).transform(transform)
    strict = "_bad_reason" not in result.columns  # then a bad record has ended the job
    reason = f.col("problem") if strict else f.coalesce(f.col("problem"), f.col("_bad_reason"))
    told = f.concat_ws(": ", f.coalesce(f.col("event_id"), f.col("source")), reason)
    result = result.observe(
        after,
        f.count(f.col(kept)).alias("found"),
        f.count(reason).alias("bad"),
        f.max(f.when(reason.isNotNull(), told)).alias("example"),
    )
    writer = result.where(f.col(kept).isNotNull()).select(*chosen).write.format(form.value)
    if form is TableFormat.CSV:
        writer = writer.option("header", "true")
    started = time.monotonic()
    try:
        with _bar(spark):
            writer.save(str(out.resolve()))
    except (PySparkException, Py4JError) as error:
        raise SemanticPubSubError(_in_a_line(error), hint="nothing was written") from error
    seen, found = before.get, after.get
    return Counts(seen["events"], found["found"], found["bad"], found["example"], time.monotonic() - started)


def _in_a_line(error: Exception) -> str:
    """What an executor said, without the traces around it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    ours = [line for line in lines if "semantic_pubsub.errors." in line]
    return ours[-1].partition(": ")[2] if ours else lines[0] if lines else type(error).__name__


@contextmanager
def _bar(spark: Any) -> Iterator[None]:
    """Tasks done of tasks to do, on a terminal; Spark Connect does not tell them."""
    tracker = getattr(getattr(spark, "sparkContext", None), "statusTracker", None)
    done = threading.Event()
    with progress() as bar:
        task = bar.add_task("running tasks", total=None)

        def watch() -> None:
            while tracker is not None and not done.wait(0.3):
                stages = [tracker().getStageInfo(stage) for stage in tracker().getActiveStageIds()]
                known = [stage for stage in stages if stage is not None]
                total = sum(stage.numTasks for stage in known)
                bar.update(task, total=total or None, completed=sum(stage.numCompletedTasks for stage in known))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()


def summary(counts: Counts, what: str, bad_subscriptions: int = 0) -> int:
    """Say what was done; gives the exit code."""
    if counts.bad:
        fail(SemanticPubSubError(f"{counted(counts.bad, 'bad record')}, one of them: {counts.example}"))
    rate = counts.events / counts.seconds if counts.seconds > 0 else 0
    parts = [counted(counts.events, "event"), what, counted(counts.bad, "bad record"), f"{rate:,.0f} events/s"]
    stderr().print(", ".join(parts), style="dim")
    return 1 if counts.bad or bad_subscriptions else 0
