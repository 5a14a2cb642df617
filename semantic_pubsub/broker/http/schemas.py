"""The JSON documents of the HTTP interface, as JSON Schema."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["SCHEMAS"]

_Json = dict[str, Any]
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_TRUTH: Final = {"type": "boolean"}
_TIME: Final = {"type": "string", "format": "date-time"}
_MAYBE_TIME: Final = {"type": ["string", "null"], "format": "date-time"}
_FORMAT: Final = {"enum": ["turtle", "nt", "xml", "json-ld"]}
_STATUS: Final = {"enum": ["active", "paused", "expired", "quarantined", "invalid"]}
_ROLES: Final = {"type": "array", "minItems": 1, "items": {"enum": ["publish", "subscribe", "admin"]}}


def _object(properties: _Json, required: tuple[str, ...] = (), *, closed: bool = False) -> _Json:
    found: _Json = {"type": "object", "properties": properties}
    if required:
        found["required"] = list(required)
    if closed:
        found["additionalProperties"] = False
    return found


def _list(name: str) -> _Json:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


def _page(member: str, name: str) -> _Json:
    return _object({member: _list(name), "next": _COUNT}, (member,))


_ENDPOINT: Final = _object({"uri": _TEXT, "secret": {"type": ["string", "null"]}}, ("uri",), closed=True)

SCHEMAS: Final[_Json] = {
    "Problem": _object(
        {
            "type": _TEXT, "title": _TEXT, "status": {"type": "integer"}, "detail": _TEXT, "hint": _TEXT,
            "source": _TEXT, "line": _COUNT, "column": _COUNT, "report": {"type": "object"},
        },
        ("type", "title", "status", "detail"),
    ),
    "Receipt": _object(
        {"event": _TEXT, "matches": _COUNT, "undecided": _COUNT, "repeated": _TRUTH}, ("event", "matches")
    ),
    "Receipts": _object({"accepted": _COUNT, "refused": _COUNT, "events": {"type": "array"}}, ("events",)),
    "CloudEvent": _object(
        {
            "specversion": {"const": "1.0"}, "id": {**_TEXT, "minLength": 1}, "source": {**_TEXT, "minLength": 1},
            "type": {**_TEXT, "minLength": 1}, "datacontenttype": _TEXT, "data": {}, "data_base64": _TEXT,
        },
        ("specversion", "id", "source", "type"),
    ),
    "SubscriptionWish": _object(
        {
            "id": {**_TEXT, "minLength": 1, "maxLength": 256},
            "type": {"const": "Subscription"},
            "pattern": {**_TEXT, "minLength": 1},
            "syntax": {"enum": ["sparql", "statements"]},
            "injective": _TRUTH,
            "isActive": _TRUTH,
            "expiresAt": _TIME,
            "throttling": {**_NUMBER, "minimum": 0},
            "notification": _object({"format": _FORMAT, "endpoint": _ENDPOINT}),
        },
        ("pattern",),
    ),
    "SubscriptionPatch": _object(
        {
            "isActive": {"type": ["boolean", "null"]},
            "expiresAt": _MAYBE_TIME,
            "throttling": {"type": ["number", "null"], "minimum": 0},
        },
        closed=True,
    ),
    "Subscription": _object(
        {
            "id": _TEXT, "type": {"const": "Subscription"}, "subscriber": _TEXT, "pattern": _TEXT,
            "syntax": {"enum": ["sparql", "statements"]}, "injective": _TRUTH, "isActive": _TRUTH, "status": _STATUS,
            "reason": _TEXT, "expiresAt": _TIME, "throttling": _NUMBER, "createdAt": _TIME, "modifiedAt": _TIME,
            "warnings": {"type": "array", "items": _TEXT},
            "notification": _object(
                {
                    "format": _TEXT, "status": {"enum": ["ok", "failed"]}, "timesSent": _COUNT, "timesFailed": _COUNT,
                    "lastSuccess": _TIME, "lastFailure": _TIME, "lastError": _TEXT, "attempts": _COUNT,
                    "endpoint": _object({"uri": _TEXT, "signed": _TRUTH}),
                }
            ),
        },
        ("id", "pattern", "isActive", "status", "notification"),
    ),
    "Subscriptions": _page("subscriptions", "Subscription"),
    "Delivery": _object(
        {
            "position": _COUNT,
            "subscription": _TEXT,
            "event": _object({"id": _TEXT, "format": _TEXT, "home": _TEXT, "data": _TEXT}, ("id", "data")),
            "bindings": {"type": ["object", "null"]},
            "publishedAt": _TIME,
        },
        ("position", "subscription", "event"),
    ),
    "Deliveries": _object({"deliveries": _list("Delivery")}, ("deliveries",)),
    "Position": _object({"position": {**_COUNT, "maximum": 2**62 - 1}}, ("position",), closed=True),
    "DeadLetter": _object(
        {
            "number": _COUNT, "subscription": _TEXT, "event": _TEXT, "position": _COUNT, "reason": _TEXT,
            "attempts": _COUNT, "diedAt": _TIME,
        },
        ("number", "subscription", "event", "reason"),
    ),
    "DeadLetters": _page("deadLetters", "DeadLetter"),
    "Question": _object(
        {"subscription": _TEXT, "event": _TEXT, "format": _FORMAT}, ("subscription", "event"), closed=True
    ),
    "KeyWish": _object(
        {"name": _TEXT, "subject": _TEXT, "roles": _ROLES, "expiresAt": _MAYBE_TIME}, ("name", "subject", "roles"),
        closed=True,
    ),
}  # fmt: skip
