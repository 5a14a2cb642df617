"""What people write for a concept: IRIs, prefixed names, local names, terms; and what is said when it is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from semantic_pubsub import Ontology, OntologyError
from semantic_pubsub.concepts.names import local_name

A = "http://example.org/auction#"
Turtle = Callable[..., Ontology]


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


@pytest.mark.parametrize(
    "name",
    [
        A + "DesktopPC",
        f"<{A}DesktopPC>",
        "auction:DesktopPC",
        "DesktopPC",
        rdflib.URIRef(A + "DesktopPC"),
        NamedNode(A + "DesktopPC"),
    ],
    ids=["iri", "brackets", "prefixed", "local", "rdflib", "pyoxigraph"],
)
def test_every_way_to_name_a_class(auction: Ontology, name: str) -> None:
    assert auction.expand(name) == A + "DesktopPC"
    assert auction.is_a(name, "Computer")
    assert not auction.is_a("Computer", name)


@pytest.mark.parametrize("name", ["xsd:decimal", "rdf:type", "owl:Thing", "rdfs:Literal"])
def test_four_prefixes_are_always_known(turtle: Turtle, name: str) -> None:
    assert turtle(":A a owl:Class .").expand(name).endswith(name.split(":")[1])
    assert Ontology.load().expand(name).startswith("http://www.w3.org/")


@pytest.mark.parametrize(
    "iri", ["http://other.org/x", "urn:isbn:123", "urn:uuid:1", "mailto:a@b", "tag:x,2020:y", "https://x/#"]
)
def test_an_absolute_iri_is_taken_as_it_is(auction: Ontology, iri: str) -> None:
    assert auction.expand(iri) == iri
    assert not auction.knows(iri)


def test_the_empty_prefix(turtle: Turtle) -> None:
    assert turtle(":A a owl:Class .").expand(":A") == "http://example.org/A"


def test_a_declared_prefix_wins_over_a_scheme(turtle: Turtle) -> None:
    ontology = turtle("@prefix geo: <http://example.org/geo#> . geo:Point a owl:Class .")
    assert ontology.expand("geo:Point") == "http://example.org/geo#Point"


def test_an_ambiguous_local_name_lists_the_candidates(turtle: Turtle) -> None:
    ontology = turtle("<http://one/A> a owl:Class . <http://two/A> a owl:Class . <http://two/B> a owl:Class .")
    with pytest.raises(OntologyError, match=r"ambiguous name 'A': http://one/A, http://two/A") as caught:
        ontology.expand("A")
    assert caught.value.candidates == ("http://one/A", "http://two/A")
    assert "write the IRI" in str(caught.value)


def test_names_of_one_concept_are_not_ambiguous(turtle: Turtle) -> None:
    ontology = turtle("<http://one/A> owl:equivalentClass <http://two/A> .")
    assert ontology.expand("A") == "http://one/A"


def test_the_kind_narrows_where_a_name_is_looked_up(turtle: Turtle) -> None:
    ontology = turtle("<http://one/size> a owl:Class . <http://two/size> a rdf:Property . <http://i/size> a :X .")
    assert ontology.expand("size", "class") == "http://one/size"
    assert ontology.expand("size", "property") == "http://two/size"
    assert ontology.expand("size", "individual") == "http://i/size"
    with pytest.raises(OntologyError, match="ambiguous"):
        ontology.expand("size")
    with pytest.raises(ValueError, match="kind must be one of class, property, individual"):
        ontology.expand("size", "thing")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("DesktopPc", "DesktopPC"),
        ("Computr", "Computer"),
        ("laptop", "NotebookPC"),
        ("台式机", "DesktopPC"),
        ("cellphoneNumber", "cellPhoneNumber"),
    ],
)
def test_an_unknown_local_name_says_what_was_perhaps_meant(auction: Ontology, name: str, meant: str) -> None:
    with pytest.raises(OntologyError, match=f"unknown name '{name}'.*did you mean .*{meant}") as caught:
        auction.expand(name)
    assert A + meant in caught.value.candidates
    assert "\n" not in str(caught.value)


def test_a_name_like_nothing_else(auction: Ontology) -> None:
    with pytest.raises(OntologyError, match=r"^unknown class 'Xyzzyxyzzy'$"):
        auction.expand("Xyzzyxyzzy", "class")


def test_an_unknown_prefix(auction: Ontology) -> None:
    with pytest.raises(OntologyError, match=r"unknown prefix auctoin: in 'auctoin:Book' \(did you mean auction\?\)"):
        auction.expand("auctoin:Book")
    with pytest.raises(OntologyError, match=r"unknown prefix qqq: .*known are auction, owl"):
        auction.expand("qqq:Book")


@pytest.mark.parametrize("name", ["a b:c d", "auction :Book"])
def test_neither_an_iri_nor_a_name(auction: Ontology, name: str) -> None:
    with pytest.raises(OntologyError, match="neither an IRI nor a name"):
        auction.expand(name)


@pytest.mark.parametrize("name", [rdflib.BNode("x"), rdflib.Literal("Computer"), 7, None])
def test_what_is_no_name_at_all(auction: Ontology, name: object) -> None:
    with pytest.raises(OntologyError, match="is not a name"):
        auction.expand(name)  # type: ignore[arg-type]


def test_an_unknown_iri_in_a_question_about_the_order(auction: Ontology) -> None:
    with pytest.raises(
        OntologyError, match=r"unknown class or property <http://x/Book>.*<http://example.org/auction#B"
    ):
        auction.is_a("http://x/Book", "Product")
    with pytest.raises(OntologyError, match="unknown class or property <http://x/qqqq>"):
        auction.ancestors("http://x/qqqq")


@pytest.mark.parametrize(
    ("iri", "local"),
    [
        ("http://x/a#b", "b"),
        ("http://x/a/b", "b"),
        ("http://x/a/b/", "b"),
        ("urn:isbn:12", "12"),
        ("http://x/a#b/c", "c"),
        ("http://x/y:z", "y:z"),
    ],
)
def test_local_names(iri: str, local: str) -> None:
    assert local_name(iri) == local


EMPTY = Ontology.load()


@given(st.text())
def test_a_text_without_a_colon_is_one_clear_line(text: str) -> None:
    with pytest.raises(OntologyError) as caught:
        EMPTY.expand(text.replace(":", "").replace("<", ""))
    assert len(str(caught.value).splitlines()) == 1
