"""From text to an event: every syntax, every name of a syntax, and terms as they were written."""

from __future__ import annotations

import pytest
from pyoxigraph import RdfFormat

from semantic_pubsub import Event, EventError
from semantic_pubsub.events.formats import format_named
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Triple
from tests.events.samples import EX, RDF_TYPE, TEXTS, XSD

TRIPLES = {
    Triple(BlankNode("H"), NamedNode(RDF_TYPE), NamedNode(EX + "Offer")),
    Triple(BlankNode("H"), NamedNode(EX + "target"), BlankNode("t")),
    Triple(BlankNode("t"), NamedNode(EX + "code"), Literal("007", datatype=NamedNode(XSD + "integer"))),
    Triple(BlankNode("t"), NamedNode(EX + "name"), Literal("Stuhl", language="de-at")),
}


@pytest.mark.parametrize("syntax", TEXTS)
def test_every_syntax_gives_the_same_event(syntax: str) -> None:
    event = Event.parse(TEXTS[syntax], syntax)
    assert set(event.triples) == TRIPLES
    assert event.home == BlankNode("H")
    assert event.warnings == ()
    assert event.source is None


@pytest.mark.parametrize("syntax", TEXTS)
def test_bytes_and_a_byte_order_mark_will_do(syntax: str) -> None:
    data = TEXTS[syntax].encode()
    assert (
        Event.parse(data, syntax) == Event.parse(b"\xef\xbb\xbf" + data, syntax) == Event.parse(TEXTS[syntax], syntax)
    )


def test_turtle_where_no_format_is_said() -> None:
    assert Event.parse(TEXTS["turtle"]) == Event.parse(TEXTS["turtle"], "turtle")


@pytest.mark.parametrize("syntax", ["trig", "nquads"])
def test_the_graph_gives_the_id(syntax: str) -> None:
    assert Event.parse(TEXTS[syntax], syntax).id == EX + "e1"
    assert Event.parse(TEXTS[syntax], syntax, id="mine").id == "mine"


@pytest.mark.parametrize("syntax", ["turtle", "nt", "xml", "json-ld", "n3"])
def test_without_a_graph_there_is_no_id(syntax: str) -> None:
    assert Event.parse(TEXTS[syntax], syntax).id is None


FORMATS = {
    RdfFormat.TURTLE: ["turtle", "ttl", "longturtle", "text/turtle", "application/x-turtle", "Turtle", None],
    RdfFormat.N_TRIPLES: ["nt", "nt11", "ntriples", "n-triples", "application/n-triples"],
    RdfFormat.RDF_XML: ["xml", "pretty-xml", "rdf", "application/rdf+xml", "application/xml"],
    RdfFormat.JSON_LD: ["json-ld", "jsonld", "json", "application/ld+json", "application/json"],
    RdfFormat.TRIG: ["trig", "application/trig"],
    RdfFormat.N_QUADS: ["nquads", "n-quads", "nq", "application/n-quads"],
    RdfFormat.N3: ["n3", "text/n3"],
}


@pytest.mark.parametrize(("syntax", "name"), [(syntax, name) for syntax, names in FORMATS.items() for name in names])
def test_names_of_formats(syntax: RdfFormat, name: str | None) -> None:
    assert format_named(name) == syntax


def test_a_media_type_may_have_parameters() -> None:
    assert format_named("text/turtle; charset=utf-8") == RdfFormat.TURTLE


def test_an_unknown_format_names_the_nearest() -> None:
    with pytest.raises(EventError, match=r"unknown format 'turtel' \(did you mean turtle\?\)"):
        Event.parse("", "turtel")
    with pytest.raises(EventError, match=r"unknown format 'docx' \(known are turtle, nt, xml"):
        Event.parse("", "docx")


@pytest.mark.parametrize("written", ["007", "+1", "1.50", "-0.0", "1e3", "true"])
def test_numbers_stay_as_they_were_written(written: str) -> None:
    (triple,) = Event.parse(f"_:H <http://example.org/p> {written} .").triples
    assert triple.object.value == written
    ((_, _, value),) = Event.parse(f"_:H <http://example.org/p> {written} .").graph
    assert str(value) == written


def test_an_ill_typed_literal_is_kept_and_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    event = Event.parse(f'_:H <{EX}p> "abc"^^<{XSD}integer> .')
    ((_, _, value),) = event.graph
    assert str(value) == "abc"
    assert str(value.datatype) == XSD + "integer"
    assert not caplog.records


def test_each_triple_counts_once_in_the_order_of_the_text() -> None:
    event = Event.parse(f"_:H <{EX}b> 1 . _:H <{EX}a> 2 . _:H <{EX}b> 1 .")
    assert [triple.predicate.value for triple in event.triples] == [EX + "b", EX + "a"]
    assert len(event) == 2


def test_relative_iris_resolve_against_the_base() -> None:
    (triple,) = Event.parse("_:H <p> <o> .", base="http://example.org/x/").triples
    assert triple.object == NamedNode("http://example.org/x/o")
    (triple,) = Event.parse("_:H <p> <o> .").triples
    assert triple.object.value.startswith("http://event.invalid/")


def test_several_graphs_are_several_events() -> None:
    text = "<http://example.org/1> { _:H <u:p> 1 } <http://example.org/2> { _:H <u:p> 1 }"
    with pytest.raises(EventError, match=r"holds 2 graphs, one event each \(read it with events_from\)"):
        Event.parse(text, "trig")
    json = '[{"@id":"u:1","@graph":{"u:p":1}},{"@id":"u:2","@graph":{"u:p":1}}]'
    with pytest.raises(EventError, match=r"holds 2 graphs, one event each \(write one document a line \(\.jsonl\)\)"):
        Event.parse(json, "json-ld")


def test_triples_beside_a_named_graph_are_refused() -> None:
    text = "<http://example.org/1> { _:H a <http://example.org/A> } _:x a <http://example.org/A> ."
    with pytest.raises(EventError, match="has triples outside its named graphs"):
        Event.parse(text, "trig")


def test_triples_without_a_graph_are_an_event_in_a_dataset_syntax() -> None:
    event = Event.parse(f"_:H <{EX}p> 1 .", "trig")
    assert (len(event), event.id) == (1, None)


@pytest.mark.parametrize("text", ["{ _:H :p 1 } => { _:H :q 1 } .", "_:H :p ?x .", "_:H :p { :a :b :c } ."])
def test_formulas_and_variables_of_n3_are_refused(text: str) -> None:
    with pytest.raises(EventError, match="N3 formulas and variables are not supported in events"):
        Event.parse("@prefix : <http://example.org/> . " + text, "n3")
