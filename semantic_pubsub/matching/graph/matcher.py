"""`OpsMatcher`: all subscriptions in one index, exact answers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from semantic_pubsub.events.closure import close
from semantic_pubsub.matching.base import Bindings, Match, Matcher
from semantic_pubsub.matching.graph import layout
from semantic_pubsub.matching.graph.compiled import compile_pattern
from semantic_pubsub.matching.graph.index import Index
from semantic_pubsub.matching.graph.solutions import EventGraph, mappings
from semantic_pubsub.matching.graph.traversal import encode
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import Variable
from semantic_pubsub.terms import to_rdflib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.matching.explanation import Explanation
    from semantic_pubsub.matching.graph.compiled import CompiledPattern
    from semantic_pubsub.matching.graph.index import Answers
    from semantic_pubsub.matching.graph.shapes import Shape
    from semantic_pubsub.matching.graph.traversal import EncodedEvent
    from semantic_pubsub.subscriptions import Subscription
    from semantic_pubsub.terms import Term

__all__ = ["OpsMatcher"]


class OpsMatcher(Matcher):
    """The OPS algorithm on flat arrays: cost grows with what an event satisfies, not with how many subscribe.

    Subscriptions may be added and removed from any thread while others match. `budget` bounds the steps of one
    search (finding a pattern in an event is NP-hard); without it every answer is complete, with it `undecided`
    names the subscriptions that the last event left open.
    """

    def __init__(self, ontology: Ontology, *, budget: int | None = None) -> None:
        super().__init__(ontology)
        self._index = Index(ontology)
        self._numbers: dict[str, int] = {}
        self._ids: list[str | None] = []
        self._first: list[int] = []
        self._free: list[int] = []
        self._never: set[str] = set()
        self._lock = threading.RLock()
        self._budget = budget or 0
        self._matches = 0
        self.undecided: tuple[str, ...] = ()
        """The subscriptions whose search was given up in the last event because of the budget."""

    # matching

    def match_ids(self, event: Event) -> list[str]:
        """The ids of every subscription that the event satisfies, each once, in no particular order."""
        with self._lock:
            ids = self._ids
            return [ids[owner] for owner in self._owners(event)]  # type: ignore[misc]

    def match(self, event: Event) -> list[Match]:
        """Every subscription that the event satisfies; bindings are worked out when they are read."""
        with self._lock:
            found = [(self._ids[owner], self._patterns(owner)) for owner in self._owners(event)]
        graph = _Lazy(lambda: EventGraph(close(event, self.ontology)))
        return [Match(name, _solutions(patterns, graph)) for name, patterns in found if name is not None]

    def _owners(self, event: Event) -> list[int]:
        index = self._index
        encoded = encode(event.triples, event.home, index.symbols)
        answers = index.match(encoded, len(self._ids), self._budget)
        if answers.pending:
            answers = index.judge(encoded, self._judged(answers, encoded), self._budget)
        owners = answers.found
        if answers.asked:
            owners = self._asked(event, owners, answers.asked)
        undecided = {int(index.slots.array[slot, layout.SLOT_OWNER]) for slot in answers.undecided}
        self.undecided = tuple(self._ids[o] or "" for o in undecided.difference(owners)) if undecided else ()
        self._matches += len(owners)
        return owners

    def _judged(self, answers: Answers, encoded: EncodedEvent) -> np.typing.NDArray[np.uint64]:
        """For each needed predicate the set of vertices on which it is true; equal predicates are judged once."""
        words = (len(encoded.vertices) + 63) >> 6
        masks = np.zeros(len(answers.needed) * words, np.uint64)
        asked = answers.needed_masks.tolist()
        for number, predicate in enumerate(answers.needed):
            condition = compile_filter(self._index.predicate_list[predicate])
            for w in range(words):
                left, true = asked[number * words + w], 0
                while left:
                    bit = left & -left
                    left ^= bit
                    if condition({"": encoded.vertices[w * 64 + bit.bit_length() - 1]}):
                        true |= bit
                masks[number * words + w] = true
        return masks

    def _asked(self, event: Event, owners: list[int], slots: list[int]) -> list[int]:
        """Decide in Python what the kernel left open."""
        index = self._index
        found = dict.fromkeys(owners)
        graph: EventGraph | None = None
        for slot in slots:
            owner = int(index.slots.array[slot, layout.SLOT_OWNER])
            if owner in found:
                continue
            graph = graph or EventGraph(close(event, self.ontology))
            if next(mappings(index.pattern(slot)[0], graph), None) is not None:
                found[owner] = None
        return list(found)

    def _patterns(self, owner: int) -> list[tuple[CompiledPattern, Shape]]:
        found = []
        slot = self._first[owner]
        while slot >= 0:
            found.append(self._index.pattern(slot))
            slot = int(self._index.slots.array[slot, layout.SLOT_NEXT])
        return found[::-1]

    def explain(self, event: Event, subscription_id: str) -> Explanation:
        """Why the event matches this subscription, or what is missing."""
        raise NotImplementedError

    # what it holds

    def stats(self) -> dict[str, int | float | str]:
        """Counts of what the matcher holds and has done."""
        counts = self._index.counts
        return {
            "matcher": "ops",
            "subscriptions": len(self),
            "events": int(counts[layout.COUNT_EVENTS]),
            "matches": self._matches,
            "path nodes": int(counts[layout.COUNT_NODES]),
            "EMS items": int(counts[layout.COUNT_ITEMS]),
            "rows scanned": int(counts[layout.COUNT_SCANNED]),
            "candidates": int(counts[layout.COUNT_CANDIDATES]),
            "search steps": int(counts[layout.COUNT_STEPS]),
        }

    def ids(self) -> list[str]:
        """The ids of all standing subscriptions."""
        return list(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, subscription_id: object) -> bool:
        return subscription_id in self._numbers

    # adding and removing

    def _insert(self, subscription: Subscription) -> None:
        compiled = [compile_pattern(p, injective=subscription.injective) for p in subscription.alternatives]
        statements = subscription.syntax == "statements"
        with self._lock:
            owner = self._owner(subscription.id)
            slot = -1
            for pattern in compiled:
                if pattern.satisfiable:
                    slot = self._index.add(owner, pattern, subscription.projection, statements, slot)
            self._first[owner] = slot

    def _owner(self, name: str) -> int:
        if self._free:
            owner = self._free.pop()
            self._ids[owner] = name
        else:
            owner = len(self._ids)
            self._ids.append(name)
            self._first.append(-1)
        self._numbers[name] = owner
        return owner

    def _discard(self, subscription_id: str) -> None:
        with self._lock:
            owner = self._numbers.pop(subscription_id)
            slot = self._first[owner]
            while slot >= 0:
                slot = self._index.remove(slot)
            self._ids[owner] = None
            self._first[owner] = -1
            self._free.append(owner)


class _Lazy:
    """A value that is made when it is first wanted."""

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], EventGraph]) -> None:
        self._make = make
        self._value: EventGraph | None = None

    def __call__(self) -> EventGraph:
        if self._value is None:
            self._value = self._make()
        return self._value


def _solutions(
    patterns: list[tuple[CompiledPattern, Shape]], graph: Callable[[], EventGraph]
) -> Callable[[], Iterator[Bindings]]:
    def solutions() -> Iterator[Bindings]:
        seen: set[tuple[tuple[str, Term], ...]] = set()
        for pattern, shape in patterns:
            place = {v.name: i for i, v in enumerate(pattern.vertices) if isinstance(v, Variable)}
            wanted = tuple(place) if shape.projection is None else shape.projection
            for image in mappings(pattern, graph()):
                solution = tuple((name, image[place[name]]) for name in wanted if name in place)
                if solution not in seen:
                    seen.add(solution)
                    yield {name: to_rdflib(term) for name, term in solution}

    return solutions
