"""`OpsMatcher`: all subscriptions in one index, exact answers."""

from __future__ import annotations

import threading
from array import array
from functools import partial
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from pyoxigraph import Quad, RdfFormat

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.events import Event
from semantic_pubsub.events.closure import close
from semantic_pubsub.events.formats import format_named
from semantic_pubsub.events.home import HOME
from semantic_pubsub.events.parser import Reading, read_home_and_triples, read_lines
from semantic_pubsub.matching.base import Bindings, Match, Matcher
from semantic_pubsub.matching.graph import layout, storage
from semantic_pubsub.matching.graph.advised import are_clean, classes_of, form_of_advice
from semantic_pubsub.matching.graph.compiled import compile_pattern
from semantic_pubsub.matching.graph.explained import explain
from semantic_pubsub.matching.graph.index import Index
from semantic_pubsub.matching.graph.judging import judged
from semantic_pubsub.matching.graph.solutions import EventGraph, OutOfBudgetError, mappings
from semantic_pubsub.matching.graph.templates import Templates
from semantic_pubsub.matching.graph.traversal import encode, encode_text
from semantic_pubsub.subscriptions import SubscriptionText, analyse
from semantic_pubsub.subscriptions.advice import Advice
from semantic_pubsub.subscriptions.algebra import Variable
from semantic_pubsub.terms import to_rdflib

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.errors import Notice
    from semantic_pubsub.events.contexts import Contexts
    from semantic_pubsub.events.written import WrittenEvent
    from semantic_pubsub.matching.graph.compiled import CompiledPattern
    from semantic_pubsub.matching.graph.explained import OpsExplanation
    from semantic_pubsub.matching.graph.index import Answers
    from semantic_pubsub.matching.graph.shapes import Shape
    from semantic_pubsub.matching.graph.symbols import Symbols
    from semantic_pubsub.matching.graph.traversal import EncodedEvent
    from semantic_pubsub.subscriptions import Subscription
    from semantic_pubsub.terms import Term, Triple

__all__ = ["OpsMatcher"]

_Made = TypeVar("_Made")
_MOST_FORMS: Final = 200_000


class OpsMatcher(Matcher):
    """The OPS algorithm on flat arrays: cost grows with what an event satisfies, not with how many subscribe.

    Subscriptions may be added and removed from any thread while others match. `budget` bounds the steps of one
    search (finding a pattern in an event is NP-hard); without it every answer is complete, with it `undecided`
    names the subscriptions that the last event left open.
    """

    def __init__(self, ontology: Ontology, *, budget: int | None = None, confirms_only: bool = False) -> None:
        """With `confirms_only` nothing is filed for `match_ids`: only `confirm` and `explain` are then to be used."""
        super().__init__(ontology)
        self._index = Index(ontology)
        self._index.files = not confirms_only
        self._numbers: dict[str, int] = {}
        self._ids: list[str | None] = []
        self._first = array("i")
        self._free: list[int] = []
        self._templates = Templates(self._index, ontology)
        self._advice = Advice(ontology)
        self._without_notices: set[object] = set()
        self._lock = threading.RLock()
        self._budget = budget or 0
        self._matches = 0
        self._last = threading.local()

    # matching

    @property
    def undecided(self) -> tuple[str, ...]:
        """The subscriptions that this thread's last event left open, because the budget ended their search."""
        found: tuple[str, ...] = getattr(self._last, "undecided", ())
        return found

    def match_ids(self, event: Event) -> list[str]:
        """The ids of every subscription that the event satisfies, each once, in no particular order."""
        return self._match_triples(event.triples, event.home)

    def match_text(
        self,
        data: str | bytes,
        format: str | None = None,  # noqa: A002
        *,
        contexts: Contexts | None = None,
    ) -> list[str]:
        """The ids for an event in its text, on the shortest way: no `Event` is made."""
        reading = Reading(contexts=contexts, ontology=self.ontology)
        with self._lock:
            return self._names(self.text_owners(data, format_named(format), reading))

    def text_owners(self, data: str | bytes, syntax: RdfFormat, reading: Reading) -> list[int]:
        """The same as numbers into `id_array`, for a text that is read as `reading` says."""
        with self._lock:
            return self._found(self._encoded_text(data, syntax, reading, _lines_of(data, syntax, reading)))

    def texts_owners(
        self, texts: Sequence[tuple[str | bytes, RdfFormat]], reading: Reading
    ) -> list[list[int] | SemanticPubSubError]:
        """The same for many texts, with the error of each that is no event.

        Step by step for all: code and tables of a step stay in the cache, which is worth a third of the time.
        """
        lines = [_tried(_lines_of, data, syntax, reading) for data, syntax in texts]
        with self._lock:
            encoded = [self._versioned(*text, reading, read) for text, read in zip(texts, lines, strict=True)]
            return [self._found_in(*parts) for parts in zip(texts, lines, encoded, repeat(reading))]

    def _versioned(
        self, data: str | bytes, syntax: RdfFormat, reading: Reading, read: bytes | SemanticPubSubError | None
    ) -> tuple[EncodedEvent | SemanticPubSubError, int]:
        """A text encoded, or its error; and how old what it was encoded with is."""
        if isinstance(read, SemanticPubSubError):
            return read, self._symbols.version
        return _tried(self._encoded_text, data, syntax, reading, read), self._symbols.version

    def _found_in(
        self,
        text: tuple[str | bytes, RdfFormat],
        read: bytes | SemanticPubSubError | None,
        versioned: tuple[EncodedEvent | SemanticPubSubError, int],
        reading: Reading,
    ) -> list[int] | SemanticPubSubError:
        encoded, version = versioned
        if version != self._symbols.version:  # texts after it had so many names that old ones were forgotten
            encoded, _ = self._versioned(*text, reading, read)
        return encoded if isinstance(encoded, SemanticPubSubError) else _tried(self._found, encoded)

    def _encoded_text(
        self, data: str | bytes, syntax: RdfFormat, reading: Reading, lines: bytes | None
    ) -> EncodedEvent:
        encoded = None if lines is None else encode_text(lines, self._symbols)
        if encoded is None:  # several graphs, no home or several: what reads terms can tell
            encoded = encode(*read_home_and_triples(data, syntax, reading), self._symbols)
        return encoded

    @property
    def id_array(self) -> np.typing.NDArray[np.object_]:
        """The ids of subscriptions by the numbers of `text_owners`."""
        return np.array(self._ids, np.object_)

    def match_written(self, event: WrittenEvent) -> list[str]:
        """The ids for an event of which no objects were made."""
        return self._match_triples(event.triples, HOME)

    def _match_triples(self, triples: Sequence[Triple] | Sequence[Quad], home: Term) -> list[str]:
        with self._lock:
            return self._names(self._owners(triples, home))

    def _names(self, owners: list[int]) -> list[str]:
        if len(owners) < 2:
            return [self._ids[owner] for owner in owners]  # type: ignore[misc]
        return list(itemgetter(*owners)(self._ids))  # the fastest way to many items of a list

    def match(self, event: Event) -> list[Match]:
        """Every subscription that the event satisfies; bindings are worked out when they are read."""
        with self._lock:
            found = [self._ids[owner] for owner in self._owners(event.triples, event.home)]
            return self.matches_of(event, found)  # type: ignore[arg-type]

    def confirm(self, event: Event, slots: np.typing.NDArray[np.int64]) -> list[str]:
        """The ids of which one of the slots (see `slots_of`) matches: for whoever finds candidates in another way."""
        with self._lock:
            return [self._ids[owner] for owner in self._owners(event.triples, event.home, slots)]  # type: ignore[misc]

    def slots_of(self, subscription_id: str) -> list[int]:
        """The slots of a subscription's alternatives, in their order; those that nothing can satisfy have none."""
        return self._slots_of(self._numbers[subscription_id])

    def matches_of(self, event: Event, ids: Iterable[str]) -> list[Match]:
        """Matches with bindings for ids that are known to match."""
        with self._lock:
            found = [(name, self._patterns(self._numbers[name])) for name in ids]
        graph = _Lazy(lambda: EventGraph(close(event, self.ontology)))
        return [Match(name, _solutions(patterns, graph)) for name, patterns in found]

    def _owners(
        self,
        triples: Sequence[Triple] | Sequence[Quad],
        home: Term,
        proposed: np.typing.NDArray[np.int64] | None = None,
    ) -> list[int]:
        return self._found(encode(triples, home, self._symbols), proposed)

    @property
    def _symbols(self) -> Symbols:
        return self._index.symbols

    def _found(self, encoded: EncodedEvent, proposed: np.typing.NDArray[np.int64] | None = None) -> list[int]:
        index = self._index
        answers = index.match(encoded, len(self._ids), self._budget, proposed)
        if answers.pending:
            masks, dear = judged(index, answers, encoded, self._budget)
            answers = index.judge(encoded, masks, self._budget)
            answers.undecided += dear
        owners = answers.found
        if answers.asked:
            owners = self._asked(encoded, owners, answers)
        undecided = {int(index.slots.array[slot, layout.SLOT_OWNER]) for slot in answers.undecided}
        self._last.undecided = tuple(self._ids[o] or "" for o in undecided.difference(owners)) if undecided else ()
        self._matches += len(owners)
        return owners

    def _asked(self, encoded: EncodedEvent, owners: list[int], answers: Answers) -> list[int]:
        """Decide in Python what the kernel left open; what the budget does not reach stays undecided."""
        index = self._index
        found = dict.fromkeys(owners)
        graph = EventGraph(close(_event(encoded.triples, encoded.home), self.ontology))
        for slot in answers.asked:
            owner = int(index.slots.array[slot, layout.SLOT_OWNER])
            if owner in found:
                continue
            try:
                if next(mappings(index.pattern(slot)[0], graph, self._budget), None) is not None:
                    found[owner] = None
            except OutOfBudgetError:
                answers.undecided.append(slot)
        return list(found)

    def _slots_of(self, owner: int) -> list[int]:
        found = []
        slot = self._first[owner]
        while slot >= 0:
            found.append(slot)
            slot = int(self._index.slots.array[slot, layout.SLOT_NEXT])
        return found[::-1]

    def _patterns(self, owner: int) -> list[tuple[CompiledPattern, Shape]]:
        return [self._index.pattern(slot) for slot in self._slots_of(owner)]

    def explain(self, event: Event, subscription_id: str) -> OpsExplanation:
        """Why the event matches this subscription, or what is missing; with the matching trees.

        An `OutOfBudgetError` if that takes a search of more steps than the matcher's budget.
        """
        with self._lock:
            patterns = [pattern for pattern, _ in self._patterns(self._numbers[subscription_id])]
        alone = partial(OpsMatcher, budget=self._budget)
        return explain(event, subscription_id, patterns, self.ontology, alone, self._budget)

    # keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all subscriptions, ready for matching, into one file; one that is there is replaced at once.

        Adding, removing and matching wait meanwhile.
        """
        storage.save(self, path)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], ontology: Ontology, *, budget: int | None = None, verify: bool = False
    ) -> OpsMatcher:
        """The matcher that `save` wrote, to be used and changed like any other; the file stays as it is.

        The file is mapped into memory, which takes little time and is shared by all processes that do so. A
        SemanticPubSubError says so if the file is none of ours, is cut off, or was saved with another ontology or
        version. `verify` reads all of it first: checksums, and whether everything leads somewhere. That is for files
        that may be damaged or come from elsewhere.
        """
        matcher = cls(ontology, budget=budget)
        storage.load_into(matcher, path, verify=verify)
        return matcher

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

    def add_all(
        self,
        subscriptions: Iterable[Subscription | str | tuple[str, str] | SubscriptionText],
        on_error: Callable[[SemanticPubSubError], object] | None = None,
    ) -> list[str]:
        """Add many. Texts that differ in their constants only are parsed once, then only the constants are read."""
        with self._lock:
            return super().add_all(subscriptions, on_error)

    def _add_one(self, subscription: Subscription | str | tuple[str, str] | SubscriptionText) -> str:
        if not isinstance(subscription, tuple):
            return self.add(subscription)
        text = SubscriptionText(*subscription)
        bound = None if text.id in self._numbers or not text.id else self._templates.bind(text.text, text.injective)
        if bound is None:
            parsed = text.parsed()
            self.add(parsed)
            if text.id not in self._warnings:
                self._templates.learn(text.text, text.injective, parsed)
            return text.id
        owner = self._owner(text.id)
        slot = -1
        for shape, parameters, bounds in bound:
            slot = self._index.add_bound(owner, shape, parameters, bounds, slot)
        self._first[owner] = slot
        return text.id

    def add(self, subscription: Subscription | str) -> str:
        """Add a subscription (or its text) and return its id; a SubscriptionError changes nothing."""
        resolved = self._resolved(subscription)
        compiled = _compiled(resolved)
        notices = self._notices(resolved, compiled)
        if notices:
            self._warnings[resolved.id] = notices
        self._put(resolved, compiled)
        return resolved.id

    def _notices(self, subscription: Subscription, compiled: list[CompiledPattern]) -> tuple[Notice, ...]:
        """What deserves a look; a form that was clean once is looked at for its classes only."""
        form = form_of_advice(compiled, subscription.projection)
        if form in self._without_notices and all(are_clean(classes_of(p), p, self._advice) for p in compiled):
            return ()
        notices = analyse(subscription, self.ontology)
        if not notices and form is not None and len(self._without_notices) < _MOST_FORMS:
            self._without_notices.add(form)
        return notices

    def insert(self, subscription: Subscription) -> list[bool]:
        """Add a resolved subscription with a new id as it is; tells of each alternative whether it got a slot."""
        compiled = _compiled(subscription)
        self._put(subscription, compiled)
        return [pattern.satisfiable for pattern in compiled]

    def _insert(self, subscription: Subscription) -> None:
        self.insert(subscription)

    def _put(self, subscription: Subscription, compiled: list[CompiledPattern]) -> None:
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


def _compiled(subscription: Subscription) -> list[CompiledPattern]:
    return [compile_pattern(pattern, injective=subscription.injective) for pattern in subscription.alternatives]


def _lines_of(data: str | bytes, syntax: RdfFormat, reading: Reading) -> bytes | None:
    return None if syntax == RdfFormat.N3 else read_lines(data, syntax, reading)


def _tried(call: Callable[..., _Made], *arguments: object) -> _Made | SemanticPubSubError:
    """What a call makes, or the error that it raises."""
    try:
        return call(*arguments)
    except SemanticPubSubError as error:
        return error


def _event(triples: Sequence[Triple] | Sequence[Quad], home: Term) -> Event:
    return Event(tuple(dict.fromkeys(t.triple if isinstance(t, Quad) else t for t in triples)), home)


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
