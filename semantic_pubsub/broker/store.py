"""The store: what is on disk, behind one contract for every database.

A database fulfils six things (the abstract methods); the tables and their SQL are common. Whatever writes returns a
future that is set when the change is on disk; changes are made in the order in which they were asked for.
"""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from semantic_pubsub.broker.dead_letters_table import DeadLetters
from semantic_pubsub.broker.errors import BrokerError, ClosedError, StoreFullError
from semantic_pubsub.broker.events_table import Events
from semantic_pubsub.broker.keys_table import Keys
from semantic_pubsub.broker.queues_table import Queues
from semantic_pubsub.broker.schema import migrate
from semantic_pubsub.broker.subscriptions_table import Subscriptions
from semantic_pubsub.broker.sweeping import Sweeping
from semantic_pubsub.broker.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from typing import Self

    from semantic_pubsub.broker.writer import Connection

__all__ = ["Store"]

_I = TypeVar("_I")
_R = TypeVar("_R")
_T = TypeVar("_T")
_KEPT_READERS: Final = 4


class Store(ABC):
    """Subscriptions, events, queues, dead letters and keys on disk; one broker at a time may have it open.

    `subscriptions`, `events`, `queues`, `dead_letters`, `keys` and `sweeping` are the tables with their questions
    and changes. `max_bytes` is the size at which new events and subscriptions are refused; acknowledging and
    sweeping go on.
    """

    words: Mapping[str, str]
    """How the database names what `schema.py` leaves open."""

    def __init__(
        self,
        *,
        max_bytes: int | None = None,
        waiting_writes: int = 10_000,
        waiting_bytes: int = 64 * 1024 * 1024,
    ) -> None:
        self.max_bytes = max_bytes
        self._size = 0
        self._closed = False
        self._readers: queue.LifoQueue[Connection] = queue.LifoQueue()
        connection = self._open()
        try:
            migrate(connection, self.words)
            self._measure(connection)
        except BaseException as error:
            connection.close()
            self._release()
            if isinstance(error, BrokerError) or not isinstance(error, Exception):
                raise
            raise self.problem(error) from error
        self._writer = Writer(
            connection,
            reconnect=self._open,
            problem=self.problem,
            after_commit=self._measure,
            most_jobs=waiting_writes,
            most_bytes=waiting_bytes,
        )
        self.subscriptions = Subscriptions(self)
        self.events = Events(self)
        self.queues = Queues(self)
        self.dead_letters = DeadLetters(self)
        self.keys = Keys(self)
        self.sweeping = Sweeping(self)

    # what each database says for itself

    @abstractmethod
    def _open(self) -> Connection:
        """Take the store for this process alone and give the writing connection; a StoreError where it cannot be."""

    @abstractmethod
    def _reader(self) -> Connection:
        """One more connection, for reading."""

    @abstractmethod
    def _release(self) -> None:
        """Let others open the store."""

    @abstractmethod
    def measure(self, connection: Connection) -> int:
        """Bytes in use; called after each commit, so it must be cheap."""

    @abstractmethod
    def problem(self, error: Exception) -> BrokerError:
        """A database's error in our words: `StoreFullError` where room is missing, else `StoreError`."""

    @property
    @abstractmethod
    def url(self) -> str:
        """The address this store was opened with, without a password."""

    # common to all

    @property
    def size(self) -> int:
        """Bytes in use after the last commit."""
        return self._size

    @property
    def waiting(self) -> int:
        """Writes that wait for the disk."""
        return len(self._writer)

    @property
    def commits(self) -> int:
        """Transactions so far: beside the number of events, what group commit saves."""
        return self._writer.commits

    @property
    def identity(self) -> int:
        """A random number that tells this store from others, also from one that was at its address before."""
        return int(self.read("SELECT value FROM counters WHERE name = 'identity'")[0][0])

    @property
    def stamp(self) -> int:
        """What was last noted by `note_stamp`, 0 at first."""
        return int(self.read("SELECT value FROM counters WHERE name = 'compiled'")[0][0])

    def note_stamp(self, stamp: int) -> Future[object]:
        """Note which compiled sets belong to this very state of the store."""
        sql = "UPDATE counters SET value = ? WHERE name = 'compiled'"
        return self.write(lambda connection: connection.execute(sql, (stamp,)))

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that a question has for answer, as of the last commit."""
        with self.reading() as connection:
            return connection.execute(sql, parameters)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for several questions."""
        if self._closed:
            raise ClosedError("the store was closed", hint="open it again")
        try:
            connection = self._readers.get_nowait()
        except queue.Empty:
            connection = self._reader()
        try:
            yield connection
        except Exception as error:
            connection.close()
            self._close_readers()  # what broke this one may have broken them all
            raise error if isinstance(error, BrokerError) else self.problem(error) from error
        if self._closed or self._readers.qsize() >= _KEPT_READERS:
            connection.close()
        else:
            self._readers.put(connection)

    def write(self, work: Callable[[Connection], _T], *, weight: int = 0, refusable: bool = False) -> Future[_T]:
        """Have a change made in the next transaction; see `Writer.submit`."""
        if refusable:
            self._check_room()
        return self._writer.submit(work, weight=weight, refusable=refusable)

    def write_item(
        self,
        bulk: Callable[[Connection, list[_I]], list[_T | BrokerError]],
        item: _I,
        then: Callable[[_T], _R],
        *,
        weight: int,
    ) -> Future[_R]:
        """Have an item written with others of its kind in the next transaction; see `Writer.submit_item`."""
        self._check_room()
        return self._writer.submit_item(bulk, item, then, weight=weight)

    def close(self) -> None:
        """Write what waits, then let go; a second call does nothing."""
        if self._closed:
            return
        self._writer.close()
        self._closed = True
        self._close_readers()
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_room(self) -> None:
        if self.max_bytes is not None and self._size >= self.max_bytes:
            raise StoreFullError(
                f"the store has reached its {self.max_bytes:,} bytes",
                retry_after=30.0,
                hint="wait for subscribers to acknowledge, shorten the retention, or raise store_bytes",
            )

    def _close_readers(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._readers.get_nowait().close()

    def _measure(self, connection: Connection) -> None:
        self._size = self.measure(connection)
