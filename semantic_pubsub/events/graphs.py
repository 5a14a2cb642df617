"""Triples for rdflib and pyshacl, made once per term and without rdflib's complaints.

An event may say "abc"^^xsd:integer. That is for SHACL to judge; rdflib would log a traceback for it.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import rdflib

from semantic_pubsub.terms import to_rdflib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from semantic_pubsub.terms import Term, Triple

__all__ = ["add_triples", "rdflib_graph", "without_literal_warnings"]

_here = threading.local()


def rdflib_graph(triples: Iterable[Triple], prefixes: Mapping[str, str]) -> rdflib.Graph:
    """A new rdflib graph: literals as written, blank node labels kept."""
    graph = rdflib.Graph(bind_namespaces="none")
    for prefix, iri in prefixes.items():
        graph.bind(prefix, iri)
    add_triples(graph, triples)
    return graph


def add_triples(graph: rdflib.Graph, triples: Iterable[Triple]) -> None:
    """Add triples to an rdflib graph; each term is converted once."""
    made: dict[object, rdflib.term.Node] = {}

    def convert(term: Term) -> rdflib.term.Node:
        found = made.get(term)
        if found is None:
            found = made[term] = to_rdflib(term)
        return found

    add = graph.store.add
    with without_literal_warnings():
        for subject, predicate, value in triples:
            add((convert(subject), convert(predicate), convert(value)), graph)


@contextmanager
def without_literal_warnings() -> Iterator[None]:
    """Keep rdflib quiet about ill-typed literals in this thread."""
    _install_filter()
    depth = getattr(_here, "depth", 0)
    _here.depth = depth + 1
    try:
        yield
    finally:
        _here.depth = depth


@cache
def _install_filter() -> None:
    logging.getLogger("rdflib.term").addFilter(_is_wanted)


def _is_wanted(record: logging.LogRecord) -> bool:
    return not (getattr(_here, "depth", 0) and "Failed to convert Literal" in str(record.msg))
