"""The scenarios of the bench as data: what is drawn, at which settings, who is asked, and what it probes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from benchmarks.candidates import ADJUSTED, ADJUSTED_TO_EVENTS, OURS
from benchmarks.workloads.concepts import Concepts
from benchmarks.workloads.gem import Gem
from benchmarks.workloads.load import Load
from benchmarks.workloads.sparse import Sparse
from benchmarks.workloads.typed import Typed

__all__ = ["LIMITS", "SCENARIOS", "Point", "Scenario"]

_MILLION: Final = 1_000_000
_INTERVALS: Final = ("counting", "rein", "tama", "opindex", "be-tree", "siena")
_ALL: Final = (*OURS, "gem-tree" + ADJUSTED, *_INTERVALS)

LIMITS: Final = {"siena": 50_000}
"""Above that many subscriptions a candidate is not asked: Siena's insertion is quadratic."""


@dataclass(frozen=True)
class Point:
    """One setting: where it stands on the axis, the generator, and how many subscriptions."""

    x: float
    load: Load
    number: int


@dataclass(frozen=True)
class Scenario:
    """A sweep over one setting."""

    name: str
    probes: str
    axis: str
    points: tuple[Point, ...]
    quick: tuple[Point, ...]
    peers: tuple[str, ...] = _ALL
    churns: bool = False
    """Whether `x` is how many subscriptions are removed, and as many added, before each event."""


def _sizes(load: Load, *numbers: int) -> tuple[Point, ...]:
    return tuple(Point(number, load, number) for number in numbers)


def _swept(make: Callable[[float], Load], number: int, *values: float) -> tuple[Point, ...]:
    return tuple(Point(value, make(value), number) for value in values)


def _gem(name: str, probes: str, axis: str, make: Callable[[float], Load], values: tuple[float, ...]) -> Scenario:
    """A sweep of one setting of *gem*; quick: its ends."""
    quick = _swept(make, 1_000, values[0], values[-1])
    return Scenario(name, probes, axis, _swept(make, _SWEPT, *values), quick)


_GEM: Final = Gem()
_TOGETHER: Final = Gem(together=True)
_SWEPT: Final = 200_000  # subscriptions of a sweep: beyond every cache, and all candidates in about a minute
_SUBSCRIPTIONS: Final = "subscriptions"
_SPARSE: Final = (*OURS, "opindex", "be-tree")

SCENARIOS: Final = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            "gem-size",
            "GEM-Tree's figures 3, 10 and 11: growth with uniform values; insertion; memory",
            _SUBSCRIPTIONS,
            _sizes(_GEM, 10_000, 100_000, _MILLION, 3 * _MILLION),
            _sizes(_GEM, 1_000, 4_000),
            (*_ALL, "gem-tree" + ADJUSTED_TO_EVENTS),
        ),
        Scenario(
            "gem-zipf",
            "GEM-Tree's figure 4: the same with Zipf values",
            _SUBSCRIPTIONS,
            _sizes(Gem(values="zipf"), 10_000, 100_000, _MILLION),
            _sizes(Gem(values="zipf"), 1_000),
        ),
        _gem(
            "gem-attributes",
            "GEM-Tree's figure 5: dimensions",
            "attributes",
            lambda x: Gem(attributes=int(x)),
            (20, 40, 60, 100),
        ),
        _gem(
            "gem-cardinality",
            "GEM-Tree's figure 6: values an attribute has",
            "values of an attribute",
            lambda x: Gem(cardinality=int(x)),
            (16, 32, 80),
        ),
        _gem(
            "gem-predicates",
            "GEM-Tree's figure 7: predicates of a subscription; equalities together, or 1 % could not be reached",
            "predicates",
            lambda x: replace(_TOGETHER, predicates=int(x)),
            (4, 7, 12, 20),
        ),
        _gem(
            "gem-rate",
            "GEM-Tree's figure 8: match rate; equalities together, or 10 % could not be reached",
            "match rate, %",
            lambda x: replace(_TOGETHER, rate=x / 100),
            (1, 2, 5, 10),
        ),
        _gem(
            "gem-equalities",
            "GEM-Tree's figure 9: share of equalities, which come together",
            "equalities, %",
            lambda x: replace(_TOGETHER, equalities=x / 100),
            (10, 30, 60),
        ),
        _gem(
            "gem-rare",
            "match rates below the paper's, with independent equalities",
            "match rate, %",
            lambda x: Gem(rate=x / 100),
            (0.001, 0.01, 0.1),
        ),
        Scenario(
            "compme-high",
            "COMPME's figures 2 (a), (b), (c), (e), (f): 20,000 attributes, at most 4 predicates, 20 pairs",
            _SUBSCRIPTIONS,
            _sizes(Sparse(4), 10_000, 100_000, 300_000),
            _sizes(Sparse(4, 500), 1_000),
            _SPARSE,
        ),
        Scenario(
            "compme-high-20",
            "COMPME's figures 2 (b), (c): 20,000 attributes, at most 20 predicates, 100 pairs",
            _SUBSCRIPTIONS,
            _sizes(Sparse(20), 10_000, 100_000),
            _sizes(Sparse(20, 500), 1_000),
            _SPARSE,
        ),
        Scenario(
            "compme-low",
            "COMPME's figures 2 (a), (d), (e), (f): as many attributes as pairs, 20",
            _SUBSCRIPTIONS,
            _sizes(Sparse(4, None), 10_000, 100_000, _MILLION),
            _sizes(Sparse(4, None), 1_000),
        ),
        Scenario(
            "compme-low-20",
            "COMPME's figure 2 (d): as many attributes as pairs, 100, at most 20 predicates",
            _SUBSCRIPTIONS,
            _sizes(Sparse(20, None), 10_000, 100_000),
            _sizes(Sparse(20, None), 1_000),
        ),
        Scenario(
            "hmacd-1",
            "HMACD's figure 3: experiment 1, few predicates on four types",
            _SUBSCRIPTIONS,
            _sizes(Typed(1), 5_000, 10_000, 20_000, 50_000),
            _sizes(Typed(1), 500, 1_500),
        ),
        Scenario(
            "hmacd-2",
            "HMACD's figure 4: experiment 2, more predicates and equalities",
            _SUBSCRIPTIONS,
            _sizes(Typed(2), 5_000, 10_000, 20_000, 50_000),
            _sizes(Typed(2), 500, 1_500),
        ),
        Scenario(
            "concept-height",
            "CTPS's figure 8: concept trees; competitors see intervals of places in the trees, ready-made",
            "height",
            tuple(Point(height, Concepts(height), 10_000) for height in range(1, 6)),
            tuple(Point(height, Concepts(height), 500) for height in (1, 5)),
        ),
        Scenario(
            "concept-size",
            "concept trees of height 5, more subscriptions than the CTPS paper's",
            _SUBSCRIPTIONS,
            _sizes(Concepts(5), 10_000, 100_000, 300_000),
            _sizes(Concepts(5), 1_000),
        ),
        Scenario(
            "churn",
            "add and remove during matching: so many of each before every event",
            "changes before an event",
            tuple(Point(x, _GEM, 100_000) for x in (0, 1, 10, 100)),
            tuple(Point(x, _GEM, 1_000) for x in (0, 10)),
            churns=True,
        ),
    )
}
