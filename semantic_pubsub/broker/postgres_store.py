"""The same store in PostgreSQL, by psycopg (extra `postgres`)."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, LiteralString
from urllib.parse import urlsplit

import psycopg

from semantic_pubsub.broker.clock import SystemClock
from semantic_pubsub.broker.errors import BrokerError, StoreError, StoreFullError
from semantic_pubsub.broker.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from semantic_pubsub.broker.writer import Connection

__all__ = ["PostgresStore"]

_LOCK: Final = 0x5EAB5EAB
"""The advisory lock that keeps other brokers out of the same database."""
_LOCK_WAIT: Final = 2.0
"""Seconds that the server gets to notice that the last owner of the lock is gone."""
_MEASURED_EVERY: Final = 5.0


class PostgresStore(Store):
    """A store in a PostgreSQL database of its own; `url` as psycopg takes it."""

    words: Mapping[str, str] = {
        "serial": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "integer": "BIGINT",
        "real": "DOUBLE PRECISION",
        "blob": "BYTEA",
        "clustered": "",
        "random": "CAST(random() * 1000000000000 AS BIGINT)",
    }

    def __init__(self, url: str, **limits: Any) -> None:
        self._url = url
        self._clock = SystemClock()
        self._measured_at = 0.0
        super().__init__(**limits)

    @property
    def url(self) -> str:
        """The address of this store, without the password, which may stand in the query, too."""
        parts = urlsplit(self._url)
        user, at, host = parts.netloc.rpartition("@")
        query = "&".join(part for part in parts.query.split("&") if not part.lower().startswith("password="))
        told = f"{parts.scheme}://{user.partition(':')[0]}{at}{host}{parts.path}"
        return f"{told}?{query}" if query else told

    def _open(self) -> Connection:
        connection = self._reader()
        until = time.monotonic() + _LOCK_WAIT
        while not connection.execute("SELECT pg_try_advisory_lock(?)", (_LOCK,))[0][0]:
            if time.monotonic() < until:
                time.sleep(0.05)
                continue
            connection.close()
            hint = "stop it, or take another database; keys of one that serves are made at its /keys"
            raise StoreError("is open in another broker", source=self.url, hint=hint)
        if connection.execute("SHOW synchronous_commit") == [("off",)]:  # what is acknowledged is on disk
            connection.execute("SET synchronous_commit = on")
        return connection

    def _reader(self) -> Connection:
        try:
            return _PostgresConnection(self._url)
        except psycopg.Error as error:
            message = f"cannot be opened: {' '.join(str(error).split())}"
            raise StoreError(message, source=self.url, hint="check the address and that the server runs") from None

    def _release(self) -> None:
        """The lock ends with its connection."""

    def measure(self, connection: Connection) -> int:
        """The size of the database; asked for every few seconds only, because it looks at files."""
        now = self._clock.now()
        if now - self._measured_at < _MEASURED_EVERY:
            return self._size
        self._measured_at = now
        return int(connection.execute("SELECT pg_database_size(current_database())")[0][0])

    def problem(self, error: Exception) -> BrokerError:
        """What PostgreSQL says, in our words."""
        if isinstance(error, BrokerError):
            return error
        said = " ".join(str(error).split())
        if isinstance(error, psycopg.errors.DiskFull):
            return StoreFullError(f"the database cannot grow: {said}", retry_after=30.0, hint="make room on its disk")
        return StoreError(f"PostgreSQL says: {said}", source=self.url, hint="see the server's log")


class _PostgresConnection:
    """psycopg's connection, with transactions begun by hand and `?` for parameters."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(_translated(sql), parameters or None)
        return cursor.fetchall() if cursor.description else []

    def execute_many(self, sql: str, parameters: Iterable[Sequence[Any]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_translated(sql), parameters)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        marks = ", ".join("?" * len(columns))
        self.execute_many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)  # noqa: S608

    def begin(self) -> None:
        self._connection.execute("BEGIN")

    def commit(self) -> None:
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        self._connection.execute("ROLLBACK")

    def close(self) -> None:
        with suppress(psycopg.Error):  # else the lock would end some time after this
            self._connection.execute("SELECT pg_advisory_unlock_all()")
        self._connection.close()

    @property
    def broken(self) -> bool:
        """Whether the server is gone."""
        return self._connection.broken or self._connection.closed


@lru_cache(maxsize=512)
def _translated(sql: str) -> LiteralString:
    return sql.replace("?", "%s")  # all of it is written in this package
