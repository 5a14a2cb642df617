"""TriG and N-Quads as a stream of events: one per named graph, whose quads stand together."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse

from semantic_pubsub.errors import EventError
from semantic_pubsub.events.guards import closes_its_graph
from semantic_pubsub.events.model import Event, make_event
from semantic_pubsub.events.parser import ParsedGraph, Reading, syntax_error, too_many_triples
from semantic_pubsub.events.streams import LineFeed, SeenNames, opened
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from semantic_pubsub.terms import BlankNode, Triple

__all__ = ["dataset_events", "dataset_events_in"]

_GRAPH_AT_END: Final = re.compile(rb"<([^<>\s]*)>\s*\.\s*$")


def dataset_events(path: Path, syntax: RdfFormat, reading: Reading) -> Iterator[Event | EventError]:
    """Each event of a dataset, or the error that stands in its place."""
    with opened(path, reading.limits) as feed:
        yield from _events(feed, path, syntax, reading)


def dataset_events_in(
    data: bytes, syntax: RdfFormat, reading: Reading, source: str = "dataset"
) -> Iterator[Event | EventError]:
    """The same for a dataset in memory; `source` is its name in errors."""
    yield from _events(LineFeed(io.BytesIO(data), reading.limits, packed=False), Path(source), syntax, reading)


def _events(feed: LineFeed, path: Path, syntax: RdfFormat, reading: Reading) -> Iterator[Event | EventError]:
    groups = _Groups(path, syntax, reading, feed)
    for item in _quads(feed, syntax, reading.base, groups.prefixes):
        yield from groups.add(item) if isinstance(item, Quad) else groups.broken(*item)
    yield from groups.end()


def _quads(
    feed: LineFeed, syntax: RdfFormat, base: str, prefixes: dict[str, str]
) -> Iterator[Quad | tuple[EventError, str | None]]:
    """Quads; a broken line of N-Quads gives an error and the graph it seems to name, and reading goes on."""
    trig = syntax == RdfFormat.TRIG
    while True:
        first = feed.line
        parser = parse(feed, syntax, base_iri=base)  # type: ignore[arg-type]  # all it needs is read()
        try:
            for quad in parser:
                feed.got_quad()
                if trig and not prefixes:
                    prefixes.update(parser.prefixes)
                yield quad
            return
        except (SyntaxError, ValueError) as broken:
            error = syntax_error(broken)
        except MemoryError:  # the parser's way of saying that one token does not fit into its buffer
            hint = "an event is a small graph; the file is not read beyond it"
            yield EventError("holds a word that is too long for the parser", line=feed.line, hint=hint), None
            return
        error.line = feed.line if error.line is None else first + error.line
        if trig:
            error.hint = f"{error.hint}; the file is not read beyond it"
            yield error, None
            return
        graph = _GRAPH_AT_END.search(feed.text_of(error.line))
        feed.go_on_after(error.line)
        yield error, graph[1].decode("utf-8", "replace") if graph else None


class _Groups:
    """Gathers the quads of one graph after the other and turns each group into an event or an error."""

    def __init__(self, path: Path, syntax: RdfFormat, reading: Reading, feed: LineFeed) -> None:
        self.prefixes: dict[str, str] = {}
        self._path = path
        self._syntax = syntax
        self._reading = reading
        self._feed = feed
        self._seen = SeenNames()
        self._outside: list[Triple] = []
        self._outside_line = 0
        self._broken: list[tuple[EventError, str | None]] = []
        self._errors = 0
        self._start(None)

    def add(self, quad: Quad) -> Sequence[Event | EventError]:
        """Take one quad; gives what is finished by it."""
        name = quad.graph_name
        if name == self._name and not self._broken:
            self._keep(quad)
            return ()
        if isinstance(name, DefaultGraph):
            return self._add_outside(quad)
        done: list[Event | EventError] = []
        next_is_broken = self._settle(done, name)
        if name != self._name:
            self._finish(done)
            self._start(name)
            self._left_out = next_is_broken
            if self._outside:
                done.append(self._outside_error(self._outside_line))
                self._outside.clear()
            if not self._seen.add(str(name)):
                done.append(self._returned())
                self._left_out = True
        self._keep(quad)
        return done

    def broken(self, error: EventError, graph: str | None) -> Sequence[Event | EventError]:
        """Remember a broken line until the next quad tells whose it was."""
        self._errors += 1
        if self._syntax == RdfFormat.TRIG:
            self._left_out = not closes_its_graph(*self._feed.since_quad(error.line or 0, error.column or 1))
            if self._left_out and self._name is not None:
                error.hint = f"{error.hint}; the event {self._name} is left out"
        error.at(str(self._path))
        self._broken.append((error, graph))
        return ()

    def end(self) -> Sequence[Event | EventError]:
        """What is left at the end of the file."""
        done: list[Event | EventError] = []
        self._settle(done, None)
        self._finish(done)
        if self._name is None and self._outside and not self._errors:
            self._line = self._outside_line
            done.append(self._event(self._outside, self._path.name))
        elif self._name is None and not self._errors:
            done.append(EventError("has no event in it", source=str(self._path), hint="write one graph per event"))
        return done

    def _start(self, name: NamedNode | BlankNode | None) -> None:
        self._name = name
        self._triples: list[Triple] = []
        self._line = self._feed.line
        self._bytes = self._feed.bytes
        self._left_out = False
        self._too_big = False

    def _keep(self, quad: Quad) -> None:
        if self._left_out or self._too_big:
            return
        self._triples.append(quad.triple)
        limits = self._reading.limits
        if len(self._triples) > limits.triples or self._feed.bytes - self._bytes > limits.bytes:
            self._too_big = True
            self._triples.clear()

    def _add_outside(self, quad: Quad) -> Sequence[EventError]:
        if self._name is None:
            self._outside_line = self._outside_line or self._feed.line
            self._outside.append(quad.triple)
            if len(self._outside) > self._reading.limits.triples:
                raise too_many_triples(self._reading.limits).at(str(self._path), self._outside_line)
            return ()
        if self._outside_line:
            return ()
        self._outside_line = self._feed.line
        return (self._outside_error(self._outside_line),)

    def _settle(self, done: list[Event | EventError], name: NamedNode | BlankNode | None) -> bool:
        """Decide which event each broken line belongs to; whether one belongs to the event that begins.

        A line inside an event, or one that still names its graph, spoils that event. Any other spoils nothing
        but itself.
        """
        next_is_broken = False
        for error, graph in self._broken:
            current = self._name is not None and (name == self._name or graph == self._name.value)
            following = not current and name is not None and graph == name.value
            if current or following:
                error.hint = f"{error.hint}; the event {self._name if current else name} is left out"
            self._left_out |= current
            next_is_broken |= following
            done.append(error)
        self._broken.clear()
        return next_is_broken

    def _finish(self, done: list[Event | EventError]) -> None:
        if self._name is None or self._left_out:
            return
        if self._too_big:
            limits = self._reading.limits
            message = f"the event {self._name} has more than {limits.triples:,} triples or {limits.bytes:,} bytes"
            hint = "an event is a small graph; raise Limits if it is meant"
            done.append(EventError(message, source=str(self._path), line=self._line, hint=hint))
            return
        named = isinstance(self._name, NamedNode)
        done.append(self._event(self._triples, self._name.value if named else f"{self._path.name}:{self._line}"))

    def _event(self, triples: list[Triple], identifier: str) -> Event | EventError:
        graph = ParsedGraph(tuple(dict.fromkeys(triples)), None, self.prefixes)
        try:
            return make_event(Event, graph, self._reading, id=identifier, source=str(self._path))
        except EventError as error:
            error.message = f"the event {identifier} {error.message}"
            error.at(str(self._path), self._line)
            return error

    def _outside_error(self, line: int) -> EventError:
        return EventError(
            "a triple outside the named graphs",
            source=str(self._path),
            line=line,
            hint="in a file with several events each triple belongs to an event's graph",
        )

    def _returned(self) -> EventError:
        return EventError(
            f"the graph {self._name} returns after its event was read",
            source=str(self._path),
            line=self._feed.line,
            hint="keep the quads of a graph together",
        )
