"""What `benchmarks.indexes` leaves on file: what was measured before stays, so that a run can be done in pieces."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final, TypeVar

from benchmarks.index_rows import Comparison, Row, compared
from benchmarks.scenarios import SCENARIOS

__all__ = ["RESULTS", "keep", "read_rows"]

RESULTS: Final = Path(__file__).parent / "results"
_Kind = TypeVar("_Kind", Row, Comparison)


def read_rows(folder: Path) -> list[Row]:
    """The rows of all runs."""
    return _read(folder / "indexes.csv", Row)


def keep(folder: Path, measured: Sequence[Row]) -> list[Comparison]:
    """Put the rows of one setting in place of those of the same candidates there; compare all there are of it."""
    point = _point(measured[0])
    rows = [row for row in read_rows(folder) if not _is_replaced(row, measured)] + list(measured)
    comparisons = list(compared([row for row in _ordered(rows) if _point(row) == point]))
    others = [one for one in _read(folder / "comparisons.csv", Comparison) if _point(one) != point]
    _write(folder / "indexes.csv", Row, _ordered(rows))
    _write(folder / "comparisons.csv", Comparison, _ordered([*others, *comparisons]))
    return comparisons


def _is_replaced(row: Row, measured: Sequence[Row]) -> bool:
    """Whether it was measured again, or with another number of subscriptions, which is not to be compared."""
    if _point(row) != _point(measured[0]):
        return False
    return row.subscriptions != measured[0].subscriptions or row.candidate in {one.candidate for one in measured}


def _point(row: Row | Comparison) -> tuple[str, float]:
    return row.scenario, row.x


def _ordered(rows: Sequence[_Kind]) -> list[_Kind]:
    """Scenarios, settings and candidates as they are listed, whatever was measured first: files and colours stay."""
    return sorted(rows, key=_place)


def _place(row: Row | Comparison) -> tuple[int, float, int]:
    if row.scenario not in SCENARIOS:
        return len(SCENARIOS), row.x, 0
    peers = SCENARIOS[row.scenario].peers
    at = peers.index(row.candidate) if isinstance(row, Row) and row.candidate in peers else len(peers)
    return list(SCENARIOS).index(row.scenario), row.x, at


def _read(path: Path, kind: type[_Kind]) -> list[_Kind]:
    if not path.exists():
        return []
    kinds = {field.name: {"str": str, "int": int, "float": float}[str(field.type)] for field in fields(kind)}
    with path.open(newline="", encoding="utf-8") as file:
        return [kind(**{name: kinds[name](row[name]) for name in kinds}) for row in csv.DictReader(file)]


def _write(path: Path, kind: type[Any], rows: Sequence[Row] | Sequence[Comparison]) -> None:
    """All at once: who is interrupted while writing loses nothing."""
    whole = path.with_suffix(".new")
    with whole.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(kind)])
        writer.writeheader()
        writer.writerows(map(asdict, rows))
    whole.replace(path)
