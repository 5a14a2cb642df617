"""Group commit: one thread owns the writing connection and commits everything that waits in one transaction.

While one batch is on its way to the disk, the next collects, and where the last one had several publishers they get a
moment to come again. So a hundred publishers share one fsync, and a single one waits for its own only.

What is asked for often comes as an *item* for a *bulk* step, which writes all items of a batch at once: between two
steps of a database this thread waits for the interpreter, which publishers keep busy.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from semantic_pubsub.broker.errors import BrokerError, BusyError, ClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Connection", "Writer"]

_I = TypeVar("_I")
_R = TypeVar("_R")
_T = TypeVar("_T")
_MOST_AT_ONCE: Final = 512
_COLLECT: Final = 0.002
"""Seconds to wait for as many jobs as there were the last time: who was answered then is about to come again."""


class Connection(Protocol):
    """A connection to either database; parameters are written as `?`."""

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and give its rows."""
        ...

    def execute_many(self, sql: str, parameters: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each set of parameters."""
        ...

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Add many rows in as few steps as possible; no row begins with None."""
        ...

    def begin(self) -> None: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def close(self) -> None: ...

    @property
    def broken(self) -> bool:
        """Whether it can be used no more."""
        ...


@dataclass(slots=True)
class _Job:
    future: Future[Any]
    weight: int
    work: Callable[[Connection], Any] | None = None
    bulk: Callable[[Connection, list[Any]], list[Any]] | None = None
    item: Any = None
    then: Callable[[Any], Any] | None = None


class Writer:
    """Runs jobs in order, many in one transaction; a job's future is set when its transaction is on disk."""

    def __init__(
        self,
        connection: Connection,
        *,
        reconnect: Callable[[], Connection],
        problem: Callable[[Exception], BrokerError],
        after_commit: Callable[[Connection], object],
        most_jobs: int,
        most_bytes: int,
    ) -> None:
        self._connection = connection
        self._reconnect = reconnect
        self._problem = problem
        self._after_commit = after_commit
        self._most_jobs = most_jobs
        self._most_bytes = most_bytes
        self._jobs: deque[_Job] = deque()
        self._weight = 0
        self._closing = False
        self._last = self._enough = 1
        self._changed = threading.Condition()
        self.commits = 0
        self._thread = threading.Thread(target=self._run, name="semantic-pubsub-writer", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """How many jobs wait."""
        return len(self._jobs)

    def submit(self, work: Callable[[Connection], _T], *, weight: int = 0, refusable: bool = False) -> Future[_T]:
        """Have `work` done in the next transaction. It must check before it changes anything.

        What clients ask for is `refusable`: a `BusyError` where too much waits. The broker's own bookkeeping is not;
        it is bounded by what is in flight.
        """
        return self._submit(_Job(Future(), weight, work), refusable)

    def submit_item(
        self,
        bulk: Callable[[Connection, list[_I]], list[_T | BrokerError]],
        item: _I,
        then: Callable[[_T], _R],
        *,
        weight: int,
    ) -> Future[_R]:
        """Have `bulk` done with this item and those of the same kind beside it; refusable.

        It gives a result for each item, or what is wrong with it, and has then changed nothing for it. `then` makes
        the answer of the result; it is called, in the order of the items, when that is on disk.
        """
        return self._submit(_Job(Future(), weight, bulk=bulk, item=item, then=then), refusable=True)

    def _submit(self, job: _Job, refusable: bool) -> Future[Any]:
        weight = job.weight
        with self._changed:
            if self._closing:
                raise ClosedError("the store was closed", hint="open it again")
            if refusable and (len(self._jobs) >= self._most_jobs or self._weight + weight > self._most_bytes):
                raise BusyError("too many writes wait for the disk")
            self._jobs.append(job)
            self._weight += weight
            if len(self._jobs) == self._enough:
                self._changed.notify()
        return job.future

    def close(self) -> None:
        """Do what waits, then stop and close the connection."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while jobs := self._take():
            if not self._commit(jobs):
                for job in jobs:  # one of them is bad, or was too much: the others shall not suffer
                    self._commit([job])

    def _take(self) -> list[_Job]:
        with self._changed:
            self._enough = 1
            while not self._jobs and not self._closing:
                self._changed.wait()
            if len(self._jobs) < self._last and not self._closing:
                self._enough = self._last
                self._changed.wait(_COLLECT)
            taken = [self._jobs.popleft() for _ in range(min(len(self._jobs), _MOST_AT_ONCE))]
            self._last = len(taken)
            self._weight -= sum(job.weight for job in taken)
            return taken

    def _commit(self, jobs: list[_Job]) -> bool:
        """Do the jobs in one transaction. False if that failed and each of them may be tried alone."""
        results: list[Any] = []
        try:
            if self._connection.broken:
                self._connection = self._reconnect()
            self._connection.begin()
            for bulk, some in groupby(jobs, attrgetter("bulk")):
                if bulk is None:
                    results.extend(self._result(job) for job in some)
                else:
                    results.extend(bulk(self._connection, [job.item for job in some]))
            self._connection.commit()
        except Exception as error:  # whatever it is, the thread must live on
            return self._undone(jobs, self._problem(error))
        self.commits += 1
        with suppress(Exception):  # what was committed is; a measure may be missing once
            self._after_commit(self._connection)
        for job, result in zip(jobs, results, strict=True):
            _answer(job, result)
        return True

    def _result(self, job: _Job) -> Any:
        try:
            return job.work(self._connection)  # type: ignore[misc]
        except BrokerError as refusal:  # raised before anything was changed
            return refusal

    def _undone(self, jobs: list[_Job], problem: BrokerError) -> bool:
        """Take back what a failed transaction did.

        Where the connection broke nobody knows whether it was committed: trying again could do everything twice, so
        everybody is told; the next transaction connects anew. Else all is undone for sure, and several jobs may be
        tried one by one.
        """
        with suppress(Exception):
            self._connection.rollback()
        broken = self._connection.broken
        if broken:
            with suppress(Exception):
                self._connection.close()
        if broken or len(jobs) == 1:
            for job in jobs:
                _answer(job, problem)
            return True
        return False


def _answer(job: _Job, result: Any) -> None:
    """Tell who asked; what goes wrong with that is theirs to know, and must not end the thread."""
    try:
        if isinstance(result, BrokerError):
            job.future.set_exception(result)
        else:
            job.future.set_result(result if job.then is None else job.then(result))
    except Exception as error:
        with suppress(Exception):  # it was cancelled: nobody waits any more
            job.future.set_exception(error)
