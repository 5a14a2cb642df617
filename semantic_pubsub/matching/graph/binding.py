"""Bindings of a pattern that is known to match an event, within a budget and without any index.

For whoever keeps matches and works out later what the variables stand for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from semantic_pubsub.events.closure import close
from semantic_pubsub.matching.graph.compiled import CompiledPattern, compile_pattern
from semantic_pubsub.matching.graph.solutions import EventGraph, OutOfBudgetError, mappings
from semantic_pubsub.subscriptions import resolve
from semantic_pubsub.subscriptions.algebra import Variable

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.subscriptions import Subscription
    from semantic_pubsub.terms import Term

__all__ = ["CompiledSubscription", "closed_graph", "compile_subscription", "first_bindings"]


class CompiledSubscription(NamedTuple):
    """A subscription's alternatives, ready to be searched for, and the variables that it binds (None: all)."""

    patterns: tuple[CompiledPattern, ...]
    projection: tuple[str, ...] | None


def compile_subscription(subscription: Subscription, ontology: Ontology) -> CompiledSubscription:
    """Resolve names under the ontology and compile; a SubscriptionError where it does not fit."""
    resolved = resolve(subscription, ontology)
    patterns = tuple(compile_pattern(p, injective=resolved.injective) for p in resolved.alternatives)
    return CompiledSubscription(patterns, resolved.projection)


def closed_graph(event: Event, ontology: Ontology) -> EventGraph:
    """The event under the ontology, for several searches."""
    return EventGraph(close(event, ontology))


def first_bindings(subscription: CompiledSubscription, graph: EventGraph, *, budget: int = 0) -> dict[str, Term] | None:
    """One solution; None if there is none, or if no search of at most `budget` steps finds it."""
    for pattern in subscription.patterns:
        try:
            image = next(mappings(pattern, graph, budget), None)
        except OutOfBudgetError:
            continue
        if image is not None:
            place = {v.name: i for i, v in enumerate(pattern.vertices) if isinstance(v, Variable)}
            wanted = tuple(place) if subscription.projection is None else subscription.projection
            return {name: image[place[name]] for name in wanted if name in place}
    return None
