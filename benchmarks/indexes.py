"""Which flat index is best where: all of ours and the competitors on every scenario, with every answer compared.

    python -m benchmarks.indexes [--quick] [--scenarios NAME,...] [--candidates NAME,...] [--folder DIR] [--list]

CPU time, never wall-clock. An event: the mean over the events of a round, then the median over rounds, beside it the
least and the greatest: what two candidates' spreads have in common is no difference, and is said to be none. An
insertion: the last thousand subscriptions one by one; in bulk: all of them. Memory: bytes in use, counted by each.
Events are encoded before they are timed, answers are arrays of numbers, on both sides. Writes `indexes.csv`,
`comparisons.csv` and for each scenario a figure as PNG and SVG.
"""

from __future__ import annotations

import argparse
import csv
import gc
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.index_rows import Comparison, Effort, Row, compared, measured
from benchmarks.measuring import progress
from benchmarks.panels import draw
from benchmarks.scenarios import SCENARIOS, Scenario

__all__ = ["RESULTS", "main", "read_rows", "run"]

RESULTS = Path(__file__).parent / "results"
_FULL = Effort(events=100, rounds=5)
_QUICK = Effort(events=10, rounds=3)


def run(scenario: Scenario, *, quick: bool = False, only: Iterable[str] = ()) -> tuple[list[Row], list[Comparison]]:
    """All settings of a scenario."""
    rows: list[Row] = []
    comparisons: list[Comparison] = []
    for point in scenario.quick if quick else scenario.points:
        progress(f"{scenario.name}: {scenario.axis} {point.x:,g}, {point.number:,} subscriptions")
        own = list(measured(scenario, point, _QUICK if quick else _FULL, frozenset(only)))
        rows += own
        comparisons += compared(own)
        gc.collect()
    return rows, comparisons


def show(scenario: Scenario, rows: Sequence[Row], comparisons: Sequence[Comparison], console: Console) -> None:
    """A table of the scenario."""
    table = Table(title=f"{scenario.name}: {scenario.probes}", title_justify="left")
    heads = scenario.axis, "candidate", "µs an event", "match", "B each", "µs insert", "µs bulk", "note"
    for head in heads:
        table.add_column(head, justify="left" if head in ("candidate", "note") else "right")
    before = None
    for row in rows:
        if before not in (None, row.x):
            table.add_section()
        before = row.x
        table.add_row(
            f"{row.x:,g}",
            row.candidate,
            " ".join(row.time.text(1, "").split()),
            f"{row.match_rate:.3%}",
            f"{row.bytes_each:,.0f}",
            f"{row.insert:,.2f}",
            f"{row.insert_bulk:,.2f}",
            row.note,
        )
    console.print(table)
    for one in comparisons:
        console.print(f"  {one.x:>12,g}  {one.what}: {one.ratio:,.2f}  {one.verdict}")


def write(folder: Path, name: str, kind: type[Any], rows: Sequence[Any]) -> None:
    """Rows of the scenarios measured now; those of others stay, so that a run may be done piece by piece."""
    path = folder / name
    columns = [field.name for field in fields(kind)]
    measured_now = {row.scenario for row in rows}
    kept: list[dict[str, Any]] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            kept = [row for row in csv.DictReader(file) if row["scenario"] not in measured_now]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows([*kept, *map(asdict, rows)])


def read_rows(path: Path) -> list[Row]:
    """The rows of a run."""
    with path.open(newline="", encoding="utf-8") as file:
        return [Row.read(values) for values in csv.DictReader(file)]


def main() -> int:
    given = _options()
    if given.list:
        for scenario in SCENARIOS.values():
            print(f"{scenario.name:16} {scenario.probes}")
        return 0
    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    console, started = Console(width=140), time.perf_counter()
    for name in given.scenarios:
        scenario = SCENARIOS[name]
        rows, comparisons = run(scenario, quick=given.quick, only=given.candidates)
        show(scenario, rows, comparisons, console)
        write(folder, "indexes.csv", Row, rows)
        write(folder, "comparisons.csv", Comparison, comparisons)
        measures = ("event",) if given.quick else ("event", "bytes_each", "insert")
        panels = [(name, scenario.axis, measure, rows) for measure in measures]
        draw(panels, scenario.probes, folder / name)
    print(f"{time.perf_counter() - started:.0f} s; {folder / 'indexes.csv'}, comparisons.csv, and a figure for each")
    return 0


def _options() -> argparse.Namespace:
    reader = argparse.ArgumentParser(
        prog="python -m benchmarks.indexes", description=(__doc__ or "").partition("\n")[0]
    )
    reader.add_argument("--quick", action="store_true", help="some thousands of subscriptions: to see that all runs")
    reader.add_argument("--scenarios", default="", help="which ones, with commas between; default: all")
    reader.add_argument("--candidates", default="", help="which ones, with commas between; default: all that are there")
    reader.add_argument(
        "--folder", type=Path, default=None, help="where the files go; default: results, or results/quick"
    )
    reader.add_argument("--list", action="store_true", help="say which scenarios there are and what they probe")
    given = reader.parse_args()
    given.scenarios = given.scenarios.split(",") if given.scenarios else list(SCENARIOS)
    given.candidates = given.candidates.split(",") if given.candidates else []
    unknown = [name for name in given.scenarios if name not in SCENARIOS]
    if unknown:
        reader.error(f"no scenario {unknown[0]!r}; there are {', '.join(SCENARIOS)}")
    given.folder = given.folder or (RESULTS / "quick" if given.quick else RESULTS)
    return given


if __name__ == "__main__":
    sys.exit(main())
