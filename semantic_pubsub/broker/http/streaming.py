"""Server-Sent Events: deliveries as they come, with `id:` to resume from."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from starlette.responses import StreamingResponse

from semantic_pubsub.broker.errors import UnknownSubscriptionError
from semantic_pubsub.broker.http.negotiation import choose
from semantic_pubsub.broker.http.owners import owner
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.http.queries import cursor, only

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service
    from semantic_pubsub.broker.model import Delivery

__all__ = ["stream", "stream_all"]

_EVENTS: Final = "text/event-stream"
_RETRY: Final = 2_000
_ACKNOWLEDGE: Final = ("client", "sent")


async def stream(request: Request, who: Identity, service: Service) -> Response:
    """The deliveries of one subscription. To resume after a position is to acknowledge what is before it."""
    how = _acknowledging(request)
    identifier = request.path_params["id"]
    after = cursor(request)
    subscriber = owner(request, who)
    if after is not None:
        await service.asking.run(service.broker.ack, subscriber, after, subscription=identifier, tenant=who.tenant)
    return _response(request, who, service, how, subscriber, identifier, after)


async def stream_all(request: Request, who: Identity, service: Service) -> Response:
    """The deliveries of all pull subscriptions, from what is not acknowledged on, or from the position if earlier."""
    how = _acknowledging(request)
    return _response(request, who, service, how, owner(request, who), None, cursor(request))


def _acknowledging(request: Request) -> str:
    """Who acknowledges: the client, or we as we send. Checks the rest of the request, too."""
    if request.method == "HEAD":  # its body reaches nobody, and would be acknowledged as sent
        raise ProblemError(405, "method-not-allowed", "a stream has no HEAD", hint="use GET", headers={"allow": "GET"})
    choose(request, (_EVENTS,))
    only(request, "after", "acknowledge", "subscriber")
    how = request.query_params.get("acknowledge", "client")
    if how not in _ACKNOWLEDGE:
        raise ProblemError(400, "bad-query", f"acknowledge is {how[:20]!r}", hint=f"one of {', '.join(_ACKNOWLEDGE)}")
    return how


def _response(
    request: Request,
    who: Identity,
    service: Service,
    how: str,
    subscriber: str,
    identifier: str | None,
    after: int | None,
) -> Response:
    place = (who.tenant, subscriber)
    most = service.settings.http.streams_per_subscriber
    if service.streams.get(place, 0) >= most:
        hint = "close one; one stream can carry all subscriptions"
        headers = {"retry-after": "5"}
        raise ProblemError(
            429, "too-many-streams", f"a subscriber has at most {most} streams", hint=hint, headers=headers
        )
    deliveries = service.broker.deliveries(
        subscriber, subscription=identifier, after=after, acknowledge=how == "sent", tenant=who.tenant
    )
    valid = _Validity(request.headers.get("authorization"), who, service, subscriber, identifier)
    body = _counted(service, place, _lines(deliveries, service, valid))
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(body, 200, headers, _EVENTS)


class _Validity:
    """Whether a stream may go on: the key is still good, and the subscription still there."""

    def __init__(
        self, authorization: str | None, who: Identity, service: Service, subscriber: str, identifier: str | None
    ) -> None:
        self._authorization = authorization
        self._who = who
        self._service = service
        self._subscriber = subscriber
        self._identifier = identifier

    async def holds(self) -> bool:
        """Ask again."""
        door, broker = self._service.door, self._service.broker
        try:
            now = await self._service.knocking.run(door.identify, self._authorization)
            if self._identifier is not None:
                await self._service.asking.run(
                    broker.subscription, self._subscriber, self._identifier, tenant=self._who.tenant
                )
        except UnknownSubscriptionError:
            return False
        except ProblemError as problem:
            return problem.status == 503  # too busy to look: next time
        return (now.tenant, now.subject, now.roles) == (self._who.tenant, self._who.subject, self._who.roles)


async def _counted(service: Service, place: tuple[str, str], lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    service.streams[place] = service.streams.get(place, 0) + 1
    try:
        async for line in lines:
            yield line
    finally:
        service.streams[place] -= 1
        if not service.streams[place]:
            del service.streams[place]


async def _lines(deliveries: AsyncIterator[Delivery], service: Service, valid: _Validity) -> AsyncIterator[bytes]:
    """Deliveries and heartbeats, until the broker stops or the client may no longer see them."""
    heartbeat = service.settings.http.heartbeat_seconds
    stopping = asyncio.ensure_future(service.stopping.wait())
    coming: asyncio.Task[Delivery] | None = None
    checked = service.clock.now()
    try:
        yield b"retry: %d\n\n" % _RETRY
        while not stopping.done():
            coming = coming or asyncio.ensure_future(_next(deliveries))
            await asyncio.wait((coming, stopping), timeout=heartbeat, return_when=asyncio.FIRST_COMPLETED)
            if service.clock.now() - checked >= heartbeat:
                checked = service.clock.now()
                if not await valid.holds():
                    return
            if coming.done():
                delivery = coming.result()
                coming = None
                service.metrics.count("streamed")
                yield _message(delivery)
            elif not stopping.done():
                yield b": still here\n\n"
    except StopAsyncIteration:  # the broker was closed
        return
    finally:
        stopping.cancel()
        service.later(_end(coming, deliveries))  # this task may be cancelled, and again wherever it waits


async def _next(deliveries: AsyncIterator[Delivery]) -> Delivery:
    return await anext(deliveries)


async def _end(coming: asyncio.Task[Delivery] | None, deliveries: AsyncIterator[Delivery]) -> None:
    if coming is not None:
        coming.cancel()
        with suppress(asyncio.CancelledError, StopAsyncIteration):
            await coming
    await deliveries.aclose()  # type: ignore[attr-defined]


def _message(delivery: Delivery) -> bytes:
    data = json.dumps(delivery.as_json(), separators=(",", ":"))  # in ASCII: readers differ in what ends a line
    return f"id: {delivery.position}\nevent: match\ndata: {data}\n\n".encode()
