"""`kill -9` of a server, and of a subscriber, while others publish: what was acknowledged arrives, in order."""

from __future__ import annotations

import http.server
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from semantic_pubsub.broker.client import ApiError, Client
from tests.broker.conftest import eventually
from tests.broker.http.conftest import Running, start
from tests.conftest import PROJECT

KILLS = 50 if os.environ.get("SEMANTIC_PUBSUB_SOAK") else 4
PUBLISHERS = 16
RUNS = KILLS + KILLS // 2
"""A third of them end as they should: then compiled sets are written, where the matcher has any."""
TIMEOUT = 0.5
RETRY = f"timeout = {TIMEOUT}\nlongest_delay = 0.5\nattempts = 1000"
"""An endpoint that fails, hangs and lies shall not make a dead letter by chance."""


class Endpoint:
    """A webhook's receiver that now and then fails, hangs, or loses its answer after it has noted the delivery.

    What it has not noted when it begins to hang it never notes: by then the delivery has come again.
    """

    def __init__(self) -> None:
        outer = self
        self.got: list[tuple[int, str]] = []
        self.hung = 0
        self._closed = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(length := int(self.headers["content-length"]))
                if len(body) < length:  # the server was killed while it sent
                    return
                found = json.loads(body)
                if random.random() < 0.02:
                    self.send_error(503)
                    return
                if random.random() < 0.005:
                    outer.hang()
                    return
                outer.got.append((int(found["id"]), found["subject"]))
                if random.random() < 0.005:
                    outer.hang()
                if random.random() < 0.02:
                    return
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/in"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def hang(self) -> None:
        """Longer than anybody waits."""
        self.hung += 1
        self._closed.wait(4 * TIMEOUT)

    def close(self) -> None:
        self._closed.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


class Load:
    """Publishers, and a subscriber that streams and acknowledges, until the server is gone."""

    def __init__(self) -> None:
        self.acknowledged: list[str] = []
        self.streamed: list[tuple[int, str]] = []

    def run(self, server: Running, run: int) -> None:
        work = [threading.Thread(target=self._publish, args=(server, f"{run}-{n}")) for n in range(PUBLISHERS)]
        work.append(threading.Thread(target=self._stream, args=(server,)))
        for thread in work:
            thread.start()
        before = len(self.acknowledged)
        eventually(lambda: len(self.acknowledged) > before)
        time.sleep(random.random())
        if run % 3 == 1:
            end(server)
        else:
            stop(server)
        for thread in work:
            thread.join()

    def _publish(self, server: Running, name: str) -> None:
        headers = {"content-type": "text/turtle", "ce-specversion": "1.0", "ce-type": "t", "ce-source": "urn:crash"}
        with suppress(httpx.HTTPError), server.client("ann") as client:
            for number in range(1_000_000):
                body = f"_:H <http://example.org/p> {number} ."
                answer = client.post("/events", content=body, headers={**headers, "ce-id": f"{name}-{number}"})
                if answer.status_code == 503:  # it is ending
                    break
                assert answer.status_code == 201, answer.text
                self.acknowledged.append(answer.json()["event"])

    def _stream(self, server: Running) -> None:
        with suppress(httpx.HTTPError, ApiError), Client(server.url, key=server.keys["ann"]) as client:
            for delivery in client.stream("streamed", again=False):
                self.streamed.append((delivery.position, delivery.event_id))


def end(server: Running) -> None:
    """As a supervisor does it."""
    server.process.terminate()
    assert server.process.wait(60) == 0
    assert server.process.stdout is not None
    server.process.stdout.close()


def stop(server: Running) -> None:
    server.process.kill()
    server.process.wait()
    assert server.process.stdout is not None
    server.process.stdout.close()


def test_what_was_acknowledged_reaches_everybody_in_order(tmp_path: Path, endpoint: Endpoint) -> None:
    load = Load()
    pattern = "SELECT ?v { _:H <http://example.org/p> ?v }"
    for run in range(RUNS):
        server = start(tmp_path, retry=RETRY)
        if not run:
            with Client(server.url, key=server.keys["ann"]) as client:
                for name, webhook in (("pulled", None), ("streamed", None), ("pushed", endpoint.url)):
                    client.subscribe(pattern, id=name, webhook=webhook)
        load.run(server, run)
    server = start(tmp_path, retry=RETRY)
    try:
        with Client(server.url, key=server.keys["ann"]) as client:
            pulled = rest(client, "pulled")
            load.streamed += rest(client, "streamed")
            eventually(lambda: {name for _, name in pulled} <= {name for _, name in list(endpoint.got)}, 1_000.0)
    finally:
        stop(server)
    wanted = [name for _, name in pulled]
    assert len(wanted) == len(set(wanted))
    assert set(load.acknowledged) <= set(wanted)
    assert len(load.acknowledged) >= RUNS
    for publisher in {name.rpartition("-")[0] for name in wanted}:
        numbers = [int(name.rpartition("-")[2]) for name in wanted if name.startswith(publisher + "-")]
        assert numbers == sorted(numbers)
    for got in (load.streamed, endpoint.got):
        assert list(dict.fromkeys(name for _, name in got)) == wanted
        firsts = list(dict.fromkeys(position for position, _ in got))
        assert firsts == sorted(firsts)
    again = len(load.streamed) + len(endpoint.got) - 2 * len(wanted)
    told = f"{len(load.acknowledged)} acknowledged, {again} delivered again, the endpoint hung {endpoint.hung} times"
    sys.stdout.write(f"{KILLS} kills and {RUNS - KILLS} ends, {told}\n")


def test_a_subscriber_that_dies_misses_nothing(running: Running, tmp_path: Path) -> None:
    received = tmp_path / "received"
    received.touch()
    with Client(running.url, key=running.keys["ann"]) as client:
        for name in ("streamed", "pulled"):
            client.subscribe("SELECT ?v { _:H <http://example.org/p> ?v }", id=name)
    over = threading.Event()
    acknowledged: list[str] = []

    def publish() -> None:
        with Client(running.url, key=running.keys["bob"]) as client:
            while not over.is_set():
                acknowledged.append(client.publish("_:H <http://example.org/p> 1 .").event_id)

    publishers = [threading.Thread(target=publish) for _ in range(2)]
    for thread in publishers:
        thread.start()
    for _ in range(KILLS):
        with subscriber(running, received) as process:
            before = received.stat().st_size
            eventually(lambda before=before: received.stat().st_size > before)
            time.sleep(random.random() / 2)
            process.kill()
    over.set()
    for thread in publishers:
        thread.join()
    with Client(running.url, key=running.keys["ann"]) as client:
        wanted = [name for _, name in rest(client, "pulled")]
        with subscriber(running, received) as process:
            eventually(lambda: wanted[-1] in received.read_text(), 300.0)
            process.kill()
    got = [line.split() for line in received.read_text().splitlines()]
    assert set(acknowledged) == set(wanted)
    assert list(dict.fromkeys(name for _, name in got)) == wanted
    firsts = list(dict.fromkeys(int(position) for position, _ in got))
    assert firsts == sorted(firsts)
    sys.stdout.write(f"{KILLS} subscribers killed, {len(wanted)} events, {len(got) - len(wanted)} delivered again\n")


@contextmanager
def subscriber(server: Running, received: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.broker.http.receiving", server.url, server.keys["ann"], "streamed"]
    with subprocess.Popen([*command, str(received)], cwd=PROJECT) as process:
        try:
            yield process
        finally:
            process.kill()


def rest(client: Client, name: str) -> list[tuple[int, str]]:
    """What is left in a queue."""
    found: list[tuple[int, str]] = []
    while more := client.pull(name, limit=1000):
        found += [(delivery.position, delivery.event_id) for delivery in more]
        client.ack(more[-1])
    return found
