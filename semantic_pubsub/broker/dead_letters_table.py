"""Deliveries that were given up: kept with their reason, until somebody replays or discards them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.errors import UnknownSubscriptionError
from semantic_pubsub.broker.model import DeadLetter
from semantic_pubsub.broker.queues_table import ADVANCE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from semantic_pubsub.broker.model import QueueRow
    from semantic_pubsub.broker.tables import Access
    from semantic_pubsub.broker.writer import Connection

__all__ = ["DeadLetters"]

_BURY: Final = (
    "INSERT INTO dead_letters (subscription, position, event, pattern, reason, attempts, died_at) "
    "SELECT ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM subscriptions WHERE number = ? AND acked < ?)"
)
_SELECT: Final = (
    "SELECT l.number, s.tenant, s.subscriber, s.id, e.id, l.position, l.reason, l.attempts, l.died_at "
    "FROM dead_letters l JOIN subscriptions s ON s.number = l.subscription JOIN events e ON e.number = l.event "
    "WHERE s.tenant = ? AND s.subscriber = ? AND l.number > ?"
)
_OWNED: Final = (
    "SELECT l.subscription, l.event, l.pattern FROM dead_letters l JOIN subscriptions s ON s.number = l.subscription "
    "WHERE l.number = ? AND s.tenant = ? AND s.subscriber = ?"
)
_AGAIN: Final = "INSERT INTO deliveries (subscription, position, event, pattern) VALUES (?, ?, ?, ?)"
_REPLAYED: Final = "INSERT INTO replays (event, subscription, position, replayed_at) VALUES (?, ?, ?, ?)"


class DeadLetters:
    """The table of dead letters. Whoever asks names tenant and subscriber."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def bury(
        self, subscription: int, rows: Sequence[QueueRow], *, reason: str, attempts: int, now: float, failures: int = 0
    ) -> Future[None]:
        """Give up the next rows of a queue: each becomes a dead letter, and the queue goes on after them.

        `failures` are pushes that failed and are not counted yet: the one after which nobody tries again.
        """

        def work(connection: Connection) -> None:
            for row in rows:
                letter = (subscription, row.position, row.event, row.pattern, reason, attempts, now)
                connection.execute(_BURY, (*letter, subscription, row.position))
                connection.execute(ADVANCE, (row.position, subscription, row.position))
            reset = "UPDATE subscriptions SET attempts = 0, retry_at = 0, last_failure = ?, last_error = ?, "
            count = "times_failed = times_failed + ? WHERE number = ?"
            connection.execute(reset + count, (now, reason, failures, subscription))

        return self._access.write(work)

    def page(
        self, tenant: str, subscriber: str, *, subscription_id: str | None = None, after: int = 0, limit: int = 100
    ) -> list[DeadLetter]:
        """A subscriber's dead letters, oldest first, from a number on."""
        which, parameters = ("", []) if subscription_id is None else (" AND s.id = ?", [subscription_id])
        sql = f"{_SELECT}{which} ORDER BY l.number LIMIT ?"
        rows = self._access.read(sql, (tenant, subscriber, after, *parameters, limit))
        return [DeadLetter(*row) for row in rows]

    def replay(self, tenant: str, subscriber: str, number: int, now: float) -> Future[tuple[int, int]]:
        """Put a dead letter at the end of its subscription's queue; gives (subscription number, new position)."""

        def work(connection: Connection) -> tuple[int, int]:
            subscription, event, pattern = _owned(connection, tenant, subscriber, number)
            sql = "UPDATE counters SET value = value + 1 WHERE name = 'position' RETURNING value"
            position: int = connection.execute(sql)[0][0]
            connection.execute(_AGAIN, (subscription, position, event, pattern))
            connection.execute(_REPLAYED, (event, subscription, position, now))
            connection.execute("DELETE FROM dead_letters WHERE number = ?", (number,))
            return subscription, position

        return self._access.write(work)

    def discard(self, tenant: str, subscriber: str, number: int) -> Future[None]:
        """Forget a dead letter."""

        def work(connection: Connection) -> None:
            _owned(connection, tenant, subscriber, number)
            connection.execute("DELETE FROM dead_letters WHERE number = ?", (number,))

        return self._access.write(work)

    def count(self) -> int:
        """How many there are, over all tenants."""
        return int(self._access.read("SELECT count(*) FROM dead_letters")[0][0])


def _owned(connection: Connection, tenant: str, subscriber: str, number: int) -> tuple[int, int, int]:
    rows = connection.execute(_OWNED, (number, tenant, subscriber))
    if not rows:
        raise UnknownSubscriptionError(f"there is no dead letter {number}", hint="list your dead letters")
    subscription, event, pattern = rows[0]
    return subscription, event, pattern
