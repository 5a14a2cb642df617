"""Unit codes: which simple units they are made of."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub.matching.flat.pint_units import conversion_of, unit_of_word
from semantic_pubsub.matching.flat.ucum import MOST_CHARACTERS, qudt_product, ucum_product


def no_words(_: str) -> None:
    return None


@pytest.mark.parametrize(
    ("code", "product"),
    [
        ("m", (("meter", 1),)),
        ("km/h", (("kilometer", 1), ("hour", -1))),
        ("m/s2", (("meter", 1), ("second", -2))),
        ("m.s-2", (("meter", 1), ("second", -2))),
        ("m·s⁻²", (("meter", 1), ("second", -2))),
        ("m**2", (("meter", 2),)),
        ("m^2", (("meter", 2),)),
        ("m²", (("meter", 2),)),
        ("kg*m", (("kilogram", 1), ("meter", 1))),
        ("/min", (("minute", -1),)),
        ("m/s/s", (("meter", 1), ("second", -1), ("second", -1))),
        ("m/s.kg", (("meter", 1), ("second", -1), ("kilogram", 1))),  # from left to right, as UCUM has it
        ("J/(kg.K)", (("joule", 1), ("kilogram", -1), ("kelvin", -1))),
        ("J/(kg/K)", (("joule", 1), ("kilogram", -1), ("kelvin", 1))),
        ("((m))", (("meter", 1),)),
        ("10*3/uL", (("10", 3), ("microliter", -1))),
        ("10^-6", (("10", -6),)),
        ("10*", (("10", 1),)),
        ("10", (("10", 1),)),
        ("g{wet}/L", (("gram", 1), ("liter", -1))),
        ("dam", (("decameter", 1),)),
        ("Pa", (("pascal", 1),)),
        ("a", (("julian_year", 1),)),
        ("cd", (("candela", 1),)),
        ("mm[Hg]", (("millimeter_Hg", 1),)),
        ("µm", (("micrometer", 1),)),
        ("μm", (("micrometer", 1),)),
    ],
)
def test_codes(code: str, product: tuple[tuple[str, int], ...]) -> None:
    assert ucum_product(code, no_words) == product


@pytest.mark.parametrize(
    ("code", "name"), [("ft", "foot"), ("GB", "gigabyte"), ("KiB", "kibibyte"), ("kt", "kilometric_ton")]
)
def test_everyday_spellings_before_readings_that_nobody_means(code: str, name: str) -> None:
    assert ucum_product(code, no_words) == ((name, 1),)


@pytest.mark.parametrize(
    "code",
    [
        *(
            "",
            " m",
            "m ",
            "m\n",
            "m//s",
            "m.",
            "m)",
            "(m",
            "()",
            "m^",
            "m0",
            "m10",
            "m^999999999",
            "m999999999",
            "s^9^9",
        ),
        *("m**9**9", "0", "1000000000000", "٣", "m٣", "{beats}/min", "{RBC}", "g{", "[iU]", "k[iU]", "[pH]", "dB"),
        *("pt", "mt", "KB", "Mb", "dpi", "M", "G", "%%", "'''", "m.__class__", "__import__", "x" * 65, "m." * 40 + "m"),
    ],
)
def test_what_is_no_code(code: str) -> None:
    assert ucum_product(code, no_words) is None


@given(st.text(st.sampled_from("mskgKAB%.()/*^+-{}[]0123456789'°_ eE"), max_size=70) | st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_no_text_is_too_strange(code: str) -> None:
    product = ucum_product(code, unit_of_word)
    found = conversion_of(product)
    assert product is None or len(code) <= MOST_CHARACTERS
    assert found is None or found.factor > 0


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("megabyte", "megabyte"),
        ("Megabytes", "megabyte"),
        ("MEGABYTE", "megabyte"),
        ("kilometre", "kilometer"),
        ("degree_Celsius", "degree_Celsius"),
        ("Fahrenheit", "degree_Fahrenheit"),
        ("month", "month"),
        ("feet", "foot"),
    ],
)
def test_words(word: str, name: str) -> None:
    assert unit_of_word(word) == name


@pytest.mark.parametrize(
    "word",
    [
        *("unit", "dpi", "lamp", "ton", "gallon", "pint", "Calorie", "calorie", "acre", "point", "__class__", "____"),
        *("kilokilometer", "eval", "kmph", "import", "registry", "default_format", "台式机", "a" * 60),
    ],
)
def test_words_that_are_no_unit_or_several(word: str) -> None:
    unit_of_word("kilometer")  # pint would read kilokilometer from now on
    assert unit_of_word(word) is None


@pytest.mark.parametrize(
    ("name", "product"),
    [
        ("GigaBYTE", (("gigabyte", 1),)),
        ("MebiBYTE", (("mebibyte", 1),)),
        ("M-PER-SEC2", (("meter", 1), ("second", -2))),
        ("PER-M", (("meter", -1),)),
        ("J-PER-KiloGM-K", (("joule", 1), ("kilogram", -1), ("kelvin", -1))),
        ("DEG_C", (("degree_Celsius", 1),)),
        ("UNITLESS", (("1", 1),)),
        ("M2", (("meter", 2),)),
    ],
)
def test_qudt_names(name: str, product: tuple[tuple[str, int], ...]) -> None:
    assert qudt_product(name) == product


@pytest.mark.parametrize("name", ["", "GigaFISH", "M-PER-SEC-PER-SEC", "M10", "PER-", "x" * 65])
def test_what_is_no_qudt_name(name: str) -> None:
    assert not qudt_product(name)
