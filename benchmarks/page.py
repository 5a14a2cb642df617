"""What of `docs/benchmarks.md` is made from a run: tables and figures, each between two marks. All else stays."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.claims import CLAIMS, table_of
from benchmarks.index_rows import Row
from benchmarks.winners import winners

__all__ = ["DRAWN", "PAGE", "filled", "publish"]

PAGE: Final = Path(__file__).parents[1] / "docs" / "benchmarks.md"
DRAWN: Final = {
    "gem-tree-figures": "Figures 3 to 11 of the GEM-Tree paper, measured again",
    "compme-figure-2": "Figure 2 of the COMPME paper, measured again",
    "hmacd-figures": "Figures 3 and 4 of the HMACD paper, measured again",
    "ctps-figures": "Figures 7 and 8 of the CTPS paper, measured again",
    "ops-figure-8": "Figure 8 of the OPS paper, measured again",
}
"""The figures and what they show."""
_END: Final = "<!-- end -->"


def publish(page: Path, rows: Sequence[Row], drawn: Sequence[Path]) -> None:
    """Copy the SVG files of figures into `figures` beside the page, and fill it anew."""
    figures = page.parent / "figures"
    figures.mkdir(exist_ok=True)
    for path in drawn:
        shutil.copyfile(path, figures / path.name)
    page.write_text(filled(page.read_text(encoding="utf-8"), rows, figures), encoding="utf-8")


def filled(text: str, rows: Sequence[Row], figures: Path) -> str:
    """The page with its tables from these rows, and with those figures that are there."""
    for name, block in _blocks(rows, figures).items():
        opening = f"<!-- {name} -->\n"
        before, found, rest = text.partition(opening)
        _, closing, after = rest.partition(_END)
        if not found or not closing:
            raise ValueError(f"the page has no place for {name}: {opening.strip()} and {_END}")
        text = f"{before}{opening}{block}{closing}{after}"
    return text


def _blocks(rows: Sequence[Row], figures: Path) -> Mapping[str, str]:
    """What belongs after each mark."""
    return {
        "winners": winners(rows),
        **{f"claims: {paper}": table_of(paper, rows) for paper in CLAIMS},
        **{f"figure: {name}": _image(name, figures) for name in DRAWN},
    }


def _image(name: str, figures: Path) -> str:
    path = figures / f"{name}.svg"
    return f"![{DRAWN[name]}]({figures.name}/{path.name})\n" if path.exists() else ""
