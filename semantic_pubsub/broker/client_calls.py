"""What the clients send and how they read the answers: each call once, for both of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import quote

from semantic_pubsub.broker.errors import BrokerError
from semantic_pubsub.broker.model import UNCHANGED, Receipt, Unchanged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import httpx

    from semantic_pubsub.broker.model import JsonBindings

__all__ = ["ApiError", "Call", "ClientDelivery", "ClientSubscription", "Messages", "checked"]

_T = TypeVar("_T")


class ApiError(BrokerError):
    """The broker answered with a problem; `problem` has all of it (RFC 9457), `retry_after` the seconds to wait."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        super().__init__(str(problem.get("detail") or f"answered {status}"), hint=problem.get("hint"))
        self.status = status
        self.problem = dict(problem)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class ClientDelivery:
    """An event that matched a subscription. Acknowledge `position` of `subscription_id` when it is done."""

    position: int
    subscription_id: str
    event_id: str
    format: str
    home: str
    event: str
    bindings: JsonBindings | None
    published_at: float

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> ClientDelivery:
        """From the broker's JSON."""
        event = document["event"]
        return cls(
            document["position"], document["subscription"], event["id"], event["format"], event["home"],
            event["data"], document.get("bindings"), datetime.fromisoformat(document["publishedAt"]).timestamp(),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClientSubscription:
    """A subscription as the broker has it; `document` is all of it.

    `warnings` about the pattern come when it is made or replaced, and only then.
    """

    id: str
    pattern: str
    is_active: bool
    status: str
    document: Mapping[str, Any] = field(repr=False)
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> ClientSubscription:
        """From the broker's JSON."""
        warnings = tuple(document.get("warnings", ()))
        return cls(document["id"], document["pattern"], document["isActive"], document["status"], document, warnings)


@dataclass(frozen=True, slots=True)
class Call(Generic[_T]):
    """A request, and what to make of its answer."""

    method: str
    path: str
    read: Callable[[Any], _T]
    params: Mapping[str, str | int] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


def publish(event: str | bytes, media_type: str, idempotency_key: str | None) -> Call[Receipt]:
    """`POST /events` with one event."""
    headers = {"content-type": media_type}
    if idempotency_key is not None:
        headers["idempotency-key"] = idempotency_key
    content = event.encode("utf-8") if isinstance(event, str) else event
    return Call("POST", "/events", _receipt, headers=headers, content=content)


def subscribe(document: Mapping[str, Any]) -> Call[ClientSubscription]:
    """`POST /subscriptions`."""
    return Call("POST", "/subscriptions", ClientSubscription.of, **_json(document))


def replace(identifier: str, document: Mapping[str, Any]) -> Call[ClientSubscription]:
    """`PUT /subscriptions/{id}`."""
    return Call("PUT", _at(identifier), ClientSubscription.of, **_json(document))


def adjust(
    identifier: str,
    throttling: float | Unchanged = UNCHANGED,
    expires_at: str | Unchanged | None = UNCHANGED,
    paused: bool | Unchanged = UNCHANGED,
) -> Call[ClientSubscription]:
    """`PATCH /subscriptions/{id}` with what is given."""
    active = paused if isinstance(paused, Unchanged) else not paused
    given = {"throttling": throttling, "expiresAt": expires_at, "isActive": active}
    patch = {name: value for name, value in given.items() if value is not UNCHANGED}
    return Call("PATCH", _at(identifier), ClientSubscription.of, **_json(patch))


def subscription(identifier: str) -> Call[ClientSubscription]:
    """`GET /subscriptions/{id}`."""
    return Call("GET", _at(identifier), ClientSubscription.of)


def subscriptions(after: int) -> Call[tuple[list[ClientSubscription], int | None]]:
    """`GET /subscriptions`: a page, and where the next one begins."""

    def read(body: Any) -> tuple[list[ClientSubscription], int | None]:
        return [ClientSubscription.of(document) for document in body["subscriptions"]], body.get("next")

    return Call("GET", "/subscriptions", read, params={"after": after, "limit": 1_000})


def unsubscribe(identifier: str) -> Call[None]:
    """`DELETE /subscriptions/{id}`."""
    return Call("DELETE", _at(identifier), _nothing)


def pull(identifier: str | None, after: int | None, limit: int) -> Call[list[ClientDelivery]]:
    """`GET …/deliveries` of one subscription or all."""
    params = {"limit": limit} if after is None else {"limit": limit, "after": after}
    path = "/deliveries" if identifier is None else _at(identifier) + "/deliveries"
    return Call("GET", path, lambda body: [ClientDelivery.of(d) for d in body["deliveries"]], params=params)


def ack(identifier: str, position: int) -> Call[None]:
    """`POST /subscriptions/{id}/ack`."""
    return Call("POST", _at(identifier) + "/ack", _nothing, **_json({"position": position}))


def dead_letters(after: int) -> Call[list[dict[str, Any]]]:
    """`GET /dead-letters`."""
    return Call("GET", "/dead-letters", lambda body: list(body["deadLetters"]), params={"after": after})


def replay(number: int) -> Call[int]:
    """`POST /dead-letters/{number}/replay`."""
    return Call("POST", f"/dead-letters/{number}/replay", lambda body: int(body["position"]))


def discard(number: int) -> Call[None]:
    """`DELETE /dead-letters/{number}`."""
    return Call("DELETE", f"/dead-letters/{number}", _nothing)


def explain(event: str | bytes, identifier: str, media_type: str) -> Call[dict[str, Any]]:
    """`POST /explain`."""
    content = event.encode("utf-8") if isinstance(event, str) else event
    headers = {"content-type": media_type}
    return Call("POST", "/explain", dict, params={"subscription": identifier}, headers=headers, content=content)


def stream_path(identifier: str | None) -> str:
    """Where the stream of one subscription or all is."""
    return "/stream" if identifier is None else _at(identifier) + "/stream"


def checked(call: Call[_T], response: httpx.Response) -> _T:
    """The answer as the call reads it, or the ApiError in it."""
    if not response.is_success:
        raise error_of(response)
    return call.read(response.json() if response.content else None)


def error_of(response: httpx.Response) -> ApiError:
    """What an answer that is no success says; it has been read."""
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    after = response.headers.get("retry-after", "")
    wait = float(after) if after.isascii() and after.isdigit() else None
    return ApiError(response.status_code, problem if isinstance(problem, dict) else {}, wait)


class Messages:
    """Lines of Server-Sent Events to deliveries."""

    def __init__(self) -> None:
        self._data: list[str] = []

    def line(self, line: str) -> ClientDelivery | None:
        """Take one line; gives the delivery that it completes."""
        if line.startswith("data:"):
            self._data.append(line.removeprefix("data:").removeprefix(" "))
        if line or not self._data:
            return None
        text, self._data = "\n".join(self._data), []
        return ClientDelivery.of(json.loads(text))


def _json(document: Mapping[str, Any]) -> dict[str, Any]:
    content = json.dumps(document, ensure_ascii=False).encode("utf-8")
    return {"headers": {"content-type": "application/json"}, "content": content}


def _at(identifier: str) -> str:
    return f"/subscriptions/{quote(identifier, safe='')}"


def _receipt(body: Any) -> Receipt:
    return Receipt(body["event"], body["matches"], body["undecided"], body["repeated"])


def _nothing(_: object) -> None:
    return None
