"""Load for a broker: a store full of subscriptions, publishers that do not wait for one another, and a reader."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from semantic_pubsub import Event
from semantic_pubsub.broker import Broker, Store, SubscriptionRecord, open_store

__all__ = ["Flood", "end_to_end", "fill", "flood"]

_T = TypeVar("_T")
_PROBE_PATTERN = "SELECT ?product { _:H <http://example.org/shop#target> ?product }"
_OWNERS = 100
_PUBLISHERS = 4


def fill(path: Path, subscriptions: Iterable[tuple[str, str]]) -> None:
    """Make a store with subscriptions, without waiting for each one's commit. Nobody reads their queues."""
    with open_store(f"sqlite:///{path}") as store:
        waiting: deque[Future[SubscriptionRecord]] = deque()
        for number, (name, text) in enumerate(subscriptions):
            record = SubscriptionRecord("default", f"reader{number % _OWNERS}", name, text, "sparql", injective=False)
            waiting.append(store.subscriptions.create(record))
            if len(waiting) > 2_000:
                waiting.popleft().result()
        for future in waiting:
            future.result()


@dataclass(frozen=True)
class Flood:
    """What publishing as fast as it goes came to; `latencies` are from the call to the acknowledgement."""

    events: int
    matches: int
    seconds: float
    cpu: float
    commits: int
    latencies: list[float]


def flood(store: Store, publish: Callable[[_T], Future[Any]], items: Sequence[_T], outstanding: int) -> Flood:
    """Publish all from a few threads; together they have at most so many that wait for their answer."""
    latencies: list[float] = []
    answers: list[Any] = []
    commits, cpu, started = store.commits, time.process_time(), time.perf_counter()
    publishers = min(_PUBLISHERS, outstanding)
    window = outstanding // publishers
    threads = [
        threading.Thread(target=_publish, args=(publish, items[first::publishers], window, latencies, answers))
        for first in range(publishers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    if len(answers) != len(items):
        raise RuntimeError(f"{len(items) - len(answers)} events were not acknowledged")
    matches = sum(answer.matches for answer in answers)
    return Flood(len(items), matches, seconds, cpu, store.commits - commits, latencies)


def _publish(
    publish: Callable[[_T], Future[Any]], items: Sequence[_T], window: int, latencies: list[float], answers: list[Any]
) -> None:
    """Publish one after the other, never more than `window` ahead of the answers."""
    waiting: deque[Future[Any]] = deque()
    for item in items:
        if len(waiting) >= window:
            answers.append(waiting.popleft().result())
        future = _timed(publish, item, latencies)
        waiting.append(future)
    answers.extend(future.result() for future in waiting)


def _timed(publish: Callable[[_T], Future[Any]], item: _T, latencies: list[float]) -> Future[Any]:
    called = time.perf_counter()
    future = publish(item)
    future.add_done_callback(lambda _: latencies.append(time.perf_counter() - called))
    return future


def end_to_end(broker: Broker, texts: Sequence[str], each_second: float) -> list[float]:
    """Seconds from publishing to a subscriber's `async for`, with events published at a steady pace.

    The subscriber asks for every event with a product and gets it with its bindings.
    """
    broker.subscribe("probe", _PROBE_PATTERN, id="probe")
    called: dict[str, float] = {}
    try:
        return asyncio.run(_receive(broker, texts, each_second, called))
    finally:
        broker.unsubscribe("probe", "probe")


async def _receive(broker: Broker, texts: Sequence[str], each_second: float, called: dict[str, float]) -> list[float]:
    pace = threading.Thread(target=_steadily, args=(broker, texts, each_second, called))
    pace.start()
    arrived: dict[str, float] = {}
    async for delivery in broker.deliveries("probe"):
        arrived[delivery.event_id] = time.perf_counter()
        if len(arrived) == len(texts):
            break
    await asyncio.to_thread(pace.join)
    return [arrived[name] - called[name] for name in called]


def _steadily(broker: Broker, texts: Sequence[str], each_second: float, called: dict[str, float]) -> None:
    start = time.perf_counter()
    for number, text in enumerate(texts):
        due = start + number / each_second
        time.sleep(max(0.0, due - time.perf_counter()))
        name = f"urn:timed:{number}"
        called[name] = time.perf_counter()
        broker.publish_soon(Event.parse(text, id=name))
