"""Text to triples: guards, JSON-LD contexts, pyoxigraph, and its errors in our words."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse

from semantic_pubsub.errors import EventError
from semantic_pubsub.events.contexts import Contexts, needs_contexts, with_contexts
from semantic_pubsub.events.guards import check_text, decode
from semantic_pubsub.events.home import HOME, choose_home, refuse_quoted_triples
from semantic_pubsub.events.limits import DEFAULT_LIMITS, Limits
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Resource, Triple
from semantic_pubsub.vocab import SH, SKOS, WELL_KNOWN_PREFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.terms import Term

__all__ = [
    "DEFAULT_BASE",
    "ParsedGraph",
    "Reading",
    "read_graph",
    "read_home_and_triples",
    "syntax_error",
    "too_many_triples",
]

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


def read_home_and_triples(
    data: str | bytes, syntax: RdfFormat, reading: Reading
) -> tuple[Sequence[Quad] | Sequence[Triple], Term]:
    """What a matcher needs of a text and no more: its statements (repeated ones too) and home."""
    quads, _, _ = _read_quads(data, syntax, reading)
    if any(quad.subject == HOME for quad in quads):
        refuse_quoted_triples(quads)
        return quads, HOME
    triples = [quad.triple for quad in quads]
    refuse_quoted_triples(triples)
    return triples, choose_home(triples)


def _read_quads(
    data: str | bytes, syntax: RdfFormat, reading: Reading
) -> tuple[list[Quad], Resource | None, Mapping[str, str]]:
    limits = reading.limits
    text = decode(data, limits)
    check_text(text, syntax, limits)
    if syntax == RdfFormat.JSON_LD and needs_contexts(text):
        text = with_contexts(text, reading.contexts, reading.ontology, reading.base)
    try:
        parser = parse(text, syntax, base_iri=reading.base)
        quads = list(islice(parser, limits.triples + 1))
    except (SyntaxError, ValueError) as error:
        raise syntax_error(error) from None
    except MemoryError:  # the parser's way of saying that one token does not fit into its buffer
        hint = "keep long data elsewhere and link to it"
        raise EventError("holds a word that is too long for the parser", hint=hint) from None
    if len(quads) > limits.triples:
        raise too_many_triples(limits)
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
