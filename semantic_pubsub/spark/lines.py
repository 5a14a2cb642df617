"""The lines of a split of a file, each with its place and number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.events.limits import DEFAULT_LIMITS
from semantic_pubsub.events.streams import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from semantic_pubsub.spark.record import Split

__all__ = ["numbered_lines"]

_MARK: Final = b"\xef\xbb\xbf"


def numbered_lines(path: Path, split: Split) -> Iterator[tuple[int, int, bytes | None]]:
    """(place, number, line) of every line that begins at or after the start; None for one that is too long.

    They go on beyond the split's end: whoever reads them knows when an event that began in it is over.
    """
    most = DEFAULT_LIMITS.bytes
    start, number = _first_line(path, split)
    with opened(path, DEFAULT_LIMITS, start) as feed:
        for line in feed.lines(most):
            read = most + 1 if line is None else len(line)  # a long line is given up when so much of it was read
            yield start + feed.bytes - read, number + feed.line - 1, line


def _first_line(path: Path, split: Split) -> tuple[int, int]:
    """Where the first line begins that is the split's own, and its number."""
    if split.whole and path.suffix.lower() == ".gz":
        return 0, 1
    with opened(path, DEFAULT_LIMITS) as _, path.open("rb") as file:
        if not split.start:  # places are exact, so nobody else may skip the mark
            return (len(_MARK) if file.read(len(_MARK)) == _MARK else 0), split.line
        place = split.start - 1  # a line that began before the start is the split's before: go to its end
        file.seek(place)
        while part := file.readline(1 << 20):
            place += len(part)
            if part.endswith(b"\n"):
                break
    return place, split.line + (place > split.start)
