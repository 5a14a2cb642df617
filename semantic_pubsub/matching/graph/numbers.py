"""Numeric bounds as the index keeps them (two doubles and some bits), and back to expressions."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.graph.layout import LOWER_FORM, LOWER_OPEN, UPPER_FORM, UPPER_OPEN
from semantic_pubsub.subscriptions.algebra import Call, Constant, Expression, Reference
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from semantic_pubsub.matching.graph.compiled import Interval

__all__ = ["ends_of", "form_of", "interval_expressions"]

# A form is seven bits: 0 for a double, else one more than the digits after the point (so 1 is an integer).
_FORM_MASK: Final = 127
_DOUBLE: Final = NamedNode(XSD + "double")
_DECIMAL: Final = NamedNode(XSD + "decimal")
_INTEGER: Final = NamedNode(XSD + "integer")


def form_of(interval: Interval) -> int:
    """Which ends are open, and how each bound was written."""
    low: str | None = None
    high: str | None = None
    for source in interval.sources:
        word = _number_in(source)
        if word is not None:
            low = word if float(word) == interval.lower else low
            high = word if float(word) == interval.upper else high
    return ends_of(interval, low, high)


def ends_of(interval: Interval, low: str | None, high: str | None) -> int:
    """The same where the words for the bounds are known; None stands for a side without a bound."""
    ends = (LOWER_OPEN if interval.lower_open else 0) | (UPPER_OPEN if interval.upper_open else 0)
    if low is not None:
        ends |= _form(low) << LOWER_FORM
    if high is not None:
        ends |= _form(high) << UPPER_FORM
    return ends


def _number_in(source: Expression) -> str | None:
    """The number of a comparison as SPARQL would write it: its letters tell the datatype."""
    if isinstance(source, Call):
        for argument in source.arguments:
            if isinstance(argument, Constant) and isinstance(argument.term, Literal):
                word, datatype = argument.term.value, argument.term.datatype.value
                if datatype == XSD + "double":
                    return word if "e" in word.lower() or "INF" in word else f"{word}e0"
                return word if datatype == XSD + "decimal" and "." in word else word.partition(".")[0]
    return None


def _form(word: str) -> int:
    if "e" in word.lower() or "INF" in word:
        return 0
    return min(_FORM_MASK, 2 + len(word.partition(".")[2])) if "." in word else 1


def interval_expressions(variable: str, lower: float, upper: float, ends: int) -> tuple[Expression, ...]:
    """Comparisons that mean the same as the interval."""
    low, high = _literal(lower, ends >> LOWER_FORM & _FORM_MASK), _literal(upper, ends >> UPPER_FORM & _FORM_MASK)
    if lower == upper and not ends & (LOWER_OPEN | UPPER_OPEN):
        return (_comparison("=", variable, low),)
    found = []
    if not math.isinf(lower) or ends & LOWER_OPEN:
        found.append(_comparison(">" if ends & LOWER_OPEN else ">=", variable, low))
    if not math.isinf(upper) or ends & UPPER_OPEN:
        found.append(_comparison("<" if ends & UPPER_OPEN else "<=", variable, high))
    return tuple(found) or (_comparison("<=", variable, _literal(math.inf, 0)),)


def _comparison(operator: str, variable: str, literal: Literal) -> Expression:
    return Call(operator, (Reference(variable), Constant(literal)))


def _literal(bound: float, form: int) -> Literal:
    if form == 0:
        return Literal({math.inf: "INF", -math.inf: "-INF"}.get(bound, repr(bound)), datatype=_DOUBLE)
    if form == 1:
        return Literal(str(int(bound)), datatype=_INTEGER)
    return Literal(f"{Decimal(repr(bound)):.{form - 2}f}", datatype=_DECIMAL)
