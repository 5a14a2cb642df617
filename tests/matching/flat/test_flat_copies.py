"""A copy of a flat matcher, in this process or another, or from a file, normalises and checks as the first one does."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from semantic_pubsub import (
    EventError,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Normalizer,
    SemanticPubSubError,
    at_least,
    equals,
)
from semantic_pubsub.matching.flat.indexes import INDEXES
from tests.matching.flat.measured import MEASURES, event_of, ontology_of, sparql

ONTOLOGY = ontology_of(MEASURES)
ASKED = FlatSubscription({"level.numericValue": at_least(1), "level.unit": equals("GB")}, id="flat")
QUERY = '_:H ex:level ?l . ?l qudt:numericValue ?v ; qudt:unit "GB" FILTER(?v >= 1)'
EVENT = FlatEvent({"level.numericValue": 1000, "level.unit": "MB"})
GRAPH = event_of('_:H ex:level [ qudt:numericValue 1000 ; qudt:unit "MB" ] .')

COPIES: dict[str, Callable[[FlatMatcher], FlatMatcher]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda matcher: pickle.loads(pickle.dumps(matcher)),
}


def made(index: str = "auto", verify: bool = False) -> FlatMatcher:
    matcher = FlatMatcher(ONTOLOGY, index, verify, strict=True, normalizer=Normalizer(ONTOLOGY))
    matcher.add(ASKED)
    matcher.add(sparql(QUERY))
    return matcher


def check(matcher: FlatMatcher) -> None:
    assert matcher.match_ids(EVENT) == ["flat"]
    assert sorted(matcher.match_ids(GRAPH)) == ["flat", "s"]
    with pytest.raises(EventError, match="unheard"):
        matcher.match_ids(FlatEvent({"unheard": 1}))


@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("index", INDEXES)
def test_a_copy_normalises_and_is_strict(index: str, how: str, verify: bool) -> None:
    matcher = made(index, verify)
    again = COPIES[how](matcher)
    assert again.stats()["index"] == matcher.stats()["index"]
    assert again.stats()["verify"] == matcher.stats()["verify"]
    check(again)


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("verify", [False, True])
def test_a_copy_of_the_scanning_matcher_is_its_own(how: str, verify: bool) -> None:
    """It may be changed, and that changes nothing elsewhere."""
    matcher = made("scan", verify)
    matcher.add(FlatSubscription({"level.numericValue": at_least(0)}, id="gone"))
    matcher.remove("gone")
    again = COPIES[how](matcher)
    again.remove("flat")
    again.add(FlatSubscription({"level.numericValue": at_least(0)}, id="new"))
    assert sorted(again.match_ids(GRAPH)) == ["new", "s"]
    assert sorted(matcher.match_ids(GRAPH)) == ["flat", "s"]
    assert again.explain(GRAPH, "s").matched
    assert sorted(again.ids()) == ["new", "s"]


def test_warnings_are_copied() -> None:
    matcher = FlatMatcher(ONTOLOGY, "scan")
    name = matcher.add(sparql("_:H ex:level ?l FILTER(?l > 5 && ?l < 3)"))
    assert pickle.loads(pickle.dumps(matcher)).warnings == matcher.warnings
    assert name in matcher.warnings


@pytest.mark.parametrize("verify", [False, True])
def test_a_loaded_matcher_takes_a_normalizer_and_strict(tmp_path: Path, verify: bool) -> None:
    made("auto", verify).save(tmp_path / "saved")
    check(FlatMatcher.load(tmp_path / "saved", ONTOLOGY, strict=True, normalizer=Normalizer(ONTOLOGY)))
    lenient = FlatMatcher.load(tmp_path / "saved", ONTOLOGY, normalizer=Normalizer(ONTOLOGY))
    assert lenient.match_ids(FlatEvent({"unheard": 1})) == []


def test_a_normalizer_on_one_side_only_is_refused(tmp_path: Path) -> None:
    made().save(tmp_path / "with")
    with pytest.raises(SemanticPubSubError, match="by a matcher with a normalizer"):
        FlatMatcher.load(tmp_path / "with", ONTOLOGY)
    FlatMatcher(ONTOLOGY).save(tmp_path / "without")
    with pytest.raises(SemanticPubSubError, match="by a matcher without a normalizer"):
        FlatMatcher.load(tmp_path / "without", ONTOLOGY, normalizer=Normalizer(ONTOLOGY))


def test_a_copied_normalizer_knows_what_the_first_one_was_told() -> None:
    told = Normalizer(ONTOLOGY, synonyms={"heavy": "ex:weight"}, units={"weight": "weightUnit"})
    told.event(FlatEvent({"weight": 1, "weightUnit": "parrots"}))
    again = pickle.loads(pickle.dumps(told))
    assert again.notices == ()
    event = FlatEvent({"weight": 1, "weightUnit": "g"})
    assert again.event(event) == told.event(event) != event
