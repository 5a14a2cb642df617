"""Python's values, rdflib's and pyoxigraph's terms as the values that constraints compare.

int is xsd:integer, float xsd:double, Decimal xsd:decimal, bool xsd:boolean (and never a number); dates, times and
durations of the standard library are the XSD types of the same name.
"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias, cast

import numpy as np
import rdflib

from semantic_pubsub.subscriptions.limits import MAX_NUMBER_LENGTH
from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import Float, LanguageText, Value, value_of
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, from_rdflib
from semantic_pubsub.vocab import RDF, XSD

__all__ = ["ClassName", "Iri", "Known", "Text", "datatype_of", "is_nan", "known"]


class ClassName(NamedTuple):
    """The class of a vertex, as the value of a pair."""

    iri: str


class Iri(NamedTuple):
    """The IRI of a vertex, as the value of a pair."""

    iri: str


class Text(NamedTuple):
    """A text that somebody wrote into a mapping: it may name a class or an IRI."""

    text: str


Known: TypeAlias = ClassName | Iri | Text | Value
"""What a value of a flat event, or of a constraint, is kept as. A `NamedNode` is an IRI that may name a class."""

_STRING: Final = XSD + "string"
_DATATYPES: Final[dict[type, str]] = {
    bool: XSD + "boolean",
    int: XSD + "integer",
    float: XSD + "double",
    Float: XSD + "float",
    Decimal: XSD + "decimal",
    str: _STRING,
    Text: _STRING,
    LanguageText: RDF + "langString",
}


def known(value: object) -> Known | None:
    """A value in one of the forms that are known here; None for what is no value."""
    kind = type(value)
    if kind is str:
        return Text(value)  # type: ignore[arg-type]
    if kind is int:
        return cast("int", value) if -_FAR < cast("int", value) < _FAR else None
    if kind in _KEPT:
        return value  # type: ignore[return-value]
    if isinstance(value, rdflib.term.Node):
        return _of_rdflib(value)
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _of_numpy(value)
    return _of_scalar(value) if isinstance(value, np.generic) else _of_standard_library(value)


_KEPT: Final = frozenset((bool, float, Literal, NamedNode, ClassName, Iri, Text))
_FAR: Final = 10**MAX_NUMBER_LENGTH  # as far as the numbers of literals go
_WIDEST_ZONE: Final = datetime.timedelta(hours=14)
_MINUTE: Final = datetime.timedelta(minutes=1)
_DATES: Final = ("Y", "M", "W", "D")


def _of_rdflib(value: rdflib.term.Node) -> Known | None:
    try:
        term = from_rdflib(value)
    except (TypeError, ValueError):  # a variable, or an IRI that is none
        return None
    return None if isinstance(term, BlankNode) else term


def _of_scalar(value: np.generic) -> Known | None:
    """A number or truth value of numpy; those longer than a double have no counterpart here and are rounded to one."""
    item = value.item()
    if not isinstance(item, np.generic):
        return known(item)
    return float(item) if isinstance(item, np.floating) else None


def _of_numpy(value: np.datetime64 | np.timedelta64) -> Known | None:
    """Points in time (whole days are dates) and durations, to the nanosecond."""
    unit, _ = np.datetime_data(value.dtype)
    if np.isnat(value) or unit == "generic":
        return None
    if isinstance(value, np.datetime64):
        if unit in _DATES:
            return _literal(str(value.astype("datetime64[D]")), "date")
        whole = value.astype("datetime64[s]") if unit in ("h", "m") else value
        return _literal(str(whole), "dateTime")
    if unit in ("Y", "M"):
        months = int(value.astype("timedelta64[M]").astype(np.int64))
        return _literal(f"{'-' if months < 0 else ''}P{abs(months)}M", "yearMonthDuration")
    return _of_nanoseconds(int(value.astype("timedelta64[ns]").astype(np.int64)))


def _of_standard_library(value: object) -> Known | None:
    if isinstance(value, Decimal):
        return Decimal(value) if value.is_finite() else math.nan if value.is_nan() else float(value)
    if isinstance(value, int):  # classes derived from what is kept as it is
        return known(int(value))
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return Text(str(value))
    return _of_calendar(value)


def _of_calendar(value: object) -> Known | None:
    if isinstance(value, datetime.datetime):  # a date, too, so it comes first
        return _of_datetime(value)
    if isinstance(value, datetime.date):
        return _literal(value.isoformat(), "date")
    if isinstance(value, datetime.time):
        return _literal(value.isoformat(), "time")
    if isinstance(value, datetime.timedelta):
        microseconds = value // datetime.timedelta(microseconds=1)
        return _of_nanoseconds(1_000 * microseconds + getattr(value, "nanoseconds", 0))  # pandas has them
    return None


def _of_datetime(value: datetime.datetime) -> Known | None:
    """A zone that XML Schema cannot write, with seconds or more than 14 hours away, becomes Greenwich."""
    if value != value:  # pandas' NaT
        return None
    offset = value.utcoffset()
    if offset is not None and (offset % _MINUTE or abs(offset) > _WIDEST_ZONE):
        try:
            value = value.astimezone(datetime.UTC)
        except OverflowError:  # beyond the years that Python knows
            return None
    return _literal(value.isoformat(), "dateTime")


def _of_nanoseconds(number: int) -> Literal:
    seconds, rest = divmod(abs(number), 1_000_000_000)
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    return _literal(f"{'-' if number < 0 else ''}PT{seconds}{fraction}S", "dayTimeDuration")


def _literal(lexical: str, kind: str) -> Literal:
    return Literal(lexical, datatype=NamedNode(XSD + kind))


def datatype_of(value: Value | Literal) -> str:
    """The IRI of a value's datatype."""
    if isinstance(value, Literal):
        return value.datatype.value
    if isinstance(value, Moment | Duration):
        return XSD + value.kind
    return _DATATYPES[type(value)]


def is_nan(value: object) -> bool:
    """Whether a value (or the value of a literal) is not a number and says so."""
    inner = value_of(value) if isinstance(value, Literal) else value
    return isinstance(inner, float | Decimal) and inner != inner
