"""Nobody sees, changes or receives what belongs to another subscriber or tenant."""

from __future__ import annotations

import asyncio
import inspect
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import Event, Ontology, ReferenceMatcher
from semantic_pubsub.broker import Broker, BrokerError, Delivery
from tests.broker.conftest import event, pattern

TENANTS = ["red", "blue"]
SUBSCRIBERS = ["ann", "bob"]
IDS = ["one", "two"]

whose = st.tuples(st.sampled_from(TENANTS), st.sampled_from(SUBSCRIBERS))
steps = st.lists(st.tuples(whose, st.integers(0, 16), st.sampled_from(IDS), st.integers(0, 9)), max_size=40)


def secret(tenant: str, subscriber: str) -> str:
    return f"{tenant}-{subscriber}"


def calls(broker: Broker, tenant: str, who: str, identifier: str, number: int) -> list[Callable[[], Any]]:
    """Every call that takes a tenant, as this subscriber makes it."""
    own = f"# {secret(tenant, who)}\n"
    sent = Event.parse(event(f"'{tenant}'"), id=f"{tenant}-event-{number}")
    return [
        lambda: broker.subscribe(who, own + pattern(), id=identifier, tenant=tenant),
        lambda: broker.replace(who, identifier, own + pattern(), tenant=tenant),
        lambda: broker.unsubscribe(who, identifier, tenant=tenant),
        lambda: broker.subscription(who, identifier, tenant=tenant),
        lambda: broker.subscriptions(who, tenant=tenant),
        lambda: broker.pull(who, tenant=tenant, after=0),
        lambda: broker.ack(who, number, tenant=tenant),
        lambda: broker.dead_letters(who, tenant=tenant),
        lambda: broker.replay(who, number, tenant=tenant),
        lambda: broker.discard(who, number, tenant=tenant),
        lambda: broker.pause(who, identifier, tenant=tenant),
        lambda: broker.publish(sent, tenant=tenant, idempotency_key=f"key{number}" if number < 3 else None),
        lambda: broker.explain(sent, who, identifier, tenant=tenant).to_json(),
        lambda: broker.resume(who, identifier, tenant=tenant),
        lambda: broker.adjust(who, identifier, expires_at=None, paused=number < 3, tenant=tenant),
        lambda: broker.attach(who, identifier, print, tenant=tenant),
        lambda: broker.pull(who, tenant=tenant, after=0) and first(broker.deliveries(who, tenant=tenant, after=0)),
    ]


def first(deliveries: AsyncIterator[Delivery]) -> Delivery:
    """Of a stream that has one."""

    async def take() -> Delivery:
        return await anext(deliveries)

    return asyncio.run(take())


def test_each_call_that_takes_a_tenant_is_tried(plain: Ontology, tmp_path: Path) -> None:
    with Broker(plain, ReferenceMatcher, tmp_path / "broker.db") as broker:
        tried = {name for call in calls(broker, "red", "ann", "one", 1) for name in call.__code__.co_names}
    taking = {
        name
        for name, method in inspect.getmembers(Broker, inspect.isfunction)
        if not name.startswith("_") and "tenant" in inspect.signature(method).parameters
    }
    assert taking - tried == {"publish_soon"}  # which publish calls
    assert len(taking) > 10


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=steps)
def test_no_call_shows_what_belongs_to_another(plain: Ontology, steps: list[Any]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Broker(plain, ReferenceMatcher, Path(folder) / "broker.db") as broker,
    ):
        for (tenant, who), which, identifier, number in steps:
            try:
                answer = calls(broker, tenant, who, identifier, number)[which]()
                if which == 5 and answer and number == 0:  # give one of them up: there shall be dead letters
                    standing = broker._registry.get(tenant, who, answer[0].subscription_id)
                    assert standing is not None
                    rows = broker.store.queues.pending(standing.number, 0, 1)
                    broker.store.dead_letters.bury(standing.number, rows, reason="r", attempts=1, now=1.0).result()
            except BrokerError as error:
                answer = str(error)
            shown = repr(answer)
            for other_tenant in TENANTS:
                assert other_tenant == tenant or other_tenant not in shown
                for other in SUBSCRIBERS:
                    assert (other_tenant, other) == (tenant, who) or secret(other_tenant, other) not in shown
        check_owners(broker)


def check_owners(broker: Broker) -> None:
    """What is in a queue was published in the queue's tenant."""
    for tenant in TENANTS:
        for who in SUBSCRIBERS:
            for record in broker.subscriptions(who, tenant=tenant):
                assert (record.tenant, record.subscriber) == (tenant, who)
                assert secret(tenant, who) in record.text
            for delivery in broker.pull(who, tenant=tenant, after=0):
                assert delivery.event_id.startswith(tenant)
                assert f"'{tenant}'" in delivery.event or f'"{tenant}"' in delivery.event
