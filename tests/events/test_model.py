"""The event as a value: made from rdflib, compared, frozen, pickled, printed."""

from __future__ import annotations

import copy
import pickle

import pytest
import rdflib

from semantic_pubsub import Event, EventError
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Triple

EX = rdflib.Namespace("http://example.org/")
TEXT = """@prefix : <http://example.org/> . @prefix unused: <http://unused.example/> .
_:H a :Offer ; :price 1.50 ; :name "Stuhl"@de , "chair" ; :target :t . :t :size 007 ; :next [ :last true ] ."""


def from_rdflib(*triples: tuple[rdflib.term.Node, rdflib.term.Node, rdflib.term.Node]) -> rdflib.Graph:
    graph = rdflib.Graph()
    for triple in triples:
        graph.add(triple)  # type: ignore[arg-type]
    return graph


def test_from_an_rdflib_graph_with_the_blank_node_h() -> None:
    home = rdflib.BNode("H")
    size = rdflib.Literal("007", datatype=rdflib.XSD.integer, normalize=False)
    graph = from_rdflib(
        (home, EX.target, EX.t), (EX.t, EX.size, size), (EX.t, EX.name, rdflib.Literal("Stuhl", lang="de"))
    )
    event = Event.from_graph(graph, id="e1")
    assert event.id == "e1"
    assert event.home == BlankNode("H")
    assert set(event.triples) == {
        Triple(BlankNode("H"), NamedNode(EX + "target"), NamedNode(EX + "t")),
        Triple(
            NamedNode(EX + "t"), NamedNode(EX + "size"), Literal("007", datatype=NamedNode(str(rdflib.XSD.integer)))
        ),
        Triple(NamedNode(EX + "t"), NamedNode(EX + "name"), Literal("Stuhl", language="de")),
    }
    assert set(event.graph) == set(graph)


def test_home_of_an_rdflib_graph_by_the_rules_or_by_name() -> None:
    graph = from_rdflib((EX.a, EX.p, EX.b), (EX.b, EX.p, EX.c))
    graph.bind("ex", EX)
    assert Event.from_graph(graph).home == NamedNode(EX + "a")
    for name in (EX.b, str(EX.b), "ex:b", "b"):
        assert Event.from_graph(graph, home=name).home == NamedNode(EX + "b")


def test_a_named_graph_gives_its_name_as_the_id() -> None:
    dataset = rdflib.Dataset()
    graph = dataset.graph(EX.e1)
    graph.add((EX.a, EX.p, EX.b))
    assert Event.from_graph(graph).id == str(EX.e1)
    assert Event.from_graph(graph, id="mine").id == "mine"
    assert Event.from_graph(from_rdflib((EX.a, EX.p, EX.b))).id is None


def test_a_dataset_is_no_event() -> None:
    with pytest.raises(EventError, match=r"a dataset is no event \(give one of its graphs\)"):
        Event.from_graph(rdflib.Dataset())


@pytest.mark.parametrize(
    "triple",
    [
        (rdflib.Literal("x"), EX.p, EX.o),
        (EX.s, rdflib.BNode(), EX.o),
        (EX.s, EX.p, rdflib.Variable("v")),
        (EX.s, EX.p, rdflib.URIRef("no iri")),
    ],
    ids=["literal subject", "blank property", "variable", "bad IRI"],
)
def test_what_is_no_rdf_is_refused(triple: tuple[rdflib.term.Node, rdflib.term.Node, rdflib.term.Node]) -> None:
    with pytest.raises(EventError, match=r"is no RDF triple \(a subject is an IRI or a blank node") as caught:
        Event.from_graph(from_rdflib(triple))
    assert "\n" not in str(caught.value)


def test_from_triples() -> None:
    triple = Triple(BlankNode("H"), NamedNode(EX + "p"), Literal("1"))
    event = Event.from_triples([triple, triple], id="e", source="memory")
    assert (event.triples, event.id, event.source) == ((triple,), "e", "memory")


@pytest.mark.parametrize("prop", [str(EX.p), str(rdflib.RDF.type)])
def test_a_triple_as_an_object_is_refused(prop: str) -> None:
    inner = Triple(BlankNode("H"), NamedNode(EX + "p"), Literal("1"))
    with pytest.raises(EventError, match="has a quoted triple"):
        Event.from_triples([inner, Triple(BlankNode("H"), NamedNode(prop), inner)])


def test_equal_by_triples_and_home_whatever_the_order_and_the_id() -> None:
    first = Event.parse("@prefix : <u:> . _:H :p 1 . _:H :q _:x . _:x :p 1 .", id="1")
    second = Event.parse("@prefix o: <u:> . _:x o:p 1 . _:H o:q _:x ; o:p 1 .", id="2", source="elsewhere")
    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second}) == 1
    assert first != Event.parse(first.to_text(), home="_:x")
    assert first != Event.parse("@prefix : <u:> . _:H :p 1 .")
    assert first != "an event"


@pytest.mark.parametrize("name", ["id", "home", "triples", "warnings", "graph", "source", "prefixes", "other"])
def test_an_event_cannot_be_changed(name: str) -> None:
    event = Event.parse(TEXT)
    with pytest.raises(AttributeError, match=rf"an Event cannot be changed \({name}\)"):
        setattr(event, name, None)
    with pytest.raises(AttributeError, match=rf"an Event cannot be changed \({name}\)"):
        delattr(event, name)


def test_its_prefixes_cannot_be_changed() -> None:
    event = Event.parse(TEXT)
    assert event.prefixes[""] == str(EX)
    with pytest.raises(TypeError):
        event.prefixes["x"] = "http://x.example/"  # type: ignore[index]


def test_the_same_event_under_another_id() -> None:
    event = Event.parse(TEXT + " :lost :p 1 .", id="a", source="s")
    other = event.with_id("b")
    assert (event.id, other.id) == ("a", "b")
    assert (other, other.source, other.warnings, other.prefixes) == (event, "s", event.warnings, event.prefixes)


class Special(Event):
    """Users may derive their own."""


@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_pickled_and_copied(again: object) -> None:
    event = Special.parse(TEXT + " :lost :p 1 .", id="e1", source="s")
    assert event.graph
    for asked in (False, True):
        assert not asked or event.warnings
        other = again(event)  # type: ignore[operator]
        assert type(other) is Special
        assert (other, other.id, other.source, other.prefixes) == (event, "e1", "s", event.prefixes)
        assert other.triples == event.triples
        assert other.warnings == event.warnings
        assert len(other.graph) == len(event.graph)


def test_repr_is_short() -> None:
    assert repr(Event.parse("_:H <u:p> 1 .", id="e")) == "<Event 'e', home _:H, 1 triples>"
    assert repr(Event.parse("_:H <u:p> 1 .")) == "<Event home _:H, 1 triples>"


@pytest.mark.parametrize("syntax", ["turtle", "nt", "xml", "json-ld", "trig", "nquads", "n3"])
@pytest.mark.parametrize("identifier", [None, "http://example.org/e1", "plain name", "a: b"])
def test_text_parses_back_to_the_same_event(syntax: str, identifier: str | None) -> None:
    event = Event.parse(TEXT, id=identifier)
    text = event.to_text(syntax)
    again = Event.parse(text, syntax)
    assert again == event
    named = identifier == "http://example.org/e1" and syntax in ("trig", "nquads")
    assert again.id == (identifier if named else None)
    assert "unused" not in text


def test_turtle_is_written_with_prefixes() -> None:
    assert ":Offer" in Event.parse(TEXT).to_text()


def test_what_a_syntax_cannot_say_is_an_error() -> None:
    event = Event.parse("_:H <http://example.org/1> 2 .")
    with pytest.raises(EventError, match=r"cannot be written as xml: .*take format='turtle'"):
        event.to_text("xml")


def test_the_rdflib_graph_is_made_once_with_its_prefixes() -> None:
    event = Event.parse(TEXT)
    assert event.graph is event.graph
    assert dict(event.graph.namespaces())[""] == rdflib.URIRef(str(EX))
    assert Event.from_graph(event.graph) == event
