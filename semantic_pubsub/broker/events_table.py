"""Stored events: written with their matches in one transaction, and read for deliveries."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from semantic_pubsub.broker.errors import ConflictError
from semantic_pubsub.broker.model import NewEvent, Stored, StoredEvent
from semantic_pubsub.broker.tables import marks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from semantic_pubsub.broker.errors import BrokerError
    from semantic_pubsub.broker.tables import Access
    from semantic_pubsub.broker.writer import Connection

__all__ = ["Events"]

_R = TypeVar("_R")
_Item: TypeAlias = tuple[NewEvent, bytes]
_TAKE: Final = "UPDATE counters SET value = value + ? WHERE name = ? RETURNING value"
_EVENT: Final = ("number", "tenant", "id", "published_at", "format", "home", "body", "last_position")
_DELIVERY: Final = ("subscription", "position", "event", "pattern")
_USED: Final = ("tenant", "key", "fingerprint", "event_id", "matches", "undecided", "used_at")
_SELECT: Final = "SELECT number, tenant, id, published_at, format, home, body FROM events WHERE number IN "
_FIND: Final = "SELECT key, fingerprint, event_id, matches, undecided FROM idempotency WHERE tenant = ? AND key IN "
_HINT: Final = "take a new key, or a new id for a CloudEvent"
_AT_ONCE: Final = 500
_SMALL: Final = 2_048
"""Bytes below which a text is kept as it is: compressing takes longer than writing what it would save."""
_AS_IT_IS: Final = b"\0"
"""The first byte of such a body; a compressed one begins otherwise."""


class Events:
    """The table of events; `body` is the text, compressed if that is worth it."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def publish(self, event: NewEvent) -> Future[Stored]:
        """Write an event and put it into the queues of the subscriptions that it satisfies, all or nothing.

        With an idempotency key that was used before nothing is written, and the answer of that time is given; a
        ConflictError if it was used for something else.
        """
        return self.publish_and(event, lambda stored: stored)

    def publish_and(self, event: NewEvent, then: Callable[[Stored], _R]) -> Future[_R]:
        """The same, and `then` makes the answer when that is on disk; it is called in publication order."""
        packed = _packed(event.body)
        weight = len(packed) + 64 * len(event.matches)
        return self._access.write_item(_write, (event, packed), then, weight=weight)

    def get(self, numbers: Sequence[int]) -> dict[int, StoredEvent]:
        """Events by number; those that are gone are missing."""
        found: dict[int, StoredEvent] = {}
        for start in range(0, len(numbers), _AT_ONCE):
            chunk = numbers[start : start + _AT_ONCE]
            for row in self._access.read(f"{_SELECT}({marks(len(chunk))})", chunk):
                number, tenant, identifier, published_at, syntax, home, body = row
                text = _unpacked(body).decode("utf-8")
                found[number] = StoredEvent(number, tenant, identifier, published_at, syntax, home, text)
        return found

    def count(self) -> int:
        """How many are kept."""
        return int(self._access.read("SELECT count(*) FROM events")[0][0])


def _write(connection: Connection, items: list[_Item]) -> list[Stored | BrokerError]:
    """Events of many publishers in as few steps as possible, with positions in the order of the events."""
    used = _UsedKeys(connection, [event for event, _ in items])
    answers = [used.answer(event) for event, _ in items]
    fresh = [item for item, answer in zip(items, answers, strict=True) if answer is None]
    number = _take(connection, "event", len(fresh))
    position = _take(connection, "position", sum(len(event.matches) for event, _ in fresh))
    firsts, events, deliveries = [], [], []
    for event, body in fresh:
        number += 1
        firsts.append(position + 1)
        for subscription, pattern in event.matches:
            position += 1
            deliveries.append((subscription, position, number, pattern))
        events.append((number, event.tenant, event.id, event.published_at, event.format, event.home, body, position))
    connection.insert("events", _EVENT, events)
    connection.insert("deliveries", _DELIVERY, deliveries)
    used.remember([event for event, _ in fresh])
    stored = (_stored(event, first_position=first) for (event, _), first in zip(fresh, firsts, strict=True))
    return [next(stored) if answer is None else answer for answer in answers]


def _take(connection: Connection, counter: str, count: int) -> int:
    """The number before the first of so many that are taken from a counter."""
    last: int = connection.execute(_TAKE, (count, counter))[0][0]
    return last - count


class _UsedKeys:
    """The idempotency keys of some events: who came first with each of them, and what the answer was."""

    def __init__(self, connection: Connection, events: list[NewEvent]) -> None:
        self._connection = connection
        self._known: dict[tuple[str, str], tuple[bytes, Stored]] = {}
        keys: dict[str, list[str]] = {}
        for event in events:
            if event.idempotency_key is not None:
                keys.setdefault(event.tenant, []).append(event.idempotency_key)
        for tenant, wanted in keys.items():
            sql = f"{_FIND}({marks(len(wanted))})"
            for key, fingerprint, identifier, matches, undecided in connection.execute(sql, (tenant, *wanted)):
                first = Stored(identifier, matches, repeated=True, undecided=undecided)
                self._known[tenant, key] = bytes(fingerprint), first

    def answer(self, event: NewEvent) -> Stored | BrokerError | None:
        """The answer that an event gets because of its key; None if it is to be written."""
        key = event.idempotency_key
        if key is None:
            return None
        first = self._known.get((event.tenant, key))
        if first is None:
            self._known[event.tenant, key] = event.fingerprint, _stored(event, repeated=True)
            return None
        if first[0] != event.fingerprint:
            # Not by its name: what is kept of a publisher's key is often a hash.
            return ConflictError("the idempotency key was used for another event", hint=_HINT)
        return first[1]

    def remember(self, events: list[NewEvent]) -> None:
        """Keep the keys of events that were written."""
        rows = [
            (e.tenant, e.idempotency_key, e.fingerprint, e.id, len(e.matches), e.undecided, e.published_at)
            for e in events
            if e.idempotency_key is not None
        ]
        self._connection.insert("idempotency", _USED, rows)


def _stored(event: NewEvent, *, first_position: int = 0, repeated: bool = False) -> Stored:
    return Stored(event.id, len(event.matches), first_position, repeated, event.undecided)


def _packed(body: bytes) -> bytes:
    return _AS_IT_IS + body if len(body) < _SMALL else zlib.compress(body, 1)


def _unpacked(body: bytes) -> bytes:
    return bytes(body[1:]) if body[:1] == _AS_IT_IS else zlib.decompress(body)
