"""`/subscriptions`: create, read, list, replace, pause, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from semantic_pubsub.broker.http.bodies import object_of, read_body
from semantic_pubsub.broker.http.negotiation import JSON, TEXT, choose, media_type
from semantic_pubsub.broker.http.owners import everybody, owner
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.http.queries import number, only
from semantic_pubsub.broker.http.subscription_documents import Wish, as_json, patch_of, wish_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service
    from semantic_pubsub.broker.model import SubscriptionRecord

__all__ = ["PATTERN_TYPES", "change", "create", "listed", "read", "remove", "replaced"]

SPARQL: Final = "application/sparql-query"
PATTERN_TYPES: Final = (JSON, SPARQL, TEXT)
"""A document, or the pattern alone: SPARQL, or statement patterns as plain text."""
_BODY: Final = 256 * 1024
_PATCH: Final = ("application/merge-patch+json", JSON)


async def create(request: Request, who: Identity, service: Service) -> Response:
    """A new subscription: 201 with its document and `Location`."""
    choose(request, (JSON,))
    subscriber = owner(request, who)
    wish = await _wish(request, service)
    _check_subscriber(wish, subscriber)

    def work() -> SubscriptionRecord:
        return service.broker.subscribe(
            subscriber, wish.pattern, wish.delivery, tenant=who.tenant, id=wish.id, format=wish.format,
            throttling=wish.throttling, expires_at=wish.expires_at, paused=not wish.is_active,
            injective=wish.injective, syntax=wish.syntax,
        )  # fmt: skip

    record = await service.changing.run(work)
    location = f"/subscriptions/{quote(record.id, safe='')}"
    return JSONResponse(as_json(record), 201, {"location": location})


async def listed(request: Request, who: Identity, service: Service) -> Response:
    """A page of subscriptions, in the order in which they were made; `next` leads to the rest."""
    choose(request, (JSON,))
    only(request, "after", "limit", "subscriber")
    subscriber = None if everybody(request, who) else owner(request, who)
    after, limit = number(request, "after", 0), number(request, "limit", 100, least=1, most=1_000)
    records = await service.asking.run(
        service.broker.subscriptions, subscriber, tenant=who.tenant, after=after, limit=limit + 1
    )
    page = records[:limit]
    body: dict[str, Any] = {"subscriptions": [as_json(record) for record in page]}
    if len(records) > limit:
        body["next"] = page[-1].number
    return JSONResponse(body)


async def read(request: Request, who: Identity, service: Service) -> Response:
    """One subscription."""
    choose(request, (JSON,))
    only(request, "subscriber")
    return JSONResponse(as_json(await _found(request, who, service)))


async def replaced(request: Request, who: Identity, service: Service) -> Response:
    """Another document under the same id; a webhook keeps its secret where none is given.

    All of it is replaced: one that was paused is active again, unless the document says otherwise.
    """
    choose(request, (JSON,))
    before = await _found(request, who, service)
    wish = await _wish(request, service)
    if wish.id not in (None, before.id):
        raise ProblemError(
            400, "unreadable-subscription", "the id cannot be changed", hint="leave it out, or create another"
        )
    _check_subscriber(wish, before.subscriber)

    def work() -> SubscriptionRecord:
        return service.broker.replace(
            before.subscriber, before.id, wish.pattern, wish.delivery, tenant=before.tenant,
            format=wish.format, throttling=wish.throttling, expires_at=wish.expires_at, paused=not wish.is_active,
            injective=wish.injective, syntax=wish.syntax,
        )  # fmt: skip

    return JSONResponse(as_json(await service.changing.run(work)))


async def change(request: Request, who: Identity, service: Service) -> Response:
    """`isActive`, `expiresAt` and `throttling` alone, as a merge patch: null takes the value away."""
    choose(request, (JSON,))
    only(request, "subscriber")
    media_type(request, _PATCH)
    subscriber, identifier = owner(request, who), request.path_params["id"]
    patch = patch_of(object_of(await read_body(request, _BODY, service.settings.http.body_seconds)))

    def work() -> SubscriptionRecord:
        return service.broker.adjust(subscriber, identifier, tenant=who.tenant, **patch)

    return JSONResponse(as_json(await service.changing.run(work)))


async def remove(request: Request, who: Identity, service: Service) -> Response:
    """End a subscription, with what waits for it and its dead letters."""
    only(request, "subscriber")
    before = await _found(request, who, service)
    await service.changing.run(service.broker.unsubscribe, before.subscriber, before.id, tenant=before.tenant)
    return Response(status_code=204)


async def _found(request: Request, who: Identity, service: Service) -> SubscriptionRecord:
    return await service.asking.run(
        service.broker.subscription, owner(request, who), request.path_params["id"], tenant=who.tenant
    )


def _check_subscriber(wish: Wish, subscriber: str) -> None:
    """A document that was read names its subscriber; an admin who sends another's shall not get it as its own."""
    if wish.subscriber not in (None, subscriber):
        detail = f"the document is of another subscriber than {subscriber!r}"
        raise ProblemError(400, "unreadable-subscription", detail, hint="leave it out, or add ?subscriber= as an admin")


async def _wish(request: Request, service: Service) -> Wish:
    """What the client asks for: a document, or a pattern with the rest in the query."""
    kind = media_type(request, PATTERN_TYPES)
    body = await read_body(request, _BODY, service.settings.http.body_seconds)
    if kind == JSON:
        only(request, "subscriber")
        return wish_of(object_of(body))
    only(request, "subscriber", "id", "format", "throttling", "expiresAt", "injective")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise ProblemError(400, "unreadable-subscription", "the pattern is no UTF-8", hint="send UTF-8") from None
    given: dict[str, Any] = {"pattern": text.replace("\0", " "), "syntax": "sparql" if kind == SPARQL else "statements"}
    query = request.query_params
    for name in ("id", "expiresAt"):
        if name in query:
            given[name] = query[name]
    if "throttling" in query:
        given["throttling"] = number(request, "throttling", 0)
    if "injective" in query:
        given["injective"] = _truth(query["injective"])
    if "format" in query:
        given["notification"] = {"format": query["format"]}
    return wish_of(given)


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ProblemError(400, "bad-query", f"injective is {text[:20]!r}", hint="write true or false")
    return text == "true"
