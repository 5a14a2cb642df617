"""Webhooks over real connections: what is sent, signed, and not followed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from semantic_pubsub import Event
from semantic_pubsub.broker import RetryPolicy, Targets, Webhook
from semantic_pubsub.broker.clock import SystemClock
from tests.broker.conftest import MakeBroker, event, eventually, pattern


class Endpoint(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 204
        self.headers: dict[str, str] = {}
        self.garbage = False
        self.names: list[str] = []

    @property
    def url(self) -> str:
        return f"http://hooks.test:{self.server_port}/in?x=1"

    async def resolve(self, host: str, _port: int) -> list[str]:
        self.names.append(host)
        return ["127.0.0.1"]


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        if self.server.garbage:
            self.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n")
            return
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def make_hooked(make_broker: MakeBroker, endpoint: Endpoint) -> Any:
    def make(allowed: tuple[str, ...] = ("127.0.0.1/32",), **options: Any) -> Any:
        retry = RetryPolicy(first_delay=3600.0, longest_delay=3600.0)
        targets = Targets(allowed, resolve=endpoint.resolve)
        broker = make_broker(clock=SystemClock(), retry=retry, targets=targets, channels=None)
        broker.subscribe("alice", pattern(), Webhook(endpoint.url, options.pop("secret", None)), id="mine", **options)
        return broker

    return make


def error_of(broker: Any) -> str:
    eventually(lambda: broker.subscription("alice", "mine").last_error is not None)
    return str(broker.subscription("alice", "mine").last_error)


def test_a_delivery_is_a_signed_cloud_event(make_hooked: Any, endpoint: Endpoint) -> None:
    broker = make_hooked(secret="my secret", format="json-ld")
    broker.publish(Event.parse(event(7), id="urn:e1"))
    eventually(lambda: broker.subscription("alice", "mine").times_sent == 1)
    ((path, headers, body),) = endpoint.requests
    sent = json.loads(body)
    assert path == "/in?x=1"
    assert headers["host"] == f"hooks.test:{endpoint.server_port}"
    assert headers["content-type"] == "application/cloudevents+json"
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(b"my secret", signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert (sent["specversion"], sent["subject"], sent["subscription"]) == ("1.0", "urn:e1", "mine")
    assert sent["source"] == "/semantic-pubsub/default/alice/mine"
    assert json.loads(sent["bindings"])["v"]["value"] == "7"
    assert sent["datacontenttype"] == "application/ld+json"
    assert Event.parse(json.dumps(sent["data"]), "json-ld") == Event.parse(event(7))
    assert all(name.isalnum() and name.islower() for name in sent)


def test_the_data_is_a_text_in_other_syntaxes(make_hooked: Any, endpoint: Endpoint) -> None:
    broker = make_hooked(format="nt")
    broker.publish(event(7))
    eventually(lambda: len(endpoint.requests) == 1)
    _, headers, body = endpoint.requests[0]
    sent = json.loads(body)
    assert sent["datacontenttype"] == "application/n-triples"
    assert Event.parse(sent["data"], "nt") == Event.parse(event(7))
    assert "webhook-signature" not in headers


def test_a_base64_secret_is_decoded(make_hooked: Any, endpoint: Endpoint) -> None:
    broker = make_hooked(secret="whsec_" + base64.b64encode(b"key").decode())
    broker.publish(event())
    eventually(lambda: len(endpoint.requests) == 1)
    _, headers, body = endpoint.requests[0]
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(b"key", signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"


def test_the_name_is_resolved_for_every_delivery(make_hooked: Any, endpoint: Endpoint) -> None:
    broker = make_hooked()
    for _ in range(3):
        broker.publish(event())
    eventually(lambda: len(endpoint.requests) == 3)
    assert endpoint.names == ["hooks.test"] * 3


def test_a_private_address_is_not_called(make_hooked: Any, endpoint: Endpoint) -> None:
    broker = make_hooked(allowed=())
    broker.publish(event())
    assert "no address that may be called" in error_of(broker)
    assert endpoint.requests == []


def test_redirects_are_not_followed(make_hooked: Any, endpoint: Endpoint) -> None:
    endpoint.status, endpoint.headers = 307, {"location": "/elsewhere"}
    broker = make_hooked()
    broker.publish(event())
    assert "redirects are not followed" in error_of(broker)
    assert len(endpoint.requests) == 1


def test_an_endpoint_may_ask_for_time(make_hooked: Any, endpoint: Endpoint) -> None:
    endpoint.status, endpoint.headers = 503, {"retry-after": "3500"}
    broker = make_hooked()
    broker.publish(event())
    assert error_of(broker) == "answered 503"
    record = broker.subscription("alice", "mine")
    assert record.retry_at - record.last_failure >= 3500


def test_an_endpoint_that_talks_nonsense_has_failed(make_hooked: Any, endpoint: Endpoint) -> None:
    endpoint.garbage = True
    broker = make_hooked()
    broker.publish(event())
    assert "ProtocolError" in error_of(broker)


def test_an_endpoint_that_is_not_there_has_failed(make_hooked: Any) -> None:
    broker = make_hooked()
    broker.replace("alice", "mine", pattern(), Webhook("http://hooks.test:1/"))
    broker.publish(event())
    assert "ConnectError" in error_of(broker)


def test_proxies_of_the_environment_are_not_used(
    make_hooked: Any, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    broker = make_hooked()
    broker.publish(event())
    eventually(lambda: len(endpoint.requests) == 1)


def test_without_a_channel_webhooks_wait(make_broker: MakeBroker) -> None:
    broker = make_broker(channels={})
    broker.subscribe("alice", pattern(), Webhook("https://example.org/"), id="mine")
    assert broker.publish(event()).matches == 1
    assert broker.subscription("alice", "mine").attempts == 0
