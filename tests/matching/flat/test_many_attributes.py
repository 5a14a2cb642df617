"""Many attributes of which an event has few: slots wait for one of them, and only those of the event are looked at."""

from __future__ import annotations

import random
from typing import Final

import pytest

from benchmarks.workloads.base import load_ontology
from semantic_pubsub import FlatEvent, FlatSubscription, Ontology, at_least, at_most, between, equals
from semantic_pubsub.matching.flat.array_index import ArrayIndex
from semantic_pubsub.matching.flat.hybrid import AutoIndex, HybridIndex
from semantic_pubsub.matching.flat.index import Asked, ScanIndex
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat

_NAMES: Final = [f"urn:many:a{number}" for number in range(600)]
_PAIRS: Final = 6


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    kind = "<http://www.w3.org/2002/07/owl#DatatypeProperty>"
    return load_ontology("".join(f"<{name}> a {kind} .\n" for name in _NAMES))


def drawn(draw: random.Random, ontology: Ontology, attributes: int) -> Asked:
    constraints: dict[str, object] = {}
    for name in draw.sample(_NAMES, attributes):
        bound = draw.randrange(100)
        kinds = at_least(bound), at_most(bound), equals(bound), between(bound, bound + 10)
        constraints[name] = draw.choice(kinds)
    return resolve_flat(FlatSubscription(constraints), ontology).alternatives[0].constraints  # type: ignore[return-value]


def event(draw: random.Random) -> FlatEvent:
    values = {
        name: [draw.randrange(100) for _ in range(draw.choice((1, 1, 2)))] for name in draw.sample(_NAMES, _PAIRS)
    }
    return FlatEvent(values)


@pytest.mark.parametrize("kind", [AutoIndex, HybridIndex])
def test_only_what_an_event_has_is_looked_at(kind: type[ArrayIndex], ontology: Ontology) -> None:
    index, scan, draw = kind(ontology), ScanIndex(ontology), random.Random(3)
    number, most = 6_000, 2
    for _ in range(number):
        asked = drawn(draw, ontology, draw.randrange(1, most + 1))
        assert index.add(asked) == scan.add(asked)
    found = 0
    for turn in range(160):
        if turn == 80:
            index.settle()
            before = int(index.stats()["rows scanned"])
        pairs = pairs_of(event(draw), ontology)[0]
        slots = index.match(pairs).tolist()
        assert sorted(slots) == sorted(scan.match(pairs).tolist())
        found += len(slots)
    assert found > 1_000
    assert int(index.stats()["in bit rows"]) < number / 100
    # Each of an event's attributes has number * most / 600 slots at most that could wait for it.
    scanned = int(index.stats()["rows scanned"]) - before
    assert scanned < 80 * _PAIRS * number * most / len(_NAMES)


@pytest.mark.parametrize("kind", [AutoIndex, HybridIndex])
def test_an_attribute_that_becomes_frequent_is_waited_for_no_more(kind: type[ArrayIndex], ontology: Ontology) -> None:
    index, scan, draw = kind(ontology), ScanIndex(ontology), random.Random(4)
    bounds = [(name, 50) for name in _NAMES] + [(_NAMES[0], bound) for bound in range(2_000)]
    for name, bound in bounds:
        asked = resolve_flat(FlatSubscription({name: at_least(bound)}), ontology).alternatives[0].constraints
        assert index.add(asked) == scan.add(asked)  # type: ignore[arg-type]

    def compare(values: dict[str, object]) -> None:
        pairs = pairs_of(FlatEvent(values), ontology)[0]
        assert sorted(index.match(pairs).tolist()) == sorted(scan.match(pairs).tolist())

    for value in range(100):
        compare({draw.choice(_NAMES[1:]): value})
    index.settle()
    assert int(index.stats()["in bit rows"]) < 20
    for value in range(200):
        compare({_NAMES[0]: 10 * value, draw.choice(_NAMES[1:]): value})
    index.settle()
    assert int(index.stats()["in bit rows"]) >= 2_001
