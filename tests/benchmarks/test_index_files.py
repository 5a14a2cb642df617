"""The bench piece by piece: what was measured before stays, and is compared with what is measured now."""

from __future__ import annotations

import csv
import gc
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import candidates, indexes
from benchmarks.candidates import ADJUSTED, ADJUSTED_TO_EVENTS, candidate
from benchmarks.index_files import keep, read_rows
from benchmarks.index_rows import Effort, Row, measured
from benchmarks.scenarios import SCENARIOS, Point, Scenario
from benchmarks.workloads.gem import Gem


def row(
    candidate: str, event: float, x: float = 1_000.0, scenario: str = "gem-size", subscriptions: int = 1_000
) -> Row:
    return Row(scenario, x, subscriptions, candidate, event, 0.9 * event, 1.1 * event, 0.01, 10.0, 1.0, 1.0)


def comparisons_in(folder: Path) -> dict[tuple[str, float, str], str]:
    with (folder / "comparisons.csv").open(newline="", encoding="utf-8") as file:
        return {(one["scenario"], float(one["x"]), one["what"]): one["verdict"] for one in csv.DictReader(file)}


def test_rows_of_other_candidates_settings_and_scenarios_stay(tmp_path: Path) -> None:
    keep(tmp_path, [row("auto", 1.0), row("tama", 9.0)])
    keep(tmp_path, [row("auto", 2.0, x=4_000.0)])
    keep(tmp_path, [row("auto", 3.0, scenario="gem-zipf")])
    keep(tmp_path, [row("tama", 5.0)])
    assert {(one.scenario, one.x, one.candidate): one.event for one in read_rows(tmp_path)} == {
        ("gem-size", 1_000.0, "auto"): 1.0,
        ("gem-size", 1_000.0, "tama"): 5.0,
        ("gem-size", 4_000.0, "auto"): 2.0,
        ("gem-zipf", 1_000.0, "auto"): 3.0,
    }
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["comparisons.csv", "indexes.csv"]


def test_the_order_is_that_of_the_scenarios_whatever_was_first(tmp_path: Path) -> None:
    for one in (row("tama", 1.0, scenario="gem-zipf"), row("tama", 1.0, x=4_000.0), row("tama", 1.0), row("auto", 1.0)):
        keep(tmp_path, [one])
    found = [(one.scenario, one.x, one.candidate) for one in read_rows(tmp_path)]
    assert found == [
        ("gem-size", 1_000.0, "auto"),
        ("gem-size", 1_000.0, "tama"),
        ("gem-size", 4_000.0, "tama"),
        ("gem-zipf", 1_000.0, "tama"),
    ]


def test_what_was_measured_apart_is_compared(tmp_path: Path) -> None:
    keep(tmp_path, [row("auto", 1.0, x=4_000.0), row("tama", 0.1, x=4_000.0)])
    keep(tmp_path, [row("auto", 1.0)])
    assert not [what for _, x, what in comparisons_in(tmp_path) if x == 1_000.0]
    keep(tmp_path, [row("tama", 5.0)])
    own = keep(tmp_path, [row("ctps", 0.5)])
    against_tama, against_best = (
        "auto against tama (times faster)",
        "auto against the best of all indexes (time)",
    )
    assert [one.what for one in own] == [against_best, against_tama]
    assert comparisons_in(tmp_path) == {
        ("gem-size", 1_000.0, against_best): "ctps takes 1",
        ("gem-size", 1_000.0, against_tama): "ahead",
        ("gem-size", 4_000.0, against_tama): "behind",
    }
    keep(tmp_path, [row("tama", 0.5)])
    assert comparisons_in(tmp_path)["gem-size", 1_000.0, against_tama] == "behind"


def test_another_number_of_subscriptions_is_not_compared(tmp_path: Path) -> None:
    keep(tmp_path, [row("auto", 1.0, x=20.0), row("tama", 9.0, x=20.0)])
    keep(tmp_path, [row("auto", 7.0, x=20.0, subscriptions=200_000)])
    assert [(one.candidate, one.subscriptions) for one in read_rows(tmp_path)] == [("auto", 200_000)]
    assert comparisons_in(tmp_path) == {}


def test_each_setting_is_on_file_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop_at_the_second(_: Scenario, point: Point, *__: object) -> list[Row]:
        if point.x == 2:
            raise KeyboardInterrupt
        return [row("auto", 1.0, x=point.x)]

    points = tuple(Point(x, Gem(), 300) for x in (1, 2))
    monkeypatch.setitem(SCENARIOS, "gem-size", Scenario("gem-size", "a test", "x", (), points, ("auto",)))
    monkeypatch.setattr(indexes, "measured", stop_at_the_second)
    monkeypatch.setattr(sys, "argv", ["indexes", "--quick", "--scenarios", "gem-size", "--folder", str(tmp_path)])
    with pytest.raises(KeyboardInterrupt):
        indexes.main()
    assert [one.x for one in read_rows(tmp_path)] == [1.0]


def test_the_figure_shows_all_that_is_on_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[set[tuple[str, float]]] = []
    monkeypatch.setattr(indexes, "measured", lambda _, point, *__: [row("tama", 1.0, x=point.x)])
    monkeypatch.setattr(
        indexes, "draw", lambda panels, *_: drawn.append({(one.candidate, one.x) for one in panels[0][3]})
    )
    keep(tmp_path, [row("auto", 1.0, x=4_000.0), row("auto", 1.0, x=4_000.0, scenario="gem-zipf")])
    given = ["--quick", "--scenarios", "gem-size,gem-zipf,compme-high", "--candidates", "tama", "--most", "1000"]
    monkeypatch.setattr(sys, "argv", ["indexes", *given, "--folder", str(tmp_path)])
    assert indexes.main() == 0
    # More than 1,000 are not measured, and where tama is no peer, nothing is.
    assert drawn[0] == {("auto", 4_000.0), ("tama", 1_000.0)}
    assert len(drawn) == 2


@pytest.mark.parametrize(
    ("scenarios", "named", "refused"),
    [
        ("gem-size", "nosuch", "'nosuch'"),
        ("gem-size", "auto,nosuch", "'nosuch'"),
        ("compme-high", "tama", "'tama'"),
        ("gem-size", "auto,gem-tree, adjusted", None),
        ("compme-high,gem-size", "tama", None),
    ],
)
def test_who_is_no_candidate_is_refused(
    scenarios: str,
    named: str,
    refused: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[frozenset[str]] = []
    monkeypatch.setattr(indexes, "measured", lambda *given: asked.append(given[3]) or [])
    given = ["--quick", "--scenarios", scenarios, "--candidates", named, "--folder", str(tmp_path / "new")]
    monkeypatch.setattr(sys, "argv", ["indexes", *given])
    if refused is None:
        assert indexes.main() == 0
        assert asked[0] == ({"tama"} if named == "tama" else {"auto", "gem-tree, adjusted"})
        return
    with pytest.raises(SystemExit):
        indexes.main()
    assert f"no candidate {refused}" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_no_garbage_is_collected_while_insertion_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = candidate("ctps", Gem())
    during: list[bool] = []
    add = one.index.add
    monkeypatch.setattr(one.index, "add", lambda asked: during.append(gc.isenabled()) or add(asked))
    for was_on in (True, False, True):
        (gc.enable if was_on else gc.disable)()
        one.add(len(during), len(during) + 10)
        assert gc.isenabled() is was_on
    assert during == 30 * [False]


def test_changes_draw_the_subscriptions_once(monkeypatch: pytest.MonkeyPatch) -> None:
    load = Gem(seed=99)
    one, drawn = candidate("rein", load), []
    draw = Gem.conjunctions
    monkeypatch.setattr(Gem, "conjunctions", lambda self, number: drawn.append(number) or draw(self, number))
    one.fill(400)
    for first in range(400, 500, 10):
        one.add(first, first + 10)
    assert sum(number >= 10_000 for number in drawn) == 1
    assert np.array_equal(one._inputs(490, 491)[0][1], load.conjunctions(491).part(slice(490, 491)).lower[0])


@pytest.mark.parametrize(
    ("name", "before", "after"), [(ADJUSTED, [("rebalance", 0)], []), (ADJUSTED_TO_EVENTS, [], [("rebalance", 5)])]
)
def test_when_the_global_adjustment_is_done(
    name: str, before: list[object], after: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paper's knows of no events."""
    one = candidate("gem-tree" + name, Gem(rate=0.05))
    index, asked, done = one.index, [0], []
    rebalance = index.rebalance
    monkeypatch.setattr(index, "rebalance", lambda: done.append(("rebalance", asked[0])) or rebalance())
    one.fill(300)
    assert done == before
    for event in one.events(5):
        one.ask(event)
        asked[0] += 1
    one.settle()
    assert done == before + after


def test_the_global_adjustment_is_part_of_the_insertion(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of its own: it ticks once whenever it is read, and a thousand seconds go by in an adjustment."""
    ticks = [0]

    def tick() -> int:
        ticks[0] += 1
        return ticks[0]

    monkeypatch.setattr(candidates.time, "process_time_ns", tick)
    for name, seconds in (("gem-tree", 0), ("gem-tree" + ADJUSTED, 1_000), ("gem-tree" + ADJUSTED_TO_EVENTS, 0)):
        one = candidate(name, Gem())
        monkeypatch.setattr(
            one.index,
            "rebalance",
            lambda: ticks.__setitem__(0, ticks[0] + 1_000_000_000_000),
        )
        bulk, single = one.fill(300)
        assert round(bulk) == seconds
        assert single < 1


def test_adjusted_ones_answer_like_the_scan() -> None:
    names = ("gem-tree" + ADJUSTED, "gem-tree" + ADJUSTED_TO_EVENTS)
    point = Point(300, Gem(rate=0.05), 300)
    rows = list(measured(SCENARIOS["gem-size"], point, Effort(events=6, rounds=3), frozenset(names)))
    assert [one.candidate for one in rows] == list(names)
