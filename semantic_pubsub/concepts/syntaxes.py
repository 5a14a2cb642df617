"""Which RDF syntax a file is in: by the name the caller gives, by its ending, or by its first characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyoxigraph import RdfFormat

from semantic_pubsub.errors import OntologyError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ENDINGS", "syntax_named", "syntax_of"]

_NAMES: Final = {
    "turtle": RdfFormat.TURTLE,
    "ttl": RdfFormat.TURTLE,
    "longturtle": RdfFormat.TURTLE,
    "nt": RdfFormat.N_TRIPLES,
    "nt11": RdfFormat.N_TRIPLES,
    "ntriples": RdfFormat.N_TRIPLES,
    "n-triples": RdfFormat.N_TRIPLES,
    "xml": RdfFormat.RDF_XML,
    "pretty-xml": RdfFormat.RDF_XML,
    "rdf/xml": RdfFormat.RDF_XML,
    "application/xml": RdfFormat.RDF_XML,
    "json-ld": RdfFormat.JSON_LD,
    "jsonld": RdfFormat.JSON_LD,
    "application/json": RdfFormat.JSON_LD,
    "n3": RdfFormat.N3,
    "trig": RdfFormat.TRIG,
    "nquads": RdfFormat.N_QUADS,
    "n-quads": RdfFormat.N_QUADS,
    "nq": RdfFormat.N_QUADS,
}
_SHOWN: Final = ("turtle", "nt", "xml", "json-ld", "n3", "trig", "nquads")

ENDINGS: Final = {
    ".ttl": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".rdf": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".owl": None,
    ".jsonld": RdfFormat.JSON_LD,
    ".json": RdfFormat.JSON_LD,
    ".n3": RdfFormat.N3,
    ".trig": RdfFormat.TRIG,
    ".nq": RdfFormat.N_QUADS,
    ".nquads": RdfFormat.N_QUADS,
}
"""The file endings of ontologies; `.owl` tells no syntax (mostly it is RDF/XML), so the content decides."""

_XML_START: Final = re.compile(rb"\s*<(\?xml|!DOCTYPE|!--|rdf:RDF|[\w.-]+:RDF|RDF)[\s>]", re.IGNORECASE)
_JSON_START: Final = re.compile(rb"\s*[\[{]\s*([\"{\]}]|$)")
_FOREIGN: Final = (
    (re.compile(rb"\s*(Prefix|Ontology)\s*\("), "OWL functional syntax"),
    (re.compile(rb"\s*(Prefix|Ontology):"), "OWL Manchester syntax"),
    (re.compile(rb"\s*format-version:"), "OBO syntax"),
    (re.compile(rb"(\s*<\?xml[^>]*>)?\s*(<!DOCTYPE\s+Ontology|<Ontology\b)"), "OWL/XML"),
    (re.compile(rb"\s*<(!DOCTYPE\s+html|html)\b", re.IGNORECASE), "a web page"),
)


def syntax_named(name: str) -> RdfFormat:
    """The syntax that one of rdflib's names or a media type stands for."""
    plain = name.split(";")[0].strip().lower()
    found = _NAMES.get(plain) or RdfFormat.from_media_type(plain)
    if found is None:
        hint = did_you_mean(plain, _SHOWN) or f"known are {', '.join(_SHOWN)} and their media types"
        raise OntologyError(f"unknown format {name!r}", hint=hint)
    return found


def syntax_of(path: Path, data: bytes) -> RdfFormat:
    """The syntax of a file by its ending, or by its content where the ending leaves it open."""
    _refuse_foreign(data, str(path))
    told = ENDINGS.get(path.suffix.lower())
    if told is not None:
        return told
    if _XML_START.match(data):
        return RdfFormat.RDF_XML
    if _JSON_START.match(data):
        return RdfFormat.JSON_LD
    return RdfFormat.TURTLE


def _refuse_foreign(data: bytes, source: str) -> None:
    start = data[:4096]
    for pattern, name in _FOREIGN:
        if pattern.match(start):
            raise OntologyError(f"is {name}, not RDF", source=source, hint="convert it to Turtle or RDF/XML")
