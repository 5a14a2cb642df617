"""The flat peers give the right answer: a benchmark against something wrong would say nothing."""

from __future__ import annotations

import random

import pytest

from benchmarks.competitors.gtopss import GToPSS
from benchmarks.competitors.mic import DoesNotFitError, IntervalTree, Mic
from benchmarks.workloads.concepts import Concepts, Interval
from semantic_pubsub import FlatEvent, FlatSubscription, Ontology
from semantic_pubsub.matching.flat.meaning import matches
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat


def defined(event: FlatEvent, subscriptions: list[FlatSubscription], ontology: Ontology) -> list[int]:
    """The numbers of the (resolved) subscriptions that match by definition."""
    pairs, _ = pairs_of(event, ontology, strict=True)
    return [number for number, one in enumerate(subscriptions) if matches(pairs, one, ontology)]


@pytest.mark.parametrize("height", [1, 3, 5])
@pytest.mark.parametrize("peer", [GToPSS, Mic])
def test_a_peer_on_concept_trees_is_the_definition(peer: type[GToPSS] | type[Mic], height: int) -> None:
    workload = Concepts(height, rate=0.05)
    ontology = workload.ontology()
    subscriptions = [resolve_flat(one, ontology) for one in workload.flat_subscriptions(200)]
    other = peer(workload.parents())
    other.add_all(workload.constraints(200))
    found = 0
    for pairs, event in zip(workload.pairs(12), workload.flat_events(12), strict=True):
        expected = defined(event, subscriptions, ontology)
        assert sorted(other.match(pairs)) == expected
        assert other.match(pairs[1:]) == []
        found += len(expected)
    assert found


@pytest.mark.parametrize("height", [1, 2])
def test_the_peers_on_concept_trees_agree_on_many_subscriptions(height: int) -> None:
    workload = Concepts(height)
    first, second = GToPSS(workload.parents()), Mic(workload.parents())
    for peer in (first, second):
        peer.add_all(workload.constraints(3_000))
    answers = [(sorted(first.match(pairs)), sorted(second.match(pairs))) for pairs in workload.pairs(10)]
    assert all(one == other for one, other in answers)
    assert any(one for one, _ in answers)


def test_events_above_the_leaves_match_only_what_is_above_them() -> None:
    workload = Concepts(height=2)
    parents = workload.parents()
    (constraints,) = workload.constraints(1)
    event = [c._replace(value=c.value.lower if isinstance(c.value, Interval) else c.value) for c in constraints]
    for peer in (GToPSS(parents), Mic(parents)):
        peer.add_all([constraints])
        assert peer.match(event) == [0]  # type: ignore[arg-type]
        for at, constraint in enumerate(constraints):
            higher = parents.get(constraint.property, "urn:another")
            assert peer.match([*event[:at], event[at]._replace(property=higher), *event[at + 1 :]]) == []  # type: ignore[arg-type, list-item]


def test_mic_expands_to_all_that_is_below_and_says_when_that_does_not_fit() -> None:
    workload = Concepts(height=5)
    subscriptions = list(workload.constraints(300))
    mic, small = Mic(workload.parents()), Mic(workload.parents(), limit_bytes=1_000_000)
    mic.add_all(subscriptions)
    is_below = workload.is_below().sum(axis=0)
    arrays = workload.subscriptions(300)
    below = is_below[arrays.properties]
    assert mic.edges == (below[:, :4] * is_below[arrays.classes]).sum() + below[:, 4:].sum()
    with pytest.raises(DoesNotFitError, match="more than the 1 MB") as raised:
        small.add_all(subscriptions)
    assert raised.value.estimate == small.estimate(subscriptions) > 8 * mic.edges
    assert small.edges == 0


def test_mic_refuses_what_does_not_fit_beside_what_it_has() -> None:
    workload = Concepts(height=1)
    subscriptions = list(workload.constraints(50))
    once = Mic(workload.parents()).estimate(subscriptions)
    mic = Mic(workload.parents(), limit_bytes=once + 1)
    mic.add_all(subscriptions)
    with pytest.raises(DoesNotFitError):
        mic.add_all(subscriptions)


def test_an_interval_tree_finds_each_interval_once() -> None:
    draw = random.Random(7)
    ends = [sorted((draw.randint(0, 40) / 4, draw.randint(0, 40) / 4)) for _ in range(80)]
    intervals = [(Interval(low, high), number) for number, (low, high) in enumerate(ends)]
    tree = IntervalTree(intervals)
    for value in (step / 8 for step in range(-4, 90)):
        found = sorted(number for numbers in tree.lists_at(value) for number in numbers)
        assert found == [number for interval, number in intervals if interval.lower <= value <= interval.upper]
    assert IntervalTree([]).lists_at(1.0) == []
