"""Flat matching beside what is not an index on intervals, in one run, with every answer compared.

    python -m benchmarks.flat [--quick] [--rows NAME,...]

CPU time per event, medians with the spread of the middle 80 %; ratios are of medians. Indexes are asked with encoded
events, one call each, and give numbers as an array; `flat-events` says what reading a `FlatEvent` and naming the ids
adds. Before the measured events each index has seen others and settled. The indexes among each other, and beside
competitors on intervals: `benchmarks.indexes`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import chain

from rich.console import Console
from rich.table import Table

from benchmarks.flat_rows import Line, changes, concepts, flat_events, heights, verified_shop

__all__ = ["ROWS", "main"]

ROWS: dict[str, Callable[[bool], Iterator[Line]]] = {
    "ctps": lambda q: concepts(5, 1_000 if q else 10_000, 50 if q else 300, 20, 70),
    "ctps-low": lambda q: concepts(1, 500 if q else 5_000, 50 if q else 300, 20, 70),
    "heights": lambda q: heights(1_000 if q else 10_000, 100 if q else 500, 5),
    "changes": lambda q: chain.from_iterable(map(changes, (4_000,) if q else (10_000, 100_000, 1_000_000))),
    "flat-events": lambda q: flat_events(10_000, 50 if q else 300),
    "verify": lambda q: verified_shop(5_000 if q else 100_000, 50 if q else 300),
}


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m benchmarks.flat", description=__doc__.partition("\n")[0])
    reader.add_argument("--quick", action="store_true", help="smaller inputs: to see that everything runs")
    reader.add_argument("--rows", help=f"which ones, with commas between: {', '.join(ROWS)}")
    given = reader.parse_args()
    names = given.rows.split(",") if given.rows else list(ROWS)
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        reader.error(f"no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    table = Table("what", "ours", "peer", "ratio", "must", title="flat indexes")
    for name in names:
        for line in ROWS[name](given.quick):
            ratio = "" if line.ratio is None else f"{line.ratio:,.2f}"
            table.add_row(line.what, line.ours, line.peer, ratio, line.wanted)
        table.add_section()
    Console(width=170).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
