"""Flat events written as a table, as JSON lines or as Parquet."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TextIO

import typer
from rich.table import Table

from semantic_pubsub.cli.output import cannot_be_written, json_line, print_whole, stdout
from semantic_pubsub.matching.flat.paths import dotted
from semantic_pubsub.matching.flat.plain import ClassName, Iri
from semantic_pubsub.matching.words import Words
from semantic_pubsub.terms import Literal, NamedNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.pairs import FlatEvent

__all__ = ["PairFormat", "PairWriter", "check_target", "pair_writer"]

_ROWS_AT_ONCE = 1_000


class PairFormat(StrEnum):
    """How pairs are written."""

    TABLE = "table"
    JSON = "json"
    PARQUET = "parquet"


class PairWriter(Protocol):
    """Takes one flat event after the other."""

    def write(self, event: FlatEvent) -> None:
        """Write the pairs of an event."""

    def close(self) -> None:
        """Write what is still kept back."""


class _Pair(NamedTuple):
    """A pair as data; the path is dotted, and empty for home itself."""

    path: str
    kind: str
    value: str
    datatype: str | None
    language: str | None


class _Pairs:
    """From flat events to pairs as data: a path is put into words once."""

    def __init__(self, ontology: Ontology) -> None:
        self._dotted = cache(lambda path: dotted(path, ontology))

    def of(self, event: FlatEvent) -> Iterator[_Pair]:
        for path, value in event.items:
            name = self._dotted(path)
            if isinstance(value, Literal):
                yield _Pair(name, "literal", value.value, value.datatype.value, value.language)
            elif isinstance(value, ClassName | Iri):
                yield _Pair(name, "class" if isinstance(value, ClassName) else "iri", value.iri, None, None)


class _TableWriter:
    """For people: names instead of IRIs, one block an event, printed at the end."""

    def __init__(self, ontology: Ontology, file: TextIO | None) -> None:
        self._pairs, self._words, self._file = _Pairs(ontology), Words(ontology), file
        self._table = Table("event", "path", "kind", "value")

    def write(self, event: FlatEvent) -> None:
        shown = event.id or ""
        for pair, (_, value) in zip(self._pairs.of(event), event.items, strict=True):
            term = value if isinstance(value, Literal) else NamedNode(pair.value)
            self._table.add_row(shown, pair.path or "_:H", pair.kind, self._words.term(term))
            shown = ""
        self._table.add_section()

    def close(self) -> None:
        if not self._table.row_count:
            return
        if self._file is None:
            stdout().print(self._table)
        else:
            print_whole(self._table, self._file)


class _JsonWriter:
    """One object a line for each pair."""

    def __init__(self, ontology: Ontology, file: TextIO | None) -> None:
        self._pairs, self._file = _Pairs(ontology), file

    def write(self, event: FlatEvent) -> None:
        for pair in self._pairs.of(event):
            json_line({"event": event.id, **pair._asdict()}, self._file)

    def close(self) -> None:
        pass


class _ParquetWriter:
    """One row an event: its id and the list of its pairs."""

    def __init__(self, ontology: Ontology, path: Path) -> None:
        import pyarrow as arrow  # type: ignore[import-untyped]
        from pyarrow import parquet

        pair = arrow.struct([(name, arrow.string()) for name in _Pair._fields])
        self._schema = arrow.schema([("event_id", arrow.string()), ("pairs", arrow.list_(pair))])
        self._batch = arrow.RecordBatch
        self._file = parquet.ParquetWriter(path, self._schema)
        self._pairs = _Pairs(ontology)
        self._rows: list[dict[str, object]] = []

    def write(self, event: FlatEvent) -> None:
        self._rows.append({"event_id": event.id, "pairs": [pair._asdict() for pair in self._pairs.of(event)]})
        if len(self._rows) >= _ROWS_AT_ONCE:
            self._flush()

    def close(self) -> None:
        try:
            self._flush()
        finally:
            self._file.close()

    def _flush(self) -> None:
        if self._rows:
            self._file.write_batch(self._batch.from_pylist(self._rows, schema=self._schema))
            self._rows.clear()


def check_target(form: PairFormat, path: Path | None) -> None:
    """Refuse Parquet without a file or without pyarrow, before anything is read."""
    if form is not PairFormat.PARQUET:
        return
    if path is None:
        raise typer.BadParameter("parquet is not for a terminal: name a file with --output", param_hint="--format")
    try:
        import pyarrow.parquet  # type: ignore[import-untyped]  # noqa: F401
    except ImportError:
        raise typer.BadParameter("parquet needs pyarrow: install pyarrow", param_hint="--format") from None


@contextmanager
def pair_writer(form: PairFormat, ontology: Ontology, path: Path | None) -> Iterator[PairWriter]:
    """A writer to a file or to stdout. Also after an error it writes what it was given before."""
    if path is None:
        with _closing(_text_writer(form, ontology, None)) as writer:
            yield writer
        return
    try:
        if form is PairFormat.PARQUET:
            with _closing(_ParquetWriter(ontology, path)) as writer:
                yield writer
        else:
            with path.open("w", encoding="utf-8") as file, _closing(_text_writer(form, ontology, file)) as writer:
                yield writer
    except OSError as error:
        raise cannot_be_written(path, error) from None


def _text_writer(form: PairFormat, ontology: Ontology, file: TextIO | None) -> PairWriter:
    return _JsonWriter(ontology, file) if form is PairFormat.JSON else _TableWriter(ontology, file)


@contextmanager
def _closing(writer: PairWriter) -> Iterator[PairWriter]:
    try:
        yield writer
    finally:
        writer.close()
