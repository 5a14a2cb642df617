"""Event files as records: the text of one event each, cut out of files without reading it as RDF where possible.

N-Quads and JSON lines are cut at line ends, so a large file can be read in several places at once. An event belongs to
the split in which its first line begins.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from pyoxigraph import RdfFormat

from semantic_pubsub.errors import EventError
from semantic_pubsub.events import Event, events_from
from semantic_pubsub.events.formats import EVENT_ENDINGS, LINES_ENDINGS, ending_of, format_of_path
from semantic_pubsub.events.limits import DEFAULT_LIMITS
from semantic_pubsub.events.model import cannot_read, read_file
from semantic_pubsub.events.streams import SeenNames
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Record", "Split", "event_files", "records_of", "splits_of"]

_GRAPH: Final = re.compile(rb'(?<!\^)(<[^<>\s]*>|_:[^\s<>"]+?)\s*\.\s*(?:#[^">]*)?$')
_TRIPLE: Final = re.compile(rb'(?:<[^<>\s]*>|_:[^\s<]+)\s*<[^<>\s]*>\s*(?:<[^<>\s]*>|_:[^\s<>"]+?)\s*\.\s*(?:#.*)?')
_END: Final = 1 << 62


@dataclass(frozen=True)
class Split:
    """A piece of a file: records that begin in [start, end); `line` is the number of the first line in it."""

    path: str
    start: int = 0
    end: int = _END
    line: int = 1

    @property
    def whole(self) -> bool:
        return self.start == 0 and self.end == _END


class Record(NamedTuple):
    """The text of one event; `source` is the file and, of a file with many events, the line. No body: see `problem`."""

    event_id: str | None
    body: str | None
    format: str
    source: str
    problem: str | None = None


def event_files(path: Path) -> list[Path]:
    """The event files of a folder (not of folders in it), or the file itself."""
    if not path.exists():
        raise cannot_read(path, FileNotFoundError())
    if not path.is_dir():
        return [path]
    found = (file for file in path.iterdir() if file.is_file() and not file.name.startswith((".", "_")))
    return sorted(file for file in found if ending_of(file) in EVENT_ENDINGS)


def splits_of(path: Path, size: int) -> list[Split]:
    """A file in pieces of about `size` bytes; one piece where it cannot be cut."""
    try:
        length = path.stat().st_size
    except OSError:
        return [Split(str(path))]  # whoever reads it says why that does not work
    cuttable = path.suffix.lower() != ".gz" and (_has_lines(path) or ending_of(path) in (".nq", ".nquads"))
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


def records_of(split: Split) -> Iterator[Record]:
    """The records of a split; what cannot be read is a record with a problem."""
    path = Path(split.path)
    try:
        if _has_lines(path):
            yield from _lines(path, split)
        elif ending_of(path) in (".nq", ".nquads"):
            yield from _Graphs(path, split).records()
        elif ending_of(path) == ".trig":
            yield from _parsed(path)
        else:
            yield _single(path)
    except EventError as error:
        yield Record(None, None, "", split.path, str(error.at(split.path)))
    except (OSError, EOFError) as error:
        yield Record(None, None, "", split.path, str(cannot_read(path, error)))


def _single(path: Path) -> Record:
    syntax = format_of_path(path)
    data = read_file(path, DEFAULT_LIMITS)
    name = path.name
    if syntax in (RdfFormat.JSON_LD, RdfFormat.N3):  # which may name a graph
        name = Event.parse(data, syntax.media_type, id=None).id or name if b"@graph" in data else name
    return Record(name, data.decode("utf-8", "replace"), syntax.media_type, str(path))


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


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]


def _numbered(path: Path, split: Split) -> Iterator[tuple[int, int, bytes | None]]:
    """(place, number, line) of every line that begins at or after the start; None for one that is too long."""
    most = DEFAULT_LIMITS.bytes
    with _opened(path) as file:
        place, number = split.start, split.line
        if split.start:  # a line that began before the start is the split's before: go to its end
            file.seek(split.start - 1)
            skipped = file.readline()
            place = split.start - 1 + len(skipped)
            number += len(skipped) > 1  # more than the line end that stands before the start
        while line := file.readline(most + 1):
            length = len(line)
            while not line.endswith(b"\n") and (more := file.readline(most + 1)):
                length += len(more)
                line = more if more.endswith(b"\n") else line
            yield place, number, line if length <= most + 1 else None
            place, number = place + length, number + 1


def _lines(path: Path, split: Split) -> Iterator[Record]:
    for place, number, line in _numbered(path, split):
        if place >= split.end:
            return
        source = f"{path.name}:{number}"
        if line is None:
            message = f"{path}, line {number}: longer than {DEFAULT_LIMITS.bytes:,} bytes"
            yield Record(source, None, "json-ld", source, message)
        elif line.strip():
            text = line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").strip()
            yield Record(_name_in(text) or source, text, "json-ld", source)


def _name_in(text: str) -> str | None:
    """The IRI of home or of the graph, where the text has one at all."""
    if '"@id"' not in text:
        return None
    try:
        event = Event.parse(text, "json-ld")
    except EventError:
        return None
    return event.home.value if isinstance(event.home, NamedNode) else event.id


class _Graphs:
    """Lines of N-Quads gathered by the graph that stands at their end."""

    def __init__(self, path: Path, split: Split) -> None:
        self._path, self._split = path, split
        self._seen = SeenNames()
        self._graph: bytes | None = None
        self._held: list[bytes] = []
        self._loose: list[tuple[int, int, bytes]] = []
        self._first = split.line
        self._any = False

    def records(self) -> Iterator[Record]:
        foreign = self._before() if self._split.start else None
        for place, number, line in _numbered(self._path, self._split):
            if line is None:
                yield self._problem(number, f"longer than {DEFAULT_LIMITS.bytes:,} bytes")
                continue
            stripped = line.strip()
            if not stripped or stripped.startswith(b"#"):
                continue
            graph = _graph_of(stripped)
            if graph is None:
                self._loose.append((place, number, stripped))
                continue
            if graph == foreign:  # the rest of an event that began in the split before
                self._loose.clear()
                continue
            foreign = None
            if graph != self._graph:
                yield from self._finished()
                yield from self._loose_records()
                if place >= self._split.end:
                    return
                self._graph, self._first, self._any = graph, number, True
            self._held += [text for _, _, text in self._loose]  # broken lines inside an event spoil it
            self._loose.clear()
            self._held.append(stripped)
        yield from self._finished()
        yield from self._end()

    def _before(self) -> bytes | None:
        """The graph of the last line that begins before the start."""
        with self._path.open("rb") as file:
            for reach in (1 << 16, 1 << 20, DEFAULT_LIMITS.bytes):
                begin = max(0, self._split.start - reach)
                file.seek(begin)
                lines = file.read(self._split.start - begin).split(b"\n")
                rest = file.readline() if lines[-1] else b""
                lines[-1] += rest
                for line in reversed(lines[1:] if begin else lines):
                    if (graph := _graph_of(line.strip())) is not None:
                        return graph
        return None

    def _finished(self) -> Iterator[Record]:
        if self._graph is None:
            return
        name = self._graph[1:-1].decode("utf-8", "replace")
        source = f"{self._path.name}:{self._first}"
        if not self._seen.add(self._graph.decode("utf-8", "replace")):
            yield self._problem(self._first, f"the graph {name} returns: the quads of an event stand together")
        else:
            named = self._graph.startswith(b"<")
            body = b"\n".join(self._held).decode("utf-8", "replace")
            yield Record(name if named else source, body, "nquads", source)
        self._graph, self._held = None, []

    def _loose_records(self) -> Iterator[Record]:
        """Lines between two events that belong to neither."""
        for number, line in ((n, line) for place, n, line in self._loose if place < self._split.end):
            yield self._problem(number, f"{line[:60].decode('utf-8', 'replace')!r} is no quad of a named graph")
        self._loose.clear()

    def _end(self) -> Iterator[Record]:
        """Triples of the default graph are one event where they are all there is."""
        if not self._loose or self._any or not self._split.whole:
            yield from self._loose_records()
            return
        body = b"\n".join(line for _, _, line in self._loose).decode("utf-8", "replace")
        yield Record(self._path.name, body, "nquads", str(self._path))

    def _problem(self, number: int, message: str) -> Record:
        return Record(None, None, "nquads", f"{self._path.name}:{number}", f"{self._path}, line {number}: {message}")


def _graph_of(line: bytes) -> bytes | None:
    """The graph that ends a line; a triple has none."""
    found = _GRAPH.search(line)
    if found is None or _TRIPLE.fullmatch(line):
        return None
    return found[1]
