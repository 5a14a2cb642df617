"""Event files and folders as one stream of events."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyoxigraph import RdfFormat

from semantic_pubsub.errors import EventError
from semantic_pubsub.events.datasets import dataset_events
from semantic_pubsub.events.formats import EVENT_ENDINGS, LINES_ENDINGS, ending_of, format_named, format_of_path
from semantic_pubsub.events.limits import DEFAULT_LIMITS, Limits
from semantic_pubsub.events.model import Event, cannot_read, make_event, read_file
from semantic_pubsub.events.parser import DEFAULT_BASE, Reading, read_graph
from semantic_pubsub.events.streams import opened
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events.contexts import Contexts

__all__ = ["events_from"]

_DATASETS: Final = {RdfFormat.TRIG, RdfFormat.N_QUADS}
_LINES_NAMES: Final = {"jsonl", "ndjson", "application/x-ndjson", "application/jsonl"}


def events_from(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - rdflib's word
    strict: bool = False,
    base: str | None = None,
    contexts: Contexts | None = None,
    ontology: Ontology | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_error: Callable[[EventError], object] | None = None,
) -> Iterator[Event]:
    """The events of a file or of a folder's files, one after the other, never more than one in memory.

    TriG and N-Quads hold one event per named graph, `.jsonl` one per line, every other syntax one per file.
    A bad event is an `EventError`: raised, or, with `on_error`, handed to that function, and reading goes on
    (in a broken TriG file with the next file, since nothing tells where its next graph begins).
    """
    reading = Reading(base or DEFAULT_BASE, contexts, ontology, limits, strict)
    for item in _items(Path(path), format, reading):
        if isinstance(item, Event):
            yield item
        elif on_error is None:
            raise item
        else:
            on_error(item)


def _items(path: Path, format_name: str | None, reading: Reading) -> Iterator[Event | EventError]:
    try:
        files = _files(path, format_name)
    except EventError as error:
        yield error
        return
    for file in files:
        try:
            yield from _file_items(file, format_name, reading)
        except EventError as error:
            error.at(str(file))
            yield error


def _files(path: Path, format_name: str | None) -> list[Path]:
    if not path.exists():
        raise cannot_read(path, FileNotFoundError())
    if not path.is_dir():
        return [path]
    try:
        inside = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    except OSError as error:
        raise EventError(f"cannot be read: {error.strerror}", source=str(path), hint="check the folder") from None
    files = [file for file in inside if format_name or ending_of(file) in EVENT_ENDINGS]
    if not files:
        known = ", ".join(sorted(EVENT_ENDINGS))
        raise EventError("is a folder without event files", source=str(path), hint=f"known endings are {known}")
    return files


def _file_items(path: Path, format_name: str | None, reading: Reading) -> Iterator[Event | EventError]:
    if format_name.lower() in _LINES_NAMES if format_name else ending_of(path) in LINES_ENDINGS:
        return _line_items(path, reading)
    syntax = format_named(format_name) if format_name else format_of_path(path)
    if syntax in _DATASETS:
        return dataset_events(path, syntax, reading)
    return _single(path, syntax, reading)


def _single(path: Path, syntax: RdfFormat, reading: Reading) -> Iterator[Event]:
    graph = read_graph(read_file(path, reading.limits), syntax, reading)
    identifier = graph.name.value if isinstance(graph.name, NamedNode) else path.name
    yield make_event(Event, graph, reading, id=identifier, source=str(path))


def _line_items(path: Path, reading: Reading) -> Iterator[Event | EventError]:
    empty = True
    with opened(path, reading.limits) as feed:
        for line in feed.lines(reading.limits.bytes):
            number = feed.line
            if line is not None and not line.strip():
                continue
            empty = False
            try:
                yield _line_event(path, number, line, reading)
            except EventError as error:
                if error.source is None:  # a bad context file names itself
                    error.source, error.line = str(path), number
                yield error
    if empty:
        yield EventError("has no event in it", source=str(path), hint="write one JSON-LD document per line")


def _line_event(path: Path, number: int, line: bytes | None, reading: Reading) -> Event:
    if line is None:
        message = f"the line is longer than {reading.limits.bytes:,} bytes"
        raise EventError(message, hint="an event is a small graph; raise Limits.bytes if it is meant")
    graph = read_graph(line, RdfFormat.JSON_LD, reading)
    event = make_event(Event, graph, reading, source=str(path))
    if isinstance(event.home, NamedNode):
        return event.with_id(event.home.value)
    return event if event.id else event.with_id(f"{path.name}:{number}")
