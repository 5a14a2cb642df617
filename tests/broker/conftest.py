"""Both stores for the contract, a clock that is set by hand, a channel that behaves as told."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Ontology, ReferenceMatcher
from semantic_pubsub.broker import Broker, BrokerLimits, Delivery, Store, open_store
from semantic_pubsub.broker.channels import DeliveryFailedError
from semantic_pubsub.broker.registry import Standing
from tests.broker.postgres_server import running_server

PREFIX = "PREFIX : <http://example.org/>\n"
SOON = 60.0

_numbers = itertools.count()


class HandClock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def now(self) -> float:
        return self.time

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        until = None if seconds is None else self.time + seconds
        while not event.is_set() and (until is None or self.time < until):
            await asyncio.sleep(0.002)


class Receivers:
    """A channel to endpoints that accept, fail or hang."""

    def __init__(self) -> None:
        self.behaviour: dict[str, str] = {}
        self.got: list[tuple[str, Delivery]] = []
        self.tries: dict[str, list[float]] = {}
        self.clock: HandClock | None = None
        self.released = threading.Event()

    def endpoint(self, standing: Standing) -> str | None:
        return standing.endpoint

    async def send(self, standing: Standing, delivery: Delivery) -> None:
        name = str(standing.endpoint)
        self.tries.setdefault(name, []).append(self.clock.now() if self.clock else 0.0)
        behaviour = self.behaviour.get(name, "accept")
        if behaviour == "fail":
            raise DeliveryFailedError("answered 500")
        if behaviour == "later":
            raise DeliveryFailedError("answered 503", retry_after=77.0)
        if behaviour == "crash":
            raise RuntimeError("nobody thought of that")
        if behaviour == "slow" and self.clock:
            self.clock.time += 50
        while behaviour == "hang" and not self.released.is_set():
            await asyncio.sleep(0.005)
        self.got.append((name, delivery))

    async def close(self) -> None:
        self.released.set()

    def of(self, name: str) -> list[int]:
        """The positions that an endpoint accepted, in order."""
        return [delivery.position for endpoint, delivery in list(self.got) if endpoint == name]


def eventually(condition: Callable[[], Any], within: float = SOON) -> None:
    """Wait for what other threads bring about."""
    until = time.monotonic() + within
    while not condition():
        if time.monotonic() > until:
            raise AssertionError("it never came about")
        time.sleep(0.005)


def event(*values: object, prop: str = "p") -> str:
    """An event with some values of one property."""
    lines = [f"_:H <http://example.org/{prop}> {value} ." for value in values or (1,)]
    return "\n".join(lines)


def pattern(prop: str = "p", filter_: str = "") -> str:
    return PREFIX + f"SELECT ?v {{ _:H :{prop} ?v {filter_} }}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with running_server() as server:
        yield server.folder


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new, empty store of each kind; a schema in PostgreSQL, since a database takes long to make."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'broker.db'}"
    folder = request.getfixturevalue("postgres")
    import psycopg

    name = f"store{next(_numbers)}"
    with psycopg.connect(f"postgresql://tests@/postgres?host={folder}", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"postgresql://tests@/postgres?host={folder}&options=-csearch_path%3D{name}"


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        yield opened


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Ontology:
    """An ontology with a few names."""
    path = tmp_path_factory.mktemp("ontology") / "plain.nt"
    owl, rdf = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    names = [f"<http://example.org/{name}> <{rdf}type> <{rdf}Property> ." for name in "pqrst"]
    path.write_text("\n".join([*names, f"<http://example.org/A> <{rdf}type> <{owl}Class> ."]))
    return Ontology.load(path)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def receivers(clock: HandClock) -> Receivers:
    made = Receivers()
    made.clock = clock
    return made


MakeBroker = Callable[..., Broker]


@pytest.fixture
def make_broker(plain: Ontology, clock: HandClock, receivers: Receivers, tmp_path: Path) -> Iterator[MakeBroker]:
    """Brokers on a file, with the reference matcher unless told otherwise; all are closed at the end."""
    made: list[Broker] = []

    def make(**options: Any) -> Broker:
        from random import Random

        from semantic_pubsub.broker.channels import CallbackChannel

        options.setdefault("matcher", ReferenceMatcher)
        options.setdefault("store", tmp_path / "broker.db")
        options.setdefault("limits", BrokerLimits())
        options.setdefault("clock", clock)
        options.setdefault("random", Random(1))
        options.setdefault("channels", {"webhook": receivers, "callback": CallbackChannel()})
        made.append(Broker(options.pop("ontology", plain), **options))
        return made[-1]

    yield make
    for broker in made:
        receivers.released.set()
        broker.close()


@pytest.fixture
def broker(make_broker: MakeBroker) -> Broker:
    return make_broker()
