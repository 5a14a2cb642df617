"""Subscriptions from files and folders; a bad one does not stop the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semantic_pubsub import Subscription, SubscriptionError
from semantic_pubsub.subscriptions import subscriptions_from

QUERY = "ASK { _:H <urn:p> ?x }"
STATEMENT = "(_:H, ?1, (*, <urn:p>, *))"


def test_stem_is_id_and_ending_is_syntax(tmp_path: Path) -> None:
    (tmp_path / "mine.rq").write_text(QUERY)
    (tmp_path / "yours.OPS").write_text(STATEMENT)
    mine, yours = Subscription.load(tmp_path / "mine.rq"), Subscription.load(str(tmp_path / "yours.OPS"))
    assert (mine.id, mine.syntax, mine.injective) == ("mine", "sparql", False)
    assert (yours.id, yours.syntax, yours.injective) == ("yours", "statements", True)
    assert mine.source == str(tmp_path / "mine.rq")


def test_the_ending_decides(tmp_path: Path) -> None:
    (tmp_path / "wrong.rq").write_text(STATEMENT)
    with pytest.raises(SubscriptionError, match=r"wrong\.rq, line 1, column 1: .*SELECT or ASK"):
        Subscription.load(tmp_path / "wrong.rq")


def test_a_folder_stands_for_its_files_by_name(tmp_path: Path) -> None:
    (tmp_path / "b.rq").write_text(QUERY)
    (tmp_path / "a.ops").write_text(STATEMENT)
    (tmp_path / "c.jsonl").write_text(json.dumps({"id": "c1", "pattern": QUERY}) + "\n")
    (tmp_path / "notes.txt").write_text("not a subscription")
    (tmp_path / "folder.rq").mkdir()
    assert [s.id for s in subscriptions_from(tmp_path)] == ["a", "b", "c1"]


def test_lines(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    records = [
        {"id": "one", "pattern": QUERY},
        {"pattern": STATEMENT},
        {"id": "x", "pattern": QUERY, "injective": True},
    ]
    file.write_text("\ufeff" + "\n\n".join(map(json.dumps, records)), encoding="utf-8")
    one, two, three = subscriptions_from(file)
    assert [one.id, two.id, three.id] == ["one", "many.jsonl:3", "x"]
    assert [one.injective, two.injective, three.injective] == [False, True, True]


BAD_LINES = [
    ("{", "not JSON"),
    ("[1]", 'not an object with "id" and "pattern"'),
    ('{"id": "a"}', 'not an object with "id" and "pattern"'),
    ('{"id": 1, "pattern": "ASK {}"}', "wrong kind of value"),
    ('{"id": "a", "pattern": "ASK {}", "colour": 1}', "unknown key 'colour'"),
    ('{"id": "", "pattern": "ASK {}"}', "an id must be a text"),
    ('{"id": "a", "pattern": "ASK { ?x <urn:p> 1 }"}', "is not reached from _:H"),
    ("[" * 100_000, "not JSON: nested too deep"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES, ids=[message for _, message in BAD_LINES])
def test_a_bad_line_is_told_with_its_number_and_the_rest_is_read(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "some.jsonl"
    good = json.dumps({"id": "good", "pattern": QUERY})
    file.write_text(f"{good}\n{line}\n{good}\n")
    errors: list[SubscriptionError] = []
    assert [s.id for s in subscriptions_from(file, on_error=errors.append)] == ["good", "good"]
    (error,) = errors
    assert message in str(error)
    assert str(error).startswith((f"{file}, line 2", f"{file}:2"))
    with pytest.raises(SubscriptionError):
        list(subscriptions_from(file))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"id": "\xff"}\n')
    (tmp_path / "b.rq").write_bytes(b"ASK {\n\xff\xfe }")
    errors: list[SubscriptionError] = []
    assert list(subscriptions_from(tmp_path, on_error=errors.append)) == []
    assert [(error.line, error.message) for error in errors] == [(1, "not a text in UTF-8"), (2, "not a text in UTF-8")]


def test_what_is_not_there(tmp_path: Path) -> None:
    errors: list[SubscriptionError] = []
    empty = tmp_path / "empty"
    empty.mkdir()
    paths = [tmp_path / "no.rq", tmp_path / "no.jsonl", empty, tmp_path / "x.txt"]
    assert list(subscriptions_from(*paths, on_error=errors.append)) == []
    messages = ["no such file", "no such file", "a folder without subscriptions", "not a file of one subscription"]
    assert [error.message for error in errors] == messages
    assert [error.source for error in errors] == [str(path) for path in paths]


def test_jsonl_is_not_one_subscription(tmp_path: Path) -> None:
    with pytest.raises(SubscriptionError, match=r"use subscriptions_from\(\)"):
        Subscription.load(tmp_path / "a.jsonl")


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.rq").write_text("")
    with pytest.raises(SubscriptionError, match=r"empty\.rq, line 1, column 1"):
        Subscription.load(tmp_path / "empty.rq")


def test_prefixes_are_passed_on(tmp_path: Path) -> None:
    (tmp_path / "a.rq").write_text("ASK { _:H e:p 1 }")
    (subscription,) = subscriptions_from(tmp_path, prefixes={"e": "urn:e:"})
    assert subscription.alternatives[0].arcs[0].property.value == "urn:e:p"  # type: ignore[union-attr]
