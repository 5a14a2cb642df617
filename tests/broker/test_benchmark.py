"""The benchmarks of the broker run and print their tables, here with next to nothing to do."""

from __future__ import annotations

import pytest

from benchmarks.broker import Options, hooks, load, over_http, start

TINY = Options(
    sizes=(5,), events=20, validated=4, timed=3, rounds=1, outstanding=4,
    hook_rounds=1, hook_events=10, hook_pace=50.0, connections=(2,),
)  # fmt: skip


def cells(text: str, first: str) -> list[list[str]]:
    """The rows of a table that begin with a word."""
    rows = [line.split() for line in text.splitlines()]
    return [row for row in rows if row and row[0] == first]


def test_the_load(capsys: pytest.CaptureFixture[str]) -> None:
    load(TINY)
    rows = cells(capsys.readouterr().out, "5")
    assert [row[1] for row in rows] == ["off", "on"]
    for row in rows:
        assert all(float(cell.replace(",", "")) > 0 for cell in row[3:7])  # the rate, and its ratios


def test_over_http(capsys: pytest.CaptureFixture[str]) -> None:
    over_http(TINY)
    rows = cells(capsys.readouterr().out, "5")
    assert [row[1:3] for row in rows] == [["off", "2"], ["on", "2"]]
    assert all(float(row[3].replace(",", "")) > 0 for row in rows)


def test_starts(capsys: pytest.CaptureFixture[str]) -> None:
    start(TINY)
    said = capsys.readouterr().out
    assert "start with 5 stored subscriptions" in said
    assert [len(cells(said, first)) for first in ("all", "from")] == [1, 1]


def test_webhooks_of_which_one_hangs(capsys: pytest.CaptureFixture[str]) -> None:
    hooks(TINY)
    assert "100 webhooks, 10 events at 50/s, 1 rounds of each" in capsys.readouterr().out
