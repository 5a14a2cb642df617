"""The matching tree: the paper's figures 6 and 7, its two theorems, its limits, and how it prints and draws."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from rdflib import Graph as RdfGraph
from rich.console import Console

from semantic_pubsub import Event, Ontology, ReferenceMatcher, Subscription
from semantic_pubsub.events.closure import close
from semantic_pubsub.matching import definition
from semantic_pubsub.matching.graph.and_or_tree import MatchingTree
from semantic_pubsub.matching.graph.bebv import verify
from semantic_pubsub.matching.graph.compiled import compile_pattern
from semantic_pubsub.matching.graph.drawing import draw
from semantic_pubsub.matching.graph.sbpv import backtrack
from semantic_pubsub.matching.graph.solutions import EventGraph, mappings
from semantic_pubsub.matching.graph.tree_nodes import Circle, Rectangle
from semantic_pubsub.subscriptions import resolve
from tests.generators import Case, cases

OPS = Path(__file__).resolve().parent.parent.parent / "cases" / "ops"
EX = "PREFIX : <http://example.org/>\n"
many = settings(
    max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def tree_of(ontology: Ontology, subscription: Subscription, read: Event, limit: int = 10_000) -> MatchingTree:
    (pattern,) = resolve(subscription, ontology).alternatives
    compiled = compile_pattern(pattern, injective=subscription.injective)
    return MatchingTree(compiled, EventGraph(close(read, ontology)), limit)


def small_tree(pattern: str, turtle: str, *, injective: bool = False, limit: int = 10_000) -> MatchingTree:
    """A tree without an ontology."""
    subscription = Subscription.parse(f"{EX}SELECT * {{ {pattern} }}", injective=injective)
    return tree_of(
        Ontology.load(RdfGraph()), subscription, Event.parse("@prefix : <http://example.org/> .\n" + turtle), limit
    )


@pytest.fixture(scope="module")
def figure_6() -> MatchingTree:
    folder = OPS / "figure-4-and-5"
    ontology = Ontology.load(folder / "ontology.ttl")
    return tree_of(ontology, Subscription.load(folder / "figure-4.ops"), Event.load(folder / "event.ttl"))


def shape_of(circle: dict[str, Any]) -> dict[str, Any]:
    """A circle without states."""
    return {
        "mapping": circle["mapping"],
        "patterns": [
            {"pattern": below["pattern"], "mappings": [shape_of(c) for c in below["mappings"]]}
            for below in circle["patterns"]
        ],
    }


def test_figure_6(figure_6: MatchingTree) -> None:
    expected = json.loads((OPS / "figure-4-and-5" / "figure-6.json").read_text(encoding="utf-8"))
    assert shape_of(figure_6.to_json()["root"]) == expected  # type: ignore[arg-type]


def test_figure_6_is_verified(figure_6: MatchingTree) -> None:
    """?4=_:c passes the states, and the expressions tell that it cannot be."""
    assert all(node.checked for node in figure_6.nodes)
    assert figure_6.matched is True
    assert figure_6.to_json()["expression"] == [{"_:H": "_:H", "?1": "_:a", "?2": "_:b", "?3": "_:c", "?4": "_:d"}]
    left_out = set(range(len(figure_6))) - figure_6.reduced(figure_6.mappings()[0])
    (circle,) = [node for node in figure_6.nodes if node.number in left_out]
    assert isinstance(circle, Circle)
    assert str(circle.mapping[circle.vertex]) == "_:c"


def test_figure_7() -> None:
    case = json.loads((OPS / "figure-7" / "backtrack.json").read_text(encoding="utf-8"))
    nodes = built(case["before"])
    start = nodes[case["from"]]
    assert isinstance(start, Circle)
    backtrack(start)
    for name, (state, *left) in case["after"].items():
        node = nodes[name]
        assert node.checked is (state == "c"), name
        if isinstance(node, Circle):
            assert [node.unchecked_children] == left, name


def built(before: dict[str, Any]) -> dict[str, Circle | Rectangle]:
    """The tree of a case, by the names of its nodes; A is the root, and layers alternate."""
    root = Circle(0, 0, {}, None)
    nodes: dict[str, Circle | Rectangle] = {"A": root}
    for name, told in before.items():
        node = nodes[name]
        for below in told["below"]:
            if isinstance(node, Circle):
                rectangle = Rectangle(len(nodes), (0, "p", 1), node)
                node.children.append(rectangle)
                nodes[below] = rectangle
            else:
                circle = Circle(len(nodes), 1, {}, node)
                node.children.append(circle)
                nodes[below] = circle
        if isinstance(node, Circle):
            node.unchecked_children = told["open"]
    return nodes


def test_backtracking_stops_where_a_rectangle_is_checked() -> None:
    root = Circle(0, 0, {}, None)
    root.unchecked_children = 2
    rectangle = Rectangle(1, (0, "p", 1), root)
    first, second = Circle(2, 1, {}, rectangle), Circle(3, 1, {}, rectangle)
    backtrack(first)
    backtrack(second)
    assert second.checked
    assert root.unchecked_children == 1


def test_the_order_of_traversal_loses_nothing() -> None:
    folder = OPS / "traversal-order"
    tree = tree_of(Ontology.load(RdfGraph()), Subscription.load(folder / "late.rq"), Event.load(folder / "event.ttl"))
    assert tree.matched is True
    assert [str(image) for image in tree.mappings()[0]] == ["_:H", "_:a", "_:b", "_:c"]


def test_rule_5_is_for_resources_where_the_subscription_is_injective() -> None:
    event_text = '_:H :p _:a ; :q _:a ; :r "x" ; :s "x" .'
    both = "_:H :p ?x ; :q ?y"
    assert small_tree(both, event_text).matched is True
    injective = small_tree(both, event_text, injective=True)
    assert injective.checked, "the states do not see it"
    assert injective.matched is False
    assert small_tree("_:H :r ?x ; :s ?y", event_text, injective=True).matched is True


def test_a_filter_over_several_variables_is_for_complete_mappings() -> None:
    text = "_:H :p 1, 2 ; :q 2 ."
    tree = small_tree("_:H :p ?x ; :q ?y FILTER(?x < ?y)", text)
    assert [image.value for image in tree.mappings()[0][1:]] == ["1", "2"]  # type: ignore[union-attr]
    assert len(tree.mappings()) == 1
    assert small_tree("_:H :p ?x ; :q ?y FILTER(?x > ?y)", text).matched is False


@pytest.mark.parametrize(("asked", "matched"), [(":A", True), (":B", False)])
def test_home_has_a_class_too(asked: str, matched: bool) -> None:
    text = "_:H a :A ; :p _:a ."
    for pattern in (f"_:H a {asked}", f"_:H a {asked} ; :p ?x"):
        tree = small_tree(pattern, text)
        assert tree.matched is matched
        assert tree.checked is matched
    assert ("_:H is a <http://example.org/A>, <http://example.org/B> was asked for" in str(tree)) is not matched


def test_cycles_end() -> None:
    tree = small_tree("_:H :p ?x . ?x :p ?x ; :q _:H ; :p ?y . ?y :p ?x", "_:H :p _:a . _:a :p _:a ; :q _:H .")
    assert tree.matched is True
    assert not tree.cut


def test_a_tree_that_is_cut_says_so() -> None:
    """Seven layers of three ways each: 3 + 9 + ... circles."""
    arcs = "\n".join(f":{n}{i} :p :{n + 1}0, :{n + 1}1, :{n + 1}2 ." for n in range(1, 8) for i in range(3))
    chain = "_:H :p ?v1 . " + " ".join(f"?v{n} :p ?v{n + 1} ." for n in range(1, 8))
    text = "_:H :p :10, :11, :12 .\n" + arcs
    tree = small_tree(chain, text)
    assert tree.cut
    assert len(tree) == 10_000
    assert tree.matched in (True, None)
    assert "cut at the limit of 10,000 nodes" in str(tree)
    assert tree.to_json()["cut"] is True
    assert "further nodes are not drawn" in tree.draw()
    shorter = small_tree(chain, text, limit=5)
    assert len(shorter) == 5
    assert shorter.matched is None
    assert "unknown" in str(shorter)
    assert small_tree(chain, text, limit=100_000).matched is True


def test_a_cut_inside_one_pattern_is_not_taken_for_a_miss() -> None:
    text = "_:H :p :a, :b, :c . :c :q :d ."
    assert small_tree("_:H :p ?x . ?x :q ?y", text, limit=4).matched is None
    assert small_tree("_:H :p ?x . ?x :q ?y", text).matched is True


def test_too_many_disjuncts_are_left_out_and_told() -> None:
    """Twelve twins asked of eleven: a small tree whose expression is a product of factorial size."""
    twins = "_:H :p " + ", ".join(f":t{n}" for n in range(11)) + " ."
    pattern = "_:H :p " + ", ".join(f"?v{n}" for n in range(12))
    tree = small_tree(pattern, twins, injective=True)
    assert tree.checked
    assert not tree.cut
    assert tree.matched is None
    assert tree.expression().cut
    few = verify(small_tree("_:H :p ?a, ?b", twins), limit=10)[0]
    assert len(few.disjuncts) == 10
    assert few.cut
    assert few.value is True


@many
@given(cases(), st.booleans())
def test_the_theorems_hold(case: Case, injective: bool) -> None:
    """Theorem 1: the root's expression is not false iff the event matches; theorem 2: unchecked implies no match."""
    ontology = Ontology.load(RdfGraph().parse(data=case.world.text(), format="nt"))
    reference = ReferenceMatcher(ontology)
    subscription = resolve(Subscription.parse(case.pattern.sparql(), id="s", injective=injective), ontology)
    reference.add(subscription)
    read = Event.parse(case.event.text(), format="nt")
    tree = tree_of(ontology, subscription, read)
    assert not tree.cut
    assert not tree.expression().cut
    matches = reference.match_ids(read) == ["s"]
    event("match" if matches else "no match")
    assert tree.matched is matches
    assert (tree.expression().value is True) is matches
    assert tree.checked or not matches
    (pattern,) = subscription.alternatives
    by_definition = definition.mappings(pattern, tree.graph.closed, injective=injective)
    expected = {tuple(found[vertex] for vertex in tree.pattern.vertices) for found in by_definition}
    assert set(tree.mappings()) == expected
    assert len(tree.mappings()) == len(expected)
    assert set(mappings(tree.pattern, tree.graph)) == expected


@settings(parent=many, max_examples=500)
@given(cases(), st.booleans())
def test_the_states_are_what_they_stand_for(case: Case, injective: bool) -> None:
    """Backtracking while the tree grows gives what a look at the finished tree gives; a kept tree is a whole one."""
    ontology = Ontology.load(RdfGraph().parse(data=case.world.text(), format="nt"))
    subscription = Subscription.parse(case.pattern.sparql(), injective=injective)
    tree = tree_of(ontology, subscription, Event.parse(case.event.text(), format="nt"))
    states: dict[int, bool] = {}
    for node in reversed(tree.nodes):
        below = [states[child.number] for child in node.children]
        if isinstance(node, Circle):
            assert node.unchecked_children == below.count(False)
            states[node.number] = all(below) and (node.number > 0 or bool(below) or tree.home_accepted)
        else:
            states[node.number] = any(below)
        assert node.checked is states[node.number]
    for mapping in tree.mappings():
        kept = tree.reduced(mapping)
        for number in kept:
            node = tree.nodes[number]
            below = [child.number in kept for child in node.children]
            assert all(below) if isinstance(node, Circle) else below.count(True) == 1
            assert node.checked, "lemma 6"
    root = ElementTree.fromstring(tree.draw())
    assert sum(1 for _ in root.iter("{http://www.w3.org/2000/svg}title")) == len(tree)
    assert len(str(tree).splitlines()) == len(tree) + 2
    assert json.loads(json.dumps(tree.to_json()))["nodes"] == len(tree)


def test_it_prints(figure_6: MatchingTree) -> None:
    lines = str(figure_6).splitlines()
    assert lines[0] == "matching tree: 14 nodes, SBPV checked"
    assert lines[1] == "BEBV: (_:H=_:H ∧ ?1=_:a ∧ ?3=_:c ∧ ?2=_:b ∧ ?4=_:d)"
    assert "│     └─ □ (_:a, ?4, (A, p4, C))  checked" in lines
    console = Console(record=True, width=160, file=io.StringIO())
    console.print(figure_6)
    assert "○ ?3=_:c  checked" in console.export_text()


def test_it_says_why_a_pattern_has_no_match() -> None:
    text = '_:H :p [ :q 5 ; :r "text" ] .'
    assert "5 is not < 3" in str(small_tree("_:H :p ?x . ?x :q ?v FILTER(?v < 3)", text))
    assert "no <http://example.org/s> on _:" in str(small_tree("_:H :p ?x . ?x :s ?v", text))
    assert 'found "text", "other" was asked for' in str(small_tree('_:H :p ?x . ?x :r "other"', text))
    assert "does not lead to _:" in str(small_tree("_:H :p ?x . ?x :q ?x", text))


def test_drawings_are_xml_whatever_the_event_says() -> None:
    nasty = '_:H :p "<&>\\u0000\\u001b]0;x\\n\\u2028\\uFFFF", "' + "long " * 200 + '" .'
    tree = small_tree("_:H :p ?x", nasty)
    text = draw([tree, tree], ["<one>", "two\x07"])
    root = ElementTree.fromstring(text)
    assert "&lt;one&gt;" in text
    assert root.attrib["viewBox"]
    assert len(str(tree).splitlines()) == len(tree) + 2


def test_the_drawing_in_the_documentation_is_fresh(figure_6: MatchingTree, project: Path) -> None:
    assert (project / "docs" / "matching-tree.svg").read_text(encoding="utf-8") == figure_6.draw()
