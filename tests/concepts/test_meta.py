"""Meta-statements from every source, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDFS, XSD, Graph, Namespace, URIRef

from semantic_pubsub import MetaStatement, Ontology

EX = Namespace("http://example.org/")
Turtle = Callable[..., Ontology]
Sides = set[tuple[URIRef, URIRef]]

T, L = OWL.Thing, RDFS.Literal


def sides(ontology: Ontology, prop: str = "p") -> Sides:
    """(C, D) of every meta-statement of a property."""
    return {(s.subject_class, s.object_class) for s in ontology.meta_statements if s.property == EX[prop]}


def product(subjects: str, values: str) -> Sides:
    return {(EX[s], EX[v]) for s in subjects for v in values}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":p rdfs:domain :A ; rdfs:range :B .", product("A", "B")),
        (":p rdfs:domain :A, :B ; rdfs:range :C, :D .", product("AB", "CD")),
        (":p rdfs:domain [ owl:unionOf ( :A :B ) ] ; rdfs:range [ owl:unionOf ( :C :D ) ] .", product("AB", "CD")),
        (":p rdfs:domain [ owl:unionOf ( :A [ owl:unionOf ( :B ) ] ) ] ; rdfs:range :C .", product("AB", "C")),
        (":p rdfs:domain :A ; rdfs:range xsd:string .", {(EX.A, XSD.string)}),
        (":p rdfs:domain :A ; rdfs:range [ owl:onDatatype xsd:int ; owl:withRestrictions () ] .", {(EX.A, XSD.int)}),
        (':p rdfs:domain :A ; rdfs:range [ owl:oneOf ( "a" 1 ) ] .', {(EX.A, XSD.string), (EX.A, XSD.integer)}),
        (":p rdfs:domain :A ; rdfs:range [ owl:oneOf ( :i ) ] . :i a :B .", product("A", "B")),
    ],
)
def test_domain_and_range(turtle: Turtle, text: str, expected: Sides) -> None:
    assert sides(turtle(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":p a owl:ObjectProperty ; rdfs:domain :A .", {(EX.A, T)}),
        (":p a owl:DatatypeProperty ; rdfs:domain :A .", {(EX.A, L)}),
        (":p rdfs:domain :A .", {(EX.A, T), (EX.A, L)}),
        (":p a rdf:Property ; rdfs:range :B .", {(T, EX.B)}),
        (":p a owl:ObjectProperty ; rdfs:range :B .", {(T, EX.B)}),
        (":p rdfs:domain :A ; rdfs:range rdfs:Resource .", {(EX.A, T), (EX.A, L)}),
        # One part that could be anything: the whole could be.
        (":p a owl:ObjectProperty ; rdfs:domain :A ; rdfs:range [ owl:unionOf ( :B [] ) ] .", {(EX.A, T)}),
        (":p a owl:ObjectProperty ; rdfs:domain [ owl:complementOf :X ] ; rdfs:range :B .", {(T, EX.B)}),
        (":p a owl:ObjectProperty ; rdfs:domain :A ; rdfs:range [ owl:unionOf :broken ] .", {(EX.A, T)}),
    ],
)
def test_a_side_that_nothing_states_is_top(turtle: Turtle, text: str, expected: Sides) -> None:
    assert sides(turtle(text)) == expected


@pytest.mark.parametrize("base", ["http://schema.org/", "https://schema.org/"])
def test_schema_org_includes(turtle: Turtle, base: str) -> None:
    ontology = turtle(f":p <{base}domainIncludes> :A, :B ; <{base}rangeIncludes> :C, xsd:date .")
    assert sides(ontology) == product("AB", "C") | {(EX.A, XSD.date), (EX.B, XSD.date)}


@pytest.mark.parametrize(
    ("restriction", "value"),
    [
        ("owl:someValuesFrom :B", EX.B),
        ("owl:allValuesFrom :B", EX.B),
        ("owl:onClass :B ; owl:minQualifiedCardinality 1", EX.B),
        ("owl:onClass :B ; owl:qualifiedCardinality 2", EX.B),
        ("owl:onDataRange xsd:int ; owl:maxQualifiedCardinality 1", XSD.int),
        ("owl:hasValue :i", EX.K),
        ('owl:hasValue "x"', XSD.string),
        ("owl:hasSelf true", EX.A),
        ("owl:cardinality 1", EX.R),
        ("owl:minCardinality 0", EX.R),
        ("owl:someValuesFrom [ owl:unionOf ( :B ) ]", EX.B),
    ],
)
@pytest.mark.parametrize(
    "description",
    [
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; {} ] .",
        ":A owl:equivalentClass [ owl:onProperty :p ; {} ] .",
        "[ owl:onProperty :p ; {} ] owl:equivalentClass :A .",
        ":A owl:equivalentClass [ owl:intersectionOf ( :X [ owl:onProperty :p ; {} ] ) ] .",
        ":A rdfs:subClassOf [ owl:intersectionOf ( [ owl:unionOf ( [ owl:onProperty :p ; {} ] ) ] ) ] .",
        ":A owl:intersectionOf ( :X [ owl:onProperty :p ; {} ] ) .",
    ],
)
def test_owl_restrictions(turtle: Turtle, description: str, restriction: str, value: URIRef) -> None:
    ontology = turtle(":i a :K . :p rdfs:range :R . " + description.format(restriction))
    assert (EX.A, value) in sides(ontology)
    assert sides(ontology) <= {(EX.A, value), (T, EX.R)}


@pytest.mark.parametrize("limit", ["owl:maxCardinality 0", "owl:onClass :B ; owl:maxQualifiedCardinality 0"])
def test_a_restriction_that_forbids_states_nothing(turtle: Turtle, limit: str) -> None:
    assert sides(turtle(f":A rdfs:subClassOf [ owl:onProperty :p ; {limit} ] .")) == set()


def test_a_restriction_without_a_class_takes_the_nearest_range(turtle: Turtle) -> None:
    ontology = turtle(
        ":p rdfs:subPropertyOf :z . :z rdfs:subPropertyOf :a . :z rdfs:range :Near . :a rdfs:range :Far ."
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:minCardinality 1 ] ."
    )
    assert sides(ontology) == {(EX.A, EX.Near)}


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        ("sh:class :B", EX.B),
        ("sh:datatype xsd:int", XSD.int),
        ("sh:node :BShape", EX.B),
        ("sh:nodeKind sh:IRI", T),
        ("sh:nodeKind sh:Literal", L),
        ("sh:or ( [ sh:class :B ] )", EX.B),
        ("sh:xone ( [ sh:datatype xsd:date ] )", XSD.date),
        ("sh:and ( [ sh:class :B ] [ sh:minCount 1 ] )", EX.B),
        ("sh:in ( 1 2 )", XSD.integer),
        ("sh:hasValue :i", EX.K),
        ("sh:minCount 1", EX.R),
    ],
)
@pytest.mark.parametrize(
    "outer",
    [
        ":S sh:targetClass :A ; sh:property [ sh:path :p ; {} ] .",
        ":A a owl:Class, sh:NodeShape ; sh:property [ sh:path :p ; {} ] .",
        ":A a rdfs:Class ; sh:property :PS . :PS sh:path :p ; {} .",
        ":S sh:targetClass :A ; sh:node [ sh:property [ sh:path :p ; {} ] ] .",
        ":S sh:targetClass :A ; sh:and ( [ sh:property [ sh:path :p ; {} ] ] ) .",
        ":S sh:targetClass :A ; sh:or ( [ sh:property [ sh:path :p ; {} ] ] ) .",
        ":PS a sh:PropertyShape ; sh:targetClass :A ; sh:path :p ; {} .",
    ],
)
def test_shacl_property_shapes(turtle: Turtle, outer: str, shape: str, value: URIRef) -> None:
    ontology = turtle(":i a :K . :p rdfs:range :R . :BShape sh:targetClass :B . " + outer.format(shape))
    assert sides(ontology) == {(EX.A, value), (T, EX.R)}


@pytest.mark.parametrize("extra", ["sh:deactivated true", "sh:maxCount 0"])
def test_a_shape_that_is_off_or_forbids_states_nothing(turtle: Turtle, extra: str) -> None:
    text = f":S sh:targetClass :A ; sh:property [ sh:path :p ; sh:class :B ; {extra} ] ."
    assert sides(turtle(text)) == set()


def test_a_shape_inside_a_property_shape_speaks_of_the_values(turtle: Turtle) -> None:
    inner = "sh:property [ sh:path :q ; sh:class :C ]"
    ontology = turtle(f":S sh:targetClass :A ; sh:property [ sh:path :p ; sh:class :B ; {inner} ] .")
    assert sides(ontology) == {(EX.A, EX.B)}
    assert sides(ontology, "q") == set()


def test_a_complex_path_states_nothing(turtle: Turtle) -> None:
    assert turtle(":S sh:targetClass :A ; sh:property [ sh:path ( :p :q ) ; sh:class :B ] .").meta_statements == ()


def test_statements_are_sorted_and_told_once(turtle: Turtle) -> None:
    ontology = turtle(
        ":q rdfs:domain :A ; rdfs:range :B . :p rdfs:domain :B ; rdfs:range :C ."
        ":A rdfs:subClassOf [ owl:onProperty :q ; owl:someValuesFrom :B ] ."
    )
    expected = (MetaStatement(EX.A, EX.q, EX.B), MetaStatement(EX.B, EX.p, EX.C))
    assert ontology.meta_statements == expected


# what follows


@pytest.fixture
def shop(turtle: Turtle) -> Ontology:
    return turtle(
        ":Notebook rdfs:subClassOf :Computer . :Computer rdfs:subClassOf :Product . :Selling rdfs:subClassOf :Trade ."
        ":Book rdfs:subClassOf :Product . :Sofa a owl:Class ."
        ":target rdfs:domain :Trade ; rdfs:range :Product . :bundle rdfs:subPropertyOf :target ."
        ":price a owl:DatatypeProperty ; rdfs:domain :Trade ; rdfs:range xsd:decimal . :free a rdf:Property ."
    )


@pytest.mark.parametrize(
    ("statement", "admitted"),
    [
        ("Trade target Product", True),
        ("Selling target Notebook", True),
        ("Selling bundle Notebook", True),
        ("owl:Thing target Notebook", False),
        ("Selling target owl:Thing", False),
        ("Sofa target Notebook", False),
        ("Selling target Sofa", False),
        ("Trade price xsd:integer", True),
        ("Trade price xsd:double", False),
        ("Trade price Product", False),
        ("Sofa free xsd:date", True),
        ("Sofa free Notebook", True),
    ],
)
def test_admits(shop: Ontology, statement: str, admitted: bool) -> None:
    subject, prop, value = statement.split()
    assert shop.admits(subject, prop, value) == admitted


@pytest.mark.parametrize(
    ("subject", "prop", "value", "possible"),
    [
        ("Trade", "target", "Product", True),
        ("Selling", "target", "Notebook", True),
        ("owl:Thing", "target", "owl:Thing", True),
        (None, "target", None, True),
        ("Sofa", "target", None, False),
        (None, "target", "Sofa", False),
        ("Sofa", "free", "Sofa", True),
        (None, "price", "xsd:integer", True),
        (None, "price", "xsd:string", False),
        (None, "price", "Sofa", False),
        (None, "target", "xsd:string", False),
        (None, "http://unknown/p", "Sofa", True),
        ("http://unknown/C", "target", None, True),
    ],
)
def test_compatible(shop: Ontology, subject: str | None, prop: str, value: str | None, possible: bool) -> None:
    assert shop.compatible(subject, prop, value) == possible


def test_a_common_subclass_makes_two_classes_compatible(turtle: Turtle) -> None:
    ontology = turtle(":p rdfs:domain :A ; rdfs:range :B . :X rdfs:subClassOf :A, :A2 .")
    assert ontology.compatible("A2", "p", None)


def test_a_property_below_may_have_what_the_one_above_has_not(turtle: Turtle) -> None:
    ontology = turtle(":p rdfs:domain :A ; rdfs:range :B . :q rdfs:subPropertyOf :p ; rdfs:domain :C ; rdfs:range :B .")
    assert ontology.compatible("C", "p", None)


names = st.sampled_from([EX[n] for n in "ABCD"])
props = st.sampled_from([EX[n] for n in "pqr"])
order = st.lists(st.tuples(names, names), max_size=5)
prop_order = st.lists(st.tuples(props, props), max_size=3)
ends = st.lists(st.tuples(props, names), max_size=4)


@settings(max_examples=60, deadline=None)
@given(order, prop_order, ends, ends)
def test_admits_is_the_definition(classes: list, properties: list, domains: list, ranges: list) -> None:  # type: ignore[type-arg]
    """(C, p, D) is below some stated (C', p', D'), each side by a plain walk up."""
    graph = Graph()
    for predicate, pairs in ((RDFS.subClassOf, classes), (RDFS.subPropertyOf, properties)):
        for lower, upper in pairs:
            graph.add((lower, predicate, upper))
    for predicate, pairs in ((RDFS.domain, domains), (RDFS.range, ranges)):
        for prop, name in pairs:
            graph.add((prop, predicate, name))

    def above(name: URIRef, predicate: URIRef) -> set[URIRef]:
        return set(graph.transitive_objects(name, predicate)) | ({T} if predicate == RDFS.subClassOf else set())

    stated = {
        (subject, prop, value)
        for prop in {p for p, _ in domains + ranges}
        for subject in [c for p, c in domains if p == prop] or [T]
        for value in [c for p, c in ranges if p == prop] or [T]
    }
    ontology = Ontology.load(graph)
    for prop in (EX.p, EX.q, EX.r):
        uppers = above(prop, RDFS.subPropertyOf)
        relevant = [s for s in stated if s[1] in uppers]
        for subject in (EX.A, EX.B, T):
            for value in (EX.C, EX.D, T):
                c, d = above(subject, RDFS.subClassOf), above(value, RDFS.subClassOf)
                expected = not relevant or any(s[0] in c and s[2] in d for s in relevant)
                assert ontology.admits(subject, prop, value) == expected
