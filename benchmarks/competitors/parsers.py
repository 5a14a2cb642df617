"""Other parsers on our texts: pyoxigraph for events, rdflib for SPARQL."""

from __future__ import annotations

import pyoxigraph as ox
from rdflib.plugins.sparql.parser import parseQuery

__all__ = ["parse_turtle", "parse_with_rdflib"]

_BASE = "http://example.org/"


def parse_turtle(text: str) -> list[ox.Quad]:
    """A plain parse of an event's text: statements and nothing more."""
    return list(ox.parse(text, format=ox.RdfFormat.TURTLE, base_iri=_BASE))


def parse_with_rdflib(text: str) -> object:
    """The parse tree of a SPARQL text: no algebra, no preparation, which would take several times as long."""
    return parseQuery(text)
