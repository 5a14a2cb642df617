"""An event: a small RDF graph with one home vertex."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import pyoxigraph
import rdflib
from pyoxigraph import Quad, RdfFormat

from semantic_pubsub.errors import EventError, Notice
from semantic_pubsub.events.formats import format_named, format_of_path
from semantic_pubsub.events.graphs import rdflib_graph
from semantic_pubsub.events.guards import check_text
from semantic_pubsub.events.home import choose_home, named_home, refuse_quoted_triples, unreached
from semantic_pubsub.events.limits import DEFAULT_LIMITS, Limits
from semantic_pubsub.events.parser import DEFAULT_BASE, ParsedGraph, Reading, read_graph
from semantic_pubsub.terms import NamedNode, Term, Triple, from_rdflib
from semantic_pubsub.vocab import WELL_KNOWN_PREFIXES

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events.contexts import Contexts

__all__ = ["Event", "cannot_read", "make_event", "read_file"]

_E = TypeVar("_E", bound="Event")


class Event:
    """An immutable RDF graph with a home vertex; equal to another with the same triples and home.

    `triples` are pyoxigraph's, each once, in the order of the source, literals as written and blank node
    labels kept; `graph` is the same for rdflib. `warnings` names what home does not reach.
    """

    __slots__ = ("_graph", "_warnings", "home", "id", "prefixes", "source", "triples")

    id: str | None
    home: Term
    triples: tuple[Triple, ...]
    source: str | None
    prefixes: Mapping[str, str]
    _graph: rdflib.Graph | None
    _warnings: tuple[Notice, ...] | None

    def __init__(
        self,
        triples: tuple[Triple, ...],
        home: Term,
        *,
        id: str | None = None,  # noqa: A002 - the name that users read and write
        source: str | None = None,
        prefixes: Mapping[str, str] | None = None,
    ) -> None:
        """For code that knows home already; `parse`, `load`, `from_graph` and `from_triples` find it."""
        put = object.__setattr__
        put(self, "triples", triples)
        put(self, "home", home)
        put(self, "id", id)
        put(self, "source", source)
        put(self, "prefixes", MappingProxyType(dict(prefixes or ())))
        put(self, "_graph", None)
        put(self, "_warnings", None)

    @classmethod
    def parse(
        cls,
        data: str | bytes,
        format: str | None = None,  # noqa: A002
        *,
        id: str | None = None,  # noqa: A002
        home: object = None,
        strict: bool = False,
        base: str | None = None,
        contexts: Contexts | None = None,
        ontology: Ontology | None = None,
        source: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Self:
        """Read an event from a text in Turtle, or in the syntax that `format` names."""
        reading = Reading(base or DEFAULT_BASE, contexts, ontology, limits, strict)
        try:
            graph = read_graph(data, format_named(format), reading)
            return make_event(cls, graph, reading, id=id, home=home, source=source)
        except EventError as error:
            raise error.at(source) if source else error from None

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002
        *,
        id: str | None = None,  # noqa: A002
        home: object = None,
        strict: bool = False,
        base: str | None = None,
        contexts: Contexts | None = None,
        ontology: Ontology | None = None,
        source: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Self:
        """Read a file with one event; its ending tells the syntax, its name is the id where nothing else is."""
        file = Path(path)
        source = source or str(file)
        reading = Reading(base or DEFAULT_BASE, contexts, ontology, limits, strict)
        try:
            data = read_file(file, limits)
            graph = read_graph(data, format_named(format) if format else format_of_path(file), reading)
            named = isinstance(graph.name, NamedNode)
            return make_event(cls, graph, reading, id=id if id or named else file.name, home=home, source=source)
        except EventError as error:
            raise error.at(source) from None

    @classmethod
    def from_graph(
        cls,
        graph: rdflib.Graph,
        home: object = None,
        id: str | None = None,  # noqa: A002
        strict: bool = False,
    ) -> Self:
        """Take over an rdflib graph; `BNode("H")` is home where the graph has it, a named graph's IRI is the id."""
        if isinstance(graph, rdflib.Dataset):
            raise EventError("a dataset is no event", hint="give one of its graphs")
        triples: list[Triple] = []
        for subject, predicate, value in graph:
            try:
                triples.append(Triple(from_rdflib(subject), from_rdflib(predicate), from_rdflib(value)))  # type: ignore[arg-type]
            except (TypeError, ValueError):
                statement = " ".join(" ".join(map(str, (subject, predicate, value))).split())
                hint = "a subject is an IRI or a blank node, a property an IRI, IRIs are absolute"
                raise EventError(f"{statement} is no RDF triple", hint=hint) from None
        prefixes = {prefix: str(iri) for prefix, iri in graph.namespaces()}
        if id is None and isinstance(graph.identifier, rdflib.URIRef):
            id = str(graph.identifier)  # noqa: A001
        return cls.from_triples(triples, home=home, id=id, strict=strict, prefixes=prefixes)

    @classmethod
    def from_triples(
        cls,
        triples: Iterable[Triple],
        *,
        home: object = None,
        id: str | None = None,  # noqa: A002
        strict: bool = False,
        source: str | None = None,
        prefixes: Mapping[str, str] | None = None,
    ) -> Self:
        """Make an event of pyoxigraph's triples."""
        graph = ParsedGraph(tuple(dict.fromkeys(triples)), None, prefixes or {})
        return make_event(cls, graph, Reading(strict=strict), id=id, home=home, source=source)

    def with_id(self, id: str | None) -> Self:  # noqa: A002
        """The same event under another id."""
        return type(self)(self.triples, self.home, id=id, source=self.source, prefixes=self.prefixes)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What home does not reach, looked for when first asked (it takes a third of the time of reading)."""
        warnings = self._warnings
        if warnings is None:
            found = unreached(self.triples, self.home)
            warnings = (Notice(f"{found} (no subscription can ask for them)", source=self.source),) if found else ()
            object.__setattr__(self, "_warnings", warnings)
        return warnings

    @property
    def graph(self) -> rdflib.Graph:
        """The event for rdflib, made when first asked for and then kept: copy it before changing it."""
        graph = self._graph
        if graph is None:
            graph = rdflib_graph(self.triples, self.prefixes)
            object.__setattr__(self, "_graph", graph)
        return graph

    def to_text(self, format: str = "turtle") -> str:  # noqa: A002
        """The event as text; in TriG and N-Quads an IRI that is the event's id names the graph."""
        syntax = format_named(format)
        name = _graph_name(self.id) if syntax.supports_datasets and syntax != RdfFormat.JSON_LD else None
        data: Iterable[Triple] | Iterable[Quad] = self.triples
        if name is not None:
            data = [Quad(t.subject, t.predicate, t.object, name) for t in self.triples]
        try:
            written = pyoxigraph.serialize(data, format=syntax, prefixes=self._used_prefixes(syntax)) or b""
            text = written.decode("utf-8")
            if syntax == RdfFormat.RDF_XML:  # which has no way to say some properties and characters
                check_text(text, syntax, DEFAULT_LIMITS)
        except (ValueError, OSError, EventError) as error:
            reason = error.message if isinstance(error, EventError) else error
            raise EventError(f"cannot be written as {format}: {reason}", hint="take format='turtle'") from None
        return text

    def _used_prefixes(self, syntax: RdfFormat) -> dict[str, str] | None:
        if syntax in (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS) or not self.prefixes:
            return None
        iris = {term.value for triple in self.triples for term in triple if isinstance(term, NamedNode)}
        iris |= {o.datatype.value for o in (t.object for t in self.triples) if isinstance(o, pyoxigraph.Literal)}
        return {p: iri for p, iri in self.prefixes.items() if any(used.startswith(iri) for used in iris)}

    def __len__(self) -> int:
        return len(self.triples)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Event):
            return NotImplemented
        return self.home == other.home and frozenset(self.triples) == frozenset(other.triples)

    def __hash__(self) -> int:
        return hash((self.home, frozenset(self.triples)))

    def __repr__(self) -> str:
        name = f"{self.id!r}, " if self.id else ""
        return f"<Event {name}home {self.home}, {len(self.triples)} triples>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.triples, self.home, self.id, self.source, dict(self.prefixes))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Event cannot be changed ({name})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Event cannot be changed ({name})")


def make_event(
    cls: type[_E],
    graph: ParsedGraph,
    reading: Reading,
    *,
    id: str | None = None,  # noqa: A002
    home: object = None,
    source: str | None = None,
) -> _E:
    """Find home and make the event of class `cls`."""
    triples = graph.triples
    refuse_quoted_triples(triples)
    if home is None:
        vertex = choose_home(triples)
    else:
        known = dict(reading.ontology.prefixes) if reading.ontology is not None else {}
        vertex = named_home(home, triples, {**WELL_KNOWN_PREFIXES, **known, **graph.prefixes})
    if reading.strict and (found := unreached(triples, vertex)):
        raise EventError(found, hint="connect them to home, or take them out")
    if id is None and isinstance(graph.name, NamedNode):
        id = graph.name.value  # noqa: A001
    return cls(triples, vertex, id=id, source=source, prefixes=graph.prefixes)


def read_file(path: Path, limits: Limits) -> bytes:
    """The bytes of a file (unpacked where it ends in `.gz`), one more than the limit at most."""
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as file:
            return file.read(limits.bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise cannot_read(path, error) from None


def cannot_read(path: Path, error: Exception) -> EventError:
    """Why a file gave no bytes, in one line."""
    match error:
        case FileNotFoundError():
            message, hint = "no such file", "check the name"
        case IsADirectoryError():
            message, hint = "is a folder", "read it with events_from"
        case EOFError() | zlib.error() | gzip.BadGzipFile():
            message, hint = "is no complete gzip file", "pack it again"
        case _:
            message, hint = f"cannot be read: {getattr(error, 'strerror', None) or error}", "check the file"
    return EventError(message, source=str(path), hint=hint)


def _graph_name(identifier: str | None) -> NamedNode | None:
    try:
        return NamedNode(identifier) if identifier and ":" in identifier else None
    except ValueError:
        return None


def _restored(
    cls: type[Event],
    triples: tuple[Triple, ...],
    home: Term,
    identifier: str | None,
    source: str | None,
    prefixes: Mapping[str, str],
) -> Event:
    return cls(triples, home, id=identifier, source=source, prefixes=prefixes)
