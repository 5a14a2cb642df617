"""What all requests that are being read and answered hold in memory together: so much, then 503."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from semantic_pubsub.broker.http.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.types import Message, Receive

__all__ = ["Luggage"]


class Luggage:
    """Bytes of bodies, counted as they arrive; used by one thread. Each request has a limit of its own besides."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0

    @contextmanager
    def of_one(self) -> Iterator[Callable[[Receive], Receive]]:
        """One request: gives what to wrap its `receive` in. Its bytes are free again at the end."""
        mine = 0

        def weighed(receive: Receive) -> Receive:
            async def weigh() -> Message:
                nonlocal mine
                message = await receive()
                size = len(message.get("body", b""))
                if self.held + size > self.most:
                    headers = {"retry-after": "1", "connection": "close"}
                    raise ProblemError(
                        503, "busy", "too much is being read already", hint="try again after 1 s", headers=headers
                    )
                mine += size
                self.held += size
                return message

            return weigh

        try:
            yield weighed
        finally:
            self.held -= mine
