"""What an ontology has to say about a subscription; all of it warnings."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from pathlib import Path

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub import Ontology, Subscription
from semantic_pubsub.subscriptions import analyse, bounds, compile_filter, resolve, subscriptions_from
from semantic_pubsub.terms import Literal, NamedNode

A = "PREFIX a: <http://example.org/auction#>\n"
XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


def messages(text: str, ontology: Ontology) -> list[str]:
    subscription = resolve(Subscription.parse(text, source="mine"), ontology)
    return [notice.message for notice in analyse(subscription, ontology)]


@pytest.mark.parametrize(
    "text",
    [
        A + "SELECT ?x { _:H a a:Selling ; a:target ?x . ?x a a:Computer }",
        A + "ASK { _:H a:price ?m . ?m rdf:value ?v FILTER (?v > 5 && ?v < 10 && ?v IN (6, 7)) }",
        A + "ASK { _:H a:price/rdf:value ?v FILTER (?v > 5 || ?v < 3) }",
        A + "ASK { _:H a:price/rdf:value ?v FILTER (?v = ?v) FILTER (BOUND(?w) || ?v < 3) }",
        A + "ASK { _:H a owl:Thing ; rdfs:label ?x }",
        "(_:H, ?1, (Selling, target, Computer)) (_:H, ?2, (Selling, price, MoneyValue))"
        "(?2, ?3, (MoneyValue, rdf:value, xsd:decimal), ?3 < 400.00)",
    ],
)
def test_nothing_to_say(auction: Ontology, text: str) -> None:
    assert messages(text, auction) == []


def test_the_examples_of_the_project_deserve_no_warning(auction: Ontology, project: Path) -> None:
    found = list(subscriptions_from(project / "examples" / "subscriptions"))
    assert found
    for subscription in found:
        assert analyse(resolve(subscription, auction), auction) == ()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("_:H a a:Seling", "unknown class <http://example.org/auction#Seling> (did you mean Selling?)"),
        ("_:H a <http://example.org/other#Selling>", "(did you mean <http://example.org/auction#Selling>?)"),
        ("_:H a:targett ?x", "unknown property <http://example.org/auction#targett> (did you mean target?)"),
        ("_:H a <urn:nowhere>", "unknown class <urn:nowhere>"),
        ("_:H a a:target", "auction:target is a property, not a class"),
        ("_:H a:Selling ?x", "auction:Selling is a class, not a property"),
        (
            "_:H a:target ?x . ?x a a:Computer , a:Book",
            "nothing is both auction:Computer and auction:Book",
        ),
        ("_:H a:price ?x . ?x a a:Computer", "the ontology admits no statement (*, auction:price, auction:Computer)"),
        ("_:H a:price 5", "the ontology admits no statement (*, auction:price, xsd:integer)"),
        ("_:H a:created ?x FILTER (?x > 5)", "the ontology admits no value of auction:created of the kind 'number'"),
        ("_:H a:price ?x FILTER (?x IN (5, 'x'))", '?x IN (5, "x") is never true'),
        ("_:H a:price/rdf:value ?v FILTER (?v > 5 && ?v < 3)", "?v < 3 is never true: it excludes ?v > 5"),
        ("_:H a:price/rdf:value ?v FILTER (5 < ?v) FILTER (?v = 5)", "?v = 5 is never true: it excludes 5 < ?v"),
        ("_:H a:price/rdf:value ?v FILTER (?v = 1) FILTER (?v = 2)", "it excludes ?v = 1"),
        ("_:H a:price/rdf:value ?v FILTER (?v IN (1, 2) && ?v >= 3)", "it excludes ?v IN (1, 2)"),
        ("_:H a:price/rdf:value ?v FILTER (?v IN (1, 2) && ?v IN (3, 4))", "it excludes ?v IN (1, 2)"),
        ("_:H a:price/rdf:value ?v FILTER (?v IN ())", "the list is empty"),
        ("_:H a:price/rdf:value ?v FILTER (?v < 'NaN'^^xsd:double)", "nothing compares with NaN"),
        ("_:H rdfs:label ?v FILTER (?v < 'a'@en)", "a value of the kind 'text with a language' has no order"),
        ("_:H rdfs:label ?v FILTER (?v > 'b' && ?v < 5)", '?v < 5 is never true: it excludes ?v > "b"'),
        ("_:H rdfs:label ?v FILTER (1 > 2)", "1 > 2 is never true: it does not depend on the event"),
        ("_:H rdfs:label ?v FILTER (?v = 'a' && false)", "false is never true"),
        ("_:H rdfs:label ?v FILTER (?w = 1)", "?w = 1 is never true: the pattern does not bind ?w"),
        ("_:H rdfs:label ?v FILTER (STR(?w) = STR(?v))", "the pattern does not bind ?w"),
    ],
)
def test_what_deserves_a_look(auction: Ontology, body: str, message: str) -> None:
    (found,) = messages(f"{A}SELECT * {{ {body} }}", auction)
    assert message in found


def test_classes_of_constants_and_literals(auction: Ontology) -> None:
    assert "is no xsd:decimal" in messages('(_:H, "x", (*, <http://x.org/p>, xsd:decimal))', auction)[-1]
    assert "an IRI is no literal" in messages("(_:H, dollar, (*, <http://x.org/p>, xsd:decimal))", auction)[-1]
    text = "(_:H, ?1, (*, rdf:value, xsd:decimal)) (?1, ?2, (*, rdf:value, *))"
    assert messages(text, auction) == ["a literal (xsd:decimal) has no properties"]


def test_places_and_texts(auction: Ontology) -> None:
    text = f"{A}SELECT ?x ?nowhere {{\n  _:H a:target ?x .\n  ?x a a:Compuuter .\n}}"
    unknown, unbound = analyse(Subscription.parse(text, source="mine.rq"), auction)
    assert (unknown.source, unknown.line, unknown.column, unknown.text) == ("mine.rq", 4, 8, "?x a a:Compuuter .")
    assert str(unknown).startswith("mine.rq, line 4, column 8: unknown class")
    assert unbound.message == "?nowhere is selected, but no pattern binds it"


def test_a_union_says_which_alternative(auction: Ontology) -> None:
    branches = ["{ _:H a:target ?x . ?x a a:Book }", "{ _:H a:taget ?x }", "{ _:H a:price ?x . ?x a a:Nope }"]
    text = f"{A}SELECT * {{ {' UNION '.join(branches)} _:H a:foo 1 }}"
    found = messages(text, auction)
    assert [message.partition(" (in ")[2] for message in found] == ["alternative 2 of 3)", "alternative 3 of 3)", ""]
    assert "unknown property <http://example.org/auction#foo>" in found[2]


def test_a_class_that_can_have_no_members() -> None:
    graph = rdflib.Graph().parse(
        data="""@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <urn:x:> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :C a owl:Class ; rdfs:subClassOf owl:Nothing . :D a owl:Class .""",
        format="turtle",
    )
    ontology = Ontology.load(graph)
    (message,) = messages("ASK { _:H a <urn:x:C> }", ontology)
    assert "can have no members" in message
    assert messages("ASK { _:H a <urn:x:D> }", ontology) == []


def test_answers_are_remembered_per_ontology(auction: Ontology, monkeypatch: pytest.MonkeyPatch) -> None:
    text = A + "SELECT ?x { _:H a a:Selling ; a:target ?x . ?x a a:Computer }"
    assert messages(text, auction) == []

    def forbidden(*_: object) -> bool:
        raise AssertionError("asked again")

    monkeypatch.setattr(Ontology, "compatible", forbidden)
    assert messages(text, auction) == []


def test_suggestions_end_where_nearly_everything_is_unknown(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs a search through all names; the warning itself always comes."""
    monkeypatch.setattr("semantic_pubsub.subscriptions.advice._MOST_SUGGESTIONS", 1)
    fresh = Ontology.load(project / "ontology" / "auction.ttl")
    found = messages(A + "ASK { _:H a:targett ?x ; a:pricee ?y }", fresh)
    assert ["did you mean" in message for message in found] == [True, False]


@pytest.mark.parametrize(
    "conditions",
    [
        ["?v < 1"] * 2_000,
        [f"?v IN ({', '.join(str(1_000 * i + j) for j in range(200))}, 0)" for i in range(20)],
    ],
)
def test_long_conditions_are_compared_within_bounds(
    auction: Ontology, monkeypatch: pytest.MonkeyPatch, conditions: list[str]
) -> None:
    """Each conjunct once with those before it, and of long lists no more than a certain number of values."""
    compared = []
    apart = bounds._apart
    monkeypatch.setattr(bounds, "_apart", lambda *asked: compared.append(asked) or apart(*asked))
    assert messages(f"{A}ASK {{ _:H a:price/rdf:value ?v FILTER ({' && '.join(conditions)}) }}", auction) == []
    assert len(compared) <= 10_000


def test_of_many_that_exclude_each_other_the_first_is_told(auction: Ontology) -> None:
    conditions = " && ".join(["?v < 5", "?v < 9", "?v > 7", "?v > 6", "?v > 8", *["?v < 9"] * 100])
    (found,) = messages(f"{A}ASK {{ _:H a:price/rdf:value ?v FILTER ({conditions}) }}", auction)
    assert "?v > 7 is never true: it excludes ?v < 5" in found


# A warning about an interval is never wrong: no value of any type is between.

VALUES = ["1", "2", "1.5", "0.1", "0.1000000000000000055", "16777216", "16777217", "16777219"]
TYPES = ["integer", "decimal", "double", "float"]
NUMBERS = [f'"{v}"^^xsd:{t}' for v, t in product(VALUES, TYPES) if t != "integer" or Decimal(v) % 1 == 0]
DATES = [
    f'"2024-01-0{day}T12:00:00{zone}"^^xsd:dateTime' for day in (1, 2, 3) for zone in ("", "Z", "+14:00", "-14:00")
]
MIXED = ['"a"', '"b"', '"a"@en', "true", "false", "<urn:i>", '"x"^^<urn:t>', *NUMBERS[:4], *DATES[:2]]


def terms() -> list[Literal | NamedNode]:
    patterns = Subscription.parse(f"ASK {{ _:H <urn:p> {', '.join([*NUMBERS, *DATES, *MIXED])} }}").alternatives
    return [arc.object for arc in patterns[0].arcs if isinstance(arc.object, Literal | NamedNode)]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_an_interval_that_is_called_empty_is_empty(data: st.DataObject) -> None:
    operands = data.draw(st.sampled_from([NUMBERS, DATES, MIXED]))
    conditions = [
        f"?v {data.draw(st.sampled_from(['<', '<=', '>', '>=', '=']))} {data.draw(st.sampled_from(operands))}"
        for _ in range(2)
    ]
    subscription = Subscription.parse(f"ASK {{ _:H <urn:p> ?v FILTER ({' && '.join(conditions)}) }}")
    empty = any("never true" in notice.message for notice in analyse(subscription, EMPTY))
    holds = compile_filter(subscription.alternatives[0].filters[0].expression)
    found = [term for term in TERMS if holds({"v": term})]
    assert not (empty and found), (conditions, found)


EMPTY = Ontology.load()
TERMS = terms()
