"""Ways to push a delivery: a channel is two methods, and one entry in the table that the broker makes."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.broker.model import Delivery
    from semantic_pubsub.broker.registry import Standing

__all__ = ["CallbackChannel", "Channel", "DeliveryFailedError"]

_CALLBACK_THREADS: Final = 16


class DeliveryFailedError(Exception):
    """A delivery was not accepted; it may be tried again, after `retry_after` seconds if the receiver said so."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Channel(Protocol):
    """Where pushes go. What has one endpoint shares a queue; endpoints never wait for each other."""

    def endpoint(self, standing: Standing) -> str | None:
        """The name of the endpoint; None if nobody is there now."""
        ...

    async def send(self, standing: Standing, delivery: Delivery) -> None:
        """Return when it was accepted; anything else is a `DeliveryFailedError`."""
        ...

    async def close(self) -> None: ...


class CallbackChannel:
    """Calls functions of this process, each subscription's one after the other, on threads of their own.

    A function cannot be stopped. One that takes longer than a push may has failed, and is not called again before it
    has returned.
    """

    def __init__(self) -> None:
        self._inside: set[int] = set()
        self._threads = ThreadPoolExecutor(_CALLBACK_THREADS, "semantic-pubsub-callback")

    def endpoint(self, standing: Standing) -> str | None:
        return None if standing.function is None else f"callback {standing.number}"

    async def send(self, standing: Standing, delivery: Delivery) -> None:
        function = standing.function
        if function is None:
            raise DeliveryFailedError("there is no function for it; give one with attach()")
        if standing.number in self._inside:
            raise DeliveryFailedError("the function is still busy with the call before")
        self._inside.add(standing.number)
        call = self._threads.submit(_call, function, delivery)
        call.add_done_callback(lambda _: self._inside.discard(standing.number))
        await asyncio.wrap_future(call)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _call(function: Callable[[Delivery], object], delivery: Delivery) -> None:
    """Call it; whatever it raises, even SystemExit, is its own affair."""
    try:
        function(delivery)
    except BaseException as error:
        raise DeliveryFailedError(f"{type(error).__name__}: {error}") from error
