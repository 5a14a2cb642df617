"""What an ontology has to say about a subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.errors import Notice
    from semantic_pubsub.subscriptions.model import Subscription

__all__ = ["analyse"]


def analyse(subscription: Subscription, ontology: Ontology) -> tuple[Notice, ...]:
    return ()
