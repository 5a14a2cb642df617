"""Arithmetic on numbers, exact where the type is exact and always bounded."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.subscriptions.values import NUMERIC_TYPES, Float, Value, promoted

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BINARY", "ROUNDING", "negated", "unchanged"]

_MAX_BITS: Final = 16_384
_EXACT: Final = decimal.Context(
    prec=2_200, Emax=10_000, Emin=-10_000, traps=[decimal.Overflow, decimal.InvalidOperation]
)
_QUOTIENT: Final = decimal.Context(
    prec=40, Emax=10_000, Emin=-10_000, traps=[decimal.Overflow, decimal.InvalidOperation]
)

Number = Any  # int, Decimal, Float or float; the operators below look at the type themselves


def _binary(
    exact: Callable[[Number, Number], Number], decimals: Callable[[Decimal, Decimal], Decimal]
) -> Callable[[Value, Value], Value | None]:
    def apply(one: Value, other: Value) -> Value | None:
        if type(one) not in NUMERIC_TYPES or type(other) not in NUMERIC_TYPES:
            return None
        left, right, kind = promoted(one, other)
        try:
            result = decimals(left, right) if kind is Decimal else exact(left, right)
        except decimal.DecimalException:
            return None
        if kind is int:
            return None if result is None or _too_large(result) else result
        return Float(float(result)) if kind is Float else result

    return apply


def _too_large(number: Number) -> bool:
    return isinstance(number, int) and number.bit_length() > _MAX_BITS


def _divide(one: Number, other: Number) -> Number | None:
    """Integers give a decimal, and dividing them by zero is an error; floating numbers go to infinity."""
    if isinstance(one, int):
        return _divide_decimals(Decimal(one), Decimal(other)) if other else None
    if other:
        return one / other
    if one == 0 or math.isnan(one) or math.isnan(other):
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1, other)


def _divide_decimals(one: Decimal, other: Decimal) -> Decimal:
    if not other:
        raise decimal.InvalidOperation
    long = len(one.as_tuple().digits) + len(other.as_tuple().digits) > _QUOTIENT.prec
    return (_EXACT if long else _QUOTIENT).divide(one, other)


BINARY: Final[dict[str, Callable[[Value, Value], Value | None]]] = {
    "+": _binary(lambda a, b: a + b, _EXACT.add),
    "-": _binary(lambda a, b: a - b, _EXACT.subtract),
    "*": _binary(lambda a, b: a * b, _EXACT.multiply),
    "/": _binary(_divide, _divide_decimals),
}
"""Operators on two numbers; None is an error."""


def _unary(function: Callable[[Number], Number]) -> Callable[[Value], Value | None]:
    def apply(value: Value) -> Value | None:
        kind = type(value)
        if kind not in NUMERIC_TYPES:
            return None
        result = function(value)
        return Float(result) if kind is Float else result

    return apply


def _rounding(decimals: str, floats: Callable[[float], float]) -> Callable[[Number], Number]:
    def apply(number: Number) -> Number:
        if isinstance(number, int):
            return number
        if isinstance(number, Decimal):
            return number.to_integral_value(rounding=decimals)
        return floats(number) if math.isfinite(number) else number

    return apply


def _half_up(number: float) -> float:
    """XPath: the nearest integer, of two the larger; the sign of zero is kept."""
    if abs(number) >= 1 << 52:
        return number
    lower = math.floor(number)
    return math.copysign(lower + (number - lower >= 0.5), number)


def _half_up_decimal(number: Number) -> Number:
    rule = decimal.ROUND_HALF_UP if number >= 0 else decimal.ROUND_HALF_DOWN
    return number.to_integral_value(rounding=rule)


def _round(number: Number) -> Number:
    return _half_up_decimal(number) if isinstance(number, Decimal) else _rounding("", _half_up)(number)


negated: Final = _unary(lambda number: number.copy_negate() if isinstance(number, Decimal) else -number)
unchanged: Final = _unary(lambda number: number)

ROUNDING: Final[dict[str, Callable[[Value], Value | None]]] = {
    "ABS": _unary(lambda number: number.copy_abs() if isinstance(number, Decimal) else abs(number)),
    "CEIL": _unary(_rounding(decimal.ROUND_CEILING, lambda x: math.copysign(math.ceil(x), x))),
    "FLOOR": _unary(_rounding(decimal.ROUND_FLOOR, lambda x: math.copysign(math.floor(x), x) if x else x)),
    "ROUND": _unary(_round),
}
"""Functions of one number that keep its type."""
