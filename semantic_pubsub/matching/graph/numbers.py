"""Numeric bounds as the index keeps them (two doubles and some bits), and back to expressions."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

from semantic_pubsub.matching.graph.compiled import Interval, interval_of
from semantic_pubsub.matching.graph.layout import LOWER_FORM, LOWER_OPEN, UPPER_FORM, UPPER_OPEN
from semantic_pubsub.subscriptions.algebra import Call, Constant, Expression, Reference
from semantic_pubsub.subscriptions.values import is_short
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import XSD

__all__ = ["ends_of", "form_of", "interval_expressions", "interval_from"]

# A form is seven bits: 0 for a double, else one more than the digits after the point (so 1 is an integer).
_FORM_MASK: Final = 127
_DOUBLE: Final = NamedNode(XSD + "double")
_DECIMAL: Final = NamedNode(XSD + "decimal")
_INTEGER: Final = NamedNode(XSD + "integer")


def form_of(interval: Interval) -> int:
    """Which ends are open, and how each bound was written."""
    return ends_of(interval, interval.lower_word, interval.upper_word)


def ends_of(interval: Interval, low: str | None, high: str | None) -> int:
    """The same where the words for the bounds are known; None stands for a side without a bound."""
    ends = (LOWER_OPEN if interval.lower_open else 0) | (UPPER_OPEN if interval.upper_open else 0)
    if low is not None:
        ends |= _form(low) << LOWER_FORM
    if high is not None:
        ends |= _form(high) << UPPER_FORM
    return ends


def _form(word: str) -> int:
    if "e" in word.lower() or "INF" in word:
        return 0
    return min(_FORM_MASK, 2 + len(word.partition(".")[2])) if "." in word else 1


def interval_from(variable: str, lower: float, upper: float, ends: int) -> Interval:
    """The interval that the index keeps, with comparisons that mean the same."""
    sources = interval_expressions(variable, lower, upper, ends)
    parts = [part for part in map(interval_of, sources) if part is not None]
    whole = parts[0] if len(parts) == 1 else parts[0].meet(parts[1])
    return whole._replace(lower=lower, upper=upper, sources=sources)


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
    exact = Decimal(repr(bound))
    if form == 1:  # whole decimals may have more digits than integers that a double stands for
        return Literal(f"{exact:.0f}", datatype=_INTEGER if is_short(int(exact)) else _DECIMAL)
    return Literal(f"{exact:f}" if form == _FORM_MASK else f"{exact:.{form - 2}f}", datatype=_DECIMAL)
