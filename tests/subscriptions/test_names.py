"""Bare names of statement patterns are looked up in the ontology."""

from __future__ import annotations

import pytest
import rdflib

from semantic_pubsub import Ontology, Subscription, SubscriptionError
from semantic_pubsub.subscriptions import resolve
from semantic_pubsub.subscriptions.algebra import HOME, Arc, ClassAsked, Constant, LocalName, Pattern, Variable
from semantic_pubsub.terms import NamedNode

WORLD = """
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix a: <http://example.org/a#> .
@prefix b: <http://example.org/b#> .
a:Computer a owl:Class . a:Book a owl:Class . b:Book a owl:Class .
a:target a owl:ObjectProperty . a:Offer a owl:Class . a:dollar a a:Unit . a:Unit a owl:Class .
a:shared a owl:Class . b:shared a owl:ObjectProperty .
"""


@pytest.fixture(scope="module")
def world() -> Ontology:
    return Ontology.load(rdflib.Graph().parse(data=WORLD, format="turtle"))


def a(name: str) -> NamedNode:
    return NamedNode(f"http://example.org/a#{name}")


def test_every_place_is_resolved(world: Ontology) -> None:
    given = Subscription.parse("(_:H, ?1, (Offer, target, Computer), ?1 != dollar) (?1, dollar, (*, target, *))")
    (pattern,) = resolve(given, world).alternatives
    assert pattern.arcs == (Arc(HOME, a("target"), Variable("1")), Arc(Variable("1"), a("target"), a("dollar")))
    assert pattern.classes == (ClassAsked(HOME, a("Offer")), ClassAsked(Variable("1"), a("Computer")))
    assert pattern.filters[0].expression.arguments[1] == Constant(a("dollar"))  # type: ignore[union-attr]


def test_the_kind_of_place_decides_between_equal_names(world: Ontology) -> None:
    (pattern,) = resolve(Subscription.parse("(_:H, ?1, (shared, shared, *))"), world).alternatives
    assert pattern.arcs[0].property == NamedNode("http://example.org/b#shared")
    assert pattern.classes[0].name == a("shared")


def test_nothing_to_look_up_gives_the_same_object(world: Ontology) -> None:
    sparql = Subscription.parse("ASK { _:H <http://example.org/a#target> ?x }")
    assert resolve(sparql, world) is sparql
    statements = Subscription.parse("(_:H, ?1, (*, <http://example.org/a#target>, *))")
    assert resolve(statements, world) is statements


def test_names_that_become_one_count_once(world: Ontology) -> None:
    text = "PREFIX a: <http://example.org/a#> (_:H, ?1, (*, target, *)) (_:H, ?1, (*, a:target, *))"
    (pattern,) = resolve(Subscription.parse(text), world).alternatives
    assert len(pattern.arcs) == 1


def test_algebra_made_by_hand_is_resolved_too(world: Ontology) -> None:
    pattern = Pattern((Arc(HOME, LocalName("target"), Variable("x")),))
    (resolved,) = resolve(Subscription("s", (pattern,)), world).alternatives
    assert resolved.arcs[0].property == a("target")
    with pytest.raises(SubscriptionError, match="unknown property 'targett'"):
        resolve(Subscription("s", (Pattern((Arc(HOME, LocalName("targett"), Variable("x")),)),)), world)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("(_:H, ?1, (Offer, target, Computr))", "unknown class 'Computr' .*did you mean Computer", 27),
        ("(_:H, ?1, (Offer, targets, Computer))", "unknown property 'targets' .*did you mean target", 19),
        ("(_:H, ?1, (Offer, Computer, *))", "unknown property 'Computer'", 19),
        ("(_:H, ?1, (Offer, target, Book))", "ambiguous class 'Book': .*a#Book, .*b#Book", 27),
        ("(_:H, euro, (Offer, target, *))", "unknown name 'euro'", 21),
        ("(_:H, ?1, (Offer, target, *), ?1 = dolar)", "unknown name 'dolar' .*did you mean dollar", 31),
    ],
)
def test_unknown_and_ambiguous_names(world: Ontology, text: str, message: str, column: int) -> None:
    with pytest.raises(SubscriptionError, match=message) as caught:
        resolve(Subscription.parse(text, source="mine.ops"), world)
    error = caught.value
    assert (error.source, error.line, error.column) == ("mine.ops", 1, column)
