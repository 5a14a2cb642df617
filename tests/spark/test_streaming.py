"""Structured Streaming: the same rows as batch, new subscriptions at the border of a batch."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import FlatMatcher, FlatSubscription, Ontology, SemanticPubSubError, equals, events_from, less_than
from semantic_pubsub.spark import IndexVersions, compile_matcher, match_events
from semantic_pubsub.spark.bundle import _shipped

A = "http://example.org/auction#"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    made = tmp_path / "in", tmp_path / "out", tmp_path / "checkpoint"
    made[0].mkdir()
    return made


def put(folder: Path, name: str, text: str) -> None:
    hidden = folder / f".{name}"
    hidden.write_text(text, encoding="utf-8")
    hidden.rename(folder / name)


def event_line(number: int, title: str) -> str:
    return f'{{"@id": "urn:e:{number}", "@type": "{A}Selling", "{A}title": "{title}"}}\n'


def run_once(frame: Any, out: Path, checkpoint: Path) -> None:
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start(str(out)).awaitTermination()


def written(spark: Any, out: Path) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.read.parquet(str(out)).collect())


def titles(auction: Ontology, *asked: str) -> FlatMatcher:
    matcher = FlatMatcher(auction)
    matcher.add_all([FlatSubscription({"title": equals(title)}, id=f"is-{title}") for title in asked])  # type: ignore[list-item]
    return matcher


def test_event_files_as_a_stream(spark: Any, verified: FlatMatcher, project: Path, folders: Any) -> None:
    source, out, checkpoint = folders
    files = sorted(file for file in (project / "examples" / "events").iterdir() if file.is_file())
    stream = spark.readStream.format("rdf-events").option("maxFilesPerTrigger", "2").load(str(source))
    matched = stream.transform(match_events(verified, text="body", format_column="format"))
    for some in (files[:3], files[3:]):  # the second run goes on where the first one ended
        for file in some:
            put(source, file.name, file.read_text(encoding="utf-8"))
        run_once(matched, out, checkpoint)
    expected = sorted((e.id, n) for e in events_from(project / "examples/events") for n in verified.match_ids(e))
    assert written(spark, out) == expected


def test_the_rate_source(spark: Any, auction: Ontology) -> None:
    matcher = FlatMatcher(auction)
    matcher.add(FlatSubscription({"price.value": less_than(10)}, id="small"))
    rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "20").load()
    matched = rate.transform(match_events(matcher, event_id="value", columns={"value": "price.value"}))
    query = matched.writeStream.format("memory").queryName("rate_matches").start()
    try:
        wait_for(lambda: len(query.recentProgress) > 1)
    finally:
        query.stop()
    found = sorted(row.value for row in spark.table("rate_matches").collect())
    assert found == list(range(10))


def wait_for(condition: Any) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it never happened")


def test_new_subscriptions_at_the_border_of_a_batch(
    spark: Any, auction: Ontology, folders: Any, tmp_path: Path
) -> None:
    source, out, checkpoint = folders
    versions = IndexVersions(tmp_path / "sets")
    with pytest.raises(SemanticPubSubError, match="no version yet"):
        match_events(versions)
    assert versions.publish(titles(auction, "old")) == 1
    lines = spark.readStream.text(str(source))
    matched = lines.transform(match_events(versions, event_id=None, text="value", format="json-ld"))
    writer = matched.writeStream.format("parquet").option("checkpointLocation", str(checkpoint))
    query = writer.start(str(out))
    try:
        put(source, "1.txt", event_line(1, "old") + event_line(2, "new"))
        wait_for(lambda: len(written_files(out)) and query.lastProgress and query.lastProgress["batchId"] >= 0)
        query.processAllAvailable()
        assert versions.publish(titles(auction, "old", "new")) == 2
        put(source, "2.txt", event_line(3, "old") + event_line(4, "new"))
        query.processAllAvailable()
    finally:
        query.stop()
    assert written(spark, out) == [("urn:e:1", "is-old"), ("urn:e:3", "is-old"), ("urn:e:4", "is-new")]
    pins = sorted((tmp_path / "sets" / "pins").iterdir())
    assert [pin.read_text() for pin in pins] == ["1", "2"]


def written_files(out: Path) -> list[Path]:
    return list(out.glob("*.parquet")) if out.exists() else []


class InBatch:
    """A task's context inside a batch of a stream."""

    def __init__(self, query: str, batch: int) -> None:
        self._known = {"sql.streaming.queryId": query, "streaming.sql.batchId": str(batch)}

    def getLocalProperty(self, name: str) -> str | None:
        return self._known.get(name)


def test_a_batch_takes_its_version_again_after_a_restart(
    auction: Ontology, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = IndexVersions(tmp_path)
    digests = [""]

    def publish(title: str) -> None:
        versions.publish(titles(auction, title))
        digests.append(versions.current().digest)

    def taken(query: str, batch: int | None) -> int:
        """The version that a task takes in a process that knows nothing but the folder."""
        context = None if batch is None else InBatch(query, batch)
        monkeypatch.setattr("pyspark.TaskContext.get", lambda: context)
        return digests.index(IndexVersions(tmp_path).watched().handle().digest)

    publish("old")
    assert taken("q", 7) == 1
    publish("new")
    assert [taken("q", 7), taken("q", 8), taken("other", 7), taken("", None)] == [1, 2, 2, 2]
    publish("newer")
    assert [taken("q", 7), taken("q", 8), taken("q", 9), taken("", None)] == [1, 2, 3, 3]
    assert taken("q", 107) == 3
    assert sorted(pin.name for pin in (tmp_path / "pins").iterdir()) == ["other.7", "q.107", "q.8", "q.9"]


def test_foreach_batch_keyed_by_the_batch(spark: Any, auction: Ontology, folders: Any) -> None:
    source, out, checkpoint = folders
    compiled = compile_matcher(titles(auction, "old"))
    task = match_events(compiled, event_id=None, text="value", format="json-ld", ship="broadcast")

    def write(batch: Any, number: int) -> None:
        batch.transform(task).write.mode("overwrite").parquet(str(out / f"batch={number}"))

    for number in range(2):
        put(source, f"{number}.txt", event_line(number, "old"))
        query = spark.readStream.text(str(source)).writeStream.foreachBatch(write)
        query.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start().awaitTermination()
    assert written(spark, out) == [("urn:e:0", "is-old", 0), ("urn:e:1", "is-old", 1)]
    assert [digest for _, digest, _ in _shipped].count(compiled.digest) == 1  # though each batch has its own session
