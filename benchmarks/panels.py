"""Figures of the bench: one setting against time, memory or insertion, a line for each candidate with its spread."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.drawing import finish, panels
from benchmarks.index_rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MEASURES", "Panel", "draw"]

MEASURES: Final = {
    "event": "µs of CPU an event",
    "bytes_each": "bytes a subscription",
    "insert": "µs of CPU an insertion",
    "insert_bulk": "µs of CPU a subscription, in bulk",
}
_COLOURS: Final = ("#1b6ca8", "#c46b1d", "#5b8c3a", "#a02c2c", "#7a4fa3", "#444444", "#c2a200", "#0f9a9a", "#d05fa0")
_MARKERS: Final = "osDv^X*Ph"

Panel = tuple[str, str, str, Sequence[Row]]
"""Title, axis, measure, rows."""


def draw(figure: Sequence[Panel], title: str, path: Path) -> None:
    """Write `path` as PNG and as SVG; up to three panels beside each other."""
    across = min(3, len(figure))
    down = -(-len(figure) // across)
    canvas, axes = panels(down, across, (5.4 * across, 4.3 * down + 0.8))
    names = list(dict.fromkeys(row.candidate for _, _, _, rows in figure for row in rows))
    for axis, panel in zip(axes.flat, figure, strict=False):
        _draw_panel(axis, panel, names)
    for unused in axes.flat[len(figure) :]:
        unused.set_visible(False)
    finish(canvas, title, path, across=2 * across)


def _draw_panel(axis: Axes, panel: Panel, names: Sequence[str]) -> None:
    title, across, measure, rows = panel
    for name in names:
        own = sorted((row for row in rows if row.candidate == name), key=lambda row: row.x)
        if not own:
            continue
        xs, ys = [row.x for row in own], [getattr(row, measure) for row in own]
        style = _style(name, names)
        if measure == "event":
            below = [row.event - row.event_least for row in own]
            above = [row.event_most - row.event for row in own]
            axis.errorbar(xs, ys, yerr=(below, above), label=name, **style)
        else:
            axis.plot(xs, ys, label=name, **style)
    axis.set(title=title, xlabel=across, ylabel=MEASURES[measure], yscale="log")
    spread = [row.x for row in rows]
    if spread and min(spread) > 0 and max(spread) >= 50 * min(spread):
        axis.set_xscale("log")
    axis.grid(alpha=0.3)


def _style(name: str, names: Sequence[str]) -> dict[str, Any]:
    at = list(names).index(name)
    return {
        "color": _COLOURS[at % len(_COLOURS)],
        "marker": _MARKERS[at % len(_MARKERS)],
        "linewidth": 2.4 if name == "auto" else 1.2,
        "markersize": 5,
        "linestyle": "-" if at < len(_COLOURS) else "--",
    }
