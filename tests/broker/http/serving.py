"""A server for tests, run as a program: with the reference matcher, and keys that are known from the start."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from semantic_pubsub import ReferenceMatcher
from semantic_pubsub.broker import KeyRecord, hash_of_key, open_store
from semantic_pubsub.broker.http import load_settings, serve
from semantic_pubsub.broker.http.logs import log_as_json

KEYS = {"ann": "sps_ann", "bob": "sps_bob", "root": "sps_root"}
ROLES = {"ann": ("publish", "subscribe"), "bob": ("publish", "subscribe"), "root": ("admin",)}

if __name__ == "__main__":
    settings = load_settings(Path(sys.argv[1]))
    with open_store(settings.store) as store:
        for name, key in KEYS.items():
            if store.keys.find(hash_of_key(key)) is None:
                roles = frozenset(ROLES[name])
                store.keys.add(KeyRecord(hash_of_key(key), "default", name, roles, name, 0.0)).result()  # type: ignore[arg-type]
    log_as_json("info")

    def listening(_: str, port: int) -> None:
        sys.stdout.write(json.dumps({"port": port, "keys": KEYS}) + "\n")
        sys.stdout.flush()

    serve(settings, matcher=None if os.environ.get("SEMANTIC_PUBSUB_SOAK") else ReferenceMatcher, listening=listening)
