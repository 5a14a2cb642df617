"""Threads for what would block the event loop; so many calls at once and so many waiting, then 503."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from semantic_pubsub.broker.http.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Workers"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Workers:
    """A pool of threads with a bounded queue."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, f"semantic-pubsub-{name}")
        self._most = threads + waiting
        self._inside = 0
        self._lock = threading.Lock()

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call in a thread. A call whose client went away still counts until it ends."""
        with self._lock:
            if self._inside >= self._most:
                hint = "try again after 1 s"
                raise ProblemError(
                    503, "busy", "too many requests wait already", hint=hint, headers={"retry-after": "1"}
                )
            self._inside += 1
        future = self._pool.submit(partial(function, *args, **kwargs))
        future.add_done_callback(self._left)
        return await asyncio.wrap_future(future)

    def _left(self, _: object) -> None:
        with self._lock:
            self._inside -= 1

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
