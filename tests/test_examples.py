"""Every example runs and prints what its `# prints:` lines say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parent.parent / "examples").glob("*.py"))


def test_they_are_numbered() -> None:
    assert EXAMPLES
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_prints_what_it_says(path: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = path.read_text(encoding="utf-8").splitlines()
    expected = [line.removeprefix("# prints: ") for line in lines if line.startswith("# prints: ")]
    assert done.stdout.splitlines() == expected
    assert expected
