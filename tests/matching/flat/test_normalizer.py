"""The whole stage: what it writes is matched as if everybody had used one unit and one name."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from rdflib import Literal as RdfLiteral

from semantic_pubsub import (
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Normalizer,
    SemanticPubSubError,
    at_least,
    at_most,
    equals,
    exists,
    isa,
    one_of,
)
from semantic_pubsub.errors import Notice, OntologyError
from tests.matching.flat.measured import (
    MEASURES,
    auction,
    event_of,
    flat_match,
    graph_match,
    ontology_of,
    sparql,
    statements,
)

AUCTION = auction()
BOTH = Normalizer(AUCTION)
LEVELS = ontology_of(MEASURES)
LEVEL = Normalizer(LEVELS)

DISK = "target.hardDisk.size"
DISK_EVENT = (
    "_:H a :Selling ; :target [ a :DesktopPC ; :hardDisk [ a :HardDisk ; :size [ rdf:value %s ; :units %s ] ] ] ."
)
DISK_ARCS = "_:H :target/:hardDisk/:size ?s . "
DISK_PATTERN = """
(_:H, ?1, (Selling, target, Computer)) (?1, ?2, (Computer, hardDisk, HardDisk)) (?2, ?3, (HardDisk, size, SizeValue))
(?3, %s, (SizeValue, units, *)) (?3, ?4, (SizeValue, rdf:value, %s), %s)
"""


def flat(asked: dict[str, object], values: object, normalizer: Normalizer = BOTH) -> bool:
    return flat_match(normalizer, normalizer.ontology, asked, values)


# the paper's example: whoever asks in GB gets what is offered in MB


@pytest.mark.parametrize(("number", "expected"), [("999", False), ("1000", True), ("1000.5", True), ("1e3", True)])
def test_a_subscription_in_gb_and_an_event_in_mb(number: str, expected: bool) -> None:
    event = event_of(DISK_EVENT % (number, "u:M"))
    asked = {f"{DISK}.value": at_least(1), f"{DISK}.units": equals("GB")}
    assert flat(asked, event) is expected
    assert flat(asked, {f"{DISK}.value": Decimal(number), f"{DISK}.units": "MB"}) is expected
    assert graph_match(BOTH, sparql(DISK_ARCS + "?s rdf:value ?v ; :units u:G FILTER(?v >= 1)"), event) is expected
    decimal = "xsd:decimal" if "e" not in number else "*"
    assert graph_match(BOTH, statements(DISK_PATTERN % ("G", decimal, "?4 >= 1")), event) is expected


def test_without_it_the_numbers_are_what_they_are() -> None:
    asked = {f"{DISK}.value": at_least(1), f"{DISK}.units": equals("GB")}
    assert not flat_match(None, AUCTION, asked, {f"{DISK}.value": 5000, f"{DISK}.units": "MB"})
    assert not flat(asked, {f"{DISK}.value": 5000, f"{DISK}.units": "MB"}, Normalizer(AUCTION, units=False))


@pytest.mark.parametrize(
    "unit", ["G", "GB", "gigabyte", "Gigabytes", "GBy", "units:G", "http://qudt.org/vocab/unit/GigaBYTE"]
)
def test_one_unit_has_many_names(unit: str) -> None:
    for normalizer in (BOTH, Normalizer(AUCTION, synonyms=False)):
        asked = {f"{DISK}.value": equals(Decimal("0.5")), f"{DISK}.units": equals(unit)}
        assert flat(asked, {f"{DISK}.value": 500, f"{DISK}.units": "M"}, normalizer)
        assert not flat(asked, {f"{DISK}.value": 500, f"{DISK}.units": "T"}, normalizer)


def test_currencies_are_compared_and_not_converted() -> None:
    for unit, other in (("dollar", "euro"), ("$", "€"), ("USD", "CNY")):
        asked = {"price.value": at_most(400), "price.currency": equals(unit)}
        assert flat(asked, {"price.value": 350, "price.currency": unit})
        assert flat(asked, {"price.value": 350, "price.currency": "US dollar"})
        assert not flat(asked, {"price.value": 350, "price.currency": other})
    normalizer = Normalizer(LEVELS)
    asked = {"level.numericValue": at_most(400), "level.unit": equals("EUR")}
    assert flat(asked, {"level.numericValue": 400, "level.unit": "EUR"}, normalizer)
    assert not flat(asked, {"level.numericValue": 400, "level.unit": "USD"}, normalizer)
    assert normalizer.notices == ()


# how a unit may be asked for


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("?u = u:G && ?v >= 1", True),
        ("u:G = ?u && ?v > 1.5", False),
        ("?u IN (u:G) && ?v = 1.5", True),
        ("?u = u:T && ?v <= 0.0015", True),
        ("?u = u:T && ?v < 0.0015", False),
        ("?u = u:G && ?v IN (1, 1.5)", True),
        ("?u = u:G && ?v NOT IN (1, 1.5)", False),
        ("?u = u:G && (?v < 1 || ?v > 1.4)", True),
        ("?u = u:G && !(?v < 1)", True),
        ("?u = u:G && 1 <= ?v && isNumeric(?v)", True),
        ("?u = u:G && ?v != 1500", True),
    ],
)
def test_a_unit_in_a_filter(condition: str, expected: bool) -> None:
    where = DISK_ARCS + f"?s rdf:value ?v ; :units ?u FILTER({condition})"
    assert graph_match(BOTH, sparql(where), event_of(DISK_EVENT % ("1500", "u:M"))) is expected


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ("?u IN (u:G, u:M) && ?v >= 1", "only ?u = … is understood"),
        ("?u = u:G && ?u != u:G && ?v >= 1", "only ?u = … is understood"),
        ("STR(?u) = 'x' && ?v >= 1", "only ?u = … is understood"),
        ("?u = u:G && ?v * 2 >= 1", "?v is also used otherwise"),
        ("?u = u:G && ?v", "?v is also used otherwise"),
        ("?u = u:G && DATATYPE(?v) = xsd:integer", "?v is also used otherwise"),
        ("?u = u:G && ?v < ?p", "?v is also used otherwise"),
        ("?u = u:G && ?v < 'x'", "?v is also used otherwise"),
        ("?u = :price && ?v < 5", "is unknown"),
    ],
)
def test_what_is_not_understood_is_noticed_and_does_not_match(condition: str, problem: str) -> None:
    normalizer = Normalizer(AUCTION)
    where = DISK_ARCS + f"_:H :price/rdf:value ?p . ?s rdf:value ?v ; :units ?u FILTER({condition})"
    event = event_of(DISK_EVENT % ("1500", "u:M") + " _:H :price [ rdf:value 5 ] .")
    assert not graph_match(normalizer, sparql(where), event)
    assert [problem in notice.message and notice.source == "s" for notice in normalizer.notices] == [True]


def test_a_number_beside_two_units_is_in_neither() -> None:
    where = """_:H ex:level ?a ; ex:limit ?b . ?a qudt:numericValue ?v ; qudt:unit "m" .
        ?b qudt:numericValue ?w ; qudt:unit "km" FILTER(%s)"""
    event = event_of(
        """_:H ex:level [ qudt:numericValue 7 ; qudt:unit "m" ] ; ex:limit [ qudt:numericValue 5 ; qudt:unit "km" ] ."""
    )
    for condition in ("5000 IN (?v, ?w)", "5 IN (?v, ?w)"):
        normalizer = Normalizer(LEVELS)
        assert not graph_match(normalizer, sparql(where % condition), event)
        assert "is also used otherwise" in normalizer.notices[0].message
    assert graph_match(LEVEL, sparql(where % "?w IN (?v, ?w)"), event)


def test_alternatives_have_units_of_their_own() -> None:
    arcs = DISK_ARCS.rstrip(". ")
    where = f"""{{ {arcs} . ?s rdf:value ?v ; :units u:G FILTER(?v > 1.4) }} UNION
        {{ {arcs} . ?s rdf:value ?v ; :units u:M FILTER(?v < 100) }}"""
    for number, expected in (("1500", True), ("1300", False), ("99", True)):
        assert graph_match(BOTH, sparql(where), event_of(DISK_EVENT % (number, "u:M"))) is expected


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (1500, "MB", True),
        (1, "GB", False),
        (2, "TB", True),
        (Decimal("0.002"), "GB", True),
        (7, "EUR", False),
        (7, "USD", True),
    ],
)
def test_one_of_several_units(value: object, unit: str, expected: bool) -> None:
    """Each unit with each number, and dollars as they are."""
    asked = {f"{DISK}.value": one_of(7, 1500, 2), f"{DISK}.units": one_of("MB", "TB", "USD")}
    assert flat(asked, {f"{DISK}.value": value, f"{DISK}.units": unit}) is expected


def test_several_constraints_on_one_value() -> None:
    asked = {f"{DISK}.value": [at_least(1), at_most(2)], f"{DISK}.units": [equals("GB"), exists()]}
    for value, expected in ((999, False), (1000, True), (2000, True), (2001, False)):
        assert flat(asked, {f"{DISK}.value": value, f"{DISK}.units": "MB"}) is expected


def test_distinct_vertices() -> None:
    """Two disks, of which each statement takes its own."""
    disk = "(?1, ?{n}, (Computer, hardDisk, *)) (?{n}, ?s{n}, (*, size, *)) (?s{n}, {unit}, (*, units, *)) "
    disk += "(?s{n}, ?v{n}, (*, rdf:value, *), ?v{n} >= {least})"
    text = "(_:H, ?1, (Selling, target, Computer)) "
    text += disk.format(n=2, unit="G", least=1) + disk.format(n=3, unit="M", least=600)
    said = "_:H a :Selling ; :target [ a :DesktopPC ; :hardDisk "
    one = "[ :size [ rdf:value 1 ; :units u:T ] ]"
    assert not graph_match(BOTH, statements(text), event_of(f"{said} {one} ] ."))
    assert graph_match(BOTH, statements(text, injective=False), event_of(f"{said} {one} ] ."))
    assert graph_match(BOTH, statements(text), event_of(f"{said} {one} , [ :size [ rdf:value 0.6 ; :units u:G ] ] ] ."))


def test_whole_numbers_stay_integers() -> None:
    event = event_of(DISK_EVENT % ("1500", "u:M"))
    assert graph_match(BOTH, statements(DISK_PATTERN % ("G", "xsd:integer", "?4 = 1.5")), event)
    assert flat({f"{DISK}.value": isa("xsd:integer"), f"{DISK}.units": equals("GB")}, event)


def test_pairs_that_are_declared() -> None:
    """Two quantities of one vertex, each with its own unit."""
    declared = Normalizer(LEVELS, units={"weight": "weightUnit", "width": "widthUnit"})
    values = {"weight": 2, "weightUnit": "kg", "width": 30, "widthUnit": "cm"}
    asked = {
        "weight": at_least(1500),
        "weightUnit": equals("g"),
        "width": equals(Decimal("0.3")),
        "widthUnit": equals("m"),
    }
    assert flat(asked, values, declared)
    assert not flat(asked, values, LEVEL)
    assert flat(asked, values | {"weight": 1}, declared) is False
    event = event_of('_:H ex:weight 2 ; ex:weightUnit "kg" ; ex:width 30 ; ex:widthUnit "cm" .')
    assert graph_match(declared, sparql('_:H ex:weight ?w ; ex:weightUnit "g" FILTER(?w = 2000)'), event)
    with pytest.raises(OntologyError, match="do not belong to one vertex"):
        Normalizer(LEVELS, units={"level.weight": "weightUnit"})


def test_a_declared_pair_leaves_the_recognised_ones() -> None:
    declared = Normalizer(LEVELS, units={"weight": "unit"})
    for value in ("weight", "numericValue"):
        asked = {f"level.{value}": at_least(1500), "level.unit": equals("g")}
        assert flat(asked, {f"level.{value}": 2, "level.unit": "kg"}, declared)


def test_own_words_for_units() -> None:
    own = Normalizer(AUCTION, synonyms={"gigs": "units:G"})
    asked = {f"{DISK}.value": at_least(1), f"{DISK}.units": equals("GIGS")}
    assert flat(asked, {f"{DISK}.value": 1000, f"{DISK}.units": "MB"}, own)
    assert not flat(asked, {f"{DISK}.value": 999, f"{DISK}.units": "MB"}, own)


def test_capitals_of_symbols_matter() -> None:
    """The ontology has a word for megawatt only, and a milliwatt is not one."""
    power = Normalizer(ontology_of(MEASURES + 'ex:mega a qudt:Unit ; rdfs:label "megawatt" ; skos:altLabel "MW" .'))
    asked = {"level.numericValue": at_least(1), "level.unit": equals("W")}
    assert flat(asked, {"level.numericValue": 1, "level.unit": "MW"}, power)
    assert not flat(asked, {"level.numericValue": 1, "level.unit": "mW"}, power)
    assert not flat(asked, {"level.numericValue": 1, "level.unit": "mw"}, power)


# units that cannot be converted


@pytest.mark.parametrize(
    "unit", ["parrots", "m^999999999", "__class__", "x" * 5_000, "KB", "[iU]", "dB", "{beats}/min"]
)
def test_an_unknown_unit_is_reported_and_compared_as_it_is(unit: str) -> None:
    heard: list[Notice] = []
    normalizer = Normalizer(LEVELS, on_notice=heard.append)
    asked = {"level.numericValue": at_least(5), "level.unit": equals(unit)}
    assert flat(asked, {"level.numericValue": 5, "level.unit": unit}, normalizer)
    assert not flat(asked, {"level.numericValue": 4, "level.unit": unit}, normalizer)
    assert not flat(asked, {"level.numericValue": 10**30, "level.unit": "GB"}, normalizer)
    assert heard
    assert all("is unknown and stays as it is" in notice.message and len(notice.message) < 300 for notice in heard)
    assert tuple(heard) == normalizer.notices


@pytest.mark.parametrize(
    ("one", "other"), [("kg", "m"), ("B", "s"), ("%", "m"), ("Hz", "bps"), ("GB", "USD"), ("rad", "%")]
)
def test_units_of_different_kinds_never_match(one: str, other: str) -> None:
    asked = {"level.numericValue": exists(), "level.unit": equals(one)}
    assert flat(asked, {"level.numericValue": 5, "level.unit": one}, LEVEL)
    assert not flat(asked, {"level.numericValue": 5, "level.unit": other}, LEVEL)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"level.numericValue": "much", "level.unit": "kg"}, "no number"),
        ({"level.numericValue": [5, "much"], "level.unit": "kg"}, "no number"),
        ({"level.numericValue": Decimal("1E+99999999"), "level.unit": "kg"}, "no number"),
        ({"level.numericValue": 5, "level.unit": ["kg", "g"]}, "several units"),
        ({"level.numericValue": 5, "level.unit": ["kg", "parrots"]}, "unknown"),
        ({"level.numericValue": 5, "level.unit": RdfLiteral("wörter")}, "unknown"),
    ],
    ids=lambda value: value if isinstance(value, str) else "values",
)
def test_half_a_quantity_is_not_rewritten(values: dict[str, object], problem: str) -> None:
    normalizer = Normalizer(LEVELS, synonyms=False)
    event = FlatEvent(values, id="odd")
    assert normalizer.event(event) == event
    assert [problem in notice.message for notice in normalizer.notices] == [True]
    assert normalizer.notices[0].source == "odd"
    assert not flat({"level.numericValue": at_least(1), "level.unit": equals("g")}, event, normalizer)


def test_the_rest_goes_on() -> None:
    matcher = FlatMatcher(AUCTION, index="scan", normalizer=Normalizer(AUCTION))
    matcher.add(FlatSubscription({f"{DISK}.value": at_least(1), f"{DISK}.units": equals("GB")}, id="size"))
    matcher.add(FlatSubscription({"target": isa("电脑")}, id="class"))
    assert matcher.match_ids(FlatEvent({"target": "laptop", f"{DISK}.value": 5, f"{DISK}.units": "parrots"})) == [
        "class"
    ]
    both = FlatEvent({"target": "laptop", f"{DISK}.value": 5, f"{DISK}.units": "TB"})
    assert sorted(matcher.match_ids(both)) == ["class", "size"]


def test_only_the_latest_notices_are_kept() -> None:
    normalizer = Normalizer(LEVELS)
    for number in range(300):
        normalizer.event(FlatEvent({"level.numericValue": 5, "level.unit": f"x{number}"}, id=str(number)))
    assert len(normalizer.notices) == 256
    assert normalizer.notices[-1].source == "299"


def test_pint_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pint", None)
    with pytest.raises(SemanticPubSubError, match=r"needs pint.*semantic-pubsub\[units\]"):
        Normalizer(AUCTION)
    assert flat({"target": isa("Computer")}, {"target": "台式机"}, Normalizer(AUCTION, units=False))


def test_threads() -> None:
    normalizer = Normalizer(LEVELS)
    made = [
        FlatEvent({"level.numericValue": n, "level.unit": u}, id=u) for n in range(40) for u in ("kg", "mg", "x", "ft")
    ]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(normalizer.event, made))
    assert found == [LEVEL.event(event) for event in made]
    assert len(normalizer.notices) == 40
