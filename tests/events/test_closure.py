"""What an event means under an ontology: types, implied types, and everything above."""

from __future__ import annotations

from functools import partial

import pytest
import rdflib
from hypothesis import given, settings

from semantic_pubsub import Event, Ontology
from semantic_pubsub.events.closure import ClosedEvent, close
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Term
from tests.generators import EX as GEN
from tests.generators import RESOURCES, THING, Graph, World, graphs, worlds

EX = "http://example.org/"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
PREFIXES = (
    "@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
    "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . "
)
ONTOLOGY = """
:Notebook rdfs:subClassOf :Computer . :Computer rdfs:subClassOf :Product , :Device .
:sells rdfs:subPropertyOf :offers . :offers rdfs:subPropertyOf :concerns .
:concerns rdfs:range :Thing2 ; rdfs:domain :Act .
:offers rdfs:range :Product .
:sells rdfs:domain :Sale .
:Sale rdfs:subClassOf :Act .
:vague rdfs:range [ owl:unionOf ( :Product :Act ) ] .
:size rdfs:range xsd:integer .
:kind rdfs:subPropertyOf rdf:type .
:sort rdfs:subPropertyOf :kind .
"""
EVERY = {THING, RDFS + "Resource"}
HOME = BlankNode("H")


def ontology_of(text: str) -> Ontology:
    return Ontology.load(rdflib.Graph().parse(data=PREFIXES + text))


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    return ontology_of(ONTOLOGY)


def closed(text: str, ontology: Ontology) -> ClosedEvent:
    return close(Event.parse(PREFIXES + text), ontology)


def names(*local: str) -> set[str]:
    return {EX + name for name in local} | EVERY


def iri(local: str) -> NamedNode:
    return NamedNode(EX + local)


def test_types_with_all_superclasses(ontology: Ontology) -> None:
    event = closed("_:H a :Notebook .", ontology)
    assert event.classes[HOME] == (EX + "Notebook",)
    assert event.closed_classes[HOME] == names("Notebook", "Computer", "Product", "Device")
    assert event.arcs == ()
    assert event.vertices == (HOME,)


def test_arcs_with_all_superproperties(ontology: Ontology) -> None:
    (arc,) = closed("_:H :sells :x .", ontology).arcs
    assert (arc.subject, arc.property, arc.object) == (HOME, EX + "sells", iri("x"))
    assert arc.properties == {EX + "sells", EX + "offers", EX + "concerns"}


def test_the_untyped_take_range_and_domain_of_super_properties_too(ontology: Ontology) -> None:
    event = closed("_:H :sells :x .", ontology)
    assert set(event.classes[HOME]) == {EX + "Sale", EX + "Act"}
    assert event.closed_classes[HOME] == names("Sale", "Act")
    assert event.closed_classes[iri("x")] == names("Product", "Thing2")


def test_the_typed_take_none(ontology: Ontology) -> None:
    event = closed("_:H a :Other ; :sells :x . :x a owl:Thing .", ontology)
    assert event.closed_classes[HOME] == names("Other")
    assert event.closed_classes[iri("x")] == EVERY


def test_a_class_expression_is_no_type_and_no_range(ontology: Ontology) -> None:
    event = closed("_:H :sells :x ; :vague :y . :x a [] .", ontology)
    assert event.closed_classes[iri("x")] == names("Product", "Thing2")
    assert event.closed_classes[iri("y")] == EVERY
    assert event.classes[iri("y")] == (THING,)


def test_every_resource_is_a_thing(ontology: Ontology) -> None:
    event = closed("_:H :unknown _:x . _:x a :Unheard .", ontology)
    assert event.closed_classes[HOME] == EVERY
    assert event.closed_classes[BlankNode("x")] == names("Unheard")
    (arc,) = event.arcs
    assert arc.properties == {EX + "unknown"}


@pytest.mark.parametrize(
    ("written", "datatype", "above"),
    [
        ("007", XSD + "integer", {XSD + "integer", XSD + "decimal"}),
        ("'x'", XSD + "string", {XSD + "string"}),
        ("'x'@en", RDF + "langString", {RDF + "langString"}),
        ("'x'^^:mine", EX + "mine", {EX + "mine"}),
        ("'x'^^xsd:byte", XSD + "byte", {XSD + t for t in ("byte", "short", "int", "long", "integer", "decimal")}),
    ],
)
def test_the_class_of_a_literal_is_its_datatype(
    written: str, datatype: str, above: set[str], ontology: Ontology
) -> None:
    event = closed(f"_:H :size {written} .", ontology)
    (literal,) = (vertex for vertex in event.vertices if isinstance(vertex, Literal))
    assert event.classes[literal] == (datatype,)
    assert event.closed_classes[literal] >= above | {RDFS + "Literal"}
    assert not event.closed_classes[literal] & EVERY


@pytest.mark.parametrize("prop", [":kind", ":sort"])
def test_a_property_below_rdf_type_gives_a_type_and_stays_an_arc(prop: str, ontology: Ontology) -> None:
    event = closed(f"_:H {prop} :Notebook ; :sells :x .", ontology)
    assert event.closed_classes[HOME] == names("Notebook", "Computer", "Product", "Device")
    assert [arc.property for arc in event.arcs] == [EX + prop[1:], EX + "sells"]
    assert RDF + "type" in event.arcs[0].properties


def test_only_an_iri_is_a_type(ontology: Ontology) -> None:
    event = closed("_:H :kind 'Notebook' , [] ; :sells :x .", ontology)
    assert event.closed_classes[HOME] == names("Sale", "Act")


def test_a_property_equivalent_to_rdf_type() -> None:
    event = closed("_:H :is :Notebook .", ontology_of("rdf:type owl:equivalentProperty :is ."))
    assert EX + "Notebook" in event.closed_classes[HOME]


def test_equivalent_classes_answer_to_every_name() -> None:
    event = closed("_:H a :A .", ontology_of(":A owl:equivalentClass :B . :B rdfs:subClassOf :C ."))
    assert event.closed_classes[HOME] == names("A", "B", "C")


def test_above_one_of_several_classes(ontology: Ontology) -> None:
    event = closed("_:H a :Notebook , :Sale .", ontology)
    assert event.above(HOME, EX + "Sale") == names("Sale", "Act")


def test_home_comes_first_and_the_order_is_that_of_the_event(ontology: Ontology) -> None:
    event = closed(":b :p :c . :a :p _:H , 1 . _:H :p :b .", ontology)
    one = Literal("1", datatype=NamedNode(XSD + "integer"))
    assert event.vertices == (HOME, iri("b"), iri("c"), iri("a"), one)


def test_implied_classes_have_one_order(ontology: Ontology) -> None:
    assert closed("_:H :sells :x .", ontology).classes[iri("x")] == (EX + "Product", EX + "Thing2")


@settings(max_examples=100, deadline=None)
@given(worlds(), graphs())
def test_closing_agrees_with_the_plain_definition(world: World, graph: Graph) -> None:
    """The generators close an event without any code of the product."""
    event = close(Event.parse(graph.text(), "nt"), Ontology.load(rdflib.Graph().parse(data=world.text(), format="nt")))
    found = {(str(a.subject), p, str(a.object)) for a in event.arcs for p in a.properties}
    expected = graph.closed_arcs(world)
    assert {t for t in found if t[0] in RESOURCES} >= {t for t in expected if t[2] in RESOURCES}
    assert len(found) == len(expected)
    name = partial(_generated, set(graph.vertices()))
    closed_classes = {name(v): set(c) - {RDFS + "Resource"} for v, c in event.closed_classes.items()}
    assert {v: c for v, c in closed_classes.items() if v is not None} == graph.classes(world)


def _generated(known: set[str], vertex: Term) -> str | None:
    assert isinstance(vertex, Literal) or str(vertex) in known
    return None if isinstance(vertex, Literal) else str(vertex)


def test_the_generators_speak_of_the_same_names() -> None:
    assert GEN == EX
