"""Semantic Pub/Sub: route RDF events to graph-pattern subscriptions by meaning.

from semantic_pubsub import Event, Ontology, ReferenceMatcher, Subscription

matcher = ReferenceMatcher(Ontology.load("ontology/auction.ttl"))
matcher.add(Subscription.parse("(_:H, ?1, (Selling, target, Computer))", id="computers"))
matcher.match_ids(Event.load("examples/events/notebook.ttl"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.concepts import MetaStatement, Ontology
from semantic_pubsub.errors import (
    EventError,
    Notice,
    OntologyError,
    SemanticPubSubError,
    SubscriptionError,
    ValidationError,
)
from semantic_pubsub.events import Event, Limits, events_from
from semantic_pubsub.events.report import ValidationReport
from semantic_pubsub.matching import Explanation, Match, Matcher, ReferenceMatcher
from semantic_pubsub.subscriptions import Subscription, subscriptions_from

if TYPE_CHECKING:
    from semantic_pubsub.events.validator import EventValidator

__all__ = [
    "Event",
    "EventError",
    "EventValidator",
    "Explanation",
    "Limits",
    "Match",
    "Matcher",
    "MetaStatement",
    "Notice",
    "Ontology",
    "OntologyError",
    "ReferenceMatcher",
    "SemanticPubSubError",
    "Subscription",
    "SubscriptionError",
    "ValidationError",
    "ValidationReport",
    "events_from",
    "subscriptions_from",
]


def __getattr__(name: str) -> object:
    """`EventValidator` brings pyshacl, which takes a second to import: only when it is asked for."""
    if name == "EventValidator":
        from semantic_pubsub.events.validator import EventValidator

        return EventValidator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
