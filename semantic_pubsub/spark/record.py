"""What the reader of event files gives, and what it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

__all__ = ["Record", "Split"]

_END: Final = 1 << 62


@dataclass(frozen=True)
class Split:
    """A piece of a file: records that begin in [start, end); `line` is the number of the first line in it."""

    path: str
    start: int = 0
    end: int = _END
    line: int = 1

    @property
    def whole(self) -> bool:
        return self.start == 0 and self.end == _END


class Record(NamedTuple):
    """The text of one event; `source` is the file and, of a file with many events, the line. No body: see `problem`."""

    event_id: str | None
    body: str | None
    format: str
    source: str
    problem: str | None = None
