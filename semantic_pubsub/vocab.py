"""The vocabulary IRIs that the package itself gives a meaning to, as plain strings."""

from __future__ import annotations

from typing import Final

__all__ = [
    "LITERAL",
    "OWL",
    "RDF",
    "RDFS",
    "RDF_TYPE",
    "RESOURCE",
    "SCHEMA",
    "SH",
    "SKOS",
    "THING",
    "WELL_KNOWN_PREFIXES",
    "XSD",
]

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
SH: Final = "http://www.w3.org/ns/shacl#"
SCHEMA: Final = ("http://schema.org/", "https://schema.org/")

RDF_TYPE: Final = RDF + "type"
THING: Final = OWL + "Thing"
RESOURCE: Final = RDFS + "Resource"
LITERAL: Final = RDFS + "Literal"

# Known in every subscription without a PREFIX line.
WELL_KNOWN_PREFIXES: Final = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD}
