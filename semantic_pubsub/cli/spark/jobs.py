"""What the Spark commands share: options, the session, progress, and the summary."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semantic_pubsub.cli.output import counted, fail, progress, stderr
from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from semantic_pubsub.events.contexts import Contexts
    from semantic_pubsub.spark.job import Counts

__all__ = ["MasterOption", "OutputOption", "TableFormat", "check_output", "reading", "session", "summary", "write"]

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


@contextmanager
def session(master: str | None) -> Iterator[Any]:
    """A quiet session; a missing PySpark is told in one line."""
    try:
        from semantic_pubsub.spark.job import open_session
    except ImportError:
        hint = "pip install 'semantic-pubsub[spark]'"
        raise SemanticPubSubError("PySpark is not installed", hint=hint) from None
    with open_session(master) as found:
        yield found


def check_output(folder: Path, overwrite: bool, inputs: Iterable[Path] = ()) -> None:
    """Refuse what is there, unless it is a folder that may be replaced and holds nothing that is read.

    Nothing is deleted yet: the job replaces the folder when it starts, and by then the other inputs were read.
    """
    if not folder.exists():
        return
    if not overwrite or not folder.is_dir():
        hint = "name another, or say --overwrite" if folder.is_dir() else "name a folder"
        raise SemanticPubSubError("is there already", source=str(folder), hint=hint)
    place = folder.resolve()
    held = next((path for path in inputs if place in (path.resolve(), *path.resolve().parents)), None)
    if held is not None:
        raise SemanticPubSubError(f"holds the input {held}", source=str(folder), hint="write into another folder")


def reading(strict: bool, contexts: Contexts) -> dict[str, Any]:
    """What every transformation of records is told; it knows the contexts of an ontology by itself."""
    bad = {"mode": "FAILFAST"} if strict else {"columnNameOfCorruptRecord": "_bad"}
    columns = {"text": "body", "format_column": "format", "keep": ("source", "problem")}
    return {**columns, **bad, "contexts": contexts}


def write(
    spark: Any,
    events: list[Path],
    contexts: Contexts,
    strict: bool,
    transform: Callable[[Any], Any],
    kept: str,
    chosen: list[str],
    out: Path,
    form: TableFormat,
) -> Counts:
    """Read, transform and write, with a bar on a terminal."""
    from semantic_pubsub.spark.job import read_paths, write_table

    records = read_paths(spark, events, contexts, strict)
    return write_table(records, transform, kept, chosen, out, form.value, _bar(spark))


@contextmanager
def _bar(spark: Any) -> Iterator[None]:
    """Tasks done of tasks to do."""
    from semantic_pubsub.spark.job import tasks_of

    ended = threading.Event()
    with progress() as bar:
        task = bar.add_task("running tasks", total=None)

        def watch() -> None:
            while not ended.wait(0.3):
                done, total = tasks_of(spark)
                bar.update(task, total=total or None, completed=done)

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()


def summary(counts: Counts, what: str, bad_subscriptions: int = 0) -> int:
    """Say what was done; gives the exit code."""
    if counts.bad:
        fail(SemanticPubSubError(f"{counted(counts.bad, 'bad record')}, one of them: {counts.example}"))
    rate = counts.events / counts.seconds if counts.seconds > 0 else 0
    parts = [counted(counts.events, "event"), what, counted(counts.bad, "bad record"), f"{rate:,.0f} events/s"]
    stderr().print(", ".join(parts), style="dim")
    return 1 if counts.bad or bad_subscriptions else 0
