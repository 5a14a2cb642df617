"""Values that read alike and are not the same, and questions that are asked while others add."""

from __future__ import annotations

import datetime
import sys
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import product
from zoneinfo import ZoneInfo

import pytest
import rdflib

from semantic_pubsub import (
    Event,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    OpsMatcher,
    ReferenceMatcher,
    Subscription,
    at_least,
    between,
    equals,
    exists,
    isa,
    one_of,
)
from semantic_pubsub.matching.flat.hmacd import HmacdIndex
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.resolving import resolve_flat
from tests.matching.flat.varied import ontology

ONTOLOGY = ontology()
XSD = rdflib.XSD
ODD = rdflib.URIRef("http://example.org/odd")
SINGLE = rdflib.Literal("0.1", datatype=XSD.float)
LIKE_SINGLE = 0.10000000149011612
LONG = Decimal("0.12345678901234567890")


@pytest.fixture
def quick_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("datatype", [ODD, XSD.integer, XSD.double, XSD.float])
def test_a_literal_that_reads_nan(index: str, datatype: rdflib.URIRef) -> None:
    """Only of doubles and floats it is a number that equals nothing, and may yet be a term that a pattern asks for."""
    term = rdflib.Literal("NaN", datatype=datatype, normalize=False)
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add(Subscription.parse(f"ASK {{ _:H <http://example.org/flat#p> {term.n3()} }}", id="pattern"))
    if datatype in (ODD, XSD.integer):
        matcher.add(FlatSubscription({"p": equals(term)}, id="equals"))
        matcher.add(FlatSubscription({"p": one_of(1, "x", term)}, id="one of"))
    right = sorted(["pattern", "equals", "one of"][: len(matcher)])
    assert sorted(matcher.match_ids(FlatEvent({"p": term}))) == right
    assert matcher.match_ids(FlatEvent({"p": rdflib.Literal("nan", datatype=datatype, normalize=False)})) == []


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("first", [0, 1])
def test_a_float_that_is_written_like_a_double(index: str, first: int) -> None:
    """They compare with decimals in another precision."""
    matcher = FlatMatcher(ONTOLOGY, index)
    for number in (first, 1 - first):
        bound = (SINGLE, LIKE_SINGLE)[number]
        matcher.add(FlatSubscription({"p": between(bound, LONG)}, id=f"between {number}"))
        matcher.add(FlatSubscription({"p": one_of(bound, 10**20)}, id=f"one of {number}"))
    assert sorted(matcher.match_ids(FlatEvent({"p": Decimal("0.1")}))) == ["between 0", "one of 0"]
    assert len(matcher.match_ids(FlatEvent({"p": LIKE_SINGLE}))) == 4


@pytest.mark.parametrize("index", INDEXES)
def test_the_hour_that_comes_twice(index: str) -> None:
    """Python says that the two are equal."""
    once = datetime.datetime(2021, 10, 31, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    again = once.replace(fold=1)
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add(FlatSubscription({"p": at_least(datetime.datetime(2021, 10, 31, 1, tzinfo=datetime.UTC))}, id="s"))
    assert [matcher.match_ids(FlatEvent({"p": one})) for one in (once, again)] == [[], ["s"]]
    assert matcher.match_columns({"p": [once, again, once]}, 3)[0].tolist() == [0, 0, 1, 1]


def test_a_signalling_nan_is_missing() -> None:
    matcher = FlatMatcher(ONTOLOGY)
    matcher.add(FlatSubscription({"p": at_least(1)}, id="s"))
    ends, slots = matcher.match_columns({"p": [Decimal("sNaN"), Decimal(3)]}, 2)
    assert (ends.tolist(), len(slots)) == ([0, 0, 1], 1)
    assert matcher.match_ids(FlatEvent({"p": Decimal("sNaN")})) == []


def test_sets_cover_each_other_after_many_texts_came_and_went() -> None:
    """What is below which is looked at once for each number of an item."""
    index = HmacdIndex(ONTOLOGY)

    def add(asked: object) -> int:
        whole = resolve_flat(FlatSubscription({"p": asked}), ONTOLOGY).alternatives[0]
        return index.add(whole.constraints)  # type: ignore[arg-type]

    for slot in [add(equals(f"text {number}")) for number in range(20)]:
        index.remove(slot)
    large, small, lower, upper = add(one_of("a", "b", "c")), add(one_of("a", "b")), add(isa("D")), add(isa("A"))
    anything = add(exists())
    assert index.covers(large, small)
    assert index.covers(upper, lower)
    assert index.covers(anything, small)


HUGE = '"100000000000000000000"^^<http://www.w3.org/2001/XMLSchema#decimal>'
TINY = f'"0.{"0" * 199}1"^^<http://www.w3.org/2001/XMLSchema#decimal>'


@pytest.mark.parametrize("bound", [HUGE, TINY], ids=["huge", "tiny"])
@pytest.mark.parametrize("sign", ["<", "<=", "=", ">=", ">"])
def test_decimals_of_few_digits_far_from_one(bound: str, sign: str) -> None:
    """Read back from the graph's index they are what they were: whole ones may be longer than integers get."""
    query = "SELECT ?x { _:H <http://example.org/flat#p> ?x ; <http://example.org/flat#p> ?y "
    query += f"FILTER(?x {sign} {bound}) FILTER(?x != ?y) }}"
    event = Event.parse(
        f"@prefix : <http://example.org/flat#> . _:H :p 5 , 100000000000000000001 , {HUGE} , {TINY} , 1e20 , 1e-210 ."
    )
    matchers = [ReferenceMatcher(ONTOLOGY), OpsMatcher(ONTOLOGY), FlatMatcher(ONTOLOGY, "hmacd", verify=True)]
    found = []
    for matcher in matchers:
        matcher.add(Subscription.parse(query, id="s"))
        found.append([sorted(str(row["x"]) for row in match.solutions()) for match in matcher.match(event)])
    assert found[0][0]
    assert found[1:] == [found[0]] * 2


@pytest.mark.usefixtures("quick_switches")
@pytest.mark.parametrize("index", ["auto", "scan"])
def test_questions_while_another_thread_adds(index: str) -> None:
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add(FlatSubscription({"p": equals(1)}, id="s"))
    event = Event.parse("@prefix : <http://example.org/flat#> . _:H :p 1 ; :s [ :p 2 ] .")
    errors: list[Exception] = []
    done = threading.Event()

    def ask() -> None:
        asked: list[Callable[[], object]] = [lambda: matcher.paths, matcher.stats, lambda: matcher.explain(event, "s")]
        while not done.is_set():
            for one in asked:
                try:
                    one()
                except RuntimeError as error:
                    errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for steps in product(("p", "q", "r", "top", "s"), repeat=4):
        matcher.add(FlatSubscription({".".join(steps): equals(1)}))
    done.set()
    for thread in threads:
        thread.join()
    assert errors == []
