"""Generated events of which some need the graph: an offer of two things whose properties the pairs mix up."""

from __future__ import annotations

import json

from semantic_pubsub import Event
from semantic_pubsub.spark.generate import event_text

__all__ = ["offer", "offer_quads"]

_EVERY = 5
_ELSEWHERE = 1_000_000


def offer(seed: int, number: int) -> str:
    """Event `number` as a line of JSON-LD; every fifth one has two targets."""
    text = event_text(seed, number)
    if number % _EVERY:
        return text
    event, other = json.loads(text), json.loads(event_text(seed, _ELSEWHERE + number))
    event["target"] = [event["target"], other["target"]]
    return json.dumps(event)


def offer_quads(seed: int, number: int) -> str:
    """The same event as N-Quads."""
    text = offer(seed, number)
    return Event.parse(text, "json-ld", id=json.loads(text)["@id"]).to_text("nquads")
