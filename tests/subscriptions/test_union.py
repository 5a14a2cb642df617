"""UNION and nested groups: expansion to alternatives, with SPARQL's scopes kept."""

from __future__ import annotations

import pytest

from semantic_pubsub import Event, Ontology, ReferenceMatcher, Subscription, SubscriptionError
from semantic_pubsub.subscriptions.algebra import HOME, Blank, Reference, references

EX = "PREFIX ex: <http://example.org/>\n"


def parse(body: str) -> Subscription:
    return Subscription.parse(f"{EX}SELECT * {{ {body} }}", id="s")


def answers(body: str, event: str) -> set[frozenset[tuple[str, str]]]:
    matcher = ReferenceMatcher(Ontology.load())
    matcher.add(parse(body))
    found = matcher.match(Event.parse(f"@prefix ex: <http://example.org/> . {event}"))
    return {frozenset((name, str(term)) for name, term in s.items()) for match in found for s in match.solutions()}


def test_each_branch_is_an_alternative() -> None:
    one, two, three = parse("{ _:H ex:p ?x } UNION { _:H ex:q ?x } UNION { _:H ex:r ?x }").alternatives
    assert [len(pattern.arcs) for pattern in (one, two, three)] == [1, 1, 1]


def test_what_stands_around_belongs_to_every_branch() -> None:
    patterns = parse("_:H ex:all ?a . { _:H ex:p ?x } UNION { _:H ex:q ?x } FILTER (?x > 1)").alternatives
    assert [len(pattern.arcs) for pattern in patterns] == [2, 2]
    assert [len(pattern.filters) for pattern in patterns] == [1, 1]


def test_unions_multiply() -> None:
    union = "{ _:H ex:p ?x } UNION { _:H ex:q ?x }"
    assert len(parse(f"{union} . {union.replace('?x', '?y')}").alternatives) == 4
    assert len(parse(f"{{ {union} }} UNION {{ _:H ex:r ?z }}").alternatives) == 3


def test_the_limit_of_64() -> None:
    union = "{ _:H ex:p ?x } UNION { _:H ex:q ?x } "
    assert len(parse(union * 6).alternatives) == 64
    with pytest.raises(SubscriptionError, match="expand to 128 alternatives; 64 are allowed"):
        parse(union * 7)
    flat = " UNION ".join(["{ _:H ex:p ?x }"] * 65)
    with pytest.raises(SubscriptionError, match="expand to 65 alternatives"):
        parse(flat)


def test_home_may_stand_in_every_branch_other_labels_may_not() -> None:
    parse("{ _:H ex:p _:a } UNION { _:H ex:q _:b }")
    with pytest.raises(SubscriptionError, match="the blank node _:a is used in two groups"):
        parse("{ _:H ex:p _:a } UNION { _:H ex:q _:a }")
    with pytest.raises(SubscriptionError, match="used in two groups"):
        parse("_:H ex:p _:a . { _:H ex:r ?z } _:H ex:q _:a")


def test_fresh_labels_of_branches_stay_apart() -> None:
    (pattern,) = parse("{ _:H ex:p [] } { _:H ex:q [] }").alternatives
    assert len({arc.object for arc in pattern.arcs}) == 2
    assert all(isinstance(arc.object, Blank) and arc.object != HOME for arc in pattern.arcs)


def test_a_filter_sees_its_own_group_only() -> None:
    """?x in the inner group is not bound there: the filter is an error, and never meets the outer ?x."""
    (pattern,) = parse("_:H ex:p ?x . { _:H ex:q ?y FILTER (?x = 1) }").alternatives
    (condition,) = pattern.filters
    assert "x" not in references(condition.expression)
    assert not isinstance(condition.expression, Reference)
    assert answers("_:H ex:p ?x . { _:H ex:q ?y FILTER (?x = 1) }", "_:H ex:p 1 ; ex:q 2 .") == set()
    assert answers("_:H ex:p ?x . { _:H ex:q ?y FILTER (!BOUND(?x)) }", "_:H ex:p 1 ; ex:q 2 .") != set()


def test_a_filter_of_the_outer_group_sees_the_inner_ones() -> None:
    body = "{ _:H ex:p ?x } UNION { _:H ex:q ?x } FILTER (?x > 1)"
    assert answers(body, "_:H ex:p 1 ; ex:q 2 .") == {frozenset({("x", "2")})}


def test_branches_bind_their_own_variables() -> None:
    found = answers("{ _:H ex:p ?x } UNION { _:H ex:q ?y }", "_:H ex:p 1 ; ex:q 2 .")
    assert found == {frozenset({("x", "1")}), frozenset({("y", "2")})}


def test_a_nested_group_without_union_is_a_join() -> None:
    (pattern,) = parse("{ { _:H ex:p ?x } } _:H ex:q ?x").alternatives
    assert len(pattern.arcs) == 2


def test_each_alternative_is_rooted_by_itself() -> None:
    with pytest.raises(SubscriptionError, match=r"the vertex \?x is not reached from _:H"):
        parse("{ _:H ex:p ?x } UNION { ?x ex:q ?y }")
