"""Whose subscriptions a request is about: the client's own, or for an admin those of another in its tenant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.http.problems import ProblemError

if TYPE_CHECKING:
    from starlette.requests import Request

    from semantic_pubsub.broker.http.identity import Identity

__all__ = ["everybody", "owner"]

_ALL: Final = "*"
_LONGEST: Final = 256


def owner(request: Request, who: Identity) -> str:
    """The subscriber; `?subscriber=` is for admins."""
    named = request.query_params.get("subscriber")
    if named is None or named == who.subject:
        return who.subject
    if "admin" not in who.roles:
        raise ProblemError(403, "forbidden", "other subscribers are an admin's business", hint="leave out subscriber=")
    if not named.isprintable() or not 0 < len(named) <= _LONGEST or named == _ALL:
        raise ProblemError(400, "bad-query", f"subscriber is {named[:40]!r}", hint="name one subscriber")
    return named


def everybody(request: Request, who: Identity) -> bool:
    """Whether an admin asks for all subscribers of its tenant."""
    return request.query_params.get("subscriber") == _ALL and "admin" in who.roles
