"""What the package exports, and that every `__all__` is sorted and true."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import semantic_pubsub

MODULES = ["semantic_pubsub"] + [
    module.name
    for module in pkgutil.walk_packages(semantic_pubsub.__path__, "semantic_pubsub.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_exports_are_explicit_sorted_and_there(name: str) -> None:
    module = importlib.import_module(name)
    exported = list(module.__all__)
    assert len(exported) == len(set(exported))
    assert [n for n in exported if not hasattr(module, n)] == []


def test_the_names_that_users_rely_on() -> None:
    assert set(semantic_pubsub.__all__) == {
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
    }


def test_every_error_is_one_of_ours() -> None:
    for name in ("OntologyError", "EventError", "SubscriptionError", "ValidationError"):
        assert issubclass(getattr(semantic_pubsub, name), semantic_pubsub.SemanticPubSubError)
