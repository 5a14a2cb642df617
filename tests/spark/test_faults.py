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
from semantic_pubsub.spark.generate import event_text, generate_subscriptions
from semantic_pubsub.subscriptions import SubscriptionText
from tests.spark.clusters import children_named, driver, finished, kill, standalone

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
events = events.mapInArrow(slowly, events.schema)
for way in ways.split(","):
    events.transform(match_events(index, text="body", format_column="format", ship=way)).write.parquet(f"{out}/{way}")
print("executors", spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size())
spark.stop()
"""

STREAM = """
import sys, time
from semantic_pubsub.spark import match_events, quiet_session
folder, index, out, checkpoint, pause = sys.argv[1:]
spark = quiet_session("local[2]")
lines = spark.readStream.option("maxFilesPerTrigger", 1).text(folder)
def slowly(batches):
    for batch in batches:
        time.sleep(float(pause))
        yield batch
task = match_events(index, event_id=None, text="value", format="json-ld")
matched = lines.mapInArrow(slowly, "value string").transform(task)
query = matched.writeStream.format("parquet").option("checkpointLocation", checkpoint)
query.trigger(availableNow=True).start(out).awaitTermination()
spark.stop()
"""

EACH_BATCH = STREAM.replace(
    'query = matched.writeStream.format("parquet").option("checkpointLocation", checkpoint)',
    """
def save(batch, number):
    batch.write.mode("overwrite").parquet(f"{out}/batch={number}")
query = matched.writeStream.foreachBatch(save).option("checkpointLocation", checkpoint)
""",
).replace("start(out)", "start()")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, auction: Ontology) -> tuple[Path, Path, list[tuple[str, str]]]:
    """Events in files, a compiled set, and the rows that are right."""
    place = tmp_path_factory.mktemp("faults")
    folder = place / "events"
    folder.mkdir()
    for number in range(5):
        lines = (event_text(5, n) for n in range(number * EVENTS // 5, (number + 1) * EVENTS // 5))
        (folder / f"{number}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = [SubscriptionText(name, text) for name, text in generate_subscriptions(5, 200)]
    compile_subscriptions(auction, asked, place / "index", verify=True)
    matcher = FlatMatcher(auction, verify=True)
    matcher.add_all(asked)
    expected = sorted((e.id or "", name) for e in events_from(folder) for name in matcher.match_ids(e))
    assert len(expected) > EVENTS / 2
    return folder, place / "index", expected


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
            finished(process, log)
        finally:
            kill(process)
    assert rows(spark, out / "artifact") == expected


def kill_an_executor(folder: Path, process: Any) -> None:
    """Wait until an executor runs Python workers, then end it with SIGKILL."""
    for _ in range(900):
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


@pytest.mark.parametrize("program", [STREAM, EACH_BATCH], ids=["native sink", "foreachBatch"])
def test_a_killed_driver_loses_and_repeats_nothing(spark: Any, work: Any, tmp_path: Path, program: str) -> None:
    folder, index, expected = work
    out, checkpoint = tmp_path / "out", tmp_path / "checkpoint"
    for crash in range(1, 4 if SOAK else 2):
        process = driver(program, folder, index, out, checkpoint, 1, log=tmp_path / f"crash{crash}")
        try:
            for _ in range(900):
                if len(list((checkpoint / "commits").glob("[0-9]*"))) >= crash:
                    break
                assert process.poll() is None, (tmp_path / f"crash{crash}").read_text()
                time.sleep(0.1)
            time.sleep(0.7)  # into the middle of the next batch
            assert process.poll() is None, "the stream was over before it could be killed"
        finally:
            kill(process)
    finished(driver(program, folder, index, out, checkpoint, 0, log=tmp_path / "end"), tmp_path / "end")
    assert rows(spark, out) == expected
