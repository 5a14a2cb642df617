"""`FlatMatcher`: a flat index over all subscriptions and, where the graph answer is wanted, a look at the graph.

The index proposes, the graph decides: a graph match is always a flat match, so nothing is lost, and what the pairs
cannot tell apart is verified by OPS. Where it cannot change the answer, verification is skipped.
"""

from __future__ import annotations

import os
import tempfile
import threading
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from semantic_pubsub.errors import EventError, Notice, OntologyError, SemanticPubSubError, SubscriptionError
from semantic_pubsub.events import Event
from semantic_pubsub.matching.arrays.storage_format import damaged, read_file, write_file
from semantic_pubsub.matching.base import Match, Matcher
from semantic_pubsub.matching.fingerprint import fingerprint
from semantic_pubsub.matching.flat.batches import KnownPairs, PairTable, batch_of, replaced, table_of, without_repeats
from semantic_pubsub.matching.flat.explained import explain_flat
from semantic_pubsub.matching.flat.flatten import flatten
from semantic_pubsub.matching.flat.gem_tree import GemTreeIndex
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.lower import lower
from semantic_pubsub.matching.flat.pairs import FlatEvent, FlatSubscription
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from semantic_pubsub.matching.flat.slot_index import SlotIndex
from semantic_pubsub.matching.flat.storage import restore, state_of
from semantic_pubsub.matching.flat.walks import walk
from semantic_pubsub.matching.graph import OpsMatcher
from semantic_pubsub.subscriptions import Subscription

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.explanation import Explanation
    from semantic_pubsub.matching.flat.index import Slots
    from semantic_pubsub.matching.flat.normalizer import Normalizer
    from semantic_pubsub.matching.flat.paths import Path as AttributePath
    from semantic_pubsub.matching.flat.resolving import Pair

__all__ = ["FlatMatcher"]

_EXACT, _DISTINCT = 1, 2
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
        self._slots: dict[str, tuple[int, ...]] = {}
        self._owners: list[str | None] = []
        self._flags = np.zeros(0, np.uint8)
        self._graph_slots = np.zeros(0, np.int64)  # where the graph matcher has the same alternative, -1 for flat ones
        self._several = 0  # subscriptions with several alternatives: only they can be found twice
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
            if subscription.id in self._slots:
                hint = "remove it first or choose another id"
                raise SubscriptionError(f"there is already a subscription with the id {subscription.id!r}", hint=hint)
            self._keep_flat(resolved)
        return resolved.id

    def _keep_flat(self, subscription: FlatSubscription, graph_slots: Sequence[int] = ()) -> None:
        slots = []
        for number, alternative in enumerate(subscription.alternatives):
            slot = self._index.add(alternative.constraints)  # type: ignore[arg-type]
            self._make_room(slot)
            self._owners[slot] = subscription.id
            self._flags[slot] = alternative.exact * _EXACT | alternative.distinct * _DISTINCT
            self._graph_slots[slot] = graph_slots[number] if graph_slots else -1
            slots.append(slot)
        self._slots[subscription.id] = tuple(slots)
        self._several += len(slots) > 1

    def _make_room(self, slot: int) -> None:
        while len(self._owners) <= slot:
            self._owners.append(None)
        if len(self._flags) <= slot:
            more = max(64, len(self._flags))
            self._flags = np.concatenate([self._flags, np.zeros(more, np.uint8)])
            self._graph_slots = np.concatenate([self._graph_slots, np.full(more, -1, np.int64)])

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
            slots = self._slots[subscription_id]
            for slot in slots:
                self._index.remove(slot)
                self._owners[slot] = None
            del self._slots[subscription_id]
            self._several -= len(slots) > 1
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

    def match_many(self, events: Iterable[_Either]) -> list[list[str]]:
        """The ids for each event, in the order of the events."""
        return [self.match_ids(event) for event in events]

    @property
    def text_reader(self) -> OpsMatcher | None:
        """The graph matcher, if it alone has the answer for RDF events: then it may be asked with their texts."""
        with self._lock:
            if self._graph_proposes and self._normalizer is None and len(self._graph or ()) == len(self._slots):
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
            if self._several:
                ends, slots = without_repeats(ends, self._first_slots()[slots])
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
        return np.array(self._owners, np.object_)

    def _one_by_one(self, table: PairTable) -> tuple[npt.NDArray[np.int64], Slots]:
        found = [[self._slots[name][0] for name in self.match_ids(event)] for event in table.events()]
        ends = np.cumsum([0, *map(len, found)])
        return ends, np.array([slot for slots in found for slot in slots], np.int32)

    def _first_slots(self) -> Slots:
        """The first slot of whom each slot belongs to."""
        first = np.arange(len(self._owners), dtype=np.int32)
        for slots in self._slots.values():
            if len(slots) > 1:
                first[list(slots)] = slots[0]
        return first

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
        if len(self._graph) == len(self._slots):
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
        graph_slots = self._graph_slots[slots]
        sure = graph_slots < 0  # flat subscriptions: there is nothing to verify
        if single:
            flags = self._flags[slots]
            sure |= (flags & _EXACT != 0) if distinct else (flags == _EXACT)
        found = self._ids_of(slots[sure])
        doubtful = graph_slots[~sure]
        if not len(doubtful):
            return found
        self._counts["verified"] += len(doubtful)
        confirmed = graph.confirm(event, doubtful)
        return list(dict.fromkeys(found + confirmed)) if self._several else found + confirmed

    def _ids_of(self, slots: Slots) -> list[str]:
        owners = self._owners
        found = [owners[slot] for slot in slots.tolist()]
        return list(dict.fromkeys(found)) if self._several else found

    def _pairs(self, event: _Either) -> Sequence[Pair]:
        flat = event if isinstance(event, FlatEvent) else flatten(event, self.ontology, self.paths)
        return pairs_of(flat, self.ontology, strict=self._strict and flat is event)[0]

    # why

    def explain(self, event: _Either, subscription_id: str) -> Explanation:
        """Why the event matches a subscription, or what is missing: on the graph with `verify`, else pair by pair."""
        slots = self._slots[subscription_id]
        event = self._normal(event)
        if self._graph is not None and isinstance(event, Event) and subscription_id in self._graph:
            return self._graph.explain(event, subscription_id)
        with self._lock:
            alternatives = [self._index.asked(slot) for slot in slots]
        return explain_flat(self._pairs(event), event.id, subscription_id, alternatives, self.ontology)

    def notices(self, event: FlatEvent) -> tuple[Notice, ...]:
        """What is left out of a flat event, and what was perhaps meant."""
        return tuple(pairs_of(event, self.ontology)[1])

    # keeping

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all subscriptions, ready for matching, into a file (with `verify` the patterns into a second one)."""
        if not isinstance(self._index, SlotIndex):
            raise SemanticPubSubError("the scanning index cannot be saved", hint="take index='auto'")
        with self._lock:
            directory, arrays = state_of(self._index)
            own = {"ontology": fingerprint(self.ontology), "verify": self._graph is not None}
            own |= {"ids": list(self._slots), "notices": self._kept_notices()}
            lengths = np.array([len(slots) for slots in self._slots.values()], np.int32)
            slots = np.array([slot for owned in self._slots.values() for slot in owned], np.int32)
            used = len(self._owners)
            whole: dict[str, npt.NDArray[Any]] = {
                "lengths": lengths,
                "slots": slots,
                "flags": self._flags[:used],
                "graph": self._graph_slots[:used],
            }
            filled = {name: array if len(array) else np.zeros(1, array.dtype) for name, array in whole.items()}
            if self._graph is not None:
                self._graph.save(_graph_file(path))
            write_file(Path(path), {**directory, **own}, {**arrays, **filled})

    def _kept_notices(self) -> dict[str, list[list[Any]]]:
        return {name: [list(astuple(one)) for one in notices] for name, notices in self._warnings.items()}

    @classmethod
    def load(cls, path: str | os.PathLike[str], ontology: Ontology, *, verify_file: bool = False) -> FlatMatcher:
        """The matcher that `save` wrote, mapped into memory and read-only: processes that load it share it.

        A SemanticPubSubError says so if the file is none of ours, is cut off, or was saved with another ontology or
        version; `verify_file` reads all of it and compares checksums.
        """
        directory, arrays = read_file(Path(path), verify=verify_file)
        if directory.get("ontology") != fingerprint(ontology) or directory.get("index") not in INDEXES:
            hint = "load it with the ontology it was saved with, or add the subscriptions anew"
            raise SemanticPubSubError("was not saved by a flat matcher with this ontology", source=str(path), hint=hint)
        matcher = cls(ontology, directory["index"])
        try:
            restore(matcher._index, directory, arrays)  # type: ignore[arg-type]
            matcher._restore_owners(directory, arrays)
        except (IndexError, KeyError, TypeError, ValueError) as problem:
            raise damaged(Path(path), f"is damaged: what it holds does not fit together: {problem}") from None
        except SemanticPubSubError as error:
            raise error.at(str(path)) from None
        if directory["verify"]:
            matcher._graph_proposes = directory["index"] == "auto"
            matcher._graph = OpsMatcher.load(_graph_file(path), ontology, verify=verify_file)
        return matcher

    def _restore_owners(self, directory: dict[str, Any], arrays: dict[str, Any]) -> None:
        slots = iter(arrays["slots"].tolist())
        lengths = arrays["lengths"].tolist()
        self._owners = [None] * len(arrays["flags"])
        for name, length in zip(directory["ids"], lengths, strict=False):
            self._slots[name] = tuple(next(slots) for _ in range(length))
            for slot in self._slots[name]:
                self._owners[slot] = name
            self._several += length > 1
        self._flags, self._graph_slots = arrays["flags"], arrays["graph"]
        self._warnings = {n: tuple(Notice(*one) for one in found) for n, found in directory["notices"].items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes: what `save` writes, as bytes."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "index")
            self.save(file)
            files = {name.name: name.read_bytes() for name in Path(folder).iterdir()}
        return _unpickled, (self.ontology, files)

    # what it holds

    @property
    def paths(self) -> tuple[AttributePath, ...]:
        """The paths that subscriptions use: `flatten(event, ontology, matcher.paths)` unfolds nothing else."""
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
        return own | {name: value for name, value in self._index.stats().items() if name not in own}

    def ids(self) -> list[str]:
        """The ids of all standing subscriptions."""
        return list(self._slots)

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, subscription_id: object) -> bool:
        return subscription_id in self._slots


def _check_subscription(given: object) -> None:
    if not isinstance(given, Subscription | FlatSubscription):
        hint = "give a Subscription, its text, or FlatSubscription({attribute: constraint})"
        raise SubscriptionError(f"{type(given).__name__} is no subscription", hint=hint)


def _check_event(given: object) -> None:
    if not isinstance(given, Event | FlatEvent):
        hint = "give an Event, or FlatEvent({attribute: value})"
        raise EventError(f"{type(given).__name__} is no event", hint=hint)


def _graph_file(path: str | os.PathLike[str]) -> Path:
    return Path(f"{os.fspath(path)}.graph")


def _unpickled(ontology: Ontology, files: dict[str, bytes]) -> FlatMatcher:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        return FlatMatcher.load(Path(folder, "index"), ontology)
