"""Events of one batch against the parts of an index: which subscriptions, event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.flat.batches import PairTable
from semantic_pubsub.matching.flat.pairs import FlatEvent
from semantic_pubsub.matching.flat_matcher import FlatMatcher
from semantic_pubsub.matching.graph import OpsMatcher
from semantic_pubsub.spark.texts import there

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from semantic_pubsub.events import Event
    from semantic_pubsub.events.parser import Reading
    from semantic_pubsub.spark.decoding import FlatBatch
    from semantic_pubsub.spark.texts import Formats

__all__ = ["Matches", "Part", "match_flat", "match_graphs", "match_texts"]

_MOST_RESULTS: Final = 2_000_000
_FIRST_SLICE: Final = 1_000
_STEP: Final = 64  # texts that are taken through each step together
_SMALL: Final = 100_000  # bytes of a text, on average


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
        self._text_ids: pa.Array | None = None

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

    @property
    def text_reader(self) -> OpsMatcher | None:
        """Who answers for a text without an event being made of it."""
        return self.matcher if isinstance(self.matcher, OpsMatcher) else self.matcher.text_reader

    def text_ids(self, reader: OpsMatcher, numbers: Sequence[int]) -> pa.Array:
        """The ids of numbers that the reader of texts gave."""
        if self._text_ids is None:
            self._text_ids = pa.array(reader.id_array, pa.string())
        return self._text_ids.take(pa.array(numbers, pa.int64()))

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


def match_texts(
    part: Part, reader: OpsMatcher, bodies: pa.Array, formats: Formats, reading: Reading, bad: dict[int, str]
) -> Matches:
    """The answer for a column of texts, without an `Event` of each."""
    step = _STEP if bodies.nbytes < _SMALL * max(1, len(bodies)) else 1  # large texts are not held twice
    counts = np.zeros(len(bodies), np.int64)
    numbers: list[int] = []
    for start in range(0, len(bodies), step):
        rows, texts = [], []
        for row, body in enumerate(bodies[start : start + step].to_pylist(), start):
            try:
                texts.append((there(body), formats.of(row)))
            except SemanticPubSubError as error:
                bad[row] = str(error)
            else:
                rows.append(row)
        for row, found in zip(rows, reader.texts_owners(texts, reading), strict=True):
            if isinstance(found, SemanticPubSubError):
                bad[row] = str(found)
            else:
                numbers += found
                counts[row] = len(found)
    return Matches(0, len(bodies), np.repeat(np.arange(len(bodies)), counts), part.text_ids(reader, numbers))


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
