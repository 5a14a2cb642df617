"""`POST /explain`: why an event matches a subscription or not, as JSON or text; nothing is published."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, PlainTextResponse, Response

from semantic_pubsub.broker.http.bodies import object_of, read_body
from semantic_pubsub.broker.http.event_bodies import format_of
from semantic_pubsub.broker.http.negotiation import JSON, RDF_SYNTAXES, TEXT, choose, media_type
from semantic_pubsub.broker.http.owners import owner
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.http.queries import only

if TYPE_CHECKING:
    from starlette.requests import Request

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service
    from semantic_pubsub.matching import Explanation

__all__ = ["EXPLAIN_TYPES", "explain"]

EXPLAIN_TYPES: Final = (*RDF_SYNTAXES, JSON)
_MEMBERS: Final = {"subscription", "event", "format"}


async def explain(request: Request, who: Identity, service: Service) -> Response:
    """An event as RDF with `?subscription=id`, or `{"subscription": …, "event": text, "format": …}`.

    Explaining costs more than matching: it is limited in rate, size and time, and has one thread for all.
    """
    answer = choose(request, (JSON, TEXT))
    kind = media_type(request, EXPLAIN_TYPES)
    only(request, "subscription", "subscriber")
    subscriber = owner(request, who)
    service.explain_rate.take((who.tenant, who.subject))
    http = service.settings.http
    body = await read_body(request, http.explain_bytes, http.body_seconds)
    event: str | bytes = body
    if kind == JSON:
        identifier, event, syntax = _asked(object_of(body))
    else:
        identifier, syntax = request.query_params.get("subscription", ""), format_of(kind)
    if not identifier:
        raise ProblemError(400, "bad-query", "no subscription is named", hint="add ?subscription=<id>")

    def work() -> tuple[Explanation, str]:
        found = service.broker.explain(event, subscriber, identifier, syntax, tenant=who.tenant)
        return found, str(found)

    try:
        async with asyncio.timeout(http.explain_seconds):
            explanation, text = await service.explaining.run(work)
    except TimeoutError:
        detail = f"the explanation took longer than {http.explain_seconds:g} s"
        headers = {"retry-after": "60"}
        raise ProblemError(503, "busy", detail, hint="try a smaller event or pattern", headers=headers) from None
    if answer == TEXT:
        return PlainTextResponse(text + "\n")
    return JSONResponse({**explanation.to_json(), "text": text})


def _asked(document: dict[str, Any]) -> tuple[str, str, str]:
    if document.keys() - _MEMBERS or not all(isinstance(value, str) for value in document.values()):
        hint = 'send {"subscription": id, "event": text, "format": "turtle"}'
        raise ProblemError(
            400, "unreadable-json", "the members are subscription, event and format, all texts", hint=hint
        )
    return document.get("subscription", ""), document.get("event", ""), document.get("format", "turtle")
