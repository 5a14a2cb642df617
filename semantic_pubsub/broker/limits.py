"""How much a broker takes on, how often it tries, and how long it keeps things."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from semantic_pubsub.events import Limits

if TYPE_CHECKING:
    from random import Random

__all__ = ["BrokerLimits", "Retention", "RetryPolicy"]

_HOUR = 3600.0
_DAY = 24 * _HOUR


@dataclass(frozen=True, slots=True)
class BrokerLimits:
    """Bounds on what clients may ask for; beyond them a `LimitError`, `BusyError` or `StoreFullError` says so."""

    event: Limits = field(default_factory=lambda: Limits(bytes=1024 * 1024, triples=10_000, depth=32))
    subscriptions: int = 1_000_000
    """Of all tenants together; matching keeps them in memory."""
    subscriptions_per_tenant: int = 1_000_000
    subscriptions_per_subscriber: int = 1_000
    subscription_characters: int = 20_000
    pattern_statements: int = 100
    """Statements and conditions (parts of filters that `&&` joins) of all alternatives of one subscription together."""
    name_characters: int = 256
    """Length of tenants, subscribers, ids and keys."""
    tenants: int = 1_000
    steps: int = 100_000
    """Steps of search that one subscription may take on one event."""
    overruns: int = 3
    """Strikes until a subscription is quarantined; an event on which its search exceeds `steps` is one."""
    overruns_together: int = 4
    """Subscriptions that may exceed `steps` on one event; where there are more, that event is two strikes for each
    of them. One event alone never quarantines (unless `overruns` is 1), so that a publisher cannot end them with it."""
    pulled: int = 1_000
    """Deliveries in one answer to `pull`."""
    pulled_characters: int = 8 * 1024 * 1024
    """Characters of their events; one that is larger still comes alone."""
    waiting_writes: int = 10_000
    """Writes that wait for the disk; beyond them publishers are asked to come again."""
    waiting_bytes: int = 64 * 1024 * 1024
    store_bytes: int | None = None
    """Size of the store at which nothing more is accepted; None: as long as the disk has room."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a delivery is tried: with full jitter between half the delay and the delay, which doubles each time."""

    timeout: float = 10.0
    first_delay: float = 1.0
    longest_delay: float = 900.0
    attempts: int = 12
    """Attempts before a delivery becomes a dead letter (with the defaults after about one and a half hours)."""
    at_once_per_endpoint: int = 4
    at_once: int = 512
    """Deliveries in flight to endpoints that answered promptly last time; a quarter as many more to those that
    failed or took more than a fifth of `timeout`, and to those that are new."""

    def delay(self, attempts: int, random: Random) -> float:
        """Seconds to wait after that many attempts failed."""
        full: float = min(self.longest_delay, self.first_delay * 2.0 ** min(attempts - 1, 60))
        return full * (0.5 + random.random() / 2)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long things are kept, in seconds, and how large the store may grow before acknowledged events go early."""

    acknowledged: float = _DAY
    undelivered: float = 7 * _DAY
    """Age at which an event that was not delivered becomes a dead letter."""
    dead_letters: float = 30 * _DAY
    idempotency_keys: float = _DAY
    bytes: int | None = None
    every: float = 60.0
    """Seconds between two sweeps."""
