"""Errors and notices are data, and print as one line."""

from __future__ import annotations

import pytest

from semantic_pubsub import EventError, Notice, OntologyError, SemanticPubSubError, SubscriptionError
from semantic_pubsub.errors import did_you_mean


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "went wrong"),
        ({"source": "a.ttl"}, "a.ttl: went wrong"),
        ({"source": "a.ttl", "line": 3}, "a.ttl, line 3: went wrong"),
        ({"source": "a.ttl", "line": 3, "column": 0}, "a.ttl, line 3, column 0: went wrong"),
        ({"line": 3, "column": 7}, "line 3, column 7: went wrong"),
        ({"hint": "do better"}, "went wrong (do better)"),
    ],
)
@pytest.mark.parametrize("kind", [OntologyError, EventError, SubscriptionError])
def test_an_error_names_place_and_remedy(kind: type[SemanticPubSubError], fields: dict[str, object], text: str) -> None:
    error = kind("went wrong", **fields)  # type: ignore[arg-type]
    assert str(error) == text
    assert isinstance(error, SemanticPubSubError)
    assert error.message == "went wrong"


def test_a_place_is_added_where_it_was_not_known() -> None:
    assert str(EventError("odd").at("a.ttl", 2)) == "a.ttl, line 2: odd"
    assert str(EventError("odd", source="b.ttl", line=0).at("a.ttl", 2)) == "b.ttl, line 0: odd"


def test_a_notice() -> None:
    assert str(Notice("odd")) == "odd"
    assert str(Notice("odd", "a.rq", 2, 5, "?x < 1")) == "a.rq, line 2, column 5: odd: ?x < 1"


def test_candidates() -> None:
    assert OntologyError("odd", candidates=iter(["a", "b"])).candidates == ("a", "b")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("computr", "did you mean Computer?"),
        ("COMPUTER", "did you mean Computer?"),
        ("xyz", None),
        ("", None),
    ],
)
def test_did_you_mean(name: str, hint: str | None) -> None:
    assert did_you_mean(name, ["Computer", "Book"]) == hint
