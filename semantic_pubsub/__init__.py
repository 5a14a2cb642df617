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
    from semantic_pubsub.matching.covering import covers
    from semantic_pubsub.matching.flat.constraints import (
        at_least,
        at_most,
        between,
        equals,
        exists,
        isa,
        less_than,
        more_than,
        one_of,
    )
    from semantic_pubsub.matching.flat.flatten import flatten
    from semantic_pubsub.matching.flat.lower import lower
    from semantic_pubsub.matching.flat.normalizer import Normalizer
    from semantic_pubsub.matching.flat.pairs import FlatEvent, FlatSubscription
    from semantic_pubsub.matching.flat_matcher import FlatMatcher
    from semantic_pubsub.matching.graph import OpsMatcher

__all__ = [
    "Event",
    "EventError",
    "EventValidator",
    "Explanation",
    "FlatEvent",
    "FlatMatcher",
    "FlatSubscription",
    "Limits",
    "Match",
    "Matcher",
    "MetaStatement",
    "Normalizer",
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
    "at_least",
    "at_most",
    "between",
    "covers",
    "equals",
    "events_from",
    "exists",
    "flatten",
    "isa",
    "less_than",
    "lower",
    "more_than",
    "one_of",
    "subscription_texts",
    "subscriptions_from",
]


_CONSTRAINTS = ("at_least", "at_most", "between", "equals", "exists", "isa", "less_than", "more_than", "one_of")
_LATE = {
    "EventValidator": "semantic_pubsub.events.validator",  # brings pyshacl
    "FlatEvent": "semantic_pubsub.matching.flat.pairs",  # brings numpy, as all of these
    "FlatMatcher": "semantic_pubsub.matching.flat_matcher",  # brings numba
    "FlatSubscription": "semantic_pubsub.matching.flat.pairs",
    "Normalizer": "semantic_pubsub.matching.flat.normalizer",
    "OpsMatcher": "semantic_pubsub.matching.graph",  # brings numba
    "covers": "semantic_pubsub.matching.covering",
    "flatten": "semantic_pubsub.matching.flat.flatten",
    "lower": "semantic_pubsub.matching.flat.lower",
    **dict.fromkeys(_CONSTRAINTS, "semantic_pubsub.matching.flat.constraints"),
}


def __getattr__(name: str) -> object:
    """What takes a while to import comes when it is first asked for."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_LATE[name]), name)
    globals()[name] = found
    return found
