"""How things are measured: CPU time of single calls, memory of a process, and work in a process of its own."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["ChildTimeoutError", "Summary", "cpu", "number_text", "progress", "resident_bytes", "run_child", "summary"]

T = TypeVar("T")


@dataclass(frozen=True)
class Summary:
    """Medians with the spread around them: a tenth of the values lies below `low`, a tenth above `high`."""

    median: float
    low: float
    high: float

    def text(self, unit: float = 1e-3, name: str = "ms") -> str:
        """`0.041 ms (0.035 to 0.060)`."""
        median, low, high = (_digits(value / unit) for value in (self.median, self.low, self.high))
        return f"{median} {name} ({low} to {high})"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def number_text(value: float) -> str:
    """`1,000,000`, `0.001`."""
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def summary(values: Iterable[float]) -> Summary:
    """The median and the spread of some values."""
    ranked = sorted(values)
    last = len(ranked) - 1
    low, middle, high = (ranked[round(share * last)] for share in (0.1, 0.5, 0.9))
    return Summary(middle, low, high)


def cpu(call: Callable[..., T], *arguments: object) -> tuple[float, T]:
    """Seconds of CPU time (all threads of the process) that a call takes, and its result."""
    start = time.process_time_ns()
    result = call(*arguments)
    return (time.process_time_ns() - start) / 1e9, result


def resident_bytes(peak: bool = False) -> int:
    """The memory that this process holds now, or held at most (Linux)."""
    gc.collect()
    wanted = "VmHWM:" if peak else "VmRSS:"
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(wanted):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status does not say {wanted}")


class ChildTimeoutError(Exception):
    """A child took too long and was stopped."""


def run_child(module: str, arguments: Sequence[object], timeout: float | None = None) -> dict[str, Any]:
    """Run `python -m module` with arguments and read the JSON object in its last line."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    try:
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise ChildTimeoutError(f"stopped after {timeout:.0f} s") from None
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def progress(message: str) -> None:
    """A line for whoever waits; results go to the standard output."""
    print(f"{time.strftime('%H:%M:%S')}  {message}", file=sys.stderr, flush=True)
