"""`explain` with trees: printed, as JSON, and drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tests.cli.conftest import Run


def test_the_matching_tree_is_printed(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    done = run(
        "explain", "-o", auction, "-s", subscriptions, "-e", events / "jinling-wang-desktop.ttl", "--id",
        "cheap-computers", "--tree",
    )  # fmt: skip
    assert done.code == 0
    assert "matching tree: " in done.out
    assert "○ ?1=_:pc  checked" in done.out
    assert "?3 < 400.00)  unchecked: 450.00 is not < 400.00" in done.out


def test_trees_as_json(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    done = run(
        "explain", "-o", auction, "-s", subscriptions, "-e", events / "notebook.ttl", "--tree", "--format", "json"
    )
    assert done.code == 0
    assert all(o["trees"][0]["matched"] is o["alternatives"][0]["matched"] for o in done.objects)
    assert done.objects[0]["trees"][0]["root"]["mapping"] == {"_:H": "_:H"}


def test_without_tree_json_has_none(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    done = run("explain", "-o", auction, "-s", subscriptions, "-e", events / "notebook.ttl", "--format", "json")
    assert all("trees" not in o for o in done.objects)


def test_a_tree_is_drawn(run: Run, auction: Path, subscriptions: Path, events: Path, tmp_path: Path) -> None:
    picture = tmp_path / "tree.svg"
    done = run(
        "explain", "-o", auction, "-s", subscriptions / "cheap-computers.ops", "-e", events / "notebook.ttl", "--draw",
        picture,
    )  # fmt: skip
    assert done.code == 0
    assert f"drawn: {picture}" in done.err.replace("\n", "")
    root = ElementTree.parse(picture).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "event notebook.ttl matches cheap-computers" in picture.read_text(encoding="utf-8")


def test_one_drawing_is_of_one_pair(run: Run, auction: Path, subscriptions: Path, events: Path, tmp_path: Path) -> None:
    picture = tmp_path / "tree.svg"
    done = run("explain", "-o", auction, "-s", subscriptions, "-e", events / "notebook.ttl", "--draw", picture)
    assert done.code == 2
    assert "choose them with --id and --event" in " ".join(done.err.replace("│", " ").split())
    assert not picture.exists()


def test_a_drawing_that_cannot_be_written(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    done = run(
        "explain", "-o", auction, "-s", subscriptions / "cheap-computers.ops", "-e", events / "notebook.ttl", "--draw",
        "/nowhere/at/all.svg",
    )  # fmt: skip
    assert done.code == 1
    assert len(done.errors) == 1
    assert "cannot be written" in done.errors[0]
