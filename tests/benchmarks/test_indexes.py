"""The bench of flat indexes: both sides get the same, wrong answers are noticed, and noise is said to be noise."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import indexes, paper_figures
from benchmarks.candidates import OURS, candidate, is_known
from benchmarks.claims import CLAIMS, Claim, table_of
from benchmarks.competitors.contract import Conjunctions
from benchmarks.index_files import read_rows
from benchmarks.index_rows import Effort, Row, compared, measured
from benchmarks.indexes import run
from benchmarks.scenarios import SCENARIOS, Point, Scenario
from benchmarks.workloads.concepts import Concepts
from benchmarks.workloads.gem import Gem
from benchmarks.workloads.load import Load
from benchmarks.workloads.sparse import Sparse
from benchmarks.workloads.typed import Typed

LOADS = [Gem(rate=0.05), Concepts(3, rate=0.05), Sparse(2, 12), Sparse(4, None), Typed(1), Typed(2)]
EFFORT = Effort(events=6, rounds=3)


@pytest.mark.parametrize("load", LOADS, ids=str)
def test_both_sides_get_the_same_subscriptions_and_events(load: Load) -> None:
    """By the definition, on what ours are given, against intervals, on what competitors are given."""
    by_definition, scan = (candidate(name, load) for name in ("ctps", "scan"))
    for one in (by_definition, scan):
        one.fill(600)
    found = 0
    for ours, theirs in zip(by_definition.events(30), scan.events(30), strict=True):
        right = scan.numbers(scan.ask(theirs))
        assert np.array_equal(by_definition.numbers(by_definition.ask(ours)), right)
        found += len(right)
    assert found


@pytest.mark.parametrize("load", LOADS, ids=str)
def test_a_longer_run_begins_like_a_shorter_one(load: Load) -> None:
    short, long = load.conjunctions(50), load.conjunctions(20_000)
    assert all(np.array_equal(one, other[:50]) for one, other in zip(short, long, strict=True))
    assert isinstance(long, Conjunctions)
    assert len(long.attributes) == 20_000
    lowest, highest = load.ranges
    assert long.attributes.max() < len(lowest) == len(highest)


@pytest.mark.parametrize("experiment", [1, 2])
def test_typed_has_the_sizes_of_the_paper(experiment: int) -> None:
    load = Typed(experiment)
    attributes, lower, upper = load.conjunctions(8_000)
    there = attributes >= 0
    least, most = load.predicates
    assert set(there.sum(axis=1)) == set(range(least, most + 1))
    assert abs((lower == upper)[there].mean() - load.equalities) < 0.01
    assert all(len(set(row[row >= 0])) == (row >= 0).sum() for row in attributes[:300])
    assert len(set(load.names)) == load.attributes == (13 if experiment == 1 else 15)


def test_sparse_has_the_sizes_of_the_paper() -> None:
    load = Sparse(4)
    attributes, lower, upper = load.conjunctions(6_000)
    assert set((attributes >= 0).sum(axis=1)) == {1, 2, 3, 4}
    assert attributes.max() > 19_900
    there = attributes >= 0
    assert abs((lower == upper)[there].mean() - 1 / 3) < 0.03
    assert all(len(set(names)) == len(values) == 20 for names, values in load.interval_events(50))


@pytest.mark.parametrize("name", ["gem-rate", "compme-high", "hmacd-1", "concept-height", "churn"])
def test_a_scenario_runs_and_every_answer_is_compared(name: str) -> None:
    scenario = SCENARIOS[name]
    point = Point(scenario.quick[-1].x, scenario.quick[-1].load, 400)
    rows = list(measured(scenario, point, EFFORT))
    expected = [one for one in scenario.peers if is_known(one)]
    if scenario.churns:
        expected.remove("counting")
    assert [row.candidate for row in rows] == expected
    for row in rows:
        assert 0 < row.event_least <= row.event <= row.event_most
        assert min(row.bytes_each, row.insert, row.insert_bulk) > 0
    said = [comparison.what for comparison in compared(rows)]
    assert said[0].startswith("auto against the best of all indexes")
    assert len(said) == 1 + sum(one.partition(",")[0] not in OURS for one in expected)


def test_a_wrong_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.competitors.rein import Rein

    monkeypatch.setattr(Rein, "match", lambda *_: np.zeros(1, np.int32))
    scenario = SCENARIOS["gem-size"]
    with pytest.raises(AssertionError, match="rein gave another answer"):
        list(measured(scenario, Point(300, Gem(), 300), EFFORT, frozenset({"rein"})))


def row(candidate: str, event: float, spread: float = 0.1, **more: float) -> Row:
    values = {"x": 1.0, "bytes_each": 10.0, "insert": 1.0, "insert_bulk": 1.0} | more
    return Row(
        "gem-size",
        values["x"],
        10,
        candidate,
        event,
        event * (1 - spread),
        event * (1 + spread),
        0.01,
        values["bytes_each"],
        values["insert"],
        values["insert_bulk"],
    )


def test_what_is_within_the_spread_is_no_difference() -> None:
    rows = [
        row("auto", 10.0),
        row("ctps", 9.5),
        row("hybrid", 20.0),
        row("rein", 11.0),
        row("tama", 50.0),
        row("siena", 5.0),
    ]
    found = {one.what: (round(one.ratio, 2), one.verdict) for one in compared(rows)}
    assert found == {
        "auto against the best of all indexes (time)": (1.05, "no difference to ctps"),
        "auto against rein (times faster)": (1.1, "no difference"),
        "auto against tama (times faster)": (5.0, "ahead"),
        "auto against siena (times faster)": (0.5, "behind"),
    }


@pytest.mark.parametrize(
    ("claim", "own", "peer", "verdict"),
    [
        (Claim("1", "", "gem-size", "ctps", "tama", 10), 1.0, 6.0, "agree"),
        (Claim("1", "", "gem-size", "ctps", "tama", 10), 1.0, 3.0, "order only"),
        (Claim("1", "", "gem-size", "ctps", "tama", 1.6), 1.0, 1.25, "order only"),
        (Claim("1", "", "gem-size", "ctps", "tama", 0.5, slower=True), 1.6, 1.0, "agree"),
        (Claim("1", "", "gem-size", "ctps", "tama", 0.5, slower=True), 1.4, 1.0, "order only"),
        (Claim("1", "", "gem-size", "ctps", "tama", alike=True), 1.0, 1.4, "agree"),
        (Claim("1", "", "gem-size", "ctps", "tama", alike=True), 1.0, 0.6, "disagree"),
        (Claim("1", "", "gem-size", "ctps", "tama", 10), 1.0, 0.5, "disagree"),
        (Claim("1", "", "gem-size", "ctps", "tama", 10), 1.0, 1.05, "no difference"),
        (Claim("1", "", "gem-size", "ctps", "tama"), 1.0, 1.5, "agree"),
        (Claim("1", "", "gem-size", "ctps", "tama", slower=True), 3.0, 1.0, "agree"),
        (Claim("1", "", "gem-size", "ctps", "tama", slower=True), 1.0, 3.0, "disagree"),
        (Claim("1", "", "gem-size", "ctps", "rein"), 1.0, 1.0, "not measured yet"),
    ],
)
def test_claims_are_judged(claim: Claim, own: float, peer: float, verdict: str) -> None:
    assert claim.measured([row("ctps", own), row("tama", peer)])[1] == verdict


def test_a_claim_may_compare_two_settings() -> None:
    claim = Claim("1", "", "gem-size", "ctps", "ctps", x=2.0, beside=("gem-size", 1.0))
    few, many = row("ctps", 9.0), row("ctps", 3.0, x=2.0)
    assert claim.measured([few, many]) == ("3.00 (at 2)", "agree")
    assert claim.measured([many])[1] == "not measured yet"


def test_claims_name_what_there_is() -> None:
    for paper, claims in CLAIMS.items():
        assert table_of(paper, []).count("not measured yet") == 2 * len(claims)
        for claim in claims:
            scenario = SCENARIOS[claim.scenario]
            assert {claim.own, claim.peer} <= {*scenario.peers, "gem-tree", "gem-tree, adjusted", "compme", "hmacd"}
            assert claim.x is None or claim.x in {point.x for point in scenario.points}
            if claim.beside is not None:
                assert claim.beside[1] in {point.x for point in SCENARIOS[claim.beside[0]].points}


def test_a_run_leaves_tables_and_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = Scenario("gem-size", "a test", "subscriptions", (), (Point(300, Gem(), 300),), ("auto", "rein"))
    monkeypatch.setitem(SCENARIOS, "gem-size", small)
    (rows,) = run(small, quick=True)
    given = ["indexes", "--quick", "--scenarios", "gem-size", "--folder", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", given)
    assert indexes.main() == 0
    assert "auto against rein" in capsys.readouterr().out
    assert [one.candidate for one in read_rows(tmp_path)] == [one.candidate for one in rows]
    monkeypatch.setattr(sys, "argv", ["paper_figures", "--folder", str(tmp_path)])
    assert paper_figures.main() == 0
    for name in ("gem-size", *paper_figures.FIGURES):
        for kind in ("png", "svg"):
            assert (tmp_path / f"{name}.{kind}").stat().st_size > 5_000
