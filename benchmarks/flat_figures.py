"""Figures 7 and 8 of the CTPS paper drawn again, ours beside the points that its text gives.

    python -m benchmarks.flat_figures [--quick] [--folder DIR]

The *ctps* workload (the paper's table 1). Ours in machine code, G-ToPSS and MIC literally in Python; the paper's are
all in Java on an i5-6200: compare the shapes. Memory of the peers is what Python allocates for them (tracemalloc), ours
what the index counts. OPS, which figure 8 (a) shows, has figures of its own (`benchmarks.ops_figures`).
Writes `ctps-figures` as PNG, SVG and CSV.
"""

from __future__ import annotations

import argparse
import csv
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.competitors.gtopss import GToPSS
from benchmarks.competitors.mic import DoesNotFitError, Mic
from benchmarks.drawing import finish, panels
from benchmarks.flat_rows import concept_index, timed
from benchmarks.measuring import progress
from benchmarks.workloads.concepts import Concepts
from semantic_pubsub.matching.flat.ctps import CtpsIndex

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["main", "measure"]

RESULTS = Path(__file__).parent / "results"
CTPS, GTOPSS, MIC = "CTPS, ours", "G-ToPSS in Python", "MIC in Python"
PUBLISHED = "CTPS, published"
STYLES: dict[str, dict[str, Any]] = {
    CTPS: {"color": "#1b6ca8", "marker": "o"},
    GTOPSS: {"color": "#c46b1d", "marker": "s"},
    MIC: {"color": "#5b8c3a", "marker": "^"},
    PUBLISHED: {"color": "#444444", "marker": "*", "linestyle": "none", "markersize": 11},
}
TITLES = {
    "7(a)": ("7 (a) memory, height 1", "subscriptions", "MB"),
    "7(b)": ("7 (b) memory, height 5", "subscriptions", "MB"),
    "8(b)": ("8 (b) time, height 1", "subscriptions", "µs an event"),
    "8(c)": ("8 (c) time, height 5", "subscriptions", "µs an event"),
    "8(d)": ("8 (d) time and match rate, 10,000 subscriptions, height 5", "match rate, %", "µs an event"),
    "height": ("time and height, 10,000 subscriptions", "height", "µs an event"),
}
Points = list[tuple[float, float]]
Figures = dict[str, dict[str, Points]]
WARM = 100


def measure(workload: Concepts, number: int, events: int) -> tuple[float, float, list[set[int]]]:
    """Microseconds an event and megabytes of our index, and its answers."""
    index = concept_index(CtpsIndex, workload, number)
    encoded = [index.encode_flat(event) for event in workload.flat_events(WARM + events)]
    answers = [set(index.match_encoded(event).tolist()) for event in encoded]
    return 1e6 * timed(index.match_encoded, encoded[WARM:]).median, index.memory() / 1e6, answers[WARM:]


def measure_peer(
    make: Callable[[Any], Any], workload: Concepts, number: int, answers: list[set[int]], events: int
) -> tuple[float, float] | None:
    """The same of a peer, on fewer events; None where its expansion does not fit into memory."""
    tracemalloc.start()
    peer = make(workload.parents())
    try:
        peer.add_all(workload.constraints(number))
    except DoesNotFitError:
        return None
    finally:
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    given = list(workload.pairs(WARM + events))[WARM:]
    for event, right in zip(given, answers, strict=False):
        assert set(peer.match(event)) == right, "different answers"
    return 1e6 * timed(peer.match, given, 1).median, held / 1e6


def by_size(height: int, sizes: Sequence[int], memory: str, time: str, figures: Figures) -> None:
    """Memory and time at some sizes, beside both peers."""
    workload = Concepts(height)
    for number in sizes:
        progress(f"height {height}, {number:,} subscriptions")
        micros, megabytes, answers = measure(workload, number, 300)
        figures[memory].setdefault(CTPS, []).append((number, megabytes))
        figures[time].setdefault(CTPS, []).append((number, micros))
        for name, make in ((GTOPSS, GToPSS), (MIC, Mic)):
            found = measure_peer(make, workload, number, answers, 10)
            if found is not None:
                figures[memory].setdefault(name, []).append((number, found[1]))
                figures[time].setdefault(name, []).append((number, found[0]))


def figures_of(quick: bool) -> Figures:
    figures: Figures = {name: {} for name in TITLES}
    sizes = (500, 2_000) if quick else (500, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000)
    by_size(1, sizes, "7(a)", "8(b)", figures)
    by_size(5, sizes, "7(b)", "8(c)", figures)
    largest = sizes[-1]
    for rate in (0.001, 0.01, 0.05, 0.1, 0.2, 0.4):
        progress(f"match rate {rate:.1%}")
        micros, _, answers = measure(Concepts(5, rate), largest, 200)
        measured = 100 * sum(map(len, answers)) / len(answers) / largest
        figures["8(d)"].setdefault(CTPS, []).append((measured, micros))
    for height in range(1, 6):
        progress(f"height {height}")
        figures["height"].setdefault(CTPS, []).append((height, measure(Concepts(height), largest, 300)[0]))
    figures["7(b)"][PUBLISHED] = [(10_000, 3.0)]  # the text: less than 3 MB
    return figures


def draw(figures: Figures, path: Path) -> None:
    """Six panels; logarithmic where peers are shown, or nothing of ours could be seen."""
    canvas, axes = panels(2, 3, (15, 8.5))
    for (name, lines), panel in zip(figures.items(), axes.flat, strict=True):
        _panel(panel, name, lines)
    finish(canvas, "Figures 7 and 8 of the CTPS paper, measured again (CPU time, medians over events)", path)


def _panel(panel: Axes, name: str, lines: dict[str, Points]) -> None:
    title, across, up = TITLES[name]
    for label, points in lines.items():
        panel.plot(*zip(*points, strict=True), label=label, **STYLES[label])
    panel.set(title=title, xlabel=across, ylabel=up)
    panel.grid(alpha=0.3)
    if len(lines) > 1:
        panel.set_yscale("log")
    else:
        panel.set_ylim(0, 1.15 * max(y for points in lines.values() for _, y in points))


def write(figures: Figures, path: Path) -> None:
    """Every point that was drawn."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["figure", "series", "x", "x is", "y", "y is"])
        for name, lines in figures.items():
            for label, points in lines.items():
                writer.writerows([name, label, x, TITLES[name][1], y, TITLES[name][2]] for x, y in points)


def main() -> None:
    """Measure all settings, draw, write."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--quick", action="store_true", help="fewer settings")
    reader.add_argument("--folder", type=Path, default=None, help="where the files go: results, or results/quick")
    given = reader.parse_args()
    folder = given.folder or (RESULTS / "quick" if given.quick else RESULTS)
    figures = figures_of(given.quick)
    folder.mkdir(parents=True, exist_ok=True)
    write(figures, folder / "ctps-figures.csv")
    draw(figures, folder / "ctps-figures")
    print(f"{folder / 'ctps-figures.png'}, .svg and .csv")


if __name__ == "__main__":
    main()
