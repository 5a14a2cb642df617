"""The subscriptions as the running broker knows them: small records in memory, the texts stay in the store."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from semantic_pubsub.broker.model import Delivery, Fit, SubscriptionRecord

__all__ = ["Registry", "Standing", "standing_of"]


@dataclass(slots=True, eq=False)
class Standing:
    """One subscription: whose it is, how it is delivered, and how far.

    `acked` is the position up to which all is done, `latest` the last position in its queue. `prompt` tells whether
    its receiver accepted the last push soon; None before the first. `quick` tells whether that push was soon made:
    finding bindings may take long.
    """

    number: int
    pattern: int
    tenant: str
    subscriber: str
    id: str
    kind: str
    endpoint: str | None
    secret: str | None = field(repr=False)
    format: str
    fit: Fit
    paused: bool
    throttling: float
    expires_at: float | None
    acked: int
    latest: int
    attempts: int
    retry_at: float
    last_sent: float | None
    overruns: int
    function: Callable[[Delivery], object] | None = None
    prompt: bool | None = None
    quick: bool = False
    removed: bool = False

    @property
    def waits(self) -> bool:
        """Whether something is there that may be delivered."""
        return self.latest > self.acked and not self.paused and not self.removed

    @property
    def next_at(self) -> float:
        """When throttling and the delay after failures let it be served again."""
        throttled = self.last_sent + self.throttling if self.last_sent is not None and self.throttling else 0.0
        return max(throttled, self.retry_at)


def standing_of(record: SubscriptionRecord, latest: int = 0) -> Standing:
    """The part of a stored subscription that stays in memory."""
    return Standing(
        number=record.number,
        pattern=record.pattern,
        tenant=record.tenant,
        subscriber=record.subscriber,
        id=record.id,
        kind=record.kind,
        endpoint=record.endpoint,
        secret=record.secret,
        format=record.format,
        fit=record.fit,
        paused=record.paused,
        throttling=record.throttling,
        expires_at=record.expires_at,
        acked=record.acked,
        latest=max(latest, record.acked),
        attempts=record.attempts,
        retry_at=record.retry_at,
        last_sent=record.last_success,
        overruns=record.overruns,
        prompt=_prompt(record),
    )


def _prompt(record: SubscriptionRecord) -> bool | None:
    """What the last push says of the receiver, as far as it is stored."""
    if record.last_success is None and record.last_failure is None:
        return None
    return not record.attempts and (record.last_success or 0.0) >= (record.last_failure or 0.0)


class Registry:
    """Standing subscriptions by number, by pattern, and by owner."""

    def __init__(self) -> None:
        self._by_number: dict[int, Standing] = {}
        self._by_pattern: dict[int, Standing] = {}
        self._by_owner: dict[tuple[str, str], dict[str, Standing]] = {}
        self._tenants: dict[str, int] = {}
        self._counting = threading.Lock()

    def add(self, record: SubscriptionRecord, latest: int = 0) -> Standing:
        """Know a stored subscription."""
        standing = standing_of(record, latest)
        self._by_number[standing.number] = standing
        self._by_pattern[standing.pattern] = standing
        self._by_owner.setdefault((standing.tenant, standing.subscriber), {})[standing.id] = standing
        with self._counting:
            self._tenants[standing.tenant] = self._tenants.get(standing.tenant, 0) + 1
        return standing

    def update(self, standing: Standing, record: SubscriptionRecord) -> None:
        """Take over what a replacement changed; both patterns are known until `forget_pattern`."""
        if standing.endpoint != record.endpoint:
            standing.prompt = None
        standing.pattern, standing.kind, standing.format = record.pattern, record.kind, record.format
        standing.endpoint, standing.secret = record.endpoint, record.secret
        standing.throttling, standing.expires_at = record.throttling, record.expires_at
        standing.fit, standing.paused, standing.overruns = record.fit, record.paused, record.overruns
        standing.attempts, standing.retry_at = record.attempts, record.retry_at
        self._by_pattern[record.pattern] = standing

    def forget_pattern(self, pattern: int) -> None:
        """An earlier version of a pattern matches no more."""
        self._by_pattern.pop(pattern, None)

    def remove(self, standing: Standing) -> None:
        """Forget a subscription."""
        standing.removed = True
        self._by_number.pop(standing.number, None)
        self._by_pattern.pop(standing.pattern, None)
        owner = (standing.tenant, standing.subscriber)
        owned = self._by_owner.get(owner, {})
        owned.pop(standing.id, None)
        if not owned:
            self._by_owner.pop(owner, None)
        with self._counting:
            self._tenants[standing.tenant] -= 1
            if not self._tenants[standing.tenant]:
                del self._tenants[standing.tenant]

    def get(self, tenant: str, subscriber: str, identifier: str) -> Standing | None:
        """One subscription of a subscriber."""
        return self._by_owner.get((tenant, subscriber), {}).get(identifier)

    def of(self, tenant: str, subscriber: str) -> list[Standing]:
        """All subscriptions of a subscriber."""
        return list(self._by_owner.get((tenant, subscriber), {}).values())

    def number(self, number: int) -> Standing | None:
        """By the store's number."""
        return self._by_number.get(number)

    def owners(self, tenant: str, patterns: Iterable[str], now: float) -> list[tuple[Standing, int]]:
        """Whose patterns these are (by number, as text), each once, without those whose time is over.

        With the number of the pattern, since the subscription may have another one at any moment.
        """
        found: dict[int, tuple[Standing, int]] = {}
        for pattern in map(int, patterns):
            standing = self._by_pattern.get(pattern)
            if standing is None or standing.tenant != tenant or standing.fit != "active":
                continue
            if standing.expires_at is None or standing.expires_at > now:
                found[standing.number] = standing, pattern
        return list(found.values())

    def everything(self) -> list[Standing]:
        """All of them, as of now."""
        return list(self._by_number.values())

    def has_tenant(self, tenant: str) -> bool:
        """Whether the tenant has a subscription."""
        return tenant in self._tenants

    def count_of(self, tenant: str) -> int:
        """How many subscriptions a tenant has."""
        return self._tenants.get(tenant, 0)

    @property
    def tenants(self) -> int:
        """How many tenants have subscriptions."""
        return len(self._tenants)

    def __len__(self) -> int:
        return len(self._by_number)
