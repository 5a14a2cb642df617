"""Pull: what waits, from a position on; and acknowledging it. Dead letters: list, replay, discard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response

from semantic_pubsub.broker.clock import written_time
from semantic_pubsub.broker.http.bodies import empty_body, json_object
from semantic_pubsub.broker.http.negotiation import JSON, choose
from semantic_pubsub.broker.http.owners import owner
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.http.queries import cursor, number, only

if TYPE_CHECKING:
    from starlette.requests import Request

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service
    from semantic_pubsub.broker.model import DeadLetter

__all__ = ["acknowledge", "dead_letters", "discard", "pull", "pull_all", "replay"]

_BODY = 4_096


async def pull(request: Request, who: Identity, service: Service) -> Response:
    """The next deliveries of one subscription: those after a position, else those not acknowledged."""
    choose(request, (JSON,))
    only(request, "after", "limit", "subscriber")
    return await _pull(request, who, service, request.path_params["id"], cursor(request))


async def pull_all(request: Request, who: Identity, service: Service) -> Response:
    """The next deliveries of all pull subscriptions that are not acknowledged."""
    choose(request, (JSON,))
    only(request, "limit", "subscriber")
    return await _pull(request, who, service, None, None)


async def _pull(
    request: Request, who: Identity, service: Service, subscription: str | None, after: int | None
) -> Response:
    limit = number(request, "limit", 100, least=1, most=service.broker.limits.pulled)

    subscriber = owner(request, who)

    def work() -> Response:
        found = service.broker.pull(subscriber, after=after, limit=limit, subscription=subscription, tenant=who.tenant)
        service.metrics.count("pulled", len(found))
        return JSONResponse({"deliveries": [delivery.as_json() for delivery in found]})

    return await service.asking.run(work)


async def acknowledge(request: Request, who: Identity, service: Service) -> Response:
    """Everything of one subscription up to a position is done; on disk when this answers."""
    only(request, "subscriber")
    body = await json_object(request, _BODY, service.settings.http.body_seconds)
    position = body.get("position")
    if body.keys() != {"position"} or not isinstance(position, int) or isinstance(position, bool):
        raise ProblemError(400, "unreadable-json", "there is no position", hint='send {"position": 17}')
    if not 0 <= position < 2**62:
        raise ProblemError(400, "unreadable-json", "the position is out of range", hint="send a delivery's position")
    await service.asking.run(
        service.broker.ack,
        owner(request, who),
        position,
        subscription=request.path_params["id"],
        tenant=who.tenant,
    )
    service.metrics.count("acknowledged")
    return Response(status_code=204)


async def dead_letters(request: Request, who: Identity, service: Service) -> Response:
    """A page of what was given up, oldest first; `next` leads to the rest."""
    choose(request, (JSON,))
    only(request, "after", "limit", "subscription", "subscriber")
    after, limit = number(request, "after", 0), number(request, "limit", 100, least=1, most=1_000)
    subscription = request.query_params.get("subscription")
    if subscription is not None and not subscription.isprintable():
        raise ProblemError(400, "bad-query", "subscription is no id", hint="name a subscription, or none")
    subscriber = owner(request, who)
    found = await service.asking.run(
        service.broker.dead_letters,
        subscriber,
        subscription=subscription,
        after=after,
        limit=limit + 1,
        tenant=who.tenant,
    )
    body: dict[str, Any] = {"deadLetters": [_letter(letter) for letter in found[:limit]]}
    if len(found) > limit:
        body["next"] = found[limit - 1].number
    return JSONResponse(body)


async def replay(request: Request, who: Identity, service: Service) -> Response:
    """Deliver a dead letter again, after what waits."""
    choose(request, (JSON,))
    only(request, "subscriber")
    await empty_body(request, service.settings.http.body_seconds)
    position = await service.asking.run(service.broker.replay, owner(request, who), _number(request), tenant=who.tenant)
    return JSONResponse({"position": position})


async def discard(request: Request, who: Identity, service: Service) -> Response:
    """Forget a dead letter."""
    only(request, "subscriber")
    await service.asking.run(service.broker.discard, owner(request, who), _number(request), tenant=who.tenant)
    return Response(status_code=204)


def _number(request: Request) -> int:
    text = request.path_params["number"]
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ProblemError(404, "not-found", f"there is no dead letter {text[:40]!r}", hint="list your dead letters")
    return int(text)


def _letter(letter: DeadLetter) -> dict[str, Any]:
    return {
        "number": letter.number,
        "subscription": letter.subscription_id,
        "event": letter.event_id,
        "position": letter.position,
        "reason": letter.reason,
        "attempts": letter.attempts,
        "diedAt": written_time(letter.died_at),
    }
