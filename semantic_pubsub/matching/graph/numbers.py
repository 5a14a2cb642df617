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

__all__ = ["form_of", "interval_expressions"]

# A form is seven bits: 0 for a double, else one more than the digits after the point (so 1 is an integer).
_FORM_MASK: Final = 127
_DOUBLE: Final = NamedNode(XSD + "double")
_DECIMAL: Final = NamedNode(XSD + "decimal")
_INTEGER: Final = NamedNode(XSD + "integer")


def form_of(interval: Interval) -> int:
    """Which ends are open, and how each bound was written."""
    ends = (LOWER_OPEN if interval.lower_open else 0) | (UPPER_OPEN if interval.upper_open else 0)
    for source in interval.sources:
        if not isinstance(source, Call):
            continue
        literal = next(a.term for a in source.arguments if isinstance(a, Constant))
        if not isinstance(literal, Literal):
            continue
        form = _form(literal)
        bound = float(literal.value)
        if bound == interval.lower:
            ends = ends & ~(_FORM_MASK << LOWER_FORM) | form << LOWER_FORM
        if bound == interval.upper:
            ends = ends & ~(_FORM_MASK << UPPER_FORM) | form << UPPER_FORM
    return ends


def _form(literal: Literal) -> int:
    datatype = literal.datatype.value
    if datatype == XSD + "double":
        return 0
    if datatype != XSD + "decimal":
        return 1
    return min(_FORM_MASK, 2 + len(literal.value.partition(".")[2]))


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
