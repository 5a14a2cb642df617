"""From the body of a request to the events in it: RDF in all syntaxes, one or many, and CloudEvents."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from semantic_pubsub.broker.http.bodies import json_value, object_of
from semantic_pubsub.broker.http.negotiation import JSON, RDF_SYNTAXES
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.errors import EventError
from semantic_pubsub.events.datasets import dataset_events_in
from semantic_pubsub.events.formats import format_named
from semantic_pubsub.events.parser import DEFAULT_BASE, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from semantic_pubsub.events import Event, Limits

__all__ = ["EVENT_TYPES", "Arrival", "arrivals", "format_of"]

_DATASETS: Final = {"application/trig": "trig", "application/n-quads": "nquads"}
_CLOUD: Final = "application/cloudevents+json"
_CLOUDS: Final = "application/cloudevents-batch+json"
_PLAIN: Final = {**RDF_SYNTAXES, JSON: "json-ld"}

EVENT_TYPES: Final = (*RDF_SYNTAXES, *_DATASETS, _CLOUD, _CLOUDS)
"""What `POST /events` reads; CloudEvents in binary mode have the type of their data."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One event of a request, or the error in its place. `key` is what makes a repetition known, if anything does."""

    event: Event | str | bytes | EventError | ProblemError
    format: str | None = None
    id: str | None = None
    key: tuple[str, ...] | None = None
    fingerprint: bytes | None = None


def format_of(media_type: str) -> str:
    """rdflib's name for the media type of one graph."""
    found = _PLAIN.get(media_type.split(";")[0].strip().lower())
    if found is None:
        hint = f"use one of: {', '.join(RDF_SYNTAXES)}"
        raise ProblemError(415, "unsupported-media-type", f"events are not read from {media_type[:100]!r}", hint=hint)
    return found


def arrivals(
    media_type: str, headers: Mapping[str, str], body: bytes, limits: Limits, key: str | None
) -> Iterator[Arrival]:
    """The events of a body. `key` is the Idempotency-Key."""
    given = ("key", key) if key is not None else None
    if media_type in _DATASETS:
        yield from _dataset(media_type, body, limits, given)
    elif media_type == _CLOUDS:
        for entry in _batch(body):
            try:
                found = _structured(entry, None)
            except ProblemError as problem:  # its own: the others are published
                found = Arrival(problem)
            yield found
    elif media_type == _CLOUD:
        yield _structured(object_of(body), given)
    elif "ce-specversion" in headers or "ce-id" in headers:
        yield _binary(media_type, headers, body, given)
    else:
        yield Arrival(body, format_of(media_type), key=given)


def _dataset(media_type: str, body: bytes, limits: Limits, key: tuple[str, ...] | None) -> Iterator[Arrival]:
    whole = hashlib.sha256(body).digest()
    reading = Reading(DEFAULT_BASE, limits=limits)
    try:
        for number, event in enumerate(dataset_events_in(body, format_named(media_type), reading)):
            if isinstance(event, EventError):
                yield Arrival(event)
                continue
            named = (
                event if event.id and ":" in event.id and not event.id.startswith("dataset") else event.with_id(None)
            )
            mine = (*key, str(number)) if key is not None else None
            yield Arrival(named, id=named.id, key=mine, fingerprint=hashlib.sha256(whole + b"%d" % number).digest())
    except EventError as error:  # what ends the reading
        yield Arrival(error)


def _batch(body: bytes) -> list[Any]:
    found = json_value(body)
    if not isinstance(found, list):
        raise ProblemError(400, "unreadable-json", "a batch of CloudEvents is a JSON array", hint="send […]")
    return found


def _structured(entry: Any, key: tuple[str, ...] | None) -> Arrival:
    if not isinstance(entry, dict):
        raise _bad_cloud("is no JSON object")
    kind = entry.get("datacontenttype", JSON)
    if not isinstance(kind, str):
        raise _bad_cloud("datacontenttype is a text")
    return _arrival(entry, kind, _data(entry), key)


def _data(entry: Mapping[str, Any]) -> str | bytes:
    if "data_base64" in entry:
        try:
            return base64.b64decode(entry["data_base64"], validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise _bad_cloud("data_base64 is no base64") from None
    data = entry.get("data")
    if isinstance(data, str):
        return data
    if isinstance(data, (dict, list)):
        return json.dumps(data)
    raise _bad_cloud("there is no data: an event's RDF, as text, or as JSON for JSON-LD")


def _binary(media_type: str, headers: Mapping[str, str], body: bytes, key: tuple[str, ...] | None) -> Arrival:
    names = ("specversion", "id", "source", "type")
    return _arrival({n: unquote(headers[f"ce-{n}"]) for n in names if f"ce-{n}" in headers}, media_type, body, key)


def _arrival(entry: Mapping[str, Any], kind: str, data: str | bytes, key: tuple[str, ...] | None) -> Arrival:
    for name in ("specversion", "id", "source", "type"):
        if not isinstance(entry.get(name), str) or not entry[name] or not entry[name].isprintable():
            raise _bad_cloud(f"the attribute {name} is missing or no text")
    if entry["specversion"] != "1.0":
        raise _bad_cloud(f"specversion is {entry['specversion'][:20]!r}")
    identifier = f"{entry['source']}#{entry['id']}"
    return Arrival(data, format_of(kind), identifier, key or ("cloudevent", entry["source"], entry["id"]))


def _bad_cloud(detail: str) -> ProblemError:
    return ProblemError(
        400, "unreadable-cloudevent", detail, hint="send a CloudEvent of version 1.0 with id, source, type"
    )
