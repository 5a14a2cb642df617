"""The bare store, in two ways: what is left of a broker that neither reads nor matches.

`store_events` gives what a broker has written to be published again, by the same publishers, straight into a store of
the same kind: the same load, insert only, with group commits and answers as they come.

`BareStore` is SQLite and nothing else. The rows are read from the broker's own file and are ready as they are. They go
into a file with the same tables, subscriptions and settings (WAL, `synchronous = FULL`), in as many transactions as
the broker made for them, each with one `executemany` a table: no threads, nobody gets an answer.
"""

from __future__ import annotations

import math
import shutil
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semantic_pubsub.broker.model import NewEvent

__all__ = ["BareStore", "Inserted", "Rows", "rows_since", "store_events"]

_EVENTS = "number, tenant, id, published_at, format, home, body, last_position"
_DELIVERIES = "subscription, position, event, pattern"


@dataclass(frozen=True)
class Rows:
    """What a broker has written: events, each with its matches."""

    events: list[tuple[Any, ...]]
    deliveries: list[list[tuple[int, ...]]]

    @property
    def matches(self) -> int:
        return sum(map(len, self.deliveries))


@dataclass(frozen=True)
class Inserted:
    """How long it took: seconds, and seconds of CPU."""

    seconds: float
    cpu: float


def rows_since(path: Path, event: int) -> Rows:
    """The events with a higher number, and their rows in the queues."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        events = connection.execute(
            f"SELECT {_EVENTS} FROM events WHERE number > ? ORDER BY number", (event,)
        ).fetchall()
        by_event: dict[int, list[tuple[int, ...]]] = {row[0]: [] for row in events}
        found = f"SELECT {_DELIVERIES} FROM deliveries WHERE event > ? ORDER BY position"
        for row in connection.execute(found, (event,)):
            by_event[row[2]].append(row)
        return Rows(events, list(by_event.values()))
    finally:
        connection.close()


def store_events(rows: Rows, texts: Sequence[str]) -> list[NewEvent]:
    """The events of the rows as a store takes them, with their matches; as bodies any texts of the same publishers."""
    found = []
    for (_, tenant, name, at, syntax, home, _, _), of_one, text in zip(
        rows.events, rows.deliveries, texts, strict=True
    ):
        matches = tuple((subscription, pattern) for subscription, _, _, pattern in of_one)
        found.append(NewEvent(tenant, name, at, syntax, home, text.encode(), matches))
    return found


class BareStore:
    """A copy of a broker's file, made before it had events, to which rows are added by plain SQLite."""

    def __init__(self, original: Path, path: Path) -> None:
        shutil.copy(original, path)
        self._connection = sqlite3.connect(path, isolation_level=None)
        for setting in ("journal_mode = WAL", "synchronous = FULL", "mmap_size = 268435456"):
            self._connection.execute(f"PRAGMA {setting}")

    def insert(self, rows: Rows, commits: int, *, matches: bool) -> Inserted:
        """Add the rows in so many transactions of the same size; the events alone where `matches` are not wanted."""
        size = math.ceil(len(rows.events) / max(1, commits))
        started, cpu = time.perf_counter(), time.process_time()
        for first in range(0, len(rows.events), size):
            self._connection.execute("BEGIN IMMEDIATE")
            marks = ", ".join("?" * 8)
            events = rows.events[first : first + size]
            self._connection.executemany(f"INSERT INTO events ({_EVENTS}) VALUES ({marks})", events)
            if matches:
                found = [row for of_one in rows.deliveries[first : first + size] for row in of_one]
                self._connection.executemany(f"INSERT INTO deliveries ({_DELIVERIES}) VALUES (?, ?, ?, ?)", found)
            self._connection.execute("COMMIT")
        return Inserted(time.perf_counter() - started, time.process_time() - cpu)

    def close(self) -> None:
        self._connection.close()
