"""A unit beside which nothing is known as its value: no number is converted, so the unit must not be either."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from semantic_pubsub import FlatEvent, FlatMatcher, FlatSubscription, Normalizer, at_least, equals, isa, one_of
from tests.matching.flat.measured import event_of, flat_match, graph_match, ontology_of, sparql, statements

# `ex:value` is no value property that anybody knows, `qudt:numericValue` is one.
SIZES = """
ex:size a owl:ObjectProperty . ex:value a owl:DatatypeProperty . ex:label a owl:DatatypeProperty .
qudt:numericValue a owl:DatatypeProperty . qudt:unit a owl:ObjectProperty .
"""
ONTOLOGY = ontology_of(SIZES)
SAME = ["GB", "GBy", "gigabyte", "http://qudt.org/vocab/unit/GigaBYTE"]
OTHERS = ["MB", "GiB", "http://qudt.org/vocab/unit/MegaBYTE", "kg", "USD", "parrots"]


def flat(asked: Mapping[str, object], values: dict[str, object]) -> bool:
    return flat_match(Normalizer(ONTOLOGY), ONTOLOGY, dict(asked), values)


def graph(where: str, size: str) -> bool:
    where = f"_:H ex:size ?s . ?s {where}"
    return graph_match(Normalizer(ONTOLOGY), sparql(where), event_of(f"_:H ex:size [ {size} ] ."))


def written(unit: str) -> str:
    return f"<{unit}>" if ":" in unit else f'"{unit}"'


@pytest.mark.parametrize("asked", SAME)
@pytest.mark.parametrize(("unit", "expected"), [*((u, True) for u in SAME), *((u, False) for u in OTHERS)])
def test_a_number_that_nobody_knows_is_compared_in_its_own_unit(asked: str, unit: str, expected: bool) -> None:
    wanted = {"size.value": at_least(1), "size.unit": equals(asked)}
    assert flat(wanted, {"size.value": 1, "size.unit": unit}) is expected
    assert not flat(wanted, {"size.value": 0, "size.unit": unit})
    size = f"ex:value 100 ; qudt:unit {written(unit)}"
    assert graph(f"ex:value ?v ; qudt:unit {written(asked)} FILTER(?v >= 1)", size) is expected
    assert graph(f"ex:value 100 ; qudt:unit ?u FILTER(?u = {written(asked)})", size) is expected
    assert not graph(f"ex:value ?v ; qudt:unit {written(asked)} FILTER(?v > 100)", size)


@pytest.mark.parametrize("unit", ["GB", "MB"])
def test_it_is_not_compared_with_a_number_that_was_converted(unit: str) -> None:
    """The vertex has a known value, too, so its unit became the base unit; the other number did not."""
    values = {"size.value": 2, "size.numericValue": 1, "size.unit": unit}
    assert not flat({"size.value": at_least(1), "size.unit": equals("GB")}, values)
    size = f'ex:value 2 ; qudt:numericValue 1 ; qudt:unit "{unit}"'
    assert not graph('ex:value ?v ; qudt:unit "GB" FILTER(?v >= 1)', size)
    assert not graph('ex:value 2 ; qudt:unit "GB"', size)


@pytest.mark.parametrize(
    ("unit", "known", "bare"), [("GB", True, True), ("GBy", True, True), ("MB", True, False), ("kg", False, False)]
)
def test_nothing_but_a_unit_is_asked(unit: str, known: bool, bare: bool) -> None:
    """Every quantity of that kind answers, since it has no other unit any more, and what is written in that unit."""
    labelled = {"size.unit": equals("GB"), "size.label": equals("free")}
    for asked in ({"size.unit": equals("GB")}, {"size.unit": one_of("GB", "m")}, labelled):
        assert flat(asked, {"size.numericValue": 5, "size.label": "free", "size.unit": unit}) is known
        assert flat(asked, {"size.value": 5, "size.label": "free", "size.unit": unit}) is bare
        assert flat(asked, {"size.label": "free", "size.unit": unit}) is bare
    for where in ('qudt:unit "GB"', 'qudt:unit ?u FILTER(?u = "GB")', 'ex:label "free" ; qudt:unit unit:GigaBYTE'):
        assert graph(where, f'qudt:numericValue 5 ; ex:label "free" ; qudt:unit "{unit}"') is known
        assert graph(where, f'ex:value 5 ; ex:label "free" ; qudt:unit "{unit}"') is bare


def test_several_units_of_one_thing_are_named_each_for_itself() -> None:
    values = {"size.value": 1, "size.unit": ["MB", "kg"]}
    assert flat({"size.value": at_least(1), "size.unit": [equals("megabyte"), equals("kilogram")]}, values)
    assert not flat({"size.value": at_least(1), "size.unit": equals("GB")}, values)


def test_a_constant_of_a_statement_pattern() -> None:
    text = "(_:H, ?s, (*, ex:size, *)) (?s, unit:GigaBYTE, (*, qudt:unit, *)) (?s, ?v, (*, ex:value, *), ?v >= 1)"
    for unit, expected in (("GB", True), ("MB", False)):
        event = event_of(f'_:H ex:size [ ex:value 1 ; qudt:unit "{unit}" ] .')
        assert graph_match(Normalizer(ONTOLOGY), statements(text), event) is expected


def test_a_unit_of_which_a_pattern_says_more_stays() -> None:
    where = "qudt:unit unit:GigaBYTE . unit:GigaBYTE ex:label ?l"
    assert graph(where, 'qudt:unit unit:GigaBYTE ] . unit:GigaBYTE ex:label "giga" . _:H ex:size [ ex:value 1')


def test_the_event_keeps_what_is_written_and_it_is_reported() -> None:
    normalizer = Normalizer(ONTOLOGY)
    event = FlatEvent({"size.value": 1, "size.unit": "MB"}, id="e")
    assert set(event.items) <= set(normalizer.event(event).items)
    (notice,) = normalizer.notices
    assert notice.source == "e"
    assert "no value property is known beside the unit" in notice.message
    assert "units={value: unit}" in notice.message
    drawn = event_of('_:H ex:size [ ex:value 1 ; qudt:unit "MB" ] .')
    assert set(drawn.triples) <= set(normalizer.event(drawn).triples)
    assert len(normalizer.notices) == 2
    declared = Normalizer(ONTOLOGY, units={"value": "unit"})
    asked = {"size.value": at_least(1), "size.unit": equals("GB")}
    assert flat_match(declared, ONTOLOGY, {**asked}, {"size.value": 1000, "size.unit": "MB"})
    assert declared.notices == ()


def test_a_value_that_is_a_thing_is_no_number() -> None:
    """The number hangs one step further, where no unit is said."""
    where = 'qudt:numericValue/qudt:numericValue ?v ; qudt:unit "GB" FILTER(?v >= 1)'
    for unit, expected in (("GB", True), ("MB", False)):
        assert graph(where, f'qudt:numericValue [ qudt:numericValue 5 ] ; qudt:unit "{unit}"') is expected


def test_vertices_with_nothing_but_a_unit_are_bounded_alternatives() -> None:
    arcs = " ; ".join(f'ex:size [ qudt:unit "GB" ; ex:label "{number}" ]' for number in range(7))
    normalizer = Normalizer(ONTOLOGY)
    subscription = normalizer.subscription(sparql(f"_:H {arcs}"))
    assert len(subscription.alternatives) == 64
    assert any("more than 64 alternatives of units" in notice.message for notice in normalizer.notices)
    bare = " ; ".join(f'ex:size [ qudt:unit "GBy" ; ex:label "{number}" ]' for number in range(7))
    assert graph_match(normalizer, sparql(f"_:H {arcs}"), event_of(f"_:H {bare} ."))


def test_classes_beside_a_unit_are_no_numbers() -> None:
    matcher = FlatMatcher(ONTOLOGY, normalizer=Normalizer(ONTOLOGY))
    matcher.add(FlatSubscription({"size.value": isa("xsd:integer"), "size.unit": equals("GB")}, id="whole"))
    assert matcher.match_ids(FlatEvent({"size.value": 3, "size.unit": "gigabyte"})) == ["whole"]
    assert matcher.match_ids(FlatEvent({"size.value": 3, "size.unit": "MB"})) == []
