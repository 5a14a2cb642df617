"""Where subscriptions are made, changed and ended: in the store first, then in the matcher and in memory."""

from __future__ import annotations

import logging
import threading
import uuid
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.drafts import Draft, adjustments, filled
from semantic_pubsub.broker.errors import ConflictError, LimitError, UnknownSubscriptionError
from semantic_pubsub.broker.intake import check_name
from semantic_pubsub.broker.model import UNCHANGED, Callback, SubscriptionRecord
from semantic_pubsub.broker.overruns import Overrun, Overruns
from semantic_pubsub.errors import SubscriptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.limits import BrokerLimits
    from semantic_pubsub.broker.model import Fit, Unchanged
    from semantic_pubsub.broker.registry import Registry, Standing
    from semantic_pubsub.broker.routes import Routes
    from semantic_pubsub.broker.store import Store

__all__ = ["Desk"]

_log = logging.getLogger(__name__)
_STRIPES: Final = 64


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
        self.overruns = Overruns(limits, self._note_overrun)

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

    def create(self, tenant: str, subscriber: str, id: str | None, draft: Draft) -> SubscriptionRecord:  # noqa: A002
        """A new subscription, which matches whatever is published once this has returned."""
        identifier = uuid.uuid4().hex if id is None else id
        most = self._limits.name_characters
        for what, name in (("a tenant", tenant), ("a subscriber", subscriber), ("a subscription's id", identifier)):
            check_name(what, name, most)
        now = self._clock.now()
        record = SubscriptionRecord(
            tenant, subscriber, identifier, "", "sparql", injective=False, created_at=now, modified_at=now
        )
        record = filled(record, draft, self.routes.ontology, now, self._check_url)
        with self._lock(tenant, subscriber):
            self._check_room(tenant, subscriber, identifier)
            stored = self._store.subscriptions.create(record).result()
            try:
                standing = self._registry.add(stored)
                if isinstance(draft.delivery, Callback):
                    standing.function = draft.delivery.function
                self.routes.add(stored)
            except Exception:  # whatever it is: what is not matched shall not look as if it were
                self._registry.remove(standing)
                self._store.subscriptions.delete(stored.number).result()
                raise
        return stored

    def replace(self, tenant: str, subscriber: str, identifier: str, draft: Draft) -> SubscriptionRecord:
        """Another pattern under the same id. What waits is still delivered, with the old pattern's bindings."""
        with self._lock(tenant, subscriber):
            standing, before = self.find(tenant, subscriber, identifier)
            now = self._clock.now()
            clean = replace(before, modified_at=now, fit="active", reason=None, overruns=0, attempts=0, retry_at=0.0)
            record = filled(clean, draft, self.routes.ontology, now, self._check_url)
            old = standing.pattern
            self.routes.alone(record)  # what does not fit shall change nothing
            stored = self._store.subscriptions.replace(record).result()
            self.routes.add(stored)
            self._registry.update(standing, stored)
            if draft.delivery is not None:
                standing.function = draft.delivery.function if isinstance(draft.delivery, Callback) else None
            self.routes.remove(tenant, old)
            self._registry.forget_pattern(old)
        self._notify(standing)
        return stored

    def adjust(
        self,
        tenant: str,
        subscriber: str,
        identifier: str,
        throttling: float | Unchanged = UNCHANGED,
        expires_at: float | Unchanged | None = UNCHANGED,
        paused: bool | Unchanged = UNCHANGED,
    ) -> SubscriptionRecord:
        """What is given changes, all of it or nothing; what is not given stays, whoever else changes it meanwhile.

        What had expired matches again if its end is to come. Not to be `paused` is to begin again: after quarantine,
        failures, and without a strike.
        """
        with self._lock(tenant, subscriber):
            standing, record = self.find(tenant, subscriber, identifier)
            now = self._clock.now()
            changes = adjustments(now, throttling, expires_at, paused)
            record = replace(record, fit=standing.fit, overruns=standing.overruns)  # the store may still be told
            wanted = replace(record, **changes)
            if paused is False:
                changes |= self._begun_again(standing, wanted, now)
            elif standing.fit == "expired" and not _is_over(wanted, now):
                changes |= self._matched_again(standing, record)
            self._change(standing, changes)
        self._notify(standing)
        return replace(record, **changes)

    def expire(self, standing: Standing) -> None:
        """Its time is over, unless it was just prolonged; what waits is still delivered."""
        with self._lock(standing.tenant, standing.subscriber):
            if not standing.removed and standing.fit == "active" and _is_over(standing, self._clock.now()):
                self._take_out(standing, "expired", "its time is over")

    def take_out_what_ended(self) -> None:
        """What was expired or quarantined while its pattern was loaded shall match no more all the same."""
        for standing in self._registry.everything():
            if standing.fit in ("expired", "quarantined"):
                self.routes.remove(standing.tenant, standing.pattern)

    def _note_overrun(self, overrun: Overrun) -> None:
        """Count it, unless the pattern was replaced since; with too many strikes the subscription matches no more."""
        standing = overrun.standing
        with self._lock(standing.tenant, standing.subscriber):
            if standing.removed or standing.pattern != overrun.pattern or standing.fit != "active":
                return
            standing.overruns += overrun.strikes
            strikes = f"{standing.overruns} of {self._limits.overruns} strikes"
            reason = f"took more than {self._limits.steps:,} steps ({strikes}), last on {overrun.event_id}"
            _log.warning("subscription %s of %s %s", standing.id, standing.subscriber, reason)
            if standing.overruns >= self._limits.overruns:
                noted = self._take_out(standing, "quarantined", reason)
            else:
                noted = self._store.subscriptions.change(standing.number, overruns=standing.overruns, reason=reason)
            noted.result()

    def _take_out(self, standing: Standing, fit: Fit, reason: str) -> Future[None]:
        standing.fit = fit
        self.routes.remove(standing.tenant, standing.pattern)
        return self._store.subscriptions.change(standing.number, fit=fit, reason=reason, overruns=standing.overruns)

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

    def _begun_again(self, standing: Standing, record: SubscriptionRecord, now: float) -> dict[str, Any]:
        """Delivered at once, and matched with a clean slate; gives what that changes.

        What cannot be matched (its time is over, or it does not fit) is an error, unless it was paused: then what
        waits is delivered.
        """
        changes: dict[str, Any] = {"attempts": 0, "retry_at": 0.0}
        try:
            if _is_over(record, now):
                raise ConflictError("its time is over", hint="give it a later end")
            return changes | self._matched_again(standing, record)
        except (ConflictError, SubscriptionError):
            if not standing.paused:
                raise
            return changes

    def _matched_again(self, standing: Standing, record: SubscriptionRecord) -> dict[str, Any]:
        if standing.fit != "active":
            self.routes.remove(standing.tenant, standing.pattern)
            self.routes.add(record)
        return {"fit": "active", "reason": None, "overruns": 0}

    def _change(self, standing: Standing, changes: dict[str, Any]) -> None:
        """Note some columns, on disk first; in memory are those that deliveries and matching need."""
        self._store.subscriptions.change(standing.number, **changes).result()
        for name, value in changes.items():
            if hasattr(standing, name):
                setattr(standing, name, value)

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
        if self._registry.count_of(tenant) >= self._limits.subscriptions_per_tenant:
            most = self._limits.subscriptions_per_tenant
            raise LimitError(f"a tenant has at most {most:,} subscriptions", hint="ask the operator")
        if len(self._registry) >= self._limits.subscriptions:
            raise LimitError(f"there are {self._limits.subscriptions:,} subscriptions already", hint="ask the operator")

    def _lock(self, tenant: str, subscriber: str) -> threading.RLock:
        return self._locks[hash((tenant, subscriber)) % _STRIPES]


def _is_over(subscription: Standing | SubscriptionRecord, now: float) -> bool:
    return subscription.expires_at is not None and subscription.expires_at <= now
