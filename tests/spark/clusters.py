"""Clusters for tests, each in processes of its own, and programs that run on them; all on the loopback address."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark

__all__ = ["QUICK_JAVA", "SPARK", "children_named", "driver", "environment", "finished", "kill", "standalone"]

SPARK = Path(pyspark.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For Java that lives a minute: compiling it well costs more than it saves."""


def environment(**more: str) -> dict[str, str]:
    """Loopback only, this interpreter for workers, nothing left in the installation."""
    own = {
        "JDK_JAVA_OPTIONS": QUICK_JAVA,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    return {**os.environ, **own, **more}


def driver(code: str, *arguments: object, log: Path, **more: str) -> subprocess.Popen[bytes]:
    """A Python program with a Spark session of its own."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    with log.open("wb") as out:
        return subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=environment(**more), start_new_session=True
        )


def finished(process: subprocess.Popen[bytes], log: Path, seconds: int = 600) -> str:
    """Wait for a driver; its output, or an error with it."""
    try:
        code = process.wait(seconds)
    finally:
        kill(process)
    said = log.read_text(encoding="utf-8", errors="replace")
    assert code == 0, said[-4000:]
    return said


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a driver and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def children_named(process: int, name: str) -> list[int]:
    """The processes below one whose command line has a name in it."""
    found, waiting = [], [process]
    while waiting:
        parent = waiting.pop()
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            for child in map(int, task.read_text().split()):
                waiting.append(child)
                try:
                    command = Path(f"/proc/{child}/cmdline").read_bytes().decode(errors="replace")
                except OSError:
                    continue
                if name in command:
                    found.append(child)
    return found


@contextmanager
def standalone(folder: Path, workers: int = 2) -> Iterator[str]:
    """A master and workers on loopback; gives the master's address."""
    started: list[subprocess.Popen[bytes]] = []
    settings = environment(SPARK_WORKER_DIR=str(folder / "work"), SPARK_HOME=str(SPARK))
    start = [str(SPARK / "bin" / "spark-class")]
    log = folder / "master.log"
    try:
        with log.open("wb") as out:
            arguments = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
            master = [*start, "org.apache.spark.deploy.master.Master", *arguments]
            started.append(subprocess.Popen(master, stdout=out, stderr=out, env=settings, start_new_session=True))
        address = _address(log)
        for number in range(workers):
            with (folder / f"worker{number}.log").open("wb") as out:
                arguments = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g", address]
                worker = [*start, "org.apache.spark.deploy.worker.Worker", *arguments]
                started.append(subprocess.Popen(worker, stdout=out, stderr=out, env=settings, start_new_session=True))
        yield address
    finally:
        for process in reversed(started):
            kill(process)


def _address(log: Path) -> str:
    for _ in range(600):
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            if "Starting Spark master at " in line:
                return line.partition("Starting Spark master at ")[2].strip()
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8", errors="replace")[-2000:])
