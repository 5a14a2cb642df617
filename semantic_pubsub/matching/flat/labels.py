"""What a constraint asks, as a label that an event's value may carry, or as an interval of numbers.

Exact in both: two values carry the same label only if each satisfies what the other does, and a double stands for a
number (a moment) only if no other one that can be compared with it has the same double. What has neither is a test: it
is evaluated as it is defined, once per value.
"""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from semantic_pubsub.matching.flat.constraints import Between, Constraint, Exists, IsA, OneOf
from semantic_pubsub.matching.flat.layout import MOMENT_EPOCH, MOMENT_STEPS
from semantic_pubsub.matching.flat.plain import Iri
from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import Float, LanguageText, Value, is_short, to_double, value_of
from semantic_pubsub.terms import Literal

if TYPE_CHECKING:
    from semantic_pubsub.matching.flat.resolving import LiteralValue

__all__ = [
    "EXISTS",
    "MOMENT",
    "NEVER",
    "NUMBERS",
    "Family",
    "Interval",
    "Label",
    "Labels",
    "Measured",
    "between_of",
    "interval_of",
    "labels_of",
    "measured",
    "plain_number",
    "value_label",
]

Label: TypeAlias = tuple[object, ...]
Family: TypeAlias = tuple[str, bool]
"""Numbers that have one order: ("number", False), or a kind of moments and whether they have a time zone."""

EXISTS: Final[Label] = ("exists",)
NEVER: Final[Label] = ("never",)
NUMBERS: Final[Family] = ("number", False)
# Moments are counted in microseconds from the year 2000: for three centuries around it each has a double of its own.
_WIDEST_ZONE: Final = 14 * 3600 * MOMENT_STEPS
_FARTHEST: Final = sys.float_info.max
_MARGIN: Final = 4  # steps between doubles: what bounds and sums may be off by


class Interval(NamedTuple):
    """Closed bounds of a family, and how they were written."""

    family: Family
    lower: float
    upper: float
    form: int


class Measured(NamedTuple):
    """Where a value of an event lies in a family: at a double, or (rough) near it. Only bounds from `lower` to `upper`
    may tell the value from the double; it satisfies no interval with a bound in `void`, both ends included."""

    family: Family
    number: float
    lower: float
    upper: float
    void: tuple[float, float] | None = None

    @property
    def rough(self) -> bool:
        return self.lower != self.upper


Labels: TypeAlias = tuple[Label, ...] | Interval | None


def labels_of(asked: Constraint) -> Labels:
    """The labels of which one suffices, the interval, or None for a test."""
    if isinstance(asked, Exists):
        return (EXISTS,)
    if isinstance(asked, IsA):
        return (("class", asked.name),)
    if isinstance(asked, OneOf):
        return _of_values(asked.values)
    if isinstance(asked, Between):
        return interval_of(asked)
    return None


def _of_values(values: tuple[object, ...]) -> Labels:
    if not values:
        return (NEVER,)
    if len(values) == 1:
        point = interval_of(Between(values[0], values[0]))  # type: ignore[arg-type]
        if point is not None:
            return point
    found = [_wanted_label(value) for value in values]
    return None if None in found else tuple(found)  # type: ignore[arg-type]


def _wanted_label(value: object) -> Label | None:
    """The label of a value that is asked for; None where a label would not be exact."""
    if isinstance(value, Iri):
        return ("iri", value.iri)
    if isinstance(value, Literal):
        inner = value_of(value)
        return ("nan", value.datatype.value) if inner != inner else value_label(value)
    number = plain_number(value)
    if number is not None:
        return ("point", number + 0.0)
    return value_label(value)


def value_label(value: object) -> Label | None:
    """The label that values carry which SPARQL's `=` equates; None for numbers: their precisions differ."""
    if isinstance(value, bool | str | LanguageText):
        return ("value", type(value).__name__, value)
    if isinstance(value, Duration):
        return ("value", "Duration", (value.months, value.seconds))
    if isinstance(value, Moment):
        return ("moment", value.kind, value.zone is not None, value.universal())
    if isinstance(value, Literal):
        return ("value", "Literal", value)
    return None


def plain_number(value: object) -> float | None:
    """The double that stands for a number and for no other."""
    if isinstance(value, bool):
        return None
    if type(value) is float:
        return None if value != value else value
    if isinstance(value, int | Decimal) and is_short(value):
        return float(value)
    return None


def _plain_moment(value: Moment) -> float | None:
    """The double that stands for a moment and for no other."""
    steps = (value.universal() - MOMENT_EPOCH) * MOMENT_STEPS
    if steps.denominator != 1:
        return None
    double = to_double(int(steps))
    return double if math.isfinite(double) and int(double) == steps else None


def interval_of(asked: Between) -> Interval | None:
    """The interval if doubles stand for its bounds; an open end becomes the next double."""
    bounds = [bound for bound in (asked.lower, asked.upper) if bound is not None]
    if not bounds:
        return None
    first: object = bounds[0]
    if isinstance(first, Moment):
        family: Family = (first.kind, first.zone is not None)
        if not all(isinstance(b, Moment) and (b.kind, b.zone is not None) == family for b in bounds):
            return None
        ends = [_plain_moment(b) if isinstance(b, Moment) else None for b in (asked.lower, asked.upper)]
    else:
        family = NUMBERS
        ends = [None if b is None else plain_number(b) for b in (asked.lower, asked.upper)]
    if sum(end is not None for end in ends) < len(bounds):
        return None
    lower = -math.inf if ends[0] is None else ends[0]
    upper = math.inf if ends[1] is None else ends[1]
    if asked.lower_open:
        lower = math.nextafter(lower, math.inf) if lower < math.inf else math.nan
    if asked.upper_open:
        upper = math.nextafter(upper, -math.inf) if upper > -math.inf else math.nan
    if not lower <= upper and not _is_empty(asked):
        return None
    return Interval(
        family, lower, upper, _form(asked.lower, asked.lower_open) | _form(asked.upper, asked.upper_open) << 4
    )


def _is_empty(asked: Between) -> bool:
    """Whether nothing at all is between bounds in the wrong order: two that differ, or whose types do, are the same for
    some value that is compared in less precision."""
    low, high = type(asked.lower), type(asked.upper)
    if asked.lower in (math.inf, -math.inf):  # beyond it there is no double
        return False
    return asked.lower == asked.upper and (low is high or {low, high} <= {int, Decimal})


_NO_BOUND, _INTEGER, _DECIMAL, _DOUBLE, MOMENT = range(5)


def _form(bound: object, is_open: bool) -> int:
    kind = _NO_BOUND
    if isinstance(bound, int):
        kind = _INTEGER
    elif isinstance(bound, Decimal):
        kind = _DECIMAL
    elif isinstance(bound, float):
        kind = _DOUBLE
    elif isinstance(bound, Moment):
        kind = MOMENT
    return kind | (8 if is_open else 0)


def between_of(interval: Interval) -> Between:
    """The constraint that an interval of numbers (not of moments) came from."""
    low, high = interval.form & 15, interval.form >> 4
    lower = math.nextafter(interval.lower, -math.inf) if low & 8 else interval.lower
    upper = math.nextafter(interval.upper, math.inf) if high & 8 else interval.upper
    return Between(_bound(lower, low & 7), _bound(upper, high & 7), bool(low & 8), bool(high & 8))


def _bound(number: float, kind: int) -> int | Decimal | float | None:
    if kind == _NO_BOUND:
        return None
    if kind == _INTEGER:
        return int(number)
    return Decimal(repr(number)) if kind == _DECIMAL else number


def measured(value: LiteralValue) -> tuple[Measured, ...]:
    """Where a value lies in each family in which it can be compared."""
    inner = value.value
    if isinstance(inner, Moment):
        return _measured_moment(inner)
    number = plain_number(inner)
    if number is not None:
        return (Measured(NUMBERS, number, number, number),)
    return _measured_roughly(inner)


def _measured_roughly(value: Value) -> tuple[Measured, ...]:
    """A number with too many digits, or of 32 bits: a range of doubles that holds all it could be compared as."""
    if isinstance(value, bool) or value != value or not isinstance(value, int | Decimal | Float):
        return ()
    double = to_double(value)
    if isinstance(value, Float):
        single = np.float32(value)
        with np.errstate(over="ignore"):  # beside the greatest number there is infinity
            low = float(np.nextafter(single, np.float32(-math.inf)))
            high = float(np.nextafter(single, np.float32(math.inf)))
        return (Measured(NUMBERS, double, min(low, double), max(high, double)),)
    return (Measured(NUMBERS, double, *_beside(double)),)


def _measured_moment(value: Moment) -> tuple[Measured, ...]:
    exact = _plain_moment(value)
    near = exact
    if near is None:
        near = to_double((value.universal() - MOMENT_EPOCH) * MOMENT_STEPS)  # type: ignore[arg-type]
        near = max(-_FARTHEST, min(_FARTHEST, near))
    zoned = value.zone is not None
    family = (value.kind, zoned)
    own = Measured(family, near, *_beside(near)) if exact is None else Measured(family, exact, exact, exact)
    # Beside one whose zone is not known it may lie up to 14 hours to either side.
    low, high = near - _WIDEST_ZONE, near + _WIDEST_ZONE
    margin = _MARGIN * math.ulp(max(abs(low), abs(high)))
    void = low + margin, high - margin
    return own, Measured((value.kind, not zoned), near, low - margin, high + margin, void)


def _beside(double: float) -> tuple[float, float]:
    return math.nextafter(double, -math.inf), math.nextafter(double, math.inf)
