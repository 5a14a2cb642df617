"""The embedded store: one file, SQLite in WAL mode, each commit on disk before it is acknowledged."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from functools import lru_cache
from itertools import chain, repeat
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.errors import BrokerError, StoreError, StoreFullError
from semantic_pubsub.broker.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from semantic_pubsub.broker.writer import Connection

__all__ = ["SqliteStore"]

_FULL: Final = frozenset({sqlite3.SQLITE_FULL})
_MOST_PARAMETERS: Final = 16_384


class SqliteStore(Store):
    """A store in one file; beside it lies `<file>.lock`, held while a process has it open."""

    words: Mapping[str, str] = {
        "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "integer": "INTEGER",
        "real": "REAL",
        "blob": "BLOB",
        "clustered": "WITHOUT ROWID",
        "random": "abs(random() % 1000000000000)",
    }

    def __init__(self, path: str | os.PathLike[str], **limits: Any) -> None:
        self.path = Path(path)
        self._lock: IO[bytes] | None = None
        super().__init__(**limits)

    @property
    def url(self) -> str:
        """The address of this store."""
        return f"sqlite:///{self.path}"

    def _open(self) -> Connection:
        lock_path = self.path.with_name(self.path.name + ".lock")
        try:
            self._lock = open(lock_path, "wb", opener=_private)  # noqa: SIM115 - it stays open
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._release()
            hint = "a store belongs to one broker at a time: stop it; keys of one that serves are made at its /keys"
            raise StoreError("is open in another broker", source=str(self.path), hint=hint) from None
        except OSError as error:
            message = f"cannot be opened: {error.strerror}"
            raise StoreError(message, source=str(self.path), hint="check the folder and its rights") from None
        try:
            os.close(_private(os.fspath(self.path), os.O_RDWR | os.O_CREAT))  # SQLite's other files get its rights
            connection = _SqliteConnection(self.path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        except OSError as error:
            self._release()
            message = f"cannot be opened: {error.strerror}"
            raise StoreError(message, source=str(self.path), hint="check the file and its rights") from None
        except sqlite3.Error as error:
            self._release()
            raise self.problem(error) from None
        return connection

    def _reader(self) -> Connection:
        connection = _SqliteConnection(self.path)
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def measure(self, connection: Connection) -> int:
        """Pages in use, times their size."""
        sql = (
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()"
        )
        return int(connection.execute(sql)[0][0])

    def problem(self, error: Exception) -> BrokerError:
        """What SQLite says, in our words."""
        if isinstance(error, BrokerError):
            return error
        if getattr(error, "sqlite_errorcode", None) in _FULL:
            hint = "make room on the disk, or shorten the retention"
            return StoreFullError(f"{self.path} cannot grow: {error}", retry_after=30.0, hint=hint)
        hint = "check the disk and the file; a damaged file must be restored from a copy"
        return StoreError(f"SQLite says: {error}", source=str(self.path), hint=hint)


def _private(path: str, flags: int) -> int:
    """A file that is new is for its owner alone: events, and the secrets of webhooks, are in it."""
    return os.open(path, flags, 0o600)


class _SqliteConnection:
    """SQLite's connection, with transactions begun by hand."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30.0)
        self._connection.execute("PRAGMA mmap_size = 268435456")

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, parameters).fetchall()

    def execute_many(self, sql: str, parameters: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(sql, parameters)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Some thousand rows in one step: after each step the module waits for the interpreter, which others keep busy.

        Rows of nothing fill up to a power of two, so that there are few statements to prepare.
        """
        width = len(columns)
        most = 1 << (_MOST_PARAMETERS // width).bit_length() - 1
        for first in range(0, len(rows), most):
            chunk = rows[first : first + most]
            count = 1 << (len(chunk) - 1).bit_length()
            values = [*chain.from_iterable(chunk), *repeat(None, (count - len(chunk)) * width)]
            self._connection.execute(_insertion(table, tuple(columns), count), values)

    def begin(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()

    @property
    def broken(self) -> bool:
        """A file does not go away."""
        return False


@lru_cache(maxsize=64)
def _insertion(table: str, columns: tuple[str, ...], count: int) -> str:
    """A statement for so many rows; those that begin with NULL are left out."""
    row = f"({', '.join('?' * len(columns))})"
    rows = ", ".join(repeat(row, count))
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM (VALUES {rows}) WHERE column1 IS NOT NULL"  # noqa: S608
