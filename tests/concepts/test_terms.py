"""The border to rdflib: every term goes over and comes back as it was written."""

from __future__ import annotations

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode

from semantic_pubsub.terms import Term, from_rdflib, to_rdflib

XSD = "http://www.w3.org/2001/XMLSchema#"
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
literals = st.one_of(
    text.map(Literal),
    st.builds(lambda value: Literal(value, language="en"), text),
    st.builds(
        lambda value, name: Literal(value, datatype=NamedNode(XSD + name)), text, st.sampled_from(["int", "date"])
    ),
)


@given(st.one_of(literals, st.just(NamedNode("http://x/y")), st.just(BlankNode("b"))))
def test_terms_come_back_as_they_were(term: Term) -> None:
    assert from_rdflib(to_rdflib(term)) == term


@pytest.mark.parametrize(
    ("term", "other"),
    [
        (
            Literal("007", datatype=NamedNode(XSD + "integer")),
            rdflib.Literal("007", datatype=rdflib.XSD.integer, normalize=False),
        ),
        (Literal("x"), rdflib.Literal("x")),
        (Literal("x", language="de"), rdflib.Literal("x", lang="de")),
        (NamedNode("http://x/"), rdflib.URIRef("http://x/")),
        (BlankNode("b"), rdflib.BNode("b")),
    ],
)
def test_both_ways(term: Term, other: rdflib.term.Identifier) -> None:
    assert to_rdflib(term) == other
    assert str(to_rdflib(term)) == str(other)
    assert from_rdflib(other) == term


@pytest.mark.parametrize("wrong", [None, 7, "http://x/y", rdflib.Variable("x")])
def test_what_is_no_term(wrong: object) -> None:
    with pytest.raises(TypeError, match="is not an IRI, blank node or literal"):
        from_rdflib(wrong)


def test_an_iri_with_a_space_is_refused() -> None:
    with pytest.raises(ValueError, match="IRI"):
        from_rdflib(rdflib.URIRef("http://x/a b"))
