"""A PostgreSQL server that goes and comes back: what was acknowledged is there, and the broker goes on by itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from semantic_pubsub import Ontology, ReferenceMatcher
from semantic_pubsub.broker import Broker, Callback, Delivery, RetryPolicy, StoreError
from tests.broker.conftest import event, eventually, pattern
from tests.broker.postgres_server import Server, running_server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["restart", "crash"])
def test_a_broker_goes_on_after_its_server_was_away(server: Server, plain: Ontology, how: signal.Signals) -> None:
    got: list[Delivery] = []
    url = f"postgresql://tests@/postgres?host={server.folder}"
    with Broker(plain, ReferenceMatcher, url, retry=RetryPolicy(first_delay=0.05)) as broker:
        broker.subscribe("alice", pattern(), id=how.name)
        broker.subscribe("bob", pattern(), Callback(got.append), id=how.name)
        before = broker.publish(event(1))
        server.stop(how)
        with pytest.raises(StoreError):
            broker.publish(event(2))
        with pytest.raises(StoreError):
            broker.publish(event(3))
        server.start()
        after = broker.publish(event(4))  # the first call already
        kept = [before.event_id, after.event_id]
        eventually(lambda: list(dict.fromkeys(delivery.event_id for delivery in got)) == kept)
        eventually(lambda: readable(broker))
        assert [delivery.event_id for delivery in broker.pull("alice")] == kept
    with Broker(plain, ReferenceMatcher, url) as broker:
        assert [delivery.event_id for delivery in broker.pull("alice")] == kept
        for who in ("alice", "bob"):
            broker.unsubscribe(who, how.name)


def readable(broker: Broker) -> bool:
    """Questions that were open when the server went fail once; then connections are new."""
    try:
        return bool(broker.pull("alice"))
    except StoreError:
        return False
