"""The SPARQL subset: from text to the algebra."""

from __future__ import annotations

import pytest

from semantic_pubsub import Subscription, SubscriptionError
from semantic_pubsub.subscriptions.algebra import HOME, Arc, Blank, ClassAsked, Pattern, Variable, references
from semantic_pubsub.terms import Literal, NamedNode

EX = "PREFIX ex: <http://example.org/>\n"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"


def ex(name: str) -> NamedNode:
    return NamedNode(f"http://example.org/{name}")


def pattern_of(body: str) -> Pattern:
    (pattern,) = Subscription.parse(f"{EX}ASK {{ {body} }}").alternatives
    return pattern


@pytest.mark.parametrize(
    ("query", "projection"),
    [
        ("SELECT * { _:H ex:p ?x ; ex:q ?y }", None),
        ("SELECT ?x { _:H ex:p ?x }", ("x",)),
        ("SELECT ?y ?x ?y WHERE { _:H ex:p ?x ; ex:q ?y }", ("y", "x")),
        ("select distinct $x where { _:H ex:p $x }", ("x",)),
        ("SELECT REDUCED ?x { _:H ex:p ?x }", ("x",)),
        ("ASK { _:H ex:p ?x }", ()),
        ("ASK WHERE { _:H ex:p ?x }", ()),
    ],
)
def test_the_projection_decides_the_bindings(query: str, projection: tuple[str, ...] | None) -> None:
    assert Subscription.parse(EX + query).projection == projection


def test_semicolon_comma_and_a() -> None:
    x, y = Variable("x"), Variable("y")
    assert pattern_of("_:H a ex:C , ex:D ; ex:p ?x , ?y ;; rdf:type ex:E ; . ?x ex:q ?y") == Pattern(
        (Arc(HOME, ex("p"), x), Arc(HOME, ex("p"), y), Arc(x, ex("q"), y)),
        (ClassAsked(HOME, ex("C")), ClassAsked(HOME, ex("D")), ClassAsked(HOME, ex("E"))),
    )


def test_brackets_are_fresh_blank_nodes() -> None:
    pattern = pattern_of("_:H ex:p [ ex:q _:b1 ; a ex:C ] , []")
    first, second = pattern.arcs[0].object, pattern.arcs[2].object
    assert len({first, second, Blank("b1"), HOME}) == 4
    assert pattern.arcs[1] == Arc(first, ex("q"), Blank("b1"))
    assert pattern.classes == (ClassAsked(first, ex("C")),)


def test_sequence_paths_are_unfolded() -> None:
    pattern = pattern_of("_:H ex:p/(ex:q/ex:r) ?x")
    one, two = pattern.arcs[0].object, pattern.arcs[1].object
    assert pattern.arcs == (Arc(HOME, ex("p"), one), Arc(one, ex("q"), two), Arc(two, ex("r"), Variable("x")))
    assert isinstance(one, Blank)
    assert pattern_of("_:H ex:p/a ex:C").classes == (ClassAsked(Blank("b1"), ex("C")),)


def test_each_object_of_a_path_has_its_own_way() -> None:
    assert len(pattern_of("_:H ex:p/ex:q ?x , ?y").arcs) == 4


def test_collections_are_chains() -> None:
    pattern = pattern_of("_:H ex:p ( 1 ?x ) ; ex:q ()")
    first, rest, nil = NamedNode(RDF + "first"), NamedNode(RDF + "rest"), NamedNode(RDF + "nil")
    one, two = Blank("b1"), Blank("b2")
    assert set(pattern.arcs) == {
        Arc(HOME, ex("p"), one),
        Arc(one, first, Literal("1", datatype=NamedNode(XSD + "integer"))),
        Arc(one, rest, two),
        Arc(two, first, Variable("x")),
        Arc(two, rest, nil),
        Arc(HOME, ex("q"), nil),
    }


@pytest.mark.parametrize(
    ("written", "literal"),
    [
        ("7", Literal("7", datatype=NamedNode(XSD + "integer"))),
        ("+7", Literal("+7", datatype=NamedNode(XSD + "integer"))),
        ("-7.50", Literal("-7.50", datatype=NamedNode(XSD + "decimal"))),
        ("1.e1", Literal("1.e1", datatype=NamedNode(XSD + "double"))),
        ("TRUE", Literal("true", datatype=NamedNode(XSD + "boolean"))),
        ("'it'", Literal("it")),
        ('"""two\n"lines\\""""', Literal('two\n"lines"')),
        (r'"\t\u0041\U0001F600"', Literal("\tA\U0001f600")),
        ("'x'@en-GB", Literal("x", language="en-GB")),
        ("'007'^^xsd:integer", Literal("007", datatype=NamedNode(XSD + "integer"))),
        ("'x'^^<urn:t>", Literal("x", datatype=NamedNode("urn:t"))),
    ],
)
def test_literals_keep_their_form(written: str, literal: Literal) -> None:
    assert pattern_of(f"_:H ex:p {written}").arcs[0].object == literal


@pytest.mark.parametrize(
    ("written", "iri"),
    [
        ("ex:a", "http://example.org/a"),
        ("ex:a.b", "http://example.org/a.b"),
        ("ex:1-x", "http://example.org/1-x"),
        ("ex:a:b", "http://example.org/a:b"),
        (r"ex:a\,b", "http://example.org/a,b"),
        ("ex:%41", "http://example.org/%41"),
        ("ex:", "http://example.org/"),
        ("rdf:value", RDF + "value"),
        (r"<urn:\u0061>", "urn:a"),
        ("ex:Käse", "http://example.org/Käse"),
    ],
)
def test_names_of_all_forms(written: str, iri: str) -> None:
    assert pattern_of(f"_:H ex:p {written}").arcs[0].object == NamedNode(iri)


@pytest.mark.parametrize(
    ("reference", "iri"),
    [
        ("g", "http://a/b/c/g"),
        ("../g", "http://a/b/g"),
        ("/g", "http://a/g"),
        ("//h/g", "http://h/g"),
        ("#s", "http://a/b/c/d?q#s"),
        ("?y", "http://a/b/c/d?y"),
        ("", "http://a/b/c/d?q"),
        ("../../../g", "http://a/g"),
        ("urn:x", "urn:x"),
    ],
)
def test_relative_names_are_resolved_against_the_base(reference: str, iri: str) -> None:
    text = f"BASE <http://a/b/c/d?q> ASK {{ _:H <http://a/p> <{reference}> }}"
    (pattern,) = Subscription.parse(text).alternatives
    assert pattern.arcs[0].object == NamedNode(iri)


def test_prefixes_may_be_given_and_declared_again() -> None:
    given = {"e": "urn:given:"}
    for text, iri in (("ASK { _:H e:p 1 }", "urn:given:p"), ("PREFIX e: <urn:own:> ASK { _:H e:p 1 }", "urn:own:p")):
        (pattern,) = Subscription.parse(text, prefixes=given).alternatives
        assert pattern.arcs[0].property == NamedNode(iri)


def test_filters_see_their_variables_wherever_they_stand() -> None:
    pattern = pattern_of("FILTER (?x < ?y) _:H ex:p ?x . FILTER regex(?x, 'a') _:H ex:q ?y .")
    assert [list(references(condition.expression)) for condition in pattern.filters] == [["x", "y"], ["x"]]


def test_a_less_than_sign_is_not_an_iri() -> None:
    pattern = pattern_of("_:H ex:p ?x , ?y FILTER (?x<?y && ?y>1 || ?x<=5 && 6>?y)")
    assert list(references(pattern.filters[0].expression)) == ["x", "y", "y", "x", "y"]


def test_ids_and_equality() -> None:
    text = EX + "ASK { _:H ex:p ?x }"
    assert Subscription.parse(text).id != Subscription.parse(text).id
    assert Subscription.parse(text, id="a") == Subscription.parse(text.replace(" ?x", "\n?x"), id="a")
    assert hash(Subscription.parse(text, id="a")) == hash(Subscription.parse(text, id="a"))


def test_the_syntax_can_be_forced() -> None:
    with pytest.raises(SubscriptionError, match="SELECT or ASK"):
        Subscription.parse("(_:H, ?1, (*, p, *))", syntax="sparql")


def test_places_count_from_one_in_every_line() -> None:
    with pytest.raises(SubscriptionError) as caught:
        Subscription.parse("ASK {\n  _:H <urn:p> ?x .\n  OPTIONAL { }\n}")
    assert (caught.value.line, caught.value.column) == (3, 3)
