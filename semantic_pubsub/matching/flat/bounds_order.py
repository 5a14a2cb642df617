"""Which of two bounds that are numbers is the tighter one for every number that an event may have.

SPARQL compares in the wider of two types, so a bound means something else to each type of number: `> 1.2` asks a
double to be above the double next to 1.2, which is a little below it. Bound a is tighter than b if for every type of
number whatever is within a is within b. There are pairs of which neither is; then both must be asked.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TypeAlias

from semantic_pubsub.subscriptions.values import Float, to_double

__all__ = ["tighter_number"]

Number: TypeAlias = int | Decimal | float
Bound: TypeAlias = tuple[Number, bool]
"""A number, and whether that end of the interval is open."""


def tighter_number(one: Bound, other: Bound, sign: int) -> Bound | None:
    """The tighter of two bounds, lower ones with the sign 1, upper ones with -1; None where neither is."""
    first, second = (one, other) if sign > 0 else (_mirrored(one), _mirrored(other))
    if _implies(first, second):
        return one
    return other if _implies(second, first) else None


def _mirrored(bound: Bound) -> Bound:
    """An upper bound as a lower one; no number is rounded, and a Float stays one."""
    number, is_open = bound
    if isinstance(number, Decimal):
        return number.copy_negate(), is_open
    return type(number)(-number), is_open


def _implies(one: Bound, other: Bound) -> bool:
    """Whether all numbers above the one are above the other, of each type of number."""
    as_doubles = _is_above(_as_double(one), _as_double(other))
    as_floats = _is_above(_as_float(one), _as_float(other))
    return as_doubles and as_floats and _implies_exactly(one, other)


def _is_above(one: Bound, other: Bound) -> bool:
    """Python compares integers, decimals and doubles exactly, whatever their types."""
    return one[0] > other[0] or (one[0] == other[0] and (one[1] or not other[1]))


def _as_double(bound: Bound) -> Bound:
    """What a bound asks of doubles: a double; of a Float bound doubles see its own value."""
    number, is_open = bound
    return to_double(number), is_open


def _as_float(bound: Bound) -> Bound:
    """What a bound asks of xsd:float: a double stays as it is, integers and decimals are rounded."""
    number, is_open = bound
    return (number, is_open) if type(number) is float else (_rounded(number, Float), is_open)


def _implies_exactly(one: Bound, other: Bound) -> bool:
    """The same for integers and decimals, which are rounded to the type of the bound; rounding keeps the order."""
    (low, is_open), (number, other_open) = one, other
    kind, other_kind = _kind(low), _kind(number)
    if kind is other_kind:
        return _is_above(one, other)
    if other_kind is None:  # the other sees the exact number, which may lie a little below a closed bound
        exactly_above = low if is_open else math.nextafter(low, -math.inf) if kind is float else -math.inf
        return exactly_above >= number
    least = _rounded(low, other_kind)  # whatever is above `low` is rounded to this or more
    if kind is Float and not is_open:
        return False  # what is rounded up to a Float bound may be far below for a double
    return least > number or (least == number and not other_open)


def _kind(number: Number) -> type | None:
    """The type that integers and decimals are rounded to beside a number; None where they are not."""
    return type(number) if isinstance(number, float) else None


def _rounded(number: Number, kind: type) -> float:
    return Float(to_double(number)) if kind is Float else to_double(number)
