"""Names to addresses, on threads: a name that takes long to look up, or has not been found, delays no other."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Resolver", "is_address"]

_THREADS: Final = 16
_PROMPT: Final = 1.0
"""Seconds; names that were found within them are looked up on threads of their own."""
_KNOWN: Final = 10_000


class Resolver:
    """The system's resolver. Used from one event loop; a name has one lookup under way at most.

    Whoever can choose names can choose such whose servers never answer. These keep only the threads busy on which
    names are looked up that were not found promptly the last time.
    """

    def __init__(self, look_up: Callable[[str], list[str]] | None = None) -> None:
        self._look_up = look_up or _by_system
        self._prompt: OrderedDict[str, None] = OrderedDict()
        self._running: dict[str, asyncio.Future[list[str]]] = {}
        self._pools: dict[bool, ThreadPoolExecutor] = {}

    async def __call__(self, host: str, port: int) -> list[str]:  # noqa: ARG002
        """All addresses of a host; an OSError if there are none."""
        if is_address(host):
            return [host]
        running = self._running.get(host)
        if running is None:
            pool = self._pool(host in self._prompt)
            running = asyncio.get_running_loop().run_in_executor(pool, self._look_up, host)
            self._running[host] = running
            running.add_done_callback(partial(self._found, host, time.monotonic()))
        return await asyncio.shield(running)  # who has no more time leaves the lookup to whoever asks next

    def close(self) -> None:
        """Let go of the threads."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    def _pool(self, prompt: bool) -> ThreadPoolExecutor:
        if prompt not in self._pools:
            self._pools[prompt] = ThreadPoolExecutor(_THREADS, "semantic-pubsub-resolver")
        return self._pools[prompt]

    def _found(self, host: str, started: float, lookup: asyncio.Future[list[str]]) -> None:
        self._running.pop(host, None)
        self._prompt.pop(host, None)
        if lookup.cancelled() or lookup.exception() is not None or time.monotonic() - started > _PROMPT:
            return
        self._prompt[host] = None
        if len(self._prompt) > _KNOWN:
            self._prompt.popitem(last=False)


def is_address(host: str) -> bool:
    """Whether it needs no looking up."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _by_system(host: str) -> list[str]:
    found = (str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM))
    return list(dict.fromkeys(found))
