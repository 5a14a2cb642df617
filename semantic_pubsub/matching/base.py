"""What a matcher is: the small contract that every algorithm fulfils, and what it answers with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeAlias

from semantic_pubsub.errors import Notice, SemanticPubSubError, SubscriptionError
from semantic_pubsub.subscriptions import Subscription, SubscriptionText, analyse, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import rdflib

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.events.contexts import Contexts
    from semantic_pubsub.events.written import WrittenEvent
    from semantic_pubsub.matching.explanation import Explanation

__all__ = ["Bindings", "Match", "Matcher"]

Bindings: TypeAlias = "dict[str, rdflib.URIRef | rdflib.BNode | rdflib.Literal]"


class Match:
    """One subscription that an event satisfies. `bindings` is one solution, `solutions()` gives all.

    Both are worked out when they are read: most who ask for matches want the ids only.
    """

    __slots__ = ("_bindings", "_solutions", "subscription_id")

    def __init__(self, subscription_id: str, solutions: Callable[[], Iterator[Bindings]]) -> None:
        self.subscription_id = subscription_id
        self._solutions = solutions
        self._bindings: Bindings | None = None

    @property
    def bindings(self) -> Bindings:
        """One solution: what each variable stands for."""
        if self._bindings is None:
            self._bindings = next(self._solutions())
        return self._bindings

    def solutions(self) -> Iterator[Bindings]:
        """Every solution once, projected to what the subscription asks for."""
        return self._solutions()

    def __repr__(self) -> str:
        shown = ", ".join(f"?{name}={term.n3()}" for name, term in self.bindings.items())
        return f"Match({self.subscription_id!r}{', ' + shown if shown else ''})"


class Matcher(ABC):
    """Standing subscriptions, and the question which of them an event satisfies.

    Subclasses say how a prepared subscription is kept (`_insert`, `_discard`) and found (`match`, `match_ids`).
    """

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._warnings: dict[str, tuple[Notice, ...]] = {}

    @property
    def warnings(self) -> Mapping[str, tuple[Notice, ...]]:
        """What was noticed about standing subscriptions when they were added, by id."""
        return self._warnings

    def add(self, subscription: Subscription | str) -> str:
        """Add a subscription (or its text) and return its id; a SubscriptionError changes nothing."""
        prepared, notices = self._prepare(subscription)
        self._keep(prepared, notices)
        return prepared.id

    def add_all(
        self,
        subscriptions: Iterable[Subscription | str | tuple[str, str] | SubscriptionText],
        on_error: Callable[[SemanticPubSubError], object] | None = None,
    ) -> list[str]:
        """Add many: subscriptions, texts, or pairs (id, text); `subscription_texts` gives such pairs from files.

        A bad one goes to `on_error` and the rest is added; without `on_error` it is raised and none is added.
        """
        added: list[str] = []
        try:
            for subscription in subscriptions:
                try:
                    added.append(self._add_one(subscription))
                except SemanticPubSubError as error:
                    if on_error is None:
                        raise
                    on_error(error)
        except BaseException:
            for name in added:
                self.remove(name)
            raise
        return added

    def _add_one(self, subscription: Subscription | str | tuple[str, str] | SubscriptionText) -> str:
        if isinstance(subscription, tuple):
            subscription = SubscriptionText(*subscription).parsed()
        return self.add(subscription)

    def remove(self, subscription_id: str) -> None:
        """Forget a subscription; KeyError if there is none with this id."""
        if subscription_id not in self:
            raise KeyError(subscription_id)
        self._discard(subscription_id)
        self._warnings.pop(subscription_id, None)

    def match_many(
        self, events: Iterable[Event], on_error: Callable[[SemanticPubSubError], object] | None = None
    ) -> list[list[str]]:
        """The ids for each event, in the order of the events.

        The error of a bad event goes to `on_error`, and its list is empty; without `on_error` it is raised, and the
        answers for the others are lost.
        """
        if on_error is None:
            return [self.match_ids(event) for event in events]
        return [self._ids_or_none(event, on_error) for event in events]

    def _ids_or_none(self, event: Event, on_error: Callable[[SemanticPubSubError], object]) -> list[str]:
        try:
            return self.match_ids(event)
        except SemanticPubSubError as error:
            on_error(error)
            return []

    def match_text(
        self,
        data: str | bytes,
        format: str | None = None,  # noqa: A002
        *,
        contexts: Contexts | None = None,
    ) -> list[str]:
        """The ids for an event in its text, Turtle where `format` says nothing else; an `EventError` if it is none."""
        from semantic_pubsub.events import Event

        return self.match_ids(Event.parse(data, format, contexts=contexts, ontology=self.ontology))

    def match_written(self, event: WrittenEvent) -> list[str]:
        """The ids for an event of which no objects were made; see `events/written.py`."""
        return self.match_ids(event.event)

    @abstractmethod
    def match(self, event: Event) -> list[Match]:
        """Every subscription that the event satisfies, with bindings."""

    @abstractmethod
    def match_ids(self, event: Event) -> list[str]:
        """The ids of every subscription that the event satisfies, each once, in no particular order."""

    @abstractmethod
    def explain(self, event: Event, subscription_id: str) -> Explanation:
        """Why the event matches this subscription, or what is missing; KeyError for an unknown id."""

    @abstractmethod
    def stats(self) -> dict[str, int | float | str]:
        """Counts of what the matcher holds and has done."""

    @abstractmethod
    def ids(self) -> list[str]:
        """The ids of all standing subscriptions."""

    @abstractmethod
    def __contains__(self, subscription_id: object) -> bool: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _insert(self, subscription: Subscription) -> None:
        """Keep a subscription whose names are resolved and whose id is new."""

    @abstractmethod
    def _discard(self, subscription_id: str) -> None:
        """Drop a subscription that is there."""

    def _keep(self, subscription: Subscription, notices: tuple[Notice, ...]) -> None:
        self._insert(subscription)
        if notices:
            self._warnings[subscription.id] = notices

    def _prepare(self, subscription: Subscription | str) -> tuple[Subscription, tuple[Notice, ...]]:
        resolved = self._resolved(subscription)
        return resolved, analyse(resolved, self.ontology)

    def _resolved(self, subscription: Subscription | str) -> Subscription:
        """A subscription with a new id and no bare names."""
        parsed = Subscription.parse(subscription) if isinstance(subscription, str) else subscription
        if parsed.id in self:
            raise SubscriptionError(
                f"there is already a subscription with the id {parsed.id!r}",
                source=parsed.source,
                hint="remove it first or choose another id",
            )
        return resolve(parsed, self.ontology)
