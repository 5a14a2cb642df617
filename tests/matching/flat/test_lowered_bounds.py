"""Several comparisons of one variable are one interval wherever that asks the same of every number."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub import Ontology, Subscription, lower
from semantic_pubsub.matching.flat.constraints import Between, Constraint
from semantic_pubsub.matching.flat.lower import join_constraint
from semantic_pubsub.matching.flat.meaning import satisfies
from semantic_pubsub.matching.flat.plain import datatype_of
from semantic_pubsub.matching.flat.resolving import LiteralValue
from semantic_pubsub.subscriptions.values import Float
from tests.matching.flat.measured import ontology_of

ONTOLOGY: Ontology = ontology_of("ex:p a owl:DatatypeProperty .")
NEAR = [1.2, math.nextafter(1.2, 2), math.nextafter(1.2, 1), 1.5, float(Float(1.2)), 0.0, -1.2, 1e300, math.inf]
EXACT = [number for x in NEAR if math.isfinite(x) for number in (Decimal(x), Decimal(repr(x)), round(x))]
numbers = st.sampled_from([*NEAR, *map(Float, NEAR), *EXACT, Decimal("1.20000001"), 2**53 + 1])
bounds = st.builds(
    lambda low, number, is_open: Between(number, None, is_open) if low else Between(None, number, False, is_open),
    st.booleans(),
    numbers,
    st.booleans(),
)


@given(st.lists(bounds, min_size=2, max_size=3), numbers)
@settings(max_examples=1500, deadline=None)
def test_a_joined_interval_asks_the_same(asked: list[Between], number: int | Decimal | float) -> None:
    joined: list[Constraint] = []
    for one in asked:
        join_constraint(joined, one)
    value = LiteralValue(number, datatype_of(number))
    expected = all(satisfies(value, one, ONTOLOGY) for one in asked)
    assert all(satisfies(value, one, ONTOLOGY) for one in joined) is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("?x > 1.5e0 && ?x > 1.2 && ?x < 3", [Between(1.5, 3, True, True)]),
        ("?x > 1.2 && ?x > 1.5e0", [Between(1.5, None, True)]),
        ("?x < 1.5e0 && ?x < 3", [Between(None, 1.5, False, True)]),
        ("?x >= 2 && ?x > 2e0", [Between(2.0, None, True)]),
        # 1.2 as a double is a little below: a decimal between the two is within the one, 1.2e0 within the other
        ("?x > 1.2 && ?x >= 1.2e0", [Between(Decimal("1.2"), None, True)]),
        ("?x >= 1.2 && ?x > 1.2e0", [Between(Decimal("1.2"), None), Between(1.2, None, True)]),
    ],
)
def test_lowered(condition: str, expected: list[Between]) -> None:
    text = f"PREFIX ex: <http://example.org/> SELECT * {{ _:H ex:p ?x FILTER({condition}) }}"
    found = lower(Subscription.parse(text), ONTOLOGY).alternatives[0].constraints
    assert [asked for _, asked in found] == expected
