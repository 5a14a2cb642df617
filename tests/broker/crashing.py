"""A broker that publishes from several threads until it is killed: run as a program by `test_crash.py`.

Each acknowledged event is told on the standard output, each delivery to the callback is appended to a file.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from semantic_pubsub import Event, Ontology, ReferenceMatcher
from semantic_pubsub.broker import Broker, Callback, Delivery, RetryPolicy

THREADS = 8
PACE = 0.005
"""Seconds; so that the callback, which is told one after the other, is not hours behind after many runs."""
PROPERTIES = ["p", "q"]


def pattern(prop: str) -> str:
    return f"SELECT ?v {{ _:H <http://example.org/{prop}> ?v }}"


def text(prop: str, number: int) -> str:
    return f"_:H <http://example.org/{prop}> {number} ."


def opened(folder: Path) -> Broker:
    ontology = Ontology.load(folder / "plain.nt")
    retry = RetryPolicy(first_delay=0.01, longest_delay=0.1, attempts=1_000)  # a receiver that lies dies of no chance
    return Broker(ontology, ReferenceMatcher, folder / "broker.db", retry=retry)


def receiver(folder: Path) -> Callback:
    """Appends positions to a file; now and then it says that it failed, before or after it has written."""
    file = os.open(folder / "received", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def receive(delivery: Delivery) -> None:
        if delivery.position % 17 == 0 and os.urandom(1)[0] < 128:
            raise RuntimeError("not accepted")
        os.write(file, f"{delivery.position} {delivery.event_id}\n".encode())
        if delivery.position % 19 == 0 and os.urandom(1)[0] < 128:
            raise RuntimeError("the answer was lost")

    return Callback(receive)


def subscribe(broker: Broker, callback: Callback) -> None:
    """The first time; later only the callback is attached again."""
    known = {record.id for record in broker.subscriptions()}
    for prop in PROPERTIES:
        if prop not in known:
            broker.subscribe("reader", pattern(prop), id=prop)
    if "eager" not in known:
        broker.subscribe("eager", pattern("p"), id="eager")
    if "called" not in known:
        broker.subscribe("called", pattern("p"), callback, id="called")
    broker.attach("called", "called", callback.function)


def publish(broker: Broker, run: str, thread: int) -> None:
    number = 0
    while True:
        prop = PROPERTIES[(number + thread) % 2]
        name = f"{run}-{thread}-{number}"
        broker.publish(Event.parse(text(prop, number), id=name))
        os.write(1, f"{prop} {name}\n".encode())
        number += 1
        time.sleep(PACE)


def acknowledge(broker: Broker) -> None:
    """A subscriber that pulls, notes what it got, and then acknowledges."""
    while True:
        found = broker.pull("eager", limit=20)
        for delivery in found:
            os.write(1, f"eager {delivery.position} {delivery.event_id}\n".encode())
        if found:
            broker.ack("eager", found[-1].position)


if __name__ == "__main__":
    where, run = Path(sys.argv[1]), sys.argv[2]
    broker = opened(where)
    subscribe(broker, receiver(where))
    for thread in range(THREADS):
        threading.Thread(target=publish, args=(broker, run, thread), daemon=True).start()
    acknowledge(broker)
