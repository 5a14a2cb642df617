"""Which names are what, and what the order says of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Namespace

from semantic_pubsub import Ontology, OntologyError

EX = Namespace("http://example.org/")
Turtle = Callable[..., Ontology]


def test_every_name_in_a_statement_of_order_is_known(turtle: Turtle) -> None:
    ontology = turtle(
        ":a rdfs:subClassOf :b . :c owl:equivalentClass :d . :p rdfs:subPropertyOf :q . :r owl:equivalentProperty :s ."
    )
    assert set(ontology.classes) == {EX.a, EX.b, EX.c, EX.d}
    assert set(ontology.properties) == {EX.p, EX.q, EX.r, EX.s}
    assert all(ontology.knows(str(EX[name])) for name in "abcdpqrs")


@pytest.mark.parametrize("kind", ["owl:Class", "rdfs:Class"])
def test_declared_classes(turtle: Turtle, kind: str) -> None:
    ontology = turtle(f":A a {kind} . :B rdfs:subClassOf [ a owl:Restriction ] . :p rdfs:domain :C ; rdfs:range :D .")
    assert set(ontology.classes) == {EX.A, EX.B, EX.C, EX.D}


@pytest.mark.parametrize(
    "kind",
    ["rdf:Property", "owl:ObjectProperty", "owl:DatatypeProperty", "owl:AnnotationProperty", "owl:FunctionalProperty"],
)
def test_declared_properties(turtle: Turtle, kind: str) -> None:
    assert set(turtle(f":p a {kind} .").properties) == {EX.p}


@pytest.mark.parametrize(
    "text",
    [
        ":p rdfs:domain :A .",
        ":p rdfs:range :A .",
        "[] owl:onProperty :p .",
        "[] sh:path :p .",
        ":p <http://schema.org/domainIncludes> :A .",
        ":p <https://schema.org/rangeIncludes> :A .",
    ],
)
def test_properties_by_use(turtle: Turtle, text: str) -> None:
    assert set(turtle(text).properties) == {EX.p}


def test_individuals(turtle: Turtle) -> None:
    ontology = turtle(
        ":A a owl:Class . :p a owl:ObjectProperty . :i a :A . :j a owl:NamedIndividual . :k a owl:Thing ."
        ":s a sh:NodeShape . [] a :A . <http://example.org/onto> a owl:Ontology ."
    )
    assert ontology.individuals == {EX.i, EX.j, EX.k}
    assert ontology.expand("i") == str(EX.i)


def test_order_among_classes_and_among_properties(turtle: Turtle) -> None:
    ontology = turtle(":C rdfs:subClassOf :B . :B rdfs:subClassOf :A . :q rdfs:subPropertyOf :p .")
    assert ontology.is_a("C", "A")
    assert ontology.is_a("A", "A")
    assert not ontology.is_a("A", "C")
    assert ontology.is_a("q", "p")
    assert ontology.ancestors("C") == {EX.B, EX.A, OWL.Thing, RDFS.Resource}
    assert ontology.ancestors("q") == {EX.p}
    assert ontology.descendants("A") == {EX.B, EX.C}
    assert ontology.parents("C") == {EX.B}
    assert ontology.parents("A") == {OWL.Thing}
    assert ontology.children("A") == {EX.B}
    assert [ontology.depth(name) for name in ("owl:Thing", "A", "B", "C", "p", "q")] == [0, 0, 1, 2, 0, 1]


def test_across_kinds_nothing_is_below_anything(turtle: Turtle) -> None:
    ontology = turtle(":A a owl:Class . :p a rdf:Property .")
    assert not ontology.is_a("A", "p")
    assert not ontology.is_a("p", "A")
    assert not ontology.is_a("p", "owl:Thing")
    assert not ontology.is_a("A", "rdfs:Literal")
    assert not ontology.is_a("A", "xsd:string")


def test_a_name_may_be_class_and_property(turtle: Turtle) -> None:
    ontology = turtle(":x a owl:Class, rdf:Property ; rdfs:subClassOf :A ; rdfs:subPropertyOf :p .")
    assert ontology.is_a("x", "A")
    assert ontology.is_a("x", "p")
    assert ontology.ancestors("x") == {EX.A, EX.p, OWL.Thing, RDFS.Resource}


def test_the_top_is_above_every_class(turtle: Turtle) -> None:
    ontology = turtle(":A a owl:Class . :B rdfs:subClassOf :A .")
    for top in ("owl:Thing", "rdfs:Resource"):
        assert all(ontology.is_a(name, top) for name in ("A", "B", top))
        assert not ontology.is_a(top, "A")
    assert ontology.is_a("owl:Thing", "rdfs:Resource")
    assert ontology.is_a("rdfs:Resource", "owl:Thing")
    assert OWL.Thing not in set(ontology.classes)
    assert ontology.superclasses("http://unknown/X") == {"http://unknown/X", str(OWL.Thing), str(RDFS.Resource)}


def test_what_is_equal_to_the_top_is_above_every_class(turtle: Turtle) -> None:
    ontology = turtle(":Anything owl:equivalentClass owl:Thing . :B a owl:Class .")
    assert ontology.is_a("B", "Anything")
    assert ontology.is_a("owl:Thing", "Anything")
    assert str(EX.Anything) in ontology.superclasses("http://unknown/X")


def test_unknown_names_are_errors(turtle: Turtle) -> None:
    ontology = turtle(":A a owl:Class . :i a :A .")
    for unknown in ("B", "http://example.org/B", "ex:B", "i"):
        with pytest.raises(OntologyError, match="unknown"):
            ontology.is_a("A", unknown)
        with pytest.raises(OntologyError, match="unknown"):
            ontology.is_a(unknown, "A")


def test_an_equivalence_cycle_is_one_concept(turtle: Turtle) -> None:
    ontology = turtle(
        ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :A . :D owl:equivalentClass :A ."
        ":Low rdfs:subClassOf :B . :C rdfs:subClassOf :High . :p owl:equivalentProperty :q . :r rdfs:subPropertyOf :q ."
    )
    for name in "ABCD":
        assert ontology.equivalents(name) == {EX.A, EX.B, EX.C, EX.D}
        assert ontology.is_a("Low", name)
        assert ontology.is_a(name, "High")
        assert ontology.ancestors(name) == {EX.High, OWL.Thing, RDFS.Resource}
        assert ontology.descendants(name) == {EX.Low}
    assert len(ontology.classes) == 6
    assert ontology.is_a("r", "p")
    assert ontology.equivalents("p") == {EX.p, EX.q}


def test_only_statements_between_names_make_an_order(turtle: Turtle) -> None:
    ontology = turtle(
        ":A owl:equivalentClass [ owl:intersectionOf ( :B :C ) ] . :D owl:unionOf ( :A :E ) ."
        ":F rdfs:subClassOf [ owl:intersectionOf ( :B ) ] . :G owl:disjointUnionOf ( :A :E ) ."
        ":B a owl:Class . :C a owl:Class . :E a owl:Class ."
    )
    assert ontology.classes.pairs == 0
    assert not ontology.is_a("A", "B")
    assert not ontology.is_a("F", "B")


def test_inverse_symmetric_and_transitive_properties_make_no_order(turtle: Turtle) -> None:
    ontology = turtle(":p owl:inverseOf :q . :p a owl:SymmetricProperty . :q a owl:TransitiveProperty .")
    assert ontology.properties.pairs == 0


def test_what_is_below_nothing_is_named(turtle: Turtle) -> None:
    ontology = turtle(":A rdfs:subClassOf owl:Nothing, :B . :C owl:equivalentClass owl:Nothing . :B a owl:Class .")
    assert ontology.unsatisfiable == {EX.A, EX.C}
    assert ontology.is_a("A", "owl:Nothing")
    assert not ontology.is_a("B", "owl:Nothing")
    assert set(ontology.classes) == {EX.A, EX.B, EX.C}


# datatypes


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ("xsd:integer", "xsd:decimal"),
        ("xsd:byte", "xsd:decimal"),
        ("xsd:unsignedByte", "xsd:nonNegativeInteger"),
        ("xsd:dateTimeStamp", "xsd:dateTime"),
        ("xsd:dayTimeDuration", "xsd:duration"),
        ("xsd:token", "xsd:string"),
        ("xsd:string", "rdfs:Literal"),
        ("xsd:double", "xsd:anyAtomicType"),
        ("xsd:double", "rdfs:Literal"),
        ("rdf:langString", "rdfs:Literal"),
        ("rdf:PlainLiteral", "rdfs:Literal"),
        ("xsd:decimal", "xsd:decimal"),
    ],
)
def test_datatypes_below_their_bases(lower: str, upper: str) -> None:
    ontology = Ontology.load()
    assert ontology.is_a(lower, upper)
    assert lower == upper or not ontology.is_a(upper, lower)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("xsd:double", "xsd:decimal"),
        ("xsd:float", "xsd:double"),
        ("xsd:date", "xsd:dateTime"),
        ("xsd:long", "owl:Thing"),
    ],
)
def test_datatypes_that_are_not_below(first: str, second: str) -> None:
    ontology = Ontology.load()
    assert not ontology.is_a(first, second)


def test_datatypes_of_an_ontology(turtle: Turtle) -> None:
    ontology = turtle(
        ":percent a rdfs:Datatype ; rdfs:subClassOf xsd:decimal . :share rdfs:subClassOf :percent ."
        ":p a owl:DatatypeProperty ; rdfs:range :undeclared . [] sh:path :q ; sh:datatype :ofShape ."
        ":A a owl:Class . :q a owl:DatatypeProperty ; rdfs:range :A, rdfs:Literal ."
    )
    assert set(ontology.datatypes) == {EX.percent, EX.share, EX.undeclared, EX.ofShape}
    assert set(ontology.classes) == {EX.A}
    assert ontology.is_a("share", "xsd:decimal")
    assert ontology.is_a("undeclared", "rdfs:Literal")
    assert ontology.superdatatypes(str(EX.share)) >= {str(EX.percent), str(XSD.decimal), str(RDFS.Literal)}
    assert str(OWL.Thing) not in ontology.superdatatypes(str(EX.share))
    assert ontology.superdatatypes("http://x/other") == {"http://x/other", str(RDFS.Literal)}


def test_a_class_above_a_datatype_is_no_datatype(turtle: Turtle) -> None:
    ontology = turtle(
        ":grade a rdfs:Datatype ; rdfs:subClassOf :Judgement . :Judgement a owl:Class ; rdfs:subClassOf :Opinion ."
        ":Person a owl:Class ."
    )
    assert ontology.is_a("grade", "Opinion")
    assert ontology.is_a("grade", "rdfs:Literal")
    assert not ontology.is_a("Judgement", "rdfs:Literal")
    assert set(ontology.datatypes) == {EX.grade}
    assert set(ontology.classes) == {EX.Judgement, EX.Opinion, EX.Person}
    assert not ontology.disjoint(str(EX.Judgement), str(EX.Person))
    assert not ontology.disjoint(str(EX.grade), str(EX.Judgement))
    assert ontology.disjoint(str(EX.grade), str(EX.Person))


# for matching


def test_fast_calls_take_iris_and_give_every_name(turtle: Turtle) -> None:
    ontology = turtle(
        ":B rdfs:subClassOf :A . :A owl:equivalentClass :A2 ."
        ":q rdfs:subPropertyOf :p . :t rdfs:subPropertyOf rdf:type ."
    )
    tops = {str(OWL.Thing), str(RDFS.Resource)}
    assert ontology.superclasses(str(EX.B)) == {str(EX.B), str(EX.A), str(EX.A2)} | tops
    assert ontology.superclasses(str(EX.B)) is ontology.superclasses(str(EX.B))
    assert ontology.superproperties(str(EX.q)) == {str(EX.q), str(EX.p)}
    assert ontology.superproperties(str(EX.unknown)) == {str(EX.unknown)}
    assert str(RDF.type) in ontology.superproperties(str(EX.t))


def test_stated_domains_and_ranges(turtle: Turtle) -> None:
    ontology = turtle(
        ":q rdfs:subPropertyOf :p . :p rdfs:domain :A, [ owl:unionOf ( :B :C ) ] ;"
        "rdfs:range :D, xsd:string, rdfs:Literal ."
    )
    assert ontology.domains(str(EX.p)) == (str(EX.A),)
    assert ontology.ranges(str(EX.p)) == (str(EX.D),)
    assert ontology.domains(str(EX.q)) == ontology.ranges(str(EX.q)) == ()


def test_a_datatype_in_place_of_a_class_keeps_its_order(turtle: Turtle) -> None:
    ontology = turtle(":Name rdfs:subClassOf xsd:string . :Nick rdfs:subClassOf :Name . :B rdfs:subClassOf :A .")
    assert {str(EX.Name), str(XSD.string), str(OWL.Thing)} <= ontology.superclasses(str(EX.Nick))
    assert ontology.superdatatypes(str(EX.B)) == {str(EX.B), str(EX.A), str(RDFS.Literal)}


@pytest.mark.parametrize(
    "text",
    [
        ":A owl:disjointWith :B .",
        ":B owl:disjointWith :A .",
        ":A owl:complementOf :B .",
        "[] a owl:AllDisjointClasses ; owl:members ( :X :A :B ) .",
        ":X owl:disjointUnionOf ( :A :B ) .",
    ],
)
def test_disjoint_classes(turtle: Turtle, text: str) -> None:
    ontology = turtle(text + ":A1 rdfs:subClassOf :A . :B1 rdfs:subClassOf :B . :C rdfs:subClassOf :Y .")
    for first, second in (("A", "B"), ("A1", "B1"), ("B1", "A"), ("A", "B1")):
        assert ontology.disjoint(str(EX[first]), str(EX[second]))
    for first, second in (("A", "A1"), ("A", "A"), ("A", "C"), ("C", "Y")):
        assert not ontology.disjoint(str(EX[first]), str(EX[second]))


def test_disjoint_datatypes() -> None:
    ontology = Ontology.load()
    assert ontology.disjoint(str(XSD.string), str(XSD.decimal))
    assert not ontology.disjoint(str(XSD.integer), str(XSD.decimal))
    assert ontology.disjoint(str(XSD.integer), str(OWL.Thing))
    assert not ontology.disjoint(str(XSD.integer), "http://unknown/x")


def test_an_ontology_can_be_pickled(turtle: Turtle) -> None:
    ontology = turtle(":B rdfs:subClassOf :A . :p rdfs:domain :A .")
    copy = pickle.loads(pickle.dumps(ontology))
    assert copy.is_a("B", "A")
    assert copy.meta_statements == ontology.meta_statements
    assert repr(copy) == "<Ontology: 2 classes, 1 properties>"
