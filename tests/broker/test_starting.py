"""A start from compiled subscriptions gives what a start from texts gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from semantic_pubsub import Ontology, OpsMatcher
from semantic_pubsub.broker import Broker
from tests.broker.conftest import event, pattern


def started(plain: Ontology, tmp_path: Path, **options: object) -> Broker:
    return Broker(plain, store=tmp_path / "broker.db", **options)  # type: ignore[arg-type]


def test_a_compiled_set_is_brought_up_to_date(plain: Ontology, tmp_path: Path) -> None:
    with started(plain, tmp_path) as broker:
        for name in ("stays", "goes", "changes"):
            broker.subscribe("alice", pattern("p"), id=name)
    (file,) = (tmp_path / "broker.db.compiled").iterdir()
    old = file.read_bytes()
    with started(plain, tmp_path) as broker:
        broker.unsubscribe("alice", "goes")
        broker.replace("alice", "changes", pattern("q"))
        broker.subscribe("alice", pattern("q"), id="new")
    (file,) = (tmp_path / "broker.db.compiled").iterdir()
    file.write_bytes(old)  # as after a crash
    with started(plain, tmp_path) as broker:
        assert (broker.publish(event()).matches, broker.publish(event(prop="q")).matches) == (1, 2)
        assert sorted(d.subscription_id for d in broker.pull("alice")) == ["changes", "new", "stays"]
        assert broker.stats()["matchers"]["default"]["subscriptions"] == 3


def test_what_is_compiled_is_not_parsed_again(plain: Ontology, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with started(plain, tmp_path) as broker:
        broker.subscribe("alice", pattern("p"))
    seen: list[list[object]] = []
    add_all = OpsMatcher.add_all

    def watched(self: OpsMatcher, texts: object, on_error: object = None) -> list[str]:
        seen.append(list(texts))  # type: ignore[call-overload]
        return add_all(self, seen[-1], on_error)  # type: ignore[arg-type]

    monkeypatch.setattr(OpsMatcher, "add_all", watched)
    with started(plain, tmp_path) as broker:
        assert seen == []
        assert broker.publish(event()).matches == 1


def test_a_store_from_a_copy_takes_no_sets_of_what_came_after_the_copy(plain: Ontology, tmp_path: Path) -> None:
    with started(plain, tmp_path) as broker:
        broker.subscribe("alice", pattern("p"))
    copy = (tmp_path / "broker.db").read_bytes()
    with started(plain, tmp_path) as broker:
        broker.subscribe("alice", pattern("q"))
    for path in tmp_path.glob("broker.db-*"):
        path.unlink()
    (tmp_path / "broker.db").write_bytes(copy)
    with started(plain, tmp_path, compiled=tmp_path / "elsewhere") as broker:  # as after a crash: no set is left behind
        broker.subscribe("alice", pattern("r"))  # has the number that pattern q had
    with started(plain, tmp_path) as broker:
        assert [broker.publish(event(prop=prop)).matches for prop in "pqr"] == [1, 0, 1]


def test_files_of_earlier_sets_are_removed(plain: Ontology, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        with started(plain, tmp_path) as broker:
            broker.subscribe("alice", pattern("p"), id=name)
            broker.subscribe("alice", pattern("p"), id=name, tenant="other")
    assert len(list((tmp_path / "broker.db.compiled").iterdir())) == 2


def test_a_set_is_kept_after_another_ontology_was_taken_up(
    plain: Ontology, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "wide.ttl"
    path.write_text(
        "@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":q rdfs:subPropertyOf :p ."
    )
    wide = Ontology.load(path)
    with started(plain, tmp_path) as broker:
        broker.subscribe("alice", pattern("p"))
        broker.reload(wide)
        broker.subscribe("alice", pattern("q"))
    monkeypatch.setattr(OpsMatcher, "add_all", None)
    with started(wide, tmp_path) as broker:
        assert broker.publish(event(prop="q")).matches == 2


def test_a_store_without_a_file_has_its_sets_where_it_is_told(
    plain: Ontology, store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Broker(plain, store=store_url, compiled=tmp_path / "sets") as broker:
        broker.subscribe("alice", pattern("p"))
    monkeypatch.setattr(OpsMatcher, "add_all", None)
    with Broker(plain, store=store_url, compiled=tmp_path / "sets") as broker:
        assert broker.publish(event()).matches == 1


def test_a_damaged_or_foreign_file_is_left_aside(plain: Ontology, tmp_path: Path) -> None:
    with started(plain, tmp_path) as broker:
        broker.subscribe("alice", pattern("p"))
    (file,) = (tmp_path / "broker.db.compiled").iterdir()
    file.write_bytes(file.read_bytes()[:100])
    with started(plain, tmp_path) as broker:
        assert broker.publish(event()).matches == 1
    for path in tmp_path.glob("broker.db*"):
        if path.is_file():
            path.unlink()
    with started(plain, tmp_path) as broker:  # another store at the same place
        assert broker.publish(event()).matches == 0
        broker.subscribe("alice", pattern("q"))
        assert broker.publish(event()).matches == 0
