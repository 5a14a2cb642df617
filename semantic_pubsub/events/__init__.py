"""Events: RDF texts and files to small graphs with one home vertex, checked by SHACL where asked."""

from __future__ import annotations

from semantic_pubsub.events.files import events_from
from semantic_pubsub.events.limits import Limits
from semantic_pubsub.events.model import Event

__all__ = ["Event", "Limits", "events_from"]
