"""`Broker`: publish, match, deliver, lose nothing."""

from __future__ import annotations

from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, Final, Self

from semantic_pubsub.broker.addresses import Targets
from semantic_pubsub.broker.assembly import bounded_ops, compiled_sets, default_channels, opened
from semantic_pubsub.broker.backstage import Backstage
from semantic_pubsub.broker.clock import SystemClock
from semantic_pubsub.broker.counter import Counter
from semantic_pubsub.broker.desk import Desk
from semantic_pubsub.broker.dispatcher import Dispatcher
from semantic_pubsub.broker.drafts import Draft, read_pattern
from semantic_pubsub.broker.errors import ClosedError, UnknownSubscriptionError
from semantic_pubsub.broker.feeds import Listeners
from semantic_pubsub.broker.housekeeping import Housekeeper
from semantic_pubsub.broker.intake import Intake, check_name
from semantic_pubsub.broker.limits import BrokerLimits, Retention, RetryPolicy
from semantic_pubsub.broker.loading import load_routes
from semantic_pubsub.broker.model import DEFAULT_TENANT, UNCHANGED, Callback, Pull, Receipt
from semantic_pubsub.broker.outbox import Outbox
from semantic_pubsub.broker.registry import Registry

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable, Mapping
    from concurrent.futures import Future

    from semantic_pubsub.broker.channels import Channel
    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.loading import Progress
    from semantic_pubsub.broker.model import (
        DeadLetter,
        Delivery,
        DeliveryWay,
        NewEvent,
        Stored,
        SubscriptionRecord,
        Unchanged,
    )
    from semantic_pubsub.broker.registry import Standing
    from semantic_pubsub.broker.routes import MakeMatcher
    from semantic_pubsub.broker.store import Store
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.errors import SemanticPubSubError
    from semantic_pubsub.events import Event, EventValidator
    from semantic_pubsub.events.contexts import Contexts
    from semantic_pubsub.matching import Explanation
    from semantic_pubsub.subscriptions import Subscription
    from semantic_pubsub.subscriptions.model import Syntax

__all__ = ["Broker"]

_DRAIN: Final = 5.0


class Broker:
    """Publishers send events, subscribers get those that match, at least once and in publication order.

    Every call names the subscriber, and the tenant where it is not the default one; tenants see nothing of each
    other. All methods may be called from any thread. `publish` returns when the event is on disk with its matches;
    `publish_soon` gives a future of the same, for who does not want to wait.
    """

    def __init__(
        self,
        ontology: Ontology,
        matcher: MakeMatcher | None = None,
        store: Store | str | os.PathLike[str] = "sqlite:///semantic-pubsub.db",
        validator: EventValidator | None = None,
        *,
        limits: BrokerLimits | None = None,
        retry: RetryPolicy | None = None,
        retention: Retention | None = None,
        targets: Targets | None = None,
        contexts: Contexts | None = None,
        channels: Mapping[str, Channel] | None = None,
        clock: Clock | None = None,
        random: Random | None = None,
        progress: Progress | None = None,
        compiled: str | os.PathLike[str] | None = None,
    ) -> None:
        """Open the store, load what is subscribed, begin to deliver.

        `matcher` makes a matcher for an ontology, one for each tenant: OPS with the step budget of the limits by
        default. `store` is a Store, a URL (see `open_store`) or a file. `channels` replace ways to push, by kind.
        `progress` is told how many of how many subscriptions are loaded. `compiled` is a folder for compiled
        subscriptions, which make the next start faster; beside the file of a SQLite store where it is not given.
        (Not used with a `matcher` of your own.)
        """
        self.limits = limits or BrokerLimits()
        self._retry = retry or RetryPolicy()
        self._clock = clock or SystemClock()
        self._random = random or SystemRandom()
        self._targets = targets or Targets()
        self._channels = channels
        self._closed = False
        self._make_matcher = matcher or bounded_ops(self.limits)
        self.store = opened(store, self.limits)
        try:
            self._compiled = None if matcher is not None else compiled_sets(compiled, self.store, self.limits)
            self._registry = Registry()
            self._listeners = Listeners()
            self._intake = Intake(self.limits, validator, contexts)
            self._outbox = Outbox(self.store, ontology, budget=self.limits.steps)
            self._counter = Counter(
                self.store, self._registry, self._outbox, self._listeners, self._clock,
                characters=self.limits.pulled_characters,
            )  # fmt: skip
            self._desk = Desk(
                self.store, self._registry, self.limits, self._clock, check_url=self._targets.check, notify=self._notify
            )
            self._desk.routes, self.refused = load_routes(
                self.store,
                self._registry,
                ontology,
                self._make_matcher,
                progress,
                self._compiled,
            )
            self._backstage = Backstage(self._dispatcher)
        except BaseException:
            self.store.close()
            raise
        self.housekeeper = Housekeeper(
            self.store,
            self._registry,
            retention=retention or Retention(),
            clock=self._clock,
            expire=self._desk.expire,
        )
        self.housekeeper.start()

    @property
    def ontology(self) -> Ontology:
        """What events and subscriptions are read with."""
        return self._desk.routes.ontology

    # publishing

    def publish(
        self,
        event: Event | str | bytes,
        format: str | None = None,  # noqa: A002
        *,
        tenant: str = DEFAULT_TENANT,
        id: str | None = None,  # noqa: A002
        idempotency_key: str | None = None,
        fingerprint: bytes | None = None,
    ) -> Receipt:
        """Match an event and keep it with its matches; on disk when this returns.

        An EventError, ValidationError (with the report), BusyError or StoreFullError means that nothing was kept.
        A repeated `idempotency_key` gives the first answer again and publishes nothing; a ConflictError if it came
        with another text, or another `fingerprint` where one is given (blank nodes without labels differ each time).
        `id` names an event that is given as text.
        """
        return self.publish_soon(
            event, format, tenant=tenant, id=id, idempotency_key=idempotency_key, fingerprint=fingerprint
        ).result()

    def publish_soon(
        self,
        event: Event | str | bytes,
        format: str | None = None,  # noqa: A002
        *,
        tenant: str = DEFAULT_TENANT,
        id: str | None = None,  # noqa: A002
        idempotency_key: str | None = None,
        fingerprint: bytes | None = None,
    ) -> Future[Receipt]:
        """The whole route: parse, validate, match, store with the matches, wake the deliveries."""
        self._check_open()
        check_name("a tenant", tenant, self.limits.name_characters)
        now = self._clock.now()
        valid = self._intake.read(event, format, self.ontology, id)
        patterns, undecided = self._desk.routes.match(tenant, valid)
        owners = self._registry.owners(tenant, patterns, now)
        overran = self._registry.owners(tenant, undecided, now) if undecided else []
        matches = tuple((standing.number, pattern) for standing, pattern in owners)
        packed = self._intake.pack(
            valid, original=event, syntax=format, tenant=tenant, now=now,
            idempotency_key=idempotency_key, fingerprint=fingerprint, matches=matches, undecided=len(overran),
        )  # fmt: skip
        return self._kept(packed, [standing for standing, _ in owners], overran)

    def _kept(self, event: NewEvent, owners: list[Standing], overran: list[tuple[Standing, int]]) -> Future[Receipt]:
        """Store the event; when it is on disk, wake the deliveries and tell the publisher."""

        def answer(stored: Stored) -> Receipt:
            if not stored.repeated:
                for position, standing in enumerate(owners, stored.first_position):
                    if position > standing.latest:
                        standing.latest = position
                    self._notify(standing)
                if overran:
                    self._desk.overruns.tell(overran, stored.event_id)
            return Receipt(stored.event_id, stored.matches, stored.undecided, stored.repeated)

        return self.store.events.publish_and(event, answer)

    # subscribing

    def subscribe(
        self,
        subscriber: str,
        subscription: Subscription | str,
        delivery: DeliveryWay | None = None,
        *,
        tenant: str = DEFAULT_TENANT,
        id: str | None = None,  # noqa: A002
        format: str = "turtle",  # noqa: A002
        throttling: float = 0.0,
        expires_at: float | None = None,
        paused: bool = False,
        injective: bool | None = None,
        syntax: Syntax | None = None,
    ) -> SubscriptionRecord:
        """Register a pattern; what is published from now on is delivered by `delivery` (`Pull()` where none is given).

        `format` is the RDF syntax of deliveries, `throttling` the least seconds between two pushes. An id is made
        where none is given; one subscriber's ids are unique. The record has `warnings` about the pattern.
        """
        self._check_open()
        pattern = read_pattern(subscription, self.limits, injective, syntax)
        return self._desk.create(
            tenant, subscriber, id, Draft(*pattern, delivery, format, throttling, expires_at, paused)
        )

    def replace(
        self,
        subscriber: str,
        id: str,  # noqa: A002
        subscription: Subscription | str,
        delivery: DeliveryWay | None = None,
        *,
        tenant: str = DEFAULT_TENANT,
        format: str | None = None,  # noqa: A002
        throttling: float | None = None,
        expires_at: float | None = None,
        paused: bool | None = None,
        injective: bool | None = None,
        syntax: Syntax | None = None,
    ) -> SubscriptionRecord:
        """Another pattern under the same id; what is not given stays, except `expires_at`, which then is none.

        A webhook's secret is not given either where its URL is the one that it had.
        """
        self._check_open()
        pattern = read_pattern(subscription, self.limits, injective, syntax)
        return self._desk.replace(
            tenant, subscriber, id, Draft(*pattern, delivery, format, throttling, expires_at, paused)
        )

    def adjust(
        self,
        subscriber: str,
        id: str,  # noqa: A002
        *,
        throttling: float | Unchanged = UNCHANGED,
        expires_at: float | Unchanged | None = UNCHANGED,
        paused: bool | Unchanged = UNCHANGED,
        tenant: str = DEFAULT_TENANT,
    ) -> SubscriptionRecord:
        """Change what is given, all of it or nothing, and no more than that.

        With an end to come (or none) what had expired matches again. `paused` is what `pause` and `resume` do.
        """
        self._check_open()
        return self._desk.adjust(tenant, subscriber, id, throttling, expires_at, paused)

    def unsubscribe(self, subscriber: str, id: str, *, tenant: str = DEFAULT_TENANT) -> None:  # noqa: A002
        """End a subscription, with all that waits for it and its dead letters."""
        self._check_open()
        self._desk.remove(tenant, subscriber, id)

    def pause(self, subscriber: str, id: str, *, tenant: str = DEFAULT_TENANT) -> SubscriptionRecord:  # noqa: A002
        """Deliver nothing for a while; matches are kept and wait."""
        return self.adjust(subscriber, id, paused=True, tenant=tenant)

    def resume(self, subscriber: str, id: str, *, tenant: str = DEFAULT_TENANT) -> SubscriptionRecord:  # noqa: A002
        """Deliver again at once, after `pause`, failures or quarantine."""
        return self.adjust(subscriber, id, paused=False, tenant=tenant)

    def subscription(self, subscriber: str, id: str, *, tenant: str = DEFAULT_TENANT) -> SubscriptionRecord:  # noqa: A002
        """A subscriber's own subscription as it is stored."""
        return self._desk.find(tenant, subscriber, id)[1]

    def subscriptions(
        self, subscriber: str | None = None, *, tenant: str = DEFAULT_TENANT, after: int = 0, limit: int = 100
    ) -> list[SubscriptionRecord]:
        """A subscriber's subscriptions, or all of a tenant (for its admin), by `number` from `after` on."""
        return self.store.subscriptions.page(tenant, subscriber, after=after, limit=self._bounded(limit))

    def attach(
        self,
        subscriber: str,
        id: str,  # noqa: A002
        function: Callable[[Delivery], object],
        *,
        tenant: str = DEFAULT_TENANT,
    ) -> None:
        """Give a callback subscription its function again, after a restart."""
        standing, record = self._desk.find(tenant, subscriber, id)
        if record.kind != Callback.kind:
            raise UnknownSubscriptionError(f"{id!r} is delivered by {record.kind}", hint="replace() changes that")
        standing.function = function
        self._notify(standing)

    # receiving

    def pull(
        self,
        subscriber: str,
        *,
        after: int | None = None,
        limit: int = 100,
        subscription: str | None = None,
        tenant: str = DEFAULT_TENANT,
    ) -> list[Delivery]:
        """The next deliveries of a subscriber's pull subscriptions, oldest first.

        Those after a position, else those that were not acknowledged. Pulling acknowledges nothing. There may be more
        as long as there is any: large ones come in smaller numbers.
        """
        self._check_open()
        return self._counter.pull(tenant, subscriber, subscription, after, self._bounded(limit))

    def ack(
        self, subscriber: str, position: int, *, subscription: str | None = None, tenant: str = DEFAULT_TENANT
    ) -> None:
        """Everything up to a position is done, for one pull subscription or all; on disk when this returns."""
        self._check_open()
        self._counter.ack(tenant, subscriber, subscription, position).result()

    def deliveries(
        self,
        subscriber: str,
        *,
        subscription: str | None = None,
        after: int | None = None,
        acknowledge: bool = True,
        tenant: str = DEFAULT_TENANT,
    ) -> AsyncIterator[Delivery]:
        """The same as a stream that waits for more: `async for delivery in broker.deliveries("me")`.

        A delivery is acknowledged when the next one is asked for (not at all without `acknowledge`). `after` goes on
        after a position: exactly there for one subscription; with all of them, at what is not acknowledged where that
        is earlier. It ends when the broker is closed.
        """
        self._check_open()
        return self._counter.stream(
            tenant, subscriber, subscription, after, self._bounded(100), acknowledge=acknowledge
        )

    # dead letters

    def dead_letters(
        self,
        subscriber: str,
        *,
        subscription: str | None = None,
        after: int = 0,
        limit: int = 100,
        tenant: str = DEFAULT_TENANT,
    ) -> list[DeadLetter]:
        """What was given up, oldest first, by `number` from `after` on."""
        return self.store.dead_letters.page(
            tenant, subscriber, subscription_id=subscription, after=after, limit=self._bounded(limit)
        )

    def replay(self, subscriber: str, number: int, *, tenant: str = DEFAULT_TENANT) -> int:
        """Deliver a dead letter again, after what waits; gives its new position."""
        subscription, position = self.store.dead_letters.replay(tenant, subscriber, number, self._clock.now()).result()
        standing = self._registry.number(subscription)
        if standing is not None:
            standing.latest = max(standing.latest, position)
            self._notify(standing)
        return position

    def discard(self, subscriber: str, number: int, *, tenant: str = DEFAULT_TENANT) -> None:
        """Forget a dead letter."""
        self.store.dead_letters.discard(tenant, subscriber, number).result()

    # questions and care

    def explain(
        self,
        event: Event | str | bytes,
        subscriber: str,
        id: str,  # noqa: A002
        format: str | None = None,  # noqa: A002
        *,
        tenant: str = DEFAULT_TENANT,
    ) -> Explanation:
        """Why an event matches a subscription or not; nothing is published.

        A LimitError if deciding that takes more than the limits' steps.
        """
        record = self.subscription(subscriber, id, tenant=tenant)
        parsed = self._intake.validate(self._intake.parse(event, format, self.ontology))
        return self._desk.routes.explain(record, parsed, self.limits.steps)

    def reload(
        self, ontology: Ontology, validator: EventValidator | None = None
    ) -> list[tuple[SubscriptionRecord, SemanticPubSubError]]:
        """Go over to another ontology (and validator) while events keep coming; gives what fits no more.

        Such a subscription is kept as `invalid` with its queue, and matches again under an ontology that it fits.
        """
        with self._desk.at_rest():
            routes, self.refused = load_routes(
                self.store, self._registry, ontology, self._make_matcher, compiled=self._compiled
            )
            self._desk.routes = routes
            self._desk.take_out_what_ended()
            self._intake.validator = validator
            self._outbox.reload(ontology)
        return self.refused

    def stats(self) -> dict[str, Any]:
        """Counts for operators."""
        pushes = self._backstage.dispatcher
        return {
            "subscriptions": len(self._registry),
            "tenants": self._registry.tenants,
            "matchers": self._desk.routes.stats(),
            "store_bytes": self.store.size,
            "waiting_writes": self.store.waiting,
            "commits": self.store.commits,
            "pushed": pushes.counts.deliveries,
            "push_failures": pushes.counts.failures,
            "dead_letters": pushes.counts.dead_letters + self.housekeeper.dead_letters,
            "pushes_in_flight": pushes.in_flight,
            "streams": len(self._listeners),
            "removed_events": self.housekeeper.removed_events,
        }

    def close(self, drain: float = _DRAIN) -> None:
        """Take nothing more, give pushes in flight some seconds, write what waits; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._listeners.close()
        self.housekeeper.stop()
        self._backstage.stop(drain)
        self._desk.overruns.close()
        self._desk.routes.save()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _notify(self, standing: Standing) -> None:
        """There may be something to deliver."""
        if standing.kind == Pull.kind:
            self._listeners.ring(standing)
        else:
            self._backstage.dispatcher.wake(standing)

    def _dispatcher(self) -> Dispatcher:
        return Dispatcher(
            self.store, self._registry, self._outbox,
            self._channels or default_channels(self._targets, self._retry, self._clock),
            policy=self._retry, clock=self._clock, random=self._random,
        )  # fmt: skip

    def _bounded(self, limit: int) -> int:
        return max(1, min(limit, self.limits.pulled))

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the broker was closed", hint="open it again")
