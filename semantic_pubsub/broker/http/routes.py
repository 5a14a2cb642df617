"""What can be asked: method, path, who may, and what answers; the app and the tests read this table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from semantic_pubsub.broker.http.describing import ontology, reload
from semantic_pubsub.broker.http.documents import openapi, page
from semantic_pubsub.broker.http.explaining import explain
from semantic_pubsub.broker.http.key_management import add_key, keys, remove_key
from semantic_pubsub.broker.http.operators import health, metrics, ready
from semantic_pubsub.broker.http.publishing import publish
from semantic_pubsub.broker.http.receiving import acknowledge, dead_letters, discard, pull, pull_all, replay
from semantic_pubsub.broker.http.streaming import stream, stream_all
from semantic_pubsub.broker.http.subscribing import change, create, listed, read, remove, replaced

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service
    from semantic_pubsub.broker.model import Role

__all__ = ["ROUTES", "Endpoint", "Route"]

Endpoint: TypeAlias = "Callable[[Request, Identity, Service], Awaitable[Response]]"


class Route(NamedTuple):
    """`role` is what it needs; None stands for everybody, without a key; `any` for every key."""

    method: str
    path: str
    endpoint: Endpoint
    role: Role | str | None


ROUTES: Final = (
    Route("POST", "/events", publish, "publish"),
    Route("POST", "/subscriptions", create, "subscribe"),
    Route("GET", "/subscriptions", listed, "subscribe"),
    Route("GET", "/subscriptions/{id}", read, "subscribe"),
    Route("PUT", "/subscriptions/{id}", replaced, "subscribe"),
    Route("PATCH", "/subscriptions/{id}", change, "subscribe"),
    Route("DELETE", "/subscriptions/{id}", remove, "subscribe"),
    Route("GET", "/subscriptions/{id}/deliveries", pull, "subscribe"),
    Route("POST", "/subscriptions/{id}/ack", acknowledge, "subscribe"),
    Route("GET", "/subscriptions/{id}/stream", stream, "subscribe"),
    Route("GET", "/deliveries", pull_all, "subscribe"),
    Route("GET", "/stream", stream_all, "subscribe"),
    Route("GET", "/dead-letters", dead_letters, "subscribe"),
    Route("POST", "/dead-letters/{number}/replay", replay, "subscribe"),
    Route("DELETE", "/dead-letters/{number}", discard, "subscribe"),
    Route("POST", "/explain", explain, "subscribe"),
    Route("GET", "/ontology", ontology, "any"),
    Route("POST", "/ontology", reload, "admin"),
    Route("GET", "/keys", keys, "admin"),
    Route("POST", "/keys", add_key, "admin"),
    Route("DELETE", "/keys/{name}", remove_key, "admin"),
    Route("GET", "/metrics", metrics, "admin"),
    Route("GET", "/health", health, None),
    Route("GET", "/ready", ready, None),
    Route("GET", "/openapi.json", openapi, None),
    Route("GET", "/docs", page, None),
)
