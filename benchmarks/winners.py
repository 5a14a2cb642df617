"""Which is fastest where, as a table: ours, the competitors, and what `auto` made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from benchmarks.index_rows import Row, is_ours, overlap
from benchmarks.measuring import number_text
from benchmarks.scenarios import SCENARIOS, Scenario

__all__ = ["winners"]

_HEADS = (
    "scenario",
    "setting",
    "fastest index of ours",
    "fastest competitor",
    "auto against the best index",
    "competitor against auto",
    "auto chose",
)
_SAME = "no difference"


def winners(rows: Sequence[Row]) -> str:
    """A line for each setting that was measured, and below it what was not."""
    by_scenario = {name: [row for row in rows if row.scenario == name] for name in SCENARIOS}
    lines = [line for name, own in by_scenario.items() for line in _lines(SCENARIOS[name], own)]
    if lines:
        lines = [_line(_HEADS), "|---" * len(_HEADS) + "|", *lines, ""]
    missing = [_missing(SCENARIOS[name], {row.x for row in own}) for name, own in by_scenario.items()]
    lines.append(f"Not measured: {', '.join(filter(None, missing)) or 'nothing'}.")
    return "\n".join(lines) + "\n"


def _lines(scenario: Scenario, rows: Iterable[Row]) -> Iterator[str]:
    for x, found in groupby(sorted(rows, key=lambda row: row.x), key=lambda row: row.x):
        yield _line((f"`{scenario.name}`", _setting(scenario.axis, x), *_compared(list(found))))


def _compared(rows: Sequence[Row]) -> tuple[str, ...]:
    """One setting. Adjusted ones count as indexes."""
    auto = next((row for row in rows if row.candidate == "auto"), None)
    index = _fastest(row for row in rows if is_ours(row.candidate) and row is not auto)
    peer = _fastest(row for row in rows if not is_ours(row.candidate))
    return (
        index.candidate if index else "",
        peer.candidate if peer else "",
        _times(auto, index, 2),
        _times(peer, auto, 1),
        auto.note if auto else "",
    )


def _fastest(rows: Iterable[Row]) -> Row | None:
    return min(rows, key=lambda row: row.event, default=None)


def _times(one: Row | None, other: Row | None, digits: int) -> str:
    """How many times as long one takes as the other."""
    if one is None or other is None:
        return ""
    return _SAME if overlap(one, other) else f"{one.event / other.event:.{digits}f}"


def _missing(scenario: Scenario, there: set[float]) -> str:
    """What of a scenario is not there."""
    xs = [point.x for point in scenario.points if point.x not in there]
    if not xs:
        return ""
    settings = " and ".join(map(number_text, xs))
    return f"`{scenario.name}`" + (f" at {_of(scenario.axis, settings)}" if there else "")


def _setting(axis: str, x: float) -> str:
    return _of(axis, number_text(x))


def _of(axis: str, text: str) -> str:
    """`match rate 10 %` of the axis `match rate, %`."""
    name, _, unit = axis.partition(", ")
    return f"{name} {text} {unit}".rstrip()


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
