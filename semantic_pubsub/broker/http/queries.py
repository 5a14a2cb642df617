"""Numbers and names in the query of a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.broker.http.problems import ProblemError

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["cursor", "number", "only"]

_LARGEST = 2**62


def number(request: Request, name: str, default: int, *, least: int = 0, most: int = _LARGEST) -> int:
    """A number between bounds."""
    text = request.query_params.get(name)
    return default if text is None else _number(text, name, least, most)


def cursor(request: Request) -> int | None:
    """The position to go on after: `Last-Event-ID`, else `after`, else none."""
    header = request.headers.get("last-event-id")
    if header is not None:
        return _number(header, "Last-Event-ID", 0, _LARGEST)
    text = request.query_params.get("after")
    return None if text is None else _number(text, "after", 0, _LARGEST)


def only(request: Request, *names: str) -> None:
    """Refuse what has no meaning here, so that nobody thinks it had one."""
    for name in request.query_params:
        if name not in names:
            hint = f"known are {', '.join(names)}" if names else "leave it out"
            raise ProblemError(400, "bad-query", f"there is no parameter {name[:60]!r}", hint=hint)


def _number(text: str, name: str, least: int, most: int) -> int:
    if text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most:
        return int(text)
    raise ProblemError(400, "bad-query", f"{name} is {text[:40]!r}", hint=f"write a number from {least} to {most}")
