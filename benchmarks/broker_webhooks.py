"""Webhooks of which one hangs and one is dead: what the other 98 notice of it.

Each webhook is an endpoint of its own (an address of 127.0.0.0/8, one small asyncio server behind them all), and each
event is for ten of them. Rounds in which all of them answer alternate with rounds in which one accepts connections and
never answers, and one refuses them.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.workloads import Shop
from semantic_pubsub import Event, Ontology
from semantic_pubsub.broker import Broker, RetryPolicy, Targets, Webhook

__all__ = ["Endpoints", "webhook_round", "webhooks"]

COUNT = 100
HANGING, DEAD = 0, 1
GROUPS = 10
_TARGET = "<http://example.org/shop#target> ?product"
_GROUP = "<http://example.org/shop#stock>"
_SUBJECT = b'"subject": "'


class Endpoints:
    """Servers on addresses of the loopback network, all but the dead one; they note when which event came to whom."""

    def __init__(self) -> None:
        self.arrived: list[dict[str, float]] = [{} for _ in range(COUNT)]
        self.hangs = False
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._finish = asyncio.Event()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(ready),))
        self._thread.start()
        ready.wait()

    def url(self, number: int, *, dead: bool) -> str:
        """The address of a webhook; nobody listens at a dead one's."""
        return f"http://127.0.{1 if dead else 0}.{number + 1}:{self.port}/in"

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._finish.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self, ready: threading.Event) -> None:
        servers = []
        for number in range(COUNT):
            server = await asyncio.start_server(self._answering(number), f"127.0.0.{number + 1}", self.port)
            self.port = server.sockets[0].getsockname()[1]
            servers.append(server)
        ready.set()
        await self._finish.wait()
        for server in servers:
            server.close()

    def _answering(self, number: int):  # type: ignore[no-untyped-def]
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
                body = await reader.readexactly(length)
                name = body.partition(_SUBJECT)[2].partition(b'"')[0].decode()
                self.arrived[number].setdefault(name, time.perf_counter())
                if self.hangs and number == HANGING:
                    await reader.read()  # until the other side has had enough
                else:
                    writer.write(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
                    await writer.drain()
            except (ConnectionError, asyncio.IncompleteReadError):
                return
            finally:
                writer.close()

        return answer


def webhook_round(
    ontology: Ontology, texts: Sequence[str], each_second: float, endpoints: Endpoints, *, trouble: bool
) -> list[float]:
    """Seconds from publishing to the arrival at each of the webhooks that answer, for every event."""
    endpoints.hangs = trouble
    endpoints.arrived = [{} for _ in range(COUNT)]
    called: dict[str, float] = {}
    policy = RetryPolicy(timeout=2.0, first_delay=0.5)
    with (
        tempfile.TemporaryDirectory() as folder,
        Broker(ontology, store=Path(folder) / "broker.db", retry=policy, targets=Targets(["127.0.0.0/8"])) as broker,
    ):
        for number in range(COUNT):
            url = endpoints.url(number, dead=trouble and number == DEAD)
            pattern = f"SELECT ?product {{ _:H {_TARGET} ; {_GROUP} {number % GROUPS} }}"
            broker.subscribe(f"hook{number}", pattern, Webhook(url), id="hook")
        _publish(broker, texts, each_second, called)
        good = endpoints.arrived[2:]
        until = time.monotonic() + 60
        while any(len(arrived) < len(texts) // GROUPS for arrived in good):
            if time.monotonic() > until:
                raise RuntimeError("a webhook that answers did not get its events")
            time.sleep(0.05)
    return [at - called[name] for arrived in good for name, at in arrived.items()]


def _publish(broker: Broker, texts: Sequence[str], each_second: float, called: dict[str, float]) -> None:
    start = time.perf_counter()
    for number, text in enumerate(texts):
        time.sleep(max(0.0, start + number / each_second - time.perf_counter()))
        name = f"urn:hook:{number}"
        called[name] = time.perf_counter()
        broker.publish_soon(Event.parse(f"{text}\n_:H {_GROUP} {number % GROUPS} .", id=name))


def webhooks(rounds: int, events: int, each_second: float) -> None:
    """Print what one hanging and one dead webhook change for the others."""
    workload = Shop()
    ontology, texts = workload.ontology(), list(workload.events(events))
    endpoints = Endpoints()
    try:
        webhook_round(ontology, texts[:GROUPS], each_second, endpoints, trouble=False)  # kernels, connections, threads
        medians: dict[bool, list[float]] = {False: [], True: []}
        for number in range(2 * rounds):
            trouble = number % 4 in (1, 2)  # in turns that a steady drift does not favour
            seconds = webhook_round(ontology, texts, each_second, endpoints, trouble=trouble)
            medians[trouble].append(statistics.median(seconds))
    finally:
        endpoints.close()
    calm, troubled = (statistics.median(medians[which]) for which in (False, True))
    spread = [f"{min(found) * 1e3:.1f} to {max(found) * 1e3:.1f}" for found in medians.values()]
    print(f"{COUNT} webhooks, {events} events at {each_second:g}/s, {rounds} rounds of each; publish to arrival")
    print(f"  all of them answer:             median {calm * 1e3:6.1f} ms (rounds: {spread[0]})")
    print(f"  one hangs, one is dead: others' median {troubled * 1e3:6.1f} ms (rounds: {spread[1]})")
    print(f"  change {100 * (troubled / calm - 1):+.1f} %\n")
