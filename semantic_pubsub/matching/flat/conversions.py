"""Numbers from one unit to its base unit, exactly: factors are fractions, so 1024 MB and 1.024 GB are one number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, Final

from semantic_pubsub.subscriptions.limits import MAX_NUMBER_LENGTH
from semantic_pubsub.subscriptions.values import Float, to_double, value_of
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import XSD

__all__ = ["Conversion", "converted", "is_far"]

_DIGITS: Final = 50
_BITS_PER_DIGIT: Final = 3  # less than log2(10), so that a number of digits is never found too small
_DOUBLE, _FLOAT, _DECIMAL, _INTEGER = (NamedNode(XSD + name) for name in ("double", "float", "decimal", "integer"))


@dataclass(frozen=True, slots=True)
class Conversion:
    """From a unit to its base unit: (number + offset) · factor."""

    base: str
    factor: Fraction
    offset: Fraction = Fraction(0)

    @property
    def name(self) -> str:
        """One IRI for the unit itself, however it is written: the base unit's, with what makes the unit of it."""
        if self.factor == 1 and not self.offset:
            return self.base
        return f"{self.base}#times={self.factor}" + (f"&offset={self.offset}" if self.offset else "")

    def __call__(self, number: Decimal | int) -> Decimal | int:
        """The number in the base unit: exact where a decimal can be, else to 50 digits. A whole number is an int."""
        exact = (Fraction(number) + self.offset) * self.factor
        return exact.numerator if exact.denominator == 1 else _decimal(exact)


def _decimal(number: Fraction) -> Decimal:
    """The decimal of a fraction, without an exponent or zeros at its end: one number has one form."""
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    exact = number.numerator.bit_length() // _BITS_PER_DIGIT + max(twos, fives) + 2
    with localcontext() as context:
        context.prec = _DIGITS if rest != 1 else max(exact, _DIGITS)
        found = Decimal(number.numerator) / Decimal(number.denominator)
        return Decimal(format(found.normalize(context), "f"))


def is_far(value: int | Decimal) -> bool:
    """Whether a number has too many digits to compute with, written without an exponent (1E-999999999)."""
    if isinstance(value, int):
        return value.bit_length() > _BITS_PER_DIGIT * MAX_NUMBER_LENGTH
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        return True
    return max(value.adjusted(), 0) + max(-exponent, 0) > MAX_NUMBER_LENGTH - 4  # a sign, a dot, a zero, a digit


def converted(value: object, conversion: Conversion) -> Any:
    """A number (Python's, or a literal) in the base unit, in the same form; None for what is no number, or too long.

    Integers and decimals become integers where they are whole, else decimals; doubles and floats stay what they are,
    read as they are written.
    """
    if isinstance(value, Literal):
        return _converted_literal(value, conversion)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if isinstance(value, float):
        return type(value)(to_double(conversion(Decimal(repr(float(value)))))) if math.isfinite(value) else value
    return _exact(value, conversion)


def _exact(value: int | Decimal, conversion: Conversion) -> int | Decimal | None:
    if isinstance(value, Decimal) and not value.is_finite():
        return value
    if is_far(value):
        return None
    found = conversion(value)
    return None if is_far(found) else found


def _converted_literal(literal: Literal, conversion: Conversion) -> Literal | None:
    value = value_of(literal)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            return literal
        exact = to_double(conversion(Decimal(literal.value if value else 0)))
        number, datatype = (Float(exact), _FLOAT) if isinstance(value, Float) else (exact, _DOUBLE)
        return Literal(repr(float(number)).replace("inf", "INF"), datatype=datatype)
    found = _exact(value, conversion)
    if found is None:
        return None
    return Literal(format(Decimal(found), "f"), datatype=_INTEGER if isinstance(found, int) else _DECIMAL)
