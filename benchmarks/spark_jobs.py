"""What the Spark benchmarks share: a session, the CPU of jobs, the memory of workers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from semantic_pubsub.spark import quiet_session

__all__ = ["Cost", "Line", "measured", "private_mb", "run", "session", "settled", "warm"]

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    ours: str
    peer: str
    ratio: float | None
    wanted: str


def tree() -> Iterator[Path]:
    """The folders in /proc of this process and of each that runs below it."""
    waiting = [os.getpid()]
    while waiting:
        place = Path(f"/proc/{waiting.pop()}")
        yield place
        try:
            for children in (place / "task").glob("*/children"):
                waiting += map(int, children.read_text().split())
        except OSError:
            continue


def tree_cpu() -> dict[int, float]:
    """CPU seconds of this process and of each that runs below it."""
    found: dict[int, float] = {}
    for place in tree():
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            found[int(place.name)] = sum(map(int, fields[11:13])) / _TICKS
        except OSError:
            continue
    return found


def private_mb() -> float:
    """The private memory of our largest Python worker, in MB."""
    largest = 0.0
    for place in tree():
        try:
            if b"pyspark.daemon" in (place / "cmdline").read_bytes():
                lines = (place / "smaps_rollup").read_text().splitlines()
                own = sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
                largest = max(largest, own / 1024)
        except OSError:
            continue
    return largest


def run(frame: Any) -> tuple[float, float]:
    """CPU and wall seconds of a job that writes nowhere."""
    started, before = time.perf_counter(), tree_cpu()
    frame.write.format("noop").mode("overwrite").save()
    wall = time.perf_counter() - started
    return sum(cpu - before.get(pid, 0.0) for pid, cpu in tree_cpu().items()), wall


def warm(frame: Any, task: Any) -> None:
    """Let every worker load what it needs: a job on a little of each partition, twice."""
    for _ in range(2):
        run(frame.where("event_id % 50 = 0").transform(task))


def settled(frame: Any) -> tuple[float, float]:
    """CPU and wall seconds of a job when all is loaded and compiled: the median of three after the first."""
    run(frame)
    return sorted(run(frame) for _ in range(3))[1]


class Cost(NamedTuple):
    """CPU seconds an event: of one more, and of the whole job with its planning and start; and events a second."""

    marginal: float
    whole: float
    rate: float


def measured(job: Callable[[int], Any], events: int) -> Cost:
    """What a job costs on so many events, and what on a fifth of them: the difference leaves out planning, broadcast
    and the start of tasks. `job(n)` is the job on n events; the least of three, after one that loads and compiles."""
    few = max(1, events // 5)
    found = []
    for number in (few, events):
        frame = job(number)
        run(frame)
        found.append(min(run(frame) for _ in range(3)))
    (small, _), (large, wall) = found
    return Cost((large - small) / (events - few), large / events, events / wall)


def session(cores: int = 2) -> Any:
    """A session for benchmarks, with memory for plain Spark's tables."""
    settings = {"spark.driver.memory": "6g", "spark.sql.shuffle.partitions": "2", "spark.sql.adaptive.enabled": "false"}
    return quiet_session(f"local[{cores}]", "benchmark", settings)
