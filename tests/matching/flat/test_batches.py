"""Many events at once, as pairs or as columns of a table: the answers are those of each event by itself."""

from __future__ import annotations

import datetime
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
import rdflib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import (
    EventError,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Ontology,
    Subscription,
    at_least,
    between,
    equals,
    exists,
    isa,
    less_than,
    more_than,
    one_of,
)
from semantic_pubsub.matching.flat.batches import PairTable
from semantic_pubsub.matching.flat.indexes import INDEXES
from tests.matching.flat.tabled import TABLED
from tests.matching.flat.varied import events, ontology, subscriptions

ONTOLOGY = ontology()
some = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
UNION = "PREFIX : <http://example.org/flat#>\nASK { { _:H :p ?x } UNION { _:H :q ?x } }"


def table_of(shown: list[FlatEvent]) -> PairTable:
    """Equal pairs of one kind get one number."""
    numbers: dict[object, int] = {}
    pairs, codes, offsets = [], [], [0]
    for event in shown:
        for item in event.items:
            name = (repr(item), type(item[1]))
            if name not in numbers:
                numbers[name] = len(pairs)
                pairs.append(item)
            codes.append(numbers[name])
        offsets.append(len(codes))
    return PairTable(np.array(offsets, np.int64), np.array(codes, np.int32), pairs)


def answers(matcher: FlatMatcher, ends: np.ndarray, found: np.ndarray) -> list[list[str]]:
    names = matcher.id_array[found].tolist()
    ids = [names[start:end] for start, end in pairwise(ends)]
    assert all(len(set(own)) == len(own) for own in ids)
    return [sorted(own) for own in ids]


@pytest.mark.parametrize("index", INDEXES)
@some
@given(st.lists(subscriptions, min_size=1, max_size=10), st.lists(events, max_size=6), st.booleans())
def test_pairs(index: str, asked: list[FlatSubscription], shown: list[FlatEvent], with_union: bool) -> None:
    matcher = FlatMatcher(ONTOLOGY, index)
    for subscription in asked:
        matcher.add(subscription)
    if with_union:
        matcher.add(Subscription.parse(UNION, id="either"))
    found = answers(matcher, *matcher.match_batch(table_of(shown)))
    assert found == [sorted(matcher.match_ids(event)) for event in shown]


@pytest.mark.parametrize("index", INDEXES)
@some
@given(
    st.lists(subscriptions, min_size=1, max_size=10),
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-5, 5)),
            st.one_of(st.floats(allow_nan=True, width=16), st.sampled_from([1e300, 2.5, 1e15])),
            st.sampled_from([None, "x", "D", "thing", True, 1, Decimal("0.1"), 10**20]),
        ),
        max_size=6,
    ),
    st.integers(-5, 5),
)
def test_columns(index: str, asked: list[FlatSubscription], rows: list[tuple[object, ...]], constant: int) -> None:
    matcher = FlatMatcher(ONTOLOGY, index)
    for subscription in asked:
        matcher.add(subscription)
    columns = {
        "p": [row[0] for row in rows],
        "q": np.array([row[1] for row in rows], np.float64),
        "top": [row[2] for row in rows],
        "s": np.full(len(rows), constant, np.int64),
        "unheard": [1] * len(rows),
    }
    found = answers(matcher, *matcher.match_columns(columns, len(rows)))
    single = [FlatEvent.from_row(dict(zip(["p", "q", "top"], row, strict=True)) | {"s": constant}) for row in rows]
    assert found == [sorted(matcher.match_ids(event)) for event in single]


DAY = np.datetime64("2024-02-01")
COLUMNS: dict[str, object] = {
    "whole numbers of every width": np.array([3, 1, 2], np.int8),
    "unsigned": np.array([3, 2**63, 0], np.uint64),
    "the least": np.array([-(2**63), 3, 2], np.int64),
    "doubles": np.array([3.0, np.nan, 2.5]),
    "infinite": np.array([np.inf, -np.inf, 3.0]),
    "singles": np.array([0.1, np.nan, 3], np.float32),
    "halves": np.array([0.1, 3, 2.5], np.float16),
    "truth values": np.array([True, False, True]),
    "texts": np.array(["x", "thing", "D"]),
    "objects": np.array([3, "x", None], object),
    "days": np.array([DAY, DAY + 1, "NaT"], "datetime64[D]"),
    "nanoseconds": np.array([DAY, DAY + 1, "NaT"], "datetime64[ns]"),
    "seconds": np.array([DAY, DAY + 1, DAY], "datetime64[s]"),
    "months": np.array(["2024-02", "2024-03", "NaT"], "datetime64[M]"),
    "days and their first seconds": [DAY, np.datetime64("2024-02-01T00:00:00"), DAY],
    "durations": np.array([1, 2, "NaT"], "timedelta64[ns]"),
    "long durations": np.array([1, 2, 3], "timedelta64[D]"),
    "months of duration": np.array([1, 2, 3], "timedelta64[M]"),
    "true and a number": [True, 2, 1],
    "a number and a double": [1, 2.5, 2.0],
    "alike": [1, 2, 3],
    "beyond": [10**20, -(10**20), 3],
    "mixed signs beyond": [2**63, -1, 3],
    "missing": [1.5, None, float("nan")],
    "exact": [Decimal("2.5"), Decimal("0.1"), 2.5],
    "lists": [[1, 2], [3], []],
    "lists with nothing in them": [[None], (2, None, "x"), 3],
    "sets and arrays": [{1, 2}, np.array([2.5, 3.0]), np.array([DAY])],
    "rows of a matrix": np.array([[1, 2], [3, 4], [5, 6]]),
    "rows of points in time": np.array([[DAY, DAY + 1]] * 3, "datetime64[ns]"),
    "a tuple": (1, 2, 3),
}
ASKED = {
    "integer": isa("xsd:integer"),
    "double": isa("xsd:double"),
    "boolean": isa("xsd:boolean"),
    "date": isa("xsd:date"),
    "dateTime": isa("xsd:dateTime"),
    "duration": isa("xsd:dayTimeDuration"),
    "months": isa("xsd:yearMonthDuration"),
    "class": isa("A"),
    "exists": exists(),
    "two": at_least(2),
    "point": one_of(1, 2.5),
    "tenth": equals(0.1),
    "true": equals(True),
    "x": between("w", "y"),
    "day": equals(datetime.date(2024, 2, 1)),
    "later": more_than(datetime.datetime(2024, 2, 1)),
    "short": less_than(datetime.timedelta(seconds=1)),
}


@pytest.mark.parametrize("index", ["auto", "compme", "scan"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_says_what_its_rows_say(index: str, name: str) -> None:
    column = COLUMNS[name]
    matcher, few = FlatMatcher(ONTOLOGY, index), FlatMatcher(ONTOLOGY, index)
    for key, asked in ASKED.items():
        matcher.add(FlatSubscription({"p": asked}, id=key))
        if key in ("integer", "double", "two", "later"):
            few.add(FlatSubscription({"p": asked}, id=key))  # numbers of columns are looked up as they are
    rows = [FlatEvent.from_row({"p": column[n], "q": n}) for n in range(3)]  # type: ignore[index]
    for each in (matcher, few):
        found = answers(each, *each.match_columns({"p": column, "q": [0, 1, 2]}, 3))
        assert found == [sorted(each.match_ids(row)) for row in rows]
    assert any(answers(matcher, *matcher.match_columns({"p": column}, 3)))


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize(
    "cell", [{"a": 1}, [[1], 2], b"x", 1j, object()], ids=["dict", "lists", "bytes", "complex", "object"]
)
def test_a_cell_that_is_no_value(index: str, cell: object) -> None:
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add(FlatSubscription({"p": exists()}, id="any"))
    with pytest.raises(EventError, match=r"p.* is no value"):
        matcher.match_ids(FlatEvent.from_row({"p": cell}))
    with pytest.raises(EventError, match=r"p.* is no value"):
        matcher.match_columns({"p": [1, cell]}, 2)


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("column", [[1, 2], ["x", 2], np.array([1.5, 2.5])], ids=repr)
def test_an_ambiguous_attribute(index: str, column: object) -> None:
    text = "@prefix a: <urn:a#> . @prefix b: <urn:b#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
    text += "a:size a owl:DatatypeProperty . b:size a owl:DatatypeProperty ."
    matcher = FlatMatcher(Ontology.load(rdflib.Graph().parse(data=text, format="turtle")), index)
    matcher.add(FlatSubscription({"<urn:a#size>": exists()}, id="any"))
    for ask in (
        lambda: matcher.match_ids(FlatEvent({"size": 1})),
        lambda: matcher.match_columns({"size": column}, 2),
        lambda: matcher.match_batch(PairTable(np.array([0, 1]), np.array([0], np.int32), [("size", 1)])),
    ):
        with pytest.raises(EventError, match="ambiguous"):
            ask()


def test_columns_of_arrow_and_pandas() -> None:
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    matcher = FlatMatcher(ONTOLOGY)
    for key, asked in ASKED.items():
        matcher.add(FlatSubscription({"p": asked}, id=key))
    moments = [datetime.datetime(2024, 2, 1, 12), None, datetime.datetime(2024, 1, 1)]
    for values in ([1, None, 3], [1.5, None, 2.5], [True, None, False], ["x", None, "D"], moments, [[1, 2], None, [3]]):
        right = [sorted(matcher.match_ids(FlatEvent.from_row({"p": value}))) for value in values]
        for column in (
            arrow.array(values),
            arrow.chunked_array([values[:1], values[1:]]),
            pandas.Series(values, dtype=object),
        ):
            assert answers(matcher, *matcher.match_columns({"p": column}, 3)) == right
    series = pandas.Series(moments)
    right = [sorted(matcher.match_ids(FlatEvent.from_row({"p": value}))) for value in series]
    assert answers(matcher, *matcher.match_columns({"p": series}, 3)) == right
    assert right[0] == ["dateTime", "exists", "later"]


def test_an_empty_table() -> None:
    matcher = FlatMatcher(ONTOLOGY)
    matcher.add(FlatSubscription({}, id="all"))
    assert [array.tolist() for array in matcher.match_columns({}, 0)] == [[0], []]
    ends, found = matcher.match_columns({}, 2)
    assert answers(matcher, ends, found) == [["all"], ["all"]]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(EventError, match="column 'q' has 2 values, not 3"):
        FlatMatcher(ONTOLOGY).match_columns({"p": [1, 2, 3], "q": [1, 2]}, 3)


def test_a_bad_value_names_its_column() -> None:
    with pytest.raises(EventError, match=r"p.*: object"):
        FlatMatcher(ONTOLOGY).match_columns({"p": [1, object()]}, 2)


def test_more_matches_than_were_thought_of() -> None:
    matcher = FlatMatcher(ONTOLOGY)
    for number in range(3_000):
        matcher.add(FlatSubscription({"p": at_least(number % 3)}, id=str(number)))
    ends, found = matcher.match_columns({"p": list(range(5))}, 5)
    assert np.diff(ends).tolist() == [1_000, 2_000, 3_000, 3_000, 3_000]
    assert len(set(found[ends[4] :].tolist())) == 3_000


@pytest.mark.parametrize("index", INDEXES)
def test_events_of_one_shape_differ_in_what_they_say(index: str) -> None:
    """What rows have in common is kept: none gets the answer of another."""
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add(FlatSubscription({"p": between(0, 10), "s": isa("A")}, id="a"))
    matcher.add(FlatSubscription({"p": at_least(5), "s": equals("x")}, id="x"))
    shown = [(1, "D", ["a"]), (1, "x", []), (7, "x", ["x"]), (7, "y", []), (11, "D", []), (float("nan"), "x", [])]
    for _ in range(2):
        for number, text, right in shown:
            assert matcher.match_ids(FlatEvent({"p": number, "s": text})) == right
    matcher.add(FlatSubscription({"p": one_of(7, 8), "s": equals("y")}, id="y"))
    assert [matcher.match_ids(FlatEvent({"p": number, "s": text})) for number, text, _ in shown[:4]] == [
        ["a"],
        [],
        ["x"],
        ["y"],
    ]


@pytest.mark.parametrize("index", INDEXES)
def test_a_first_event_that_says_nothing_does_not_speak_for_its_like(index: str) -> None:
    """NaN lies nowhere among the numbers, and there are integers beyond all doubles."""
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add(FlatSubscription({"p": at_least(5)}, id="far"))
    matcher.add(FlatSubscription({"q": at_least(5)}, id="other"))
    nan = float("nan")
    for shown, right in (((nan, 1.0), []), ((7.0, 1.0), ["far"]), ((nan, 7.0), ["other"]), ((nan, nan), [])):
        assert matcher.match_ids(FlatEvent(dict(zip("pq", shown, strict=True)))) == right
    for number, ids in ((7, ["far"]), (10**400, ["far"]), (-(10**400), []), (4, [])):
        assert matcher.match_ids(FlatEvent({"p": number})) == ids
        assert matcher.match_ids(FlatEvent({"p": number, "s": "x"})) == ids


@pytest.mark.parametrize("index", TABLED)
def test_pairs_beyond_the_bits_of_a_word(index: str) -> None:
    """A hundred values of each of three attributes under one root."""
    matcher, oracle = FlatMatcher(ONTOLOGY, index), FlatMatcher(ONTOLOGY, "scan")
    for number in range(300):
        asked = {"p": between(number, number + 1), "q": at_least(250 - number), "top": equals(-number)}
        for each in (matcher, oracle):
            each.add(FlatSubscription({key: asked[key] for key in list(asked)[: number % 3 + 1]}, id=str(number)))
    for start in (0, 50, 150):
        event = FlatEvent(
            {
                "p": list(range(start, start + 100)),
                "q": list(range(100)),
                "r": [-start, start + 200],
                "top": list(range(-100, 0)),
            }
        )
        assert sorted(matcher.match_ids(event)) == sorted(oracle.match_ids(event))
