"""Every flat index gives the answer of the definition, on generated cases, with subscriptions coming and going."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.compme import CompmeIndex
from semantic_pubsub.matching.flat.ctps import CtpsIndex
from semantic_pubsub.matching.flat.gem_tree import GemTreeIndex
from semantic_pubsub.matching.flat.hmacd import HmacdIndex
from semantic_pubsub.matching.flat.hybrid import AutoIndex, HybridIndex
from semantic_pubsub.matching.flat.index import FlatIndex, ScanIndex
from semantic_pubsub.matching.flat.pairs import FlatEvent, FlatSubscription
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from tests.matching.flat.varied import events, ontology, subscriptions

INDEXES: dict[str, Callable[[Ontology], FlatIndex]] = {
    "ctps": CtpsIndex,
    "compme": CompmeIndex,
    "hmacd": HmacdIndex,
    "hmacd, a narrow poset": type("Narrow", (HmacdIndex,), {"free_roots": 1, "siblings": 1, "deepest": 2}),
    "hmacd, a plain poset": type("Poset", (HmacdIndex,), {"free_roots": 99, "siblings": 99, "deepest": 99}),
    "gem-tree": GemTreeIndex,
    "hybrid": HybridIndex,
    "auto": AutoIndex,
}
ONTOLOGY = ontology()


@pytest.mark.parametrize("name", INDEXES)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.lists(subscriptions, min_size=1, max_size=12),
            st.sets(st.integers(0, 20), max_size=4),
            st.lists(events, min_size=1, max_size=4),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_agrees_with_the_definition(
    name: str, rounds: list[tuple[list[FlatSubscription], set[int], list[FlatEvent]]]
) -> None:
    index, oracle = INDEXES[name](ONTOLOGY), ScanIndex(ONTOLOGY)
    held: list[tuple[int, int]] = []
    for added, removed, shown in rounds:
        for subscription in added:
            asked = resolve_flat(subscription, ONTOLOGY).alternatives[0].constraints
            held.append((index.add(asked), oracle.add(asked)))
        for place in sorted(removed, reverse=True):
            if place < len(held):
                mine, theirs = held.pop(place)
                index.remove(mine)
                oracle.remove(theirs)
        for event in shown:
            pairs, _ = pairs_of(event, ONTOLOGY)
            right = set(oracle.match(pairs).tolist())
            found = index.match(pairs).tolist()
            assert len(found) == len(set(found))
            assert set(found) == {mine for mine, theirs in held if theirs in right}
            if hasattr(index, "encode_flat"):
                encoded = index.encode_flat(event)
                flat = index.match_encoded(encoded)
                assert set((index.checked(flat, pairs) if encoded.rough else flat).tolist()) == set(found)
    assert len(index) == len(oracle) == len(held)
