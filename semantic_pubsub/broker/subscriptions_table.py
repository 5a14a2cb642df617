"""Stored subscriptions and the versions of their patterns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.errors import ConflictError
from semantic_pubsub.broker.model import SubscriptionRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from semantic_pubsub.broker.tables import Access
    from semantic_pubsub.broker.writer import Connection

__all__ = ["Subscriptions"]

_OWN: Final = (
    "tenant", "subscriber", "id", "pattern", "kind", "endpoint", "secret", "format", "fit", "paused", "reason",
    "throttling", "expires_at", "created_at", "modified_at", "times_sent", "times_failed", "last_success",
    "last_failure", "last_error", "attempts", "retry_at", "overruns", "acked",
)  # fmt: skip
_CHANGEABLE: Final = frozenset(_OWN) - {"tenant", "subscriber", "id", "pattern", "created_at", "acked"}
_COUNTED: Final = frozenset(("times_sent", "times_failed", "last_success", "last_failure", "last_error"))
_COLUMNS: Final = ", ".join(f"s.{name}" for name in ("number", *_OWN)) + ", p.text, p.syntax, p.injective"
_SELECT: Final = f"SELECT {_COLUMNS} FROM subscriptions s JOIN patterns p ON p.number = s.pattern"  # noqa: S608
_INSERT: Final = f"INSERT INTO subscriptions ({', '.join(_OWN)}) VALUES ({', '.join('?' * len(_OWN))}) RETURNING number"  # noqa: S608
_NEW_PATTERN: Final = (
    "INSERT INTO patterns (subscription, text, syntax, injective) VALUES (?, ?, ?, ?) RETURNING number"
)
_PAGE: Final = 5_000


class Subscriptions:
    """The table of subscriptions. Whoever asks for one names its tenant and subscriber."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def create(self, record: SubscriptionRecord) -> Future[SubscriptionRecord]:
        """Add one; the future gives it with its numbers, or a ConflictError if its id is taken."""

        def work(connection: Connection) -> SubscriptionRecord:
            key = (record.tenant, record.subscriber, record.id)
            if connection.execute("SELECT 1 FROM subscriptions WHERE tenant = ? AND subscriber = ? AND id = ?", key):
                raise ConflictError(
                    f"{record.subscriber!r} has a subscription {record.id!r} already",
                    hint="replace it, or choose another id",
                )
            # What was published before is none of its business.
            position = connection.execute("SELECT value FROM counters WHERE name = 'position'")[0][0]
            fresh = replace(record, acked=position)
            number = connection.execute(_INSERT, [_stored(fresh, name) for name in _OWN])[0][0]
            pattern = _add_pattern(connection, number, record)
            return replace(fresh, number=number, pattern=pattern)

        return self._access.write(work, weight=len(record.text), refusable=True)

    def replace(self, record: SubscriptionRecord) -> Future[SubscriptionRecord]:
        """Give a subscription another pattern, way of delivery or settings; its queue and counters stay."""

        def work(connection: Connection) -> SubscriptionRecord:
            pattern = _add_pattern(connection, record.number, record)
            names = [name for name in _OWN if name in _CHANGEABLE - _COUNTED]  # deliveries go on meanwhile
            _update(connection, record.number, {name: _stored(record, name) for name in names})
            return replace(record, pattern=pattern)

        return self._access.write(work, weight=len(record.text), refusable=True)

    def change(self, number: int, **values: Any) -> Future[None]:
        """Set some columns."""
        if unknown := values.keys() - _CHANGEABLE:
            raise ValueError(f"cannot be changed: {', '.join(sorted(unknown))}")
        stored = {name: int(value) if isinstance(value, bool) else value for name, value in values.items()}
        return self._access.write(lambda connection: _update(connection, number, stored))

    def delete(self, number: int) -> Future[None]:
        """Forget a subscription with its queue and dead letters."""

        def work(connection: Connection) -> None:
            for table in ("deliveries", "dead_letters", "replays", "patterns"):
                connection.execute(f"DELETE FROM {table} WHERE subscription = ?", (number,))  # noqa: S608
            connection.execute("DELETE FROM subscriptions WHERE number = ?", (number,))

        return self._access.write(work)

    def get(self, tenant: str, subscriber: str, identifier: str) -> SubscriptionRecord | None:
        """One subscription of a subscriber, if it has one of this id."""
        sql = f"{_SELECT} WHERE s.tenant = ? AND s.subscriber = ? AND s.id = ?"
        rows = self._access.read(sql, (tenant, subscriber, identifier))
        return _record(rows[0]) if rows else None

    def page(
        self, tenant: str, subscriber: str | None, *, after: int = 0, limit: int = 100
    ) -> list[SubscriptionRecord]:
        """A tenant's subscriptions (or one subscriber's) in the order they were made, from a number on."""
        whose, parameters = ("", []) if subscriber is None else (" AND s.subscriber = ?", [subscriber])
        sql = f"{_SELECT} WHERE s.tenant = ? AND s.number > ?{whose} ORDER BY s.number LIMIT ?"
        return [_record(row) for row in self._access.read(sql, (tenant, after, *parameters, limit))]

    def count(self) -> int:
        """How many there are, over all tenants."""
        return int(self._access.read("SELECT count(*) FROM subscriptions")[0][0])

    def everything(self) -> Iterator[tuple[SubscriptionRecord, int]]:
        """Each subscription of all tenants with the last position in its queue, for a broker that starts."""
        last = "(SELECT max(d.position) FROM deliveries d WHERE d.subscription = s.number)"
        sql = _SELECT.replace(" FROM ", f", {last} FROM ", 1) + " WHERE s.number > ? ORDER BY s.number LIMIT ?"
        after = 0
        while rows := self._access.read(sql, (after, _PAGE)):
            after = rows[-1][0]
            yield from ((_record(row[:-1]), row[-1] or 0) for row in rows)

    def pattern(self, number: int) -> tuple[str, str, bool] | None:
        """A version of a subscription's text, with its syntax and whether it is injective."""
        rows = self._access.read("SELECT text, syntax, injective FROM patterns WHERE number = ?", (number,))
        return (rows[0][0], rows[0][1], bool(rows[0][2])) if rows else None


def _add_pattern(connection: Connection, number: int, record: SubscriptionRecord) -> int:
    values = (number, record.text, record.syntax, int(record.injective))
    pattern: int = connection.execute(_NEW_PATTERN, values)[0][0]
    connection.execute("UPDATE subscriptions SET pattern = ? WHERE number = ?", (pattern, number))
    return pattern


def _update(connection: Connection, number: int, values: dict[str, Any]) -> None:
    assignments = ", ".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE subscriptions SET {assignments} WHERE number = ?", (*values.values(), number))  # noqa: S608


def _stored(record: SubscriptionRecord, name: str) -> Any:
    value = getattr(record, name)
    return int(value) if isinstance(value, bool) else value


def _record(row: tuple[Any, ...]) -> SubscriptionRecord:
    number, *own, text, syntax, injective = row
    values = dict(zip(_OWN, own, strict=True))
    values["paused"] = bool(values["paused"])
    return SubscriptionRecord(number=number, text=text, syntax=syntax, injective=bool(injective), **values)
