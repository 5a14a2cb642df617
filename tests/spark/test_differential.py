"""Local, batch and streaming give identical rows for the same files: 2,000 events, 20,000 in a soak run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import FlatMatcher, Ontology, events_from
from semantic_pubsub.spark import compile_subscriptions, flatten_events, match_events
from semantic_pubsub.spark.generate import generate_subscriptions
from semantic_pubsub.subscriptions import SubscriptionText
from tests.spark.offers import offer, offer_quads

EVENTS = 20_000 if os.environ.get("SEMANTIC_PUBSUB_SOAK") else 2_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("events")
    half = EVENTS // 2
    (place / "a.jsonl").write_text("\n".join(offer(3, n) for n in range(half)) + "\n", encoding="utf-8")
    (place / "b.nq").write_text("".join(offer_quads(3, n) for n in range(half, EVENTS)), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def asked() -> list[SubscriptionText]:
    return [SubscriptionText(name, text) for name, text in generate_subscriptions(3, 300)]


@pytest.fixture(scope="module")
def expected(auction: Ontology, folder: Path, asked: list[SubscriptionText]) -> dict[bool, list[tuple[str, str]]]:
    """The rows of a local matcher, with verification and without."""
    events = list(events_from(folder))
    found = {}
    for verify in (True, False):
        matcher = FlatMatcher(auction, verify=verify)
        matcher.add_all(asked)
        found[verify] = sorted((event.id or "", name) for event in events for name in matcher.match_ids(event))
    assert len(found[True]) > EVENTS
    assert len(set(found[False]) - set(found[True])) > EVENTS / 100  # what only the graph refuses
    return found


def rows(frame: Any) -> list[tuple[str, str]]:
    return sorted((row.event_id, row.subscription_id) for row in frame.collect())


def read(spark: Any, folder: Path) -> Any:
    return spark.read.format("rdf-events").option("splitBytes", "200000").load(str(folder))


def test_the_graph_answer_in_batch_and_stream(
    spark: Any, auction: Ontology, folder: Path, asked: list[SubscriptionText], expected: Any, tmp_path: Path
) -> None:
    compiled = compile_subscriptions(auction, asked, verify=True, per_part=130)
    task = match_events(compiled, text="body", format_column="format")
    assert rows(read(spark, folder).transform(task)) == expected[True]
    stream = spark.readStream.format("rdf-events").option("maxFilesPerTrigger", "1")
    log = stream.option("log", str(tmp_path / "log")).option("splitBytes", "200000").load(str(folder))
    writer = log.transform(task).writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "check"))
    writer.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()
    assert rows(spark.read.parquet(str(tmp_path / "out"))) == expected[True]


def test_the_flat_answer_from_texts_and_pairs(
    spark: Any, auction: Ontology, folder: Path, asked: list[SubscriptionText], expected: Any
) -> None:
    compiled = compile_subscriptions(auction, asked, per_part=130)
    texts = read(spark, folder)
    assert rows(texts.transform(match_events(compiled, text="body", format_column="format"))) == expected[False]
    pairs = texts.transform(flatten_events(auction, text="body", format_column="format"))
    assert rows(pairs.transform(match_events(compiled))) == expected[False]
