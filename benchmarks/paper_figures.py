"""The figures of the GEM-Tree, COMPME and HMACD papers drawn again from a run of `benchmarks.indexes`, and the page.

    python -m benchmarks.paper_figures [--quick] [--folder DIR] [--page]

Reads `indexes.csv` and writes `gem-tree-figures`, `compme-figure-2` and `hmacd-figures` (PNG and SVG). With `--page`
the tables of `docs/benchmarks.md` are written anew from the same rows; what is said below each table stays. CTPS's
figures are drawn by `benchmarks.flat_figures`, those of OPS by `benchmarks.ops_figures`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.claims import CLAIMS, table_of
from benchmarks.index_rows import Row
from benchmarks.indexes import RESULTS, read_rows
from benchmarks.panels import Panel, draw
from benchmarks.scenarios import SCENARIOS

__all__ = ["FIGURES", "main", "with_tables"]

PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks.md"

FIGURES: Final[dict[str, tuple[str, tuple[tuple[str, str, str], ...]]]] = {
    "gem-tree-figures": (
        "Figures 3 to 11 of the GEM-Tree paper, measured again",
        (
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
    ),
    "compme-figure-2": (
        "Figure 2 of the COMPME paper, measured again",
        (
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
    ),
    "hmacd-figures": (
        "Figures 3 and 4 of the HMACD paper, measured again",
        (
            ("3: experiment 1", "hmacd-1", "event"),
            ("4: experiment 2", "hmacd-2", "event"),
            ("insertion, experiment 2", "hmacd-2", "insert_bulk"),
        ),
    ),
}


def panels_of(parts: Sequence[tuple[str, str, str]], rows: Sequence[Row]) -> list[Panel]:
    """The panels of a figure; a scenario that was not measured gives an empty one."""
    return [
        (title, SCENARIOS[name].axis, measure, [row for row in rows if row.scenario == name])
        for title, name, measure in parts
    ]


def with_tables(text: str, rows: Sequence[Row]) -> str:
    """A page whose tables, between `<!-- claims: NAME -->` and `<!-- end -->`, are made from rows."""
    for name in CLAIMS:
        opening = f"<!-- claims: {name} -->\n"
        before, found, rest = text.partition(opening)
        _, closing, after = rest.partition("<!-- end -->")
        if not found or not closing:
            raise ValueError(f"the page has no place for {name}: {opening.strip()} and <!-- end -->")
        text = f"{before}{opening}{table_of(name, rows)}{closing}{after}"
    return text


def main() -> int:
    reader = argparse.ArgumentParser(
        prog="python -m benchmarks.paper_figures", description=(__doc__ or "").partition("\n")[0]
    )
    reader.add_argument("--quick", action="store_true", help="from the quick run")
    reader.add_argument("--folder", type=Path, default=None, help="where the run is, and the figures go")
    reader.add_argument("--page", action="store_true", help="write the tables of docs/benchmarks.md, too")
    given = reader.parse_args()
    folder: Path = given.folder or (RESULTS / "quick" if given.quick else RESULTS)
    source = folder / "indexes.csv"
    if not source.exists():
        print(f"there is no {source}: run python -m benchmarks.indexes first", file=sys.stderr)
        return 1
    rows = read_rows(source)
    for name, (title, parts) in FIGURES.items():
        draw(panels_of(parts, rows), title, folder / name)
        print(folder / f"{name}.png")
    if given.page:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
        print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
