"""The figures of the GEM-Tree, COMPME and HMACD papers drawn again from a run of `benchmarks.indexes`, and the page.

    python -m benchmarks.paper_figures [--quick] [--folder DIR] [--page]

Reads `indexes.csv` and writes `gem-tree-figures`, `compme-figure-2` and `hmacd-figures` (PNG and SVG). With `--page`
the tables of `docs/benchmarks.md` are written anew from the same rows, and the figures are copied beside it; what is
said around them stays. CTPS's figures are drawn by `benchmarks.flat_figures`, those of OPS by `benchmarks.ops_figures`:
they are copied, too, if they are in the folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks import page
from benchmarks.index_files import RESULTS, read_rows
from benchmarks.index_rows import Row
from benchmarks.page import DRAWN, publish
from benchmarks.panels import Panel, draw
from benchmarks.scenarios import SCENARIOS

__all__ = ["FIGURES", "main"]

FIGURES: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "gem-tree-figures": (
        ("3: subscriptions", "gem-size", "event"),
        ("4: subscriptions, Zipf", "gem-zipf", "event"),
        ("5: dimensions", "gem-attributes", "event"),
        ("6: cardinality of values", "gem-cardinality", "event"),
        ("7: attributes in subscriptions", "gem-predicates", "event"),
        ("8: match rate", "gem-rate", "event"),
        ("9: single value interval rate", "gem-equalities", "event"),
        ("10: insertion", "gem-size", "insert_bulk"),
        ("11: memory", "gem-size", "bytes_each"),
    ),
    "compme-figure-2": (
        ("(a) memory, low", "compme-low", "bytes_each"),
        ("(b) memory, high, MSS 4", "compme-high", "bytes_each"),
        ("(b) memory, high, MSS 20", "compme-high-20", "bytes_each"),
        ("(c), (e) time, high, MSS 4", "compme-high", "event"),
        ("(c) time, high, MSS 20", "compme-high-20", "event"),
        ("(d), (e) time, low, MSS 4", "compme-low", "event"),
        ("(d) time, low, MSS 20", "compme-low-20", "event"),
        ("(f) building, high", "compme-high", "insert_bulk"),
        ("(f) building, low", "compme-low", "insert_bulk"),
    ),
    "hmacd-figures": (
        ("3: experiment 1", "hmacd-1", "event"),
        ("4: experiment 2", "hmacd-2", "event"),
        ("insertion, experiment 2", "hmacd-2", "insert_bulk"),
    ),
}


def panels_of(parts: Sequence[tuple[str, str, str]], rows: Sequence[Row]) -> list[Panel]:
    """The panels of a figure; a scenario that was not measured gives an empty one."""
    return [
        (title, SCENARIOS[name].axis, measure, [row for row in rows if row.scenario == name])
        for title, name, measure in parts
    ]


def main() -> int:
    reader = argparse.ArgumentParser(
        prog="python -m benchmarks.paper_figures", description=(__doc__ or "").partition("\n")[0]
    )
    reader.add_argument("--quick", action="store_true", help="from the quick run")
    reader.add_argument("--folder", type=Path, default=None, help="where the run is, and the figures go")
    reader.add_argument("--page", action="store_true", help="write the tables and figures of docs/benchmarks.md, too")
    given = reader.parse_args()
    if given.page and given.quick:
        reader.error("the page shows a full run")
    folder: Path = given.folder or (RESULTS / "quick" if given.quick else RESULTS)
    rows = read_rows(folder)
    if not rows:
        print(f"there is nothing in {folder}: run python -m benchmarks.indexes first", file=sys.stderr)
        return 1
    for name, parts in FIGURES.items():
        draw(panels_of(parts, rows), DRAWN[name], folder / name)
        print(folder / f"{name}.png")
    if given.page:
        publish(page.PAGE, rows, _to_publish(folder, rows))
        print(page.PAGE)
    return 0


def _to_publish(folder: Path, rows: Sequence[Row]) -> list[Path]:
    """The figures that show something: ours just drawn, and those that other scripts left there."""
    measured = {row.scenario for row in rows}
    empty = {name for name, parts in FIGURES.items() if measured.isdisjoint(scenario for _, scenario, _ in parts)}
    paths = [folder / f"{name}.svg" for name in DRAWN if name not in empty]
    return [path for path in paths if path.exists()]


if __name__ == "__main__":
    sys.exit(main())
