"""Words and owl:sameAs: one name for one thing, and nothing else is changed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Literal as RdfLiteral
from rdflib import URIRef

from semantic_pubsub import FlatEvent, Normalizer, between, equals, exists, isa, one_of
from semantic_pubsub.errors import OntologyError
from semantic_pubsub.matching.flat.synonyms import SameAs
from tests.matching.flat.measured import auction, event_of, flat_match, graph_match, ontology_of, sparql, statements

AUCTION = auction()
WORDS = Normalizer(AUCTION, units=False)
FIRMS = ontology_of("""
ex:maker a owl:ObjectProperty ; rdfs:label "maker" . ex:sold a owl:ObjectProperty .
ex:Firm a owl:Class . ex:acme a ex:Firm ; rdfs:label "ACME Ltd" . ex:zeta a ex:Firm ; rdfs:label "Zeta" .
ex:acme owl:sameAs <http://a.example/acme> . <http://z.example/acme> owl:sameAs ex:acme .
ex:Car a owl:Class ; rdfs:label "car" , "Auto"@de ; owl:sameAs <http://a.example/Car> ; rdfs:subClassOf ex:Vehicle .
ex:Alpha owl:equivalentClass ex:Tram . ex:Tram rdfs:label "tram" , "Tram"@de ; rdfs:subClassOf ex:Vehicle .
ex:Bench a owl:Class ; rdfs:label "bank"@nl . ex:Bank a owl:Class ; rdfs:label "bank"@de .
""")
SAME = Normalizer(FIRMS, units=False)


def matches(normalizer: Normalizer | None, asked: dict[str, object], values: dict[str, object]) -> bool:
    ontology = AUCTION if normalizer is None else normalizer.ontology
    return flat_match(normalizer, ontology, asked, values)


# words


@pytest.mark.parametrize("word", ["台式机", "desktop computer", "Desktop  PC", "DesktopPC", "DESKTOP COMPUTER"])
def test_the_papers_desktop(word: str) -> None:
    assert matches(WORDS, {"target": isa("Computer")}, {"target": word})
    assert matches(WORDS, {"target": isa(word)}, {"target": "DesktopPC"})
    assert matches(WORDS, {"target": equals(word)}, {"target": "台式机"})
    assert matches(WORDS, {"target": one_of("EBook", word)}, {"target": "DesktopPC"})
    assert not matches(WORDS, {"target": isa("NotebookPC")}, {"target": word})
    assert not matches(WORDS, {"target": equals("笔记本电脑")}, {"target": word})


def test_it_is_off_by_default() -> None:
    assert not matches(None, {"target": isa("Computer")}, {"target": "台式机"})
    assert not matches(Normalizer(AUCTION, synonyms=False), {"target": isa("Computer")}, {"target": "台式机"})


@pytest.mark.parametrize(
    "key", ["价格.value", "price.value", ("价格", "value"), "Price.<http://www.w3.org/1999/02/22-rdf-syntax-ns#value>"]
)
def test_words_for_attributes(key: object) -> None:
    assert matches(WORDS, {"price.value": between(0, 400)}, {key: 350})  # type: ignore[dict-item]
    assert matches(WORDS, {key: between(0, 400)}, {"startingPrice.value": 350})  # type: ignore[dict-item]
    assert not matches(WORDS, {key: between(0, 300)}, {"price.value": 350})  # type: ignore[dict-item]


def test_a_word_means_a_property_in_attributes_and_a_class_in_values() -> None:
    """`capacity` and `hard disk` are words for both."""
    assert matches(WORDS, {"target.hardDisk.size": exists()}, {"target.hard disk.capacity": 5})
    assert matches(WORDS, {"target.part": isa("ComputerPart")}, {"target.part": "hard disk"})


def test_the_text_stays_a_text() -> None:
    assert matches(WORDS, {"target.title": equals("laptop")}, {"target.title": "laptop"})
    assert not matches(WORDS, {"target.title": equals("laptop")}, {"target.title": RdfLiteral("laptop", lang="en")})


def test_literals_are_no_words() -> None:
    assert not matches(WORDS, {"target": isa("Computer")}, {"target": RdfLiteral("台式机")})
    assert not matches(WORDS, {"target": equals(RdfLiteral("台式机"))}, {"target": "DesktopPC"})
    said = event_of('_:H a :Selling ; :target "台式机" .')
    assert WORDS.event(said) is said
    assert not graph_match(WORDS, statements("(_:H, ?1, (Selling, target, Computer))"), said)


def test_a_word_with_several_meanings_is_noticed_and_stays() -> None:
    normalizer = Normalizer(FIRMS, units=False)
    assert not matches(normalizer, {"sold": isa("Bank")}, {"sold": "bank"})
    assert matches(normalizer, {"sold": equals("bank")}, {"sold": "bank"})
    assert {notice.message for notice in normalizer.notices} == {
        "'bank' has several meanings and stays a text: <http://example.org/Bank>, <http://example.org/Bench>"
    }


def test_own_words_come_first() -> None:
    own = Normalizer(FIRMS, synonyms={"Bank": "Bank", "Hersteller": "maker", "the firm": "ex:acme"}, units=False)
    assert matches(own, {"sold": isa("Bank")}, {"sold": "bank"})
    assert matches(own, {"maker": equals("ACME Ltd")}, {"Hersteller": "The  Firm"})
    with pytest.raises(OntologyError, match="unknown"):
        Normalizer(FIRMS, synonyms={"x": "Nowhere"}, units=False)


def test_equivalent_classes_are_one_meaning_but_not_one_resource() -> None:
    assert matches(SAME, {"sold": isa("Alpha")}, {"sold": "tram"})
    assert matches(SAME, {"sold": equals("Tram")}, {"sold": "tram"})
    assert matches(SAME, {"sold": equals("tram")}, {"sold": "Tram"})
    assert not matches(SAME, {"sold": equals(URIRef("http://example.org/Alpha"))}, {"sold": "tram"})


def test_unknown_attributes_and_long_texts_are_left_alone() -> None:
    values = FlatEvent({"nothing.known": 5, "..": 1, "target": "laptop " * 100_000, ("target", 7): 2})
    assert set(WORDS.event(values).items) == set(values.items)


# owl:sameAs

ACMES = ["http://example.org/acme", "http://a.example/acme", "http://z.example/acme"]


@pytest.mark.parametrize("one", ACMES)
@pytest.mark.parametrize("other", ACMES)
def test_resources_that_are_the_same(one: str, other: str) -> None:
    assert matches(SAME, {"maker": equals(URIRef(one))}, {"maker": URIRef(other)})
    assert matches(SAME, {"maker": equals("acme ltd")}, {"maker": URIRef(other)})
    assert matches(SAME, {"maker": equals("acme")}, {"maker": other})
    said = event_of(f"_:H ex:maker <{other}> .")
    assert graph_match(SAME, sparql(f"_:H ex:maker <{one}>"), said)
    assert graph_match(SAME, sparql(f"_:H ex:maker ?m FILTER(?m = <{one}>)"), said)
    assert graph_match(SAME, sparql(f"_:H ex:maker ?m FILTER(?m IN (ex:other, <{one}>))"), said)
    assert not graph_match(SAME, sparql(f"_:H ex:maker ?m FILTER(?m != <{one}>)"), said)


def test_a_class_that_is_the_same_as_something_is_still_a_class() -> None:
    car = URIRef("http://example.org/Car")
    for value in (car, "Car", "car", "auto"):
        assert matches(SAME, {"sold": isa("Vehicle")}, {"sold": value})
        assert matches(SAME, {"sold": equals(URIRef("http://a.example/Car"))}, {"sold": value})
    assert matches(SAME, {"sold": equals("Auto")}, {"sold": URIRef("http://a.example/Car")})
    assert graph_match(SAME, sparql("_:H ex:sold [ a ex:Vehicle ]"), event_of("_:H ex:sold [ a ex:Car ] ."))


def test_two_names_are_one_vertex() -> None:
    two = statements("(_:H, ?1, (*, ex:maker, *)) (_:H, ?2, (*, ex:sold, *))")
    said = event_of("_:H ex:maker ex:acme ; ex:sold <http://a.example/acme> .")
    assert not graph_match(SAME, two, said)  # different vertices match different resources
    assert graph_match(SAME, statements(str(two), injective=False), said)
    assert graph_match(SAME, two, event_of("_:H ex:maker ex:acme ; ex:sold ex:zeta ."))


def test_home_takes_part() -> None:
    said = event_of("<http://z.example/acme> ex:sold ex:zeta . ex:zeta ex:maker ex:acme .")
    rewritten = SAME.event(said)
    assert str(rewritten.home) == "<http://a.example/acme>"
    assert (rewritten.id, rewritten.source) == (said.id, said.source)
    assert graph_match(SAME, sparql("_:H ex:sold/ex:maker _:H"), said)


def test_nothing_is_the_same_in_most_events() -> None:
    said = event_of("_:H ex:maker ex:zeta .")
    assert SAME.event(said) is said


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=20))
@settings(max_examples=50, deadline=None)
def test_sets_are_the_connected_ones(pairs: list[tuple[int, int]]) -> None:
    names = [f"n{number:02}" for number in range(13)]
    same = SameAs((names[one], names[other]) for one, other in pairs)
    reach = {name: {name} for name in names}
    for _ in names:
        for one, other in pairs:
            joined = reach[names[one]] | reach[names[other]]
            reach[names[one]] = reach[names[other]] = joined
    whole = {name: set().union(*(reach[n] for n in names if name in reach[n])) for name in names}
    for name in names:
        assert set(same.members(name)) == whole[name]
        assert same.root(name) == min(whole[name])


def test_a_long_chain_is_no_trouble() -> None:
    chain = SameAs((f"n{number:06}", f"n{number + 1:06}") for number in range(100_000))
    assert chain.root("n100000") == "n000000"
    assert len(chain.members("n050000")) == 100_001
