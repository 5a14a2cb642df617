"""Which subscriptions an event satisfies: a matcher for each tenant, so that none sees or pays for another's."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

from semantic_pubsub.broker.errors import LimitError
from semantic_pubsub.events import Event
from semantic_pubsub.subscriptions import SubscriptionText

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from semantic_pubsub.broker.compiled_sets import CompiledSets
    from semantic_pubsub.broker.model import SubscriptionRecord
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.errors import SemanticPubSubError
    from semantic_pubsub.events.written import WrittenEvent
    from semantic_pubsub.matching import Explanation, Matcher

__all__ = ["MakeMatcher", "Routes", "pattern_text"]

MakeMatcher: TypeAlias = "Callable[[Ontology], Matcher]"


class Routes:
    """The matchers, one a tenant; patterns go by their numbers."""

    def __init__(self, make_matcher: MakeMatcher, ontology: Ontology, compiled: CompiledSets | None = None) -> None:
        self.ontology = ontology
        self._compiled = compiled
        self._make = make_matcher
        self._routes: dict[str, _Route] = {}
        self._lock = threading.Lock()

    def add(self, record: SubscriptionRecord) -> None:
        """Match this pattern from now on; a SubscriptionError if it does not fit the ontology."""
        route = self._route(record.tenant)
        with route.lock:
            route.matcher.add_all([pattern_text(record)])

    def add_all(
        self, tenant: str, records: Iterable[SubscriptionRecord], on_error: Callable[[SemanticPubSubError], object]
    ) -> None:
        """Many at once, as at the start; `on_error` gets what does not fit, its `source` is the pattern's number."""
        route = self._route(tenant)
        with route.lock:
            route.matcher.add_all(map(pattern_text, records), on_error)

    def remove(self, tenant: str, pattern: int) -> None:
        """Match a pattern no more; nothing happens if it is not matched."""
        route = self._routes.get(tenant)
        if route is not None:
            with route.lock:
                if str(pattern) in route.matcher:
                    route.matcher.remove(str(pattern))

    def holds(self, tenant: str, pattern: int) -> bool:
        """Whether a pattern is matched already, because a compiled set had it."""
        return str(pattern) in self._route(tenant).matcher

    def keep_only(self, wanted: Mapping[str, Container[str]]) -> None:
        """Remove what a compiled set had and nobody wants any more; patterns by tenant."""
        for tenant, route in list(self._routes.items()):
            with route.lock:
                for pattern in [p for p in route.matcher.ids() if p not in wanted.get(tenant, ())]:
                    route.matcher.remove(pattern)

    def save(self) -> None:
        """Keep all matchers for the next start, where that is possible."""
        if self._compiled is not None:
            self._compiled.save(self._at_rest())

    def match(self, tenant: str, event: Event | WrittenEvent) -> tuple[list[str], tuple[str, ...]]:
        """The patterns that the event satisfies, and those whose search was too long to tell."""
        route = self._routes.get(tenant)
        if route is None:
            return [], ()
        with route.lock:
            matcher = route.matcher
            found = matcher.match_ids(event) if isinstance(event, Event) else matcher.match_written(event)
            return found, getattr(matcher, "undecided", ())

    def alone(self, record: SubscriptionRecord) -> Matcher:
        """A matcher that holds only this pattern, under the subscription's id: to explain it."""
        matcher = self._make(self.ontology)
        matcher.add_all([pattern_text(record)._replace(id=record.id, source=record.id)])
        return matcher

    def explain(self, record: SubscriptionRecord, event: Event, steps: int) -> Explanation:
        """Why an event matches a pattern or not; a LimitError if that cannot be told in so many steps."""
        from semantic_pubsub.matching.graph.solutions import OutOfBudgetError  # brings numpy

        try:
            return self.alone(record).explain(event, record.id)
        except OutOfBudgetError:
            message = f"whether {record.id!r} matches takes more than {steps:,} steps of search to tell"
            raise LimitError(message, hint="ask for fewer vertices that are alike, or send a smaller event") from None

    def stats(self) -> dict[str, dict[str, int | float | str]]:
        """What each tenant's matcher says of itself."""
        return {tenant: route.matcher.stats() for tenant, route in list(self._routes.items())}

    def _at_rest(self) -> Iterator[tuple[str, Matcher]]:
        """Each tenant's matcher, which nobody uses meanwhile."""
        for tenant, route in list(self._routes.items()):
            with route.lock:
                yield tenant, route.matcher

    def _route(self, tenant: str) -> _Route:
        with self._lock:
            route = self._routes.get(tenant)
            if route is None:
                loaded = self._compiled.load(tenant, self.ontology) if self._compiled is not None else None
                route = self._routes[tenant] = _Route(self._make(self.ontology) if loaded is None else loaded)
            return route


class _Route:
    __slots__ = ("lock", "matcher")

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self.lock = threading.Lock()


def pattern_text(record: SubscriptionRecord) -> SubscriptionText:
    """A stored pattern as matchers load it."""
    number = str(record.pattern)
    return SubscriptionText(number, record.text, number, record.injective, record.syntax)
