"""Everything that can go wrong, as data.

    SemanticPubSubError
    ├── OntologyError        a file that cannot be read as an ontology, an unknown or ambiguous name
    ├── EventError           an event that cannot be read, has no home vertex or several
    ├── SubscriptionError    a pattern that cannot be parsed, is not supported or not rooted
    └── ValidationError      an event that its SHACL shapes refuse (carries the report)

Errors carry fields, not only a sentence: where (source, line, column) and what to do (hint).
What deserves attention but stops nothing is a `Notice`.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.events.report import ValidationReport

__all__ = [
    "EventError",
    "Notice",
    "OntologyError",
    "SemanticPubSubError",
    "SubscriptionError",
    "ValidationError",
    "did_you_mean",
    "quoted",
]


class SemanticPubSubError(Exception):
    """Base of every error of this package; `str()` is one line that names place and remedy."""

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line
        self.column = column
        self.hint = hint

    def __str__(self) -> str:
        place = _place(self.source, self.line, self.column)
        remedy = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{remedy}"

    def at(self, source: str, line: int | None = None) -> SemanticPubSubError:
        """Name the file (and line) where that was not known when the error arose."""
        self.source = self.source or source
        self.line = self.line if self.line is not None else line
        return self


class OntologyError(SemanticPubSubError):
    """An ontology cannot be read, or a name is unknown or ambiguous (`candidates` lists what was meant)."""

    def __init__(
        self,
        message: str,
        *,
        candidates: Iterable[str] = (),
        source: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, source=source, line=line, column=column, hint=hint)
        self.candidates = tuple(candidates)


class EventError(SemanticPubSubError):
    """An event cannot be read, or its home vertex is missing or ambiguous."""


class SubscriptionError(SemanticPubSubError):
    """A subscription cannot be parsed, uses what is not supported, or is not rooted at `_:H`."""


class ValidationError(SemanticPubSubError):
    """An event does not conform to its SHACL shapes; `report` says where and why."""

    def __init__(self, message: str, *, report: ValidationReport, source: str | None = None) -> None:
        super().__init__(message, source=source)
        self.report = report


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning: something that stops nothing but deserves a look. `str()` is one line."""

    message: str
    source: str | None = None
    line: int | None = None
    column: int | None = None
    text: str | None = None

    def __str__(self) -> str:
        quoted = f": {self.text}" if self.text else ""
        return f"{_place(self.source, self.line, self.column)}{self.message}{quoted}"


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str | None:
    """`did you mean A, B?` for the known names nearest to `name`, or None."""
    lowered = {k.lower(): k for k in known}
    close = [lowered[c] for c in difflib.get_close_matches(name.lower(), lowered, n=most, cutoff=0.7)]
    return f"did you mean {', '.join(close)}?" if close else None


def quoted(value: object, most: int = 80) -> str:
    """A value as Python writes it, cut where it is too long for a line."""
    try:
        shown = repr(value)
    except ValueError:  # an integer of thousands of digits
        return f"{type(value).__name__} of very many digits"
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _place(source: str | None, line: int | None, column: int | None) -> str:
    parts = [source] if source else []
    if line is not None:
        parts.append(f"line {line}" if column is None else f"line {line}, column {column}")
    return ", ".join(parts) + ": " if parts else ""
