"""The thread on which pushes run, with an event loop of its own: whoever embeds the broker need not have one."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.broker.dispatcher import Dispatcher

__all__ = ["Backstage"]


class Backstage:
    """Makes a dispatcher on a loop in a thread, runs it, and stops it."""

    def __init__(self, make: Callable[[], Dispatcher]) -> None:
        self._make = make
        self._ready = threading.Event()
        self._grace = 0.0
        self._finish: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._dispatcher: Dispatcher | None = None
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="semantic-pubsub-push", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._problem is not None:
            raise self._problem

    @property
    def dispatcher(self) -> Dispatcher:
        """The one that runs."""
        assert self._dispatcher is not None  # noqa: S101 - the constructor waited for it
        return self._dispatcher

    def stop(self, grace: float) -> None:
        """Let what is in flight end, within some seconds."""
        assert self._loop is not None  # noqa: S101
        assert self._finish is not None  # noqa: S101
        self._grace = grace
        self._loop.call_soon_threadsafe(self._finish.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._finish = asyncio.Event()
        try:
            self._dispatcher = self._make()
        except BaseException as error:
            self._problem = error
            self._ready.set()
            return
        running = self._loop.create_task(self._dispatcher.run())
        await asyncio.sleep(0)  # from here on it can be woken
        self._ready.set()
        await self._finish.wait()
        await self._dispatcher.stop(self._grace)
        await running
