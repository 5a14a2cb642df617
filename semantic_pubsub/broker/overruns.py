"""Searches that were too long: noted where nobody waits, and in the end the subscription is taken out."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from semantic_pubsub.broker.errors import ClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from semantic_pubsub.broker.limits import BrokerLimits
    from semantic_pubsub.broker.registry import Standing

__all__ = ["Overrun", "Overruns"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Overrun:
    """What is to be noted of a subscription: for this version of its pattern, so many strikes, the last event."""

    standing: Standing
    pattern: int
    strikes: int
    event_id: str


class Overruns:
    """Notes them in a thread of its own: who tells of them has stored an event, and must neither fail nor wait.

    A subscription has one note that waits at most, to which later ones are added. So there are never more than
    subscriptions, however long the thread waits for locks (whoever reads an ontology holds them all).
    """

    def __init__(self, limits: BrokerLimits, note: Callable[[Overrun], object]) -> None:
        self._limits = limits
        self._note = note
        self._waiting: dict[int, Overrun] = {}
        self._lock = threading.Lock()
        self._busy = self._closed = False
        self._thread = ThreadPoolExecutor(1, "semantic-pubsub-overruns")

    def tell(self, searches: Sequence[tuple[Standing, int]], event_id: str) -> None:
        """The searches for these patterns were too long on an event; never raises."""
        strikes = self._strikes(len(searches))
        with self._lock:
            if self._closed:
                _log.warning("%d searches that were too long on %s are not noted any more", len(searches), event_id)
                return
            for standing, pattern in searches:
                earlier = self._waiting.get(standing.number)
                before = earlier.strikes if earlier is not None and earlier.pattern == pattern else 0
                self._waiting[standing.number] = Overrun(standing, pattern, before + strikes, event_id)
            if not self._busy:
                self._begin()

    def close(self) -> None:
        """Note what waits, and nothing after that."""
        with self._lock:
            self._closed = True
        self._thread.shutdown()

    def _strikes(self, together: int) -> int:
        """An event that is too much for many counts twice, but is never alone enough to take them out."""
        return 2 if together > self._limits.overruns_together and self._limits.overruns > 2 else 1

    def _begin(self) -> None:
        """Work it off; what waits is bounded, so where there is no thread to be had the next one may try again."""
        try:
            self._thread.submit(self._work_off)
            self._busy = True
        except RuntimeError as error:
            _log.warning("searches that were too long are noted later: %s", error)

    def _work_off(self) -> None:
        while (overrun := self._next()) is not None:
            try:
                self._note(overrun)
            except ClosedError:
                _log.warning("the store was closed before %s could be noted", overrun.standing.id)
            except Exception:
                _log.exception("subscription %s of %s: not noted", overrun.standing.id, overrun.standing.subscriber)

    def _next(self) -> Overrun | None:
        with self._lock:
            if not self._waiting:
                self._busy = False
                return None
            return self._waiting.pop(next(iter(self._waiting)))
