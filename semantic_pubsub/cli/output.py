"""How the command line speaks: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from semantic_pubsub.errors import Notice

__all__ = [
    "OutputFormat",
    "Problems",
    "cannot_be_written",
    "counted",
    "fail",
    "json_line",
    "note",
    "print_tree",
    "print_whole",
    "progress",
    "stderr",
    "stdout",
    "warn",
]

_UNBOUNDED = 100_000


class OutputFormat(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"


def stdout() -> Console:
    """For results. Made when needed, so that redirected streams are seen; brackets in data are not markup."""
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def stderr() -> Console:
    """For errors, warnings, progress and summaries."""
    return Console(file=sys.stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_tree(tree: RenderableType) -> None:
    """A tree for people; lines are folded to fit a terminal, and left whole for a file or a pipe."""
    console = stdout()
    if not console.is_terminal:
        console.width = _UNBOUNDED
    console.print(tree)


def print_whole(table: RenderableType, file: TextIO) -> None:
    """A table for a file: no line is folded."""
    Console(file=file, width=_UNBOUNDED, highlight=False, markup=False, emoji=False).print(table)


def json_line(value: dict[str, Any], file: TextIO | None = None) -> None:
    """One JSON object a line, on stdout or into a file."""
    (file or sys.stdout).write(json.dumps(value, ensure_ascii=False) + "\n")


def fail(error: Exception) -> None:
    """One line that says what is wrong."""
    stderr().print(Text.assemble(("error: ", "bold red"), _one_line(str(error))))


def cannot_be_written(path: Path, error: OSError) -> SemanticPubSubError:
    """The error for a file that a command was to write."""
    return SemanticPubSubError(
        f"cannot be written: {error.strerror or error}", source=str(path), hint="name a file in a folder that exists"
    )


def warn(notice: Notice | str) -> None:
    """One line that says what deserves a look."""
    stderr().print(Text.assemble(("warning: ", "yellow"), _one_line(str(notice))))


def note(message: str) -> None:
    """One line that says what takes a while."""
    stderr().print(message, style="dim")


class Problems:
    """Counts bad input, says each on stderr, and knows the exit code; with `strict` the first one ends the run."""

    def __init__(self, *, strict: bool = False) -> None:
        self.count = 0
        self._strict = strict

    def __call__(self, error: Exception) -> None:
        if self._strict:
            raise error
        self.count += 1
        fail(error)

    @property
    def exit_code(self) -> int:
        """0 if nothing was bad, else 1."""
        return 1 if self.count else 0


def progress() -> Progress:
    """Shown on a terminal only, and only while work goes on."""
    console = stderr()
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        # Results for a file or a pipe must not go the way of the bar; on a terminal they are put above it.
        redirect_stdout=sys.stdout.isatty(),
        disable=not console.is_terminal,
    )


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 event`, `2 events`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
