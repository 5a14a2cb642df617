"""Which flat index is best where: all of ours and the competitors on every scenario, with every answer compared.

    python -m benchmarks.indexes [--quick] [--scenarios NAME,...] [--candidates NAME,...] [--most N]
        [--folder DIR] [--list]

CPU time, never wall-clock. An event: the mean over the events of a round, then the median over rounds, beside it the
least and the greatest: what two candidates' spreads have in common is no difference, and is said to be none. An
insertion: the last thousand subscriptions one by one; in bulk: all of them. Memory: bytes in use, counted by each.
Events are encoded before they are timed, answers are arrays of numbers, on both sides. Writes `indexes.csv`
and `comparisons.csv` after each setting, and for each scenario a figure as PNG and SVG; what was measured before stays.
"""

from __future__ import annotations

import argparse
import gc
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.index_files import RESULTS, keep, read_rows
from benchmarks.index_rows import Comparison, Effort, Row, measured
from benchmarks.measuring import number_text, progress
from benchmarks.panels import draw
from benchmarks.scenarios import SCENARIOS, Scenario

__all__ = ["main", "run"]

_FULL = Effort(events=100, rounds=9)
_QUICK = Effort(events=10, rounds=3)


def run(
    scenario: Scenario, *, quick: bool = False, only: Iterable[str] = (), most: int | None = None
) -> Iterator[list[Row]]:
    """The rows of each setting, as soon as they are measured; settings with more than `most` subscriptions are not."""
    for point in scenario.quick if quick else scenario.points:
        if most is not None and point.number > most:
            continue
        progress(f"{scenario.name}: {scenario.axis} {number_text(point.x)}, {point.number:,} subscriptions")
        rows = list(measured(scenario, point, _QUICK if quick else _FULL, frozenset(only)))
        if rows:
            yield rows
        gc.collect()


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
            number_text(row.x),
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
        console.print(f"  {number_text(one.x):>12}  {one.what}: {one.ratio:,.2f}  {one.verdict}")


def main() -> int:
    given = _options()
    if given.list:
        for scenario in SCENARIOS.values():
            print(f"{scenario.name:16} {scenario.probes}")
        return 0
    given.folder.mkdir(parents=True, exist_ok=True)
    console, started = Console(width=140), time.perf_counter()
    for name in given.scenarios:
        _do(SCENARIOS[name], given, console)
    print(f"{time.perf_counter() - started:.0f} s; {given.folder}: indexes.csv, comparisons.csv, and a figure for each")
    return 0


def _do(scenario: Scenario, given: argparse.Namespace, console: Console) -> None:
    """Measure a scenario and keep each setting; show what was measured, draw all that is on file."""
    rows: list[Row] = []
    comparisons: list[Comparison] = []
    for own in run(scenario, quick=given.quick, only=given.candidates, most=given.most):
        rows += own
        comparisons += keep(given.folder, own)
    if not rows:
        return
    show(scenario, rows, comparisons, console)
    on_file = [row for row in read_rows(given.folder) if row.scenario == scenario.name]
    measures = ("event",) if given.quick else ("event", "bytes_each", "insert")
    panels = [(scenario.name, scenario.axis, measure, on_file) for measure in measures]
    draw(panels, scenario.probes, given.folder / scenario.name)


def _options() -> argparse.Namespace:
    reader = argparse.ArgumentParser(
        prog="python -m benchmarks.indexes", description=(__doc__ or "").partition("\n")[0]
    )
    reader.add_argument("--quick", action="store_true", help="some thousands of subscriptions: to see that all runs")
    reader.add_argument("--scenarios", default="", help="which ones, with commas between; default: all")
    reader.add_argument("--candidates", default="", help="which ones, with commas between; default: all that are there")
    reader.add_argument("--most", type=int, help="leave out what has more subscriptions")
    reader.add_argument(
        "--folder", type=Path, default=None, help="where the files go; default: results, or results/quick"
    )
    reader.add_argument("--list", action="store_true", help="say which scenarios there are and what they probe")
    given = reader.parse_args()
    given.scenarios = given.scenarios.split(",") if given.scenarios else list(SCENARIOS)
    # A comma with a space after it is part of a name: "gem-tree, adjusted".
    given.candidates = re.split(r",(?! )", given.candidates) if given.candidates else []
    unknown = [name for name in given.scenarios if name not in SCENARIOS]
    if unknown:
        reader.error(f"no scenario {unknown[0]!r}; there are {', '.join(SCENARIOS)}")
    peers = dict.fromkeys(peer for name in given.scenarios for peer in SCENARIOS[name].peers)
    unknown = [name for name in given.candidates if name not in peers]
    if unknown:
        reader.error(f"no candidate {unknown[0]!r} in these scenarios; there are {'; '.join(peers)}")
    if given.candidates:
        given.scenarios = [name for name in given.scenarios if {*given.candidates} & {*SCENARIOS[name].peers}]
    given.folder = given.folder or (RESULTS / "quick" if given.quick else RESULTS)
    return given


if __name__ == "__main__":
    sys.exit(main())
