"""The broker over HTTP: a server in a process of its own, and connections that publish one event after the other.

Beside it, in turn, the same events by `publish_soon` in one process: what HTTP costs. An event counts when its 201 has
come. Client and server share the machine's cores; CPU is the server's alone.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.broker_load import Flood, fill, flood
from benchmarks.workloads import Shop
from semantic_pubsub import EventValidator, Ontology
from semantic_pubsub.broker import Broker

__all__ = ["http_row"]

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Answered:
    """What some connections had done: seconds in all, CPU of the server, seconds of each request."""

    seconds: float
    cpu: float
    latencies: list[float]


def http_row(
    subscriptions: int, workload: Shop, connections: int, events: int, rounds: int, shapes: str | None
) -> None:
    """Print how fast a server takes events with so many subscriptions, and validates them where there are shapes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shop.ttl").write_text(workload.ontology_text(), encoding="utf-8")
        fill(folder / "http.db", workload.subscriptions(subscriptions))
        shutil.copy(folder / "http.db", folder / "embedded.db")
        texts = workload.endless_events()
        served: list[Answered] = []
        embedded: list[Flood] = []
        ontology = Ontology.load(folder / "shop.ttl")
        validator = None
        if shapes is not None:
            (folder / "shapes.ttl").write_text(shapes, encoding="utf-8")
            validator = EventValidator(folder / "shapes.ttl", ontology)
        with (
            Broker(ontology, store=folder / "embedded.db", validator=validator) as broker,
            _server(folder, validated=shapes is not None) as (port, process),
        ):
            for number in range(rounds + 1):
                load = list(islice(texts, events))
                found = asyncio.run(_publish(port, process, load, connections))
                direct = flood(broker.store, broker.publish_soon, load, connections)
                if number:  # the first one warms up
                    served.append(found)
                    embedded.append(direct)
    _print(f"{subscriptions:>12,}{'on' if shapes else 'off':>8}{connections:>14}", events, served, embedded)


def _print(row: str, events: int, served: list[Answered], embedded: list[Flood]) -> None:
    rate = statistics.median(events / found.seconds for found in served)
    direct = statistics.median(events / found.seconds for found in embedded)
    cpu = statistics.median(found.cpu / events for found in served)
    ranked = sorted(seconds for found in served for seconds in found.latencies)
    late = ranked[round(0.99 * (len(ranked) - 1))]
    print(
        f"{row}{rate:>12,.0f}{direct:>12,.0f}{rate / direct:>8.2f}{cpu * 1e6:>12,.0f}"
        f"{statistics.median(ranked) * 1e3:>10.1f} ({late * 1e3:.1f})",
        flush=True,
    )


@contextmanager
def _server(folder: Path, *, validated: bool) -> Iterator[tuple[int, int]]:
    """A server on any port, with its process."""
    log = folder / "log"
    command = [sys.executable, "-m", "semantic_pubsub", "serve", "--port", "0", "--ontology", str(folder / "shop.ttl")]
    if validated:
        command += ["--shapes", str(folder / "shapes.ttl")]
    with (
        log.open("wb") as stderr,
        subprocess.Popen([*command, "--store", f"sqlite:///{folder}/http.db"], stderr=stderr) as process,
    ):
        try:
            while '"listening"' not in (said := log.read_text(encoding="utf-8")):
                if process.poll() is not None:
                    raise RuntimeError(said)
                time.sleep(0.05)
            yield int(said.partition('"port": ')[2].partition("}")[0]), process.pid
        finally:
            process.terminate()


async def _publish(port: int, process: int, texts: Sequence[str], connections: int) -> Answered:
    latencies: list[float] = []
    cpu, started = _cpu(process), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for first in range(connections):
            group.create_task(_one_connection(port, texts[first::connections], latencies))
    return Answered(time.perf_counter() - started, _cpu(process) - cpu, latencies)


async def _one_connection(port: int, texts: Sequence[str], latencies: list[float]) -> None:
    """A connection that is kept. By hand, since a client of Python's would take more CPU than the server."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for text in texts:
        body = text.encode("utf-8")
        head = f"POST /events HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/turtle\r\ncontent-length: {len(body)}"
        started = time.perf_counter()
        writer.write(head.encode() + b"\r\n\r\n" + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        said = await reader.readexactly(length)
        if not answer.startswith(b"HTTP/1.1 201"):
            raise RuntimeError(said.decode())
        latencies.append(time.perf_counter() - started)
    writer.close()


def _cpu(process: int) -> float:
    """Seconds of CPU that a process has taken (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
