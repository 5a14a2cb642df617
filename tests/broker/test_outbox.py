"""What is read ahead and kept ready has a size."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from semantic_pubsub import Event
from semantic_pubsub.broker import Broker, BrokerLimits, feeds
from semantic_pubsub.broker.outbox import _Recent
from tests.broker.conftest import MakeBroker, event, pattern


def publish(broker: Broker, *sizes: int) -> None:
    for number, size in enumerate(sizes):
        broker.publish(Event.parse(event(f'"{"x" * size}"'), id=f"e{number}"))


def test_large_events_are_pulled_in_smaller_numbers(make_broker: MakeBroker) -> None:
    broker = make_broker(limits=BrokerLimits(pulled_characters=1_000))
    broker.subscribe("me", pattern(), id="mine")
    publish(broker, 10, 10, 2_000, 10, *[400] * 4)
    assert [d.event_id for d in broker.pull("me")] == ["e0", "e1", "e2"]
    got: list[str] = []
    while found := broker.pull("me"):
        got += [delivery.event_id for delivery in found]
        broker.ack("me", found[-1].position)
    assert got == [f"e{number}" for number in range(8)]


def test_a_stream_reads_no_more_ahead_than_it_may(make_broker: MakeBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "_CHARACTERS", 1_000)
    broker = make_broker()
    broker.subscribe("me", pattern(), id="mine")
    publish(broker, *[600] * 40)
    asked: list[int] = []
    fetch = broker._outbox._fetch
    monkeypatch.setattr(broker._outbox, "_fetch", lambda rows: asked.append(len(rows)) or fetch(rows))

    async def read(count: int) -> list[str]:
        got: list[str] = []
        async with aclosing(broker.deliveries("me")) as deliveries:  # type: ignore[type-var]
            async for delivery in deliveries:
                got.append(delivery.event_id)
                if len(got) == count:
                    break
        return got

    assert asyncio.run(read(2)) == ["e0", "e1"]
    assert asked == [16]  # a step, and not all 40
    assert asyncio.run(read(39)) == [f"e{number}" for number in range(1, 40)]


def test_a_stream_passes_over_what_was_swept(make_broker: MakeBroker) -> None:
    broker = make_broker()
    broker.subscribe("me", pattern(), id="mine")
    publish(broker, *[1] * 120)
    broker.ack("me", 110)
    gone = [(number,) for number in range(1, 111)]
    broker.store.write(lambda c: c.execute_many("DELETE FROM events WHERE number = ?", gone)).result()

    async def read() -> list[int]:
        got: list[int] = []
        async with aclosing(broker.deliveries("me", subscription="mine", after=0)) as deliveries:  # type: ignore[type-var]
            async for delivery in deliveries:
                got.append(delivery.position)
                if len(got) == 10:
                    break
        return got

    assert asyncio.run(read()) == list(range(111, 121))


def test_what_is_kept_ready_has_a_number_and_a_weight() -> None:
    kept: _Recent[int, str] = _Recent(3, 10)
    for number in range(4):
        kept.put(number, "light", 1)
    assert [kept.get(number) for number in range(4)] == [None, "light", "light", "light"]
    kept.put(1, "heavier", 8)
    kept.get(3)
    kept.put(5, "also", 3)
    assert [kept.get(number) for number in (1, 2, 3, 5)] == [None, None, "light", "also"]
    kept.put(6, "too heavy", 11)
    assert [kept.get(number) for number in (3, 5, 6)] == [None, None, None]
    assert kept.get_or_make(7, lambda: "made", 10) == "made" == kept.get(7)
