"""Text to triples: guards, JSON-LD contexts, pyoxigraph, and its errors in our words."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse, serialize

from semantic_pubsub.errors import EventError
from semantic_pubsub.events.contexts import Contexts, needs_contexts, with_contexts
from semantic_pubsub.events.guards import check_text, decode
from semantic_pubsub.events.home import choose_home, refuse_quoted_triples
from semantic_pubsub.events.limits import DEFAULT_LIMITS, Limits
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Resource, Triple
from semantic_pubsub.vocab import SH, SKOS, WELL_KNOWN_PREFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyoxigraph import QuadParser

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.terms import Term

__all__ = [
    "DEFAULT_BASE",
    "ParsedGraph",
    "Reading",
    "guarded",
    "read_graph",
    "read_home_and_triples",
    "read_lines",
    "syntax_error",
    "syntax_errors",
    "too_many_triples",
]

Taken = TypeVar("Taken")

DEFAULT_BASE: Final = "http://event.invalid/"
"""What relative IRIs resolve against where the caller says nothing; the `.invalid` domain never exists."""

_GRAPH_ONLY: Final = {RdfFormat.TURTLE, RdfFormat.N_TRIPLES, RdfFormat.RDF_XML}
_COMMON_PREFIXES: Final = {**WELL_KNOWN_PREFIXES, "skos": SKOS, "sh": SH, "schema": "http://schema.org/"}


@dataclass(frozen=True, slots=True)
class Reading:
    """How event texts are read: everything that stays the same from event to event."""

    base: str = DEFAULT_BASE
    contexts: Contexts | None = None
    ontology: Ontology | None = None
    limits: Limits = DEFAULT_LIMITS
    strict: bool = False


@dataclass(frozen=True, slots=True)
class ParsedGraph:
    """The triples of one graph, each once, in the order of the text; its name where it has one."""

    triples: tuple[Triple, ...]
    name: Resource | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)


def read_graph(data: str | bytes, syntax: RdfFormat, reading: Reading) -> ParsedGraph:
    """Parse a text that holds one graph."""
    quads, name, prefixes = _read_quads(data, syntax, reading)
    return ParsedGraph(tuple(dict.fromkeys([quad.triple for quad in quads])), name, prefixes)


def guarded(data: str | bytes, syntax: RdfFormat, reading: Reading) -> str:
    """The text, if it is one that a parser may see."""
    text = decode(data, reading.limits)
    check_text(text, syntax, reading.limits)
    return text


class syntax_errors:  # noqa: N801 - a context manager; one made by `contextlib` takes as long as a dozen triples
    """What parsers complain of is an `EventError`."""

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SyntaxError | ValueError) and not isinstance(error, EventError):
            raise syntax_error(error) from None
        if isinstance(error, MemoryError):  # the parser's way of saying that one token does not fit into its buffer
            hint = "keep long data elsewhere and link to it"
            raise EventError("holds a word that is too long for the parser", hint=hint) from None


def read_home_and_triples(data: str | bytes, syntax: RdfFormat, reading: Reading) -> tuple[Sequence[Triple], Term]:
    """What a matcher needs of a text and no more: its statements (repeated ones too) and home."""
    quads, _, _ = _read_quads(data, syntax, reading)
    triples = [quad.triple for quad in quads]
    refuse_quoted_triples(triples)
    return triples, choose_home(triples)


def read_lines(data: str | bytes, syntax: RdfFormat, reading: Reading) -> bytes:
    """What a text says as N-Quads, a statement a line, for whoever reads bytes; home and graphs are not looked at."""
    lines, _ = _parsed(data, syntax, reading, _as_lines)
    if lines.count(b"\n") > reading.limits.triples:
        raise too_many_triples(reading.limits)
    return lines


def _as_lines(quads: Iterator[Quad]) -> bytes:
    return serialize(quads, format=RdfFormat.N_QUADS) or b""


def _parsed(
    data: str | bytes, syntax: RdfFormat, reading: Reading, take: Callable[[Iterator[Quad]], Taken]
) -> tuple[Taken, QuadParser]:
    """What `take` makes of the statements of a text, one more than are allowed at the most; and the parser."""
    text = guarded(data, syntax, reading)
    if syntax == RdfFormat.JSON_LD and needs_contexts(text):
        text = with_contexts(text, reading.contexts, reading.ontology, reading.base)
    with syntax_errors():
        parser = parse(text, syntax, base_iri=reading.base)
        return take(islice(parser, reading.limits.triples + 1)), parser


def _read_quads(
    data: str | bytes, syntax: RdfFormat, reading: Reading
) -> tuple[list[Quad], Resource | None, Mapping[str, str]]:
    quads, parser = _parsed(data, syntax, reading, list)
    if len(quads) > reading.limits.triples:
        raise too_many_triples(reading.limits)
    name = None if syntax in _GRAPH_ONLY else _one_graph(quads, syntax)
    return quads, name, parser.prefixes


def too_many_triples(limits: Limits) -> EventError:
    return EventError(
        f"has more than {limits.triples:,} triples",
        hint="an event is a small graph; raise Limits.triples if it is meant",
    )


def syntax_error(error: Exception) -> EventError:
    """A parser's complaint as an `EventError` with place and remedy."""
    line, column = getattr(error, "lineno", None), getattr(error, "offset", None)
    message = str(error.args[0]) if error.args else str(error)
    if message.startswith("Parser error"):
        message = message.partition(": ")[2] or message
    message = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(message.split(" ")))
    return EventError(message.rstrip("."), line=line, column=column, hint=_remedy(message))


def _remedy(message: str) -> str:
    if "has not been declared" in message:
        prefix = message.partition("The prefix ")[2].partition(":")[0]
        iri = _COMMON_PREFIXES.get(prefix, "http://…")
        return f"add @prefix {prefix}: <{iri}> ."
    if "remote contexts" in message or "LoadDocumentCallback" in message:
        return "give the context with contexts={url: file}; nothing is ever fetched"
    if "variables are not allowed" in message:
        return "state plain triples; N3 formulas and variables are not supported in events"
    if "UTF-8" in message or "surrogate" in message:
        return "save the text as UTF-8"
    return "correct the text, or say another format="


def _one_graph(quads: list[Quad], syntax: RdfFormat) -> Resource | None:
    """The name of the only graph; formulas and several graphs are errors."""
    if syntax == RdfFormat.N3:
        _refuse_formulas(quads)
    names = {quad.graph_name for quad in quads}
    if len(names) > 1:
        if any(isinstance(name, DefaultGraph) for name in names):
            raise EventError(
                "has triples outside its named graphs", hint="put every triple of a dataset into an event's graph"
            )
        remedy = "write one document a line (.jsonl)" if syntax == RdfFormat.JSON_LD else "read it with events_from"
        raise EventError(f"holds {len(names)} graphs, one event each", hint=remedy)
    name = next(iter(names), None)
    return None if name is None or isinstance(name, DefaultGraph) else name


def _refuse_formulas(quads: list[Quad]) -> None:
    plain = (NamedNode, BlankNode, Literal)
    for quad in quads:
        terms = (quad.subject, quad.predicate, quad.object)
        if not isinstance(quad.graph_name, DefaultGraph) or not all(isinstance(term, plain) for term in terms):
            raise EventError("N3 formulas and variables are not supported in events", hint="state plain triples")
