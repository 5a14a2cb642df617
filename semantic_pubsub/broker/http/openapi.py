"""The OpenAPI document: written by hand, held to the table of routes by a test."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.broker.http.event_bodies import EVENT_TYPES
from semantic_pubsub.broker.http.explaining import EXPLAIN_TYPES
from semantic_pubsub.broker.http.negotiation import JSON, RDF_SYNTAXES, TEXT
from semantic_pubsub.broker.http.problems import MEDIA_TYPE
from semantic_pubsub.broker.http.schemas import SCHEMAS
from semantic_pubsub.broker.http.subscribing import PATTERN_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["document"]

_Json = dict[str, Any]
_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0, "maximum": 2**62}
_ABOUT: Final = (
    "Events in RDF go to whoever subscribed to a graph pattern that they satisfy. Errors are problem details "
    "(RFC 9457) with a hint what to do."
)
_PROBLEMS: Final = {
    400: "It cannot be read.",
    401: "There is no key or token, or it is not good.",
    403: "The role is missing.",
    404: "There is nothing of this name for who asks.",
    406: "There is no such answer.",
    408: "The body took too long.",
    409: "The name or key is taken.",
    413: "More or larger than the limits allow.",
    415: "The body's media type is not read.",
    422: "The event does not conform to the shapes: a SHACL report.",
    429: "Too often: see Retry-After.",
    503: "Busy, full, or stopping: see Retry-After.",
}


def document() -> _Json:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Semantic Pub/Sub", "version": _version(), "description": _ABOUT},
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": {
            **_events(),
            **_subscriptions(),
            **_deliveries(),
            **_dead_letters(),
            **_questions(),
            **_keys(),
            **_operation(),
        },
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "An API key, or a JSON Web Token."}
            },
            "schemas": SCHEMAS,
        },
    }


def _events() -> _Json:
    content: _Json = {kind: {"schema": _TEXT} for kind in EVENT_TYPES}
    content["application/cloudevents+json"] = {"schema": _ref("CloudEvent")}
    content["application/cloudevents-batch+json"] = {"schema": {"type": "array", "items": _ref("CloudEvent")}}
    key = _parameter(
        "Idempotency-Key", {**_TEXT, "minLength": 1, "maxLength": 256}, "header", "Makes a repeat harmless."
    )
    found = _described(
        "Publish events. The answer comes when they are on disk with their matches.",
        {
            200: _answer("It was published before, with this answer.", _ref("Receipt")),
            201: _answer("Published.", {"anyOf": [_ref("Receipt"), _ref("Receipts")]}),
            207: _answer("Some of many were refused.", _ref("Receipts")),
        },
        (400, 406, 408, 409, 413, 415, 422),
        parameters=[key],
        body=content,
    )
    reports = {kind: {"schema": _TEXT} for kind in RDF_SYNTAXES}
    found["responses"]["422"]["content"] |= reports
    return {"/events": {"post": found}}


def _subscriptions() -> _Json:
    one = {200: _answer("The subscription.", _ref("Subscription"))}
    content: _Json = {kind: {"schema": {**_TEXT, "minLength": 1}} for kind in PATTERN_TYPES}
    content[JSON] = {"schema": _ref("SubscriptionWish")}
    settings = [
        _parameter("id", _TEXT, "query", "With a bare pattern: the id."),
        _parameter("format", {"enum": ["turtle", "nt", "xml", "json-ld"]}, "query", "With a bare pattern: the syntax."),
        _parameter("throttling", _COUNT, "query", "With a bare pattern: seconds between deliveries."),
        _parameter("expiresAt", {**_TEXT, "format": "date-time"}, "query", "With a bare pattern: the end."),
        _parameter("injective", {"type": "boolean"}, "query", "With a bare pattern: distinct images."),
    ]
    patch = {kind: {"schema": _ref("SubscriptionPatch")} for kind in ("application/merge-patch+json", JSON)}
    return {
        "/subscriptions": {
            "post": _described(
                "Subscribe: what is published from now on and matches is delivered.",
                {201: _answer("Subscribed; Location names it.", _ref("Subscription"))},
                (400, 406, 408, 409, 413, 415),
                parameters=[_SUBSCRIBER, *settings],
                body=content,
            ),
            "get": _described(
                "List subscriptions.",
                {200: _answer("A page.", _ref("Subscriptions"))},
                (400, 406),
                parameters=[_SUBSCRIBER, _AFTER, _LIMIT],
            ),
        },
        "/subscriptions/{id}": {
            "get": _described("Read a subscription.", one, (400, 404, 406), parameters=[_ID, _SUBSCRIBER]),
            "put": _described(
                "Replace all of a subscription (a paused one begins again, unless isActive is false). What waits is "
                "still delivered; a webhook keeps its secret where none is given for the same uri.",
                one,
                (400, 404, 406, 408, 413, 415),
                parameters=[_ID, _SUBSCRIBER, *settings],
                body=content,
            ),
            "patch": _described(
                "Pause, resume, or change the end and the throttling: what is named changes, all of it or nothing.",
                one,
                (400, 404, 406, 408, 409, 413, 415),
                parameters=[_ID, _SUBSCRIBER],
                body=patch,
            ),
            "delete": _described(
                "End a subscription, with all that waits for it.",
                {204: {"description": "Ended."}},
                (400, 404),
                parameters=[_ID, _SUBSCRIBER],
            ),
        },
    }


def _deliveries() -> _Json:
    found = {200: _answer("Deliveries, oldest first.", _ref("Deliveries"))}
    events = {200: {"description": "Deliveries as they come.", "content": {"text/event-stream": {"schema": _TEXT}}}}
    last = _parameter("Last-Event-ID", _TEXT, "header", "Resume after this delivery.")
    how = _parameter("acknowledge", {"enum": ["client", "sent"]}, "query", "By the client, or as they are sent.")
    return {
        "/subscriptions/{id}/deliveries": {
            "get": _described(
                "Pull: deliveries after a position, else those not acknowledged.",
                found,
                (400, 404, 406),
                parameters=[_ID, _SUBSCRIBER, _AFTER, _LIMIT],
            )
        },
        "/subscriptions/{id}/ack": {
            "post": _described(
                "Acknowledge everything up to a position.",
                {204: {"description": "On disk."}},
                (400, 404, 408, 413, 415),
                parameters=[_ID, _SUBSCRIBER],
                body={JSON: {"schema": _ref("Position")}},
            )
        },
        "/subscriptions/{id}/stream": {
            "get": _described(
                "Server-Sent Events of one subscription; resuming acknowledges what came before.",
                events,
                (400, 404, 406, 429),
                parameters=[_ID, _SUBSCRIBER, last, _AFTER, how],
            )
        },
        "/deliveries": {
            "get": _described(
                "Pull from all subscriptions what is not acknowledged.",
                found,
                (400, 406),
                parameters=[_SUBSCRIBER, _LIMIT],
            )
        },
        "/stream": {
            "get": _described(
                "Server-Sent Events of all pull subscriptions.",
                events,
                (400, 406, 429),
                parameters=[_SUBSCRIBER, last, _AFTER, how],
            )
        },
    }


def _dead_letters() -> _Json:
    number = _parameter("number", _TEXT, "path", "The dead letter's number.")
    one = _parameter("subscription", _TEXT, "query", "Only of this subscription.")
    return {
        "/dead-letters": {
            "get": _described(
                "List deliveries that were given up.",
                {200: _answer("A page.", _ref("DeadLetters"))},
                (400, 406),
                parameters=[_SUBSCRIBER, one, _AFTER, _LIMIT],
            )
        },
        "/dead-letters/{number}/replay": {
            "post": _described(
                "Deliver a dead letter again.",
                {200: _answer("Its new position.", _ref("Position"))},
                (400, 404, 406, 413),
                parameters=[number, _SUBSCRIBER],
            )
        },
        "/dead-letters/{number}": {
            "delete": _described(
                "Forget a dead letter.",
                {204: {"description": "Forgotten."}},
                (400, 404),
                parameters=[number, _SUBSCRIBER],
            )
        },
    }


def _questions() -> _Json:
    content: _Json = {kind: {"schema": _TEXT} for kind in EXPLAIN_TYPES}
    content[JSON] = {"schema": _ref("Question")}
    answer = _answer("The explanation.", {"type": "object"})
    answer["content"][TEXT] = {"schema": _TEXT}
    which = _parameter("subscription", _TEXT, "query", "With an event as RDF: the subscription.")
    return {
        "/explain": {
            "post": _described(
                "Why an event matches a subscription or not; nothing is published.",
                {200: answer},
                (400, 404, 406, 408, 413, 415, 422, 429),
                parameters=[_SUBSCRIBER, which],
                body=content,
            )
        },
        "/ontology": {
            "get": _described(
                "Classes and properties, with what is directly above them.",
                {200: _answer("The ontology.", {"type": "object"}), 304: {"description": "As If-None-Match has it."}},
                (406,),
            ),
            "post": _described(
                "Read ontology and shapes from their files again (operators).",
                {200: _answer("What fits no more.", {"type": "object"})},
                (400, 406, 409, 413),
            ),
        },
    }


def _keys() -> _Json:
    name = _parameter("name", _TEXT, "path", "The key's name.")
    tenant = _parameter("tenant", _TEXT, "query", "For operators: another tenant.")
    return {
        "/keys": {
            "get": _described(
                "List the tenant's keys.",
                {200: _answer("All keys.", {"type": "object"})},
                (400, 406),
                parameters=[tenant],
            ),
            "post": _described(
                "Make a key; it is shown this once.",
                {201: _answer("The key.", {"type": "object"})},
                (400, 406, 408, 409, 413, 415),
                parameters=[tenant],
                body={JSON: {"schema": _ref("KeyWish")}},
            ),
        },
        "/keys/{name}": {
            "delete": _described(
                "Remove a key.", {204: {"description": "Removed."}}, (400, 404), parameters=[name, tenant]
            )
        },
    }


def _operation() -> _Json:
    def public(summary: str, kind: str, problems: Iterable[int] = ()) -> _Json:
        answers = {200: {"description": "So it is.", "content": {kind: {"schema": {}}}}}
        return {"get": {**_described(summary, answers, problems), "security": []}}

    page = {200: {"description": "Counts and times.", "content": {"text/plain": {"schema": _TEXT}}}}
    return {
        "/metrics": {"get": _described("Prometheus metrics (operators).", page, ())},
        "/health": public("The process answers.", JSON),
        "/ready": public("Events are accepted.", JSON),
        "/openapi.json": public("This document.", JSON),
        "/docs": public("This document as a page.", "text/html"),
    }


def _described(
    summary: str,
    answers: dict[int, _Json],
    problems: Iterable[int],
    *,
    parameters: list[_Json] | None = None,
    body: _Json | None = None,
) -> _Json:
    found: _Json = {"summary": summary}
    if parameters:
        found["parameters"] = parameters
    if body is not None:
        found["requestBody"] = {"required": True, "content": body}
    problem = {MEDIA_TYPE: {"schema": _ref("Problem")}}
    found["responses"] = {str(status): answer for status, answer in answers.items()}
    for status in sorted({*problems, 401, 403, 503}):
        found["responses"][str(status)] = {"description": _PROBLEMS[status], "content": dict(problem)}
    return found


def _answer(description: str, schema: _Json) -> _Json:
    return {"description": description, "content": {JSON: {"schema": schema}}}


def _ref(name: str) -> _Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _parameter(name: str, schema: _Json, where: str, description: str) -> _Json:
    return {"name": name, "in": where, "required": where == "path", "schema": schema, "description": description}


_ID: Final = _parameter("id", _TEXT, "path", "The subscription's id.")
_SUBSCRIBER: Final = _parameter("subscriber", _TEXT, "query", "For admins: another subscriber of the tenant.")
_AFTER: Final = _parameter("after", _COUNT, "query", "Go on after this number.")
_LIMIT: Final = _parameter("limit", {"type": "integer", "minimum": 1, "maximum": 1_000}, "query", "At most so many.")


def _version() -> str:
    try:
        return version("semantic-pubsub")
    except PackageNotFoundError:  # run from a folder that is not installed
        return "0"
