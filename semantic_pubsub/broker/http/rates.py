"""How often a client may do what costs much: a bucket of tokens for each."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.http.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from semantic_pubsub.broker.clock import Clock

__all__ = ["RateLimit"]

_CLIENTS: Final = 10_000


class RateLimit:
    """`burst` at once, `per_second` on average; used by one thread."""

    def __init__(self, per_second: float, burst: int, clock: Clock) -> None:
        self._rate = per_second
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, client: Hashable) -> None:
        """Count one call; a 429 if it is one too many."""
        now = self._clock.now()
        tokens, before = self._buckets.pop(client, (float(self._burst), now))
        tokens = min(float(self._burst), tokens + max(0.0, now - before) * self._rate)
        allowed = tokens >= 1
        self._buckets[client] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        if not allowed:
            wait = math.ceil((1 - tokens) / self._rate)
            detail = f"more than {self._rate:g} calls a second"
            hint = f"try again after {wait} s"
            raise ProblemError(429, "too-often", detail, hint=hint, headers={"retry-after": str(wait)})
