"""What all figures have in common: a legend below the panels, and files that hardly change when drawn again."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.figure import Figure

__all__ = ["finish", "panels"]

_COORDINATE: Final = re.compile(r'(?<=[ "-])(\d+\.\d)\d+(?=[\s"),])')


def panels(down: int, across: int, size: tuple[float, float]) -> tuple[Figure, npt.NDArray[Any]]:
    """An empty figure, which needs no screen."""
    import matplotlib as mpl

    mpl.use("Agg")
    # Texts as texts, and names of parts that are the same each time: small files, and small differences.
    mpl.rcParams["svg.fonttype"] = "none"
    mpl.rcParams["svg.hashsalt"] = "semantic-pubsub"
    mpl.rcParams["font.sans-serif"] = ["DejaVu Sans"]
    import matplotlib.pyplot as plt

    canvas, axes = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    return canvas, axes


def finish(canvas: Figure, title: str, path: Path, *, across: int = 4) -> None:
    """Write `path` as PNG and as SVG, with a legend of all panels."""
    import matplotlib.pyplot as plt

    known: dict[str, Any] = {}
    for panel in canvas.axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            known.setdefault(label, handle)
    canvas.legend(
        list(known.values()),
        list(known),
        loc="outside lower center",
        ncols=min(across, len(known) or 1),
        frameon=False,
    )
    canvas.suptitle(title)
    canvas.savefig(path.with_suffix(".png"), dpi=110)
    text = StringIO()
    canvas.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    path.with_suffix(".svg").write_text(_smaller(text.getvalue()), encoding="utf-8")
    plt.close(canvas)


def _smaller(text: str) -> str:
    """Without indentation, and with one decimal for coordinates: half of a file would be these."""
    lines = "\n".join(line.strip() for line in text.splitlines()) + "\n"
    # Powers on axes name one font only; who does not have it shall see one like it.
    return _COORDINATE.sub(r"\1", lines).replace("'DejaVu Sans'\"", "'DejaVu Sans', sans-serif\"")
