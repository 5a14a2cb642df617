"""Clients of a broker that serves: `Client` waits, `AsyncClient` is for asyncio (extra `serve`).

with Client("http://127.0.0.1:8080", key="sps_…") as client:
    client.subscribe("(_:H, ?1, (Selling, target, Computer))", id="computers")
    client.publish(turtle)
    for delivery in client.stream("computers"):
        print(delivery.event_id, delivery.bindings)  # acknowledged when the next one is asked for

What a broker refuses is an `ApiError` with its status, what is wrong, and what to do.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final, Self, TypedDict, TypeVar, Unpack

import httpx

from semantic_pubsub.broker import client_calls as calls
from semantic_pubsub.broker.client_calls import ApiError, ClientDelivery, ClientSubscription, Messages, checked
from semantic_pubsub.broker.model import UNCHANGED, Unchanged
from semantic_pubsub.errors import EventError
from semantic_pubsub.events.formats import format_named

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from semantic_pubsub.broker.client_calls import Call
    from semantic_pubsub.broker.model import Receipt
    from semantic_pubsub.subscriptions.model import Syntax

__all__ = ["ApiError", "AsyncClient", "Client", "ClientDelivery", "ClientSubscription", "Wishes"]

_T = TypeVar("_T")
_TIMEOUT: Final = 30.0
_SILENCE: Final = 60.0
_PAUSE: Final = 1.0
_GONE: Final = 404
_TRY_AGAIN: Final = (429, 502, 503, 504)


def _headers(key: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


class Wishes(TypedDict, total=False):
    """How a pattern is to be read and delivered; `expires_at` is a time in ISO 8601.

    `syntax` (`sparql` or `statements`) is seen from the text where it is not given, `injective` follows from it.
    """

    format: str
    webhook: str | None
    secret: str | None
    throttling: float
    expires_at: str | None
    paused: bool
    syntax: Syntax | None
    injective: bool | None


def _document(pattern: str, id: str | None, wishes: Wishes) -> dict[str, Any]:  # noqa: A002
    """A subscription as JSON; a TypeError for a wish that there is not, as for any other argument."""
    if unknown := wishes.keys() - Wishes.__optional_keys__:
        raise TypeError(f"unexpected arguments: {', '.join(sorted(unknown))}")
    notification: dict[str, Any] = {"format": wishes.get("format", "turtle")}
    if wishes.get("webhook") is not None:
        notification["endpoint"] = {"uri": wishes["webhook"], "secret": wishes.get("secret")}
    found = {
        "id": id,
        "pattern": pattern,
        "syntax": wishes.get("syntax"),
        "injective": wishes.get("injective"),
        "isActive": not wishes.get("paused", False),
        "throttling": wishes.get("throttling", 0.0),
        "expiresAt": wishes.get("expires_at"),
    }
    return {name: value for name, value in found.items() if value is not None} | {"notification": notification}


def _one_event(format: str) -> str:  # noqa: A002
    """The media type of a syntax in which one event is written; many would have many receipts."""
    syntax = format_named(format)
    if syntax.supports_datasets and "json" not in syntax.media_type:
        raise EventError(f"{format!r} holds many events", hint="publish them one by one, as turtle, nt, xml or json-ld")
    return syntax.media_type


def _wait(error: Exception) -> float:
    """Seconds until a stream is tried again; what will not get better is raised."""
    if isinstance(error, ApiError):
        if error.status not in _TRY_AGAIN:
            raise error
        return error.retry_after or _PAUSE
    return _PAUSE


class Client:
    """A client that waits for answers; may be shared by threads."""

    def __init__(self, url: str, *, key: str | None = None, transport: httpx.BaseTransport | None = None) -> None:
        self._http = httpx.Client(base_url=url, headers=_headers(key), timeout=_TIMEOUT, transport=transport)

    def publish(
        self,
        event: str | bytes,
        format: str = "turtle",  # noqa: A002
        *,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Publish one event. With an `idempotency_key` it may be repeated after a failure without harm."""
        return self._do(calls.publish(event, _one_event(format), idempotency_key))

    def subscribe(
        self,
        pattern: str,
        *,
        id: str | None = None,  # noqa: A002
        **wishes: Unpack[Wishes],
    ) -> ClientSubscription:
        """Subscribe to a pattern, by pull and stream or by a webhook; `warnings` may come with the answer."""
        return self._do(calls.subscribe(_document(pattern, id, wishes)))

    def replace(self, id: str, pattern: str, **wishes: Unpack[Wishes]) -> ClientSubscription:  # noqa: A002
        """Another pattern and other settings under the same id: all of them, as for a new one.

        Only a webhook's secret stays where none is given for the same URL.
        """
        return self._do(calls.replace(id, _document(pattern, None, wishes)))

    def adjust(
        self,
        id: str,  # noqa: A002
        *,
        throttling: float | Unchanged = UNCHANGED,
        expires_at: str | Unchanged | None = UNCHANGED,
        paused: bool | Unchanged = UNCHANGED,
    ) -> ClientSubscription:
        """Change what is given, all of it or nothing; with `expires_at=None` it never ends."""
        return self._do(calls.adjust(id, throttling, expires_at, paused))

    def subscription(self, id: str) -> ClientSubscription:  # noqa: A002
        """One of one's own subscriptions."""
        return self._do(calls.subscription(id))

    def subscriptions(self) -> Iterator[ClientSubscription]:
        """All of them."""
        after: int | None = 0
        while after is not None:
            page, after = self._do(calls.subscriptions(after))
            yield from page

    def pause(self, id: str) -> ClientSubscription:  # noqa: A002
        """Deliver nothing for a while; matches wait."""
        return self._do(calls.adjust(id, paused=True))

    def resume(self, id: str) -> ClientSubscription:  # noqa: A002
        """Deliver again."""
        return self._do(calls.adjust(id, paused=False))

    def unsubscribe(self, id: str) -> None:  # noqa: A002
        """End a subscription with all that waits for it."""
        self._do(calls.unsubscribe(id))

    def pull(self, id: str | None = None, *, after: int | None = None, limit: int = 100) -> list[ClientDelivery]:  # noqa: A002
        """What waits for one subscription, or for all; `after` is for one."""
        return self._do(calls.pull(id, after, limit))

    def ack(self, delivery: ClientDelivery) -> None:
        """This delivery, and all before it of its subscription, are done."""
        self._do(calls.ack(delivery.subscription_id, delivery.position))

    def stream(self, id: str | None = None, *, again: bool = True) -> Iterator[ClientDelivery]:  # noqa: A002
        """Deliveries as they come, of one subscription or of all, without end.

        Each is acknowledged when the next one is asked for. A broken connection is made `again`; what was not
        acknowledged comes again.
        """
        while True:
            pause = _PAUSE
            try:
                for delivery in self._stream(calls.stream_path(id)):
                    yield delivery
                    self._done(delivery)
            except (httpx.TransportError, ApiError) as error:
                if not again:
                    raise
                pause = _wait(error)
            if not again:
                return
            time.sleep(pause)

    def dead_letters(self, *, after: int = 0) -> list[dict[str, Any]]:
        """A page of what was given up."""
        return self._do(calls.dead_letters(after))

    def replay(self, number: int) -> int:
        """Deliver a dead letter again; gives its new position."""
        return self._do(calls.replay(number))

    def discard(self, number: int) -> None:
        """Forget a dead letter."""
        self._do(calls.discard(number))

    def explain(self, event: str | bytes, id: str, format: str = "turtle") -> dict[str, Any]:  # noqa: A002
        """Why an event matches a subscription or not; `text` has it in words."""
        return self._do(calls.explain(event, id, format_named(format).media_type))

    def close(self) -> None:
        """Let go of connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, call: Call[_T]) -> _T:
        response = self._http.request(
            call.method, call.path, params=dict(call.params), headers=dict(call.headers), content=call.content
        )
        return checked(call, response)

    def _done(self, delivery: ClientDelivery) -> None:
        try:
            self.ack(delivery)
        except ApiError as error:
            if error.status != _GONE:  # the subscription ended meanwhile
                raise

    def _stream(self, path: str) -> Iterator[ClientDelivery]:
        messages = Messages()
        with self._http.stream("GET", path, timeout=httpx.Timeout(_TIMEOUT, read=_SILENCE)) as response:
            if not response.is_success:
                response.read()
                raise calls.error_of(response)
            for line in response.iter_lines():
                delivery = messages.line(line)
                if delivery is not None:
                    yield delivery


class AsyncClient:
    """The same for asyncio."""

    def __init__(self, url: str, *, key: str | None = None, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._http = httpx.AsyncClient(base_url=url, headers=_headers(key), timeout=_TIMEOUT, transport=transport)

    async def publish(
        self,
        event: str | bytes,
        format: str = "turtle",  # noqa: A002
        *,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Publish one event. With an `idempotency_key` it may be repeated after a failure without harm."""
        return await self._do(calls.publish(event, _one_event(format), idempotency_key))

    async def subscribe(
        self,
        pattern: str,
        *,
        id: str | None = None,  # noqa: A002
        **wishes: Unpack[Wishes],
    ) -> ClientSubscription:
        """Subscribe to a pattern, by pull and stream or by a webhook; `warnings` may come with the answer."""
        return await self._do(calls.subscribe(_document(pattern, id, wishes)))

    async def replace(self, id: str, pattern: str, **wishes: Unpack[Wishes]) -> ClientSubscription:  # noqa: A002
        """Another pattern and other settings under the same id: all of them, as for a new one.

        Only a webhook's secret stays where none is given for the same URL.
        """
        return await self._do(calls.replace(id, _document(pattern, None, wishes)))

    async def adjust(
        self,
        id: str,  # noqa: A002
        *,
        throttling: float | Unchanged = UNCHANGED,
        expires_at: str | Unchanged | None = UNCHANGED,
        paused: bool | Unchanged = UNCHANGED,
    ) -> ClientSubscription:
        """Change what is given, all of it or nothing; with `expires_at=None` it never ends."""
        return await self._do(calls.adjust(id, throttling, expires_at, paused))

    async def subscription(self, id: str) -> ClientSubscription:  # noqa: A002
        """One of one's own subscriptions."""
        return await self._do(calls.subscription(id))

    async def subscriptions(self) -> AsyncIterator[ClientSubscription]:
        """All of them."""
        after: int | None = 0
        while after is not None:
            page, after = await self._do(calls.subscriptions(after))
            for found in page:
                yield found

    async def pause(self, id: str) -> ClientSubscription:  # noqa: A002
        """Deliver nothing for a while; matches wait."""
        return await self._do(calls.adjust(id, paused=True))

    async def resume(self, id: str) -> ClientSubscription:  # noqa: A002
        """Deliver again."""
        return await self._do(calls.adjust(id, paused=False))

    async def unsubscribe(self, id: str) -> None:  # noqa: A002
        """End a subscription with all that waits for it."""
        await self._do(calls.unsubscribe(id))

    async def pull(
        self,
        id: str | None = None,  # noqa: A002
        *,
        after: int | None = None,
        limit: int = 100,
    ) -> list[ClientDelivery]:
        """What waits for one subscription, or for all; `after` is for one."""
        return await self._do(calls.pull(id, after, limit))

    async def ack(self, delivery: ClientDelivery) -> None:
        """This delivery, and all before it of its subscription, are done."""
        await self._do(calls.ack(delivery.subscription_id, delivery.position))

    async def stream(self, id: str | None = None, *, again: bool = True) -> AsyncIterator[ClientDelivery]:  # noqa: A002
        """Deliveries as they come, without end; see `Client.stream`."""
        while True:
            pause = _PAUSE
            try:
                async for delivery in self._stream(calls.stream_path(id)):
                    yield delivery
                    await self._done(delivery)
            except (httpx.TransportError, ApiError) as error:
                if not again:
                    raise
                pause = _wait(error)
            if not again:
                return
            await asyncio.sleep(pause)

    async def dead_letters(self, *, after: int = 0) -> list[dict[str, Any]]:
        """A page of what was given up."""
        return await self._do(calls.dead_letters(after))

    async def replay(self, number: int) -> int:
        """Deliver a dead letter again; gives its new position."""
        return await self._do(calls.replay(number))

    async def discard(self, number: int) -> None:
        """Forget a dead letter."""
        await self._do(calls.discard(number))

    async def explain(self, event: str | bytes, id: str, format: str = "turtle") -> dict[str, Any]:  # noqa: A002
        """Why an event matches a subscription or not; `text` has it in words."""
        return await self._do(calls.explain(event, id, format_named(format).media_type))

    async def close(self) -> None:
        """Let go of connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _do(self, call: Call[_T]) -> _T:
        response = await self._http.request(
            call.method, call.path, params=dict(call.params), headers=dict(call.headers), content=call.content
        )
        return checked(call, response)

    async def _done(self, delivery: ClientDelivery) -> None:
        try:
            await self.ack(delivery)
        except ApiError as error:
            if error.status != _GONE:  # the subscription ended meanwhile
                raise

    async def _stream(self, path: str) -> AsyncIterator[ClientDelivery]:
        messages = Messages()
        async with self._http.stream("GET", path, timeout=httpx.Timeout(_TIMEOUT, read=_SILENCE)) as response:
            if not response.is_success:
                await response.aread()
                raise calls.error_of(response)
            async for line in response.aiter_lines():
                delivery = messages.line(line)
                if delivery is not None:
                    yield delivery
