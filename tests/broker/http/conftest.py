"""An app in this process, a server in its own, and clients that have keys."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from semantic_pubsub.broker import Broker, new_key
from semantic_pubsub.broker.http import Service, Settings, make_app
from tests.broker.conftest import HandClock, MakeBroker
from tests.conftest import PROJECT

LOCAL = "http://127.0.0.1"
TURTLE = {"content-type": "text/turtle"}


def add_key(broker: Broker, subject: str, *roles: str, tenant: str = "default", **more: Any) -> str:
    """A key of a new client."""
    key, record = new_key(tenant=tenant, subject=subject, roles=roles, name=f"{subject}-key", now=0.0, **more)  # type: ignore[arg-type]
    broker.store.keys.add(record).result()
    return key


class InProcess(httpx.BaseTransport):
    """Calls an app on a loop in a thread."""

    def __init__(self, service: Service) -> None:
        self._inner = httpx.ASGITransport(make_app(service))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return asyncio.run_coroutine_threadsafe(self._ask(request), self._loop).result(60)

    async def _ask(self, request: httpx.Request) -> httpx.Response:
        asked = httpx.Request(request.method, request.url, headers=request.headers, stream=_Body(request))
        answer = await self._inner.handle_async_request(asked)
        return httpx.Response(answer.status_code, headers=answer.headers, content=await answer.aread())

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Body(httpx.AsyncByteStream):
    def __init__(self, request: httpx.Request) -> None:
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._request.stream, httpx.SyncByteStream)
        for chunk in self._request.stream:
            yield chunk


@dataclass
class Api:
    """An app and what it serves."""

    service: Service
    client: httpx.Client
    keys: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def broker(self) -> Broker:
        return self.service.broker

    def key(self, subject: str, *roles: str, tenant: str = "default") -> dict[str, str]:
        """Headers of a client that has these roles."""
        place = (tenant, subject)
        if place not in self.keys:
            self.keys[place] = add_key(self.broker, subject, *roles, tenant=tenant)
            self.service.door.close()
        return {"authorization": f"Bearer {self.keys[place]}"}


MakeApi = Callable[..., Api]


@pytest.fixture
def make_api(make_broker: MakeBroker, clock: HandClock) -> Iterator[MakeApi]:
    made: list[Api] = []

    def make(settings: Settings | None = None, **options: Any) -> Api:
        service = Service(make_broker(**options), settings or Settings(), clock)
        made.append(Api(service, httpx.Client(base_url=LOCAL, transport=InProcess(service), timeout=60)))
        return made[-1]

    yield make
    for api in made:
        api.client.close()
        api.service.close()


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    return make_api()


@dataclass
class Running:
    """A server in a process of its own."""

    url: str
    process: subprocess.Popen[bytes]
    keys: dict[str, str]

    def client(self, who: str) -> httpx.Client:
        headers = {"authorization": f"Bearer {self.keys[who]}"}
        return httpx.Client(
            base_url=self.url, headers=headers, timeout=60, verify=False
        )  # reading certificates takes long


SETTINGS = """
ontology = ["{ontology}"]
store = "sqlite:///{folder}/broker.db"
port = {port}
webhook_networks = ["127.0.0.0/8"]
[http]
heartbeat_seconds = 0.3
header_seconds = 1.0
[retry]
first_delay = 0.05
{retry}
"""


def start(folder: Path, port: int = 0, retry: str = "") -> Running:
    """A server with the keys of `ann`, `bob` and `root`, and the reference matcher, which starts fast.

    (In the long form of the tests with the one that a broker has by default.)
    """
    ontology = folder / "plain.nt"
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    ontology.write_text("\n".join(f"<http://example.org/{n}> <{rdf}type> <{rdf}Property> ." for n in "pqrst"))
    config = folder / "broker.toml"
    config.write_text(SETTINGS.format(ontology=ontology, folder=folder, port=port, retry=retry))
    command = [sys.executable, "-m", "tests.broker.http.serving", str(config)]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, cwd=PROJECT)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, (folder / "log").read_text()
    said = json.loads(line)
    return Running(f"http://127.0.0.1:{said['port']}", process, said["keys"])


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    server = start(tmp_path)
    yield server
    server.process.kill()
    server.process.wait()
    assert server.process.stdout is not None
    server.process.stdout.close()
