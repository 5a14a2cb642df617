"""The command line run inside the tests' own process, as `main()` is called."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub.cli import main


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def errors(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("error: ")]


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command: `run("check", path, "--tree")`."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    for name in ("FORCE_COLOR", "NO_COLOR", "PY_COLORS"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str | Path) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, captured.out, _without_compiling(captured.err))

    return call


def _without_compiling(text: str) -> str:
    """What is said once on each machine is not what a test looks at."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("compiling the matcher"))


@pytest.fixture(scope="session")
def auction(project: Path) -> Path:
    return project / "ontology" / "auction.ttl"


@pytest.fixture(scope="session")
def events(project: Path) -> Path:
    return project / "examples" / "events"


@pytest.fixture(scope="session")
def subscriptions(project: Path) -> Path:
    return project / "examples" / "subscriptions"
