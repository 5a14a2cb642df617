"""Subscriptions: text of two syntaxes to one algebra, and what an ontology has to say about it."""

from semantic_pubsub.subscriptions.analysis import analyse, unsatisfiable
from semantic_pubsub.subscriptions.files import SubscriptionText, subscription_texts, subscriptions_from
from semantic_pubsub.subscriptions.filters import compile_filter
from semantic_pubsub.subscriptions.model import Subscription
from semantic_pubsub.subscriptions.names import resolve
from semantic_pubsub.subscriptions.printing import expression_text

__all__ = [
    "Subscription",
    "SubscriptionText",
    "analyse",
    "compile_filter",
    "expression_text",
    "resolve",
    "subscription_texts",
    "subscriptions_from",
    "unsatisfiable",
]
