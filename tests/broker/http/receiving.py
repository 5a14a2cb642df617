"""A subscriber that is killed, run as a program: it notes what its stream brings, and only then acknowledges."""

from __future__ import annotations

import os
import sys

from semantic_pubsub.broker.client import Client

if __name__ == "__main__":
    url, key, name, path = sys.argv[1:]
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with Client(url, key=key) as client:
        for delivery in client.stream(name):
            os.write(file, f"{delivery.position} {delivery.event_id}\n".encode())
