"""Semantic Pub/Sub: route RDF events to graph-pattern subscriptions by meaning.

from semantic_pubsub import Event, Ontology, ReferenceMatcher, Subscription

matcher = ReferenceMatcher(Ontology.load("ontology/auction.ttl"))
matcher.add(Subscription.parse("(_:H, ?1, (Selling, target, Computer))", id="computers"))
matcher.match_ids(Event.load("examples/events/notebook.ttl"))
"""

from __future__ import annotations

from importlib import import_module
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
from semantic_pubsub.subscriptions import Subscription, SubscriptionText, subscription_texts, subscriptions_from

if TYPE_CHECKING:
    from semantic_pubsub.events.validator import EventValidator
    from semantic_pubsub.matching.graph import OpsMatcher

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
    "OpsMatcher",
    "ReferenceMatcher",
    "SemanticPubSubError",
    "Subscription",
    "SubscriptionError",
    "SubscriptionText",
    "ValidationError",
    "ValidationReport",
    "events_from",
    "subscription_texts",
    "subscriptions_from",
]


_LATE = {
    "EventValidator": "semantic_pubsub.events.validator",  # brings pyshacl
    "OpsMatcher": "semantic_pubsub.matching.graph",  # brings numba
}


def __getattr__(name: str) -> object:
    """What takes a while to import comes when it is first asked for."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_LATE[name]), name)
    globals()[name] = found
    return found
