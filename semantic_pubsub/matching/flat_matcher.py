"""`FlatMatcher`: a flat index over all subscriptions and, where the graph answer is wanted, a look at the graph.

The index proposes, the graph decides: a graph match is always a flat match, so nothing is lost, and what the pairs
cannot tell apart is verified by OPS. Where it cannot change the answer, verification is skipped.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from semantic_pubsub.errors import EventError, Notice, OntologyError, SubscriptionError
from semantic_pubsub.events import Event
from semantic_pubsub.matching import flat_files
from semantic_pubsub.matching.base import Match, Matcher
from semantic_pubsub.matching.flat.batches import KnownPairs, PairTable, batch_of, replaced, table_of, without_repeats
from semantic_pubsub.matching.flat.explained import explain_flat
from semantic_pubsub.matching.flat.flatten import flatten
from semantic_pubsub.matching.flat.gem_tree import GemTreeIndex
from semantic_pubsub.matching.flat.hybrid import AutoIndex
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.lower import lower
from semantic_pubsub.matching.flat.owners import Owners
from semantic_pubsub.matching.flat.pairs import FlatEvent, FlatSubscription
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from semantic_pubsub.matching.flat.slot_index import SlotIndex
from semantic_pubsub.matching.flat.walks import walk
from semantic_pubsub.matching.flat_files import Kept
from semantic_pubsub.matching.graph import OpsMatcher
from semantic_pubsub.subscriptions import Subscription

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.errors import SemanticPubSubError
    from semantic_pubsub.matching.explanation import Explanation
    from semantic_pubsub.matching.flat.index import Slots
    from semantic_pubsub.matching.flat.normalizer import Normalizer
    from semantic_pubsub.matching.flat.paths import Path as AttributePath
    from semantic_pubsub.matching.flat.resolving import Pair

__all__ = ["FlatMatcher"]

_Either: TypeAlias = "Event | FlatEvent"


class FlatMatcher(Matcher):
    """Subscriptions lowered to constraints on attributes, matched by a flat index of the given name.

    With `verify=True` the answer for RDF events and subscriptions is the graph answer, the same as `OpsMatcher`'s;
    without it the pairs decide. Flat events and subscriptions always get the flat answer. An attribute of a flat event
    that the ontology does not know matches nothing; with `strict` it is an `EventError`.
    """

    def __init__(
        self,
        ontology: Ontology,
        index: str = "auto",
        verify: bool = False,
        *,
        strict: bool = False,
        normalizer: Normalizer | None = None,
    ) -> None:
        super().__init__(ontology)
        if index not in INDEXES:
            raise ValueError(f"unknown index {index!r}: there are {', '.join(INDEXES)}")
        self._index = INDEXES[index](ontology)
        # Where the graph answer is wanted, `auto` lets OPS propose for RDF events, too: its items are paths with what
        # is asked at their ends, and what it proposes need not be found on the graph a second time.
        self._graph_proposes = verify and index == "auto"
        self._graph = OpsMatcher(ontology, confirms_only=not self._graph_proposes) if verify else None
        self._known_pairs: KnownPairs | None = None
        self._strict = strict
        self._normalizer = normalizer
        self._owners = Owners()
        self._lock = threading.RLock()
        self._counts = dict.fromkeys(("events", "candidates", "verified", "matches"), 0)

    # adding and removing

    def add(self, subscription: Subscription | FlatSubscription | str) -> str:
        """Add a subscription, of a graph or flat, and return its id; a SubscriptionError changes nothing."""
        if isinstance(subscription, str):
            subscription = Subscription.parse(subscription)
        _check_subscription(subscription)
        if self._normalizer is not None:
            subscription = self._normalizer.subscription(subscription)  # type: ignore[type-var]
        if isinstance(subscription, FlatSubscription):
            return self._add_flat(subscription)
        prepared, notices = self._prepare(subscription)
        with self._lock:
            self._insert(prepared)
            if notices:
                self._warnings[prepared.id] = notices
        return prepared.id

    def _add_flat(self, subscription: FlatSubscription) -> str:
        resolved = resolve_flat(subscription, self.ontology)
        with self._lock:
            if subscription.id in self._owners.slots:
                hint = "remove it first or choose another id"
                raise SubscriptionError(f"there is already a subscription with the id {subscription.id!r}", hint=hint)
            self._keep_flat(resolved)
        return resolved.id

    def _keep_flat(self, subscription: FlatSubscription, graph_slots: Sequence[int] = ()) -> None:
        add = self._index.add
        kept = [(add(alternative.constraints), alternative) for alternative in subscription.alternatives]  # type: ignore[arg-type]
        self._owners.keep(subscription.id, kept, graph_slots)

    def _insert(self, subscription: Subscription) -> None:
        flat = lower(subscription, self.ontology)
        with self._lock:
            if self._graph is None:
                self._keep_flat(flat)
                return
            satisfiable = self._graph.insert(subscription)
            used = zip(flat.alternatives, satisfiable, strict=True)
            kept = FlatSubscription.of_alternatives((one for one, usable in used if usable), flat.id)
            self._keep_flat(kept, self._graph.slots_of(flat.id))

    def _discard(self, subscription_id: str) -> None:
        with self._lock:
            for slot in self._owners.slots[subscription_id]:
                self._index.remove(slot)
            self._owners.forget(subscription_id)
            if self._graph is not None and subscription_id in self._graph:
                self._graph.remove(subscription_id)

    def rebalance(self) -> None:
        """Arrange a GEM-Tree anew, now that all subscriptions are known: the paper's global adjustment (section IV.D).
        The answers stay. Other indexes adapt by themselves: there is nothing to do."""
        with self._lock:
            if isinstance(self._index, GemTreeIndex):
                self._index.rebalance()

    # matching

    def match_ids(self, event: _Either) -> list[str]:
        """The ids of every subscription that the event satisfies, each once, in no particular order."""
        return self._ids(self._normal(event))

    def _normal(self, event: _Either) -> _Either:
        _check_event(event)
        return event if self._normalizer is None else self._normalizer.event(event)  # type: ignore[type-var]

    def _ids(self, event: _Either) -> list[str]:
        with self._lock:
            found = self._match_flat(event) if isinstance(event, FlatEvent) else self._match_graph(event)
            self._counts["events"] += 1
            self._counts["matches"] += len(found)
        return found

    def match_many(
        self, events: Iterable[_Either], on_error: Callable[[SemanticPubSubError], object] | None = None
    ) -> list[list[str]]:
        """The ids for each event, in the order of the events. The error of a bad one goes to `on_error`, and its list
        is empty; without `on_error` it is raised, and the answers for the others are lost."""
        return super().match_many(events, on_error)  # type: ignore[arg-type]

    @property
    def text_reader(self) -> OpsMatcher | None:
        """The graph matcher, if it alone has the answer for RDF events: then it may be asked with their texts."""
        with self._lock:
            if self._graph_proposes and self._normalizer is None and len(self._graph or ()) == len(self._owners.slots):
                return self._graph
            return None

    def match_batch(self, table: PairTable) -> tuple[npt.NDArray[np.int64], Slots]:
        """Many flat events as arrays: their ends (one more than there are events), and numbers of subscriptions; those
        of the n-th event begin at its end and stop at the next. `id_array` has the ids. Graphs are not looked at."""
        index = self._index
        if self._strict or self._normalizer is not None or not isinstance(index, SlotIndex):
            return self._one_by_one(table)
        with self._lock:
            if self._known_pairs is None:
                self._known_pairs = KnownPairs(index.encoder)
            batch = batch_of(self._known_pairs.of(table.pairs), table)
            ends, slots = index.match_batch(batch)
            for event in batch.rough.tolist():
                ends, slots = replaced(ends, slots, event, self._flat_slots(table.event(event)))
            if self._owners.several:
                ends, slots = without_repeats(ends, self._owners.first_slots()[slots])
            self._counts["events"] += len(ends) - 1
            self._counts["candidates"] += len(slots)
            self._counts["matches"] += len(slots)
        return ends, slots

    def match_columns(self, columns: Mapping[Any, Any], rows: int) -> tuple[npt.NDArray[np.int64], Slots]:
        """The same for a wide table: a column of values for each attribute, None and NaN where there is none."""
        index = self._index
        plain = index.encoder.has_plain_numbers if isinstance(index, SlotIndex) else lambda _key: False
        with self._lock:
            table = table_of(columns, rows, plain)
            return self.match_batch(table)

    @property
    def id_array(self) -> npt.NDArray[np.object_]:
        """The ids of subscriptions by the numbers of `match_batch`."""
        return np.array(self._owners.ids, np.object_)

    def _one_by_one(self, table: PairTable) -> tuple[npt.NDArray[np.int64], Slots]:
        with self._lock:
            found = [[self._owners.slots[name][0] for name in self.match_ids(event)] for event in table.events()]
        ends = np.cumsum([0, *map(len, found)])
        return ends, np.array([slot for slots in found for slot in slots], np.int32)

    def match(self, event: _Either) -> list[Match]:
        """Every subscription that the event satisfies. Only a verified match of a graph pattern has bindings."""
        event = self._normal(event)
        found = self._ids(event)
        if self._graph is None or isinstance(event, FlatEvent):
            return [Match(name, lambda: iter(({},))) for name in found]
        graph = self._graph
        plain = [name for name in found if name not in graph]
        matches = graph.matches_of(event, (name for name in found if name in graph))
        return matches + [Match(name, lambda: iter(({},))) for name in plain]

    def _match_flat(self, event: FlatEvent) -> list[str]:
        slots = self._flat_slots(event)
        self._counts["candidates"] += len(slots)
        return self._ids_of(slots)

    def _flat_slots(self, event: FlatEvent) -> Slots:
        index = self._index
        if not isinstance(index, SlotIndex) or self._strict:
            return index.match(self._pairs(event))
        try:
            encoded = index.encode_flat(event)
        except OntologyError as error:
            raise EventError(error.message, source=event.id, hint=error.hint) from None
        slots = index.match_encoded(encoded)
        return index.checked(slots, self._pairs(event)) if encoded.rough else slots

    def _match_graph(self, event: Event) -> list[str]:
        if self._graph is None or not self._graph_proposes:
            return self._match_walked(event)
        found = self._graph.match_ids(event)
        if len(self._graph) == len(self._owners.slots):
            return found
        graph = self._graph
        return found + [name for name in self._ids_of(self._walked_slots(event)[0]) if name not in graph]

    def _match_walked(self, event: Event) -> list[str]:
        slots, single, distinct = self._walked_slots(event)
        self._counts["candidates"] += len(slots)
        if self._graph is None:
            return self._ids_of(slots)
        return self._verified(event, slots, single, distinct)

    def _walked_slots(self, event: Event) -> tuple[Slots, bool, bool]:
        """The slots that the pairs of an event satisfy; whether each path leads to one vertex, and each to another."""
        index = self._index
        if not isinstance(index, SlotIndex):
            return index.match(self._pairs(event)), False, False
        index.encoder.make_room()
        walked = walk(event, index.vocabulary)
        encoded = index.encoder.encode_vertices(walked.vertices)
        slots = index.match_encoded(encoded)
        if encoded.rough:
            slots = index.checked(slots, self._pairs(event))
        return slots, walked.single, walked.distinct

    def _verified(self, event: Event, slots: Slots, single: bool, distinct: bool) -> list[str]:
        """The ids whose match the graph confirms, or for which the pairs tell all there is."""
        graph = self._graph
        if graph is None or not len(slots):
            return self._ids_of(slots)
        sure, doubtful = self._owners.doubtful(slots, single, distinct)
        found = self._ids_of(sure)
        if not len(doubtful):
            return found
        self._counts["verified"] += len(doubtful)
        confirmed = graph.confirm(event, doubtful)
        return list(dict.fromkeys(found + confirmed)) if self._owners.several else found + confirmed

    def _ids_of(self, slots: Slots) -> list[str]:
        return self._owners.names(slots)

    def _pairs(self, event: _Either) -> Sequence[Pair]:
        flat = event if isinstance(event, FlatEvent) else flatten(event, self.ontology, self.paths)
        return pairs_of(flat, self.ontology, strict=self._strict and flat is event)[0]

    # why

    def explain(self, event: _Either, subscription_id: str) -> Explanation:
        """Why the event matches a subscription, or what is missing: on the graph with `verify`, else pair by pair."""
        event = self._normal(event)
        if self._graph is not None and isinstance(event, Event) and subscription_id in self._graph:
            return self._graph.explain(event, subscription_id)
        with self._lock:
            alternatives = [self._index.asked(slot) for slot in self._owners.slots[subscription_id]]
        return explain_flat(self._pairs(event), event.id, subscription_id, alternatives, self.ontology)

    def notices(self, event: FlatEvent) -> tuple[Notice, ...]:
        """What is left out of a flat event, and what was perhaps meant."""
        return tuple(pairs_of(event, self.ontology)[1])

    # keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all subscriptions, ready for matching, into a file (with `verify` the patterns into a second one)."""
        with self._lock:
            flat_files.save(path, self._kept(), normalised=self._normalizer is not None)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        ontology: Ontology,
        *,
        strict: bool = False,
        normalizer: Normalizer | None = None,
        verify_file: bool = False,
    ) -> FlatMatcher:
        """The matcher that `save` wrote, mapped into memory and read-only: processes that load it share it.

        What was added through a normalizer asks for what that wrote, so one that was made in the same way has to be
        given. A SemanticPubSubError says so if it is not, or if the file is none of ours, is cut off, or was saved with
        another ontology or version; `verify_file` reads all of it and compares checksums.
        """
        kept = flat_files.load(path, ontology, normalised=normalizer is not None, verify_file=verify_file)
        return cls._of(kept, strict, normalizer)

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes and copies; with an index that can be saved these are read-only."""
        with self._lock:
            parts = flat_files.packed(self._kept())
        return _unpickled, (type(self), self.ontology, parts, self._strict, self._normalizer)

    def _kept(self) -> Kept:
        return Kept(self._index, self._owners, self._warnings, self._graph)

    @classmethod
    def _of(cls, kept: Kept, strict: bool, normalizer: Normalizer | None) -> FlatMatcher:
        matcher = cls(kept.flat.ontology, "scan", strict=strict, normalizer=normalizer)
        matcher._index, matcher._owners, matcher._warnings, matcher._graph = kept
        matcher._graph_proposes = kept.graph is not None and isinstance(kept.flat, AutoIndex)
        return matcher

    # what it holds

    @property
    def paths(self) -> tuple[AttributePath, ...]:
        """The paths that subscriptions use: `flatten(event, ontology, matcher.paths)` unfolds nothing else."""
        with self._lock:
            return tuple(self._index.paths())

    def stats(self) -> dict[str, int | float | str]:
        """Counts of what the matcher holds and has done; with `auto` also which index it is, and why."""
        verify = "yes" if self._graph is not None else "no"
        own: dict[str, int | float | str] = {"matcher": "flat", "subscriptions": len(self), "verify": verify}
        own |= self._counts
        if self._graph is not None and self._graph_proposes:
            proposed = int(self._graph.stats()["candidates"])
            own["candidates"], own["verified"] = self._counts["candidates"] + proposed, proposed
            own["RDF events"] = "ops: it proposes and verifies on the same reading of an event"
        with self._lock:
            return own | {name: value for name, value in self._index.stats().items() if name not in own}

    def ids(self) -> list[str]:
        """The ids of all standing subscriptions."""
        return list(self._owners.slots)

    def __len__(self) -> int:
        return len(self._owners.slots)

    def __contains__(self, subscription_id: object) -> bool:
        return subscription_id in self._owners.slots


def _check_subscription(given: object) -> None:
    if not isinstance(given, Subscription | FlatSubscription):
        hint = "give a Subscription, its text, or FlatSubscription({attribute: constraint})"
        raise SubscriptionError(f"{type(given).__name__} is no subscription", hint=hint)


def _check_event(given: object) -> None:
    if not isinstance(given, Event | FlatEvent):
        hint = "give an Event, or FlatEvent({attribute: value})"
        raise EventError(f"{type(given).__name__} is no event", hint=hint)


def _unpickled(
    kind: type[FlatMatcher], ontology: Ontology, parts: tuple[Any, ...], strict: bool, normalizer: Normalizer | None
) -> FlatMatcher:
    return kind._of(flat_files.unpacked(ontology, parts), strict, normalizer)
