"""The project's own files agree with each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md", "docs/benchmarks.md")


@pytest.fixture(scope="module")
def settings(project: Path) -> dict[str, Any]:
    return tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def packages(settings: dict[str, Any]) -> set[str]:
    wanted = [
        *settings["dependencies"],
        *(one for extra in settings["optional-dependencies"].values() for one in extra),
    ]
    return {re.match(r"[\w-]+", one)[0] for one in wanted} - {"semantic-pubsub"}  # type: ignore[index]


def test_every_dependency_earns_a_line(project: Path, settings: dict[str, Any]) -> None:
    rows = re.findall(r"^\| (.*?) \|", (project / "docs" / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in re.split(r"[ ,]+", row.partition(" (")[0])}
    assert packages(settings) - named == set()


def test_every_dependency_is_pinned(project: Path, settings: dict[str, Any]) -> None:
    lines = (project / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    assert packages(settings) - pinned == set()


def test_one_version(project: Path, settings: dict[str, Any]) -> None:
    version = settings["version"]
    assert f"\nversion: {version}\n" in (project / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {version}" in (project / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_and_paths_lead_somewhere(project: Path, name: str) -> None:
    text = (project / name).read_text(encoding="utf-8")
    folder = (project / name).parent
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert link.startswith("https://") or (folder / link).exists(), link
    for path in re.findall(r"`((?:docs|tests|benchmarks|examples|semantic_pubsub)/[\w./-]*)`", text):
        assert (project / path).exists(), path


def test_make_targets_that_are_spoken_of_exist(project: Path) -> None:
    targets = set(re.findall(r"^(\w+):", (project / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for name in DOCUMENTS:
        spoken_of = set(re.findall(r"(?:^|`)make ([a-z]+)", (project / name).read_text(encoding="utf-8"), re.MULTILINE))
        assert spoken_of <= targets, name
