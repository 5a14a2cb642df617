"""From rows of a queue to deliveries: the event in the syntax asked for, and what the pattern's variables stand for."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from semantic_pubsub.broker.model import Delivery
from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.events import Event
from semantic_pubsub.subscriptions import Subscription
from semantic_pubsub.terms import BlankNode, NamedNode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from semantic_pubsub.broker.model import JsonBindings, QueueRow, StoredEvent
    from semantic_pubsub.broker.registry import Standing
    from semantic_pubsub.broker.store import Store
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.graph.binding import CompiledSubscription
    from semantic_pubsub.matching.graph.solutions import EventGraph
    from semantic_pubsub.terms import Term

__all__ = ["Outbox", "json_term"]

_K = TypeVar("_K", bound="Hashable")
_V = TypeVar("_V")
_log = logging.getLogger(__name__)
_EVENTS: Final = 256
_CHARACTERS: Final = 8 * 1024 * 1024
"""Of the events that are kept ready, in each of their forms: so that 256 large ones do not fill the memory."""
_PATTERNS: Final = 4_096
_STEP: Final = 16


class Outbox:
    """Makes deliveries. What many subscribers of one event have in common is worked out once.

    Bindings are found here and not when an event is published, so that publishers do not wait for them.
    """

    def __init__(self, store: Store, ontology: Ontology, *, budget: int) -> None:
        self._store = store
        self._budget = budget
        self.reload(ontology)

    def reload(self, ontology: Ontology) -> None:
        """Work under another ontology from now on."""
        self._ontology = ontology
        self._events: _Recent[int, StoredEvent] = _Recent(_EVENTS, _CHARACTERS)
        self._parsed: _Recent[int, Event] = _Recent(_EVENTS, _CHARACTERS)
        self._graphs: _Recent[int, EventGraph] = _Recent(_EVENTS, _CHARACTERS)
        self._texts: _Recent[tuple[int, str], str] = _Recent(_EVENTS, _CHARACTERS)
        self._patterns: _Recent[int, CompiledSubscription | None] = _Recent(_PATTERNS)

    def deliveries(
        self, rows: Sequence[tuple[Standing, QueueRow]], characters: int | None = None
    ) -> tuple[list[Delivery], int]:
        """Deliveries for the first rows, and of how many of them.

        All rows, or those whose events have so many characters together: the last one may exceed that. A row whose
        event is kept no more (only acknowledged ones are ever gone) has no delivery.
        """
        found: list[Delivery] = []
        taken = size = 0
        while taken < len(rows) and (characters is None or size < characters):
            some = rows[taken : taken + _STEP]
            events = self._fetch([row.event for _, row in some])
            for standing, row in some:
                if characters is not None and size >= characters:
                    break
                taken += 1
                if row.event in events:
                    found.append(self._delivery(standing, row, events[row.event]))
                    size += len(found[-1].event)
        return found, taken

    def _fetch(self, numbers: list[int]) -> dict[int, StoredEvent]:
        found = {number: event for number in set(numbers) if (event := self._events.get(number)) is not None}
        missing = [number for number in dict.fromkeys(numbers) if number not in found]
        for number, event in self._store.events.get(missing).items() if missing else ():
            found[number] = event
            self._events.put(number, event, len(event.text))
        return found

    def _delivery(self, standing: Standing, row: QueueRow, event: StoredEvent) -> Delivery:
        syntax, text = self._text(event, standing.format)
        return Delivery(
            position=row.position,
            tenant=standing.tenant,
            subscriber=standing.subscriber,
            subscription_id=standing.id,
            event_id=event.id,
            published_at=event.published_at,
            format=syntax,
            home=event.home,
            event=text,
            bindings=self._bindings(row.pattern, event),
        )

    def _text(self, event: StoredEvent, syntax: str) -> tuple[str, str]:
        """The event in the syntax asked for; as it is stored where it cannot be written so: no queue ends at it."""
        if syntax == event.format:
            return syntax, event.text
        try:
            return syntax, self._texts.get_or_make(
                (event.number, syntax), lambda: self._event(event).with_id(event.id).to_text(syntax), len(event.text)
            )
        except Exception as error:
            _log.warning("event %s is delivered as %s: %s", event.id, event.format, error)
            return event.format, event.text

    def _event(self, event: StoredEvent) -> Event:
        return self._parsed.get_or_make(
            event.number, lambda: Event.parse(event.text, event.format, home=event.home), len(event.text)
        )

    def _bindings(self, pattern: int, event: StoredEvent) -> JsonBindings | None:
        try:
            return self._found_bindings(pattern, event)
        except Exception:
            _log.exception("the bindings of event %s could not be found", event.id)
            return None

    def _found_bindings(self, pattern: int, event: StoredEvent) -> JsonBindings | None:
        from semantic_pubsub.matching.graph.binding import closed_graph, first_bindings  # brings numpy

        compiled = self._patterns.get_or_make(pattern, lambda: self._compiled(pattern))
        if compiled is None:
            return None
        graph = self._graphs.get_or_make(
            event.number, lambda: closed_graph(self._event(event), self._ontology), len(event.text)
        )
        found = first_bindings(compiled, graph, budget=self._budget)
        return None if found is None else {name: json_term(term) for name, term in found.items()}

    def _compiled(self, pattern: int) -> CompiledSubscription | None:
        from semantic_pubsub.matching.graph.binding import compile_subscription

        stored = self._store.subscriptions.pattern(pattern)
        if stored is None:
            return None
        text, syntax, injective = stored
        try:
            subscription = Subscription.parse(text, injective=injective, syntax=syntax)  # type: ignore[arg-type]
            return compile_subscription(subscription, self._ontology)
        except SemanticPubSubError:  # an ontology of today, a pattern of yesterday
            return None


def json_term(term: Term) -> dict[str, str]:
    """A term as SPARQL's JSON results write it."""
    if isinstance(term, NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.value}
    found = {"type": "literal", "value": term.value}
    if term.language:
        return {**found, "xml:lang": term.language}
    if term.datatype.value != "http://www.w3.org/2001/XMLSchema#string":
        found["datatype"] = term.datatype.value
    return found


class _Recent(Generic[_K, _V]):
    """The last values asked for: so many at most, and of so much weight together."""

    def __init__(self, most: int, most_weight: int | None = None) -> None:
        self._most = most
        self._most_weight = most_weight
        self._weight = 0
        self._values: OrderedDict[_K, tuple[_V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: _K) -> _V | None:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: _K, value: _V, weight: int = 0) -> None:
        with self._lock:
            if key in self._values:
                self._weight -= self._values.pop(key)[1]
            self._values[key] = value, weight
            self._weight += weight
            while len(self._values) > self._most or self._is_heavy():
                self._weight -= self._values.popitem(last=False)[1][1]

    def get_or_make(self, key: _K, make: Callable[[], _V], weight: int = 0) -> _V:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        self.put(key, value, weight)
        return value

    def _is_heavy(self) -> bool:
        return self._most_weight is not None and self._weight > self._most_weight
