"""Event files as records: the text of one event each, cut out of files without reading it as RDF where possible.

N-Quads and JSON lines are cut at line ends, so a large file can be read in several places at once. An event belongs to
the split in which its first line begins.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyoxigraph import RdfFormat

from semantic_pubsub.errors import EventError
from semantic_pubsub.events import events_from
from semantic_pubsub.events.formats import EVENT_ENDINGS, LINES_ENDINGS, ending_of, format_of_path
from semantic_pubsub.events.guards import decode
from semantic_pubsub.events.limits import DEFAULT_LIMITS
from semantic_pubsub.events.model import cannot_read, read_file
from semantic_pubsub.spark.line_ids import id_of_graph, id_of_line
from semantic_pubsub.spark.lines import numbered_lines
from semantic_pubsub.spark.quad_records import graph_records
from semantic_pubsub.spark.record import Record, Split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["event_files", "records_of", "splits_of"]

_QUADS_ENDINGS: Final = (".nq", ".nquads")


def event_files(path: Path) -> list[Path]:
    """The event files of a folder (not of folders in it), or the file itself."""
    if not path.exists():
        raise cannot_read(path, FileNotFoundError())
    if not path.is_dir():
        return [path]
    found = (file for file in path.iterdir() if file.is_file() and not file.name.startswith((".", "_")))
    return sorted(file for file in found if ending_of(file) in EVENT_ENDINGS)


def splits_of(path: Path, size: int) -> list[Split]:
    """A file in pieces of about `size` bytes; one piece where it cannot be cut.

    A file that is cut is read once for the numbers of its lines, which are the names of events that have no other.
    """
    try:
        length = path.stat().st_size
    except OSError:
        return [Split(str(path))]  # whoever reads it says why that does not work
    cuttable = path.suffix.lower() != ".gz" and (_has_lines(path) or ending_of(path) in _QUADS_ENDINGS)
    if not cuttable or length <= size:
        return [Split(str(path))]
    splits, line = [], 1
    with path.open("rb") as file:
        for start in range(0, length, size):
            splits.append(Split(str(path), start, min(start + size, length), line))
            line += file.read(size).count(b"\n")
    return splits


def _has_lines(path: Path) -> bool:
    return ending_of(path) in LINES_ENDINGS


def records_of(split: Split, contexts: Mapping[str, Any] | None = None) -> Iterator[Record]:
    """The records of a split; what cannot be read is a record with a problem. `contexts` are for ids in JSON-LD."""
    path = Path(split.path)
    try:
        if _has_lines(path):
            yield from _lines(path, split, contexts)
        elif ending_of(path) in _QUADS_ENDINGS:
            yield from graph_records(path, split)
        elif ending_of(path) == ".trig":
            yield from _parsed(path)
        else:
            yield _single(path, contexts)
    except EventError as error:
        yield Record(None, None, "", split.path, str(error.at(split.path)))


def _single(path: Path, contexts: Mapping[str, Any] | None) -> Record:
    syntax = format_of_path(path)
    text = decode(read_file(path, DEFAULT_LIMITS), DEFAULT_LIMITS)
    name = None
    if syntax == RdfFormat.N3 or (syntax == RdfFormat.JSON_LD and (contexts or '"@graph"' in text)):
        name = id_of_graph(text, syntax, contexts)
    return Record(name or path.name, text, syntax.media_type, str(path))


def _parsed(path: Path) -> Iterator[Record]:
    """TriG has prefixes and brackets: it is read as RDF, and each event written as N-Triples."""
    problems: list[EventError] = []
    for event in events_from(path, on_error=problems.append):
        yield Record(event.id, event.to_text("nt"), "nt", f"{path}:{event.id}")
        yield from _told(problems, path)
    yield from _told(problems, path)


def _told(problems: list[EventError], path: Path) -> Iterator[Record]:
    yield from (Record(None, None, "", str(path), str(problem)) for problem in problems)
    problems.clear()


def _lines(path: Path, split: Split, contexts: Mapping[str, Any] | None) -> Iterator[Record]:
    for place, number, line in numbered_lines(path, split):
        if place >= split.end:
            return
        source = f"{path.name}:{number}"
        if line is None:
            message = f"{path}, line {number}: longer than {DEFAULT_LIMITS.bytes:,} bytes"
            yield Record(source, None, "json-ld", source, message)
        elif line.strip():
            yield _line(path, number, line, contexts)


def _line(path: Path, number: int, line: bytes, contexts: Mapping[str, Any] | None) -> Record:
    source = f"{path.name}:{number}"
    try:
        text = decode(line, DEFAULT_LIMITS).strip()
    except EventError as error:
        error.line = number
        return Record(source, None, "json-ld", source, str(error.at(str(path))))
    return Record(id_of_line(text, contexts) or source, text, "json-ld", source)
