"""The data source `rdf-events`: folders of event files as a table with one row an event, in batch and as a stream.

    spark.read.format("rdf-events").load("events")        (event_id, body, format, source, problem)

`body` is the event's text and `format` its syntax, for `match_events(text="body", format_column="format")`; a record
that is none has no body and a `problem`. Options: `mode` (PERMISSIVE, DROPMALFORMED, FAILFAST), `splitBytes`, and
`contexts`, the JSON-LD contexts that ids are read with: JSON with a context, or the file of one, for each URL.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow

from semantic_pubsub.errors import EventError, SemanticPubSubError
from semantic_pubsub.spark.columns import GO_ON, bad_records
from semantic_pubsub.spark.records import event_files, records_of, splits_of
from semantic_pubsub.spark.texts import contexts_as_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import SparkSession

    from semantic_pubsub.spark.record import Split

__all__ = ["RdfEvents", "register"]

_SCHEMA: Final = "event_id string, body string, format string, source string, problem string"
_SPLIT: Final = 64 * 1024 * 1024
_BATCH: Final = 2_000
_BATCH_BYTES: Final = 32 * 1024 * 1024
_LOG: Final = ".rdf-events.log"
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")


def register(session: SparkSession) -> None:
    """Make `rdf-events` known to a session."""
    session.dataSource.register(RdfEvents)


class RdfEvents(DataSource):
    """Reads event files: `spark.read.format("rdf-events").load(path)` and `spark.readStream`."""

    @classmethod
    def name(cls) -> str:
        return "rdf-events"

    def schema(self) -> str:
        return _SCHEMA

    def reader(self, schema: Any) -> DataSourceReader:  # noqa: ARG002 - Spark's signature
        return _Reader(_Settings(self.options))

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: ARG002, N802 - Spark's signature
        return _StreamReader(_Settings(self.options))


class _Settings:
    """The options of a read, checked."""

    def __init__(self, options: Mapping[str, str]) -> None:
        path = options.get("path")
        if not path:
            raise SemanticPubSubError("rdf-events needs a path", hint='say .load("folder")')
        self.path = _local(path)
        self.bad = bad_records(options.get("mode") or "PERMISSIVE", None)
        self.split = _positive(options, "splitBytes", _SPLIT)
        self.files_at_once = _positive(options, "maxFilesPerTrigger", 1_000)
        self.log = options.get("log")
        self.contexts = _contexts(options.get("contexts"))


def _local(path: str) -> str:
    """A path as the operating system has it; Spark's users are used to URLs."""
    found = _URL.match(path)
    if found is not None and found[1].lower() != "file":
        hint = "rdf-events reads folders that are mounted on all hosts; read others with spark.read.text"
        raise SemanticPubSubError(f"is on {found[1]}, not in a folder", source=path, hint=hint)
    return path if found is None else "/" + path[found.end() :].lstrip("/")


def _positive(options: Mapping[str, str], name: str, default: int) -> int:
    given = options.get(name)
    if given is None:
        return default
    if not given.strip().isdecimal() or int(given) < 1:
        raise SemanticPubSubError(f"{name}={given!r} is no number from 1 on", hint="give a whole number")
    return int(given)


def _contexts(given: str | None) -> dict[str, Any] | None:
    """The contexts of the option, as data."""
    if not given:
        return None
    try:
        return contexts_as_data(dict(json.loads(given)))
    except (TypeError, ValueError):
        hint = 'write {"https://schema.org": "schema.jsonld"}, or the context itself behind its URL'
        raise SemanticPubSubError("contexts is no JSON object", hint=hint) from None


class _Piece(InputPartition):
    """What one task reads: pieces of files."""

    def __init__(self, splits: Sequence[Split]) -> None:
        super().__init__(None)
        self.splits = tuple(splits)


def _pieces(files: Sequence[Path], size: int) -> list[InputPartition]:
    """Small files together, large ones cut: about `size` bytes for each task."""
    pieces: list[InputPartition] = []
    held: list[Split] = []
    total = 0
    for file in files:
        splits = splits_of(file, size)
        if len(splits) > 1:
            pieces += [_Piece([split]) for split in splits]
            continue
        held += splits
        total += file.stat().st_size if file.exists() else 0
        if total >= size:
            pieces.append(_Piece(held))
            held, total = [], 0
    return [*pieces, _Piece(held)] if held else pieces


def _read(piece: InputPartition, settings: _Settings) -> Iterator[pa.RecordBatch]:
    rows: list[tuple[str | None, ...]] = []
    size = 0
    for split in piece.splits:  # type: ignore[attr-defined]
        for record in records_of(split, settings.contexts):
            if record.problem is not None and settings.bad.mode != "PERMISSIVE":
                if settings.bad.mode == "FAILFAST":
                    raise EventError(record.problem, hint=GO_ON)
                continue
            rows.append(record)
            size += len(record.body or "")
            if len(rows) >= _BATCH or size >= _BATCH_BYTES:
                yield _batch(rows)
                rows, size = [], 0
    if rows:
        yield _batch(rows)


def _batch(rows: list[tuple[str | None, ...]]) -> pa.RecordBatch:
    import pyarrow as pa

    names = [field.split()[0] for field in _SCHEMA.split(", ")]
    return pa.RecordBatch.from_arrays([pa.array(c, pa.string()) for c in zip(*rows, strict=True)], names=names)


class _Reader(DataSourceReader):
    def __init__(self, settings: _Settings) -> None:
        self._settings = settings

    def partitions(self) -> Sequence[InputPartition]:
        files = event_files(Path(self._settings.path))
        if not files:
            hint = "known endings are .ttl, .nt, .rdf, .jsonld, .trig, .nq, .jsonl"
            raise EventError("is a folder without event files", source=self._settings.path, hint=hint)
        return _pieces(files, self._settings.split)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        return _read(partition, self._settings)


class _StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """New files of a folder, each once, in the order in which they were found.

    That order is kept in a small file in the folder (option `log` names another place): an offset is a number of
    files, so a stream goes on where its checkpoint says, and several streams may read one folder. Move files in when
    they are complete; names with a dot or an underscore in front are left alone.
    """

    def __init__(self, settings: _Settings) -> None:
        self._settings = settings
        folder = Path(settings.path)
        if not folder.is_dir():
            raise EventError("is no folder to watch", source=settings.path, hint="name an existing folder")
        self._log = Path(settings.log) if settings.log else folder / _LOG
        self._until: int | None = None

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
        return {"files": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        return ReadAllAvailable()

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: ARG002, N802 - Spark's
        known = len(self._known()) if self._until is None else self._until
        return {"files": min(known, start["files"] + self._settings.files_at_once)}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        self._until = len(self._known())

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        names = self._known()[start["files"] : end["files"]]
        return _pieces([Path(self._settings.path) / name for name in names], self._settings.split)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        return _read(partition, self._settings)

    def commit(self, end: dict[str, int]) -> None:
        """Nothing to do: offsets are in the checkpoint."""

    def _known(self) -> list[str]:
        """All files found so far, new ones last."""
        try:
            with self._log.open("a+", encoding="utf-8", errors="surrogateescape", newline="\n") as log:
                fcntl.flock(log, fcntl.LOCK_EX)
                known = _whole_lines(log)
                there = set(known)
                new = [file.name for file in event_files(Path(self._settings.path)) if file.name not in there]
                new = [name for name in new if "\n" not in name]  # which the log could not tell from two
                log.write("".join(f"{name}\n" for name in new))
                if new:  # an offset in a checkpoint may only count what the log still knows after a power cut
                    log.flush()
                    os.fsync(log.fileno())
        except OSError as error:
            hint = "let the folder be written to, or name a file with the option log"
            raise EventError(f"cannot be written: {error.strerror}", source=str(self._log), hint=hint) from None
        return known + new


def _whole_lines(log: IO[str]) -> list[str]:
    """The lines of the log; a last one that a crash left half written is cut off, and its file found anew."""
    log.seek(0)
    text = log.read()
    whole = text[: text.rfind("\n") + 1]
    if len(whole) < len(text):
        log.truncate(len(whole.encode("utf-8", "surrogateescape")))
    return whole.split("\n")[:-1]
