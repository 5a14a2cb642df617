"""What runs on executors for transformations that add columns to a table of event texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa  # type: ignore[import-untyped]

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.spark.bundle import Handle
    from semantic_pubsub.spark.columns import BadRecords, EventColumns
    from semantic_pubsub.spark.texts import TextReading

__all__ = ["PerEvent", "TextTask"]


class PerEvent(Protocol):
    """What is worked out for each event."""

    def columns(self) -> dict[str, Any]:
        """The new columns and their Arrow types."""

    def prepare(self, ontology: Ontology | None) -> Callable[[Event], tuple[Any, ...]]:
        """A function from an event to the values of the new columns."""


@dataclass(frozen=True)
class TextTask:
    """Reads texts and adds what `work` finds; small, since everything large comes as files."""

    wanted: EventColumns
    bad: BadRecords
    reading: TextReading
    keep: tuple[str, ...]
    work: PerEvent
    ontology: Handle | None

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Every batch with its new columns."""
        from semantic_pubsub.spark.worker import load_ontology

        ontology = load_ontology(self.ontology) if self.ontology is not None else None
        work = self.work.prepare(ontology)
        reading = self.reading.reading(ontology)
        for batch in batches:
            if batch.num_rows:
                yield from self._one(batch, work, reading)

    def _one(self, batch: pa.RecordBatch, work: Callable[[Event], tuple[Any, ...]], reading: Any) -> Iterator[Any]:
        import pyarrow as pa

        from semantic_pubsub.spark.output import Rows, fail_fast, record_text
        from semantic_pubsub.spark.texts import read_texts

        read = read_texts(batch, self.wanted, reading)
        values: list[tuple[Any, ...]] = []
        nothing = (None,) * len(self.work.columns())
        for number, event in enumerate(read.events):
            found = nothing
            try:
                found = nothing if event is None else work(event)
            except SemanticPubSubError as error:
                read.bad[number] = str(error)
            values.append(found)
        if read.bad and self.bad.mode == "FAILFAST":
            fail_fast(batch, self.wanted, read.bad)
        dropped = read.bad if self.bad.mode == "DROPMALFORMED" else {}
        rows = [row for row in range(batch.num_rows) if row not in dropped]
        kinds = self.work.columns().values()
        columns = zip(*(values[row] for row in rows), strict=True) if rows else ((),) * len(nothing)
        new = {
            name: pa.array(column, kind) for name, kind, column in zip(self.work.columns(), kinds, columns, strict=True)
        }
        problems = {
            place: (record_text(batch, self.wanted, row), read.bad[row])
            for place, row in enumerate(rows)
            if row in read.bad
        }
        first = {self.wanted.event_id or "event_id": self._ids(batch, read.events)}
        keep = {name: batch.column(name) for name in self.keep}
        yield from Rows(first, keep, self.bad).give(np.array(rows, np.int64), new, problems)

    def _ids(self, batch: pa.RecordBatch, events: list[Event | None]) -> Any:
        import pyarrow as pa

        if self.wanted.event_id is not None:
            return batch.column(self.wanted.event_id)
        return pa.array([None if event is None else event.id for event in events], pa.string())
