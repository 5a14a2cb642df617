"""Events: RDF texts and files to small graphs with one home vertex, checked by SHACL where asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.events.files import events_from
from semantic_pubsub.events.limits import Limits
from semantic_pubsub.events.model import Event

if TYPE_CHECKING:
    from semantic_pubsub.events.report import ValidationReport
    from semantic_pubsub.events.validator import EventValidator

__all__ = ["Event", "EventValidator", "Limits", "ValidationReport", "events_from"]


def __getattr__(name: str) -> object:
    """`EventValidator` brings pyshacl, which takes a second to import: only when it is asked for."""
    if name == "EventValidator":
        from semantic_pubsub.events.validator import EventValidator

        return EventValidator
    if name == "ValidationReport":
        from semantic_pubsub.events.report import ValidationReport

        return ValidationReport
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
