"""What a normalizer writes gets the answer of exact fractions; where nothing is to be written, the same as before."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub import (
    Event,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Normalizer,
    ReferenceMatcher,
    Subscription,
    between,
    equals,
)
from tests.matching.flat.measured import (
    COMPARISONS,
    MEASURES,
    auction,
    comparisons,
    event_of,
    flat_match,
    graph_match,
    ontology_of,
    sparql,
)
from tests.matching.flat.varied import events, ontology, subscriptions

LEVEL = Normalizer(ontology_of(MEASURES))
PLAIN = ontology()
PLAIN_NORMALIZER = Normalizer(PLAIN)


def flat(asked: dict[str, object], values: dict[str, object]) -> bool:
    return flat_match(LEVEL, LEVEL.ontology, asked, values)


# exactly the answer of fractions


@given(comparisons())
@settings(max_examples=150, deadline=None)
def test_flat_answers_are_those_of_fractions(case: tuple[str, object, str, str, object, bool]) -> None:
    sign, number, unit, asked_unit, asked, holds = case
    wanted = {"level.numericValue": COMPARISONS[sign][1](asked), "level.unit": equals(asked_unit)}
    assert flat(wanted, {"level.numericValue": number, "level.unit": unit}) is holds


@given(comparisons(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_graph_answers_are_those_of_fractions(case: tuple[str, object, str, str, object, bool], mirrored: bool) -> None:
    sign, number, unit, asked_unit, asked, holds = case
    kinds = [_written(number), _written(asked)]
    event = event_of(f'_:H ex:level [ qudt:numericValue {kinds[0]} ; qudt:unit "{unit}" ] .')
    condition = f"?v {sign} {kinds[1]}"
    if mirrored:
        condition = f"{kinds[1]} {sign.translate(str.maketrans('<>', '><'))} ?v"
    where = f'_:H ex:level ?l . ?l qudt:numericValue ?v ; qudt:unit "{asked_unit}" FILTER({condition})'
    assert graph_match(LEVEL, sparql(where), event) is holds
    if sign == "=":
        constant = f'_:H ex:level [ qudt:numericValue {kinds[1]} ; qudt:unit "{asked_unit}" ]'
        assert graph_match(LEVEL, sparql(constant), event) is holds


@given(comparisons())
@settings(max_examples=60, deadline=None)
def test_two_numbers_of_one_event(case: tuple[str, object, str, str, object, bool]) -> None:
    """Two variables in a filter, each in a unit of its own."""
    sign, number, unit, other_unit, other, holds = case
    event = event_of(
        f"""_:H ex:level [ qudt:numericValue {_written(number)} ; qudt:unit "{unit}" ] ;
        ex:limit [ qudt:numericValue {_written(other)} ; qudt:unit "{other_unit}" ] ."""
    )
    where = f"""_:H ex:level ?a ; ex:limit ?b . ?a qudt:numericValue ?v ; qudt:unit "{unit}" .
        ?b qudt:numericValue ?w ; qudt:unit "{other_unit}" """
    assert graph_match(LEVEL, sparql(f"{where} FILTER(?v {sign} ?w)"), event) is holds
    assert graph_match(LEVEL, sparql(f"{where} FILTER(!(?v {sign} ?w))"), event) is not holds


def _written(number: object) -> str:
    kind = "integer" if isinstance(number, int) else "decimal"
    return f'"{Decimal(number):f}"^^xsd:{kind}'  # type: ignore[arg-type]


@given(st.integers(-50, 50), st.integers(-50, 50), st.booleans(), st.booleans(), st.integers(-300, 300))
@settings(max_examples=80, deadline=None)
def test_intervals_keep_their_ends(low: int, width: int, left_open: bool, right_open: bool, number: int) -> None:
    """In °C, of an event in tenths of a kelvin."""
    high = low + abs(width)
    celsius = Decimal(number) / 5
    inside = (low < celsius if left_open else low <= celsius) and (celsius < high if right_open else celsius <= high)
    asked = between(low, high, lower_open=left_open, upper_open=right_open)
    values = {"level.numericValue": (celsius + Decimal("273.15")) * 10, "level.unit": "dK"}
    assert flat({"level.numericValue": asked, "level.unit": equals("Cel")}, values) is inside


# nothing to rewrite, nothing changed


@given(st.lists(subscriptions, min_size=1, max_size=4), events)
@settings(max_examples=80, deadline=None)
def test_names_and_numbers_that_are_one_already_stay(asked: list[FlatSubscription], event: FlatEvent) -> None:
    with_it, without = (FlatMatcher(PLAIN, index="scan", normalizer=n) for n in (PLAIN_NORMALIZER, None))
    for number, subscription in enumerate(asked):
        for matcher in (with_it, without):
            matcher.add(FlatSubscription.of_alternatives(subscription.alternatives, str(number)))
    assert sorted(with_it.match_ids(event)) == sorted(without.match_ids(event))


def test_the_examples_get_the_same_answers(project: Path) -> None:
    """Their words are names already, and all sizes are in one unit."""
    normalizer = Normalizer(auction())
    with_it, without = (ReferenceMatcher(normalizer.ontology) for _ in range(2))
    for path in sorted((project / "examples" / "subscriptions").glob("*.[ro][qp]*")):
        subscription = Subscription.load(path)
        without.add(subscription)
        with_it.add(normalizer.subscription(subscription))
    assert len(without) > 3
    for path in sorted((project / "examples" / "events").glob("*.ttl")):
        event = Event.load(path)
        assert sorted(with_it.match_ids(normalizer.event(event))) == sorted(without.match_ids(event)), path.name
