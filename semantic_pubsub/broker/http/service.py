"""What all endpoints share: the broker, who may do what, threads, counts."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.clock import Clock, SystemClock
from semantic_pubsub.broker.http.identity import Doorkeeper
from semantic_pubsub.broker.http.loading import load_ontology, load_validator
from semantic_pubsub.broker.http.luggage import Luggage
from semantic_pubsub.broker.http.metrics import Metrics
from semantic_pubsub.broker.http.rates import RateLimit
from semantic_pubsub.broker.http.tokens import TokenReader
from semantic_pubsub.broker.http.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from semantic_pubsub.broker.broker import Broker
    from semantic_pubsub.broker.http.settings import Settings
    from semantic_pubsub.broker.model import SubscriptionRecord
    from semantic_pubsub.errors import SemanticPubSubError

__all__ = ["Service"]

_PUBLISHING: Final = (4, 256)
_ASKING: Final = (8, 256)
_CHANGING: Final = (4, 256)
_EXPLAINING: Final = (1, 8)
_KNOCKING: Final = (4, 256)
_log = logging.getLogger(__name__)


class Service:
    """One broker and its surroundings.

    Publishing, asking, changing subscriptions (which waits while an ontology is read) and explaining have threads of
    their own each.
    """

    def __init__(self, broker: Broker, settings: Settings, clock: Clock | None = None) -> None:
        self.broker = broker
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        tokens = TokenReader(settings.jwt) if settings.jwt is not None else None
        self.door = Doorkeeper(broker.store.keys, tokens, self.clock, loopback=settings.loopback)
        self.metrics = Metrics()
        self.publishing = Workers("publish", *_PUBLISHING)
        self.asking = Workers("ask", *_ASKING)
        self.changing = Workers("change", *_CHANGING)
        self.explaining = Workers("explain", *_EXPLAINING)
        self.knocking = Workers("knock", *_KNOCKING)
        http = settings.http
        self.explain_rate = RateLimit(http.explain_per_second, http.explain_burst, self.clock)
        self.luggage = Luggage(http.bodies_bytes)
        self.streams: dict[tuple[str, str], int] = {}
        self.stopping = asyncio.Event()
        self._reloading = threading.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def reload(self) -> list[tuple[SubscriptionRecord, SemanticPubSubError]]:
        """Read ontology and shapes again and go over to them; gives what fits no more. Takes its time."""
        with self._reloading:
            ontology = load_ontology(self.settings)
            refused = self.broker.reload(ontology, load_validator(self.settings, ontology))
        _log.info("the ontology was reloaded", extra={"facts": {"refused": len(refused)}})
        return refused

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done that its request does not wait for."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """End what runs in threads; the broker is closed by who opened it."""
        for workers in (self.publishing, self.asking, self.changing, self.explaining, self.knocking):
            workers.close()

    def counts(self) -> dict[str, Any]:
        """What the broker says of itself, with what takes a look into the store."""
        return {
            **self.broker.stats(),
            "queued": self.broker.store.queues.waiting(),
            "kept_dead_letters": self.broker.store.dead_letters.count(),
            "open_streams": sum(self.streams.values()),
        }
