"""Where subscribers fetch what waits for them: by asking, or as a stream, and acknowledge it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from semantic_pubsub.broker.errors import UnknownSubscriptionError
from semantic_pubsub.broker.feeds import Feed, Listeners
from semantic_pubsub.broker.model import Pull

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from concurrent.futures import Future

    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.model import Delivery
    from semantic_pubsub.broker.outbox import Outbox
    from semantic_pubsub.broker.registry import Registry, Standing
    from semantic_pubsub.broker.store import Store

__all__ = ["Counter"]


class Counter:
    """Pull subscriptions of one subscriber, alone or together; what a subscriber has not is an error."""

    def __init__(
        self, store: Store, registry: Registry, outbox: Outbox, listeners: Listeners, clock: Clock, *, characters: int
    ) -> None:
        self._store = store
        self._registry = registry
        self._outbox = outbox
        self._listeners = listeners
        self._clock = clock
        self._characters = characters
        self._acknowledging = threading.Lock()

    def pull(
        self, tenant: str, subscriber: str, subscription: str | None, after: int | None, limit: int
    ) -> list[Delivery]:
        """The next deliveries, oldest first: so many at most, fewer where they are large."""
        standings = {s.number: s for s in self._pulled(tenant, subscriber, subscription)}
        cursors = {n: s.acked if after is None else after for n, s in standings.items()}
        wanted = {n: c for n, c in cursors.items() if standings[n].latest > c and not standings[n].paused}
        rows = self._store.queues.pending_of_many(wanted, limit) if wanted else []
        return self._outbox.deliveries([(standings[number], row) for number, row in rows], self._characters)[0]

    def ack(self, tenant: str, subscriber: str, subscription: str | None, position: int) -> Future[None]:
        """Everything up to a position is done."""
        standings = self._pulled(tenant, subscriber, subscription)
        return self._acknowledge({s.number: position for s in standings})

    def stream(
        self,
        tenant: str,
        subscriber: str,
        subscription: str | None,
        after: int | None,
        limit: int,
        *,
        acknowledge: bool,
    ) -> AsyncIterator[Delivery]:
        """The same as a stream that waits for more."""
        self._pulled(tenant, subscriber, subscription)
        feed = Feed(
            self._store,
            self._outbox,
            self._listeners,
            self._clock,
            owner=(tenant, subscriber),
            standings=lambda: self._pulled(tenant, subscriber, subscription, gone_is_empty=True),
            acknowledge=self._acknowledge if acknowledge else None,
            after=after,
            alone=subscription is not None,
            limit=limit,
        )
        return feed.run()

    def _acknowledge(self, positions: Mapping[int, int]) -> Future[None]:
        """Note how far subscriptions are; never beyond what is in their queues, never back."""
        moved = {}
        now = self._clock.now()
        with self._acknowledging:
            for number, position in positions.items():
                standing = self._registry.number(number)
                if standing is not None and min(position, standing.latest) > standing.acked:
                    moved[number] = standing.acked = min(position, standing.latest)
                    standing.last_sent = now
        return self._store.queues.acknowledge(moved, now)

    def _pulled(
        self, tenant: str, subscriber: str, subscription: str | None, *, gone_is_empty: bool = False
    ) -> list[Standing]:
        standings = [s for s in self._registry.of(tenant, subscriber) if s.kind == Pull.kind]
        if subscription is None:
            return standings
        found = [standing for standing in standings if standing.id == subscription]
        if not found and not gone_is_empty:
            hint = "list your subscriptions; those with a webhook or callback are not pulled"
            raise UnknownSubscriptionError(f"there is no pull subscription {subscription!r}", hint=hint)
        return found
