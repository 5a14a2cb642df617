"""Where subscriptions are made, changed and ended: in the store first, then in the matcher and in memory."""

from __future__ import annotations

import logging
import threading
import uuid
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.errors import ConflictError, LimitError, UnknownSubscriptionError
from semantic_pubsub.broker.intake import check_name
from semantic_pubsub.broker.model import Callback, Pull, SubscriptionRecord, Webhook
from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.events.formats import format_named
from semantic_pubsub.subscriptions import Subscription, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.limits import BrokerLimits
    from semantic_pubsub.broker.model import DeliveryWay, State
    from semantic_pubsub.broker.registry import Registry, Standing
    from semantic_pubsub.broker.routes import Routes
    from semantic_pubsub.broker.store import Store
    from semantic_pubsub.subscriptions.model import Syntax

__all__ = ["Desk", "Draft"]

_log = logging.getLogger(__name__)
_STRIPES: Final = 64


class Draft:
    """What a subscriber asks for, checked; becomes a record."""

    def __init__(self, subscription: Subscription | str, *, injective: bool | None, syntax: Syntax | None) -> None:
        parsed = subscription
        if isinstance(parsed, str):
            parsed = Subscription.parse(parsed, injective=injective, syntax=syntax)
        self.parsed = parsed
        self.text = subscription if isinstance(subscription, str) else str(subscription)


class Desk:
    """One subscriber's changes happen one after the other, those of different subscribers side by side."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        limits: BrokerLimits,
        clock: Clock,
        *,
        check_url: Callable[[str], object],
        notify: Callable[[Standing], object],
    ) -> None:
        self.routes: Routes
        self._store = store
        self._registry = registry
        self._limits = limits
        self._clock = clock
        self._check_url = check_url
        self._notify = notify
        self._locks = [threading.RLock() for _ in range(_STRIPES)]

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Nothing is subscribed, changed or ended meanwhile."""
        for lock in self._locks:
            lock.acquire()
        try:
            yield
        finally:
            for lock in self._locks:
                lock.release()

    def create(
        self,
        tenant: str,
        subscriber: str,
        draft: Draft,
        delivery: DeliveryWay,
        *,
        id: str | None,  # noqa: A002
        format: str,  # noqa: A002
        throttling: float,
        expires_at: float | None,
    ) -> SubscriptionRecord:
        """A new subscription, which matches whatever is published once this has returned."""
        identifier = uuid.uuid4().hex if id is None else id
        most = self._limits.name_characters
        for what, name in (("a tenant", tenant), ("a subscriber", subscriber), ("a subscription's id", identifier)):
            check_name(what, name, most)
        now = self._clock.now()
        record = SubscriptionRecord(
            tenant, subscriber, identifier, "", "sparql", injective=False, created_at=now, modified_at=now
        )
        record = self._filled(record, draft, delivery, format, throttling, expires_at)
        with self._lock(tenant, subscriber):
            self._check_room(tenant, subscriber, identifier)
            stored = self._store.subscriptions.create(record).result()
            try:
                standing = self._registry.add(stored)
                self._give_function(standing, delivery)
                self.routes.add(stored)
            except Exception:  # whatever it is: what is not matched shall not look as if it were
                self._registry.remove(standing)
                self._store.subscriptions.delete(stored.number).result()
                raise
        return stored

    def replace(
        self,
        tenant: str,
        subscriber: str,
        identifier: str,
        draft: Draft,
        delivery: DeliveryWay | None,
        *,
        format: str | None,  # noqa: A002
        throttling: float | None,
        expires_at: float | None,
    ) -> SubscriptionRecord:
        """Another pattern under the same id. What waits is still delivered, with the old pattern's bindings."""
        with self._lock(tenant, subscriber):
            standing, before = self.find(tenant, subscriber, identifier)
            way = delivery or _way(before, standing)
            throttle = before.throttling if throttling is None else throttling
            record = replace(before, modified_at=self._clock.now(), state="active", reason=None, overruns=0)
            if before.state == "paused":
                record = replace(record, state="paused")
            record = self._filled(record, draft, way, format or before.format, throttle, expires_at)
            record = replace(record, attempts=0, retry_at=0.0)
            old = standing.pattern
            self.routes.alone(record)  # what does not fit shall change nothing
            stored = self._store.subscriptions.replace(record).result()
            self.routes.add(stored)
            self._registry.update(standing, stored)
            self._give_function(standing, way)
            self.routes.remove(tenant, old)
            self._registry.forget_pattern(old)
        self._notify(standing)
        return stored

    def set_state(self, tenant: str, subscriber: str, identifier: str, state: State) -> SubscriptionRecord:
        """Pause, or make active again: also after quarantine, then with a clean slate."""
        with self._lock(tenant, subscriber):
            standing, record = self.find(tenant, subscriber, identifier)
            now = self._clock.now()
            if state == "active" and standing.expires_at is not None and standing.expires_at <= now:
                raise ConflictError("its time is over", hint="replace it with a later expires_at")
            changed = replace(record, state=state, reason=None, overruns=0, modified_at=now)
            if standing.state not in ("active", "paused"):
                self.routes.remove(tenant, standing.pattern)
                self.routes.add(changed)
            values: dict[str, Any] = {"state": state, "reason": None, "overruns": 0, "modified_at": now}
            if state == "active":
                values |= {"attempts": 0, "retry_at": 0.0}
                standing.attempts, standing.retry_at = 0, 0.0
            self._store.subscriptions.change(standing.number, **values).result()
            standing.state, standing.overruns = state, 0
        self._notify(standing)
        return changed

    def stop_matching(self, standing: Standing, state: State, reason: str) -> None:
        """Take a subscription out of the matcher for good reason; what waits is still delivered."""
        if standing.state == state or standing.removed:
            return
        standing.state = state
        self.routes.remove(standing.tenant, standing.pattern)
        self._store.subscriptions.change(standing.number, state=state, reason=reason, overruns=standing.overruns)

    def take_out_what_ended(self) -> None:
        """What was expired or quarantined while its pattern was loaded shall match no more all the same."""
        for standing in self._registry.everything():
            if standing.state in ("expired", "quarantined"):
                self.routes.remove(standing.tenant, standing.pattern)

    def note_overruns(self, tenant: str, patterns: tuple[str, ...], event_id: str | None, now: float) -> int:
        """Report subscriptions whose search was too long, and take out those that do it again and again."""
        standings = self._registry.owners(tenant, patterns, now)
        for standing in standings:
            standing.overruns += 1
            reason = f"took more than {self._limits.steps:,} steps on {standing.overruns} events, last on {event_id}"
            _log.warning("subscription %s of %s %s", standing.id, standing.subscriber, reason)
            if standing.overruns >= self._limits.overruns:
                self.stop_matching(standing, "quarantined", reason)
            else:
                self._store.subscriptions.change(standing.number, overruns=standing.overruns, reason=reason)
        return len(standings)

    def remove(self, tenant: str, subscriber: str, identifier: str) -> None:
        """End a subscription with all that waits for it."""
        with self._lock(tenant, subscriber):
            standing, _ = self.find(tenant, subscriber, identifier)
            self._store.subscriptions.delete(standing.number).result()
            self._registry.remove(standing)
            self.routes.remove(tenant, standing.pattern)

    def find(self, tenant: str, subscriber: str, identifier: str) -> tuple[Standing, SubscriptionRecord]:
        """A subscriber's own subscription; the same error for one that is not there and one that is another's."""
        standing = self._registry.get(tenant, subscriber, identifier)
        record = self._store.subscriptions.get(tenant, subscriber, identifier) if standing is not None else None
        if standing is None or record is None:
            raise UnknownSubscriptionError(f"there is no subscription {identifier!r}", hint="list your subscriptions")
        return standing, record

    def _filled(
        self,
        record: SubscriptionRecord,
        draft: Draft,
        delivery: DeliveryWay,
        format: str,  # noqa: A002
        throttling: float,
        expires_at: float | None,
    ) -> SubscriptionRecord:
        self._check_pattern(draft)
        resolve(draft.parsed, self.routes.ontology)
        format_named(format)
        if not 0 <= throttling <= 366 * 86_400:
            raise SubscriptionError("throttling is a number of seconds, at most a year", hint="give 0 for none")
        if expires_at is not None and not self._clock.now() < expires_at < 1e11:
            raise SubscriptionError("its end is no time to come", hint="leave it out for none")
        endpoint = secret = None
        if isinstance(delivery, Webhook):
            self._check_url(delivery.url)
            endpoint, secret = delivery.url, delivery.secret
        return replace(
            record,
            text=draft.text,
            syntax=draft.parsed.syntax,
            injective=draft.parsed.injective,
            kind=delivery.kind,
            endpoint=endpoint,
            secret=secret,
            format=format,
            throttling=throttling,
            expires_at=expires_at,
        )

    def _check_pattern(self, draft: Draft) -> None:
        if len(draft.text) > self._limits.subscription_characters:
            most = self._limits.subscription_characters
            raise LimitError(f"the subscription has more than {most:,} characters", hint="ask for less")
        size = sum(len(p.arcs) + len(p.classes) + len(p.filters) for p in draft.parsed.alternatives)
        if size > self._limits.pattern_statements:
            most = self._limits.pattern_statements
            raise LimitError(f"the pattern has {size} statements and filters, at most {most}", hint="ask for less")

    def _check_room(self, tenant: str, subscriber: str, identifier: str) -> None:
        owned = self._registry.of(tenant, subscriber)
        if any(standing.id == identifier for standing in owned):
            raise ConflictError(
                f"{subscriber!r} has a subscription {identifier!r} already", hint="replace it, or choose another id"
            )
        if len(owned) >= self._limits.subscriptions_per_subscriber:
            most = self._limits.subscriptions_per_subscriber
            raise LimitError(f"a subscriber has at most {most:,} subscriptions", hint="end one that you do not need")
        if not self._registry.has_tenant(tenant) and self._registry.tenants >= self._limits.tenants:
            raise LimitError(f"there are {self._limits.tenants:,} tenants already", hint="ask the operator")

    def _give_function(self, standing: Standing, delivery: DeliveryWay) -> None:
        standing.function = delivery.function if isinstance(delivery, Callback) else None

    def _lock(self, tenant: str, subscriber: str) -> threading.RLock:
        return self._locks[hash((tenant, subscriber)) % _STRIPES]


def _way(record: SubscriptionRecord, standing: Standing) -> DeliveryWay:
    if record.kind == "webhook" and record.endpoint is not None:
        return Webhook(record.endpoint, record.secret)
    if record.kind == "callback" and standing.function is not None:
        return Callback(standing.function)
    return Pull()
