"""N-Quads as records: the lines of one graph each, cut out of a file without reading them as RDF.

A line's graph is found from its left end, term by term, so that neither comments nor literals are taken for it.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from pyoxigraph import RdfFormat, parse

from semantic_pubsub.errors import EventError
from semantic_pubsub.events.guards import decode
from semantic_pubsub.events.limits import DEFAULT_LIMITS
from semantic_pubsub.events.model import cannot_read
from semantic_pubsub.events.parser import too_many_triples
from semantic_pubsub.events.streams import SeenNames
from semantic_pubsub.spark.lines import numbered_lines
from semantic_pubsub.spark.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from semantic_pubsub.spark.record import Split

__all__ = ["graph_records"]

_IRI: Final = rb"<[^<>\s]*>"
_BLANK: Final = rb'_:[^\s<>"#]+?'
_LITERAL: Final = rb'"(?:[^"\\]++|\\.)*+"(?:\s*@[A-Za-z0-9-]+|\s*\^\^\s*' + _IRI + rb")?"
_QUAD: Final = re.compile(
    rb"(?:%s|%s)\s*%s\s*(?:%s|%s|%s)(?:\s*(%s|%s))?\s*\.\s*(?:#.*)?"
    % (_IRI, _BLANK, _IRI, _IRI, _BLANK, _LITERAL, _IRI, _BLANK)
)
_GRAPH_AT_END: Final = re.compile(rb"(<[^<>\s]*>)\s*\.$")


class _Line(NamedTuple):
    """A line that belongs to no graph so far; `broken` if it is no statement at all."""

    place: int
    number: int
    text: bytes
    broken: bool


def graph_records(path: Path, split: Split) -> Iterator[Record]:
    """The events of a split of an N-Quads file, and what is wrong with lines that belong to none."""
    return _Graphs(path, split).records()


class _Graphs:
    """Lines gathered by the graph that stands in them."""

    def __init__(self, path: Path, split: Split) -> None:
        self._path, self._split = path, split
        self._seen = SeenNames()
        self._graph: bytes | None = None
        self._foreign: bytes | None = None
        self._held: list[bytes] = []
        self._size = 0
        self._loose: list[_Line] = []
        self._first = split.line
        self._any = False

    def records(self) -> Iterator[Record]:
        self._foreign = self._before() if self._split.start else None
        for place, number, line in numbered_lines(self._path, self._split):
            if place >= self._split.end and self._graph is None and self._foreign is None:
                break
            if line is None:
                if place < self._split.end:
                    yield self._problem(number, f"longer than {DEFAULT_LIMITS.bytes:,} bytes")
                continue
            stripped = line.strip()
            if not stripped or stripped.startswith(b"#"):
                continue
            graph, broken = _graph_of(stripped)
            if graph is None:
                yield from self._hold_loose(_Line(place, number, stripped, broken))
                continue
            if graph == self._foreign:  # the rest of an event that began in the split before
                self._loose.clear()
                continue
            self._foreign = None
            if graph != self._graph:
                yield from self._finished()
                yield from self._told_loose(self._loose)
                if place >= self._split.end:
                    return
                self._graph, self._first, self._any = graph, number, True
            yield from self._settled()
            self._hold(stripped)
        yield from self._finished()
        yield from self._end()

    def _before(self) -> bytes | None:
        """The graph of the last line that begins before the start."""
        try:
            with self._path.open("rb") as file:
                for reach in (1 << 16, 1 << 20, DEFAULT_LIMITS.bytes):
                    if (graph := self._last_graph(file, reach)) is not None:
                        return graph
        except OSError as error:
            raise cannot_read(self._path, error) from None
        return None

    def _last_graph(self, file: IO[bytes], reach: int) -> bytes | None:
        """The last graph that is named in so many bytes before the start."""
        begin = max(0, self._split.start - reach)
        file.seek(begin)
        lines = file.read(self._split.start - begin).split(b"\n")
        lines[-1] += file.readline(DEFAULT_LIMITS.bytes) if lines[-1] else b""
        for line in reversed(lines[1:] if begin else lines):
            stripped = line.strip()
            if not stripped.startswith(b"#") and (graph := _graph_of(stripped)[0]) is not None:
                return graph
        return None

    def _hold(self, line: bytes) -> None:
        """Keep a line of the event; of one that is too big, nothing more."""
        self._size += len(line) + 1
        if self._size <= DEFAULT_LIMITS.bytes:
            self._held.append(line)
        else:
            self._held.clear()

    def _hold_loose(self, line: _Line) -> Iterator[Record]:
        """Keep a line until it is known what it belongs to; an event whose lines stand too far apart ends."""
        if len(self._loose) >= DEFAULT_LIMITS.triples:
            if not self._any and self._split.whole:
                raise too_many_triples(DEFAULT_LIMITS)
            self._foreign = None
            yield from self._finished()
            yield from self._told_loose(self._loose)
        self._loose.append(line)

    def _settled(self) -> Iterator[Record]:
        """Inside an event, a broken line spoils it; a triple of the default graph spoils nothing but itself."""
        for line in self._loose:
            if line.broken:
                self._hold(line.text)
        yield from self._told_loose([line for line in self._loose if not line.broken])

    def _told_loose(self, lines: list[_Line]) -> Iterator[Record]:
        """Lines that belong to no event."""
        for line in lines:
            if line.place < self._split.end or self._graph is not None:
                shown = line.text[:60].decode("utf-8", "replace")
                yield self._problem(line.number, f"{shown!r} is no quad of a named graph")
        self._loose.clear()

    def _finished(self) -> Iterator[Record]:
        if self._graph is None:
            return
        source = f"{self._path.name}:{self._first}"
        told = self._graph.decode("utf-8", "replace")
        name = told[1:-1] if told.startswith("<") else source
        if not self._seen.add(told):
            yield self._problem(self._first, f"the graph {told} returns: the quads of an event stand together")
        elif self._size > DEFAULT_LIMITS.bytes:
            yield self._problem(self._first, f"the event {name} is longer than {DEFAULT_LIMITS.bytes:,} bytes")
        else:
            yield self._event(name, source)
        self._graph, self._held, self._size = None, [], 0

    def _event(self, name: str, source: str) -> Record:
        try:
            return Record(name, decode(b"\n".join(self._held), DEFAULT_LIMITS), "nquads", source)
        except EventError as error:  # not UTF-8, or a NUL
            return self._problem(self._first + (error.line or 1) - 1, f"the event {name} {error.message}")

    def _end(self) -> Iterator[Record]:
        """Triples of the default graph are one event where they are all there is."""
        if not self._loose or self._any or not self._split.whole:
            yield from self._told_loose(self._loose)
            return
        body = decode(b"\n".join(line.text for line in self._loose), DEFAULT_LIMITS)
        yield Record(self._path.name, body, "nquads", str(self._path))

    def _problem(self, number: int, message: str) -> Record:
        return Record(None, None, "nquads", f"{self._path.name}:{number}", f"{self._path}, line {number}: {message}")


def _graph_of(line: bytes) -> tuple[bytes | None, bool]:
    """The graph that a line names, if any, and whether the line is broken: then it is the one it seems to name."""
    found = _QUAD.fullmatch(line)
    if found is None:
        guess = _GRAPH_AT_END.search(line)
        return (guess[1] if guess else None), True
    graph: bytes | None = found[1]
    if graph is not None and b"\\" in graph:
        graph = _unescaped(line, graph)
    return graph, False


def _unescaped(line: bytes, graph: bytes) -> bytes:
    """A graph's name without escapes; as it stands where the parser refuses it."""
    try:
        for quad in parse(line, RdfFormat.N_QUADS):
            return str(quad.graph_name).encode()
    except (SyntaxError, ValueError):
        pass
    return graph
