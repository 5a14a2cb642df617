"""`docs/papers.md`: what it names is there, and the figures in it are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from semantic_pubsub.matching.graph.eager_ems import eager_size
from tests.matching.graph.test_eager_ems import concept_trees, on_demand

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "papers.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`([\w./-]+/[\w./-]*)`", PAGE)))
NAMES = [
    (names, path)
    for line in PAGE.splitlines()
    if line.count("|") == 5
    for names, path in [[cell.strip() for cell in line.split("|")[3:5]]]
    if path.endswith(".py`")
]
ROWS = re.findall(r"^\| (\d) \| [\d,]+ \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("path", PATHS)
def test_the_paths_are_there(project: Path, path: str) -> None:
    assert (project / path).exists()


@pytest.mark.parametrize(("names", "path"), NAMES, ids=[path for _, path in NAMES])
def test_the_names_are_in_their_files(project: Path, names: str, path: str) -> None:
    text = "".join((project / file).read_text(encoding="utf-8") for file in re.findall(r"`([^`]+\.py)`", path))
    for name in re.findall(r"`(?:\w+\.)*([A-Za-z_]+)`", names):
        assert re.search(rf"\b{name}\b", text), name


def test_the_table_of_the_ems_array() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 7))
    for height, items, ancestors, demanded in (tuple(int(cell.replace(",", "")) for cell in row) for row in ROWS):
        ontology = concept_trees(height)
        assert eager_size(ontology) == (items, ancestors)
        assert on_demand(ontology, height) <= demanded
