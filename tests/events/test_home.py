"""The home vertex: each rule, and what is said where none applies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub import Event, EventError, Ontology
from semantic_pubsub.terms import BlankNode, NamedNode

EX = "http://example.org/"
PREFIX = "@prefix : <http://example.org/> . @prefix other: <http://other.example/> . "
A, B, C, D = (NamedNode(EX + name) for name in "abcd")


def home(text: str, **how: object) -> object:
    return Event.parse(PREFIX + text, **how).home  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["_:H :p :a .", ":a :p _:H .", "_:H a :A . :a :p :b .", ":a :p _:H . _:H :p :a .", ":a :p :b . _:H :p 1 ."],
    ids=["subject", "object", "typed only", "in a cycle", "beside others"],
)
def test_the_blank_node_h_is_home_where_there_is_one(text: str) -> None:
    assert home(text) == BlankNode("H")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":a :p :b . :b :p :c .", A),
        (":b :p :c . :a :p :b .", A),
        (":a :p :a , 1 .", A),
        (":a :p :b . :b :p :b .", A),
        (":a :p :b . :b a :a .", A),
        (":a :p :b . :c a :C .", A),
        (":a a :C .", A),
        (":a a :C , :D .", A),
        (":a a 'text' .", A),
        (":a :p :b . :b :p :c . :c :p :b .", A),
    ],
    ids=[
        "root of a tree",
        "order does not matter",
        "own self-loop not counted",
        "other self-loop",
        "type arc does not enter",
        "typed resources are no candidates beside arcs",
        "only subject at all",
        "two types",
        "ill type",
        "cycle below home",
    ],
)
def test_the_only_subject_without_an_incoming_arc_is_home(text: str, expected: NamedNode) -> None:
    assert home(text) == expected


def test_a_blank_node_can_be_home_without_the_label() -> None:
    assert isinstance(home("[] :p :b ."), BlankNode)


ERRORS = [
    (
        ":a :p 1 . :b :p 1 .",
        "has 2 vertices that could be home: <http://example.org/a>, <http://example.org/b>"
        " (name one of them _:H, or say home=)",
    ),
    (
        "_:x a :Offer, :Sale ; :p 1 . _:y :p 1 .",
        "has 2 vertices that could be home: _:x (a Offer, Sale), _:y (name one of them _:H, or say home=)",
    ),
    (
        ":a :p :b . :b :p :a .",
        "has no home vertex: every one has an incoming arc (<http://example.org/a>, <http://example.org/b>)"
        " (name one of them _:H, or say home=)",
    ),
    (
        ":a a :C . :b a :C .",
        "has no home vertex: 2 resources with types and no arc between them"
        " (<http://example.org/a>, <http://example.org/b>) (name one of them _:H, or say home=)",
    ),
    ("", "has no triples (an event says something about its home vertex, such as [] a :Offer)"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS, ids=["several", "blank ones", "cycle", "types only", "nothing"])
def test_no_home_or_several_is_an_error_that_lists_them(text: str, message: str) -> None:
    with pytest.raises(EventError) as caught:
        home(text)
    assert str(caught.value) == message


def test_a_long_list_of_candidates_is_cut() -> None:
    with pytest.raises(EventError, match=r"has 9 vertices that could be home: .* and 4 more"):
        home(" ".join(f":v{n} :p 1 ." for n in range(9)))


@pytest.mark.parametrize(
    "name",
    [
        EX + "b",
        f"<{EX}b>",
        ":b",
        "b",
        " b ",
        rdflib.URIRef(EX + "b"),
        NamedNode(EX + "b"),
    ],
)
def test_a_caller_may_name_home(name: object) -> None:
    assert home(":a :p :b . :b :p :c .", home=name) == B
    assert home(":a :p :b .", home=name) == B


@pytest.mark.parametrize("name", ["_:x", rdflib.BNode("x"), BlankNode("x")])
def test_a_caller_may_name_a_blank_node(name: object) -> None:
    assert home("_:H :p _:x . _:x :p 1 .", home=name) == BlankNode("x")


def test_a_prefix_of_the_ontology_will_do() -> None:
    ontology = Ontology.load(rdflib.Graph().parse(data="@prefix mine: <http://example.org/> . mine:A a mine:B ."))
    assert home(":a :p :b . :b :p :c .", home="mine:b", ontology=ontology) == B


def test_a_local_name_must_be_unique() -> None:
    with pytest.raises(EventError, match=r"home 'b' could be <http://example.org/b>, <http://other.example/b> \(give"):
        home(":a :p :b , other:b .", home="b")
    assert home(":a :p :b , other:b .", home="other:b") == NamedNode("http://other.example/b")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("offr", "home 'offr' is no vertex of the event (did you mean offer?)"),
        (
            "zzz",
            "home 'zzz' is no vertex of the event (its vertices are <http://example.org/offer>, <http://example.org/x>)",
        ),
        ("_:", "home '_:' is no vertex of the event"),
        ("_:no label", "home '_:no label' is no vertex of the event"),
        ("", "home '' is no vertex of the event"),
        (rdflib.Literal("x"), "home 'x' is no vertex of the event"),
        (rdflib.URIRef("not an iri"), "home 'not an iri' is no vertex of the event"),
    ],
)
def test_home_must_be_a_vertex(name: object, message: str) -> None:
    with pytest.raises(EventError) as caught:
        home(":offer :p :x , 'zzz' .", home=name)
    assert str(caught.value).startswith(message)


def test_what_home_does_not_reach_is_a_warning() -> None:
    event = Event.parse(PREFIX + "_:H :p :a . :b :q :c . _:x a :Lost .", source="e.ttl")
    (warning,) = event.warnings
    assert str(warning) == (
        "e.ttl: has vertices that home _:H does not reach: <http://example.org/b>, _:x (a Lost)"
        " (no subscription can ask for them)"
    )


def test_strict_makes_it_an_error() -> None:
    text = PREFIX + "_:H :p :a . :b :q :c ."
    with pytest.raises(EventError, match=r"does not reach: <http://example.org/b> \(connect them to home"):
        Event.parse(text, strict=True)
    with pytest.raises(EventError, match="does not reach"):
        Event.from_graph(rdflib.Graph().parse(data=text.replace("_:H", ":h")), home=":h", strict=True)
    assert Event.parse(PREFIX + "_:H :p :a . :a :q :c .", strict=True).warnings == ()


def test_a_type_is_no_way_to_reach_a_vertex() -> None:
    event = Event.parse(PREFIX + "_:H a :Offer . :Offer :p 1 .")
    assert "does not reach: <http://example.org/Offer>" in str(event.warnings[0])


def test_naming_another_home_changes_what_is_reached() -> None:
    text = PREFIX + ":a :p :b . :b :p :c ."
    assert Event.parse(text).warnings == ()
    assert "does not reach: <http://example.org/a>" in str(Event.parse(text, home="b").warnings[0])


vertices = st.sampled_from(["H", "x", "y", "z", "w"])
graphs = st.lists(st.tuples(vertices, st.sampled_from(["p", "a"]), vertices), min_size=1, max_size=7)


@settings(max_examples=100, deadline=None)
@given(graphs)
def test_home_and_reach_agree_with_the_definition(graph: list[tuple[str, str, str]]) -> None:
    """The rules said a second time, over plain tuples."""
    arcs = [(s, o) for s, p, o in graph if p == "p"]
    subjects = {s for s, _, _ in graph}
    entered = {o for s, o in arcs if s != o}
    named = "H" in subjects | {o for _, o in arcs}
    if named:
        expected = ["H"]
    elif arcs:
        expected = sorted({s for s, _ in arcs} - entered)
    else:
        expected = sorted(subjects) if len(subjects) == 1 else []
    text = PREFIX + " ".join(f"_:{s} {':p' if p == 'p' else 'a'} _:{o} ." for s, p, o in graph)
    if len(expected) != 1:
        with pytest.raises(EventError, match="home"):
            Event.parse(text)
        return
    event = Event.parse(text)
    assert event.home == BlankNode(expected[0])
    left = subjects - set(_reached(expected[0], arcs))
    assert len(event.warnings) == bool(left)
    assert all(f"_:{name}" in str(event.warnings[0]) for name in left)


def _reached(start: str, arcs: list[tuple[str, str]]) -> Iterator[str]:
    seen = {start}
    while True:
        more = {o for s, o in arcs if s in seen} - seen
        if not more:
            return iter(seen)
        seen |= more
