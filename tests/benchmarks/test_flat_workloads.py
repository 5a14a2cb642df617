"""The flat workloads are what they say they are: benchmarks rest on them."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from benchmarks.workloads.concepts import Concepts, Interval
from benchmarks.workloads.gem import Gem
from semantic_pubsub.matching.flat.constraints import Between, OneOf
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat

HEIGHTS = range(1, 6)
GEMS = [Gem(rate, values) for rate in (0.01, 0.0001) for values in ("uniform", "zipf")]  # type: ignore[arg-type]


@pytest.mark.parametrize("workload", GEMS, ids=lambda w: f"{w.name}-{w.rate}")
def test_gem_has_its_sizes(workload: Gem) -> None:
    attributes, lower, upper = workload.subscriptions(40_000)
    assert attributes.shape == lower.shape == upper.shape == (40_000, 7)
    assert (attributes.dtype, lower.dtype, upper.dtype) == (np.int16, np.int8, np.int8)
    assert all(len(set(row)) == 7 for row in attributes[:500].tolist())
    assert set(np.unique(attributes)) == set(range(50))
    assert lower.min() == 0
    assert upper.max() == 31
    assert (lower <= upper).all()
    assert 0.295 < (lower == upper).mean() < 0.305
    events = workload.events(500)
    assert events.shape == (500, 50)
    assert set(np.unique(events)) == set(range(32))


@pytest.mark.parametrize("workload", GEMS, ids=lambda w: f"{w.name}-{w.rate}")
def test_gem_matches_as_often_as_asked(workload: Gem) -> None:
    assert 0.8 * workload.rate < workload.match_rate(40_000, 200) < 1.2 * workload.rate


@pytest.mark.parametrize(
    "workload",
    [
        Gem(attributes=20),
        Gem(cardinality=80),
        Gem(predicates=4),
        Gem(rate=0.1, together=True),
        Gem(predicates=20, together=True),
        Gem(equalities=0.6, together=True),
        Gem(values="zipf", predicates=12, together=True),
    ],
    ids=str,
)
def test_gem_with_other_settings_is_what_it_says(workload: Gem) -> None:
    attributes, lower, upper = workload.subscriptions(40_000)
    assert attributes.shape == (40_000, workload.predicates)
    assert set(np.unique(attributes)) == set(range(workload.attributes))
    assert lower.min() == 0
    assert upper.max() == workload.cardinality - 1
    equal = lower == upper
    assert abs(equal.mean() - workload.equalities) < 0.01
    assert not workload.together or set(equal.sum(axis=1)) == {0, workload.predicates}
    assert workload.events(10).shape == (10, workload.attributes)
    assert 0.8 * workload.rate < workload.match_rate(40_000, 200) < 1.2 * workload.rate


def test_gem_refuses_a_rate_that_is_out_of_reach() -> None:
    assert Gem(rate=0.089).width > 31
    with pytest.raises(ValueError, match="cannot be reached"):
        Gem(rate=0.1).subscriptions(1)


def test_zipf_prefers_small_values() -> None:
    values = Gem(values="zipf").events(1_000)
    assert 0.23 < (values == 0).mean() < 0.26
    assert (values == 0).mean() > 1.8 * (values == 1).mean() > 5 * (values == 31).mean()


@pytest.mark.parametrize("workload", [Gem(), Concepts()], ids=lambda w: w.name)
def test_a_seed_gives_the_same_arrays_and_a_longer_run_begins_alike(workload: Gem | Concepts) -> None:
    again, other = type(workload)(), type(workload)(seed=8)
    for draw in ("subscriptions", "events"):
        first, same, longer, unlike = (
            _arrays(getattr(one, draw)(number))
            for one, number in ((workload, 300), (again, 300), (again, 40_000), (other, 300))
        )
        assert all(np.array_equal(a, b) for a, b in zip(first, same, strict=True))
        assert all(np.array_equal(a, b[:300]) for a, b in zip(first, longer, strict=True))
        assert not any(np.array_equal(a, b) for a, b in zip(first, unlike, strict=True))


def _arrays(found: object) -> tuple[np.ndarray, ...]:  # type: ignore[type-arg]
    return tuple(found) if isinstance(found, tuple) else (found,)  # type: ignore[return-value]


def test_objects_of_gem_say_what_its_arrays_say() -> None:
    workload = Gem()
    ontology = workload.ontology()
    attributes, lower, upper = workload.subscriptions(32_800)
    drawn = [*enumerate(workload.flat_subscriptions(50)), (32_790, workload.flat_subscription(32_790))]
    for number, subscription in drawn:
        assert subscription.id == f"s{number}"
        (whole,) = resolve_flat(subscription, ontology).alternatives
        for column, (path, asked) in enumerate(whole.constraints):
            assert path == (f"urn:gem:a{attributes[number, column]}",)
            low, high = lower[number, column], upper[number, column]
            assert asked == (OneOf((int(low),)) if low == high else Between(int(low), int(high)))
    for row, event in zip(workload.events(5), workload.flat_events(5), strict=True):
        pairs, notices = pairs_of(event, ontology, strict=True)
        assert not notices
        assert [(pair.path[0], pair.value.value) for pair in pairs] == [  # type: ignore[union-attr]
            (f"urn:gem:a{number}", value) for number, value in enumerate(row)
        ]


@pytest.mark.parametrize("height", HEIGHTS)
def test_ctps_has_the_sizes_of_the_paper(height: int) -> None:
    workload = Concepts(height)
    ontology = workload.ontology()
    nodes = 2 ** (height + 1) - 1
    assert sum(name.startswith("urn:ctps:") for name in ontology.properties) == 6 * nodes
    assert sum(name.startswith("urn:ctps:") for name in ontology.classes) == 4 * nodes
    assert len(ontology.superproperties(f"urn:ctps:p5n{nodes - 1}") & set(map(str, ontology.properties))) == height + 1
    subscriptions, events = workload.subscriptions(20_000), workload.events(1_000)
    assert [array.shape for array in subscriptions] == [(20_000, 6), (20_000, 4), (20_000, 2), (20_000, 2)]
    assert [array.shape for array in events] == [(1_000, 6), (1_000, 4), (1_000, 2)]
    assert set(np.unique(subscriptions.classes)) == set(range(nodes))
    assert set(np.unique(events.properties)) == set(range(nodes // 2, nodes))
    assert (subscriptions.lower <= subscriptions.upper).all()


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("rate", [0.002, 0.3])
def test_ctps_matches_as_often_at_every_height(height: int, rate: float) -> None:
    assert 0.8 * rate < Concepts(height, rate).match_rate() < 1.2 * rate


@pytest.mark.parametrize("height", [1, 5])
def test_parents_of_ctps_are_those_of_its_ontology(height: int) -> None:
    workload = Concepts(height)
    ontology = workload.ontology()
    parents = workload.parents()
    assert len(parents) == 10 * (workload.nodes - 1)
    for name, parent in parents.items():
        is_class = name.startswith("urn:ctps:c")
        assert parent in (ontology.superclasses(name) if is_class else ontology.superproperties(name))


def test_names_and_objects_of_ctps_say_what_its_arrays_say() -> None:
    workload = Concepts()
    ontology = workload.ontology()
    arrays = workload.subscriptions(100)
    for number, asked in enumerate(workload.constraints(100)):
        assert [c.property for c in asked] == [f"urn:ctps:p{t}n{n}" for t, n in enumerate(arrays.properties[number])]
        assert [c.value for c in asked[:4]] == [f"urn:ctps:c{t}n{n}" for t, n in enumerate(arrays.classes[number])]
        assert [c.value for c in asked[4:]] == [*map(Interval, arrays.lower[number], arrays.upper[number])]
    for subscription, asked in zip(workload.flat_subscriptions(20), workload.constraints(20), strict=True):
        (whole,) = resolve_flat(subscription, ontology).alternatives
        assert [path for path, _ in whole.constraints] == [(c.property,) for c in asked]
    for event, given in zip(workload.flat_events(20), islice(workload.pairs(30), 20), strict=True):
        pairs, notices = pairs_of(event, ontology, strict=True)
        assert not notices
        assert [pair.path[0] for pair in pairs if pair.value[0] in {p.value for p in given}][:4]
        assert [float(pair.value.value) for pair in pairs[-2:]] == [p.value for p in given[4:]]  # type: ignore[union-attr, arg-type]
