"""What a subscriber asks for, read and checked before anything is changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.errors import LimitError
from semantic_pubsub.broker.model import Unchanged, Webhook
from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.events.formats import format_named
from semantic_pubsub.subscriptions import Subscription, analyse, resolve
from semantic_pubsub.subscriptions.bounds import conjuncts

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.broker.limits import BrokerLimits
    from semantic_pubsub.broker.model import DeliveryWay, SubscriptionRecord
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.subscriptions.algebra import Pattern
    from semantic_pubsub.subscriptions.model import Syntax

__all__ = ["LATEST", "LONGEST_THROTTLING", "Draft", "adjustments", "check_times", "filled", "read_pattern"]

LONGEST_THROTTLING: Final = 366 * 86_400
LATEST: Final = 1e11
"""Seconds since 1970 of the last end of a subscription that can be written (in the year 5138)."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A pattern, and how it is to be delivered. None: as it was, or the default; without `expires_at` it never ends."""

    parsed: Subscription
    text: str
    delivery: DeliveryWay | None = None
    format: str | None = None
    throttling: float | None = None
    expires_at: float | None = None
    paused: bool | None = None


def read_pattern(
    subscription: Subscription | str, limits: BrokerLimits, injective: bool | None, syntax: Syntax | None
) -> tuple[Subscription, str]:
    """A pattern and its text; a LimitError if it is too long (which is seen before it is read) or asks too much."""
    text = subscription if isinstance(subscription, str) else str(subscription)
    if len(text) > limits.subscription_characters:
        most = limits.subscription_characters
        raise LimitError(f"the subscription has more than {most:,} characters", hint="ask for less")
    parsed = subscription
    if isinstance(parsed, str):
        parsed = Subscription.parse(parsed, injective=injective, syntax=syntax)
    size = sum(map(_size, parsed.alternatives))
    if size > limits.pattern_statements:
        most = limits.pattern_statements
        raise LimitError(f"the pattern has {size} statements and conditions, at most {most}", hint="ask for less")
    return parsed, text


def filled(
    record: SubscriptionRecord, draft: Draft, ontology: Ontology, now: float, check_url: Callable[[str], object]
) -> SubscriptionRecord:
    """A record with what the draft asks for; an error where that does not fit."""
    resolved = resolve(draft.parsed, ontology)
    syntax = draft.format or record.format
    format_named(syntax)
    throttling = record.throttling if draft.throttling is None else draft.throttling
    check_times(throttling, draft.expires_at, now)
    return replace(
        record,
        **_way_of(record, draft.delivery, check_url),  # type: ignore[arg-type]
        text=draft.text,
        syntax=draft.parsed.syntax,
        injective=draft.parsed.injective,
        format=syntax,
        paused=record.paused if draft.paused is None else draft.paused,
        throttling=throttling,
        expires_at=draft.expires_at,
        warnings=tuple(map(str, analyse(resolved, ontology))),
    )


def check_times(throttling: float, expires_at: float | None, now: float) -> None:
    """Refuse seconds that are none, and an end that is over."""
    if not 0 <= throttling <= LONGEST_THROTTLING:
        raise SubscriptionError("throttling is a number of seconds, at most a year", hint="give 0 for none")
    if expires_at is not None and not now < expires_at < LATEST:
        raise SubscriptionError("its end is no time to come", hint="leave it out for none")


def adjustments(
    now: float,
    throttling: float | Unchanged,
    expires_at: float | Unchanged | None,
    paused: bool | Unchanged,
) -> dict[str, Any]:
    """The columns that are given, checked; an end that is over already stays possible as long as nobody sets it."""
    changes: dict[str, Any] = {"modified_at": now}
    if not isinstance(throttling, Unchanged):
        check_times(throttling, None, now)
        changes["throttling"] = throttling
    if not isinstance(expires_at, Unchanged):
        check_times(0, expires_at, now)
        changes["expires_at"] = expires_at
    if not isinstance(paused, Unchanged):
        changes["paused"] = paused
    return changes


def _way_of(
    record: SubscriptionRecord, delivery: DeliveryWay | None, check_url: Callable[[str], object]
) -> dict[str, str | None]:
    """How it is delivered: as it was where nothing is given, also a callback that has no function at the moment."""
    if delivery is None:
        return {}
    if not isinstance(delivery, Webhook):
        return {"kind": delivery.kind, "endpoint": None, "secret": None}
    check_url(delivery.url)
    known = record.secret if delivery.url == record.endpoint else None
    return {"kind": delivery.kind, "endpoint": delivery.url, "secret": delivery.secret or known}


def _size(pattern: Pattern) -> int:
    conditions = sum(1 for condition in pattern.filters for _ in conjuncts(condition.expression))
    return len(pattern.arcs) + len(pattern.classes) + conditions
