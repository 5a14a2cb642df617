"""What is removed from the store, in steps small enough that publishers hardly wait for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.tables import marks

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
    "SELECT d.event FROM deliveries d JOIN subscriptions s ON s.number = d.subscription "
    "WHERE d.position > s.acked AND d.position <= ?"
)
_OLDEST: Final = "SELECT number, last_position FROM events WHERE number > ? AND {which} ORDER BY number LIMIT ?"


class Sweeping:
    """Removal by age and size. Nothing that waits for a subscriber is removed here."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def last_position_before(self, published_before: float) -> int:
        """The last position given to an event of before that time; 0 if there is none."""
        sql = "SELECT max(last_position) FROM events WHERE published_at < ?"
        return int(self._access.read(sql, (published_before,))[0][0] or 0)

    def old_events(self, after: int, published_before: float | None, limit: int) -> list[tuple[int, int]]:
        """The oldest events from a number on, as (number, last position); of any age for None."""
        which, parameters = ("published_at < ?", [published_before]) if published_before is not None else ("1 = 1", [])
        rows = self._access.read(_OLDEST.format(which=which), (after, *parameters, limit))
        return [(number, position) for number, position in rows]

    def remove_events(self, events: Sequence[tuple[int, int]]) -> Future[int]:
        """Remove those of the events (of `old_events`) that nobody waits for; gives how many."""
        numbers = [number for number, _ in events]
        last = max(position for _, position in events)

        def work(connection: Connection) -> int:
            kept = {row[0] for row in connection.execute(_PENDING_EVENTS, (last,))}
            sql = f"SELECT event FROM dead_letters WHERE event IN ({marks(len(numbers))})"  # noqa: S608
            kept |= {row[0] for row in connection.execute(sql, numbers)}
            gone = [(number,) for number in numbers if number not in kept]
            connection.execute_many("DELETE FROM events WHERE number = ?", gone)
            return len(gone)

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
