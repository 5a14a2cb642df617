"""Local, batch and streaming give identical rows for the same files; thousands of events in a soak run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import FlatMatcher, Ontology, events_from
from semantic_pubsub.spark import compile_subscriptions, flatten_events, match_events
from semantic_pubsub.spark.generate import event_quads, event_text, generate_subscriptions
from semantic_pubsub.subscriptions import SubscriptionText

EVENTS = 20_000 if os.environ.get("SEMANTIC_PUBSUB_SOAK") else 1_500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("events")
    half = EVENTS // 2
    (place / "a.jsonl").write_text("\n".join(event_text(3, n) for n in range(half)) + "\n", encoding="utf-8")
    (place / "b.nq").write_text("".join(event_quads(3, n) for n in range(half, EVENTS)), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def asked() -> list[SubscriptionText]:
    return [SubscriptionText(name, text) for name, text in generate_subscriptions(3, 300)]


def rows(frame: Any) -> list[tuple[str, str]]:
    return sorted((row.event_id, row.subscription_id) for row in frame.collect())


@pytest.mark.parametrize("verify", [True, False])
def test_identical_rows(
    spark: Any, auction: Ontology, folder: Path, asked: list[SubscriptionText], verify: bool, tmp_path: Path
) -> None:
    matcher = FlatMatcher(auction, verify=verify)
    matcher.add_all(asked)
    expected = sorted((e.id or "", name) for e in events_from(folder) for name in matcher.match_ids(e))
    assert len(expected) > EVENTS
    compiled = compile_subscriptions(auction, asked, verify=verify, per_part=130)
    task = match_events(compiled, text="body", format_column="format")
    batch = spark.read.format("rdf-events").option("splitBytes", "200000").load(str(folder))
    assert rows(batch.transform(task)) == expected
    stream = spark.readStream.format("rdf-events").option("maxFilesPerTrigger", "1")
    log = stream.option("log", str(tmp_path / "log")).option("splitBytes", "200000").load(str(folder))
    writer = log.transform(task).writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "check"))
    writer.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()
    assert rows(spark.read.parquet(str(tmp_path / "out"))) == expected


def test_pairs_give_the_flat_answer(spark: Any, auction: Ontology, folder: Path, asked: list[SubscriptionText]) -> None:
    matcher = FlatMatcher(auction)
    matcher.add_all(asked)
    expected = sorted((e.id or "", name) for e in events_from(folder) for name in matcher.match_ids(e))
    records = spark.read.format("rdf-events").option("splitBytes", "200000").load(str(folder))
    pairs = records.transform(flatten_events(auction, text="body", format_column="format"))
    assert rows(pairs.transform(match_events(matcher))) == expected
