"""Figures 8(a) to 8(f) of the OPS paper drawn again, ours beside the points that its text gives.

    python -m benchmarks.ops_figures [--quick] [--folder DIR]

The *sec6* workload, injective as in the paper. The series: our matcher, the paper's own algorithm (repaired) and, for
few subscriptions, the decomposition algorithm, both in Python, and what the paper published (Java on a Pentium IV at
1.6 GHz: compare the shapes, not the times). Nodes of trees are counted in the paper's algorithm; a tree that no
statement of the event touched counts with its root.
Writes `ops-figure-8` as PNG, SVG and CSV.
"""

from __future__ import annotations

import argparse
import csv
import gc
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.competitors import Decomposition, PaperMatcher
from benchmarks.drawing import finish, panels
from benchmarks.measuring import cpu, progress
from benchmarks.ops_common import agree, measured_events, time_events
from benchmarks.workloads import Sec6
from semantic_pubsub import OpsMatcher, Subscription

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Measured", "main", "measure"]

RESULTS = Path(__file__).parent / "results"

# What the text of section 6 says; everything else in its figures can only be guessed from the drawing.
PUBLISHED = {
    "a": [("OPS, published", [(10_000, 1_200.0)])],
    "b": [("OPS, published", [(20, 1.0)]), ("Decomposition, published", [(20, 500.0)])],
    "c": [("OPS, published", [(2, 2_500.0), (20, 50.0)])],
    "d": [("OPS, published", [(1.3, 50.0), (23.8, 2_500.0)])],
    "e": [("OPS, published", [(500, 5.0), (10_000, 5.0)])],
    "f": [],
}
TITLES = {
    "a": ("(a) time and subscriptions, C = 10", "subscriptions", "ms an event"),
    "b": ("(b) few subscriptions, C = 10", "subscriptions", "ms an event"),
    "c": ("(c) time and classes, S = 1,000", "classes", "ms an event"),
    "d": ("(d) time and match rate, S = 1,000", "match rate, %", "ms an event"),
    "e": ("(e) nodes and subscriptions, C = 10", "subscriptions", "nodes a tree"),
    "f": ("(f) nodes and match rate, S = 1,000", "match rate, %", "nodes a tree"),
}
OURS, PAPER, DECOMPOSITION = "ours", "paper's algorithm in Python", "decomposition in Python"
FEW = 20
STYLES = {
    OURS: {"color": "#1b6ca8", "marker": "o"},
    PAPER: {"color": "#c46b1d", "marker": "s"},
    DECOMPOSITION: {"color": "#a02c2c", "marker": "v"},
    "OPS, published": {"color": "#444444", "marker": "*", "linestyle": "none", "markersize": 11},
    "Decomposition, published": {"color": "#a02c2c", "marker": "X", "linestyle": "none", "markersize": 8},
}
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Measured:
    """One setting: means over the events."""

    classes: int
    size: int
    ours: float
    paper: float
    nodes: float
    rate: float
    decomposition: float | None = None
    """Only for as few subscriptions as in figure 8 (b)."""


def measure(classes: int, size: int, events: int) -> Measured:
    """Both algorithms on the same subscriptions and events, in milliseconds; their answers must be the same."""
    workload = Sec6(classes=classes)
    subscriptions = list(workload.parsed(size, injective=True))
    matcher, paper = OpsMatcher(workload.ontology()), PaperMatcher(workload.ontology())
    for subscription in subscriptions:
        matcher.add(subscription)
    paper.add_all(subscriptions)
    timed = time_events(matcher.match_ids, workload, events, rounds=3)
    times, nodes = [], []
    for event, found in zip(measured_events(workload, events), timed.ids, strict=True):
        prepared = paper.prepare(event)
        gc.collect()
        gc.disable()
        seconds, expected = cpu(paper.match_ids, prepared)
        gc.enable()
        agree(found, expected)
        times.append(1_000 * seconds)
        nodes.append(paper.nodes_per_tree)
    ours = 1_000 * statistics.fmean(timed.seconds)
    decomposed = _decomposed(workload, subscriptions, timed.ids) if size <= FEW else None
    paper_time, rate = statistics.fmean(times), 100 * timed.matches / size
    return Measured(classes, size, ours, paper_time, statistics.fmean(nodes), rate, decomposed)


def _decomposed(workload: Sec6, subscriptions: Sequence[Subscription], ids: Sequence[list[str]]) -> float:
    """Milliseconds an event of the decomposition algorithm."""
    other = Decomposition(workload.ontology())
    other.add_all(subscriptions)
    times = []
    for event, found in zip(measured_events(workload, len(ids)), ids, strict=True):
        seconds, expected = cpu(other.match_ids, other.prepare(event))
        agree(found, expected)
        times.append(1_000 * seconds)
    return statistics.fmean(times)


def series(
    many: Sequence[Measured], few: Sequence[Measured], classes: Sequence[Measured]
) -> dict[str, list[tuple[str, Points]]]:
    """The lines of each figure, measured ones first."""
    by_rate = sorted(classes, key=lambda m: m.rate)
    decomposed = [(m.size, m.decomposition) for m in few if m.decomposition is not None]
    measured: dict[str, list[tuple[str, Points]]] = {
        "a": [(OURS, [(m.size, m.ours) for m in many]), (PAPER, [(m.size, m.paper) for m in many])],
        "b": [(OURS, [(m.size, m.ours) for m in few]), (PAPER, [(m.size, m.paper) for m in few])]
        + ([(DECOMPOSITION, decomposed)] if decomposed else []),
        "c": [(OURS, [(m.classes, m.ours) for m in classes]), (PAPER, [(m.classes, m.paper) for m in classes])],
        "d": [(OURS, [(m.rate, m.ours) for m in by_rate]), (PAPER, [(m.rate, m.paper) for m in by_rate])],
        "e": [(PAPER, [(m.size, m.nodes) for m in many])],
        "f": [(PAPER, [(m.rate, m.nodes) for m in by_rate])],
    }
    return {name: lines + PUBLISHED[name] for name, lines in measured.items()}


def draw(figures: dict[str, list[tuple[str, Points]]], path: Path) -> None:
    """Six panels; times on logarithmic scales, or nothing of ours could be seen."""
    canvas, axes = panels(2, 3, (15, 8.5))
    for (name, lines), panel in zip(figures.items(), axes.flat, strict=True):
        _panel(panel, name, lines)
    finish(canvas, "Figure 8 of the OPS paper, measured again (sec6; CPU time, means over events)", path)


def _panel(panel: Axes, name: str, lines: list[tuple[str, Points]]) -> None:
    title, across, up = TITLES[name]
    for label, points in lines:
        panel.plot(*zip(*points, strict=True), label=label, **STYLES[label])  # type: ignore[arg-type]
    panel.set(title=title, xlabel=across, ylabel=up)
    panel.grid(alpha=0.3)
    panel.xaxis.get_major_locator().set_params(integer=True)
    if "ms" in up:
        panel.set_yscale("log")
    else:
        panel.set_ylim(0, 1.15 * max(y for _, points in lines for _, y in points))
    if name == "f":
        panel.axvspan(1.3, 23.8, color="#444444", alpha=0.08)
        panel.annotate("shaded: the paper's match rates", (0.03, 0.06), xycoords="axes fraction", fontsize=9)


def write(figures: dict[str, list[tuple[str, Points]]], path: Path) -> None:
    """Every point that was drawn."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["figure", "series", "x", "x is", "y", "y is"])
        for name, lines in figures.items():
            for label, points in lines:
                writer.writerows([f"8({name})", label, x, TITLES[name][1], y, TITLES[name][2]] for x, y in points)


def _measured(settings: Sequence[tuple[int, int]], events: int) -> Iterator[Measured]:
    for classes, size in settings:
        found = measure(classes, size, events)
        progress(
            f"C = {classes}, S = {size:,}: ours {found.ours:.3f} ms, paper's algorithm {found.paper:.1f} ms, "
            f"{found.nodes:.1f} nodes a tree, {found.rate:.1f} % match"
        )
        yield found


def main() -> None:
    """Measure all settings, draw, write."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--quick", action="store_true", help="fewer settings and events")
    reader.add_argument("--folder", type=Path, default=None, help="where the files go: results, or results/quick")
    given = reader.parse_args()
    folder = given.folder or (RESULTS / "quick" if given.quick else RESULTS)
    events = 10 if given.quick else 40
    sizes = (500, 2_000, 5_000) if given.quick else (500, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000)
    few = (1, 10, 20) if given.quick else (1, 5, 10, 15, 20)
    classes = (2, 10, 20) if given.quick else (2, 3, 4, 6, 8, 10, 12, 16, 20)
    figures = series(
        list(_measured([(10, size) for size in sizes], events)),
        list(_measured([(10, size) for size in few], events)),
        list(_measured([(c, 1_000) for c in classes], events)),
    )
    folder.mkdir(parents=True, exist_ok=True)
    write(figures, folder / "ops-figure-8.csv")
    draw(figures, folder / "ops-figure-8")
    print(f"{folder / 'ops-figure-8.png'}, .svg and .csv")


if __name__ == "__main__":
    main()
