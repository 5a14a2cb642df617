"""Spark Connect: the same transformations without a SparkContext, in batch and streams, the index as an artifact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Ontology
from semantic_pubsub.spark import compile_subscriptions, match_events
from semantic_pubsub.spark.generate import event_text, generate_subscriptions
from semantic_pubsub.subscriptions import SubscriptionText
from tests.spark.clusters import driver, finished

pytest.importorskip("grpc")

CODE = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from semantic_pubsub import Ontology
from semantic_pubsub.spark import flatten_events, match_events, register
ontology, index, folder, out = sys.argv[1:]
spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
rows = list(enumerate(Path(folder, "a.jsonl").read_text().splitlines()))
frame = spark.createDataFrame(rows, "event_id int, body string")
direct = frame.transform(match_events(index, text="body", format="json-ld"))
print("rows", sorted((r.event_id, r.subscription_id) for r in direct.collect()))
pairs = frame.transform(flatten_events(Ontology.load(ontology), text="body", format="json-ld"))
print("rows", sorted((r.event_id, r.subscription_id) for r in pairs.transform(match_events(index)).collect()))
register(spark)
stream = spark.readStream.format("rdf-events").load(folder)
writer = stream.transform(match_events(index, text="body", format_column="format")).writeStream.format("parquet")
writer.option("checkpointLocation", out + "/c").trigger(availableNow=True).start(out + "/o").awaitTermination()
found = spark.read.parquet(out + "/o").collect()
print("rows", sorted((int(r.event_id.rpartition(":")[2]), r.subscription_id) for r in found))
spark.stop()
"""


def test_the_same_rows(spark: Any, auction: Ontology, project: Path, tmp_path: Path) -> None:
    asked = [SubscriptionText(name, text) for name, text in generate_subscriptions(9, 50)]
    compile_subscriptions(auction, asked, tmp_path / "index")
    lines = [event_text(9, number) for number in range(100)]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    arguments = (project / "ontology" / "auction.ttl", tmp_path / "index", tmp_path / "in", tmp_path / "out")
    said = finished(driver(CODE, *arguments, log=tmp_path / "log"), tmp_path / "log")
    found = [line for line in said.splitlines() if line.startswith("rows ")]
    frame = spark.createDataFrame(list(enumerate(lines)), "event_id int, body string")
    local = frame.transform(match_events(tmp_path / "index", text="body", format="json-ld")).collect()
    expected = f"rows {sorted((r.event_id, r.subscription_id) for r in local)}"
    assert found == [expected, expected, expected]  # texts, pairs, and a stream of files
    assert len(local) > 20
