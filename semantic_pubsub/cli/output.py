"""How the command line speaks: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

if TYPE_CHECKING:
    from semantic_pubsub.errors import Notice

__all__ = ["OutputFormat", "Problems", "fail", "json_line", "progress", "stderr", "stdout", "warn"]


class OutputFormat(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"


def stdout() -> Console:
    """For results. Made when needed, so that redirected streams are seen."""
    return Console(file=sys.stdout, highlight=False)


def stderr() -> Console:
    """For errors, warnings, progress and summaries."""
    return Console(file=sys.stderr, highlight=False, soft_wrap=True)


def json_line(value: dict[str, Any]) -> None:
    """One JSON object a line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def fail(error: Exception) -> None:
    """One line that says what is wrong."""
    stderr().print(Text.assemble(("error: ", "bold red"), _one_line(str(error))))


def warn(notice: Notice | str) -> None:
    """One line that says what deserves a look."""
    stderr().print(Text.assemble(("warning: ", "yellow"), _one_line(str(notice))))


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
        disable=not console.is_terminal,
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
