"""`semantic-pubsub bench`: the benchmarks of the source checkout."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from semantic_pubsub.errors import did_you_mean

__all__ = ["bench"]

_ROOT = Path(__file__).resolve().parents[2]


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Which ones; default: all.", show_default=False)
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller inputs: to see that everything runs.")] = False,
    scenarios: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Only these scenarios of [bold]indexes[/bold]; a wrong name lists all.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run benchmarks, each beside its peers and in a process of its own. Only in a source checkout.

    A wrong NAME lists all. [bold]indexes[/bold] compares the flat indexes with
    competitors on scenarios; docs/benchmarks.md says how to read it.

    [bold]Example:[/bold] semantic-pubsub bench indexes --quick --scenarios hmacd-1
    """
    known = _scripts(_ROOT)
    for name in names or ():
        if name not in known:
            hint = did_you_mean(name, known) or "choose one of them"
            raise typer.BadParameter(f"{name!r} is not one of: {', '.join(known)} ({hint})", param_hint="NAME")
    options = [*(["--quick"] if quick else ()), *([f"--scenarios={scenarios}"] if scenarios is not None else ())]
    command = [sys.executable, "-m", "benchmarks.run", *(names or ()), *options]
    raise typer.Exit(subprocess.run(command, cwd=_ROOT, check=False).returncode)  # noqa: S603 - names are known ones


def _scripts(root: Path) -> tuple[str, ...]:
    """The names of the benchmarks; a folder of that name elsewhere, beside an installed package, is not ours."""
    script = root / "benchmarks" / "run.py"
    if not (script.is_file() and (root / "pyproject.toml").is_file()):
        raise typer.BadParameter(
            "benchmarks are part of the source checkout: clone the repository and run it there", param_hint="bench"
        )
    scripts: tuple[str, ...] = runpy.run_path(str(script))["SCRIPTS"]
    return scripts
