"""The page of the bench: tables and figures are made from rows, and all else stays."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import flat_figures, ops_figures, page, paper_figures
from benchmarks.claims import CLAIMS
from benchmarks.index_files import keep
from benchmarks.index_rows import Row
from benchmarks.measuring import number_text
from benchmarks.page import DRAWN, filled
from benchmarks.scenarios import SCENARIOS
from benchmarks.winners import winners


def row(
    candidate: str, event: float, x: float = 1_000_000.0, scenario: str = "gem-size", number: int = 10, note: str = ""
) -> Row:
    return Row(scenario, x, number, candidate, event, 0.9 * event, 1.1 * event, 0.01, 10.0, 1.0, 1.0, note)


def all_rows() -> list[Row]:
    """Every setting of every scenario, each candidate slower than the one before."""
    return [
        row(name, 10.0 * 1.5**at, point.x, scenario.name, point.number, "ctps" if name == "auto" else "")
        for scenario in SCENARIOS.values()
        for point in scenario.points
        for at, name in enumerate(scenario.peers)
    ]


def table(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]


def test_winners() -> None:
    rows = [
        row("auto", 15.0, note="gem-tree"),
        row("ctps", 20.0),
        row("gem-tree, adjusted", 10.0),
        row("tama", 30.0),
        row("be-tree", 45.0),
        row("auto", 10.0, 10_000.0, note="ctps"),
        row("ctps", 9.5, 10_000.0),
        row("rein", 10.5, 10_000.0),
        row("auto", 5.0, 0.001, "gem-rare"),
        row("opindex", 1.0, 100.0, "gem-attributes"),
    ]
    heads, *lines = table(winners(rows))
    assert heads[0] == "scenario"
    assert lines == [
        ["`gem-size`", "subscriptions 10,000", "ctps", "rein", "no difference", "no difference", "ctps"],
        ["`gem-size`", "subscriptions 1,000,000", "gem-tree, adjusted", "tama", "1.50", "2.0", "gem-tree"],
        ["`gem-attributes`", "attributes 100", "", "opindex", "", "", ""],
        ["`gem-rare`", "match rate 0.001 %", "", "", "", "", ""],
    ]


def test_what_was_not_measured_is_said_in_one_line() -> None:
    everything = all_rows()
    assert winners(everything).splitlines()[-1] == "Not measured: nothing."
    some = [one for one in everything if one.scenario != "churn" and (one.scenario, one.x) != ("gem-rate", 5)]
    assert winners(some).splitlines()[-1] == "Not measured: `gem-rate` at match rate 5 %, `churn`."
    nothing = winners([])
    assert nothing.count("\n") == 1
    assert all(f"`{name}`" in nothing for name in SCENARIOS)


def test_the_page_has_a_place_for_each_block(tmp_path: Path) -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    again = filled(text, [], tmp_path)
    assert again.count("not measured yet") == 2 * sum(map(len, CLAIMS.values()))
    assert "![" not in again
    with pytest.raises(ValueError, match="no place for winners"):
        filled("", [], tmp_path)
    without = text.replace("<!-- figure: hmacd-figures -->", "")
    with pytest.raises(ValueError, match="no place for figure: hmacd-figures"):
        filled(without, [], tmp_path)


def bare(text: str) -> str:
    """A page without what is made."""
    return re.sub(r"(<!-- (?!end)[^>]+ -->\n).*?(?=<!-- end -->)", r"\1", text, flags=re.DOTALL)


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page, to be written, and a run beside it."""
    path = tmp_path / "docs" / "benchmarks.md"
    path.parent.mkdir()
    path.write_text(page.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(page, "PAGE", path)
    monkeypatch.setattr(sys, "argv", ["paper_figures", "--folder", str(tmp_path), "--page"])
    return path


def images(path: Path) -> list[str]:
    found = re.findall(r"^!\[[^]]+\]\((.+)\)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert all((path.parent / one).exists() for one in found)
    assert sorted(found) == sorted(f"figures/{one.name}" for one in (path.parent / "figures").iterdir())
    return found


def test_a_part_of_a_run_fills_a_part_of_the_page(copied: Path, tmp_path: Path) -> None:
    before = copied.read_text(encoding="utf-8")
    own, peer = row("gem-tree, adjusted", 10.0), row("be-tree", 20.0)
    keep(tmp_path, [row("auto", 11.0), own, peer])
    assert paper_figures.main() == 0
    after = copied.read_text(encoding="utf-8")
    assert bare(after) == bare(before)
    assert "| 3 | 1.6 times faster than BE-Tree at 1M | 1.6 | 2.00 (at 1,000,000) | agree |" in after
    assert "| `gem-size` | subscriptions 1,000,000 | gem-tree, adjusted | be-tree | no difference | 1.8 |" in after
    # COMPME's and HMACD's figures are drawn, but empty.
    assert (tmp_path / "hmacd-figures.svg").exists()
    assert images(copied) == ["figures/gem-tree-figures.svg"]
    assert "not measured yet" in after


def test_a_whole_run_fills_the_page(copied: Path, tmp_path: Path) -> None:
    rows = all_rows()
    for point in dict.fromkeys((one.scenario, one.x) for one in rows):
        keep(tmp_path, [one for one in rows if (one.scenario, one.x) == point])
    for name in ("ctps-figures", "ops-figure-8"):
        (tmp_path / f"{name}.svg").write_text("<svg/>")
    assert paper_figures.main() == 0
    text = copied.read_text(encoding="utf-8")
    assert "not measured yet" not in text
    assert "Not measured: nothing." in text
    assert [Path(one).stem for one in images(copied)] == list(DRAWN)
    made = {path.name: path.read_bytes() for path in (copied.parent / "figures").iterdir()}
    assert all(len(content) < 300_000 for content in made.values())
    assert all(ElementTree.fromstring(content).tag.endswith("svg") for content in made.values())
    # The same once more: nothing but what was measured is in them.
    assert paper_figures.main() == 0
    assert copied.read_text(encoding="utf-8") == text
    assert {path.name: path.read_bytes() for path in (copied.parent / "figures").iterdir()} == made


def test_a_quick_run_is_not_for_the_page(
    copied: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--quick"])
    with pytest.raises(SystemExit):
        paper_figures.main()
    assert "full run" in capsys.readouterr().err
    assert not (copied.parent / "figures").exists()


def test_without_a_run_nothing_is_written(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert paper_figures.main() == 1
    assert "run python -m benchmarks.indexes first" in capsys.readouterr().err
    assert not (copied.parent / "figures").exists()


def test_the_figures_of_ctps_and_ops_are_drawn_for_the_page(tmp_path: Path) -> None:
    points = [(1.0, 2.0), (2.0, 3.0)]
    ctps = {name: {flat_figures.CTPS: points} for name in flat_figures.TITLES}
    ops = {name: [(ops_figures.OURS, points)] for name in ops_figures.TITLES}
    for _ in range(2):
        before = {path.name: path.read_bytes() for path in tmp_path.glob("*.svg")}
        flat_figures.draw(ctps, tmp_path / "ctps-figures")
        ops_figures.draw(ops, tmp_path / "ops-figure-8")
    for name, label in (("ctps-figures", flat_figures.CTPS), ("ops-figure-8", ops_figures.OURS)):
        assert name in DRAWN
        assert (tmp_path / f"{name}.png").exists()
        text = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        assert f">{label}</text>" in text
        assert "<dc:date>" not in text
        assert text.count("font-family") == text.count("'DejaVu Sans', sans-serif") > 0
        assert before[f"{name}.svg"].decode() == text


@pytest.mark.parametrize(
    ("value", "text"), [(3_000_000.0, "3,000,000"), (1_000, "1,000"), (0.0, "0"), (0.001, "0.001"), (2.5, "2.5")]
)
def test_numbers_are_written_out(value: float, text: str) -> None:
    assert number_text(value) == text
