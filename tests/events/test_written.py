"""What is read without objects is the same event, and the same error, as what `Event.parse` reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from pyoxigraph import RdfFormat

from benchmarks.workloads import Shop
from semantic_pubsub import Event, EventError, OpsMatcher, ReferenceMatcher
from semantic_pubsub.events import Limits
from semantic_pubsub.events.parser import Reading
from semantic_pubsub.events.written import WrittenEvent, read_written
from tests.generators import Graph, graphs

PREFIX = "@prefix : <http://example.org/> .\n"
BAD = [
    "", "_:H :p 1 .", PREFIX + "_:H :p", PREFIX + "_:H :p <<( :a :b :c )>> .", PREFIX + "_:H :p :o {| :q 1 |} .",
    "\0", PREFIX + "_:H :p 1, 2, 3, 4 .", "\ud800", PREFIX + "_:H :p <not an iri> .",
]  # fmt: skip


def written(text: str | bytes, syntax: RdfFormat = RdfFormat.TURTLE, **limits: int) -> WrittenEvent | None:
    return read_written(text, syntax, Reading(limits=Limits(**limits)))


def same(text: str | bytes) -> WrittenEvent:
    found = written(text)
    assert found is not None
    assert found.event == Event.parse(found.triples.text, "nt")
    if "[" not in str(text):
        assert found.event == Event.parse(text)
    assert Event.parse(found.to_turtle()) == found.event
    assert len(found.triples) == len(list(found.triples))
    return found


@given(graphs())
def test_generated_events(graph: Graph) -> None:
    text = graph.text()
    try:
        event = Event.parse(text)
    except EventError:
        return
    found = written(text)
    if found is not None:
        assert found.event == event


def test_offers() -> None:
    for text in Shop().events(50):
        found = same(text)
        assert set(found.event.prefixes) == set(Event.parse(text).prefixes)


def test_a_statement_that_is_repeated_counts_once() -> None:
    assert len(same(PREFIX + "_:H :p 1 . _:H :p 1 .").event) == 1


@pytest.mark.parametrize("text", BAD)
def test_errors_are_the_same(text: str) -> None:
    limits = Limits(triples=3)
    with pytest.raises(EventError) as expected:
        Event.parse(text, limits=limits)
    with pytest.raises(EventError) as found:
        written(text, triples=3)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("text", [PREFIX + "[] :p 1 .", PREFIX + ":a :p _:H .", PREFIX + "_:HH :p '_:H ' ."])
def test_another_home_is_not_for_this(text: str) -> None:
    assert written(text) is None


def test_other_syntaxes_are_not_for_this() -> None:
    assert written('{"@id": "_:H", "http://example.org/p": 1}', RdfFormat.JSON_LD) is None


@pytest.mark.parametrize("matcher", [OpsMatcher, ReferenceMatcher])
def test_matchers_find_the_same(matcher: type[OpsMatcher | ReferenceMatcher]) -> None:
    shop = Shop(rate=0.05)
    holding = matcher(shop.ontology())
    holding.add_all(shop.subscriptions(60))
    matches = 0
    for text in shop.events(30):
        expected = sorted(holding.match_ids(Event.parse(text)))
        found = written(text)
        assert found is not None
        assert sorted(holding.match_written(found)) == sorted(holding.match_text(text)) == expected
        matches += len(expected)
    assert matches
