"""Subscriptions as JSON, in NGSI-LD's words where they fit, and what clients may say in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypedDict

from semantic_pubsub.broker.clock import written_time
from semantic_pubsub.broker.drafts import LATEST, LONGEST_THROTTLING
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.model import Pull, Webhook
from semantic_pubsub.errors import did_you_mean
from semantic_pubsub.events.formats import format_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.broker.model import SubscriptionRecord
    from semantic_pubsub.subscriptions.model import Syntax

__all__ = ["MEMBERS", "Patch", "Wish", "as_json", "moment", "patch_of", "wish_of"]

_WRITTEN: Final = (
    "id", "type", "pattern", "syntax", "injective", "isActive", "expiresAt", "throttling", "notification",
)  # fmt: skip
_READ_ONLY: Final = ("subscriber", "status", "reason", "createdAt", "modifiedAt", "warnings")
MEMBERS: Final = (*_WRITTEN, *_READ_ONLY)
_NOTIFICATION: Final = ("format", "endpoint")
_COUNTERS: Final = ("status", "timesSent", "timesFailed", "lastSuccess", "lastFailure", "lastError", "attempts")
_PATCHED: Final = ("isActive", "expiresAt", "throttling")
_SYNTAXES: Final = ("sparql", "statements")
_LONGEST_NAME: Final = 256


@dataclass(frozen=True, slots=True)
class Wish:
    """What a client asks for, checked as far as that needs no ontology."""

    pattern: str = ""
    id: str | None = None
    syntax: Syntax | None = None
    injective: bool | None = None
    is_active: bool = True
    expires_at: float | None = None
    throttling: float = 0.0
    format: str = "turtle"
    delivery: Pull | Webhook = field(default_factory=Pull)
    subscriber: str | None = None


class Patch(TypedDict, total=False):
    """What is to be adjusted, as the broker takes it."""

    throttling: float
    expires_at: float | None
    paused: bool


def as_json(record: SubscriptionRecord) -> dict[str, Any]:
    """A stored subscription as clients see it; a webhook's secret is never shown."""
    notification: dict[str, Any] = {
        "format": record.format,
        "status": "failed" if _failed_last(record) else "ok",
        "timesSent": record.times_sent,
        "timesFailed": record.times_failed,
        "lastSuccess": _time(record.last_success),
        "lastFailure": _time(record.last_failure),
        "lastError": record.last_error,
        "attempts": record.attempts,
    }
    if record.endpoint is not None:
        notification["endpoint"] = {"uri": record.endpoint, "signed": record.secret is not None}
    found = {
        "id": record.id,
        "type": "Subscription",
        "subscriber": record.subscriber,
        "pattern": record.text,
        "syntax": record.syntax,
        "injective": record.injective,
        "isActive": record.is_active,
        "status": record.state,
        "reason": record.reason,
        "expiresAt": _time(record.expires_at),
        "throttling": record.throttling,
        "notification": {name: value for name, value in notification.items() if value is not None},
        "createdAt": _time(record.created_at),
        "modifiedAt": _time(record.modified_at),
        "warnings": list(record.warnings) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def wish_of(document: Mapping[str, Any]) -> Wish:
    """A client's document; unknown members are an error, what only the broker writes is left aside.

    So a document that was read may be changed and sent back.
    """
    _known(document, MEMBERS, "")
    notification = _member(document, "notification", dict, {})
    _known(notification, (*_NOTIFICATION, *_COUNTERS), "notification.")
    pattern = _member(document, "pattern", str, "")
    if not pattern.strip():
        raise _bad("there is no pattern", "pattern is SPARQL or statement patterns, as text")
    if _member(document, "type", str, "Subscription") != "Subscription":
        raise _bad("type is not Subscription", "leave it out")
    syntax = _member(document, "syntax", str, None)
    if syntax not in (None, *_SYNTAXES):
        raise _bad(f"syntax is {syntax!r}", f"one of {', '.join(_SYNTAXES)}, or nothing")
    return Wish(
        pattern=pattern,
        id=_identifier(_member(document, "id", str, None)),
        syntax=syntax,
        injective=_member(document, "injective", bool, None),
        is_active=_member(document, "isActive", bool, True),
        expires_at=moment(_member(document, "expiresAt", str, None)),
        throttling=_throttling(_member(document, "throttling", (int, float), 0)),
        format=_format(_member(notification, "format", str, "turtle")),
        delivery=_delivery(_member(notification, "endpoint", dict, None)),
        subscriber=_member(document, "subscriber", str, None),
    )


def patch_of(patch: Mapping[str, Any]) -> Patch:
    """What a merge patch changes, and nothing else of the subscription; null takes a value away."""
    for name in patch:
        if name not in _PATCHED:
            hint = "patch isActive, expiresAt or throttling; PUT the whole document for the rest"
            raise _bad(f"{name[:60]} cannot be patched", hint)
    found: Patch = {}
    if "throttling" in patch:
        found["throttling"] = _throttling(_member(patch, "throttling", (int, float), 0))
    if "expiresAt" in patch:
        found["expires_at"] = moment(_member(patch, "expiresAt", str, None))
    if "isActive" in patch:
        found["paused"] = not _member(patch, "isActive", bool, True)
    return found


def _failed_last(record: SubscriptionRecord) -> bool:
    """How the last delivery went, also one that was given up."""
    return record.last_failure is not None and (record.last_success or 0.0) < record.last_failure


def moment(text: str | None) -> float | None:
    """Seconds since 1970 of a time in ISO 8601, which without a zone is UTC."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
        seconds = (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise _bad(f"{text[:60]!r} is no time", "write 2030-01-31T12:00:00Z") from None
    if not 0 <= seconds < LATEST:
        raise _bad(f"{text[:60]!r} is out of range", "write 2030-01-31T12:00:00Z")
    return seconds


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else written_time(seconds)


def _identifier(text: str | None) -> str | None:
    """An id can stand in a path."""
    if text is None:
        return None
    if not text.isprintable() or not 0 < len(text) <= _LONGEST_NAME or "/" in text or text in (".", ".."):
        raise _bad(f"the id {text[:60]!r} cannot be used", f"take 1 to {_LONGEST_NAME} printable characters, without /")
    return text


def _throttling(value: float) -> float:
    if isinstance(value, bool) or not 0 <= value <= LONGEST_THROTTLING:
        raise _bad("throttling is a number of seconds, at most a year", "give 0 for none")
    return float(value)


def _format(name: str) -> str:
    syntax = format_named(name)  # an EventError that says what is known
    if syntax.supports_datasets and "json" not in syntax.media_type:
        raise _bad(f"deliveries are not written as {name!r}", "take turtle, nt, xml or json-ld")
    return name


def _delivery(endpoint: Mapping[str, Any] | None) -> Pull | Webhook:
    if endpoint is None:
        return Pull()
    _known(endpoint, ("uri", "secret", "signed"), "notification.endpoint.")
    uri = _member(endpoint, "uri", str, "")
    if not uri:
        raise _bad("notification.endpoint has no uri", "give the URL, or no endpoint for pull and streams")
    return Webhook(uri, _member(endpoint, "secret", str, None) or None)


def _known(document: Mapping[str, Any], names: tuple[str, ...], prefix: str) -> None:
    for name in document:
        if name not in names:
            hint = did_you_mean(name, names) or f"known are {', '.join(names)}"
            raise _bad(f"there is no member {prefix}{name[:60]}", hint)


def _member(document: Mapping[str, Any], name: str, kind: type | tuple[type, ...], default: Any) -> Any:
    value = document.get(name)
    if value is None:
        return default
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _bad(f"{name} has a value of the wrong kind", "see /openapi.json")
    return value


def _bad(detail: str, hint: str) -> ProblemError:
    return ProblemError(400, "unreadable-subscription", detail, hint=hint)
