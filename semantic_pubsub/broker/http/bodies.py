"""Request bodies: bounded in size while they arrive, and in time."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect

from semantic_pubsub.broker.http.negotiation import JSON, media_type
from semantic_pubsub.broker.http.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

__all__ = ["empty_body", "json_object", "json_value", "object_of", "read_body"]

_DEEPEST = 40


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """The whole body; a 413 as soon as it is too large, a 408 if it takes too long."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise ProblemError(415, "unsupported-encoding", "compressed bodies are not read", hint="send it as it is")
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > most:
        raise _too_large(most)
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise _too_large(most)
                chunks.append(chunk)
    except TimeoutError:
        hint = "send faster, or less"
        raise _closing(
            ProblemError(408, "too-slow", f"the body did not arrive within {seconds:g} s", hint=hint)
        ) from None
    except ClientDisconnect:
        raise ProblemError(400, "disconnected", "the client went away") from None
    return b"".join(chunks)


async def empty_body(request: Request, seconds: float) -> None:
    """Refuse a body where none has a meaning."""
    if await read_body(request, 0, seconds):
        raise _too_large(0)


async def json_object(request: Request, most: int, seconds: float) -> dict[str, Any]:
    """The body as a JSON object."""
    media_type(request, [JSON])
    return object_of(await read_body(request, most, seconds))


def object_of(body: bytes) -> dict[str, Any]:
    """Bytes as a JSON object."""
    found = json_value(body)
    if not isinstance(found, dict):
        raise ProblemError(400, "unreadable-json", "is no JSON object", hint="send {…}")
    return found


def json_value(body: bytes) -> Any:
    """Bytes as JSON of modest depth, whose texts can be stored."""
    try:
        found = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ProblemError(
            400, "unreadable-json", f"is no JSON: {str(error)[:200]}", hint="correct the document"
        ) from None
    if _depth(found) > _DEEPEST:
        raise ProblemError(400, "unreadable-json", f"is nested deeper than {_DEEPEST}", hint="send a flatter document")
    if any("\0" in text or not _is_text(text) for text in _texts(found)):
        raise ProblemError(
            400, "unreadable-json", "has characters that are no text", hint="leave out U+0000 and surrogates"
        )
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _is_text(text: str) -> bool:
    """Whether it has no half of a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _depth(value: Any) -> int:
    """How deep a document is nested, counted no further than it matters."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        depth += 1
        inner = [v for v in level if isinstance(v, (dict, list))]
        level = [w for v in inner for w in (v.values() if isinstance(v, dict) else v)]
    return depth


def _too_large(most: int) -> ProblemError:
    detail = f"the body has more than {most:,} bytes"
    return _closing(ProblemError(413, "too-large", detail, hint="send less, or ask the operator to raise the limit"))


def _closing(problem: ProblemError) -> ProblemError:
    """The rest of the body is not read, so the connection cannot be used again."""
    problem.headers["connection"] = "close"
    return problem
