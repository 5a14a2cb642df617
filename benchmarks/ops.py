"""The OPS matcher beside its peers, in one run, with every answer that both gave compared.

    python -m benchmarks.ops [--quick] [--rows NAME,...] [--csv FILE]

Times are CPU time, medians with the spread of the middle 80 %. Every event object is parsed anew before it is timed,
so that nothing kept on it helps; events before the measured ones warm up. Ratios are of means over the same events. The
ASK loop gets its store and its texts ready-made; above 20,000 subscriptions it is asked a random sample, and scaled.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import ops_load_rows as load
from benchmarks import ops_rows as rows
from benchmarks.measuring import progress
from benchmarks.ops_common import Result
from benchmarks.ops_rows import Limits
from benchmarks.workloads import Sec6, Shop

__all__ = ["ROWS", "main"]

RESULTS = Path(__file__).parent / "results"

Row = Callable[[bool], Iterator[Result]]
"""Given whether a quick run was asked for, the lines of one row."""

ROWS: dict[str, Row] = {
    "ask-shop": lambda q: rows.against_ask(
        Shop(), 10_000, Limits(4_000, 15_000), injective=False, events=3 if q else 10
    ),
    "ask-sec6": lambda q: rows.against_ask(
        Sec6(), 10_000, Limits(3_000, 10_000), injective=False, events=1 if q else 8
    ),
    "ask-shop-100k": lambda q: rows.against_ask(
        Shop(), 10_000 if q else 100_000, Limits(10_000, 40_000), injective=False, events=2 if q else 20
    ),
    "ask-injective-shop": lambda q: rows.against_ask(
        Shop(), 10_000, Limits(8_000, 30_000), injective=True, events=2 if q else 10
    ),
    "ask-injective-sec6": lambda q: rows.against_ask(
        Sec6(), 10_000, Limits(8_000, 30_000), injective=True, events=1 if q else 5
    ),
    "paper-shop": lambda q: rows.against_paper(Shop(), 10_000, Limits(100, 350), events=10 if q else 50),
    "paper-sec6": lambda q: rows.against_paper(Sec6(), 10_000, Limits(100, 350), events=10 if q else 50),
    "growth": lambda q: load.growth(*_small_and_large(q)),
    "per-match": lambda q: load.per_match(10_000 if q else 1_000_000),
    "bands": lambda q: rows.bands("two-sided", *_tenfold(q)),
    "bands-one-sided": lambda q: rows.bands("one-sided", *_tenfold(q)),
    "traps": lambda q: rows.trapped(6 if q else 30),
    "text": lambda _: rows.text_to_ids(10_000, Limits(6, 3)),
    "memory": lambda q: load.memory(10_000 if q else 100_000),
    "process-memory": lambda q: load.process_memory(*_small_and_large(q)),
    "changes": lambda q: load.changes(*_small_and_large(q)),
    "parsing": lambda q: load.parsing(60 if q else 300),
    "bulk": lambda q: load.bulk(10_000 if q else 100_000),
    "first": lambda _: load.first_match(),
}
# What a quick run makes smaller than its limits are meant for.
RESIZED = frozenset(
    ("ask-shop-100k", "growth", "per-match", "bands", "bands-one-sided", "memory", "process-memory", "changes", "bulk")
)
COLOURS = {"aim": "green", "must": "yellow", "missed": "red", "error": "bold red"}


def _small_and_large(quick: bool) -> tuple[int, int]:
    return (1_000, 10_000) if quick else (100_000, 1_000_000)


def _tenfold(quick: bool) -> tuple[int, int]:
    return (1_000, 10_000) if quick else (10_000, 100_000)


def main() -> int:
    """Measure, print the table, write the CSV file."""
    given = _options()
    started, results, failed = time.perf_counter(), [], False
    for name in given.rows:
        progress(name)
        try:
            for result in ROWS[name](given.quick):
                if given.quick and name in RESIZED:
                    result.verdict = "not judged"
                progress(f"  {result.what}: {result.ratio or result.measured} -> {result.verdict}")
                results.append((name, result))
        except Exception as error:  # the other rows still say something
            failed = True
            message = f"{type(error).__name__}: {error}"
            progress(f"  {message}")
            results.append((name, Result(name, message, "", "", "", "error")))
    _print(results)
    print(f"{time.perf_counter() - started:.0f} s")
    _write(given.csv, results)
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="python -m benchmarks.ops", description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--quick", action="store_true", help="at most 10,000 subscriptions")
    reader.add_argument("--rows", help=f"which ones, separated by commas: {', '.join(ROWS)}")
    reader.add_argument("--csv", type=Path, default=RESULTS / "ops.csv", help="where the figures go")
    given = reader.parse_args()
    given.rows = given.rows.split(",") if given.rows else list(ROWS)
    unknown = [name for name in given.rows if name not in ROWS]
    if unknown:
        reader.error(f"no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    return given


def _print(results: list[tuple[str, Result]]) -> None:
    table = Table(show_lines=True)
    for heading in ("what", "measured", "ratio", "must", "aim", "verdict"):
        table.add_column(heading, overflow="fold")
    for _, r in results:
        colour = COLOURS.get(r.verdict, "dim")
        table.add_row(r.what, r.measured, r.ratio, r.must, r.aim, f"[{colour}]{r.verdict}[/]")
    Console(width=None if sys.stdout.isatty() else 180).print(table)


def _write(path: Path, results: list[tuple[str, Result]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figures = list(dict.fromkeys(key for _, r in results for key in r.figures))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["row", "what", "measured", "ratio", "must", "aim", "verdict", *(f"value_{k}" for k in figures)]
        )
        for name, r in results:
            numbers = [r.figures.get(key, "") for key in figures]
            writer.writerow([name, r.what, r.measured, r.ratio, r.must, r.aim, r.verdict, *numbers])
    print(f"figures in {path}")


if __name__ == "__main__":
    sys.exit(main())
