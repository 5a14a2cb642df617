"""XSD casts: SPARQL 1.1, section 17.5, with XPath's rules for each pair of types."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from semantic_pubsub.subscriptions.lexical import lexical
from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import NUMERIC_TYPES, Float, Value, to_double, value_of
from semantic_pubsub.terms import BlankNode, Literal, NamedNode
from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CAST_FUNCTIONS"]

_WHITE: Final = " \t\n\r"


def _parsed(text: str, datatype: str) -> Value | None:
    """A text read as a literal of the datatype, white space around it not counted."""
    literal = Literal(text.strip(_WHITE), datatype=NamedNode(XSD + datatype))
    value = value_of(literal)
    return None if isinstance(value, Literal) else value


def _to_string(value: Value) -> Value | None:
    if isinstance(value, BlankNode):
        return None
    return value.value if isinstance(value, NamedNode | Literal) else lexical(value)


def _to_boolean(value: Value) -> Value | None:
    if isinstance(value, str):
        return _parsed(value, "boolean")
    if isinstance(value, bool):
        return value
    if type(value) in NUMERIC_TYPES:
        return bool(value) and value == value
    return None


def _to_double(value: Value) -> float | None:
    if isinstance(value, str):
        parsed = _parsed(value, "double")
        return parsed if isinstance(parsed, float) else None
    if isinstance(value, int | Decimal | float):  # bool too: true is 1
        return to_double(value)
    return None


def _to_float(value: Value) -> Float | None:
    if isinstance(value, str):
        parsed = _parsed(value, "float")
        return parsed if isinstance(parsed, Float) else None
    number = _to_double(value)
    return None if number is None else Float(number)


def _to_decimal(value: Value) -> Value | None:
    if isinstance(value, str):
        return _parsed(value, "decimal")
    if isinstance(value, float):
        return Decimal(float(value)) if math.isfinite(value) else None
    return Decimal(value) if isinstance(value, int | Decimal) else None


def _to_integer(value: Value) -> Value | None:
    if isinstance(value, str):
        return _parsed(value, "integer")
    if isinstance(value, float):
        return int(value) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return int(value.to_integral_value(rounding=decimal.ROUND_DOWN))
    return int(value) if isinstance(value, int) else None


def _to_moment(kind: str) -> Callable[[Value], Value | None]:
    def cast(value: Value) -> Value | None:
        if isinstance(value, str):
            return _parsed(value, kind)
        if not isinstance(value, Moment):
            return None
        return value if value.kind == kind else _reshaped(value, kind)

    return cast


def _reshaped(moment: Moment, kind: str) -> Value | None:
    """A dateTime cut to its date or time, a date as its first moment."""
    zone = ""
    if moment.zone is not None:
        zone = "Z" if moment.lexical.endswith("Z") else moment.lexical[-6:]
    written = moment.lexical.removesuffix(zone)
    if moment.kind == "dateTime":
        year, month, day, hour, *_ = moment.fields
        if "T24:" in written:
            sign = "-" if year < 0 else ""
            written = f"{sign}{abs(year):04}-{month:02}-{day:02}T{hour:02}:00:00"
        date, _, time = written.partition("T")
        return _parsed({"date": date, "time": time}[kind] + zone, kind)
    if moment.kind == "date" and kind == "dateTime":
        return _parsed(f"{written}T00:00:00{zone}", kind)
    return None


def _to_duration(kind: str) -> Callable[[Value], Value | None]:
    def cast(value: Value) -> Value | None:
        if isinstance(value, str):
            return _parsed(value, kind)
        if not isinstance(value, Duration):
            return None
        months = value.months if kind != "dayTimeDuration" else 0
        seconds = value.seconds if kind != "yearMonthDuration" else 0
        return Duration(months, seconds, kind)

    return cast


CAST_FUNCTIONS: Final[dict[str, Callable[[Value], Value | None]]] = {
    XSD + "string": _to_string,
    XSD + "boolean": _to_boolean,
    XSD + "double": _to_double,
    XSD + "float": _to_float,
    XSD + "decimal": _to_decimal,
    XSD + "integer": _to_integer,
    **{XSD + kind: _to_moment(kind) for kind in ("date", "dateTime", "time")},
    **{XSD + kind: _to_duration(kind) for kind in ("duration", "dayTimeDuration", "yearMonthDuration")},
}
"""Casts by the IRI of their datatype; None is an error."""
