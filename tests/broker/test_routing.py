"""Whoever the definition says is interested gets the event, in order, whatever changes in between."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import Event, EventError, Ontology, OpsMatcher, ReferenceMatcher, Subscription, SubscriptionError
from semantic_pubsub.broker import Broker
from semantic_pubsub.matching import Matcher
from tests.generators import Graph, World, graphs, patterns, worlds


@st.composite
def scenarios(draw: st.DrawFn) -> tuple[World, list[Graph], list[str]]:
    world = draw(worlds())
    events = draw(st.lists(graphs(), min_size=1, max_size=3))
    texts = [draw(patterns(draw(st.sampled_from(events)), world)).sparql() for _ in range(draw(st.integers(1, 5)))]
    return world, events, texts


def parsed(texts: list[str]) -> list[Subscription]:
    found = []
    for i, text in enumerate(texts):
        try:
            found.append(Subscription.parse(text, id=f"s{i}"))
        except SubscriptionError:
            continue
    return found


def read(graphs: list[Graph]) -> list[Event]:
    found = []
    for i, graph in enumerate(graphs):
        try:
            found.append(Event.parse(graph.text(), id=f"e{i}"))
        except EventError:
            continue
    return found


@pytest.mark.parametrize("matcher", [OpsMatcher, ReferenceMatcher])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenario=scenarios(), leaving=st.integers(0, 4))
def test_routing_is_what_the_definition_says(
    matcher: type[Matcher], scenario: tuple[World, list[Graph], list[str]], leaving: int
) -> None:
    world, event_graphs, texts = scenario
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "world.nt"
        path.write_text(world.text())
        ontology = Ontology.load(path)
        reference = ReferenceMatcher(ontology)
        expected: dict[str, list[str]] = {}
        subscriptions, events = parsed(texts), read(event_graphs)
        with Broker(ontology, matcher, Path(folder) / "broker.db") as broker:
            for subscription in subscriptions:
                broker.subscribe(f"by {subscription.id}", subscription, id=subscription.id)
                reference.add(subscription)
                expected[subscription.id] = []
            for i, event in enumerate(events * 2):
                if i == len(events) and len(subscriptions) > leaving:
                    gone = subscriptions[leaving].id
                    broker.unsubscribe(f"by {gone}", gone)
                    reference.remove(gone)
                    expected[gone] = []
                broker.publish(event)
                for name in reference.match_ids(event):
                    expected[name].append(str(event.id))
            for name, wanted in expected.items():
                pulled = broker.pull(f"by {name}")
                assert [delivery.event_id for delivery in pulled] == wanted
                for delivery in pulled:
                    event = next(e for e in events if e.id == delivery.event_id)
                    match = next(m for m in reference.match(event) if m.subscription_id == name)
                    assert Event.parse(delivery.event, home=delivery.home) == event
                    assert delivery.bindings is not None
                    assert as_json(delivery.bindings) in [shown(solution) for solution in match.solutions()]


def as_json(bindings: dict[str, dict[str, str]]) -> dict[str, tuple[str, str]]:
    return {name: (term["type"], term["value"]) for name, term in bindings.items()}


def shown(solution: dict[str, object]) -> dict[str, tuple[str, str]]:
    kinds = {"URIRef": "uri", "BNode": "bnode", "Literal": "literal"}
    return {name: (kinds[type(term).__name__], str(term)) for name, term in solution.items()}
