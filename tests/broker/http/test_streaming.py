"""Streams, webhooks and patience, on a server of its own."""

from __future__ import annotations

import contextlib
import http.server
import json
import signal
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.broker.conftest import event, eventually, pattern
from tests.broker.http.conftest import TURTLE, Api, Running


def publish(client: httpx.Client, *numbers: int, prop: str = "p") -> None:
    for number in numbers:
        answer = client.post("/events", content=event(number, prop=prop), headers=TURTLE)
        assert answer.status_code == 201, answer.text


def subscribe(client: httpx.Client, name: str, **more: Any) -> None:
    answer = client.post("/subscriptions", json={"pattern": pattern(), "id": name, **more})
    assert answer.status_code == 201, answer.text


@contextlib.contextmanager
def stream(client: httpx.Client, path: str, **headers: str) -> Iterator[Iterator[str]]:
    with client.stream("GET", path, headers=headers) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        yield response.iter_lines()


def take(lines: Iterator[str], count: int) -> list[tuple[str, str]]:
    """The next deliveries: `id:` and the value of ?v."""
    found: list[tuple[str, str]] = []
    identifier = ""
    for line in lines:
        if line.startswith("id: "):
            identifier = line.removeprefix("id: ")
        if line.startswith("data: "):
            found.append((identifier, json.loads(line.removeprefix("data: "))["bindings"]["v"]["value"]))
            if len(found) == count:
                break
    return found


def test_a_stream_gets_what_waits_and_what_comes_and_resumes(running: Running) -> None:
    with running.client("ann") as ann:
        subscribe(ann, "a")
        publish(ann, 0, 1)
        with stream(ann, "/subscriptions/a/stream") as lines:
            first = take(lines, 2)
            publish(ann, 2)
            first += take(lines, 1)
        assert [value for _, value in first] == ["0", "1", "2"]
        with stream(ann, "/subscriptions/a/stream") as lines:
            assert take(lines, 3) == first
        with stream(ann, "/subscriptions/a/stream", **{"last-event-id": first[1][0]}) as lines:
            assert take(lines, 1) == first[2:]
        waiting = ann.get("/subscriptions/a/deliveries").json()["deliveries"]
        assert [str(delivery["position"]) for delivery in waiting] == [first[2][0]]


def test_a_stream_of_all_loses_nothing_of_a_paused_one(running: Running) -> None:
    with running.client("ann") as ann:
        subscribe(ann, "a")
        subscribe(ann, "b", isActive=False)
        publish(ann, 0, 1)
        with stream(ann, "/stream?acknowledge=sent") as lines:
            first = take(lines, 2)
        ann.patch("/subscriptions/b", json={"isActive": True})
        with stream(ann, "/stream?acknowledge=sent", **{"last-event-id": first[1][0]}) as lines:
            again = take(lines, 2)
        assert [value for _, value in again] == ["0", "1"]
        assert not {identifier for identifier, _ in first} & {identifier for identifier, _ in again}


def test_heartbeats_come_and_a_removed_key_ends_the_stream(running: Running) -> None:
    with running.client("ann") as ann, running.client("root") as root:
        subscribe(ann, "a")
        with stream(ann, "/subscriptions/a/stream") as lines:
            assert next(line for line in lines if line.startswith(":")) == ": still here"
            assert root.delete("/keys/ann").status_code == 204
            rest = list(lines)
        assert not any(line.startswith("data") for line in rest)
        assert ann.get("/stream").status_code == 401


def test_a_removed_subscription_ends_its_stream(running: Running) -> None:
    with running.client("ann") as ann:
        subscribe(ann, "a")
        with stream(ann, "/subscriptions/a/stream") as lines:
            next(lines)
            ann.delete("/subscriptions/a")
            list(lines)


@pytest.mark.parametrize("path", ["/subscriptions/a/stream", "/stream"])
def test_asking_for_headers_alone_acknowledges_nothing(api: Api, path: str) -> None:
    api.broker.subscribe("local", pattern(), id="a")
    api.broker.publish(event(1))
    position = api.broker.pull("local")[0].position
    answer = api.client.head(f"{path}?acknowledge=sent", headers={"last-event-id": str(position)})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert [delivery.position for delivery in api.broker.pull("local")] == [position]


def test_so_many_streams_and_no_more(running: Running) -> None:
    with running.client("ann") as ann, running.client("bob") as bob, contextlib.ExitStack() as stack:
        opened = [stack.enter_context(stream(ann, "/stream")) for _ in range(16)]
        assert all(next(lines) for lines in opened)
        refused = ann.get("/stream")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        assert next(stack.enter_context(stream(bob, "/stream")))
        stack.close()
        with running.client("root") as root:
            eventually(lambda: "semantic_pubsub_streams 0" in root.get("/metrics").text)


def test_stopping_drains_and_keeps_everything(running: Running) -> None:
    with running.client("ann") as ann:
        subscribe(ann, "a")
        publish(ann, 0)
        with stream(ann, "/subscriptions/a/stream") as lines:
            take(lines, 1)
            running.process.send_signal(signal.SIGTERM)
            list(lines)  # ends in order, without a broken connection
    assert running.process.wait(60) == 0


class Endpoint:
    """A webhook's receiver, which fails the first time it sees something."""

    def __init__(self) -> None:
        outer = self
        self.got: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.got.append(json.loads(body))
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                self.send_response(500 if len(outer.got) == 1 else 204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/in"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


def test_a_webhook_end_to_end(running: Running, endpoint: Endpoint) -> None:
    with running.client("ann") as ann:
        hook = {"format": "nt", "endpoint": {"uri": endpoint.url, "secret": "s3cret"}}
        subscribe(ann, "a", notification=hook)
        publish(ann, 0, 1)
        eventually(lambda: len(endpoint.got) >= 3)
        assert endpoint.got[0] == endpoint.got[1]
        assert [entry["data"].split()[2][1] for entry in endpoint.got[1:3]] == ["0", "1"]
        assert endpoint.headers[1]["webhook-signature"].startswith("v1,")
        eventually(lambda: ann.get("/subscriptions/a").json()["notification"]["timesSent"] == 2)
        shown = ann.get("/subscriptions/a").json()["notification"]
        assert (shown["timesFailed"], shown["lastError"]) == (1, "answered 500")
        assert "s3cret" not in str(shown)


def test_whoever_does_not_get_its_headers_out_is_cut_off(running: Running) -> None:
    port = httpx.URL(running.url).port
    assert port is not None
    for said in (b"", b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nx:"):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as slow:
            slow.sendall(said)
            stopped = threading.Event()

            def drip(slow: socket.socket = slow, stopped: threading.Event = stopped, said: bytes = said) -> None:
                with contextlib.suppress(OSError):
                    while not stopped.is_set():
                        slow.sendall(b"x" if said else b"")
                        time.sleep(0.1)

            thread = threading.Thread(target=drip)
            thread.start()
            with contextlib.suppress(ConnectionError):
                assert slow.recv(100) == b""
            stopped.set()
            thread.join()


def test_headers_have_a_limit(running: Running) -> None:
    port = httpx.URL(running.url).port
    assert port is not None
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + b"y" * 40_000)
        assert client.recv(100).startswith(b"HTTP/1.1 400")
