"""Explanations in words: why, why not, and the nearest miss."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from rdflib import Graph as RdfGraph
from rich.console import Console

from semantic_pubsub import Event, Explanation, Ontology, ReferenceMatcher, Subscription
from tests.generators import Case, cases

HEAD = "PREFIX a: <http://example.org/auction#>\nPREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"
OFFER = """
@prefix a: <http://example.org/auction#> . @prefix units: <http://example.org/units#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
_:H a a:Selling ; a:target _:pc ; a:price _:price ; a:seller _:john .
_:pc a a:NotebookPC ; a:manufacture _:maker . _:maker a a:Person .
_:price a a:MoneyValue ; rdf:value 450 ; a:currency units:euro .
_:john a a:Person ; a:cellPhoneNumber "123" .
"""


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


def explained(auction: Ontology, text: str) -> Explanation:
    matcher = ReferenceMatcher(auction)
    matcher.add(Subscription.parse(text, id="s"))
    return matcher.explain(Event.parse(OFFER, id="offer"), "s")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("_:H a:target ?x . ?x a a:Computer", "_:pc is a NotebookPC ⊑ Computer"),
        ("_:H a:seller ?x . ?x a:telephoneNumber ?n", "cellPhoneNumber ⊑ telephoneNumber"),
        ("_:H a:price/rdf:value ?v FILTER(?v > 400)", "?v = 450"),
    ],
)
def test_why(auction: Ontology, pattern: str, words: str) -> None:
    explanation = explained(auction, f"{HEAD}SELECT * {{ {pattern} }}")
    assert explanation.matched
    assert explanation.misses() == ()
    assert words in str(explanation)


@pytest.mark.parametrize(
    ("pattern", "kind", "words"),
    [
        ("_:H a:price/rdf:value ?v FILTER(?v < 400)", "filter", "450 is not < 400"),
        ("_:H a:target ?x . ?x a:hardDisk ?d", "arc", "no hardDisk on _:pc (it has manufacture)"),
        ("_:H a:target/a:manufacture ?m . ?m a a:Company", "class", "_:maker is a Person, Company was asked for"),
        (
            "_:H a:price [ a:currency <http://example.org/units#dollar> ]",
            "constant",
            "found euro, dollar was asked for",
        ),
        ("_:H a:seller ?x . ?x a:name ?n . FILTER(?n = 'x')", "filter", "nothing was found for ?n"),
        ("_:H a:seller ?x FILTER(?x > 3)", "filter", "is an error for ?x = _:john"),
        ("_:H a:price/rdf:value ?v FILTER(?v + 1 < 400)", "filter", "false for ?v = 450"),
    ],
)
def test_why_not(auction: Ontology, pattern: str, kind: str, words: str) -> None:
    explanation = explained(auction, f"{HEAD}SELECT * {{ {pattern} }}")
    assert not explanation.matched
    assert (kind, words) in [(miss.kind, miss.because) for miss in explanation.misses()]


def test_distinctness(auction: Ontology) -> None:
    explanation = explained(auction, "(_:H, ?1, (Selling, seller, Customer))\n(_:H, ?2, (Selling, party, Customer))")
    assert "?1 and ?2 would both be _:john" in str(explanation)


def test_alternatives_are_explained_one_by_one(auction: Ontology) -> None:
    text = HEAD + "ASK { { _:H a:target [ a a:Book ] } UNION { _:H a:target [ a a:Computer ] } }"
    explanation = explained(auction, text)
    assert [alternative.matched for alternative in explanation.alternatives] == [False, True]
    assert "alternative 1: does not match" in str(explanation)


def test_the_nearest_image_is_chosen(auction: Ontology) -> None:
    """Of two prices, the one that fails fewer requirements is shown."""
    text = (
        HEAD
        + "SELECT * { _:H a:price ?p . ?p rdf:value ?v ; a:currency <http://example.org/units#euro> FILTER(?v < 9) }"
    )
    matcher = ReferenceMatcher(auction)
    matcher.add(Subscription.parse(text, id="s"))
    event = Event.parse(OFFER + "_:H a:price _:other . _:other a a:MoneyValue .")
    assert [miss.because for miss in matcher.explain(event, "s").misses()] == ["450 is not < 9"]


def test_as_json_and_as_a_tree(auction: Ontology) -> None:
    explanation = explained(auction, HEAD + "SELECT * { _:H a:target ?x . ?x a a:Book }")
    data = json.loads(json.dumps(explanation.to_json()))
    assert data["matched"] is False
    assert data["event"] == "offer"
    assert data["alternatives"][0]["mapping"]["?x"] == "_:pc"
    console = Console(record=True, width=120, file=io.StringIO())
    console.print(explanation)
    assert "Book was asked for" in console.export_text()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(cases())
def test_the_verdict_is_the_matchers(case: Case) -> None:
    matcher = ReferenceMatcher(Ontology.load(RdfGraph().parse(data=case.world.text(), format="nt")))
    matcher.add(Subscription.parse(case.pattern.sparql(), id="s", injective=True))
    event = Event.parse(case.event.text(), format="nt")
    explanation = matcher.explain(event, "s")
    assert explanation.matched == bool(matcher.match_ids(event))
    assert explanation.matched or explanation.misses()
    assert str(explanation)
