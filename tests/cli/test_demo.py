"""`demo`: one screen, with everything the project can do today."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Done, Run


@pytest.fixture
def shown(run: Run) -> Done:
    return run("demo")


def test_it_fits_on_a_screen(shown: Done) -> None:
    lines = shown.out.splitlines()
    assert shown.code == 0
    assert shown.err == ""
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    "words",
    [
        "25 classes, 29 properties",
        "✗ refused is refused:",
        "The seller is missing: somebody has to sell it.",
        "NotebookPC ⊑ Computer  349.90 < 400.00",  # by class and by value
        "seller ⊑ party  cellPhoneNumber ⊑ telephoneNumber",  # by property
        "EBook ⊑ Book",
        "event jinling-wang-desktop does not match cheap-computers",
        "✗ ?3 < 400.00: 450.00 is not < 400.00",
    ],
)
def test_it_tells(shown: Done, words: str) -> None:
    assert words in shown.out


def test_a_refused_event_reaches_nobody(shown: Done) -> None:
    assert [line for line in shown.out.splitlines() if "✓ refused" in line] == []


def test_every_subscription_reaches_somebody(shown: Done, subscriptions: Path) -> None:
    lines = shown.out.splitlines()
    for path in subscriptions.iterdir():
        place = next(number for number, line in enumerate(lines) if line.startswith(f"   {path.stem}  "))
        assert lines[place + 1].startswith("     ✓ ")


def test_its_picture_loads_nothing(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "demo.svg"
    assert run("demo", "--draw", target).code == 0
    svg = target.read_text(encoding="utf-8")
    texts = [e.text or "" for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("text")]
    assert any("cheap-computers" in text for text in texts)
    assert "url(http" not in svg
    assert svg.count("http") == svg.count('"http://www.w3.org/2000/svg"') + sum("http" in text for text in texts)


def test_the_picture_in_the_documentation_is_todays(run: Run, project: Path, tmp_path: Path) -> None:
    run("demo", "--draw", tmp_path / "demo.svg")
    assert _words(tmp_path / "demo.svg") == _words(project / "docs" / "demo.svg"), (
        "run: semantic-pubsub demo --draw docs/demo.svg"
    )


def _words(path: Path) -> list[str]:
    return [e.text or "" for e in ElementTree.parse(path).iter() if e.tag.endswith("text")]
