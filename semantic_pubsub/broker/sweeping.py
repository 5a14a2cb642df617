"""What is removed from the store, in steps small enough that publishers hardly wait for them."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from semantic_pubsub.broker.tables import Access
    from semantic_pubsub.broker.writer import Connection

__all__ = ["Sweeping"]

_ORPHANS: Final = """WITH RECURSIVE queue (number) AS (
    SELECT min(subscription) FROM deliveries
    UNION ALL
    SELECT (SELECT min(subscription) FROM deliveries WHERE subscription > queue.number)
    FROM queue WHERE queue.number IS NOT NULL)
SELECT number FROM queue WHERE number IS NOT NULL AND number NOT IN (SELECT number FROM subscriptions)"""
_PENDING_EVENTS: Final = (
    # CROSS: SQLite would go through all deliveries, and look for the subscription of each.
    "SELECT d.event FROM subscriptions s CROSS JOIN deliveries d WHERE d.subscription = s.number "
    "AND d.position > CASE WHEN s.acked > ? THEN s.acked ELSE ? END AND d.position <= ?"
)
_REPLAYED_EVENTS: Final = (
    "SELECT r.event FROM replays r JOIN subscriptions s ON s.number = r.subscription "
    "WHERE r.event BETWEEN ? AND ? AND r.position > s.acked"
)
_DEAD_EVENTS: Final = "SELECT event FROM dead_letters WHERE event BETWEEN ? AND ?"
_OVER: Final = (
    "DELETE FROM replays WHERE NOT EXISTS "
    "(SELECT 1 FROM subscriptions s WHERE s.number = replays.subscription AND s.acked < replays.position)"
)
_OLDEST: Final = "SELECT number, last_position, published_at FROM events WHERE number > ? ORDER BY number LIMIT ?"


class Sweeping:
    """Removal by age and size. Nothing that waits for a subscriber is removed here."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def last_position_before(self, published_before: float) -> int:
        """The last position given before that time, as far as it matters to what is kept; 0 if there is none."""
        published = "SELECT max(last_position) FROM events WHERE published_at < ?"
        replayed = "SELECT max(position) FROM replays WHERE replayed_at < ?"
        return max(self._access.read(sql, (published_before,))[0][0] or 0 for sql in (published, replayed))

    def old_events(self, after: int, published_before: float | None, limit: int) -> list[tuple[int, int]]:
        """The oldest events from a number on, as (number, last position); of any age for None.

        They end at the first that is too young: with few old ones the others need not be looked at.
        """
        rows = self._access.read(_OLDEST, (after, limit))
        old = takewhile(lambda row: published_before is None or row[2] < published_before, rows)
        return [(number, position) for number, position, _ in old]

    def waiting_events(self, after: int, up_to: int) -> set[int]:
        """The events that somebody waits for at positions after the first and up to the second, both long given.

        Publishers need not wait for this question: of such positions there will be fewer later on, never more. Only
        what is replayed has a new position.
        """
        return {row[0] for row in self._access.read(_PENDING_EVENTS, (after, after, up_to))}

    def remove_events(self, numbers: Sequence[int]) -> Future[int]:
        """Remove events that are in no queue, but those that are dead letters or replayed; gives how many."""
        bounds = (min(numbers), max(numbers))

        def work(connection: Connection) -> int:
            kept = {row[0] for sql in (_DEAD_EVENTS, _REPLAYED_EVENTS) for row in connection.execute(sql, bounds)}
            gone = [(number,) for number in numbers if number not in kept]
            connection.execute_many("DELETE FROM events WHERE number = ?", gone)
            return len(gone)

        return self._access.write(work)

    def remove_replays(self) -> Future[None]:
        """Forget replays that were delivered or died again."""

        def work(connection: Connection) -> None:
            connection.execute(_OVER)

        return self._access.write(work)

    def remove_deliveries(self, subscriptions: Sequence[int], up_to: int) -> Future[None]:
        """Remove what these subscriptions have acknowledged, up to a position."""

        def work(connection: Connection) -> None:
            sql = (
                "DELETE FROM deliveries WHERE subscription = ? AND position <= ? AND position <= "
                "(SELECT acked FROM subscriptions WHERE number = ?)"
            )
            connection.execute_many(sql, [(number, up_to, number) for number in subscriptions])

        return self._access.write(work)

    def remove_orphans(self) -> Future[None]:
        """Remove queues whose subscription went while an event was on its way."""
        numbers = [row[0] for row in self._access.read(_ORPHANS)]

        def work(connection: Connection) -> None:
            connection.execute_many("DELETE FROM deliveries WHERE subscription = ?", [(n,) for n in numbers])

        return self._access.write(work)

    def with_old_patterns(self) -> list[int]:
        """The subscriptions that were replaced, and whose earlier patterns are still there."""
        sql = "SELECT subscription FROM patterns GROUP BY subscription HAVING count(*) > 1"
        return [row[0] for row in self._access.read(sql)]

    def remove_patterns(self, subscription: int) -> Future[None]:
        """Remove versions of a subscription's pattern that neither it nor a delivery refers to."""
        sql = (
            "DELETE FROM patterns WHERE subscription = ? AND number NOT IN (SELECT pattern FROM subscriptions "
            "WHERE number = ?) AND number NOT IN (SELECT pattern FROM deliveries WHERE subscription = ?) "
            "AND number NOT IN (SELECT pattern FROM dead_letters WHERE subscription = ?)"
        )

        def work(connection: Connection) -> None:
            connection.execute(sql, (subscription,) * 4)

        return self._access.write(work)

    def remove_dead_letters(self, died_before: float) -> Future[int]:
        """Forget dead letters that nobody asked for; gives how many."""
        sql = "DELETE FROM dead_letters WHERE died_at < ? RETURNING number"
        return self._access.write(lambda connection: len(connection.execute(sql, (died_before,))))

    def remove_idempotency_keys(self, used_before: float) -> Future[None]:
        """Forget keys whose time is over."""

        def work(connection: Connection) -> None:
            connection.execute("DELETE FROM idempotency WHERE used_at < ?", (used_before,))

        return self._access.write(work)
