"""`POST /events`: events in, receipts out, when they are on disk."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from starlette.responses import JSONResponse, Response

from semantic_pubsub.broker.http.bodies import read_body
from semantic_pubsub.broker.http.event_bodies import EVENT_TYPES, arrivals
from semantic_pubsub.broker.http.negotiation import JSON, RDF_SYNTAXES, choose, media_type
from semantic_pubsub.broker.http.problems import MEDIA_TYPE, ProblemError, problem_of
from semantic_pubsub.broker.http.queries import only
from semantic_pubsub.errors import EventError, ValidationError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from starlette.requests import Request

    from semantic_pubsub.broker.http.event_bodies import Arrival
    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service
    from semantic_pubsub.broker.model import Receipt

__all__ = ["publish"]

_LONGEST_KEY: Final = 256
_MANY: Final = ("application/trig", "application/n-quads", "application/cloudevents-batch+json")


class _Sent(NamedTuple):
    """A request that has arrived; `key` is its Idempotency-Key."""

    kind: str
    headers: dict[str, str]
    body: bytes
    key: str | None


class _Begun(NamedTuple):
    """An event that was matched and is on its way to the disk."""

    future: Future[Receipt]
    matching: float
    matched: float


async def publish(request: Request, who: Identity, service: Service) -> Response:
    """One event, or the events of a dataset or batch, each for itself."""
    answer = choose(request, (JSON, MEDIA_TYPE, *RDF_SYNTAXES))
    only(request)
    binary = (JSON,) if "ce-id" in request.headers else ()
    kind = media_type(request, (*EVENT_TYPES, *binary))
    key = _key(request)
    http, limits = service.settings.http, service.broker.limits.event
    most = http.body_bytes if kind in _MANY else min(http.body_bytes, 2 * limits.bytes)
    body = await read_body(request, most, http.body_seconds)
    sent = _Sent(kind, dict(request.headers), body, key)
    if kind not in _MANY:
        try:
            receipt = await _finish(await service.publishing.run(_one, sent, who, service), service)
        except ValidationError as error:
            service.metrics.count("refused")
            return _report(error, answer)
        except Exception:
            service.metrics.count("refused")
            raise
        return JSONResponse(_receipt(receipt), 200 if receipt.repeated else 201)
    return await _many(await service.publishing.run(_listed, sent, service), who, service)


async def _many(found: list[Arrival], who: Identity, service: Service) -> Response:
    """Each event has a result or a problem; 201 if all are accepted, 207 if some, else the first one's problem."""
    begun: list[_Begun | Exception] = []
    for arrival in found:  # one after the other, in their order; they share the way to the disk
        try:
            begun.append(await _begin(arrival, who, service))
        except Exception as error:
            begun.append(error)
    entries: list[dict[str, Any]] = []
    problems: list[ProblemError] = []
    for arrival, one in zip(found, begun, strict=True):
        try:
            entries.append(_receipt(await _finish(one, service)))
        except Exception as error:
            service.metrics.count("refused")
            problems.append(problem_of(error))
            entries.append({"event": arrival.id, "problem": problems[-1].as_json()})
    if len(problems) == len(entries):
        problems[0].members["events"] = entries
        return problems[0].response()
    body = {"accepted": len(entries) - len(problems), "refused": len(problems), "events": entries}
    return JSONResponse(body, 207 if problems else 201)


def _listed(sent: _Sent, service: Service) -> list[Arrival]:
    most = service.settings.http.events_per_request
    found: list[Arrival] = []
    for arrival in arrivals(sent.kind, sent.headers, sent.body, service.broker.limits.event, sent.key):
        found.append(arrival)
        if len(found) > most:
            raise ProblemError(413, "too-many-events", f"holds more than {most:,} events", hint="send them in parts")
    if not found:
        raise ProblemError(400, "unreadable-event", "holds no event", hint="send at least one")
    return found


def _one(sent: _Sent, who: Identity, service: Service) -> _Begun:
    """All that is done to a single event on a thread, in one go."""
    return _match(_listed(sent, service)[0], who, service)


async def _begin(arrival: Arrival, who: Identity, service: Service) -> _Begun:
    return await service.publishing.run(_match, arrival, who, service)


async def _finish(begun: _Begun | Exception, service: Service) -> Receipt:
    """Wait for the disk."""
    if isinstance(begun, Exception):
        raise begun
    receipt = await asyncio.wrap_future(begun.future)
    metrics = service.metrics
    metrics.published(begun.matching, time.perf_counter() - begun.matched)
    if receipt.repeated:
        metrics.count("repeated")
    else:
        metrics.count("events")
        metrics.count("matches", receipt.matches)
        metrics.count("undecided", receipt.undecided)
    return receipt


def _match(arrival: Arrival, who: Identity, service: Service) -> _Begun:
    """Parse, validate and match; what is begun is the way to the disk. A key counts for its publisher alone."""
    started = time.perf_counter()
    if isinstance(arrival.event, (EventError, ProblemError)):
        raise arrival.event
    key = None
    if arrival.key is not None:
        key = hashlib.sha256(json.dumps([who.subject, *arrival.key]).encode("utf-8", "surrogatepass")).hexdigest()
    future = service.broker.publish_soon(
        arrival.event,
        arrival.format,
        tenant=who.tenant,
        id=arrival.id,
        idempotency_key=key,
        fingerprint=arrival.fingerprint,
    )
    matched = time.perf_counter()
    return _Begun(future, matched - started, matched)


def _receipt(receipt: Receipt) -> dict[str, Any]:
    return {
        "event": receipt.event_id,
        "matches": receipt.matches,
        "undecided": receipt.undecided,
        "repeated": receipt.repeated,
    }


def _report(error: ValidationError, answer: str) -> Response:
    """The SHACL report in the syntax asked for: problem details or RDF."""
    if answer not in RDF_SYNTAXES:
        return problem_of(error).response()
    text: bytes = error.report.graph.serialize(format=RDF_SYNTAXES[answer], encoding="utf-8")
    return Response(text, 422, media_type=answer)


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not (0 < len(key) <= _LONGEST_KEY and key.isprintable()):
        detail = f"an Idempotency-Key has 1 to {_LONGEST_KEY} printable characters"
        raise ProblemError(400, "bad-idempotency-key", detail, hint="take a UUID")
    return key
