"""Real executor processes: files reach them by every way, a killed executor or driver changes nothing."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Ontology, events_from
from semantic_pubsub.matching.flat_matcher import FlatMatcher
from semantic_pubsub.spark import compile_subscriptions
from semantic_pubsub.spark.generate import generate_subscriptions
from semantic_pubsub.subscriptions import SubscriptionText
from tests.spark.clusters import children_named, driver, finished, kill, standalone
from tests.spark.offers import offer

SOAK = bool(os.environ.get("SEMANTIC_PUBSUB_SOAK"))
EVENTS = 20_000 if SOAK else 500

BATCH = """
import sys, time
from semantic_pubsub.spark import match_events, quiet_session, register
master, folder, index, out, ways, pause = sys.argv[1:]
small = {"spark.executor.memory": "1g", "spark.cores.max": "2", "spark.executor.cores": "1"}
spark = quiet_session(master, settings=small)
register(spark)
events = spark.read.format("rdf-events").option("splitBytes", "60000").load(folder)
def slowly(batches):
    for batch in batches:
        time.sleep(float(pause))
        yield batch
if float(pause):  # else these are Python workers for nothing
    events = events.mapInArrow(slowly, events.schema)
for way in ways.split(","):
    events.transform(match_events(index, text="body", format_column="format", ship=way)).write.parquet(f"{out}/{way}")
print("executors", spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size())
spark.stop()
"""

STREAMS = """
import sys, time
from semantic_pubsub.spark import match_events, quiet_session
folder, index, place, pause = sys.argv[1:]
spark = quiet_session("local[2]")
task = match_events(index, event_id=None, text="value", format="json-ld")
def slowly(batches):
    for batch in batches:
        time.sleep(float(pause))
        yield batch
def slow(lines):
    return lines.mapInArrow(slowly, "value string") if float(pause) else lines
def save(batch, number):
    batch.transform(slow).transform(task).write.mode("overwrite").parquet(f"{place}/foreachBatch/out/batch={number}")
def stream(name):
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(folder)
    native = name == "native"
    writer = (lines.transform(slow).transform(task) if native else lines).writeStream.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", f"{place}/{name}/checkpoint")
    return writer.format("parquet").start(f"{place}/native/out") if native else writer.foreachBatch(save).start()
for query in [stream("native"), stream("foreachBatch")]:
    query.awaitTermination()
print("host", spark.conf.get("spark.driver.host"))
spark.stop()
"""
SINKS = ("native", "foreachBatch")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, auction: Ontology) -> tuple[Path, Path, list[tuple[str, str]]]:
    """Events in files, a compiled set, and the rows that are right."""
    place = tmp_path_factory.mktemp("faults")
    folder = place / "events"
    folder.mkdir()
    for number in range(5):
        lines = (offer(5, n) for n in range(number * EVENTS // 5, (number + 1) * EVENTS // 5))
        (folder / f"{number}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = [SubscriptionText(name, text) for name, text in generate_subscriptions(5, 200)]
    compile_subscriptions(auction, asked, place / "index", verify=True)
    expected, flat = (matches(auction, asked, folder, verify) for verify in (True, False))
    assert len(expected) > EVENTS / 2
    assert len(flat) > len(expected)  # some events need the graph
    return folder, place / "index", expected


def matches(auction: Ontology, asked: list[SubscriptionText], folder: Path, verify: bool) -> list[tuple[str, str]]:
    """The rows of a local matcher."""
    matcher = FlatMatcher(auction, verify=verify)
    matcher.add_all(asked)
    return sorted((e.id or "", name) for e in events_from(folder) for name in matcher.match_ids(e))


def rows(spark: Any, folder: Path) -> list[tuple[str, str]]:
    return sorted((row.event_id, row.subscription_id) for row in spark.read.parquet(str(folder)).collect())


def test_every_way_to_executors_of_a_local_cluster(spark: Any, work: Any, tmp_path: Path) -> None:
    folder, index, expected = work
    ways = "artifact,broadcast,path" if SOAK else "artifact,broadcast"
    for attempt in range(2):  # such a cluster may fail to start once in a while
        out, log = tmp_path / f"out{attempt}", tmp_path / f"log{attempt}"
        process = driver(BATCH, "local-cluster[2,1,1024]", folder, index, out, ways, 0, log=log)
        try:
            said = finished(process, log)
            break
        except AssertionError:
            if attempt:
                raise
    assert "executors 3" in said
    for way in ways.split(","):
        assert rows(spark, out / way) == expected


def test_a_killed_executor_changes_nothing(spark: Any, work: Any, tmp_path: Path) -> None:
    folder, index, expected = work
    out, log = tmp_path / "out", tmp_path / "log"
    with standalone(tmp_path) as master:
        process = driver(BATCH, master, folder, index, out, "artifact", 0.5, log=log)
        try:
            for _ in range(3 if SOAK else 1):
                kill_an_executor(tmp_path, process)
                assert not (out / "artifact" / "_SUCCESS").exists()
            finished(process, log)
        finally:
            kill(process)
    assert rows(spark, out / "artifact") == expected


def kill_an_executor(folder: Path, process: Any) -> None:
    """Wait until an executor runs Python workers, then end it with SIGKILL."""
    for _ in range(3_000):
        assert process.poll() is None, "the job was over before an executor could be killed"
        workers = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()]
        for pid in workers:
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
                place = Path(f"/proc/{pid}/cwd").resolve()
            except OSError:
                continue
            ours = "CoarseGrainedExecutorBackend" in command and folder in place.parents
            if ours and children_named(pid, "pyspark"):
                time.sleep(1)
                os.kill(pid, signal.SIGKILL)
                return
        time.sleep(0.1)
    raise AssertionError("no executor was seen at work")


def test_a_killed_driver_loses_and_repeats_nothing(spark: Any, work: Any, tmp_path: Path) -> None:
    folder, index, expected = work
    for crash in range(1, 4 if SOAK else 2):
        process = driver(STREAMS, folder, index, tmp_path, 1, log=tmp_path / f"crash{crash}")
        try:
            wait_for_the_middle_of_a_batch(process, tmp_path, crash)
        finally:
            kill(process)
    said = finished(driver(STREAMS, folder, index, tmp_path, 0, log=tmp_path / "end"), tmp_path / "end")
    assert said in ("host localhost\n", "host 127.0.0.1\n")  # a session is quiet from its start to its end
    for name in SINKS:
        assert rows(spark, tmp_path / name / "out") == expected


def wait_for_the_middle_of_a_batch(process: Any, place: Path, crash: int) -> None:
    """Both streams have done as many batches as there were crashes, and each is at work on another one."""
    for _ in range(3_000):
        counts = [(batches(place, name, "offsets"), batches(place, name, "commits")) for name in SINKS]
        if all(begun > done >= crash for begun, done in counts):
            time.sleep(0.3)
            return
        assert process.poll() is None, "the streams were over before they could be killed"
        time.sleep(0.1)
    raise AssertionError("no batch was seen at work")


def batches(place: Path, name: str, step: str) -> int:
    return len(list((place / name / "checkpoint" / step).glob("[0-9]*")))
