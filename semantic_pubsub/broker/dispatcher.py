"""Pushes: a queue for each endpoint, one delivery in flight for each subscription, retries, dead letters.

A subscription with something to deliver stands in the queue of its endpoint. A few workers of that endpoint, and of
no other, take it, try its next delivery, and put it back. After a failure, or where throttling says so, it waits on a
heap of times and comes back when its time has come; nobody waits with it but its own later deliveries.

There are three pools of places: for receivers that accepted the last push promptly, for those that failed or took
their time, for those that nothing is known of. However many hang, or are made to, those that answer find a place.
Deliveries are made on threads, since a search for bindings would hold up the loop and all pushes with it; what was
made quickly the last time has threads of its own.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.channels import DeliveryFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future
    from random import Random

    from semantic_pubsub.broker.channels import Channel
    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.limits import RetryPolicy
    from semantic_pubsub.broker.model import Delivery, QueueRow
    from semantic_pubsub.broker.outbox import Outbox
    from semantic_pubsub.broker.registry import Registry, Standing
    from semantic_pubsub.broker.store import Store

__all__ = ["Dispatcher", "PushCounts"]

_log = logging.getLogger(__name__)
_LONGEST_ERROR = 500
_PROMPT = 0.2
"""The part of the timeout within which a receiver has answered promptly."""
_MAKERS: Final = 4
_QUICK: Final = 0.05
"""Seconds within which a delivery was made quickly."""


@dataclass(slots=True)
class PushCounts:
    """What was pushed since the start."""

    deliveries: int = 0
    failures: int = 0
    dead_letters: int = 0


@dataclass(slots=True)
class _Endpoint:
    name: str
    channel: Channel
    ready: deque[Standing] = field(default_factory=deque)
    workers: int = 0


class Dispatcher:
    """Runs on one event loop; `wake` may be called from any thread once `run` has begun."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        outbox: Outbox,
        channels: Mapping[str, Channel],
        *,
        policy: RetryPolicy,
        clock: Clock,
        random: Random,
    ) -> None:
        self._store = store
        self._registry = registry
        self._outbox = outbox
        self._channels = channels
        self._policy = policy
        self._clock = clock
        self._random = random
        self._endpoints: dict[str, _Endpoint] = {}
        self._busy: set[int] = set()  # numbers that are ready, in flight or wait for their time
        self._later: list[tuple[float, int]] = []
        self._woken: deque[Standing] = deque()
        self._called = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._alarm = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        some = max(1, policy.at_once // 4)
        self._places: dict[bool | None, asyncio.Semaphore] = {
            True: asyncio.Semaphore(policy.at_once),
            False: asyncio.Semaphore(some),
            None: asyncio.Semaphore(some),
        }
        self._makers = {quick: ThreadPoolExecutor(_MAKERS, "semantic-pubsub-outbox") for quick in (True, False)}
        self._stopping = False
        self.counts = PushCounts()

    @property
    def in_flight(self) -> int:
        """Workers that are at it."""
        return sum(endpoint.workers for endpoint in self._endpoints.values())

    def wake(self, standing: Standing) -> None:
        """There is something to deliver, or its conditions changed."""
        if self._loop is not None and standing.kind in self._channels:
            self._woken.append(standing)
            if not self._called:  # one call for many, since each one writes to the loop's pipe
                self._called = True
                try:
                    self._loop.call_soon_threadsafe(self._wake_all)
                except RuntimeError:  # the loop has ended: what is stored is delivered after the next start
                    return

    async def run(self) -> None:
        """Deliver until `stop`."""
        self._loop = asyncio.get_running_loop()
        for standing in self._registry.everything():
            self._wake(standing, False)
        while not self._stopping:
            self._alarm.clear()
            now = self._clock.now()
            while self._later and self._later[0][0] <= now:
                _, number = heapq.heappop(self._later)
                self._busy.discard(number)
                due = self._registry.number(number)
                if due is not None:
                    self._wake(due, False)
            await self._clock.wait(self._alarm, self._later[0][0] - now if self._later else None)

    async def stop(self, grace: float) -> None:
        """Begin nothing new, give what is in flight some seconds, then let go of it: it stays in the store."""
        self._stopping = True
        self._alarm.set()
        if self._tasks:
            _, unfinished = await asyncio.wait(self._tasks, timeout=grace)
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)
        for makers in self._makers.values():
            makers.shutdown(wait=False, cancel_futures=True)
        for channel in self._channels.values():
            await channel.close()

    # queues

    def _wake_all(self) -> None:
        self._called = False  # first: whoever comes while we work calls again
        while self._woken:
            self._wake(self._woken.popleft(), True)

    def _wake(self, standing: Standing, changed: bool) -> None:
        try:
            self._line_up(standing, changed)
        except Exception:  # the others shall not wait for that
            _log.exception("subscription %s of %s could not be woken", standing.id, standing.subscriber)

    def _line_up(self, standing: Standing, changed: bool) -> None:
        number = standing.number
        if changed and number in self._busy and self._due_now(standing):
            self._later = [entry for entry in self._later if entry[1] != number]
            heapq.heapify(self._later)
            self._busy.discard(number)
        if number in self._busy or self._stopping or not standing.waits:
            return
        channel = self._channels.get(standing.kind)
        name = channel.endpoint(standing) if channel is not None else None
        if channel is None or name is None:
            return
        self._busy.add(number)
        if standing.next_at > self._clock.now():
            self._wait(standing.next_at, number)
            return
        endpoint = self._endpoints.setdefault(name, _Endpoint(name, channel))
        endpoint.ready.append(standing)
        if endpoint.workers < self._policy.at_once_per_endpoint:
            endpoint.workers += 1
            task = asyncio.get_running_loop().create_task(self._work(endpoint))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _due_now(self, standing: Standing) -> bool:
        """Whether it waits on the heap for a time that was moved to now."""
        return standing.next_at <= self._clock.now() and any(n == standing.number for _, n in self._later)

    def _wait(self, until: float, number: int) -> None:
        heapq.heappush(self._later, (until, number))
        self._alarm.set()

    async def _work(self, endpoint: _Endpoint) -> None:
        try:
            while endpoint.ready and not self._stopping:
                standing = endpoint.ready.popleft()
                async with self._places[standing.prompt]:
                    await self._serve(standing, endpoint.channel)
        finally:
            endpoint.workers -= 1
            if not endpoint.workers and not endpoint.ready:
                self._endpoints.pop(endpoint.name, None)

    async def _serve(self, standing: Standing, channel: Channel) -> None:
        """Try a subscription's next delivery, and see to it that it comes again if there is more."""
        pause = 0.0
        row: QueueRow | None = None
        try:
            if standing.waits:
                row, delivery = await self._made(standing)
                # It may have been paused, or given up, meanwhile.
                if row is not None and standing.waits and row.position > standing.acked:
                    await self._attempt(standing, row, delivery, channel)
        except Exception:
            _log.exception("subscription %s of %s could not be served", standing.id, standing.subscriber)
            pause = self._policy.first_delay
        finally:
            self._busy.discard(standing.number)
        if pause:
            self._busy.add(standing.number)
            self._wait(self._clock.now() + pause, standing.number)
        elif row is not None:
            self._wake(standing, False)

    # one delivery

    async def _made(self, standing: Standing) -> tuple[QueueRow | None, Delivery | None]:
        """The next row, and its delivery if the event is still kept."""
        return await asyncio.get_running_loop().run_in_executor(self._makers[standing.quick], self._make, standing)

    def _make(self, standing: Standing) -> tuple[QueueRow | None, Delivery | None]:
        began = time.monotonic()
        rows = self._store.queues.pending(standing.number, standing.acked, 1)
        deliveries, _ = self._outbox.deliveries([(standing, row) for row in rows])
        standing.quick = time.monotonic() - began <= _QUICK
        return next(iter(rows), None), next(iter(deliveries), None)

    async def _attempt(self, standing: Standing, row: QueueRow, delivery: Delivery | None, channel: Channel) -> None:
        error, asked = "the event is no longer kept", None
        if delivery is None:
            await self._bury(standing, row, error)
            return
        began = self._clock.now()
        try:
            async with asyncio.timeout(self._policy.timeout):
                await channel.send(standing, delivery)
        except TimeoutError:
            error = f"no answer within {self._policy.timeout:g} s"
        except DeliveryFailedError as failure:
            error, asked = str(failure)[:_LONGEST_ERROR], failure.retry_after
        except Exception as failure:  # an attempt like any other, or it would be made for ever
            _log.exception("%s of %s: position %d could not be sent", standing.id, standing.subscriber, row.position)
            error = f"{type(failure).__name__}: {failure}"[:_LONGEST_ERROR]
        else:
            standing.prompt = self._clock.now() - began <= _PROMPT * self._policy.timeout
            await self._accepted(standing, row)
            return
        standing.prompt = False
        standing.attempts += 1
        self.counts.failures += 1
        if standing.attempts >= self._policy.attempts:
            await self._bury(standing, row, error, failures=1)
        else:
            await self._again(standing, error, asked)

    async def _accepted(self, standing: Standing, row: QueueRow) -> None:
        now = self._clock.now()
        standing.acked = max(standing.acked, row.position)  # it may have been given up meanwhile, with those behind it
        standing.attempts, standing.retry_at, standing.last_sent = 0, 0.0, now
        self.counts.deliveries += 1
        await self._noted(self._store.queues.succeeded(standing.number, row.position, now))

    async def _again(self, standing: Standing, error: str, asked: float | None) -> None:
        now = self._clock.now()
        delay = self._policy.delay(standing.attempts, self._random)
        if asked is not None:
            delay = min(max(delay, asked), self._policy.longest_delay)
        standing.retry_at = now + delay
        _log.info("%s of %s: %s; again in %.1f s", standing.id, standing.subscriber, error, delay)
        await self._noted(
            self._store.queues.failed(
                standing.number, attempts=standing.attempts, retry_at=standing.retry_at, now=now, error=error
            )
        )

    async def _bury(self, standing: Standing, row: QueueRow, reason: str, failures: int = 0) -> None:
        now = self._clock.now()
        _log.warning("%s of %s: dead letter at %d: %s", standing.id, standing.subscriber, row.position, reason)
        await asyncio.wrap_future(
            self._store.dead_letters.bury(
                standing.number, [row], reason=reason, attempts=standing.attempts, now=now, failures=failures
            )
        )
        self.counts.dead_letters += 1
        standing.acked, standing.attempts, standing.retry_at = max(standing.acked, row.position), 0, 0.0

    async def _noted(self, future: Future[Any]) -> None:
        """Wait for a note on disk. If it cannot be written the worst is a repeated delivery after a restart."""
        try:
            await asyncio.wrap_future(future)
        except Exception:
            _log.exception("the outcome of a delivery could not be noted")
