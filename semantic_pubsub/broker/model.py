"""What a broker keeps and hands out: subscriptions with their delivery, receipts, deliveries, dead letters, keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from semantic_pubsub.broker.clock import written_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.subscriptions.model import Syntax

__all__ = [
    "DEFAULT_TENANT",
    "ROLES",
    "UNCHANGED",
    "Callback",
    "DeadLetter",
    "Delivery",
    "DeliveryWay",
    "Fit",
    "KeyRecord",
    "NewEvent",
    "Pull",
    "QueueRow",
    "Receipt",
    "Role",
    "State",
    "Stored",
    "StoredEvent",
    "SubscriptionRecord",
    "Unchanged",
    "Webhook",
]

DEFAULT_TENANT: Final = "default"

Fit: TypeAlias = Literal["active", "expired", "quarantined", "invalid"]
"""Whether a pattern is matched; if not, what was matched before is still delivered."""

State: TypeAlias = Fit | Literal["paused"]
"""The same as clients see it: what is active may be `paused`, which delays deliveries."""

Role: TypeAlias = Literal["publish", "subscribe", "admin"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)


class Unchanged(Enum):
    """What is left as it is, where None says something of its own."""

    UNCHANGED = "unchanged"


UNCHANGED: Final = Unchanged.UNCHANGED

JsonBindings: TypeAlias = dict[str, dict[str, str]]
"""Variable to term as in SPARQL's JSON results: `{"x": {"type": "uri", "value": "http://…"}}`."""


@dataclass(frozen=True, slots=True)
class Pull:
    """The subscriber asks: by `pull` and `ack`, or by `async for delivery in broker.deliveries(subscriber)`."""

    kind = "pull"


@dataclass(frozen=True, slots=True)
class Webhook:
    """Each match is posted to a URL as a CloudEvent, signed where there is a `secret`.

    In a replacement, without a secret the one stays that was given for the same URL.
    """

    url: str
    secret: str | None = field(default=None, repr=False)
    kind = "webhook"


@dataclass(frozen=True, slots=True)
class Callback:
    """A function of this process is called with each `Delivery`; an exception means: try again later.

    Matches are kept over restarts like any other; give the function again with `Broker.attach` after one.
    """

    function: Callable[[Delivery], object] = field(compare=False)
    kind = "callback"


DeliveryWay: TypeAlias = Pull | Webhook | Callback


@dataclass(frozen=True, slots=True)
class SubscriptionRecord:
    """A stored subscription: what was asked for, how it is delivered, and how that went.

    `number` and `pattern` are the store's own: the first never changes, the second names this version of the text.
    `acked` is the position up to which everything is acknowledged. `fit` and `paused` are apart, so that neither is
    lost when the other changes. `warnings` are told when it is made or replaced, and not kept.
    """

    tenant: str
    subscriber: str
    id: str
    text: str
    syntax: Syntax
    injective: bool
    kind: str = "pull"
    endpoint: str | None = None
    secret: str | None = field(default=None, repr=False)
    format: str = "turtle"
    fit: Fit = "active"
    paused: bool = False
    reason: str | None = None
    throttling: float = 0.0
    expires_at: float | None = None
    created_at: float = 0.0
    modified_at: float = 0.0
    times_sent: int = 0
    times_failed: int = 0
    last_success: float | None = None
    last_failure: float | None = None
    last_error: str | None = None
    attempts: int = 0
    retry_at: float = 0.0
    overruns: int = 0
    acked: int = 0
    number: int = 0
    pattern: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        """`fit`, or `paused` where nothing else is the matter."""
        return "paused" if self.paused and self.fit == "active" else self.fit

    @property
    def is_active(self) -> bool:
        """Whether it is matched and delivered."""
        return self.fit == "active" and not self.paused


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event on its way to the store, with the (subscription number, pattern number) pairs that it satisfies."""

    tenant: str
    id: str
    published_at: float
    format: str
    home: str
    body: bytes
    matches: tuple[tuple[int, int], ...] = ()
    idempotency_key: str | None = None
    fingerprint: bytes = b""
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store made of a `NewEvent`; positions are `first_position` and those that follow."""

    event_id: str
    matches: int
    first_position: int = 0
    repeated: bool = False
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as it is kept: its text as `format`, and its home vertex as N-Triples writes it."""

    number: int
    tenant: str
    id: str
    published_at: float
    format: str
    home: str
    text: str


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One match in a subscription's queue."""

    position: int
    event: int
    pattern: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to `publish`, given when the event is on disk with its matches.

    `undecided` counts the subscriptions whose search exceeded the budget; `repeated` tells that the idempotency key
    was used before, and that the rest is the answer of that time.
    """

    event_id: str
    matches: int
    undecided: int = 0
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """One match for its subscriber: the event in the syntax asked for, and one solution of the pattern.

    `position` grows in publication order and names the delivery for `ack` and for resuming; a repeated delivery has
    the position it had before. `bindings` is None where working it out exceeded the budget, or where the ontology
    has changed so much since that the pattern fits no more.
    """

    position: int
    tenant: str
    subscriber: str
    subscription_id: str
    event_id: str
    published_at: float
    format: str
    home: str
    event: str
    bindings: JsonBindings | None

    def as_json(self) -> dict[str, Any]:
        """The delivery as JSON has it."""
        return {
            "position": self.position,
            "subscription": self.subscription_id,
            "event": {"id": self.event_id, "format": self.format, "home": self.home, "data": self.event},
            "bindings": self.bindings,
            "publishedAt": written_time(self.published_at),
        }


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A delivery that was given up; `Broker.replay` puts it at the end of its subscription's queue again."""

    number: int
    tenant: str
    subscriber: str
    subscription_id: str
    event_id: str
    position: int
    reason: str
    attempts: int
    died_at: float


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """An API key at rest: only its hash is known. `subject` is the publisher's or subscriber's name."""

    hash: bytes = field(repr=False)
    tenant: str
    subject: str
    roles: frozenset[Role]
    name: str
    created_at: float
    expires_at: float | None = None
