"""The oracle as a matcher: every subscription in turn, straight from the definition, with no index.

Slow and obviously right: every other matcher is tested against this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.events.closure import ClosedEvent, close
from semantic_pubsub.matching.base import Bindings, Match, Matcher
from semantic_pubsub.matching.definition import mappings
from semantic_pubsub.matching.explanation import Explanation, explain
from semantic_pubsub.subscriptions.algebra import Variable
from semantic_pubsub.terms import Term, to_rdflib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.subscriptions import Subscription

__all__ = ["ReferenceMatcher"]


class ReferenceMatcher(Matcher):
    """Tries every subscription in turn, straight from the definition."""

    def __init__(self, ontology: Ontology) -> None:
        super().__init__(ontology)
        self._subscriptions: dict[str, Subscription] = {}
        self._events = 0
        self._matches = 0

    def match(self, event: Event) -> list[Match]:
        """Every subscription that the event satisfies, with bindings."""
        closed = close(event, self.ontology)
        found = [
            Match(subscription.id, _deferred(subscription, closed))
            for subscription in tuple(self._subscriptions.values())
            if next(_solutions(subscription, closed), None) is not None
        ]
        self._events += 1
        self._matches += len(found)
        return found

    def match_ids(self, event: Event) -> list[str]:
        """The ids of every subscription that the event satisfies."""
        return [match.subscription_id for match in self.match(event)]

    def explain(self, event: Event, subscription_id: str) -> Explanation:
        """Why the event matches this subscription, or what is missing."""
        return explain(close(event, self.ontology), self._subscriptions[subscription_id], self.ontology)

    def stats(self) -> dict[str, int | float | str]:
        """Counts of what the matcher holds and has done."""
        return {
            "matcher": "reference",
            "subscriptions": len(self),
            "events": self._events,
            "matches": self._matches,
        }

    def ids(self) -> list[str]:
        """The ids of all standing subscriptions, oldest first."""
        return list(self._subscriptions)

    def __len__(self) -> int:
        return len(self._subscriptions)

    def __contains__(self, subscription_id: object) -> bool:
        return subscription_id in self._subscriptions

    def _insert(self, subscription: Subscription) -> None:
        self._subscriptions[subscription.id] = subscription

    def _discard(self, subscription_id: str) -> None:
        del self._subscriptions[subscription_id]


def _solutions(subscription: Subscription, event: ClosedEvent) -> Iterator[Bindings]:
    """Every solution once, projected, over all alternatives."""
    seen: set[tuple[tuple[str, Term], ...]] = set()
    for pattern in subscription.alternatives:
        wanted = pattern.variables() if subscription.projection is None else subscription.projection
        for mapping in mappings(pattern, event, injective=subscription.injective):
            solution = tuple((name, mapping[Variable(name)]) for name in wanted if Variable(name) in mapping)
            if solution not in seen:
                seen.add(solution)
                yield {name: to_rdflib(term) for name, term in solution}


def _deferred(subscription: Subscription, event: ClosedEvent) -> Callable[[], Iterator[Bindings]]:
    return lambda: _solutions(subscription, event)
