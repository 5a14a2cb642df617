"""Explanations of the OPS matcher: the verdict of the engine, the words of the reference matcher, and the trees."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import Graph as RdfGraph
from rich.console import Console

from semantic_pubsub import Event, Explanation, Ontology, OpsMatcher, ReferenceMatcher, Subscription
from semantic_pubsub.matching.graph.compiled import compile_pattern
from semantic_pubsub.matching.graph.decompile import to_pattern
from semantic_pubsub.matching.graph.explained import OpsExplanation
from semantic_pubsub.matching.normal_form import normal_form
from semantic_pubsub.subscriptions import resolve
from tests.generators import Case, cases
from tests.matching.test_explanation import HEAD, OFFER

many = settings(
    max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


def both(ontology: Ontology, text: str, event: Event) -> tuple[OpsExplanation, Explanation]:
    subscription = Subscription.parse(text, id="s")
    ops, reference = OpsMatcher(ontology), ReferenceMatcher(ontology)
    ops.add(subscription)
    reference.add(subscription)
    return ops.explain(event, "s"), reference.explain(event, "s")


@pytest.mark.parametrize(
    "pattern",
    [
        "_:H a:target ?x . ?x a a:Computer",
        "_:H a:seller ?x . ?x a:telephoneNumber ?n",
        "_:H a:price/rdf:value ?v FILTER(?v > 400)",
        "_:H a:price/rdf:value ?v FILTER(400 > ?v)",
        "_:H a:price/rdf:value ?v FILTER(?v >= 100.50 && ?v < 400.0)",
        "_:H a:target ?x . ?x a:hardDisk ?d",
        "_:H a:target/a:manufacture ?m . ?m a a:Company",
        "_:H a:price [ a:currency <http://example.org/units#dollar> ]",
        "_:H a:price [ a:currency ?c ] FILTER(?c = <http://example.org/units#dollar>)",
        "_:H a:price [ a:currency ?c ] FILTER(sameTerm(<http://example.org/units#dollar>, ?c))",
        "_:H a:price [ rdf:value ?c ] FILTER(sameTerm(?c, 451))",
        "_:H a:seller ?x . ?x a:name ?n . FILTER(?n = 'x')",
        "_:H a:seller ?x . ?x a:telephoneNumber ?n FILTER(STRSTARTS(?n, '0') && CONTAINS(?n, '2'))",
        "_:H a:seller ?x FILTER(?x > 3)",
        "_:H a:price/rdf:value ?v FILTER(?v + 1 < 400)",
        "_:H a:price/rdf:value ?v . _:H a:seller/a:telephoneNumber ?n FILTER(?v = ?n)",
        "_:H a:party ?x ; a:seller ?y FILTER(?x != ?y)",
        "{ _:H a:target [ a a:Book ] } UNION { _:H a:target [ a a:Computer ] }",
        "_:H a a:Buying ; a:target ?x",
        "_:H a:target ?x FILTER(1 < 2 && !BOUND(?nobody))",
    ],
)
def test_the_words_are_those_of_the_reference(auction: Ontology, pattern: str) -> None:
    ops, reference = both(auction, f"{HEAD}SELECT * {{ {pattern} }}", Event.parse(OFFER, id="offer"))
    assert str(ops) == str(reference)
    assert ops.to_json() == reference.to_json()
    assert [tree.matched for tree in ops.trees] == [alternative.matched for alternative in ops.alternatives]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD + "ASK { _:H a:target ?x . ?x a a:Computer }", "_:pc is a NotebookPC ⊑ Computer"),
        (HEAD + "ASK { _:H a:price/rdf:value ?v FILTER(?v > 10 && ?v < 400) }", "450 is not < 400"),
        (HEAD + "ASK { _:H a:target ?x . ?x a:hardDisk ?d }", "no hardDisk on _:pc"),
        (HEAD + "ASK { _:H a:target/a:manufacture ?m . ?m a a:Company }", "is a Person, Company was asked for"),
        (
            "(_:H, ?1, (Selling, seller, Customer))\n(_:H, ?2, (Selling, party, Customer))",
            "?1 and ?2 would both be _:john",
        ),
    ],
)
def test_why_and_why_not(auction: Ontology, text: str, words: str) -> None:
    ops, _ = both(auction, text, Event.parse(OFFER))
    assert words in str(ops)
    console = Console(record=True, width=200, file=io.StringIO())
    console.print(ops)
    assert words in console.export_text()


def test_trees_are_grown_once_and_drawn(auction: Ontology) -> None:
    text = HEAD + "ASK { { _:H a:target [ a a:Book ] } UNION { _:H a:target [ a a:Computer ] } }"
    ops, _ = both(auction, text, Event.parse(OFFER, id="<offer>"))
    assert ops.trees is ops.trees
    assert [tree.matched for tree in ops.trees] == [False, True]
    root = ElementTree.fromstring(ops.draw())
    titles = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text") if text.get("class") == "title"]
    assert titles == ["event <offer> matches s, alternative 1", "event <offer> matches s, alternative 2"]


def test_an_unknown_id_is_a_key_error(auction: Ontology) -> None:
    with pytest.raises(KeyError, match="nobody"):
        OpsMatcher(auction).explain(Event.parse(OFFER), "nobody")


def test_explaining_leaves_the_matcher_as_it_is(auction: Ontology) -> None:
    matcher = OpsMatcher(auction)
    matcher.add(Subscription.parse(HEAD + "ASK { _:H a:target [ a a:Book ] }", id="s"))
    before = matcher.stats()
    matcher.explain(Event.parse(OFFER), "s")
    assert matcher.stats() == before


def test_what_is_never_true_has_an_explanation(auction: Ontology) -> None:
    ops, reference = both(auction, HEAD + "ASK { _:H a:target ?x FILTER(1 > 2) }", Event.parse(OFFER))
    assert not ops.matched
    assert not reference.matched
    assert ops.misses()
    assert ops.draw()


def test_a_hopeless_search_is_not_begun(auction: Ontology) -> None:
    """Thirty vertices asked of twenty-nine twins: the search for all mappings would not come to an end."""
    event = Event.parse("_:H <urn:p> " + ", ".join(f"<urn:t{n}>" for n in range(29)) + " .")
    matcher = OpsMatcher(auction)
    matcher.add("ASK { _:H <urn:p> " + ", ".join(f"?v{n}" for n in range(29)) + " }")
    asked = "ASK { _:H <urn:p> " + ", ".join(f"?v{n}" for n in range(30)) + " }"
    matcher.add(Subscription.parse(asked, id="s", injective=True))
    explanation = matcher.explain(event, "s")
    assert not explanation.matched
    assert len(explanation.misses()) == 1


def test_long_chains_are_explained(auction: Ontology) -> None:
    """Longer than the stack is deep."""
    length = 1200
    arcs = "".join(f"<urn:v{n}> <urn:p> <urn:v{n + 1}> .\n" for n in range(length))
    chain = "_:H <urn:p> ?v0 . " + " ".join(f"?v{n} <urn:p> ?v{n + 1} ." for n in range(length))
    matcher = OpsMatcher(auction)
    matcher.add(Subscription.parse(f"ASK {{ {chain} }}", id="there"))
    matcher.add(Subscription.parse(f"ASK {{ {chain} ?v{length} <urn:q> ?w }}", id="not"))
    event = Event.parse("_:H <urn:p> <urn:v0> .\n" + arcs)
    assert matcher.explain(event, "there").matched
    explanation = matcher.explain(event, "not")
    assert [miss.because for miss in explanation.misses()] == [f"no <urn:q> on <urn:v{length}> (it has no arcs)"]
    (tree,) = explanation.trees
    assert tree.matched is False
    assert "too deep" in json.dumps(tree.to_json())
    assert ElementTree.fromstring(tree.draw()) is not None


@many
@given(cases(), st.booleans())
def test_a_compiled_pattern_is_told_again(case: Case, injective: bool) -> None:
    """The index keeps what the subscription means: in normal form nothing is lost."""
    ontology = Ontology.load(RdfGraph().parse(data=case.world.text(), format="nt"))
    subscription = resolve(Subscription.parse(case.pattern.sparql(), injective=injective), ontology)
    (pattern,) = subscription.alternatives
    assert normal_form(to_pattern(compile_pattern(pattern, injective=injective))) == normal_form(pattern)


@many
@given(cases(), st.booleans())
def test_both_matchers_explain_alike(case: Case, injective: bool) -> None:
    ontology = Ontology.load(RdfGraph().parse(data=case.world.text(), format="nt"))
    subscription = Subscription.parse(case.pattern.sparql(), id="s", injective=injective)
    ops, reference = OpsMatcher(ontology), ReferenceMatcher(ontology)
    ops.add(subscription)
    reference.add(subscription)
    event = Event.parse(case.event.text(), format="nt")
    explanation = ops.explain(event, "s")
    assert explanation.matched is bool(ops.match_ids(event))
    assert explanation.to_json() == reference.explain(event, "s").to_json()
    assert explanation.trees[0].matched is explanation.matched
    assert json.dumps([tree.to_json() for tree in explanation.trees])


def test_conditions_are_taken_apart_and_turned() -> None:
    text = HEAD + "ASK { _:H a:x ?x ; a:b ?y FILTER(3 <= ?x && (?y = 1 || ?x = 2) && ?x < 5) }"
    (pattern,) = Subscription.parse(text).alternatives
    turned = normal_form(pattern)
    assert [arc.property.value[-1] for arc in turned.arcs] == ["b", "x"]  # type: ignore[union-attr]
    assert len(turned.filters) == 3
    assert normal_form(turned) == turned
