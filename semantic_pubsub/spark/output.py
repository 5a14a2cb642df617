"""Result batches: kept columns, what was found, and the columns that speak of bad records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa  # type: ignore[import-untyped]

from semantic_pubsub.errors import EventError
from semantic_pubsub.spark.columns import GO_ON

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from semantic_pubsub.spark.columns import BadRecords, EventColumns

__all__ = ["Rows", "fail_fast", "record_text"]

_MOST_ROWS: Final = 100_000
_LONGEST_RECORD: Final = 1_000_000


class Rows:
    """Makes output batches from rows of an input batch, by their numbers, and new columns beside them."""

    def __init__(self, first: dict[str, pa.Array], keep: dict[str, pa.Array], bad: BadRecords) -> None:
        self._first, self._keep, self._bad = first, keep, bad

    def give(
        self,
        owners: npt.NDArray[np.int64],
        new: dict[str, pa.Array],
        problems: dict[int, tuple[str, str]] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Rows `owners` of the kept columns, beside new ones; `problems` are (record, reason) by row of the output."""
        for start in range(0, len(owners), _MOST_ROWS):
            some = pa.array(owners[start : start + _MOST_ROWS])
            columns = {name: column.take(some) for name, column in self._first.items()}
            columns |= {name: column.slice(start, len(some)) for name, column in new.items()}
            columns |= {name: column.take(some) for name, column in self._keep.items()}
            columns |= self._told(start, len(some), problems or {})
            yield pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))

    def _told(self, start: int, number: int, problems: dict[int, tuple[str, str]]) -> dict[str, pa.Array]:
        if self._bad.column is None or self._bad.reason is None:
            return {}
        told = [problems.get(row, (None, None)) for row in range(start, start + number)] if problems else ()
        columns = zip(*told, strict=True) if told else ([None] * number, [None] * number)
        return {
            name: pa.array(column, pa.string())
            for name, column in zip((self._bad.column, self._bad.reason), columns, strict=True)
        }


def record_text(batch: pa.RecordBatch, wanted: EventColumns, row: int) -> str:
    """A bad record as text: the event's own, or its columns as Python shows them."""
    if wanted.kind == "text":
        body = batch.column(wanted.columns[0][0])[row].as_py()
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body or ""
    else:
        text = repr({name: batch.column(name)[row].as_py() for name in wanted.needed})
    return text if len(text) <= _LONGEST_RECORD else text[:_LONGEST_RECORD] + "…"


def fail_fast(batch: pa.RecordBatch, wanted: EventColumns, bad: dict[int, str]) -> None:
    """Raise for the first bad record: its event id where there is one, and what is wrong."""
    row = min(bad)
    name: Any = batch.column(wanted.event_id)[row].as_py() if wanted.event_id else None
    shown = f"the event {name}" if name is not None else f"the record {_excerpt(record_text(batch, wanted, row))!r}"
    raise EventError(f"{shown} is malformed: {bad[row]}", hint=GO_ON)


def _excerpt(text: str) -> str:
    short = " ".join(text[:200].split())
    return short if len(short) <= 80 else short[:80] + "…"
