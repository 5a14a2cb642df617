"""HTTP/1.1 with an end to patience: a connection that does not get its headers out in time is closed.

uvicorn waits for the first byte, and for the last header, for as long as a client likes; connections are counted, so
a few hundred idle ones would keep everybody else out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

__all__ = ["PatientProtocol", "with_patience"]


class PatientProtocol(H11Protocol):
    """The time runs from the connection, and from the first byte of each further request."""

    header_seconds: ClassVar[float] = 10.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """Stop it when a request is complete enough to be answered."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._deadline is None:
            self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._stop()
        super().connection_lost(exc)

    def _start(self) -> None:
        self._deadline = self.loop.call_later(self.header_seconds, self._give_up)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


def with_patience(seconds: float) -> type[Any]:
    """The protocol with a time of its own."""
    return type("PatientProtocol", (PatientProtocol,), {"header_seconds": seconds})
