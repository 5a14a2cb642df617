"""Python's values, rdflib's and pyoxigraph's terms as the values that constraints compare.

int is xsd:integer, float xsd:double, Decimal xsd:decimal, bool xsd:boolean (and never a number); dates, times and
durations of the standard library are the XSD types of the same name.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import rdflib

from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import Float, LanguageText, Value, value_of
from semantic_pubsub.terms import Literal, NamedNode, from_rdflib
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
    if kind in _KEPT:
        return value  # type: ignore[return-value]
    if isinstance(value, rdflib.term.Node):
        return None if isinstance(value, rdflib.BNode) else from_rdflib(value)
    if isinstance(value, np.generic):
        return None if np.isnat(value) else known(_of_numpy(value)) if value.dtype.kind in "mM" else known(value.item())
    return _of_standard_library(value)


_KEPT: Final = frozenset((bool, int, float, Decimal, Literal, NamedNode, ClassName, Iri, Text))


def _of_numpy(value: np.generic) -> object:
    """Points in time and durations to microseconds, as Python has them."""
    return value.astype("datetime64[us]" if value.dtype.kind == "M" else "timedelta64[us]").item()


def _of_standard_library(value: object) -> Known | None:
    if isinstance(value, bool | int | float | Decimal):  # classes derived from them
        base = next(kind for kind in (bool, int, float, Decimal) if isinstance(value, kind))
        return base(value)
    if isinstance(value, str):
        return Text(str(value))
    if isinstance(value, datetime.datetime):  # a date, too, so it comes first
        return Literal(value.isoformat(), datatype=NamedNode(XSD + "dateTime"))
    if isinstance(value, datetime.date):
        return Literal(value.isoformat(), datatype=NamedNode(XSD + "date"))
    if isinstance(value, datetime.time):
        return Literal(value.isoformat(), datatype=NamedNode(XSD + "time"))
    if isinstance(value, datetime.timedelta):
        seconds = Decimal(value // datetime.timedelta(microseconds=1)) / 1_000_000
        sign = "-" if seconds < 0 else ""
        return Literal(f"{sign}PT{abs(seconds):f}S", datatype=NamedNode(XSD + "dayTimeDuration"))
    return None


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
