"""The partial order against networkx, on generated relations with cycles, several parents, tops and built-in names."""

from __future__ import annotations

import pickle

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub.concepts import Hierarchy

NAMES = [f"urn:n:{letter}" for letter in "abcdefghij"]
TOPS = ("urn:top:1", "urn:top:2")
BUILTIN = ("urn:n:a", "urn:n:b")

names = st.sampled_from(NAMES)
edges = st.lists(st.tuples(names, names), max_size=25)
# Now and then a statement about the top itself.
edges_with_tops = st.lists(st.tuples(names | st.sampled_from(TOPS), names | st.sampled_from(TOPS)), max_size=25)


def closure(known: set[str], stated: list[tuple[str, str]], tops: tuple[str, ...] = ()) -> dict[str, set[str]]:
    """All that is above or equal, by networkx."""
    graph: nx.DiGraph[str] = nx.DiGraph(stated)
    graph.add_nodes_from((*known, *tops))
    graph.add_edges_from((name, top) for name in list(graph) for top in tops)
    return {name: {name} | nx.descendants(graph, name) for name in graph}


@settings(max_examples=150, deadline=None)
@given(st.sets(names), edges)
def test_order_without_a_top(declared: set[str], stated: list[tuple[str, str]]) -> None:
    hierarchy = Hierarchy(sorted(declared), stated)
    above = closure(declared, stated)
    assert set(hierarchy.names()) == set(above)
    assert len(hierarchy) == len(above)
    assert sorted(map(str, hierarchy)) == sorted(above)
    for lower, uppers in above.items():
        assert hierarchy.above(lower) == uppers
        assert {upper for upper in above if hierarchy.is_below(lower, upper)} == uppers
        same = {upper for upper in uppers if lower in above[upper]}
        assert set(hierarchy.same(lower)) == same
        assert hierarchy.ancestors(lower) == uppers - same
        assert hierarchy.descendants(lower) == {n for n, up in above.items() if lower in up} - same
    assert hierarchy.pairs == sum(len(uppers) - 1 for uppers in above.values())
    assert set(hierarchy.subsumptions()) == {(a, b) for a, uppers in above.items() for b in uppers if a != b}


@settings(max_examples=150, deadline=None)
@given(st.sets(names), edges_with_tops)
def test_order_below_a_top_with_built_in_names(declared: set[str], stated: list[tuple[str, str]]) -> None:
    hierarchy = Hierarchy(sorted(declared), stated, tops=TOPS, builtin=BUILTIN)
    above = closure(declared | set(BUILTIN), stated, TOPS)
    for lower, uppers in above.items():
        assert hierarchy.above(lower) == uppers
        assert {upper for upper in above if hierarchy.is_below(lower, upper)} == uppers
    counted = set(above) - {*TOPS, *BUILTIN}
    assert set(map(str, hierarchy)) == counted
    assert len(hierarchy) == len(counted)
    top = above[TOPS[0]]
    pairs = {(a, b) for a in counted for b in above[a] & counted if a != b and b not in top}
    assert set(hierarchy.subsumptions()) == pairs
    assert hierarchy.pairs == len(pairs)
    # What nobody stated anything of is below the top, whatever else the top is called.
    assert hierarchy.above("urn:unknown") == {"urn:unknown"} | top


@settings(max_examples=100, deadline=None)
@given(edges)
def test_overlap_parents_and_depth(stated: list[tuple[str, str]]) -> None:
    hierarchy = Hierarchy(NAMES, stated, tops=TOPS[:1])
    above = closure(set(NAMES), stated, TOPS[:1])
    for first in NAMES:
        for second in NAMES:
            common = any({first, second} <= uppers for uppers in above.values())
            assert hierarchy.overlap(first, second) == common
        told = {b for a, b in stated if a in hierarchy.same(first)}
        told = {name for upper in told for name in hierarchy.same(upper)} - set(hierarchy.same(first))
        assert set(hierarchy.parents(first)) == (told or set(TOPS[:1]))
        assert {n for n in NAMES if first in hierarchy.parents(n)} == set(hierarchy.children(first))
    order: nx.DiGraph[frozenset[str]] = hierarchy.graph
    assert nx.is_directed_acyclic_graph(order)
    for concept in order:
        longest = nx.dag_longest_path_length(order.subgraph({concept} | nx.descendants(order, concept)))
        for name in concept:
            assert hierarchy.depth(name) == max(0, longest - 1)


def test_a_diamond() -> None:
    order = Hierarchy([], [("d", "b"), ("d", "c"), ("b", "a"), ("c", "a")])
    assert order.parents("d") == ("b", "c")
    assert set(order.children("a")) == {"b", "c"}
    assert order.above("d") == {"a", "b", "c", "d"}
    assert not order.is_below("b", "c")
    assert order.overlap("b", "c")
    assert [order.depth(name) for name in "abcd"] == [0, 1, 1, 2]


def test_a_cycle_is_one_concept_and_every_name_works() -> None:
    order = Hierarchy([], [("a", "b"), ("b", "c"), ("c", "a"), ("x", "b"), ("c", "top")])
    assert set(order.same("b")) == {"a", "b", "c"}
    assert order.above("a") == order.above("c") == {"a", "b", "c", "top"}
    assert all(order.is_below("x", name) for name in "abc")
    assert set(order.parents("x")) == {"a", "b", "c"}
    assert order.parents("a") == ("top",)
    assert order.depth("a") == order.depth("c") == 1


def test_a_name_beside_is_above_something_but_not_below_the_top() -> None:
    order = Hierarchy(["d"], [("d", "outer"), ("outer", "outmost")], tops=("top",), beside=("outer", "outmost"))
    assert order.above("d") == {"d", "outer", "outmost", "top"}
    assert order.above("outer") == {"outer", "outmost"}
    assert list(map(str, order)) == ["d"]


def test_closures_are_remembered() -> None:
    order = Hierarchy([], [("a", "b"), ("b", "c")])
    assert order.above("a") is order.above("a")


def test_long_chains_need_no_deep_recursion() -> None:
    size = 5_000
    chain = [(str(n), str(n + 1)) for n in range(size)]
    order = Hierarchy([], chain)
    assert order.is_below("0", str(size))
    assert order.depth("0") == size
    ring = Hierarchy([], [*chain, (str(size), "0")])
    assert len(ring.same("7")) == size + 1


def test_a_hierarchy_can_be_pickled() -> None:
    order = Hierarchy(["z"], [("a", "b"), ("b", "a"), ("a", "c")], tops=("top",))
    copy = pickle.loads(pickle.dumps(order))
    assert {n: copy.above(n) for n in copy.names()} == {n: order.above(n) for n in order.names()}


def test_unknown_names() -> None:
    order = Hierarchy(["a"], [])
    assert "b" not in order
    assert order.above("b") == {"b"}
    with pytest.raises(KeyError):
        order.is_below("a", "b")
