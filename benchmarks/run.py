"""All benchmarks, one after the other: `python -m benchmarks.run [--quick] [NAME...]`.

With `--scenarios NAME,...` only these of `indexes`.

Each runs in a process of its own, so that none warms a cache, or fills the memory, for the next. Peers are measured in
the same run: the ratios travel to other machines, the times do not.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

SCRIPTS = (
    "indexes",
    "paper_figures",
    "flat",
    "flat_figures",
    "ops",
    "ops_figures",
    "ontologies",
    "events",
    "parsing",
    "validator",
    "broker",
    "spark",
)
_WITH_SCENARIOS = "indexes"


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.partition("\n")[0])
    reader.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(SCRIPTS)}; default: all")
    reader.add_argument("--quick", action="store_true", help="smaller inputs: to see that everything runs")
    reader.add_argument("--scenarios", metavar="NAME,...", help="only these of indexes, and nothing else")
    given = reader.parse_args()
    unknown = [name for name in given.names if name not in SCRIPTS]
    if unknown:
        reader.error(f"no benchmark {unknown[0]!r}; there are {', '.join(SCRIPTS)}")
    if given.scenarios is not None and given.names not in ([], [_WITH_SCENARIOS]):
        reader.error(f"--scenarios are those of {_WITH_SCENARIOS}: name no other benchmark")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}", flush=True)
    if given.scenarios is not None:
        return _run(_WITH_SCENARIOS, given.quick, f"--scenarios={given.scenarios}")
    failed = [name for name in given.names or SCRIPTS if _run(name, given.quick) != 0]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(name: str, quick: bool, *more: str) -> int:
    """The exit code of a benchmark."""
    module = f"benchmarks.{name}"
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        print(f"\n## {name}\nthere is no {module}", file=sys.stderr)
        return 1
    # A script that is fast anyway has no --quick.
    options = ["--quick"] if quick and "--quick" in Path(found.origin).read_text(encoding="utf-8") else []
    print(f"\n## {name}", flush=True)
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", module, *options, *more], check=False)
    print(f"({time.perf_counter() - started:.0f} s)", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
