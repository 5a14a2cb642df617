"""What goes wrong, as problem details (RFC 9457): what it is, where, and what to do."""

from __future__ import annotations

import json
import logging
import math
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from semantic_pubsub.broker.errors import (
    BusyError,
    ClosedError,
    ConflictError,
    LimitError,
    StoreError,
    StoreFullError,
    TargetError,
    UnknownSubscriptionError,
)
from semantic_pubsub.errors import (
    EventError,
    OntologyError,
    SemanticPubSubError,
    SubscriptionError,
    ValidationError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MEDIA_TYPE", "ProblemError", "problem_of"]

MEDIA_TYPE: Final = "application/problem+json"
_TYPE: Final = "urn:semantic-pubsub:problem:"
_log = logging.getLogger(__name__)

# The first class that fits decides; what is below another stands before it.
_ERRORS: Final[dict[type[SemanticPubSubError], tuple[int, str]]] = {
    ValidationError: (422, "invalid-event"),
    EventError: (400, "unreadable-event"),
    SubscriptionError: (400, "unreadable-subscription"),
    OntologyError: (400, "unknown-name"),
    UnknownSubscriptionError: (404, "not-found"),
    ConflictError: (409, "conflict"),
    LimitError: (413, "beyond-limits"),
    TargetError: (400, "refused-target"),
    StoreFullError: (503, "store-full"),
    BusyError: (503, "busy"),
    ClosedError: (503, "closing"),
    StoreError: (500, "store-failed"),
}
_HINTS: Final = {
    "invalid-event": "correct the event as the report says",
    "unreadable-event": "correct the event",
    "unreadable-subscription": "correct the pattern",
    "unknown-name": "write the whole IRI",
}
"""Where an error says no more."""
_CLOSING_RETRY: Final = 5.0
_TELL: Final = "tell the operator when it was: the log has the cause"


class ProblemError(Exception):
    """An answer that is no success. `detail` says what is wrong, `hint` what to do about it."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        hint: str | None = None,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.hint = hint
        self.headers = dict(headers or {})
        self.members = members

    def as_json(self) -> dict[str, Any]:
        """The members of the problem document; what is unknown is left out."""
        found = {
            "type": _TYPE + self.kind,
            "title": self.kind.replace("-", " ").capitalize(),
            "status": self.status,
            "detail": self.detail,
            "hint": self.hint,
            **self.members,
        }
        return {name: value for name, value in found.items() if value is not None}

    def response(self) -> Response:
        """The problem as an answer."""
        body = json.dumps(self.as_json(), ensure_ascii=False).encode("utf-8", "replace")
        return Response(body, self.status, self.headers, MEDIA_TYPE)


def problem_of(error: Exception) -> ProblemError:
    """Any error as a problem; what nobody foresaw is logged, and the client learns no more than that."""
    if isinstance(error, ProblemError):
        return error
    for kind, (status, name) in _ERRORS.items():
        if isinstance(error, kind):
            return _known(error, status, name)
    _log.error("an error that nobody foresaw", exc_info=error)
    return ProblemError(500, "internal", "the broker failed", hint=_TELL)


def _known(error: SemanticPubSubError, status: int, name: str) -> ProblemError:
    if status == 500:
        _log.error("%s", error)
        return ProblemError(500, name, "the store failed", hint=_TELL)
    members: dict[str, Any] = {"source": error.source, "line": error.line, "column": error.column}
    headers = {}
    if isinstance(error, ValidationError):
        members["report"] = json.loads(error.report.to_json())
    if isinstance(error, OntologyError) and error.candidates:
        members["candidates"] = list(error.candidates)
    if status == 503:
        headers["retry-after"] = str(math.ceil(getattr(error, "retry_after", _CLOSING_RETRY)))
    return ProblemError(status, name, error.message, hint=error.hint or _HINTS.get(name), headers=headers, **members)
