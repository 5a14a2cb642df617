"""The executor's side of `match_events`: Arrow batches of events in, Arrow batches of matches out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from semantic_pubsub.spark.bundle import Handle
from semantic_pubsub.spark.decoding import PairReader, decode_wide
from semantic_pubsub.spark.matching import Matches, Part, match_flat, match_graphs, match_texts
from semantic_pubsub.spark.output import Rows, fail_fast, record_text
from semantic_pubsub.spark.texts import Formats, read_texts
from semantic_pubsub.spark.worker import cached, load_matchers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from semantic_pubsub.matching.graph import OpsMatcher
    from semantic_pubsub.spark.match import MatchTask

__all__ = ["run"]


def run(task: MatchTask, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Match every batch of a partition; the index is loaded when the first one comes, and kept."""
    parts: list[Part] | None = None
    for batch in batches:
        if parts is None:
            handle = task.source if isinstance(task.source, Handle) else task.source.handle()
            parts = _parts(handle)
        if batch.num_rows:
            yield from _Batch(task, batch).matched(parts)


def _parts(handle: Handle) -> list[Part]:
    found: list[Part] = cached(f"parts {handle.digest}", lambda: [Part(m) for m in load_matchers(handle)])
    return found


def _pair_reader() -> PairReader:
    found: PairReader = cached("pairs", PairReader)
    return found


class _Batch:
    """One Arrow batch on its way."""

    def __init__(self, task: MatchTask, batch: pa.RecordBatch) -> None:
        self._task, self._batch = task, batch
        self._bad: dict[int, str] = {}
        self._names: list[Any] | None = None

    def matched(self, parts: Sequence[Part]) -> Iterator[pa.RecordBatch]:
        task = self._task
        for matches in self._matches(parts):
            bad = {row: why for row, why in self._bad.items() if matches.start <= row < matches.stop}
            if bad and task.bad.mode == "FAILFAST":
                fail_fast(self._batch, task.wanted, bad)
            yield from self._rows(_without(matches, bad)) if task.output == "rows" else self._arrays(matches, bad)
            if bad and task.bad.mode == "PERMISSIVE":
                yield from self._corrupt(bad)

    def _matches(self, parts: Sequence[Part]) -> Iterator[Matches]:
        wanted = self._task.wanted
        if wanted.kind == "text":
            reading = self._task.reading.reading(parts[0].matcher.ontology)
            reader = self._reader(parts)
            if reader is not None:
                bodies, formats = self._batch.column(wanted.columns[0][0]), Formats(self._batch, wanted)
                yield match_texts(parts[0], reader, bodies, formats, reading, self._bad)
                return
            read = read_texts(self._batch, wanted, reading)
            self._bad = read.bad
            if wanted.event_id is None:
                self._names = [None if event is None else event.id for event in read.events]
            yield match_graphs(parts, read.events, self._bad, self._task.bindings)
            return
        flat = decode_wide(self._batch, wanted) if wanted.kind == "wide" else _pair_reader().read(self._pairs())
        self._bad = flat.bad
        yield from match_flat(parts, flat)

    def _reader(self, parts: Sequence[Part]) -> OpsMatcher | None:
        """Who can match texts as they are, where nobody asks for more of them than whom they match."""
        task = self._task
        needed = task.bindings or task.wanted.event_id is None
        return None if needed or len(parts) > 1 else parts[0].text_reader

    def _pairs(self) -> pa.Array:
        return self._batch.column(self._task.wanted.columns[0][0])

    def _give(
        self, owners: np.typing.NDArray[np.int64], new: dict[str, pa.Array], problems: dict[int, tuple[str, str]] | None
    ) -> Iterator[pa.RecordBatch]:
        wanted, batch = self._task.wanted, self._batch
        if wanted.event_id is not None:
            ids = batch.column(wanted.event_id)
        else:
            ids = pa.array(self._names or [None] * batch.num_rows, pa.string())
        first = {wanted.event_id or "event_id": ids}
        keep = {column: batch.column(column) for column in self._task.keep}
        yield from Rows(first, keep, self._task.bad).give(owners, new, problems)

    def _rows(self, matches: Matches) -> Iterator[pa.RecordBatch]:
        new: dict[str, pa.Array] = {"subscription_id": matches.ids}
        if self._task.bindings:
            pairs = [list(one.items()) for one in matches.bindings or ()]
            new["bindings"] = pa.array(pairs, pa.map_(pa.string(), pa.string()))
        yield from self._give(matches.owners, new, None)

    def _arrays(self, matches: Matches, bad: dict[int, str]) -> Iterator[pa.RecordBatch]:
        good = _without(matches, bad)
        order = np.argsort(good.owners, kind="stable")
        counts = np.bincount(good.owners - good.start, minlength=good.stop - good.start)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]).astype(np.int32)
        lists = pa.ListArray.from_arrays(pa.array(ends), good.ids.take(pa.array(order)))
        rows = np.array([row for row in range(good.start, good.stop) if row not in bad], np.int64)
        if bad:
            lists = lists.take(pa.array(rows - good.start))
        yield from self._give(rows, {"subscription_ids": lists}, None)

    def _corrupt(self, bad: dict[int, str]) -> Iterator[pa.RecordBatch]:
        """A row with nulls for each bad record, as Spark's readers give it."""
        rows = sorted(bad)
        text = pa.string()
        if self._task.output == "rows":
            new = {"subscription_id": pa.nulls(len(rows), text)}
            if self._task.bindings:
                new["bindings"] = pa.nulls(len(rows), pa.map_(text, text))
        else:
            new = {"subscription_ids": pa.nulls(len(rows), pa.list_(text))}
        problems = {
            number: (record_text(self._batch, self._task.wanted, row), bad[row]) for number, row in enumerate(rows)
        }
        yield from self._give(np.array(rows, np.int64), new, problems)


def _without(matches: Matches, bad: dict[int, str]) -> Matches:
    """The matches of good events only: one part may have answered before another found a fault."""
    if not bad or not len(matches.owners):
        return matches
    good = ~np.isin(matches.owners, list(bad))
    kept = np.flatnonzero(good)
    bindings = None if matches.bindings is None else [matches.bindings[number] for number in kept.tolist()]
    return Matches(matches.start, matches.stop, matches.owners[good], matches.ids.take(pa.array(kept)), bindings)
