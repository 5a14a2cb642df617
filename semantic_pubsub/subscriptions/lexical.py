"""From a computed value back to text and term, in XPath's spelling."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Final

from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import Float, LanguageText, Value
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Term
from semantic_pubsub.vocab import XSD

__all__ = ["lexical", "term_of"]

_DATATYPES: Final = {
    int: NamedNode(XSD + "integer"),
    Decimal: NamedNode(XSD + "decimal"),
    Float: NamedNode(XSD + "float"),
    float: NamedNode(XSD + "double"),
    bool: NamedNode(XSD + "boolean"),
}


def term_of(value: Value) -> Term:
    """The RDF term of a value; a term stays what it is."""
    if isinstance(value, NamedNode | BlankNode | Literal):
        return value
    if isinstance(value, str):
        return Literal(value)
    if isinstance(value, LanguageText):
        return Literal(value.text, language=value.language)
    if isinstance(value, Moment | Duration):
        return Literal(lexical(value), datatype=NamedNode(XSD + value.kind))
    return Literal(lexical(value), datatype=_DATATYPES[type(value)])


def lexical(value: Value) -> str:
    """The text that XPath's cast to a string gives."""
    if isinstance(value, str):
        return value
    if isinstance(value, LanguageText):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, float):
        return _floating(value)
    if isinstance(value, Moment):
        return value.lexical
    if isinstance(value, Duration):
        return _duration(value)
    return str(value) if isinstance(value, int) else value.value


def _decimal(number: Decimal) -> str:
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _floating(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "INF" if number > 0 else "-INF"
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    shortest = _shortest_float(number) if isinstance(number, Float) else repr(number)
    sign, digits, exponent = Decimal(shortest).normalize().as_tuple()
    if 1e-6 <= abs(number) < 1e6:
        return _decimal(Decimal(shortest))
    mantissa = "".join(map(str, digits))
    power = int(exponent) + len(digits) - 1
    return f"{'-' if sign else ''}{mantissa[0]}.{mantissa[1:] or '0'}E{power}"


def _shortest_float(number: Float) -> str:
    candidates = (format(float(number), f".{digits}g") for digits in range(1, 9))
    return next((text for text in candidates if Float(float(text)) == number), format(float(number), ".9g"))


def _duration(value: Duration) -> str:
    years, months = divmod(abs(value.months), 12)
    whole, fraction = divmod(abs(Fraction(value.seconds)), 1)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    date = "".join(f"{number}{unit}" for number, unit in ((years, "Y"), (months, "M"), (days, "D")) if number)
    time = "".join(f"{number}{unit}" for number, unit in ((hours, "H"), (minutes, "M")) if number)
    if seconds or fraction:
        time += f"{seconds}{_fraction(fraction)}S"
    sign = "-" if value.months < 0 or value.seconds < 0 else ""
    if not date and not time:
        return "P0M" if value.kind == "yearMonthDuration" else "PT0S"
    return f"{sign}P{date}{'T' + time if time else ''}"


def _fraction(part: Fraction) -> str:
    """The digits after the point; the denominator is always a power of ten's divisor."""
    if not part:
        return ""
    digits = ""
    while part:
        digit, part = divmod(part * 10, 1)
        digits += str(digit)
    return f".{digits}"
