"""Files as lines, for readers that must not hold a whole file: position, size and gzip in one place."""

from __future__ import annotations

import gzip
import zlib
from array import array
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Final

from semantic_pubsub.errors import EventError
from semantic_pubsub.events.guards import QUOTED_TRIPLE, not_text
from semantic_pubsub.events.model import cannot_read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from semantic_pubsub.events.limits import Limits

__all__ = ["LineFeed", "SeenNames", "opened"]

_TRIPLE_TERM: Final = b"<<("
_MOST_TRIPLE_TERMS: Final = 1000
_NUL: Final = "holds a NUL character"


@contextmanager
def opened(path: Path, limits: Limits, start: int = 0) -> Iterator[LineFeed]:
    """A file to read line by line, from byte `start` on; every failure of it is an `EventError` that names the file."""
    packed = path.suffix.lower() == ".gz"
    try:
        with gzip.open(path, "rb") if packed else path.open("rb") as stream:
            stream.seek(start)
            yield LineFeed(stream, limits, packed)  # type: ignore[arg-type]
    except (OSError, EOFError, zlib.error) as error:
        raise cannot_read(path, error) from None


class LineFeed:
    """Gives a parser at most one line per read, so that after each quad `line` is where the quad stands.

    It keeps what was read since the last quad, within the limits of one event, and counts the triple terms
    (`<<(`) in it: nested too deep they would overflow pyoxigraph's stack.
    """

    def __init__(self, stream: IO[bytes], limits: Limits, packed: bool) -> None:
        self._stream = stream
        self._unpacked = limits.unpacked if packed else None
        self._most_held = limits.bytes
        self._held = 0
        self._recent: list[tuple[int, bytes]] = []
        self._again: list[tuple[int, bytes]] = []
        self._triple_terms = 0
        self._at_start = True
        self.line = 0
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        """For the parser: the next line, or as much of it as fits."""
        if self._again:
            self.line, chunk = self._again.pop()
        else:
            chunk = self.readline(size)
        self._recent.append((self.line, chunk))
        self._held += len(chunk)
        if b"\0" in chunk:  # in a file that began as text it spoils one line
            raise not_text() if self.line == 1 else ValueError(_NUL)
        if self._held > self._most_held:
            message = f"has {self._most_held:,} bytes without a triple"
            raise EventError(message, line=self.line, hint="take them out, or raise Limits.bytes")
        self._triple_terms += chunk.count(_TRIPLE_TERM)
        if self._triple_terms > _MOST_TRIPLE_TERMS:
            raise ValueError(QUOTED_TRIPLE)
        return chunk

    def readline(self, size: int) -> bytes:
        """The next line, cut at `size` bytes; keeps line number and size."""
        chunk = self._stream.readline(size)
        if self._at_start:
            self.line += 1
            if self.line == 1:
                chunk = chunk.removeprefix(b"\xef\xbb\xbf") or self._stream.readline(size)
        self._at_start = chunk.endswith(b"\n")
        self.bytes += len(chunk)
        if self._unpacked is not None and self.bytes > self._unpacked:
            message = f"unpacks to more than {self._unpacked:,} bytes"
            raise EventError(message, line=self.line, hint="raise Limits.unpacked if it is meant")
        return chunk

    def got_quad(self) -> None:
        """The parser is through with all that it has read, the end of the last line perhaps excepted."""
        del self._recent[:-1]
        self._held = self._triple_terms = 0

    def text_of(self, line: int) -> bytes:
        """A line that was read since the last quad, as far as it was read."""
        return b"".join(chunk for number, chunk in self._recent if number == line)

    def since_quad(self, line: int, column: int) -> tuple[str, int]:
        """The line in which the last quad stood and what was read since, up to a position; where that line ends."""
        before = b"".join(chunk for number, chunk in self._recent if number < line).decode("utf-8", "replace")
        text = before + self.text_of(line).decode("utf-8", "replace")[: column - 1]
        return text, len(self._recent[0][1].decode("utf-8", "replace")) if self._recent else 0

    def go_on_after(self, line: int) -> None:
        """Let the next parser start after a broken line."""
        self._again = [(number, chunk) for number, chunk in reversed(self._recent) if number > line] + self._again
        self._recent.clear()
        self._held = self._triple_terms = 0
        self.line = line
        if not self._again:
            while not self._at_start and self._stream_goes_on():
                pass

    def lines(self, most: int) -> Iterator[bytes | None]:
        """Each whole line, of text or not; None for one that is longer than `most` bytes."""
        while line := self.readline(most + 1):
            if self._at_start or len(line) <= most:
                yield line
                continue
            yield None
            while not self._at_start and self._stream_goes_on():
                pass

    def _stream_goes_on(self) -> bool:
        return bool(self.readline(1 << 16))


class SeenNames:
    """A set of names in 16 to 32 bytes each: 64-bit hashes in one flat table with open addressing.

    A stream of millions of events must notice a graph that returns without keeping every IRI. Two names that
    share a hash would be taken for one: for ten million names the odds of a single such pair are 1 to 370,000.
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._count = 0

    def add(self, name: str) -> bool:
        """Whether the name is new."""
        if 2 * self._count >= len(self._slots):
            self._grow()
        if not self._insert((hash(name) & 0xFFFF_FFFF_FFFF_FFFF) or 1):
            return False
        self._count += 1
        return True

    def _insert(self, key: int) -> bool:
        slots, mask = self._slots, len(self._slots) - 1
        at = key & mask
        while slots[at]:
            if slots[at] == key:
                return False
            at = (at + 1) & mask
        slots[at] = key
        return True

    def _grow(self) -> None:
        old = self._slots
        self._slots = array("Q", bytes(8 * 2 * len(old)))
        for key in old:
            if key:
                self._insert(key)
