"""The competitors on intervals give the right answer: a benchmark against something wrong would say nothing."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.competitors.contract import Conjunctions, IntervalIndex
from benchmarks.competitors.counting import Counting
from benchmarks.competitors.interval_indexes import INTERVAL_INDEXES
from benchmarks.competitors.opindex import OpIndex
from benchmarks.workloads.gem import Gem

ATTRIBUTES = 4
LOWEST, HIGHEST = np.zeros(ATTRIBUTES), np.full(ATTRIBUTES, 9.0)
MAKERS = {name: partial(index, LOWEST, HIGHEST) for name, index in INTERVAL_INDEXES.items() if name != "scan"} | {
    "be-tree, small leaves": partial(INTERVAL_INDEXES["be-tree"], LOWEST, HIGHEST, 2),
    "rein, 3 buckets": partial(INTERVAL_INDEXES["rein"], LOWEST, HIGHEST, 3),
    "tama, 3 levels": partial(INTERVAL_INDEXES["tama"], LOWEST, HIGHEST, 3),
    "opindex, frequencies": partial(OpIndex, LOWEST, HIGHEST, np.array([0.5, 1.0, 0.1, 0.5])),
}

# Inside the range, at its ends, between whole numbers, and outside; few, so that values meet.
numbers = st.sampled_from([-np.inf, -3.0, -0.0, 0.0, 0.5, 2.0, 2.25, 3.0, 6.999, 7.0, 9.0, 11.0, np.inf])
whole = st.integers(0, 9).map(float)


@st.composite
def subscriptions(draw: st.DrawFn, values: st.SearchStrategy[float]) -> list[tuple[int, float, float]]:
    """Predicates, several perhaps on one attribute, perhaps none."""
    made = []
    for attribute in draw(st.lists(st.integers(0, ATTRIBUTES - 1), max_size=4)):
        low, high = sorted((draw(values), draw(values)))
        if low == np.inf or high == -np.inf:  # an open side is below or above everything
            low, high = -np.inf, np.inf
        made.append((attribute, low, low if draw(st.booleans()) and np.isfinite(low) else high))
    return made


def events(values: st.SearchStrategy[float]) -> st.SearchStrategy[list[float]]:
    finite = values.filter(np.isfinite)
    return st.lists(finite | st.just(np.nan), min_size=ATTRIBUTES, max_size=ATTRIBUTES)


def expected(kept: dict[int, list[tuple[int, float, float]]], row: list[float]) -> list[int]:
    return sorted(n for n, one in kept.items() if all(low <= row[a] <= high for a, low, high in one))


def added(index: IntervalIndex, one: list[tuple[int, float, float]]) -> int:
    attributes, lower, upper = zip(*one, strict=True) if one else ((), (), ())
    return index.add(np.array(attributes, np.int32), np.array(lower), np.array(upper))


def agrees(index: IntervalIndex, kept: dict[int, list[tuple[int, float, float]]], rows: list[list[float]]) -> None:
    assert len(index) == len(kept)
    for row in rows:
        assert sorted(index.match_row(np.array(row)).tolist()) == expected(kept, row)


@pytest.mark.parametrize("name", MAKERS)
def test_a_competitor_gives_the_answer_of_a_scan(name: str) -> None:
    @settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(subscriptions(numbers), max_size=30), st.lists(events(numbers), min_size=1, max_size=4), st.data())
    def check(asked: list[list[tuple[int, float, float]]], rows: list[list[float]], data: st.DataObject) -> None:
        index, kept = MAKERS[name](), {}
        for one in asked:
            kept[added(index, one)] = one
        agrees(index, kept, rows)
        for number in data.draw(st.lists(st.sampled_from(sorted(kept)), unique=True)) if kept else ():
            index.remove(number)
            del kept[number]
        agrees(index, kept, rows)
        for one in asked[:5]:
            kept[added(index, one)] = one
        agrees(index, kept, rows)

    check()


@settings(max_examples=100, deadline=None)
@given(st.lists(subscriptions(whole), max_size=30), st.lists(events(whole), min_size=1, max_size=4))
def test_counting_on_whole_numbers(asked: list[list[tuple[int, float, float]]], rows: list[list[float]]) -> None:
    index = Counting(LOWEST, HIGHEST, whole=True)
    agrees(index, {added(index, one): one for one in asked}, rows)


@pytest.mark.parametrize("name", MAKERS)
def test_many_subscriptions_at_once_and_some_gone(name: str) -> None:
    """Long lists, deep trees, more than one block of counters."""
    number = 3_000 if name == "siena" else 70_003
    draw = np.random.default_rng(7)
    attributes = np.argsort(draw.random((number, ATTRIBUTES)), axis=1)[:, :3] - (draw.random((number, 3)) < 0.1)
    ends = np.sort(draw.random((2, number, 3)) * 12 - 1, axis=0)
    lower, upper = np.where(draw.random((number, 3)) < 0.3, ends[0], ends), ends[1]
    lower = lower[0]
    given = Conjunctions(attributes, lower, upper)
    index, scan = MAKERS[name](), INTERVAL_INDEXES["scan"](LOWEST, HIGHEST)
    for one in (index, scan):
        one.add_all(given.part(slice(0, number // 2)))
        for gone in range(0, 1_000, 3):
            one.remove(gone)
        one.add_all(given.part(slice(number // 2, number)))
        assert one.nbytes > 0
    for row in draw.random((6, ATTRIBUTES)) * 12 - 1:
        found = scan.match_row(row)
        assert len(found)
        assert np.array_equal(np.sort(index.match_row(row)), found)


@pytest.mark.parametrize("values", ["uniform", "zipf"])
@pytest.mark.parametrize("name", [name for name in INTERVAL_INDEXES if name != "scan"])
def test_a_competitor_on_the_workload(name: str, values: str) -> None:
    workload = Gem(rate=0.05, values=values)  # type: ignore[arg-type]
    given, rows = workload.conjunctions(2_000), workload.events(20)
    kind = INTERVAL_INDEXES[name]
    index = Counting(*workload.ranges, whole=True) if kind is Counting else kind(*workload.ranges)
    index.add_all(given)
    found = 0
    for row in rows:
        values_of = row[given.attributes]
        right = np.flatnonzero(((given.lower <= values_of) & (values_of <= given.upper)).all(axis=1))
        assert np.array_equal(np.sort(index.match_row(row)), right)
        found += len(right)
    assert found


@pytest.mark.parametrize("name", INTERVAL_INDEXES)
def test_bad_use_is_told(name: str) -> None:
    index = INTERVAL_INDEXES[name](LOWEST, HIGHEST)
    number = added(index, [(1, 2.0, 3.0)])
    with pytest.raises(ValueError, match="4 attributes"):
        index.match_row(np.zeros(3))
    with pytest.raises(ValueError, match="attribute 4"):
        added(index, [(4, 0.0, 1.0)])
    index.remove(number)
    with pytest.raises(KeyError):
        index.remove(number)
