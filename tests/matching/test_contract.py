"""What every matcher that gives the graph answer promises; a new matcher joins by one line in `MATCHERS`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
import rdflib

from semantic_pubsub import (
    Event,
    EventError,
    FlatMatcher,
    Matcher,
    Ontology,
    OpsMatcher,
    ReferenceMatcher,
    SemanticPubSubError,
    Subscription,
    SubscriptionError,
)

MATCHERS: dict[str, Callable[[Ontology], Matcher]] = {
    "reference": ReferenceMatcher,
    "ops": OpsMatcher,
    "flat-auto": lambda o: FlatMatcher(o, index="auto", verify=True),
    "flat-ctps": lambda o: FlatMatcher(o, index="ctps", verify=True),
    "flat-compme": lambda o: FlatMatcher(o, index="compme", verify=True),
    "flat-hmacd": lambda o: FlatMatcher(o, index="hmacd", verify=True),
    "flat-gem-tree": lambda o: FlatMatcher(o, index="gem-tree", verify=True),
    "flat-hybrid": lambda o: FlatMatcher(o, index="hybrid", verify=True),
    "flat-scan": lambda o: FlatMatcher(o, index="scan", verify=True),
}

A = "PREFIX a: <http://example.org/auction#>\n"
COMPUTERS = A + "SELECT ?x { _:H a:target ?x . ?x a a:Computer }"
BOOKS = A + "SELECT ?x { _:H a:target ?x . ?x a a:Book }"
NOTEBOOK = "@prefix a: <http://example.org/auction#> . _:H a a:Selling ; a:target _:n . _:n a a:NotebookPC ."
BOOK = "@prefix a: <http://example.org/auction#> . _:H a a:Selling ; a:target _:b . _:b a a:Book ."


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


@pytest.fixture(params=MATCHERS)
def matcher(request: pytest.FixtureRequest, auction: Ontology) -> Matcher:
    return MATCHERS[request.param](auction)


def test_matches_by_meaning_and_binds(matcher: Matcher) -> None:
    matcher.add(Subscription.parse(COMPUTERS, id="computers"))
    matcher.add(Subscription.parse(BOOKS, id="books"))
    (match,) = matcher.match(Event.parse(NOTEBOOK))
    assert match.subscription_id == "computers"
    assert match.bindings == {"x": rdflib.BNode("n")}
    assert list(match.solutions()) == [{"x": rdflib.BNode("n")}]
    assert matcher.match_ids(Event.parse(NOTEBOOK)) == ["computers"]


def test_every_solution_is_given_once(matcher: Matcher) -> None:
    matcher.add(Subscription.parse(A + "SELECT ?x { _:H a:target ?x ; a:target ?y }", id="two"))
    event = Event.parse(BOOK + "_:H a:target _:c . _:c a a:Computer .")
    (match,) = matcher.match(event)
    assert sorted(str(s["x"]) for s in match.solutions()) == ["b", "c"]


def test_many_events_in_their_order(matcher: Matcher) -> None:
    matcher.add(Subscription.parse(COMPUTERS, id="computers"))
    matcher.add(Subscription.parse(BOOKS, id="books"))
    assert matcher.match_many([Event.parse(BOOK), Event.parse(NOTEBOOK)]) == [["books"], ["computers"]]


def test_a_bad_event_among_many(matcher: Matcher) -> None:
    matcher.add(Subscription.parse(COMPUTERS, id="computers"))
    good, heard = Event.parse(NOTEBOOK), list[SemanticPubSubError]()
    problem = EventError("cannot be read")

    class Bad(Event):
        @property
        def triples(self) -> NoReturn:  # type: ignore[override]
            raise problem

        home = triples

    bad = object.__new__(Bad)
    assert matcher.match_many([good, bad, good], heard.append) == [["computers"], [], ["computers"]]
    assert heard == [problem]
    with pytest.raises(EventError, match="cannot be read"):
        matcher.match_many([good, bad])


def test_add_and_remove(matcher: Matcher) -> None:
    matcher.add_all([Subscription.parse(COMPUTERS, id="c"), Subscription.parse(BOOKS, id="b")])
    assert len(matcher) == 2
    assert "c" in matcher
    assert sorted(matcher.ids()) == ["b", "c"]
    matcher.remove("c")
    assert len(matcher) == 1
    assert "c" not in matcher
    assert matcher.match_ids(Event.parse(NOTEBOOK)) == []
    matcher.add(Subscription.parse(COMPUTERS, id="c"))
    assert matcher.match_ids(Event.parse(NOTEBOOK)) == ["c"]


def test_remove_of_an_unknown_id(matcher: Matcher) -> None:
    with pytest.raises(KeyError):
        matcher.remove("nobody")


def test_an_id_is_taken_once(matcher: Matcher) -> None:
    matcher.add(Subscription.parse(COMPUTERS, id="c"))
    with pytest.raises(SubscriptionError, match="already a subscription with the id 'c'"):
        matcher.add(Subscription.parse(BOOKS, id="c"))
    assert matcher.match_ids(Event.parse(BOOK)) == []


def test_an_id_is_made_where_none_is_given(matcher: Matcher) -> None:
    first, second = matcher.add(Subscription.parse(COMPUTERS)), matcher.add(COMPUTERS)
    assert first != second
    assert sorted(matcher.match_ids(Event.parse(NOTEBOOK))) == sorted([first, second])


def test_a_failed_bulk_load_changes_nothing(matcher: Matcher) -> None:
    bad = Subscription.parse("(_:H, ?1, (Selling, target, Compuuter))", id="bad")
    with pytest.raises(SemanticPubSubError, match="Computer"):
        matcher.add_all([Subscription.parse(BOOKS, id="b"), bad])
    assert len(matcher) == 0


def test_a_bulk_load_goes_on_where_errors_are_taken(matcher: Matcher) -> None:
    errors: list[SemanticPubSubError] = []
    bad = Subscription.parse("(_:H, ?1, (Selling, target, Compuuter))", id="bad")
    good = Subscription.parse(BOOKS, id="b")
    assert matcher.add_all([bad, good, good], on_error=errors.append) == ["b"]
    assert len(errors) == 2


def test_what_nothing_can_satisfy_is_a_warning(matcher: Matcher) -> None:
    text = A + "SELECT * { _:H a:created ?t . _:H a:price/rdf:value ?v FILTER(?v < 1 && ?v > 2) }"
    matcher.add(Subscription.parse(text, id="never"))
    assert "never" in matcher
    assert matcher.warnings["never"]
    matcher.remove("never")
    assert "never" not in matcher.warnings


def test_semantics_can_be_chosen(matcher: Matcher) -> None:
    text = A + "ASK { _:H a:target ?x ; a:target ?y }"
    matcher.add(Subscription.parse(text, id="sparql"))
    matcher.add(Subscription.parse(text, id="injective", injective=True))
    assert matcher.match_ids(Event.parse(BOOK)) == ["sparql"]


def test_union_is_one_subscription(matcher: Matcher) -> None:
    text = A + "SELECT ?x { { _:H a:target ?x . ?x a a:Book } UNION { _:H a:target ?x . ?x a a:Product } }"
    matcher.add(Subscription.parse(text, id="either"))
    (match,) = matcher.match(Event.parse(BOOK))
    assert len(list(match.solutions())) == 1


def test_explains(matcher: Matcher) -> None:
    matcher.add(Subscription.parse(COMPUTERS, id="computers"))
    assert matcher.explain(Event.parse(NOTEBOOK), "computers").matched
    explanation = matcher.explain(Event.parse(BOOK), "computers")
    assert not explanation.matched
    assert "Computer was asked for" in str(explanation)
    with pytest.raises(KeyError):
        matcher.explain(Event.parse(BOOK), "nobody")


def test_counts_what_it_holds(matcher: Matcher) -> None:
    matcher.add(Subscription.parse(COMPUTERS, id="computers"))
    assert matcher.stats()["subscriptions"] == 1
