"""What people have in rows, as the values of pairs and constraints."""

from __future__ import annotations

import datetime
import enum
import math
from collections import namedtuple
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyoxigraph as ox
import pytest
import rdflib

from semantic_pubsub import (
    EventError,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    SubscriptionError,
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
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.plain import ClassName, Iri, Known, Text
from semantic_pubsub.subscriptions.values import Float
from tests.matching.flat.varied import F, ontology

ONTOLOGY = ontology()
XSD = rdflib.XSD
NAN, INF = math.nan, math.inf


def matches(value: object, asked: object, index: str = "auto") -> bool:
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add(FlatSubscription({"p": asked}, id="s"))
    event = FlatEvent({"p": value})
    found = matcher.match_ids(event) == ["s"]
    assert matcher.explain(event, "s").matched == found
    return found


class Level(enum.IntEnum):
    HIGH = 3


ZONE = datetime.timezone(datetime.timedelta(hours=1))
EQUAL: list[tuple[object, object]] = [
    (3, 3.0),
    (3, Decimal("3.00")),
    (np.int64(3), 3),
    (np.uint8(3), 3),
    (np.float64(2.5), 2.5),
    (np.longdouble(2.5), 2.5),
    (np.bool_(True), True),
    (np.str_("x"), "x"),
    (Level.HIGH, 3),
    (rdflib.Literal(3), 3),
    (rdflib.Literal("003", datatype=XSD.integer, normalize=False), 3),
    (ox.Literal("3", datatype=ox.NamedNode(str(XSD.byte))), 3),
    (rdflib.Literal("x"), "x"),
    (rdflib.Literal("x", lang="en"), ox.Literal("x", language="EN")),
    (rdflib.URIRef(F + "thing"), "thing"),
    ("thing", ox.NamedNode(F + "thing")),
    (F + "thing", "thing"),
    (datetime.datetime(2024, 1, 1, 12, tzinfo=ZONE), datetime.datetime(2024, 1, 1, 11, tzinfo=datetime.UTC)),
    (np.datetime64("2024-01-01T10:00"), datetime.datetime(2024, 1, 1, 10)),
    (np.datetime64("2024-01-01"), datetime.date(2024, 1, 1)),
    (np.datetime64("12024-01-01T00:00:00"), rdflib.Literal("12024-01-01T00:00:00", datatype=XSD.dateTime)),
    (np.timedelta64(90, "m"), datetime.timedelta(hours=1, minutes=30)),
    (np.timedelta64(14, "M"), rdflib.Literal("P1Y2M", datatype=XSD.yearMonthDuration)),
    (datetime.timedelta(days=-1, microseconds=3), rdflib.Literal("-PT86399.999997S", datatype=XSD.dayTimeDuration)),
    (datetime.time(12, 30), rdflib.Literal("12:30:00", datatype=XSD.time)),
    (-0.0, 0),
    (10**20, Decimal("1e20")),
    (INF, INF),
    (Decimal("Infinity"), INF),
]


@pytest.mark.parametrize(("one", "other"), EQUAL, ids=repr)
def test_equal(one: object, other: object) -> None:
    assert matches(one, equals(other))
    assert matches(other, equals(one))
    assert matches(one, one_of("nobody", other))


DIFFERENT: list[tuple[object, object]] = [
    (True, 1),
    (1, True),
    (np.bool_(True), 1),
    ("1", 1),
    (1, "1"),
    (rdflib.Literal("x", lang="en"), "x"),
    ("x", rdflib.Literal("x", lang="en")),
    (rdflib.Literal("x", lang="en"), rdflib.Literal("x", lang="de")),
    (rdflib.Literal(F + "thing"), "nobody"),
    (datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1)),
    (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)),
    (0.1, Decimal("0.1000000000000000000001") + 1),
    (9007199254740993, 9007199254740992),
    (NAN, 0),
    (Decimal("NaN"), 0),
    (Decimal("sNaN"), 0),
]


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=repr)
def test_different(one: object, other: object, index: str) -> None:
    assert not matches(one, equals(other), index)


def test_what_pandas_has_in_its_rows() -> None:
    pandas = pytest.importorskip("pandas")
    exact = rdflib.Literal("2024-01-01T00:00:00.123456789", datatype=XSD.dateTime, normalize=False)
    assert matches(pandas.Timestamp("2024-01-01T00:00:00.123456789"), equals(exact))
    assert matches(pandas.Timestamp("2024-01-01", tz="UTC"), equals(datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)))
    nanoseconds = rdflib.Literal("PT86400.000000002S", datatype=XSD.dayTimeDuration, normalize=False)
    assert matches(pandas.Timedelta("1 days 2 ns"), equals(nanoseconds))
    with pytest.raises(EventError, match="no value"):
        FlatEvent({"p": pandas.NaT})


def test_a_zone_that_xml_schema_cannot_write() -> None:
    odd = datetime.timezone(datetime.timedelta(seconds=30))
    assert matches(datetime.datetime(2024, 1, 1, 0, 0, 30, tzinfo=odd), equals(datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)))  # fmt: skip  # noqa: E501


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize(
    ("value", "asked", "answer"),
    [
        (5, between(5, 5), True),
        (5, between(5, 5, lower_open=True), False),
        (5, between(5, 5, upper_open=True), False),
        (5, between(None, None), True),
        ("x", between(None, None), True),
        (-INF, between(-INF, 0), True),
        (INF, between(-INF, INF), True),
        (INF, at_least(10**30), True),
        (-INF, less_than(0), True),
        (INF, less_than(0), False),
        (NAN, between(-INF, INF), False),
        (NAN, at_least(0), False),
        (NAN, at_most(0), False),
        (NAN, exists(), True),
        (True, between(0, 2), False),
        (1, between(False, True), False),
        (True, more_than(False), True),
        ("5", between(0, 9), False),
        (5, between("0", "9"), False),
        ("m", between("a", "z"), True),
        (rdflib.Literal("m", lang="en"), between("a", "z"), False),
        (datetime.date(2024, 5, 1), between(datetime.date(2024, 1, 1), datetime.date(2024, 12, 31)), True),
        (datetime.datetime(2024, 5, 1), at_least(datetime.date(2024, 1, 1)), False),
        (datetime.timedelta(hours=2), more_than(datetime.timedelta(minutes=90)), True),
        (5, [at_least(1), at_most(4)], False),
        ([0, 9], [at_least(5), at_most(4)], True),
        ([0, 9], between(4, 5), False),
        ([True, "x"], [equals(True), equals(1)], False),
        ([True, 1], [equals(True), equals(1)], True),
        ("D", isa("A"), True),
        ("thing", isa("A"), False),
        (rdflib.URIRef(F + "D"), isa(rdflib.URIRef(F + "A")), True),
        ("nobody", isa("A"), False),
        (5, isa("xsd:decimal"), True),
        (5.0, isa("xsd:decimal"), False),
        ("D", isa("xsd:string"), True),
        (5, one_of(), False),
    ],
    ids=repr,
)
def test_constraint(value: object, asked: object, answer: bool, index: str) -> None:
    assert matches(value, asked, index) is answer


@pytest.mark.parametrize(
    "make",
    [
        lambda: between(3, 1),
        lambda: between(Decimal("0.2"), 0.1),
        lambda: between("b", "a"),
        lambda: between(NAN, 1),
        lambda: between(1, np.float64("nan")),
        lambda: at_least(Decimal("sNaN")),
        lambda: at_most(rdflib.Literal("NaN", datatype=XSD.float)),
        lambda: between(1, "x"),
        lambda: between(True, 2),
        lambda: between(datetime.date(2024, 1, 1), datetime.datetime(2024, 2, 1)),
        lambda: at_least(rdflib.URIRef("urn:x")),
        lambda: at_least(rdflib.Literal("x", lang="en")),
        lambda: at_least(rdflib.Literal("x", datatype=XSD.integer)),
        lambda: at_least([1]),
        lambda: equals(None),
        lambda: equals(NAN),
        lambda: equals([1, 2]),
        lambda: equals(b"x"),
        lambda: equals(rdflib.BNode()),
        lambda: equals(10**5_000),
        lambda: one_of(1, None),
        lambda: isa(""),
        lambda: isa(5),
        lambda: FlatSubscription({"p": 5}),
        lambda: FlatSubscription({"p": [exists(), "x"]}),
        lambda: FlatSubscription([("p", exists())]),  # type: ignore[arg-type]
        lambda: FlatSubscription({"p": exists()}, id=""),
        lambda: FlatSubscription({"p": exists()}, id=5),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_asked_is_refused(make: Any) -> None:
    with pytest.raises(SubscriptionError) as refused:
        make()
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize(
    "value",
    [{"a": 1}, [[1]], object(), b"x", 3 + 2j, 10**5_000, rdflib.BNode(), ox.BlankNode(), rdflib.Variable("v")],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_value_is_refused(value: object) -> None:
    with pytest.raises(EventError, match="is no value") as refused:
        FlatEvent({"p": value})
    assert len(str(refused.value)) < 250


def test_none_is_no_value() -> None:
    assert len(FlatEvent({"p": None, "q": [None, 1], "r": []})) == 1
    assert not matches(None, exists())


Row = namedtuple("Row", ["p", "q", "r"])
Numbered = namedtuple("Numbered", ["Index", "p"])


class SparkLike:
    def asDict(self) -> dict[str, object]:
        return {"p": 5, "q": None, "r": "D"}


def test_rows() -> None:
    expected = FlatEvent({"p": 5, "r": "D"})
    assert FlatEvent.from_row({"p": 5, "q": None, "r": "D"}) == expected
    assert FlatEvent.from_row(Row(5, NAN, "D")) == expected
    assert FlatEvent.from_row(SparkLike(), id="row").id == "row"
    assert FlatEvent.from_row(SparkLike()) == expected
    for bad in (5, "text", [1]):
        with pytest.raises(EventError, match="is no row"):
            FlatEvent.from_row(bad)


def test_rows_of_pandas_and_arrow() -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    table = pandas.DataFrame({"p": [5, 6], "q": [NAN, 1.5], "r": ["D", None], "s": [pandas.NaT, pandas.Timestamp(0)]})
    assert FlatEvent.from_row(table.iloc[0]) == FlatEvent({"p": 5, "r": "D"})
    assert len(FlatEvent.from_row(table.iloc[1])) == 3
    assert FlatEvent.from_row(next(table.itertuples(index=False))) == FlatEvent({"p": 5, "r": "D"})
    struct = arrow.scalar({"p": [5, None, 7], "q": None, "r": "D"})
    assert FlatEvent.from_row(struct) == FlatEvent({"p": [5, 7], "r": "D"})
    lists = pandas.Series({"p": np.array([5.0, NAN, 7.0]), "r": np.array([])})
    assert FlatEvent.from_row(lists) == FlatEvent({"p": [5.0, 7.0]})


def test_ids() -> None:
    assert FlatEvent({}, id="x").id == "x"
    assert FlatSubscription({"p": exists()}).id != FlatSubscription({"p": exists()}).id
    with pytest.raises(EventError, match="an id is a text"):
        FlatEvent({}, id=7)  # type: ignore[arg-type]


def test_arrow_scalars_in_a_mapping() -> None:
    arrow = pytest.importorskip("pyarrow")
    columns = {"p": arrow.array([5, None]), "q": arrow.array([[1.5, None], None]), "r": arrow.array(["D", "D"])}
    rows = [{name: column[at] for name, column in columns.items()} for at in range(2)]
    expected = [FlatEvent({"p": 5, "q": 1.5, "r": "D"}), FlatEvent({"r": "D"})]
    assert [FlatEvent(row) for row in rows] == expected
    assert [FlatEvent.from_row(row) for row in rows] == expected


def test_the_number_of_a_row_is_no_attribute() -> None:
    pandas = pytest.importorskip("pandas")
    (row,) = pandas.DataFrame({"p": [5]}, index=["first"]).itertuples()
    assert FlatEvent.from_row(row) == FlatEvent({"p": 5})
    assert FlatEvent.from_row(Numbered(7, 5)) == FlatEvent({"Index": 7, "p": 5})


@pytest.mark.parametrize(
    "sign", [INF, -INF, np.float64("inf"), ox.Literal("-INF", datatype=ox.NamedNode(str(XSD.double)))]
)
@pytest.mark.parametrize("made", [at_least, at_most, more_than, less_than])
def test_an_infinite_bound_is_an_open_side(made: Callable[[object], object], sign: object) -> None:
    asked = made(sign)
    assert asked == between(None, None) == between(sign, None) == between(sign, sign) == between(INF, -INF)
    for value in (5, INF, -INF, "text"):
        assert matches(value, asked)
    assert not matches(NAN, asked)
    assert between(sign, 3) == at_most(3)
    assert between(3, sign) == at_least(3)


def test_existence_is_more_than_an_interval_without_bounds() -> None:
    for value, within in ((NAN, False), (rdflib.URIRef(F + "thing"), False), (True, True), ("text", True)):
        assert matches(value, exists())
        assert matches(value, between(None, None)) is within


@pytest.mark.parametrize(
    ("one", "other"),
    [(True, 1), (1, 1.0), (1, Decimal(1)), (ClassName("x"), Iri("x")), (Iri("x"), Text("x")), (1.0, Float(1.0))],
)
def test_events_with_values_of_other_kinds_differ(one: Known, other: Known) -> None:
    first, second = (FlatEvent.of_items([("p", value)]) for value in (one, other))
    assert first != second
    assert len({first, second, FlatEvent.of_items([("p", one)])}) == 2
