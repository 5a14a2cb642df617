"""Texts and helpers that several tests of events share."""

from __future__ import annotations

import gzip
from pathlib import Path

from semantic_pubsub import Event, events_from

EX = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

# One event in every syntax: an offer of one thing, with a number that has leading zeros and a text with a language.
TEXTS = {
    "turtle": '@prefix : <http://example.org/> . _:H a :Offer ; :target _:t . _:t :code 007 ; :name "Stuhl"@de-AT .',
    "nt": f"""_:H <{RDF_TYPE}> <{EX}Offer> .
_:H <{EX}target> _:t .
_:t <{EX}code> "007"^^<{XSD}integer> .
_:t <{EX}name> "Stuhl"@de-AT .
""",
    "xml": f"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="{EX}">
  <e:Offer rdf:nodeID="H"><e:target rdf:nodeID="t"/></e:Offer>
  <rdf:Description rdf:nodeID="t">
    <e:code rdf:datatype="{XSD}integer">007</e:code><e:name xml:lang="de-AT">Stuhl</e:name>
  </rdf:Description>
</rdf:RDF>""",
    "json-ld": """{"@context": {"@vocab": "http://example.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"},
"@id": "_:H", "@type": "Offer", "target": {"@id": "_:t", "code": {"@value": "007", "@type": "xsd:integer"},
"name": {"@value": "Stuhl", "@language": "de-AT"}}}""",
    "trig": """@prefix : <http://example.org/> .
:e1 { _:H a :Offer ; :target _:t . _:t :code 007 ; :name "Stuhl"@de-AT . }""",
    "nquads": f"""_:H <{RDF_TYPE}> <{EX}Offer> <{EX}e1> .
_:H <{EX}target> _:t <{EX}e1> .
_:t <{EX}code> "007"^^<{XSD}integer> <{EX}e1> .
_:t <{EX}name> "Stuhl"@de-AT <{EX}e1> .
""",
    "n3": '@prefix : <http://example.org/> . _:H a :Offer ; :target _:t . _:t :code 007 ; :name "Stuhl"@de-AT .',
}


def write(path: Path, text: str | bytes) -> Path:
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def read_all(path: Path, **how: object) -> tuple[list[Event], list[str]]:
    errors: list[str] = []
    events = list(events_from(path, on_error=lambda error: errors.append(str(error)), **how))  # type: ignore[arg-type]
    return events, errors
