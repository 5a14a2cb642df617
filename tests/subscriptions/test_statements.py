"""Statement patterns: `(subject, object, (Class, property, Class), condition)`."""

from __future__ import annotations

import pytest

from semantic_pubsub import Subscription, SubscriptionError
from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Arc,
    Blank,
    Call,
    ClassAsked,
    Constant,
    Filter,
    LocalName,
    Pattern,
    Reference,
    Variable,
)
from semantic_pubsub.terms import Literal, NamedNode

XSD = "http://www.w3.org/2001/XMLSchema#"
EX = "PREFIX ex: <http://example.org/>\n"


def pattern_of(text: str) -> Pattern:
    (pattern,) = Subscription.parse(text).alternatives
    return pattern


def test_the_example_of_the_paper() -> None:
    text = "(_:H, ?1, (Selling, target, Computer))\n(_:H, ?2, (Selling, price, MoneyValue))\n"
    text += "(?2, ?3, (MoneyValue, rdf:value, xsd:decimal), ?3 < 400.00)"
    value = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#value")
    limit = Constant(Literal("400.00", datatype=NamedNode(XSD + "decimal")))
    assert pattern_of(text) == Pattern(
        (
            Arc(HOME, LocalName("target"), Variable("1")),
            Arc(HOME, LocalName("price"), Variable("2")),
            Arc(Variable("2"), value, Variable("3")),
        ),
        (
            ClassAsked(HOME, LocalName("Selling")),
            ClassAsked(Variable("1"), LocalName("Computer")),
            ClassAsked(Variable("2"), LocalName("MoneyValue")),
            ClassAsked(Variable("3"), NamedNode(XSD + "decimal")),
        ),
        (Filter(Call("<", (Reference("3"), limit))),),
    )


def test_it_is_injective_unless_asked_otherwise() -> None:
    assert Subscription.parse("(_:H, ?1, (*, target, *))").injective
    assert not Subscription.parse("(_:H, ?1, (*, target, *))", injective=False).injective
    assert not Subscription.parse("ASK { _:H <urn:p> ?x }").injective
    assert Subscription.parse("ASK { _:H <urn:p> ?x }", injective=True).injective


def test_a_star_asks_for_nothing() -> None:
    assert pattern_of("(_:H, ?1, (*, target, *))").classes == ()


def test_vertices_may_be_constants_and_blank() -> None:
    pattern = pattern_of(
        EX + '(_:H, ex:i, (*, p, *)) (_:H, "x"@en, (*, p, *)) (_:H, _:b, (*, p, *)) (_:H, dollar, (*, u, *))'
    )
    assert [arc.object for arc in pattern.arcs] == [
        NamedNode("http://example.org/i"),
        Literal("x", language="en"),
        Blank("b"),
        LocalName("dollar"),
    ]


def test_rdf_type_asks_for_a_class() -> None:
    pattern = pattern_of("(_:H, ?1, (*, target, *)) (?1, Computer, (owl:Thing, rdf:type, *))")
    assert len(pattern.arcs) == 1
    assert ClassAsked(Variable("1"), LocalName("Computer")) in pattern.classes


def test_what_is_said_twice_counts_once() -> None:
    once = "(_:H, ?1, (Selling, target, Computer), ?1 = ?1)"
    assert pattern_of(once + once) == pattern_of(once)


def test_names_in_conditions_are_looked_up_too() -> None:
    (condition,) = pattern_of("(_:H, ?1, (*, currency, *), ?1 = dollar)").filters
    assert condition.expression == Call("=", (Reference("1"), Constant(LocalName("dollar"))))


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("(_:H, ?1, (A, p, B)), (_:H, ?2, (A, p, B))", "not separated by a sign", 21),
        ("(_:H, ?1, (A, p, B)", "the text ends where ',' and a condition", 20),
        ("(_:H, ?1)", "found '\\)' where ',' is expected", 9),
        ("(_:H, ?1, (A, ?p, B))", r"a variable property \(\?p\) is not supported", 15),
        ("(_:H, ?1, (A, p, ?c))", "where a class", 18),
        ("('x', ?1, (A, p, B))", "a literal cannot be the subject", 2),
        ("(_:H, ?1, (A, rdf:type, *))", "rdf:type needs a class as its object", 7),
        ("(_:H, Computer, (*, rdf:type, Product))", "the class of a class", 31),
        ("(_:H, ?1, (A, p, B), ?1 < )", "where a value is expected", 27),
        ("(_:H, ?1, (A, p, B), EXISTS)", "EXISTS is not supported", 22),
        ("(?1, ?2, (A, p, B))", r"the vertex \?1 is not reached from _:H", 14),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, message: str, column: int) -> None:
    with pytest.raises(SubscriptionError, match=message) as caught:
        Subscription.parse(text)
    assert (caught.value.line, caught.value.column) == (1, column)


def test_no_statement_at_all() -> None:
    with pytest.raises(SubscriptionError, match="no statement pattern found"):
        Subscription.parse("PREFIX ex: <urn:e:>", syntax="statements")
