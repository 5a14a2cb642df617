"""What is done now and then: subscriptions end, what is old goes, what nobody fetched becomes a dead letter."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.errors import BrokerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.limits import Retention
    from semantic_pubsub.broker.registry import Registry, Standing
    from semantic_pubsub.broker.store import Store

__all__ = ["Housekeeper"]

_log = logging.getLogger(__name__)
_AT_ONCE: Final = 1_000


class Housekeeper:
    """Sweeps the store; in the background after `start`, or whenever `sweep` is called."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        *,
        retention: Retention,
        clock: Clock,
        expire: Callable[[Standing], object],
    ) -> None:
        self._store = store
        self._registry = registry
        self._retention = retention
        self._clock = clock
        self._expire = expire
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._sweeping = threading.Lock()
        self.dead_letters = 0
        self.removed_events = 0

    def start(self) -> None:
        """Sweep from time to time."""
        self._thread = threading.Thread(target=self._run, name="semantic-pubsub-housekeeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End after the step that is under way."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def sweep(self) -> None:
        """Do all of it once."""
        with self._sweeping:
            now = self._clock.now()
            self._end_subscriptions(now)
            self._give_up(now)
            forgotten = self._store.sweeping.remove_dead_letters(now - self._retention.dead_letters).result()
            if forgotten:
                _log.warning("%d dead letters older than %g s are forgotten", forgotten, self._retention.dead_letters)
            self._store.sweeping.remove_idempotency_keys(now - self._retention.idempotency_keys).result()
            self._remove_acknowledged(now)
            self._store.sweeping.remove_orphans().result()
            self._store.sweeping.remove_replays().result()
            for number in self._store.sweeping.with_old_patterns():
                self._store.sweeping.remove_patterns(number).result()

    def _run(self) -> None:
        while not self._stop.wait(self._retention.every):
            try:
                self.sweep()
            except BrokerError as error:
                _log.error("sweeping failed: %s", error)
            except Exception:
                _log.exception("sweeping failed")

    def _end_subscriptions(self, now: float) -> None:
        for standing in self._registry.everything():
            if standing.expires_at is not None and standing.expires_at <= now and standing.fit == "active":
                self._expire(standing)

    def _give_up(self, now: float) -> None:
        """Turn deliveries that wait for too long into dead letters."""
        limit = self._store.sweeping.last_position_before(now - self._retention.undelivered)
        for standing in self._registry.everything():
            while standing.acked < min(limit, standing.latest) and not self._stop.is_set():
                rows = self._store.queues.pending(standing.number, standing.acked, _AT_ONCE)
                old = [row for row in rows if row.position <= limit]
                if not old:
                    break
                reason = f"not delivered within {self._retention.undelivered:g} s"
                future = self._store.dead_letters.bury(
                    standing.number, old, reason=reason, attempts=standing.attempts, now=now
                )
                future.result()
                standing.acked = max(standing.acked, old[-1].position)
                standing.attempts, standing.retry_at = 0, 0.0
                self.dead_letters += len(old)
                _log.warning("%s of %s: %d dead letters: %s", standing.id, standing.subscriber, len(old), reason)

    def _remove_acknowledged(self, now: float) -> None:
        last = self._remove_events(now - self._retention.acknowledged, lambda: True)
        most = self._retention.bytes
        if most is not None:
            last = max(last, self._remove_events(None, lambda: self._store.size > most))
        if last:
            self._remove_queues(last)

    def _remove_events(self, before: float | None, wanted: Callable[[], bool]) -> int:
        """Remove events nobody waits for, oldest first, as long as that is wanted; gives the last position seen."""
        sweeping, after, last = self._store.sweeping, 0, 0
        while wanted() and not self._stop.is_set():
            events = sweeping.old_events(after, before, _AT_ONCE)
            if not events:
                break
            waiting = sweeping.waiting_events(last, events[-1][1])
            after, last = events[-1]
            free = [number for number, _ in events if number not in waiting]
            if free:
                self.removed_events += sweeping.remove_events(free).result()
        return last

    def _remove_queues(self, last: int) -> None:
        standings = self._registry.everything()
        for start in range(0, len(standings), _AT_ONCE):
            if self._stop.is_set():
                return
            numbers = [s.number for s in standings[start : start + _AT_ONCE]]
            self._store.sweeping.remove_deliveries(numbers, last).result()
