"""A whole job: event files in, a table out, with counts of what was seen on the way."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as f

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.spark.columns import GO_ON
from semantic_pubsub.spark.session import quiet_session, told_by_java
from semantic_pubsub.spark.source import register
from semantic_pubsub.spark.texts import contexts_as_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pyspark.sql import DataFrame

    from semantic_pubsub.events.contexts import Contexts

__all__ = ["Counts", "make_folder", "open_session", "read_paths", "tasks_of", "write_table"]


@dataclass(frozen=True)
class Counts:
    """What a job saw; `refused` do not conform, `example` is one of the bad records and what is wrong with it."""

    events: int
    found: int
    refused: int
    bad: int
    example: str | None
    seconds: float


@contextmanager
def open_session(master: str | None) -> Iterator[SparkSession]:
    """A quiet session with the `rdf-events` source; one that was running before is left running."""
    running = SparkSession.getActiveSession()
    found = quiet_session(master)
    register(found)
    try:
        yield found
    finally:
        if running is None:
            found.stop()


def read_paths(session: SparkSession, paths: list[Path], contexts: Contexts, strict: bool) -> DataFrame:
    """The records of all files and folders; with `strict` one that cannot be read ends the job and says why."""
    options = {"mode": "FAILFAST" if strict else "PERMISSIVE"}
    if contexts:
        options["contexts"] = json.dumps(contexts_as_data(contexts))
    frames = []
    for path in paths:
        if not path.exists():
            raise SemanticPubSubError("no such file or folder", source=str(path), hint="check --events")
        frames.append(session.read.format("rdf-events").options(**options).load(str(path.resolve())))
    first, *others = frames
    for other in others:
        first = first.unionAll(other)
    return first


def write_table(
    records: DataFrame,
    transform: Callable[[DataFrame], DataFrame],
    kept: str,
    chosen: list[str],
    out: Path,
    form: str,
    watching: AbstractContextManager[None] | None = None,
) -> Counts:
    """Run the job. `kept` is a column that is null in bad rows; `chosen` are the columns to write."""
    before, after = Observation(), Observation()
    result = records.observe(before, f.count(f.lit(1)).alias("events")).transform(transform)
    strict = "_bad_reason" not in result.columns  # then a bad record has ended the job
    reason = f.col("problem") if strict else f.coalesce(f.col("problem"), f.col("_bad_reason"))
    told = f.concat_ws(": ", f.coalesce(f.col("event_id"), f.col("source")), reason)
    refused = ~f.col("conforms") if "conforms" in result.columns else f.lit(False)
    result = result.observe(
        after,
        f.count(f.col(kept)).alias("found"),
        f.count_if(refused).alias("refused"),
        f.count(reason).alias("bad"),
        f.max(f.when(reason.isNotNull(), told)).alias("example"),
    )
    make_folder(out)
    started = time.monotonic()
    try:
        with watching or nullcontext():
            _save(result.where(f.col(kept).isNotNull()).select(*chosen), out, form)
    except (PySparkException, Py4JError) as error:
        _forget(out)
        hint = "nothing was written; without --strict the rest is" if strict else "nothing was written"
        raise SemanticPubSubError(_in_a_line(error), hint=hint) from error
    return Counts(seconds=time.monotonic() - started, **before.get, **after.get)


def make_folder(place: Path) -> None:
    """Make an output folder, so that a place that cannot be written to is told before a job starts."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "name a folder that may be written to"
        raise SemanticPubSubError(f"cannot be made: {error.strerror}", source=str(place), hint=hint) from None


def _save(table: DataFrame, out: Path, form: str) -> None:
    """Write a table. CSV has no lists: there they are JSON, and quotes are doubled, as other readers expect."""
    options = {}
    if form == "csv":
        lists = {field.name for field in table.schema.fields if field.dataType.typeName() == "array"}
        table = table.select(*(f.to_json(name).alias(name) if name in lists else name for name in table.columns))
        options = {"header": "true", "escape": '"'}
    table.write.format(form).options(**options).mode("overwrite").save(str(out.resolve()))


def _forget(out: Path) -> None:
    """Remove the empty folder that a failed job leaves behind, so that the next one finds its place free."""
    with suppress(OSError):  # not empty, or never made
        out.rmdir()


def _in_a_line(error: Exception) -> str:
    """What an executor said, without the traces around it and without advice for who calls from Python."""
    ours = [line.strip() for line in str(error).splitlines() if "semantic_pubsub.errors." in line]
    said = ours[-1].partition(": ")[2] if ours else told_by_java(error)
    return said.removesuffix(f" ({GO_ON})")


def tasks_of(session: Any) -> tuple[int, int]:
    """Tasks done and to do of the stages that run now; none where Spark Connect does not tell."""
    context = getattr(session, "sparkContext", None)
    if context is None:
        return 0, 0
    tracker = context.statusTracker()
    known = [stage for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()) if stage is not None]
    return sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
