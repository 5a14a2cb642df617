"""A broker that publishes from several threads until it is killed or told to end: run as a program by `test_crash.py`.

With the matcher that a broker has by default in the long form: that one keeps compiled sets when it ends. Each
acknowledged event is told on the standard output, each delivery to the callback is appended to a file.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from semantic_pubsub import Event, Ontology, ReferenceMatcher
from semantic_pubsub.broker import Broker, Callback, ClosedError, Delivery, RetryPolicy

SOAK = bool(os.environ.get("SEMANTIC_PUBSUB_SOAK"))

THREADS = 8
PACE = 0.005
"""Seconds; so that the callback, which is told one after the other, is not hours behind after many runs."""
PROPERTIES = ["p", "q"]

ending = threading.Event()


def pattern(prop: str) -> str:
    return f"SELECT ?v {{ _:H <http://example.org/{prop}> ?v }}"


def text(prop: str, number: int) -> str:
    return f"_:H <http://example.org/{prop}> {number} ."


def opened(folder: Path, store: str) -> Broker:
    ontology = Ontology.load(folder / "plain.nt")
    retry = RetryPolicy(first_delay=0.01, longest_delay=0.1, attempts=1_000)  # a receiver that lies dies of no chance
    matcher = None if SOAK else ReferenceMatcher
    return Broker(ontology, matcher, store, retry=retry, compiled=folder / "compiled")


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
    with suppress(ClosedError):  # the others go on while the broker is closed
        while True:
            prop = PROPERTIES[(number + thread) % 2]
            name = f"{run}-{thread}-{number}"
            broker.publish(Event.parse(text(prop, number), id=name))
            os.write(1, f"{prop} {name}\n".encode())
            number += 1
            time.sleep(PACE)


def acknowledge(broker: Broker) -> None:
    """A subscriber that pulls, notes what it got, and then acknowledges."""
    while not ending.is_set():
        found = broker.pull("eager", limit=20)
        for delivery in found:
            os.write(1, f"eager {delivery.position} {delivery.event_id}\n".encode())
        if found:
            broker.ack("eager", found[-1].position)


if __name__ == "__main__":
    where, run, store = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    broker = opened(where, store)
    subscribe(broker, receiver(where))
    publishers = [
        threading.Thread(target=publish, args=(broker, run, thread), daemon=True) for thread in range(THREADS)
    ]
    for publisher in publishers:
        publisher.start()
    acknowledge(broker)
    broker.close()
    for publisher in publishers:
        publisher.join()
