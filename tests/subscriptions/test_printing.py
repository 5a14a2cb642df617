"""Text to algebra to text: printing gives what parses back to the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub import Subscription
from semantic_pubsub.subscriptions import expression_text
from semantic_pubsub.subscriptions.algebra import Call, Constant, Expression, Filter, Pattern, Reference
from semantic_pubsub.subscriptions.printing import sparql_text, statements_text
from semantic_pubsub.terms import Literal, NamedNode
from tests.subscriptions.texts import queries, statements, text_of

XSD = "http://www.w3.org/2001/XMLSchema#"
DECIMAL, DOUBLE = NamedNode(XSD + "decimal"), NamedNode(XSD + "double")


@settings(max_examples=200, deadline=None)
@given(queries())
def test_sparql_round_trip(tokens: list[str]) -> None:
    subscription = Subscription.parse(text_of(tokens), id="s")
    printed = str(subscription)
    assert Subscription.parse(printed, id="s") == subscription
    assert str(Subscription.parse(printed)) == printed


@settings(max_examples=200, deadline=None)
@given(statements())
def test_statements_round_trip(tokens: list[str]) -> None:
    subscription = Subscription.parse(text_of(tokens), id="s")
    assert subscription.syntax == "statements"
    printed = str(subscription)
    assert Subscription.parse(printed, id="s") == subscription
    assert str(Subscription.parse(printed)) == printed


@settings(max_examples=100, deadline=None)
@given(statements())
def test_a_pattern_can_change_its_syntax(tokens: list[str]) -> None:
    """One model: statement patterns print as SPARQL, too, but for bare names and for classes of literals."""
    text = text_of(tokens).replace("bareProperty", "ex:p").replace("Bare", "ex:C").replace("xsd:decimal", "*")
    (pattern,) = Subscription.parse(text).alternatives
    pattern = replace(pattern, classes=tuple(c for c in pattern.classes if not isinstance(c.vertex, Literal)))
    (again,) = Subscription.parse(sparql_text((pattern,), None)).alternatives
    assert set(again.arcs) == set(pattern.arcs)
    assert set(again.classes) == set(pattern.classes)
    assert again.filters == pattern.filters


def expressions_made() -> st.SearchStrategy[Expression]:
    texts = st.text(max_size=6).filter(lambda text: "\x00" not in text).filter(_has_no_surrogate)
    literals = st.one_of(
        texts.map(Literal),
        texts.map(lambda text: Literal(text, language="en")),
        texts.map(lambda text: Literal(text, datatype=NamedNode("http://example.org/t"))),
        st.integers().map(lambda number: Literal(str(number), datatype=NamedNode(XSD + "integer"))),
        st.sampled_from([".5", "-1.0", "+2.50"]).map(lambda text: Literal(text, datatype=NamedNode(XSD + "decimal"))),
        st.sampled_from(["1e0", "NaN", "-INF", "1."]).map(
            lambda text: Literal(text, datatype=NamedNode(XSD + "double"))
        ),
    )
    leaves = st.one_of(
        literals.map(Constant),
        st.sampled_from(["a", "b_1", "1"]).map(Reference),
        st.sampled_from(["http://example.org/i", "urn:x:y", XSD + "date"]).map(lambda iri: Constant(NamedNode(iri))),
    )

    def calls(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        binary = st.sampled_from(["=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/"])
        return st.one_of(
            st.builds(lambda sign, a, b: Call(sign, (a, b)), binary, inner, inner),
            st.builds(Call, st.sampled_from(["&&", "||"]), st.lists(inner, min_size=2, max_size=4).map(tuple)),
            st.builds(Call, st.sampled_from(["in", "not in"]), st.lists(inner, min_size=1, max_size=3).map(tuple)),
            st.builds(lambda sign, a: Call(sign, (a,)), st.sampled_from(["!", "neg", "pos", "STR", "ISIRI"]), inner),
            st.builds(lambda a: Call(XSD + "integer", (a,)), inner),
            st.builds(lambda a, b, c: Call("IF", (a, b, c)), inner, inner, inner),
        )

    return st.recursive(leaves, calls, max_leaves=8)


def _has_no_surrogate(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


@settings(max_examples=400, deadline=None)
@given(expressions_made())
def test_every_expression_round_trips(expression: Expression) -> None:
    (pattern,) = Subscription.parse("ASK { _:H a <urn:c> }").alternatives
    pattern = replace(pattern, filters=(Filter(expression),))
    (sparql,) = Subscription.parse(sparql_text((pattern,), ())).alternatives
    assert sparql == pattern
    (statement,) = Subscription.parse(statements_text(pattern)).alternatives
    assert statement == pattern


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("?a - (?b - ?c)", "?a - (?b - ?c)"),
        ("(?a - ?b) - ?c", "?a - ?b - ?c"),
        ("(?a * ?b) + ?c", "?a * ?b + ?c"),
        ("?a * (?b + ?c)", "?a * (?b + ?c)"),
        ("!(?a = ?b)", "!(?a = ?b)"),
        ("!BOUND(?a)", "!BOUND(?a)"),
        ("-(1)", "-(1)"),
        ("?a && (?b && ?c)", "?a && (?b && ?c)"),
        ("(?a < 1) = (?b < 2)", "(?a < 1) = (?b < 2)"),
        ("isuri(?a)", "isURI(?a)"),
        ("?a not in (1, 2)", "?a NOT IN (1, 2)"),
        ("?a<?b&&?c>?d", "?a < ?b && ?c > ?d"),
        ("xsd:date(?a)", "xsd:date(?a)"),
    ],
)
def test_expressions_are_printed_with_the_parentheses_they_need(written: str, printed: str) -> None:
    (pattern,) = Subscription.parse(f"ASK {{ _:H a <urn:c> FILTER ({written}) }}").alternatives
    assert expression_text(pattern.filters[0].expression) == printed


def test_prefixes_of_the_text_are_used_again() -> None:
    text = "PREFIX ex: <http://example.org/>\nSELECT ?x WHERE {\n  _:H ex:p ?x .\n}\n"
    assert str(Subscription.parse(text)) == text


def test_a_pattern_made_by_hand_prints() -> None:
    (pattern,) = Subscription.parse("ASK { _:H <http://example.org/p> 5 }").alternatives
    assert str(Subscription("s", (pattern,), projection=())) == "ASK {\n  _:H <http://example.org/p> 5 .\n}\n"
    assert Pattern(pattern.arcs) == pattern
