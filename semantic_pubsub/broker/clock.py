"""Time as the broker sees it; tests put a clock of their own in its place."""

from __future__ import annotations

import asyncio
import contextlib
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from asyncio import Event

__all__ = ["Clock", "SystemClock", "written_time"]


class Clock(Protocol):
    """The two questions that are asked of time."""

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    async def wait(self, event: Event, seconds: float | None) -> None:
        """Return when the event is set or that many seconds have passed (never, for None)."""
        ...


class SystemClock:
    """The computer's own clock."""

    def now(self) -> float:
        return time.time()

    async def wait(self, event: Event, seconds: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)


def written_time(seconds: float) -> str:
    """Seconds since 1970 as texts for others have them: ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
