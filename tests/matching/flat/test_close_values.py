"""Values that lie so close together that doubles do not tell them apart, or that only some bounds can be compared with:
every index gives the answer of the definition, and looks closely only at what is close."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import pytest
import rdflib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import FlatEvent, FlatMatcher, FlatSubscription, SubscriptionError
from semantic_pubsub.matching.flat.constraints import (
    Between,
    Constraint,
    at_least,
    at_most,
    between,
    equals,
    exists,
    isa,
    less_than,
    more_than,
    one_of,
)
from semantic_pubsub.matching.flat.hybrid import AutoIndex
from semantic_pubsub.matching.flat.index import ScanIndex
from semantic_pubsub.matching.flat.labels import interval_of
from semantic_pubsub.matching.flat.ranked import Ranked
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from semantic_pubsub.subscriptions.values import value_of
from tests.matching.flat.test_index_agreement import INDEXES
from tests.matching.flat.varied import ontology

ONTOLOGY = ontology()
XSD = rdflib.XSD


def term(text: str, kind: rdflib.URIRef) -> rdflib.Literal:
    return rdflib.Literal(text, datatype=kind, normalize=False)


def moments(clock: str, zone: str) -> list[rdflib.Literal]:
    return [term(f"2024-02-01T{clock}{fraction}{zone}", XSD.dateTime) for fraction in FRACTIONS]


FRACTIONS = ("", ".000001", ".000002", ".0000010001", ".000001000000000000000000001", ".999999")
LENGTHS = (
    *("P1M", "P30D", "P28D", "P31D", "PT1S", "PT1.000001S", "PT1.0000000000001S"),
    *("P4800M", "P146097D", "P1MT1S", "PT0S", "-P1D"),
)
CLOSE: dict[str, list[object]] = {
    "decimals": [
        0.1,
        math.nextafter(0.1, 1),
        Decimal("0.1"),
        Decimal("0.1000000000000000055511151231257827"),
        Decimal("0.10000000000000000000001"),
        Decimal("0.09999999999999999999999"),
        term("0.1", XSD.float),
        term("0.1000001", XSD.float),
        0.10000000149011612,
        Decimal("0.100000001490116119384765625"),
        Decimal("0.10000000149"),
        float("inf"),
    ],
    "integers": [
        2**53 + 1,
        2**53,
        2.0**53,
        Decimal(2**53) + Decimal("0.5"),
        10**15,
        10**15 - 1,
        1e15,
        term("9007199254740993", XSD.float),
        term("16777217", XSD.float),
        16777217,
        16777216,
        10**400,
        -(10**400),
    ],
    "moments": moments("12:00:00", "Z") + moments("12:00:00", ""),
    "zones": [
        *moments("22:00:00", "-04:00"),
        *moments("02:00:00", ""),
        *moments("16:00:00", ""),
        *moments("02:00:00", "Z"),
        term("-30000-01-01T00:00:00.5Z", XSD.dateTime),
        term("90000-01-01T00:00:00", XSD.dateTime),
    ],
    "days": [datetime.date(2024, 2, 1), datetime.date(2024, 2, 2), term("2024-02-01+14:00", XSD.date)],
    "texts": ["", "a", "ab", "b", "\U0001f600", "￿", "http://example.org/a", "http://example.org/b", "D"],
    "durations": [
        term(text, XSD.duration)
        for text in LENGTHS
    ],
    "booleans": [True, False, 1, 0],
}  # fmt: skip
ATTRIBUTES = ("p", "q", "top")


@st.composite
def intervals(draw: st.DrawFn, values: list[object]) -> Constraint:
    low, high = draw(st.sampled_from(values)), draw(st.sampled_from(values))
    kind = draw(st.integers(0, 5))
    if kind < 4:
        return (at_least, at_most, more_than, less_than)[kind](low)
    try:
        return between(low, high, draw(st.booleans()), draw(st.booleans()))
    except SubscriptionError:
        return at_least(low)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[FlatSubscription], list[FlatEvent], list[int]]:
    names = draw(st.lists(st.sampled_from(sorted(CLOSE)), min_size=1, max_size=2))
    values = [value for name in names for value in CLOSE[name]]
    value = st.sampled_from(values)
    constraint = st.one_of(
        intervals(CLOSE[names[0]]),
        intervals(CLOSE[names[-1]]),
        st.builds(equals, value),
        st.builds(one_of, st.lists(value, max_size=4)),
        st.sampled_from([exists(), isa("xsd:decimal"), between(None, None)]),
    )
    several = st.lists(constraint, min_size=1, max_size=2)
    asked = st.builds(FlatSubscription, st.dictionaries(st.sampled_from(ATTRIBUTES), several, min_size=1, max_size=2))
    shown = st.builds(
        FlatEvent, st.dictionaries(st.sampled_from(ATTRIBUTES), st.lists(value, min_size=1, max_size=2), min_size=1)
    )
    return (
        draw(st.lists(asked, min_size=1, max_size=25)),
        draw(st.lists(shown, min_size=1, max_size=5)),
        draw(st.lists(st.integers(0, 24), max_size=6, unique=True)),
    )


@pytest.mark.parametrize("name", INDEXES)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_agrees_with_the_definition(name: str, case: tuple[list[FlatSubscription], list[FlatEvent], list[int]]) -> None:
    added, shown, removed = case
    index, oracle = INDEXES[name](ONTOLOGY), ScanIndex(ONTOLOGY)
    held: list[tuple[int, int]] = []
    for subscription in added:
        asked = resolve_flat(subscription, ONTOLOGY).alternatives[0].constraints
        held.append((index.add(asked), oracle.add(asked)))  # type: ignore[arg-type]
    for place in (-1, *sorted(removed, reverse=True)):
        if 0 <= place < len(held):
            mine, theirs = held.pop(place)
            index.remove(mine)
            oracle.remove(theirs)
        elif place >= 0:
            continue
        for event in shown:
            pairs, _ = pairs_of(event, ONTOLOGY)
            right = set(oracle.match(pairs).tolist())
            found = index.match(pairs).tolist()
            assert len(found) == len(set(found))
            assert set(found) == {mine for mine, theirs in held if theirs in right}
            encoded = index.encode_flat(event)
            assert not encoded.rough
            assert set(index.match_encoded(encoded).tolist()) == set(found)


def index_of(asked: list[object]) -> AutoIndex:
    index = AutoIndex(ONTOLOGY)
    for one in asked:
        index.add(resolve_flat(FlatSubscription({"p": one}), ONTOLOGY).alternatives[0].constraints)  # type: ignore[arg-type]
    return index


def slots(index: AutoIndex, *values: object) -> set[int]:
    return set(index.match_encoded(index.encode_flat(FlatEvent({"p": list(values)}))).tolist())


BEGIN = datetime.datetime(2024, 2, 1, tzinfo=datetime.UTC)
STEP = datetime.timedelta(microseconds=1)


def asked_of(value: object) -> Between:
    return Between(value_of(value), value_of(value))  # type: ignore[arg-type]


@pytest.mark.parametrize("year", [1800, 2000, 2024, 2250])
def test_a_microsecond_has_a_double_of_its_own(year: int) -> None:
    moment = datetime.datetime(year, 2, 1, 12, tzinfo=datetime.UTC)
    one, other = (interval_of(asked_of(equals(m).values[0])) for m in (moment, moment + STEP))
    assert one is not None
    assert other is not None
    assert other.lower - one.lower == 1


def test_points_in_time_need_no_evaluation() -> None:
    index = index_of(
        [at_least(BEGIN + n * STEP) for n in range(500)] + [one_of(BEGIN, BEGIN + n * STEP) for n in range(500)]
    )
    assert not any(group.tests for group in index.vocabulary.groups)
    assert slots(index, BEGIN + 3 * STEP) == {0, 1, 2, 3, 503}
    assert index.nearby.judged == 0


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often intervals without doubles were looked at: by a comparison, or by evaluation."""
    from semantic_pubsub.matching.flat import ranked

    count = [0]
    for name in ("compare", "satisfies"):

        def one_more(*given: object, _plain: object = getattr(ranked, name)) -> object:
            count[0] += 1
            return _plain(*given)  # type: ignore[operator]

        monkeypatch.setattr(ranked, name, one_more)
    return count


@pytest.mark.parametrize(
    ("bounds", "value"),
    [
        ([f"t{n:04}" for n in range(1_000)], "t0003x"),
        ([datetime.timedelta(microseconds=n) for n in range(1_000)], datetime.timedelta(microseconds=3)),
        ([Decimal(n) + Decimal("1e-20") for n in range(1_000)], 4),
        (
            [term(f"2024-02-01T12:00:00.00000{n:04}1", XSD.dateTime) for n in range(1_000)],
            term("2024-02-01T12:00:00.00000003", XSD.dateTime),
        ),
    ],
    ids=["texts", "durations", "decimals", "nanoseconds"],
)  # fmt: skip
def test_a_value_finds_its_intervals_by_bisection(
    bounds: list[object], value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, scan = index_of([at_least(bound) for bound in bounds]), ScanIndex(ONTOLOGY)
    for bound in bounds:
        scan.add(resolve_flat(FlatSubscription({"p": at_least(bound)}), ONTOLOGY).alternatives[0].constraints)  # type: ignore[arg-type]
    slots(index, value)
    count = counted(monkeypatch)
    right = set(scan.match(pairs_of(FlatEvent({"p": value}), ONTOLOGY)[0]).tolist())
    assert slots(index, value) == right
    assert 0 < len(right) < 1_000
    assert 0 < count[0] < 50


def test_what_a_value_cannot_satisfy_does_not_concern_it(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of([at_least(f"t{n:04}") for n in range(100)] + [at_least(5)])
    count = counted(monkeypatch)
    assert slots(index, 7) == {100}
    assert count[0] == 0
    assert index.encoder.has_plain_numbers("p")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (Decimal("500.00000000000000000001"), 501),
        (term("500.0001", XSD.float), 501),
        (2**53 + 1, 1_000),
        (Decimal("499.99999999999999999999"), 500),
    ],
    ids=str,
)
def test_only_bounds_close_to_a_value_are_judged(value: object, found: int) -> None:
    index = index_of([at_least(n) for n in range(1_000)])
    for _ in range(3):  # by a look at all bounds, then in their order
        before = index.nearby.judged
        assert len(slots(index, value)) == found
        assert index.nearby.judged - before <= 1
    assert int(index.stats()["events"]) == 3


def test_bounds_within_the_hours_of_an_unknown_zone_are_not_judged() -> None:
    hour = datetime.timedelta(hours=1)
    index = index_of([at_least(BEGIN + n * hour) for n in range(100)] + [at_most(BEGIN + n * hour) for n in range(100)])
    shown = (BEGIN + 50 * hour).replace(tzinfo=None)
    assert slots(index, shown) == {*range(36), *range(165, 200)}
    assert index.nearby.judged <= 4


def test_another_value_may_satisfy_what_the_first_does_not() -> None:
    index = index_of([more_than(5), at_most(5)])
    above, below = Decimal("5.00000000000000000001"), Decimal("4.99999999999999999999")
    assert slots(index, above) == {0}
    assert slots(index, below) == {1}
    assert slots(index, above, below) == slots(index, above, 4) == {0, 1}


def test_an_event_that_was_encoded_before_a_close_bound_came_is_refused() -> None:
    index = index_of([at_least(1)])
    encoded = index.encode_flat(FlatEvent({"p": Decimal("5.00000000000000000001")}))
    index.add(resolve_flat(FlatSubscription({"p": at_most(5)}), ONTOLOGY).alternatives[0].constraints)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="encode it again"):
        index.match_encoded(encoded)


def test_intervals_come_and_go_between_values() -> None:
    ranked = Ranked()
    for item in range(200):
        ranked.add(item, Between(f"a{item:03}", f"b{item:03}"))
        assert len(ranked.holding("b000")) == item + 1 == len(ranked)
    for item in range(0, 200, 2):
        ranked.remove(item)
        assert len(ranked.holding("b000")) == len(ranked) == 199 - item // 2
    assert ranked.holding("b2") == []
    assert sorted(ranked.holding("b190")) == [191, 193, 195, 197, 199]
    ranked.add(1, Between("c", "d"))
    assert ranked.holding("cc") == [1]
    assert 1 in ranked.holding("b000")


def test_saved_and_loaded(tmp_path: object) -> None:
    matcher = FlatMatcher(ONTOLOGY)
    for name, values in CLOSE.items():
        for n, value in enumerate(values):
            matcher.add(FlatSubscription({"p": equals(value)}, id=f"{name} {n}"))
            matcher.add(FlatSubscription({"p": one_of(value, values[0])}, id=f"either {name} {n}"))
            matcher.add(FlatSubscription({"p": at_least(value)}, id=f"from {name} {n}"))
    for n in range(0, len(CLOSE["texts"]), 2):
        matcher.remove(f"from texts {n}")
    matcher.save(f"{tmp_path}/saved")
    loaded = FlatMatcher.load(f"{tmp_path}/saved", ONTOLOGY)
    assert loaded.paths == matcher.paths
    for value in (value for values in CLOSE.values() for value in values):
        event = FlatEvent({"p": value})
        assert sorted(loaded.match_ids(event)) == sorted(matcher.match_ids(event))
