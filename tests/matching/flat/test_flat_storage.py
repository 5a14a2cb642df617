"""A saved flat matcher, loaded again or sent to another process, gives the same answers and refuses changes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import Event, FlatEvent, FlatMatcher, FlatSubscription, Ontology, SemanticPubSubError, isa
from semantic_pubsub.subscriptions import subscriptions_from
from tests.matching.flat.tabled import TABLED
from tests.matching.flat.varied import events, ontology, subscriptions

ONTOLOGY = ontology()


@pytest.mark.parametrize("index", TABLED)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(subscriptions, min_size=1, max_size=12), st.lists(events, min_size=1, max_size=4), st.data())
def test_gives_the_same_answers(
    tmp_path: Path, index: str, asked: list[FlatSubscription], shown: list[FlatEvent], data: st.DataObject
) -> None:
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add_all(asked)  # type: ignore[arg-type]
    for number in data.draw(st.sets(st.integers(0, len(asked) - 1), max_size=3)):
        matcher.remove(asked[number].id)
    before = [sorted(ids) for ids in matcher.match_many(shown)]
    matcher.save(tmp_path / "saved")
    assert [sorted(ids) for ids in matcher.match_many(shown)] == before
    for again in (FlatMatcher.load(tmp_path / "saved", ONTOLOGY), pickle.loads(pickle.dumps(matcher))):
        assert [sorted(ids) for ids in again.match_many(shown)] == before
        assert len(again) == len(matcher)
        for name in again.ids():
            assert set(map(repr, again.explain(shown[0], name).alternatives[0].findings)) == set(
                map(repr, matcher.explain(shown[0], name).alternatives[0].findings)
            )


def test_the_graph_answer_survives(project: Path, tmp_path: Path) -> None:
    auction = Ontology.load(project / "ontology" / "auction.ttl")
    matcher = FlatMatcher(auction, verify=True)
    matcher.add_all(subscriptions_from(project / "examples" / "subscriptions"))
    matcher.save(tmp_path / "saved")
    john = Event.load(project / "examples" / "events" / "john-desktop.ttl")
    for again in (FlatMatcher.load(tmp_path / "saved", auction, verify_file=True), pickle.loads(pickle.dumps(matcher))):
        assert sorted(again.match_ids(john)) == sorted(matcher.match_ids(john)) == ["reachable-by-phone"]
        assert again.match(john)[0].bindings == matcher.match(john)[0].bindings


def test_is_read_only_when_loaded(tmp_path: Path) -> None:
    matcher = FlatMatcher(ONTOLOGY)
    matcher.add(FlatSubscription({"p": isa("A")}, id="a"))
    matcher.save(tmp_path / "saved")
    again = FlatMatcher.load(tmp_path / "saved", ONTOLOGY)
    for change in (lambda: again.add(FlatSubscription({"p": isa("B")}, id="b")), lambda: again.remove("a")):
        with pytest.raises(SemanticPubSubError, match="read-only"):
            change()
    assert again.ids() == ["a"]
    assert again.match_ids(FlatEvent({"p": "D"})) == ["a"]


def test_another_ontology_is_refused(tmp_path: Path, project: Path) -> None:
    FlatMatcher(ONTOLOGY).save(tmp_path / "saved")
    with pytest.raises(SemanticPubSubError, match="with this ontology"):
        FlatMatcher.load(tmp_path / "saved", Ontology.load(project / "ontology" / "auction.ttl"))


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    FlatMatcher(ONTOLOGY).save(tmp_path / "saved")
    data = (tmp_path / "saved").read_bytes()
    (tmp_path / "saved").write_bytes(data[:-10])
    with pytest.raises(SemanticPubSubError, match="cut off"):
        FlatMatcher.load(tmp_path / "saved", ONTOLOGY)
