"""Values: casts, arithmetic, moments and durations, and SPARQL's logic with errors."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub.subscriptions.lexical import lexical, term_of
from semantic_pubsub.subscriptions.values import Float, compare, equal, value_of
from semantic_pubsub.terms import BlankNode, Literal, NamedNode
from tests.subscriptions.evaluation import XSD, holds, is_error, truth


def typed(text: str, datatype: str) -> str:
    return f'"{text}"^^xsd:{datatype}'


def literal(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=NamedNode(XSD + datatype))


@pytest.mark.parametrize(
    ("one", "sign", "other"),
    [
        (typed("2024-01-01T00:00:00Z", "dateTime"), "=", typed("2024-01-01T02:00:00+02:00", "dateTime")),
        (typed("2024-01-01T00:00:00-14:00", "dateTime"), ">", typed("2024-01-01T00:00:00+14:00", "dateTime")),
        (typed("2024-12-31T24:00:00", "dateTime"), "=", typed("2025-01-01T00:00:00", "dateTime")),
        (typed("2024-01-01T00:00:00.0000000001", "dateTime"), ">", typed("2024-01-01T00:00:00", "dateTime")),
        (typed("12024-01-01T00:00:00", "dateTime"), ">", typed("9999-01-01T00:00:00", "dateTime")),
        (typed("-0001-01-01T00:00:00", "dateTime"), "<", typed("0001-01-01T00:00:00", "dateTime")),
        (typed("2024-01-02T00:00:00", "dateTime"), ">", typed("2024-01-01T00:00:00Z", "dateTime")),
        (typed("2024-02-29", "date"), "<", typed("2024-03-01", "date")),
        (typed("24:00:00", "time"), "=", typed("00:00:00", "time")),
        (typed("P1Y", "duration"), "=", typed("P12M", "yearMonthDuration")),
        (typed("P1M", "duration"), "<", typed("P32D", "duration")),
        (typed("P1M", "duration"), ">", typed("P27D", "duration")),
        (typed("PT36H", "dayTimeDuration"), "=", typed("P1DT12H", "duration")),
        (typed("2023", "gYear"), "<", typed("2024", "gYear")),
        ("0.1", "!=", "0.10000000000000000000000000000000000001"),
        ("9007199254740993", "!=", "9007199254740992"),
        ("9007199254740993", "=", "9007199254740992e0"),
        (typed("16777217", "integer"), "=", typed("16777216", "float")),
        ('"a"', "<", '"b"'),
        ('"a"@EN', "=", '"a"@en'),
        ("<urn:a>", "!=", '"urn:a"'),
    ],
)
def test_comparisons_that_hold(one: str, sign: str, other: str) -> None:
    assert truth(f"{one} {sign} {other}") is True


@pytest.mark.parametrize(
    "comparison",
    [
        f"{typed('2024-01-01T10:00:00', 'dateTime')} < {typed('2024-01-01T12:00:00Z', 'dateTime')}",
        f"{typed('2024-01-01', 'date')} < {typed('2024-01-02T00:00:00', 'dateTime')}",
        f"{typed('P1M', 'duration')} < {typed('P30D', 'duration')}",
        f"{typed('2023-02-29', 'date')} < {typed('2024-01-01', 'date')}",
        f"{typed('25:00:00', 'time')} > {typed('00:00:00', 'time')}",
        f"{typed('P1D', 'yearMonthDuration')} > {typed('P0M', 'yearMonthDuration')}",
        '1 < "2024-01-01"^^xsd:date',
        '"1" < 2',
        "true < 2",
        "<urn:a> < <urn:b>",
        '"x"^^<urn:t> = "y"^^<urn:t>',
        "?unbound = 1",
    ],
)
def test_comparisons_that_are_errors(comparison: str) -> None:
    assert truth(comparison) is None


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("true || ?e", True),
        ("?e || true", True),
        ("false || ?e", None),
        ("false && ?e", False),
        ("?e && false", False),
        ("true && ?e", None),
        ("!?e", None),
        ("1 IN (?e, 1)", True),
        ("1 IN (?e, 2)", None),
        ("1 NOT IN (?e, 1)", False),
        ("1 NOT IN ()", True),
        ("1 IN ()", False),
        ("?e IN (1)", None),
        ("COALESCE(?e, 1 / 0, 5) = 5", True),
        ("COALESCE(?e, 1 / 0)", None),
        ("IF(1 < 2, true, ?e)", True),
        ("IF(?e, true, true)", None),
        ("BOUND(?e)", False),
        ("!BOUND(?e)", True),
        ('"" || 0 || false', False),
        ('"x" && 1 && true', True),
        ("<urn:a> || true", True),
        ("!<urn:a>", None),
        (f"!{typed('NaN', 'double')}", True),
    ],
)
def test_logic_with_errors(expression: str, answer: bool | None) -> None:
    assert truth(expression) is answer


@pytest.mark.parametrize(
    ("cast", "text"),
    [
        ("xsd:string(1.50)", "1.5"),
        ("xsd:string(1e6)", "1.0E6"),
        ("xsd:string(1e-7)", "1.0E-7"),
        ("xsd:string(123456.5e0)", "123456.5"),
        ("xsd:string(true)", "true"),
        ("xsd:string(<urn:a>)", "urn:a"),
        (f"xsd:string({typed('0.1', 'float')})", "0.1"),
        ("xsd:integer(-1.9)", "-1"),
        ('xsd:integer(" 7 ")', "7"),
        ("xsd:integer(true)", "1"),
        ("xsd:decimal(1e-3)", "0.001000000000000000020816681711721685132943093776702880859375"),
        ("xsd:double('INF')", "INF"),
        ("xsd:float(16777217)", "1.6777216E7"),
        ("xsd:boolean('0')", "false"),
        ("xsd:boolean(0.0)", "false"),
        (f"xsd:date({typed('2024-05-01T10:00:00+02:00', 'dateTime')})", "2024-05-01+02:00"),
        (f"xsd:time({typed('2024-05-01T10:00:00Z', 'dateTime')})", "10:00:00Z"),
        (f"xsd:dateTime({typed('2024-05-01', 'date')})", "2024-05-01T00:00:00"),
        (f"xsd:date({typed('2024-12-31T24:00:00', 'dateTime')})", "2025-01-01"),
        (f"xsd:dayTimeDuration({typed('P1Y1DT90M', 'duration')})", "P1DT1H30M"),
        (f"xsd:yearMonthDuration({typed('P14M', 'duration')})", "P1Y2M"),
        (f"xsd:duration({typed('-PT1.5S', 'dayTimeDuration')})", "-PT1.5S"),
    ],
)
def test_casts(cast: str, text: str) -> None:
    assert holds(f'STR({cast}) = "{text}"')


@pytest.mark.parametrize(
    "cast",
    [
        "xsd:integer('1.5')",
        "xsd:integer('x')",
        f"xsd:integer({typed('INF', 'double')})",
        f"xsd:decimal({typed('NaN', 'double')})",
        "xsd:boolean('yes')",
        "xsd:date('2024-02-30')",
        "xsd:dateTime(1)",
        f"xsd:date({typed('10:00:00', 'time')})",
        "xsd:duration('1 day')",
        "xsd:integer(<urn:a>)",
        'xsd:integer("1"@en)',
        f"xsd:integer({typed('2024-01-01', 'date')})",
    ],
)
def test_casts_that_are_errors(cast: str) -> None:
    assert is_error(cast)


@pytest.mark.parametrize(
    ("expression", "value", "datatype"),
    [
        ("1 + 2", "3", "integer"),
        ("1 + 2.0", "3.0", "decimal"),
        ("1 / 4", "0.25", "decimal"),
        ("0.1 + 0.2", "0.3", "decimal"),
        ("0.1e0 + 0.2e0", "0.30000000000000004", "double"),
        (f"1 + {typed('0.5', 'float')}", "1.5", "float"),
        (f"1.0e0 + {typed('0.5', 'float')}", "1.5", "double"),
        ("1e308 * 10", "INF", "double"),
        ("-1e0 / 0", "-INF", "double"),
        ("2 + 3 * 4 - 10 / 5", "12", "decimal"),
        ("-(3)", "-3", "integer"),
        ("ABS(-1.5)", "1.5", "decimal"),
        ("ROUND(2.5)", "3", "decimal"),
        ("ROUND(-2.5)", "-2", "decimal"),
        ("CEIL(-0.5e0)", "0", "double"),
        ("FLOOR(-0.5)", "-1", "decimal"),
        ("STRLEN('\U0001f600é')", "2", "integer"),
        (f"SECONDS({typed('10:00:01.5', 'time')})", "1.5", "decimal"),
        (f"YEAR({typed('-0044-03-15', 'date')})", "-44", "integer"),
        (f"{typed('1', 'byte')} + {typed('1', 'unsignedInt')}", "2", "integer"),
    ],
)
def test_arithmetic(expression: str, value: str, datatype: str) -> None:
    assert holds(f"({expression}) = {typed(value, datatype)}")
    assert holds(f"DATATYPE({expression}) = xsd:{datatype}")


@pytest.mark.parametrize("expression", ["1 / 0", "1.0 / 0.0", "1 + 'a'", "true + 1", "-'a'", "ABS('1')", "1 + <urn:a>"])
def test_arithmetic_that_is_an_error(expression: str) -> None:
    assert is_error(expression)


def test_texts_keep_their_language() -> None:
    assert holds('sameTerm(UCASE("straße"@de), "STRASSE"@de)')
    assert holds('LANGMATCHES(LANG("a"@en-GB), "EN")')
    assert holds('LANGMATCHES(LANG("a"@en), "*") && !LANGMATCHES(LANG("a"), "*")')
    assert holds('CONTAINS("abc"@en, "b") && CONTAINS("abc"@en, "b"@en)')
    assert truth('CONTAINS("abc"@en, "b"@de)') is None
    assert truth('CONTAINS("abc", "b"@en)') is None
    assert truth("CONTAINS(12, '1')") is None


def test_blank_nodes() -> None:
    node = BlankNode("b")
    assert holds("isBlank(?x) && !isIRI(?x) && !isLiteral(?x) && sameTerm(?x, ?x) && ?x = ?x", x=node)
    assert not holds("STR(?x) = STR(?x)", x=node)


# Properties

numbers = st.one_of(
    st.integers(-(10**20), 10**20),
    st.decimals(allow_nan=False, allow_infinity=False, places=5, min_value=-(10**9), max_value=10**9),
    st.floats(allow_nan=False),
    st.floats(width=32, allow_nan=False).map(Float),
)


@settings(max_examples=300)
@given(numbers, numbers)
def test_comparison_is_antisymmetric(one: int | Decimal | float, other: int | Decimal | float) -> None:
    order, reverse = compare(one, other), compare(other, one)
    assert order is not None
    assert reverse == -order
    assert equal(one, other) is (order == 0)


@settings(max_examples=300)
@given(numbers)
def test_numbers_survive_their_spelling(number: int | Decimal | float) -> None:
    term = term_of(number)
    assert isinstance(term, Literal)
    assert value_of(term) == number
    assert type(value_of(term)) is type(number)


moments = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30))
zones = st.integers(-14 * 60, 14 * 60)


@settings(max_examples=200)
@given(moments, zones, moments, zones)
def test_zoned_moments_compare_as_python_compares(one: datetime, zone: int, other: datetime, its: int) -> None:
    left = one.replace(tzinfo=timezone(timedelta(minutes=zone)))
    right = other.replace(tzinfo=timezone(timedelta(minutes=its)))
    values = [value_of(literal(moment.isoformat(), "dateTime")) for moment in (left, right)]
    assert compare(*values) == (left > right) - (left < right)


@settings(max_examples=200)
@given(st.integers(-(10**6), 10**6), st.integers(-(10**9), 10**9))
def test_durations_survive_their_spelling(months: int, thousandths: int) -> None:
    sign = "-" if months < 0 else ""
    seconds = Fraction(abs(thousandths), 1000)
    given_text = f"{sign}P{abs(months)}MT{float(seconds):.3f}S"
    value = value_of(literal(given_text, "duration"))
    again = value_of(literal(lexical(value), "duration"))
    assert equal(value, again) is True
