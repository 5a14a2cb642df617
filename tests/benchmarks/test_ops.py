"""The benchmark's own tools: they must notice a wrong answer, and must not flatter."""

from __future__ import annotations

import pytest

from benchmarks.competitors import AskLoop
from benchmarks.measuring import ChildTimeoutError, resident_bytes, run_child, summary
from benchmarks.ops import ROWS
from benchmarks.ops_common import (
    WARM_UP,
    DisagreementError,
    agree,
    check_against_ask,
    judge,
    measured_events,
    parsed,
    sample_of,
    time_events,
)
from benchmarks.ops_figures import PUBLISHED, TITLES, Measured, series
from benchmarks.workloads import Shop
from semantic_pubsub import Event, ReferenceMatcher


@pytest.mark.parametrize(
    ("ours", "theirs", "among"),
    [(["a"], ["a", "b"], None), (["a", "b"], ["a"], None), (["a", "a"], ["a"], None), (["a", "b"], [], {"b"})],
)
def test_a_difference_is_noticed(ours: list[str], theirs: list[str], among: set[str] | None) -> None:
    with pytest.raises(DisagreementError):
        agree(ours, theirs, among)


def test_what_the_peer_was_not_asked_is_no_difference() -> None:
    agree(["a", "b"], ["b"], {"b", "c"})


def test_verdicts() -> None:
    assert [judge(value, 10, 50, higher=True) for value in (9.9, 10, 50)] == ["missed", "must", "aim"]
    assert [judge(value, 50, 10, higher=False) for value in (50.1, 50, 10)] == ["missed", "must", "aim"]


def test_every_call_gets_an_event_of_its_own() -> None:
    seen: list[Event] = []

    def match_ids(event: Event) -> list[str]:
        seen.append(event)
        return ["s"]

    timed = time_events(match_ids, Shop(), 4, rounds=3)
    assert len(seen) == WARM_UP + 12
    assert len({id(event) for event in seen}) == len(seen)
    assert seen[WARM_UP : WARM_UP + 4] == seen[WARM_UP + 4 : WARM_UP + 8] == measured_events(Shop(), 4)
    assert len(timed.seconds) == 4
    assert timed.matches == 1


def test_answers_are_compared_with_the_ask_loop() -> None:
    workload = Shop(rate=0.02)
    pairs = list(workload.subscriptions(100))
    matcher, ask = ReferenceMatcher(workload.ontology()), AskLoop(workload.ontology())
    matcher.add_all(parsed(pairs))
    ask.add_all(parsed(sample_of(pairs, 60)))
    events = measured_events(workload, 6)
    ids = [matcher.match_ids(event) for event in events]
    assert check_against_ask(ask, events, ids) == 360
    asked = {name for name, _ in ask.queries}
    missing = [[name for name in found if name not in asked] for found in ids]
    assert missing != ids
    with pytest.raises(DisagreementError):
        check_against_ask(ask, events, missing)


def test_a_summary_is_the_middle_and_its_spread() -> None:
    found = summary(range(101))
    assert (found.low, found.median, found.high) == (10, 50, 90)
    assert summary([0.000041]).text() == "0.041 ms (0.041 to 0.041)"
    assert summary([2.5]).text() == "2,500 ms (2,500 to 2,500)"


def test_memory_is_seen() -> None:
    before = resident_bytes()
    held = bytearray(b"x" * 50_000_000)
    assert resident_bytes() - before > 40_000_000
    assert resident_bytes(peak=True) >= before + len(held) // 2


def test_a_child_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(ChildTimeoutError):
        run_child("timeit", ["-n", "1", "-r", "1", "-s", "import time", "time.sleep(60)"], timeout=1)


def test_a_child_that_fails_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="ended with"):
        run_child("timeit", ["-n", "1", "-r", "1", "raise ValueError"])


def test_rows_have_names_that_a_shell_takes() -> None:
    assert all(name.replace("-", "").isalnum() and name == name.lower() for name in ROWS)


def test_every_figure_has_its_lines() -> None:
    many = [Measured(10, 500, 0.1, 2.0, 5.0, 3.0), Measured(10, 1_000, 0.2, 4.0, 5.1, 3.0)]
    few = [Measured(10, 1, 0.1, 0.2, 7.0, 3.0)]
    classes = [Measured(2, 1_000, 3.0, 40.0, 30.0, 23.0), Measured(20, 1_000, 0.2, 2.0, 5.0, 1.3)]
    figures = series(many, few, classes)
    assert set(figures) == set(TITLES) == set(PUBLISHED) == set("abcdef")
    assert figures["a"][0] == ("ours", [(500, 0.1), (1_000, 0.2)])
    assert figures["d"][1][1] == [(1.3, 2.0), (23.0, 40.0)]
    assert figures["e"][0][1] == [(500, 5.0), (1_000, 5.1)]
