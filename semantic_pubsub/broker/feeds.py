"""Deliveries as an asynchronous stream, for who reads them in this process or passes them on."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from concurrent.futures import Future

    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.model import Delivery, QueueRow
    from semantic_pubsub.broker.outbox import Outbox
    from semantic_pubsub.broker.registry import Standing
    from semantic_pubsub.broker.store import Store

__all__ = ["Feed", "Listeners"]

_LONGEST_WAIT = 3600.0
_CHARACTERS = 1024 * 1024
"""What a stream reads ahead; there may be a thousand streams."""


class Listeners:
    """Who waits for news of which subscriber."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], set[_Bell]] = {}
        self._lock = threading.Lock()
        self.closed = False

    def add(self, owner: tuple[str, str], bell: _Bell) -> None:
        with self._lock:
            self._waiting.setdefault(owner, set()).add(bell)

    def remove(self, owner: tuple[str, str], bell: _Bell) -> None:
        with self._lock:
            bells = self._waiting.get(owner, set())
            bells.discard(bell)
            if not bells:
                self._waiting.pop(owner, None)

    def ring(self, standing: Standing) -> None:
        """There is news for the owner of this subscription."""
        bells = self._waiting.get((standing.tenant, standing.subscriber))
        if bells:
            with self._lock:
                ringing = list(bells)
            for bell in ringing:
                bell.ring()

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        with self._lock:
            ringing = [bell for bells in self._waiting.values() for bell in bells]
        for bell in ringing:
            bell.ring()

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._waiting.values()))


class _Bell:
    """Wakes a coroutine from any thread."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def ring(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self.event.set)
        except RuntimeError:  # its loop has ended, and with it who waited
            return


class Feed:
    """One stream: a cursor for each subscription, and the time before which throttling lets it not be read again."""

    def __init__(
        self,
        store: Store,
        outbox: Outbox,
        listeners: Listeners,
        clock: Clock,
        *,
        owner: tuple[str, str],
        standings: Callable[[], list[Standing]],
        acknowledge: Callable[[dict[int, int]], Future[None]] | None,
        after: int | None,
        alone: bool,
        limit: int,
    ) -> None:
        self._store = store
        self._outbox = outbox
        self._listeners = listeners
        self._clock = clock
        self._owner = owner
        self._standings = standings
        self._acknowledge = acknowledge
        self._after = after
        self._alone = alone
        self._limit = limit
        self._cursors: dict[int, int] = {}
        self._next_at: dict[int, float] = {}

    async def run(self) -> AsyncIterator[Delivery]:
        """Each delivery in publication order of its subscription; never ends by itself until the broker closes."""
        bell = _Bell()
        self._listeners.add(self._owner, bell)
        try:
            while not self._listeners.closed:
                bell.event.clear()
                rows = await asyncio.to_thread(self._read)
                if not rows:
                    await self._clock.wait(bell.event, self._soonest())
                    continue
                done: dict[int, int] = {}
                try:
                    for standing, delivery in rows:
                        self._advance(standing, delivery.position)
                        yield delivery
                        done[standing.number] = delivery.position  # the reader came back: it is done with it
                finally:
                    if done and self._acknowledge is not None:
                        self._acknowledge(done)
        finally:
            self._listeners.remove(self._owner, bell)

    def _read(self) -> list[tuple[Standing, Delivery]]:
        while pairs := self._due():
            deliveries, taken = self._outbox.deliveries(pairs, _CHARACTERS)
            made = {delivery.position: delivery for delivery in deliveries}
            for standing, row in pairs[:taken]:
                if row.position not in made:  # acknowledged and swept meanwhile
                    self._advance(standing, row.position)
            if made:
                return [(standing, made[row.position]) for standing, row in pairs[:taken] if row.position in made]
        return []

    def _due(self) -> list[tuple[Standing, QueueRow]]:
        """The next rows, in publication order."""
        now = self._clock.now()
        due, throttled = {}, {}
        for standing in self._standings():
            cursor = self._cursor(standing)
            if standing.paused or standing.latest <= cursor:
                continue
            if not standing.throttling:
                due[standing.number] = standing
            elif self._next_at[standing.number] <= now:
                throttled[standing.number] = standing
        rows = self._store.queues.pending_of_many({n: self._cursor(s) for n, s in due.items()}, self._limit)
        if throttled:  # one at a time
            rows += self._store.queues.pending_of_many({n: self._cursor(s) for n, s in throttled.items()}, 1)
        known = due | throttled
        return sorted(((known[number], row) for number, row in rows), key=lambda pair: pair[1].position)

    def _cursor(self, standing: Standing) -> int:
        """Where to go on. With several subscriptions `after` skips nothing that is not acknowledged: others may have
        passed in the stream what is paused or throttled."""
        if standing.number not in self._cursors:
            start = standing.acked if self._after is None else self._after
            self._cursors[standing.number] = start if self._alone else min(start, standing.acked)
            self._next_at[standing.number] = standing.next_at
        return self._cursors[standing.number]

    def _advance(self, standing: Standing, position: int) -> None:
        self._cursors[standing.number] = position
        self._next_at[standing.number] = self._clock.now() + standing.throttling

    def _soonest(self) -> float:
        now = self._clock.now()
        waiting = [self._next_at[s.number] - now for s in self._standings() if self._is_throttled(s)]
        return max(0.0, min([_LONGEST_WAIT, *waiting]))

    def _is_throttled(self, standing: Standing) -> bool:
        behind = standing.latest > self._cursors.get(standing.number, standing.latest)
        return bool(standing.throttling) and behind and not standing.paused
