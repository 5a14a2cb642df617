"""Labels, synonyms, and the JSON-LD context that an ontology gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse

from semantic_pubsub import Ontology

Turtle = Callable[..., Ontology]


def test_the_label_by_language(turtle: Turtle) -> None:
    ontology = turtle(':A a owl:Class ; rdfs:label "Auto"@de, "car"@en-GB, "motor-car" ; skos:prefLabel "voiture"@fr .')
    assert ontology.label("A", "de") == "Auto"
    assert ontology.label("A", "en") == "car"
    assert ontology.label("A", "FR") == "voiture"
    assert ontology.label("A", "it") == "motor-car"
    assert ontology.label("A") == "motor-car"


@pytest.mark.parametrize(
    ("labels", "label"),
    [('"Auto"@de, "car"@en', "car"), ('"Auto"@de', "Auto")],
    ids=["English", "the only one"],
)
def test_without_a_plain_label(turtle: Turtle, labels: str, label: str) -> None:
    assert turtle(f":A a owl:Class ; rdfs:label {labels} .").label("A") == label


def test_the_local_name_where_there_is_no_label(turtle: Turtle) -> None:
    ontology = turtle(":A a owl:Class .")
    assert ontology.label("A") == "A"
    assert ontology.label("http://elsewhere/x#Y") == "Y"


def test_synonyms(turtle: Turtle) -> None:
    obo = "<http://www.geneontology.org/formats/oboInOwl#hasExactSynonym>"
    ontology = turtle(
        ':A a owl:Class ; rdfs:label "laptop"@en ; skos:altLabel "notebook", "laptop" ; skos:hiddenLabel "labtop" ;'
        f' {obo} "portable" ; <http://schema.org/alternateName> "folding computer" .'
    )
    assert set(ontology.synonyms("A")) == {"notebook", "labtop", "portable", "folding computer"}


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


def test_the_context_reads_plain_json(auction: Ontology) -> None:
    document = {
        "@context": auction.jsonld_context(),
        "@id": "_:H",
        "@type": "Selling",
        "target": {"@type": "NotebookPC", "used": True, "manufacture": "http://example.org/ibm"},
        "created": "2024-05-01T12:00:00Z",
        "seller": {"@type": "auction:Person", "graduationYear": "2001", "name": "John"},
    }
    text = json.dumps(document).encode()
    found = {
        str(quad.triple.predicate.value).rpartition("#")[2]: quad.object for quad in parse(text, RdfFormat.JSON_LD)
    }
    assert str(found["manufacture"]) == "<http://example.org/ibm>"
    assert found["created"].datatype.value.endswith("#dateTime")
    assert found["graduationYear"].datatype.value.endswith("#integer")
    assert found["name"].datatype.value.endswith("#string")
    types = {
        q.object.value.rpartition("#")[2] for q in parse(text, RdfFormat.JSON_LD) if q.predicate.value.endswith("type")
    }
    assert types == {"Selling", "NotebookPC", "Person"}


def test_the_context_leaves_out_what_is_ambiguous(turtle: Turtle) -> None:
    ontology = turtle("<http://one/A> a owl:Class . <http://two/A> a owl:Class . <http://two/B> a owl:Class .")
    context = ontology.jsonld_context()
    assert "A" not in context
    assert context["B"] == "http://two/B"
    assert context["ex"] == "http://example.org/"
    assert context["xsd"] == "http://www.w3.org/2001/XMLSchema#"


def test_the_context_types_values_only_where_the_range_is_one_datatype(turtle: Turtle) -> None:
    ontology = turtle(
        ":o a owl:ObjectProperty . :d a owl:DatatypeProperty ; rdfs:range xsd:date . :e rdfs:subPropertyOf :d ."
        ":two rdfs:range xsd:date, xsd:string . :own rdfs:range :mine . :mine a rdfs:Datatype ."
        ":l rdfs:range rdfs:Literal . :both a owl:ObjectProperty, owl:DatatypeProperty ."
    )
    context = ontology.jsonld_context()
    date = "http://www.w3.org/2001/XMLSchema#date"
    assert context["o"] == {"@id": "http://example.org/o", "@type": "@id"}
    assert context["d"] == {"@id": "http://example.org/d", "@type": date}
    assert context["e"] == {"@id": "http://example.org/e", "@type": date}
    for name in ("two", "own", "l", "both", "mine"):
        assert context[name] == "http://example.org/" + name
