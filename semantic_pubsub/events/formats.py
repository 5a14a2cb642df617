"""Names of RDF syntaxes: rdflib's names, media types and file endings, all mapped to pyoxigraph's formats."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pyoxigraph import RdfFormat

from semantic_pubsub.errors import EventError, did_you_mean

__all__ = ["DATASET_ENDINGS", "EVENT_ENDINGS", "LINES_ENDINGS", "ending_of", "format_named", "format_of_path"]

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
    "rdf": RdfFormat.RDF_XML,
    "owl": RdfFormat.RDF_XML,
    "rdf/xml": RdfFormat.RDF_XML,
    "json-ld": RdfFormat.JSON_LD,
    "jsonld": RdfFormat.JSON_LD,
    "json": RdfFormat.JSON_LD,
    "trig": RdfFormat.TRIG,
    "nquads": RdfFormat.N_QUADS,
    "n-quads": RdfFormat.N_QUADS,
    "nq": RdfFormat.N_QUADS,
    "n3": RdfFormat.N3,
    "application/x-turtle": RdfFormat.TURTLE,
    "application/xml": RdfFormat.RDF_XML,
    "application/json": RdfFormat.JSON_LD,
}
_SHOWN: Final = ("turtle", "nt", "xml", "json-ld", "trig", "nquads", "n3")

_GRAPH_ENDINGS: Final = {".ttl", ".nt", ".rdf", ".owl", ".xml", ".jsonld", ".json", ".n3"}
DATASET_ENDINGS: Final = {".trig", ".nq", ".nquads"}
LINES_ENDINGS: Final = {".jsonl", ".ndjson"}
EVENT_ENDINGS: Final = frozenset(_GRAPH_ENDINGS | DATASET_ENDINGS | LINES_ENDINGS)


def format_named(name: str | None) -> RdfFormat:
    """The syntax that a name or media type stands for; Turtle where there is none."""
    if name is None:
        return RdfFormat.TURTLE
    plain = name.split(";")[0].strip().lower()
    found = _NAMES.get(plain) or RdfFormat.from_media_type(plain)
    if found is None:
        hint = did_you_mean(plain, _SHOWN) or f"known are {', '.join(_SHOWN)} and their media types"
        raise EventError(f"unknown format {name!r}", hint=hint)
    return found


def ending_of(path: Path) -> str:
    """The lower-case ending that tells the syntax: `.ttl` of `a.ttl` and of `a.ttl.gz`."""
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def format_of_path(path: Path) -> RdfFormat:
    """The syntax of a file by its ending."""
    ending = ending_of(path)
    if ending in EVENT_ENDINGS - LINES_ENDINGS:
        return _NAMES[ending[1:]]
    if ending in LINES_ENDINGS:
        raise EventError("holds one event per line", source=str(path), hint="read it with events_from")
    said = f"the ending {ending!r} tells no RDF syntax" if ending else "the name has no ending that tells the syntax"
    raise EventError(said, source=str(path), hint="say format='turtle', or name the file .ttl")
