"""Limits: a subscription that is too much of anything is refused with one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from semantic_pubsub import Subscription, SubscriptionError
from semantic_pubsub.subscriptions import compile_filter, limits, subscriptions_from
from semantic_pubsub.terms import Literal, NamedNode

INTEGER = NamedNode("http://www.w3.org/2001/XMLSchema#integer")


def condition(expression: str) -> str:
    return f"ASK {{ _:H <urn:p> ?x FILTER ({expression}) }}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ASK " + "{" * 100 + "}" * 100, "nested more than 48 deep"),
        (condition("(" * 100 + "?x" + ")" * 100), "nested more than 48 deep"),
        (condition("STR(" * 100 + "?x" + ")" * 100), "nested more than 48 deep"),
        ("ASK { _:H <urn:p> " + "[ <urn:p> " * 100 + "1" + " ]" * 100 + " }", "nested more than 48 deep"),
        ("ASK { _:H " + "(" * 100 + "<urn:p>" + ")" * 100 + " 1 }", "nested more than 48 deep"),
        ("ASK { _:H <urn:p> " + "( " * 100 + "1" + " )" * 100 + " }", "nested more than 48 deep"),
        (condition(" + ".join(["?x"] * 200)), "more than 128 operators deep"),
        (condition(f"?x IN ({', '.join(['1'] * 10_001)})"), "an IN list of 10,001 members"),
        ("#" * 1_000_001, "1,000,001 characters is longer than the 1,000,000 allowed"),
    ],
    ids=["groups", "parentheses", "calls", "brackets", "paths", "lists", "sum", "in", "text"],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SubscriptionError, match=message):
        Subscription.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        condition(" && ".join(["?x > 1"] * 5_000)),
        condition(f"?x IN ({', '.join(map(str, range(10_000)))})"),
        condition(" + ".join(["?x"] * 100)),
        "ASK { " + " . ".join(f"_:H <urn:p> ?x{number}" for number in range(5_000)) + " }",
    ],
    ids=["conjunction", "in", "sum", "triples"],
)
def test_large_but_legal(text: str) -> None:
    subscription = Subscription.parse(text, id="s")
    assert Subscription.parse(str(subscription), id="s") == subscription


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semantic_pubsub.subscriptions.model.MAX_FILE_SIZE", 10)
    (tmp_path / "a.rq").write_text("ASK { _:H <urn:p> ?x }")
    with pytest.raises(SubscriptionError, match="larger than 10 bytes"):
        Subscription.load(tmp_path / "a.rq")


def test_a_line_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semantic_pubsub.subscriptions.files._MAX_LINE", 60)
    good = '{"id": "good", "pattern": "ASK { _:H <urn:p> ?x }"}\n'
    (tmp_path / "a.jsonl").write_text(good + "x" * 500 + "\n" + good)
    errors: list[SubscriptionError] = []
    assert [s.id for s in subscriptions_from(tmp_path, on_error=errors.append)] == ["good", "good"]
    assert [error.line for error in errors] == [2]


def test_a_number_of_very_many_digits_has_no_value() -> None:
    (pattern,) = Subscription.parse(condition("?x > 1")).alternatives
    holds = compile_filter(pattern.filters[0].expression)
    assert holds({"x": Literal("9" * limits.MAX_NUMBER_LENGTH, datatype=INTEGER)})
    assert not holds({"x": Literal("9" * (limits.MAX_NUMBER_LENGTH + 1), datatype=INTEGER)})


def test_arithmetic_stays_bounded() -> None:
    """A product of products would grow without end; beyond a size it is an error."""
    product = " * ".join(["?x"] * 100)
    (pattern,) = Subscription.parse(condition(f"{product} > 1")).alternatives
    number = Literal("9" * 900, datatype=INTEGER)
    assert not compile_filter(pattern.filters[0].expression)({"x": number})
