"""Names of attributes and classes, good and bad; events and subscriptions that go wrong without harm to others."""

from __future__ import annotations

import threading
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib

from semantic_pubsub import (
    Event,
    EventError,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Ontology,
    Subscription,
    SubscriptionError,
    at_least,
    between,
    equals,
    exists,
    flatten,
    isa,
)
from semantic_pubsub.matching.flat.indexes import INDEXES

EX = "http://example.org/"
TEXT = """
@prefix : <http://example.org/> . @prefix b: <http://example.com/b#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:target a owl:ObjectProperty . :price a owl:DatatypeProperty . :name a owl:DatatypeProperty .
b:size a owl:DatatypeProperty . :size a owl:DatatypeProperty . <urn:x:odd.one> a owl:DatatypeProperty .
:Computer a owl:Class . :Desktop rdfs:subClassOf :Computer .
"""
ONTOLOGY = Ontology.load(rdflib.Graph().parse(data=TEXT, format="turtle"))
every = pytest.mark.parametrize("index", INDEXES)


def matcher_of(index: str, **asked: dict[object, object]) -> FlatMatcher:
    matcher = FlatMatcher(ONTOLOGY, index)
    for name, constraints in asked.items():
        matcher.add(FlatSubscription(constraints, id=name))
    return matcher


@every
@pytest.mark.parametrize(
    "key",
    [
        "target.price",
        "<http://example.org/target>.price",
        "target.<http://example.org/price>",
        ("target", "price"),
        (rdflib.URIRef(EX + "target"), ox.NamedNode(EX + "price")),
        ("target", "<http://example.org/price>"),
    ],
    ids=str,
)
def test_one_path_in_many_words(index: str, key: object) -> None:
    matcher = matcher_of(index, s={key: at_least(3)})
    for other in ("target.price", ("target", EX + "price"), key):
        assert matcher.match_ids(FlatEvent({other: 5})) == ["s"]
    assert matcher.match_ids(FlatEvent({"price": 5, "target": 5})) == []


@every
@pytest.mark.parametrize(
    "key",
    ["http://example.org/a.b", "urn:x:odd.one", "b:size", rdflib.URIRef("foo:bar"), ox.NamedNode("foo:bar"), "", ()],
    ids=repr,
)
def test_keys_of_one_property_or_none(index: str, key: object) -> None:
    matcher = matcher_of(index, s={key: equals(1)})
    assert matcher.match_ids(FlatEvent({key: 1})) == ["s"]
    assert matcher.match_ids(FlatEvent({key: 2, "price": 1})) == []


HOSTILE = [
    ".",
    "a..b",
    "<",
    ">",
    "<>",
    "< >",
    "<<a>>",
    "target.",
    ".target",
    "\x00",
    "\x1b[31m",
    "x" * 100_000,
    "ta\nrget",
]
HOSTILE += ["targt", "Computer", "foo:bar", "target price", 5, None, ("target", None), ("",)]  # type: ignore[list-item]
HOSTILE += [".".join(["target"] * 1_000), ("target",) * 1_000, "ambiguousness"]  # type: ignore[list-item]


@every
@pytest.mark.parametrize("key", HOSTILE, ids=lambda key: repr(key)[:20])
def test_hostile_keys(index: str, key: object) -> None:
    matcher = matcher_of(index, good={"price": at_least(3)})
    with pytest.raises(SubscriptionError) as refused:
        matcher.add(FlatSubscription({key: exists()}, id="bad"))
    assert len(str(refused.value)) < 300
    assert str(refused.value).isprintable()
    assert matcher.ids() == ["good"]
    event = FlatEvent({key: 1, "price": 5}, id="e")
    assert matcher.match_ids(event) == ["good"]
    (notice,) = matcher.notices(event)
    assert len(str(notice)) < 400
    assert "left out" in str(notice)
    with pytest.raises(EventError):
        FlatMatcher(ONTOLOGY, index, strict=True).match_ids(event)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"targt": exists()}, "did you mean target?"),
        ({"target": isa("Computr")}, "did you mean Computer?"),
        ({"Computer": exists()}, "Computer is a class"),
        ({"target": isa("price")}, "price is a property"),
        ({"size": exists()}, "http://example.com/b#size, http://example.org/size"),
        ({"target": isa("foo:Computer")}, "unknown prefix foo:"),
        ({EX + "Computer": exists()}, "is no property"),
        ({"target." * 999 + "target": exists()}, "a path of 1,000 steps"),
    ],
    ids=str,
)
def test_what_was_meant(asked: dict[object, object], words: str) -> None:
    with pytest.raises(SubscriptionError, match="subscription 's'") as refused:
        FlatMatcher(ONTOLOGY).add(FlatSubscription(asked, id="s"))
    assert words in str(refused.value)


@every
def test_an_ambiguous_attribute_of_an_event_is_an_error(index: str) -> None:
    matcher = matcher_of(index, s={"b:size": exists()})
    with pytest.raises(EventError, match="ambiguous property 'size'"):
        matcher.match_ids(FlatEvent({"size": 1}, id="e"))
    assert matcher.match_ids(FlatEvent({"b:size": 1})) == ["s"]


@every
def test_a_failed_add_changes_nothing(index: str) -> None:
    matcher = matcher_of(index, s={"price": at_least(3)})
    before = (matcher.paths, matcher.stats()["subscriptions"])
    for bad in (
        FlatSubscription({"price": exists()}, id="s"),
        FlatSubscription({"price": exists(), "nobody": exists()}, id="t"),
        Subscription.parse("(_:H, ?1, (Computer, nobody, Desktop))", id="u"),
    ):
        with pytest.raises(SubscriptionError):
            matcher.add(bad)
    assert (matcher.paths, matcher.stats()["subscriptions"]) == before
    assert matcher.match_ids(FlatEvent({"price": 5})) == ["s"]


@every
def test_adding_many_with_a_bad_one_among_them(index: str) -> None:
    matcher = matcher_of(index)
    asked = [FlatSubscription({key: exists()}, id=key) for key in ("price", "nobody", "name")]
    with pytest.raises(SubscriptionError):
        matcher.add_all(asked)  # type: ignore[arg-type]
    assert len(matcher) == 0
    errors: list[Exception] = []
    assert matcher.add_all(asked, on_error=errors.append) == ["price", "name"]  # type: ignore[arg-type]
    assert len(errors) == 1
    assert sorted(matcher.match_ids(FlatEvent({"price": 1, "name": "x"}))) == ["name", "price"]


@every
def test_unknown_ids(index: str) -> None:
    matcher = matcher_of(index, s={"price": exists()})
    for call in (matcher.remove, lambda name: matcher.explain(FlatEvent({}), name)):
        with pytest.raises(KeyError, match="nobody"):
            call("nobody")
    matcher.remove("s")
    with pytest.raises(KeyError):
        matcher.remove("s")
    matcher.add(FlatSubscription({"name": exists()}, id="s"))
    assert matcher.match_ids(FlatEvent({"price": 1})) == []


@every
@pytest.mark.parametrize("spread", [False, True])
def test_an_event_of_many_pairs(index: str, spread: bool) -> None:
    keys = ("price", "name", "target.price", "target.name") if spread else ("price",)
    matcher = matcher_of(
        index, hit={"price": between(500, 501)}, miss={"price": between(-2, -1)}, both={"price": [equals(0), equals(7)]}
    )
    event = FlatEvent({key: list(range(100_000 // len(keys))) for key in keys})
    assert len(event) == 100_000
    assert sorted(matcher.match_ids(event)) == ["both", "hit"]


def test_too_many_values_are_refused() -> None:
    with pytest.raises(EventError, match="more than 1,000,000 values"):
        FlatEvent({"price": [1] * 1_000_001})


def test_graphs_that_cannot_be_unfolded_end() -> None:
    chain = "\n".join(f"_:v{n} <{EX}target> _:v{n + 1} ." for n in range(1_000))
    deep = Event.parse(f"_:H <{EX}target> _:v0 .\n{chain}", format="nt")
    dense = Event.parse(
        "\n".join(f"_:{a} <{EX}target> _:{b} ." for a in "Habcdefghijk" for b in "Habcdefghijk"), format="nt"
    )
    with pytest.raises(EventError, match="256 steps"):
        flatten(deep, ONTOLOGY)
    with pytest.raises(EventError, match="1,000,000 pairs"):
        flatten(dense, ONTOLOGY)
    for event in (deep, dense):
        assert len(flatten(event, ONTOLOGY, [(EX + "target",) * 3])) == 1


def test_threads_add_remove_and_match_at_once() -> None:
    matcher = matcher_of("auto", **{f"stays{n}": {"price": at_least(n)} for n in range(20)})
    problems: list[BaseException] = []

    def change(worker: int) -> None:
        try:
            for number in range(60):
                name = matcher.add(FlatSubscription({"price": between(0, number)}, id=f"{worker}-{number}"))
                matcher.remove(name)
        except BaseException as problem:
            problems.append(problem)

    def match() -> None:
        try:
            for number in range(60):
                found = matcher.match_ids(FlatEvent({"price": number % 25}))
                assert {name for name in found if name.startswith("stays")} == {
                    f"stays{n}" for n in range(min(number % 25, 19) + 1)
                }
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=change, args=(n,)) for n in range(2)]
    threads += [threading.Thread(target=match) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len(matcher) == 20


def test_explanations(project: Path) -> None:
    auction = Ontology.load(project / "ontology" / "auction.ttl")
    matcher = FlatMatcher(auction)
    matcher.add(
        FlatSubscription(
            {"target": isa("Computer"), "price.value": between(0, 400), "seller.contactInformation": exists(),
             "title": equals("x")},
            id="cheap",
        )
    )  # fmt: skip
    event = FlatEvent({"target": "DesktopPC", "price.value": 450, "seller.cellPhoneNumber": "1"}, id="offer")
    lines = str(matcher.explain(event, "cheap")).splitlines()
    assert lines[0] == "event offer does not match cheap"
    assert "  ✓ target isa(Computer): target is a DesktopPC ⊑ Computer" in lines
    assert "  ✗ price.value between [0, 400]: price.value is 450" in lines
    assert "  ✗ title equals('x'): the event has no title" in lines
    assert any("seller.cellPhoneNumber ⊑ seller.contactInformation" in line for line in lines)
