"""The CTPS paper's figures, through the four parts of its index, and what its pseudo-code gets wrong word for word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rdflib import Graph as RdfGraph

from semantic_pubsub import (
    Event,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Ontology,
    Subscription,
    between,
    equals,
    exists,
    isa,
)
from semantic_pubsub.matching.flat.ctps import CtpsIndex
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat

EX = "http://example.org/"
TEXT = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:contact a owl:DatatypeProperty . :phone rdfs:subPropertyOf :contact . :mail rdfs:subPropertyOf :contact .
:cellPhone rdfs:subPropertyOf :phone . :officePhone rdfs:subPropertyOf :phone .
:target a owl:ObjectProperty . :name a owl:DatatypeProperty . :price a owl:DatatypeProperty .
:Computer rdfs:subClassOf :Product . :Desktop rdfs:subClassOf :Computer . :Notebook rdfs:subClassOf :Computer .
:Book rdfs:subClassOf :Product .
"""
ONTOLOGY = Ontology.load(RdfGraph().parse(data=TEXT, format="turtle"))


def path(*steps: str) -> tuple[str, ...]:
    return tuple(EX + step for step in steps)


def filled(*asked: dict[str, object]) -> tuple[CtpsIndex, list[int]]:
    index = CtpsIndex(ONTOLOGY)
    slots = [
        index.add(resolve_flat(FlatSubscription(one), ONTOLOGY).alternatives[0].constraints)  # type: ignore[arg-type]
        for one in asked
    ]
    return index, slots


def found(index: CtpsIndex, values: dict[str, object]) -> set[int]:
    return set(index.match(pairs_of(FlatEvent(values), ONTOLOGY)[0]).tolist())


def test_figure_4_tree_of_attribute_names() -> None:
    """A node has the subscriptions that name it, the tree has all; an event has its node's and its ancestors'."""
    keys = ["contact", "price", "phone", "cellPhone", "phone", "name", "mail", "cellPhone"]
    index, slots = filled(*({key: exists()} for key in keys))
    named = {key: {slot for slot, own in zip(slots, keys, strict=True) if own == key} for key in keys}
    tree = {slots[at] for at in (0, 2, 3, 4, 6, 7)}
    for key in ("contact", "phone", "cellPhone", "mail"):
        node = index.m1(path(key))
        assert node.sid == named[key]
        assert node.total == tree
    assert index.m1(path("price")).total == named["price"]
    assert found(index, {"cellPhone": "1"}) == named["cellPhone"] | named["phone"] | named["contact"]
    assert found(index, {"phone": "1"}) == named["phone"] | named["contact"]
    assert found(index, {"contact": "1"}) == named["contact"]
    assert found(index, {"officePhone": "1"}) == named["phone"] | named["contact"]


def test_figure_4_tree_of_classes() -> None:
    names = ["Product", "Computer", "Desktop", "Computer", "Book"]
    index, slots = filled(*({"target": isa(name)} for name in names))
    named = {name: {slot for slot, own in zip(slots, names, strict=True) if own == name} for name in names}
    for name in named:
        node = index.m2(path("target"), EX + name)
        assert node.sid == named[name]
        assert node.total == set(slots)
    assert index.m2(path("target"), EX + "Notebook").sid == frozenset()
    assert found(index, {"target": "Desktop"}) == named["Desktop"] | named["Computer"] | named["Product"]
    assert found(index, {"target": "Notebook"}) == named["Computer"] | named["Product"]
    assert found(index, {"target": "Product"}) == named["Product"]


def test_figure_5_two_levels_of_strings() -> None:
    """First the attribute, then the text; `*` has everybody who asks for a text of this attribute."""
    asked = [("name", "HP"), ("name", "IBM"), ("cellPhone", "123"), ("name", "HP"), ("phone", "123")]
    index, slots = filled(*({key: equals(text)} for key, text in asked))
    assert index.m3(path("name"), "HP").sid == {slots[0], slots[3]}
    assert index.m3(path("name"), "IBM").sid == {slots[1]}
    assert index.m3(path("name"), "Dell").sid == frozenset()
    assert index.m3(path("name"), "HP").total == {slots[0], slots[1], slots[3]}
    assert index.m3(path("cellPhone"), "123") == index.m3(path("phone"), "123")  # one index for the tree
    assert index.m3(path("phone"), "123").sid == {slots[2], slots[4]}
    assert found(index, {"name": "HP"}) == {slots[0], slots[3]}
    assert found(index, {"name": "Dell"}) == set()
    assert found(index, {"phone": "123"}) == {slots[4]}
    assert found(index, {"cellPhone": "123"}) == {slots[2], slots[4]}


def test_figure_6_parts_of_the_numeric_index() -> None:
    """Rm = 100 and T = 5: intervals that begin at 0, 20, 40, 60 and 80 and end before the next."""
    boxes = [between(low, high, upper_open=True) for low in range(0, 100, 20) for high in range(low + 20, 101, 20)]
    index, slots = filled(*({"price": one} for one in boxes))
    parts = index.m4(path("price"), 45)
    by_name = {name: set() for name in "abcdef"}
    for slot, one in zip(slots, boxes, strict=True):
        low, high = int(str(one.lower)), int(str(one.upper))
        x, y = low // 20, (high - 1) // 20
        by_name["a" if y < 2 else "b" if x > 2 else "e" if x == y else "d" if x == 2 else "c" if y == 2 else "f"].add(
            slot
        )
    assert parts._asdict() == by_name
    assert {name: len(own) for name, own in parts._asdict().items()} == {"a": 3, "b": 3, "c": 2, "d": 2, "e": 1, "f": 4}
    assert found(index, {"price": 45}) == parts.c | parts.d | parts.e | parts.f


def test_figure_6_the_cell_of_0_to_20() -> None:
    """[0, 20] is the cell (1, 0): a value in box 0 may match it, one in box 2 cannot."""
    index, slots = filled({"price": between(0, 20)}, *({"price": between(low, None)} for low in (20, 40, 60, 80)))
    assert slots[0] in index.m4(path("price"), 45).a
    assert slots[0] not in index.m4(path("price"), 20).a
    assert [slots[0] in found(index, {"price": value}) for value in (-1, 0, 20, 20.5, 45)] == [
        False,
        True,
        True,
        False,
        False,
    ]


# what algorithms 2 to 9 get wrong


def answers(index: str, asked: dict[str, object], values: dict[str, object]) -> bool:
    matcher = FlatMatcher(ONTOLOGY, index)
    matcher.add(FlatSubscription(asked, id="s"))
    matcher.add(FlatSubscription({"price": between(-1000, -999)}, id="other"))
    return matcher.match_ids(FlatEvent(values)) == ["s"]


every = pytest.mark.parametrize("index", INDEXES)


@every
def test_two_constraints_on_one_attribute(index: str) -> None:
    asked: dict[str, object] = {"price": [between(0, 20), between(10, 30)]}
    assert [answers(index, asked, {"price": value}) for value in (5, 15, 25)] == [False, True, False]
    assert answers(index, asked, {"price": [5, 25]})  # each constraint has a value of its own
    assert not answers(index, {"name": [equals("HP"), equals("IBM")]}, {"name": "HP"})
    assert answers(index, {"name": [equals("HP"), equals("IBM")]}, {"name": ["HP", "IBM"]})


@every
def test_two_attributes_in_one_hierarchy(index: str) -> None:
    asked: dict[str, object] = {"cellPhone": equals("1"), "mail": equals("2")}
    assert answers(index, asked, {"cellPhone": "1", "mail": "2"})
    assert not answers(index, asked, {"cellPhone": "2", "mail": "1"})
    assert not answers(index, asked, {"cellPhone": "1"})
    assert answers(index, {"cellPhone": equals("1")}, {"cellPhone": "1", "mail": "9"})


@every
def test_one_pair_may_satisfy_two_attributes(index: str) -> None:
    assert answers(index, {"contact": exists(), "phone": equals("1")}, {"cellPhone": "1"})


@every
def test_an_absent_attribute_fails(index: str) -> None:
    assert not answers(index, {"target": isa("Computer"), "price": between(0, 400)}, {"target": "Desktop"})
    assert not answers(index, {"name": exists()}, {"target": "Desktop"})
    assert not answers(index, {"name": exists()}, {})


@every
def test_several_values_of_one_attribute(index: str) -> None:
    assert answers(index, {"target": isa("Computer")}, {"target": ["Book", "Desktop"]})
    assert answers(index, {"name": equals("HP")}, {"name": ["IBM", "HP", "Dell"]})
    assert answers(index, {"price": between(0, 20)}, {"price": [1000, 10, -500]})


@every
def test_a_more_general_event_does_not_match(index: str) -> None:
    assert not answers(index, {"target": isa("Desktop")}, {"target": "Computer"})
    assert not answers(index, {"cellPhone": exists()}, {"phone": "1"})


@every
def test_attribute_and_value_must_come_from_one_pair(index: str) -> None:
    assert not answers(index, {"cellPhone": equals("1")}, {"mail": "1", "cellPhone": "2"})
    assert not answers(index, {"cellPhone": between(0, 5)}, {"mail": 1, "cellPhone": 9})


# figures 2 and 3


@every
def test_figures_2_and_3(index: str, project: Path) -> None:
    auction = Ontology.load(project / "ontology" / "auction.ttl")
    event = FlatEvent(
        {
            "": "Selling",
            "seller": "Customer",
            "seller.name": "John",
            "seller.cellPhoneNumber": "123456789",
            "price": "MoneyValue",
            "price.rdf:value": 450,
            "price.currency": "dollar",
            "target": "DesktopPC",
            "target.manufacture.name": "HP",
            "target.hardDisk.size.rdf:value": 40,
            "target.hardDisk.size.units": "G",
            "target.hardDisk.manufacture.name": "IBM",
        }
    )
    matcher = FlatMatcher(auction, index)
    for name, most in (("figure-3", 400), ("up-to-450", 450)):
        matcher.add(
            FlatSubscription(
                {
                    "target": isa("Computer"),
                    "price.rdf:value": between(0, most),
                    "price.currency": equals("dollar"),
                },
                id=name,
            )
        )
    assert matcher.match_ids(event) == ["up-to-450"]


@every
def test_figures_2_and_3_from_the_graph(index: str, project: Path) -> None:
    folder = project / "tests" / "cases" / "ctps" / "figure-2-and-3"
    matcher = FlatMatcher(Ontology.load(project / "ontology" / "auction.ttl"), index)
    for file in sorted(folder.glob("*.rq")):
        matcher.add(Subscription.parse(file.read_text(encoding="utf-8"), id=file.stem))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert matcher.match_ids(Event.load(folder / "event.ttl")) == expected["matches"]
