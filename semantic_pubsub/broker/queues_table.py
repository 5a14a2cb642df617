"""The queue of each subscription: matches in publication order, and how far they are delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.model import QueueRow

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future

    from semantic_pubsub.broker.tables import Access
    from semantic_pubsub.broker.writer import Connection

__all__ = ["ADVANCE", "Queues"]

ADVANCE: Final = "UPDATE subscriptions SET acked = ? WHERE number = ? AND acked < ?"
_SUCCEEDED: Final = (
    "UPDATE subscriptions SET times_sent = times_sent + ?, last_success = ?, attempts = 0, retry_at = 0 "
    "WHERE number = ?"
)
_FAILED: Final = (
    "UPDATE subscriptions SET times_failed = times_failed + 1, last_failure = ?, last_error = ?, attempts = ?, "
    "retry_at = ? WHERE number = ?"
)
_PENDING: Final = (
    "SELECT position, event, pattern FROM deliveries WHERE subscription = ? AND position > ? ORDER BY position LIMIT ?"
)


class Queues:
    """The table of deliveries. A row up to the subscription's `acked` is done, and stays until it is swept."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def pending(self, subscription: int, after: int, limit: int) -> list[QueueRow]:
        """The next rows of one queue after a position."""
        return [QueueRow(*row) for row in self._access.read(_PENDING, (subscription, after, limit))]

    def pending_of_many(self, cursors: Mapping[int, int], limit: int) -> list[tuple[int, QueueRow]]:
        """The first rows of several queues together, each after its own position, with their subscriptions."""
        found: list[tuple[int, QueueRow]] = []
        with self._access.reading() as connection:
            for subscription, after in cursors.items():
                rows = connection.execute(_PENDING, (subscription, after, limit))
                found.extend((subscription, QueueRow(*row)) for row in rows)
                if len(found) > 8 * limit:
                    found = _first(found, limit)
        return _first(found, limit)

    def depth(self, subscription: int, acked: int) -> int:
        """How many rows of a queue wait."""
        sql = "SELECT count(*) FROM deliveries WHERE subscription = ? AND position > ?"
        return int(self._access.read(sql, (subscription, acked))[0][0])

    def waiting(self) -> int:
        """How many rows wait in all queues together; it counts them."""
        # CROSS: SQLite would go through all deliveries, those that are done as well.
        sql = "SELECT count(*) FROM subscriptions s CROSS JOIN deliveries d WHERE d.subscription = s.number "
        return int(self._access.read(sql + "AND d.position > s.acked")[0][0])

    def acknowledge(self, positions: Mapping[int, int], now: float) -> Future[None]:
        """Everything up to a position is done, for several subscriptions; a position never goes back."""

        def work(connection: Connection) -> None:
            for subscription, position in positions.items():
                sql = (
                    "SELECT count(*) FROM deliveries WHERE subscription = ? AND position <= ? AND position > "
                    "(SELECT acked FROM subscriptions WHERE number = ?)"
                )
                count = connection.execute(sql, (subscription, position, subscription))[0][0]
                if count:
                    connection.execute(_SUCCEEDED, (count, now, subscription))
                connection.execute(ADVANCE, (position, subscription, position))

        return self._access.write(work)

    def succeeded(self, subscription: int, position: int, now: float) -> Future[None]:
        """A push was accepted."""

        def work(connection: Connection) -> None:
            connection.execute(_SUCCEEDED, (1, now, subscription))
            connection.execute(ADVANCE, (position, subscription, position))

        return self._access.write(work)

    def failed(self, subscription: int, *, attempts: int, retry_at: float, now: float, error: str) -> Future[None]:
        """A push failed and will be tried again."""
        values = (now, error, attempts, retry_at, subscription)
        return self._access.write(lambda connection: _run(connection, _FAILED, values))


def _run(connection: Connection, sql: str, values: tuple[object, ...]) -> None:
    connection.execute(sql, values)


def _first(found: list[tuple[int, QueueRow]], limit: int) -> list[tuple[int, QueueRow]]:
    found.sort(key=lambda pair: pair[1].position)
    return found[:limit]
