"""`FlatMatcher` with a normalizer, and what it says to whoever gives it something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from semantic_pubsub import (
    Event,
    EventError,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Normalizer,
    Ontology,
    SubscriptionError,
    isa,
)

QUERY = """PREFIX auction: <http://example.org/auction#>
PREFIX units: <http://example.org/units#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
SELECT ?size { _:H auction:target/auction:hardDisk/auction:size ?d . ?d rdf:value ?size ; auction:units units:G
  FILTER(?size >= 40) }"""


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


def test_a_text_passes_through_the_normalizer_too(auction: Ontology, project: Path) -> None:
    matcher = FlatMatcher(auction, verify=True, normalizer=Normalizer(auction))
    name = matcher.add(QUERY)
    event = Event.load(project / "examples" / "events" / "john-desktop.ttl")
    plain = FlatMatcher(auction, verify=True)
    plain.add(QUERY)
    assert bool(matcher.match_ids(event)) == bool(plain.match_ids(event))
    for match in matcher.match(event):
        assert match.subscription_id == name
        assert match.bindings["size"] is not None


@pytest.mark.parametrize("event", [{"target": 1}, "target", None])
def test_what_is_no_event(auction: Ontology, event: object) -> None:
    matcher = FlatMatcher(auction)
    for ask in (matcher.match_ids, matcher.match, lambda e: matcher.match_many([e])):
        with pytest.raises(EventError, match="is no event"):
            ask(event)  # type: ignore[arg-type]


def test_what_is_no_event_among_many(auction: Ontology) -> None:
    matcher = FlatMatcher(auction)
    matcher.add(FlatSubscription({"target": isa("Computer")}, id="s"))
    heard: list[Exception] = []
    events = [FlatEvent({"target": "DesktopPC"}), "target", FlatEvent({"target": "DesktopPC"})]
    assert matcher.match_many(events, heard.append) == [["s"], [], ["s"]]  # type: ignore[arg-type]
    assert ["is no event" in str(error) for error in heard] == [True]


@pytest.mark.parametrize("subscription", [5, None, {"target": isa("Computer")}])
def test_what_is_no_subscription(auction: Ontology, subscription: object) -> None:
    matcher = FlatMatcher(auction)
    with pytest.raises(SubscriptionError, match="is no subscription"):
        matcher.add(subscription)  # type: ignore[arg-type]
    assert len(matcher) == 0


def test_stats_say_which_index_and_why(auction: Ontology) -> None:
    matcher = FlatMatcher(auction)
    matcher.add(FlatSubscription({"target": isa("Computer")}, id="s"))
    assert matcher.match_ids(FlatEvent({"target": "DesktopPC"})) == ["s"]
    stats = matcher.stats()
    assert stats["index"] == "auto"
    assert stats["chosen"] in ("ctps", "hybrid")
    assert "bit rows" in str(stats["because"])


def test_auto_says_why_where_nobody_waits_under_a_predicate(auction: Ontology) -> None:
    """What is given as the reason is one for what was chosen."""
    matcher = FlatMatcher(auction)
    assert matcher.stats()["chosen"] == "ctps"
    assert "there is no predicate" in str(matcher.stats()["because"])
