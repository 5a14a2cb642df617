"""Units: what they are in base units, exactly, whoever names them."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.conversions import Conversion, converted
from semantic_pubsub.matching.flat.units import UnitTable
from semantic_pubsub.subscriptions.values import Float
from semantic_pubsub.terms import Literal, NamedNode
from tests.matching.flat.measured import KINDS, auction, ontology_of

UNIT = "http://qudt.org/vocab/unit/"
QUDT = "http://qudt.org/schema/qudt/"
XSD = "http://www.w3.org/2001/XMLSchema#"


def table(ontology: Ontology) -> UnitTable:
    return UnitTable(ontology, lambda iri: (iri,))


AUCTION = table(auction())


def code(text: str) -> tuple[str, Fraction, Fraction]:
    found = AUCTION.of_code(text)
    assert found is not None, text
    return found.base.removeprefix(UNIT), found.factor, found.offset


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: next(iter(kind)))
def test_codes_of_one_kind(kind: dict[str, tuple[Fraction, Fraction]]) -> None:
    assert {text: code(text)[1:] for text in kind} == kind
    assert len({code(text)[0] for text in kind}) == 1


@pytest.mark.parametrize(
    ("text", "base", "factor"),
    [
        ("%", "UNITLESS", Fraction(1, 100)),
        ("[ppm]", "UNITLESS", Fraction(1, 10**6)),
        ("10*3/uL", "PER-M3", Fraction(10**12)),
        ("mmol/L", "MOL-PER-M3", Fraction(1)),
        ("kW.h", "KiloGM-M2-PER-SEC2", Fraction(3_600_000)),
        ("kWh", "KiloGM-M2-PER-SEC2", Fraction(3_600_000)),
        ("mAh", "A-SEC", Fraction(18, 5)),
        ("W/Cel", "KiloGM-M2-PER-K-SEC3", Fraction(1)),  # a difference of temperatures has no offset
        ("W/[degF]", "KiloGM-M2-PER-K-SEC3", Fraction(9, 5)),
        ("Cel2", "K2", Fraction(1)),
        ("Mbps", "BIT-PER-SEC", Fraction(10**6)),
        ("MB/s", "BIT-PER-SEC", Fraction(8 * 10**6)),
        ("cm3", "M3", Fraction(1, 10**6)),
        ("mo", "SEC", Fraction(2_629_800)),
        ("[lb_av]", "KiloGM", Fraction("0.45359237")),
        ("[gal_us]", "M3", Fraction("0.003785411784")),
        ("[gal_br]", "M3", Fraction("0.00454609")),
        ("U", "MOL-PER-SEC", Fraction(1, 60 * 10**6)),
    ],
)
def test_codes_in_base_units(text: str, base: str, factor: Fraction) -> None:
    assert code(text) == (base, factor, 0)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "dB",
            "[pH]",
            "[iU]",
            "mCel",
            "Np",
            "ton",
            "Ym9.Ym9.Ym9",
            "EUR",
            "$",
            "__class__",
            "_",
            "m^999999999",
            "\ud800",
        ),
        *("m" * 100_000, "(" * 64, "<http://qudt.org/vocab/unit/M>"),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_what_is_not_converted(text: str) -> None:
    assert AUCTION.of_code(text) is None


def test_a_code_in_angle_brackets_is_not_the_iri() -> None:
    """One is asked for first, then the other: neither takes the other's place."""
    for first in (True, False):
        units = table(auction())
        if first:
            assert units.of_code(f"<{UNIT}M>") is None
        assert units.of_iri(UNIT + "M") is not None
        assert units.of_code(f"<{UNIT}M>") is None


# by IRI


@pytest.mark.parametrize(
    ("iri", "base", "factor"),
    [
        ("http://example.org/units#M", "BIT", Fraction(8 * 10**6)),  # by its label
        ("http://example.org/units#T", "BIT", Fraction(8 * 10**12)),  # and not a tesla
        (UNIT + "GigaBYTE", "BIT", Fraction(8 * 10**9)),
        (UNIT + "M", "M", Fraction(1)),
        (UNIT + "REV-PER-MIN", "RAD-PER-SEC", None),
        ("http://example.org/other#GB", "BIT", Fraction(8 * 10**9)),
        ("http://example.org/other#Kilometre", "M", Fraction(1000)),
        ("http://example.org/other#KiloGM", "KiloGM", Fraction(1)),
    ],
)
def test_iris(iri: str, base: str, factor: Fraction | None) -> None:
    found = AUCTION.of_iri(iri)
    assert found is not None
    assert found.base == UNIT + base
    assert factor is None or found.factor == factor


@pytest.mark.parametrize(
    "iri",
    [
        *("http://example.org/other#M", "http://example.org/other#T", "http://example.org/other#G"),
        *(
            "http://example.org/units#dollar",
            "http://qudt.org/vocab/currency/USD",
            UNIT + "GigaFISH",
            "x:" + "m" * 9_000,
        ),
    ],
)
def test_iris_that_say_too_little(iri: str) -> None:
    assert AUCTION.of_iri(iri) is None


def test_a_currency_by_another_name() -> None:
    money = ontology_of("ex:GBP a ex:Currency .")
    units = UnitTable(money, lambda iri: (iri, "http://example.org/GBP"))
    assert units.of_iri("http://example.org/pound") is None
    assert AUCTION.of_iri("http://example.org/pound") == Conversion(UNIT + "KiloGM", Fraction("0.45359237"))


def test_what_an_ontology_states() -> None:
    units = table(
        ontology_of("""
        ex:smoot qudt:conversionMultiplier 1.7018 ;
            qudt:hasDimensionVector <http://qudt.org/vocab/dv/A0E0L1I0M0H0T0D0> .
        ex:KB rdfs:label "KB" ; qudt:ucumCode "KiBy" .
        ex:both rdfs:label "kilometre" , "mile" .
        ex:many qudt:conversionMultiplier 12.0 ; qudt:hasDimensionVector <http://qudt.org/vocab/dv/A0E0L0I0M0H0T0D1> .
        ex:bel rdfs:label "B" ; qudt:ucumCode "B" ; qudt:conversionMultiplier 0.0 .
        ex:zero qudt:conversionMultiplier 0.0 ; qudt:hasDimensionVector <http://qudt.org/vocab/dv/A0E0L1I0M0H0T0D0> .
        ex:tonnage qudt:ucumCode "t{gross}" ; qudt:conversionMultiplier 2.83 ;
            qudt:hasDimensionVector <http://qudt.org/vocab/dv/A0E0L3I0M0H0T0D0> .
        ex:tile qudt:uneceCommonCode "ZZ9" ; rdfs:label "square metre" ; qudt:ucumCode "m2" .
        """)
    )
    ex = "http://example.org/"
    assert units.of_iri(ex + "smoot") == Conversion(UNIT + "M", Fraction("1.7018"))
    assert units.of_iri(ex + "KB") == Conversion(UNIT + "BIT", Fraction(8192))
    assert units.of_iri(ex + "both") is None
    assert units.of_iri(ex + "many") is None  # a dozen of what?
    assert units.of_iri(ex + "zero") is None
    assert units.of_iri(ex + "bel") is None  # and not a byte, which is what the text B means
    assert units.of_code("B") == Conversion(UNIT + "BIT", Fraction(8))
    assert units.of_iri(ex + "tonnage") == Conversion(UNIT + "M3", Fraction("2.83"))
    assert units.of_code("ZZ9") == Conversion(UNIT + "M2", Fraction(1))


# UCUM's month is a twelfth of a year, and QUDT has given its code to the month of the moon.
OTHER_MONTHS = {"MO", "PER-MO", "PERCENT-PER-MO", "TONNE-PER-MO"}


def test_qudt_agrees(test_data: Path) -> None:
    """Each unit that we know by name is as large as QUDT says, and QUDT's own statements are taken over."""
    qudt = Ontology.load(test_data / "ontologies" / "qudt-units.ttl")
    with_statements, with_names = table(qudt), AUCTION
    offsets = dict(qudt.annotations(QUDT + "conversionOffset"))
    named = stated = 0
    for iri, text in qudt.annotations(QUDT + "conversionMultiplier"):
        factor, offset = Fraction(text), Fraction(offsets.get(iri, "0"))
        for found in (with_names.of_iri(iri), with_statements.of_iri(iri)):
            if found is not None:
                assert math.isclose(found.factor, factor, rel_tol=1e-6), iri
                assert math.isclose(found.offset, offset, rel_tol=1e-6), iri
        named += with_names.of_iri(iri) is not None
        stated += with_statements.of_iri(iri) is not None
    assert named > 1_700
    assert stated > 2_500


def test_qudt_codes_agree(test_data: Path) -> None:
    """A UCUM code that we read without QUDT is as large as the unit that QUDT gives it to."""
    qudt = Ontology.load(test_data / "ontologies" / "qudt-units.ttl")
    factors = dict(qudt.annotations(QUDT + "conversionMultiplier"))
    differ, read = set(), 0
    for iri, text in qudt.annotations(QUDT + "ucumCode"):
        found = AUCTION.of_code(text)
        if found is not None and float(factors.get(iri, 0)):
            read += 1
            if not math.isclose(found.factor, Fraction(factors[iri]), rel_tol=1e-4):
                differ.add(iri.removeprefix(UNIT))
    assert read > 1_500
    assert differ == OTHER_MONTHS


# numbers

GB = Conversion(UNIT + "BIT", Fraction(8 * 10**9))
FAHRENHEIT = Conversion(UNIT + "K", Fraction(5, 9), Fraction("459.67"))


@pytest.mark.parametrize(
    ("value", "conversion", "expected"),
    [
        (2, GB, 16 * 10**9),
        (Decimal("1.024"), GB, 8_192_000_000),
        (Decimal("0.00000000001"), GB, Decimal("0.08")),
        (0.1, GB, 8e8),
        (Float(0.5), GB, Float(4e9)),
        (math.inf, GB, math.inf),
        (212, FAHRENHEIT, Decimal("373.15")),
        (Decimal("-459.67"), FAHRENHEIT, 0),
        (0, FAHRENHEIT, Decimal("255.37222222222222222222222222222222222222222222222")),
    ],
)
def test_numbers(value: object, conversion: Conversion, expected: object) -> None:
    found = converted(value, conversion)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "datatype", "expected", "expected_type"),
    [
        ("500", "integer", "4000000000000", "integer"),
        ("0.50", "decimal", "4000000000", "integer"),
        ("0.00000000001", "decimal", "0.08", "decimal"),
        ("7", "unsignedByte", "56000000000", "integer"),
        ("0.1e0", "double", "800000000.0", "double"),
        ("3e38", "float", "INF", "float"),
        ("-3e38", "float", "-INF", "float"),
        ("1e308", "double", "INF", "double"),
        ("INF", "double", "INF", "double"),
        ("NaN", "double", "NaN", "double"),
    ],
)
def test_literals(text: str, datatype: str, expected: str, expected_type: str) -> None:
    found = converted(Literal(text, datatype=NamedNode(XSD + datatype)), GB)
    assert found == Literal(expected, datatype=NamedNode(XSD + expected_type))


@pytest.mark.parametrize(
    "value",
    [
        *(True, "5", None, NamedNode("http://example.org/x"), Literal("5"), 10**5_000, Decimal("1E+999999999")),
        *(Decimal("1E-999999999"), Literal("true", datatype=NamedNode(XSD + "boolean"))),
        *(
            Literal("5 GB", datatype=NamedNode(XSD + "integer")),
            Literal("9" * 999, datatype=NamedNode(XSD + "integer")),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_number_or_too_long(value: object) -> None:
    assert converted(value, GB) is None


# from several threads


def test_threads() -> None:
    units = table(auction())
    codes = [text for kind in KINDS for text in kind] * 20
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(units.of_code, codes))
    assert found == [AUCTION.of_code(text) for text in codes]


def test_what_is_remembered_has_an_end() -> None:
    units = table(auction())
    for number in range(10_050):
        units.of_code(f"x{number}")
        units.of_iri(f"http://example.org/{number}")
    assert len(units._by_code) <= 10_000
    assert len(units._by_iri) <= 10_000
