"""Events of one batch against the parts of an index: which subscriptions, event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.flat.batches import PairTable
from semantic_pubsub.matching.flat.pairs import FlatEvent
from semantic_pubsub.matching.flat_matcher import FlatMatcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from semantic_pubsub.events import Event
    from semantic_pubsub.spark.decoding import FlatBatch

__all__ = ["Matches", "Part", "match_flat", "match_graphs"]

_MOST_RESULTS: Final = 2_000_000
_FIRST_SLICE: Final = 1_000


class Matches(NamedTuple):
    """Matches of the events from `start` up to `stop`: event `owners[i]` satisfies the subscription `ids[i]`."""

    start: int
    stop: int
    owners: npt.NDArray[np.int64]
    ids: pa.Array
    bindings: list[dict[str, str]] | None = None


class Part:
    """A matcher with its ids as an Arrow column."""

    def __init__(self, matcher: Any) -> None:
        self.matcher = matcher
        self._ids: pa.Array | None = None

    def batch(self, batch: FlatBatch, start: int, stop: int) -> tuple[npt.NDArray[np.int64], pa.Array]:
        """The matches of some events of a batch; an event that cannot be matched is noted as bad."""
        offsets = batch.offsets[start : stop + 1]
        codes = batch.codes[offsets[0] : offsets[-1]]
        if not isinstance(self.matcher, FlatMatcher):
            return _one_by_one(self.matcher, batch, start, stop)
        try:
            ends, numbers = self.matcher.match_batch(PairTable(offsets - offsets[0], codes, batch.pairs))
        except SemanticPubSubError:  # some event is bad: which one is found one by one
            return _one_by_one(self.matcher, batch, start, stop)
        return np.repeat(np.arange(start, stop), np.diff(ends)), self._named(numbers)

    def _named(self, numbers: npt.NDArray[np.int32]) -> pa.Array:
        if self._ids is None:
            self._ids = pa.array(self.matcher.id_array, pa.string())
        return self._ids.take(pa.array(numbers))


def _one_by_one(matcher: Any, batch: FlatBatch, start: int, stop: int) -> tuple[npt.NDArray[np.int64], pa.Array]:
    owners: list[int] = []
    ids: list[str] = []
    for event in range(start, stop):
        codes = batch.codes[batch.offsets[event] : batch.offsets[event + 1]].tolist()
        try:
            found = matcher.match_ids(FlatEvent.of_items(batch.pairs[code] for code in codes))
        except SemanticPubSubError as error:
            batch.bad.setdefault(event, str(error))
            continue
        owners += [event] * len(found)
        ids += found
    return np.array(owners, np.int64), pa.array(ids, pa.string())


def match_flat(parts: Sequence[Part], batch: FlatBatch) -> Iterator[Matches]:
    """The answer of all parts together, in slices of events whose results fit into memory."""
    start, size, events = 0, _FIRST_SLICE, len(batch.offsets) - 1
    while start < events:
        stop = min(events, start + size)
        answers = [part.batch(batch, start, stop) for part in parts]
        owners = np.concatenate([owners for owners, _ in answers])
        ids = answers[0][1] if len(answers) == 1 else pa.concat_arrays([ids for _, ids in answers])
        yield Matches(start, stop, owners, ids)
        each = max(1.0, len(owners) / (stop - start))
        size = max(1, min(4 * size, int(_MOST_RESULTS / each)))
        start = stop


def match_graphs(
    parts: Sequence[Part], events: Sequence[Event | None], bad: dict[int, str], with_bindings: bool
) -> Matches:
    """The answer for events as graphs; None stands for a bad one."""
    owners: list[int] = []
    ids: list[str] = []
    bindings: list[dict[str, str]] | None = [] if with_bindings else None
    for number, event in enumerate(events):
        if event is None:
            continue
        try:
            found = (
                _bound(parts, event) if with_bindings else [(n, {}) for p in parts for n in p.matcher.match_ids(event)]
            )
        except SemanticPubSubError as error:
            bad[number] = str(error)
            continue
        owners += [number] * len(found)
        ids += [name for name, _ in found]
        if bindings is not None:
            bindings += [terms for _, terms in found]
    return Matches(0, len(events), np.array(owners, np.int64), pa.array(ids, pa.string()), bindings)


def _bound(parts: Sequence[Part], event: Event) -> list[tuple[str, dict[str, str]]]:
    return [
        (match.subscription_id, {name: term.n3() for name, term in match.bindings.items()})
        for part in parts
        for match in part.matcher.match(event)
    ]
