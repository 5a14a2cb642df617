"""A broker that serves, and clients: publish, stream, ask why. The broker is a process of its own."""

import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from semantic_pubsub.broker.client import Client

HERE = Path(__file__).resolve().parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(url: str) -> None:
    while True:
        try:
            if httpx.get(f"{url}/ready").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)


with tempfile.TemporaryDirectory() as folder:
    port = free_port()
    command = [sys.executable, "-m", "semantic_pubsub", "serve", "--port", str(port), "--log-level", "error"]
    command += [
        "--ontology",
        str(HERE.parent / "ontology/auction.ttl"),
        "--shapes",
        str(HERE.parent / "shapes/auction.ttl"),
    ]
    broker = subprocess.Popen([*command, "--store", f"{folder}/broker.db"])  # noqa: S603 - our own command
    url = f"http://127.0.0.1:{port}"
    wait_until_ready(url)

    with Client(url) as client:
        client.subscribe("(_:H, ?1, (Selling, target, Computer))", id="computers", format="json-ld")
        event = (HERE / "events/notebook.ttl").read_text(encoding="utf-8")
        for _ in range(2):
            receipt = client.publish(event, idempotency_key="offer-1")
            print(receipt.matches, "match, repeated:", receipt.repeated)

        for delivery in client.stream("computers"):
            print(delivery.subscription_id, sorted(delivery.bindings or {}))
            client.ack(delivery)
            break

        print(client.explain(event, "computers")["matched"])

    broker.terminate()
    print("the broker ended with", broker.wait())

# prints: 1 match, repeated: False
# prints: 1 match, repeated: True
# prints: computers ['1']
# prints: True
# prints: the broker ended with 0
