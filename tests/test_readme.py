"""Every code block of the README runs, word for word, in a copy of the project's data."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
MADE_ELSEWHERE = ("make demo", "make test")  # .ci/run is make test; the demo has a test of its own


@pytest.fixture
def folder(tmp_path: Path, project: Path) -> Path:
    for name in ("ontology", "shapes", "examples"):
        shutil.copytree(project / name, tmp_path / name)
    return tmp_path


def test_there_are_blocks() -> None:
    assert {language for language, _ in BLOCKS} >= {"python", "sh"}
    assert all(language for language, _ in BLOCKS), "every block says what it is"


@pytest.mark.parametrize("code", [code for language, code in BLOCKS if language == "python"])
def test_python(code: str, folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = [line.partition("# prints: ")[2] for line in code.splitlines() if "# prints: " in line]
    assert done.stdout.splitlines() == expected


@pytest.mark.parametrize(
    "line", [line for language, code in BLOCKS if language == "sh" for line in code.replace("\\\n", "").splitlines()]
)
def test_commands(line: str, folder: Path) -> None:
    command = line.partition("#")[0].strip()
    if command in MADE_ELSEWHERE:
        return
    words = shlex.split(command)
    assert words[0].endswith("semantic-pubsub"), f"cannot run {command!r}"
    done = subprocess.run(
        [sys.executable, "-m", "semantic_pubsub", *words[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
