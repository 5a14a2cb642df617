"""What each operator and function does to its operands; one dict, one small function each.

Operands are terms or computed values, in any mixture; `None` is SPARQL's error, as argument and as answer.
Operators that must see an argument's error, or need not evaluate it, are in `filters`.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeAlias

from semantic_pubsub.subscriptions.arithmetic import BINARY, ROUNDING, negated, unchanged
from semantic_pubsub.subscriptions.casts import CAST_FUNCTIONS
from semantic_pubsub.subscriptions.lexical import lexical, term_of
from semantic_pubsub.subscriptions.regex import compile_regex
from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import (
    NUMERIC_TYPES,
    LanguageText,
    Value,
    compare,
    effective_boolean_value,
    equal,
    value_of,
)
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Term

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["OPERATORS", "Operand", "Operator"]

Operand: TypeAlias = Term | Value
Operator: TypeAlias = Callable[..., "Operand | None"]


def _order(accepts: Callable[[int], bool]) -> Operator:
    def apply(one: Operand, other: Operand) -> bool | None:
        left, right = value_of(one), value_of(other)
        order = compare(left, right)
        if order is not None:
            return accepts(order)
        # Numbers without an order hold a NaN: every comparison is false, none is an error.
        return False if type(left) in NUMERIC_TYPES and type(right) in NUMERIC_TYPES else None

    return apply


def _equals(one: Operand, other: Operand) -> bool | None:
    return equal(value_of(one), value_of(other))


def _differs(one: Operand, other: Operand) -> bool | None:
    same = equal(value_of(one), value_of(other))
    return None if same is None else not same


def _not(operand: Operand) -> bool | None:
    truth = effective_boolean_value(operand)
    return None if truth is None else not truth


def _on_values(function: Callable[..., Value | None]) -> Operator:
    return lambda *operands: function(*map(value_of, operands))


def _text(value: Value) -> str | None:
    """The characters of a simple or language-tagged text."""
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, LanguageText) else None


def _text_test(test: Callable[[str, str], bool]) -> Operator:
    """Tests of one text against another; SPARQL 1.1, section 17.4.3.1.2, says which languages go together."""

    def apply(one: Operand, other: Operand) -> bool | None:
        left, right = value_of(one), value_of(other)
        if isinstance(right, LanguageText) and not (isinstance(left, LanguageText) and left.language == right.language):
            return None
        whole, part = _text(left), _text(right)
        return None if whole is None or part is None else test(whole, part)

    return apply


def _letters(change: Callable[[str], str]) -> Operator:
    def apply(operand: Operand) -> Value | None:
        value = value_of(operand)
        if isinstance(value, LanguageText):
            return LanguageText(change(value.text), value.language)
        return change(value) if isinstance(value, str) else None

    return apply


def _length(operand: Operand) -> int | None:
    text = _text(value_of(operand))
    return None if text is None else len(text)


def _str(operand: Operand) -> str | None:
    if isinstance(operand, Literal | NamedNode):
        return operand.value
    return None if isinstance(operand, BlankNode) else lexical(operand)


def _lang(operand: Operand) -> str | None:
    term = term_of(operand)
    return (term.language or "") if isinstance(term, Literal) else None


def _datatype(operand: Operand) -> NamedNode | None:
    term = term_of(operand)
    return term.datatype if isinstance(term, Literal) else None


def _lang_matches(tag: Operand, wanted: Operand) -> bool | None:
    """Basic filtering of RFC 4647."""
    given, pattern = value_of(tag), value_of(wanted)
    if not isinstance(given, str) or not isinstance(pattern, str):
        return None
    if pattern == "*":
        return given != ""
    return f"{given}-".lower().startswith(f"{pattern}-".lower()) and pattern != ""


def _regex(operand: Operand, pattern: Operand, flags: Operand | None = None) -> bool | None:
    text, expression = _text(value_of(operand)), value_of(pattern)
    given = None if flags is None else value_of(flags)
    if text is None or not isinstance(expression, str) or not isinstance(given, str | None):
        return None
    try:
        return compile_regex(expression, given).search(text) is not None
    except ValueError:
        return None


def _is_numeric(operand: Operand) -> bool:
    return type(value_of(operand)) in NUMERIC_TYPES


def _part(index: int, *kinds: str) -> Operator:
    """A field of a moment whose kind has it."""

    def apply(operand: Operand) -> Value | None:
        value = value_of(operand)
        if not isinstance(value, Moment) or value.kind not in kinds:
            return None
        field = value.fields[index]
        return _decimal(field) if index == 5 else int(field)

    return apply


def _decimal(number: int | Fraction) -> Decimal:
    if isinstance(number, int):
        return Decimal(number)
    # The denominator divides a power of ten: enough digits make the quotient exact.
    digits = decimal.Context(prec=len(str(number.numerator)) + 4 * len(str(number.denominator)) + 4)
    return digits.divide(Decimal(number.numerator), Decimal(number.denominator))


def _tz(operand: Operand) -> str | None:
    value = value_of(operand)
    if not isinstance(value, Moment):
        return None
    if value.zone is None:
        return ""
    return "Z" if value.lexical.endswith("Z") else value.lexical[-6:]


def _timezone(operand: Operand) -> Duration | None:
    value = value_of(operand)
    if not isinstance(value, Moment) or value.zone is None:
        return None
    return Duration(0, 60 * value.zone, "dayTimeDuration")


_DATES: Final = ("dateTime", "date")
_TIMES: Final = ("dateTime", "time")

OPERATORS: Final[dict[str, Operator]] = {
    "=": _equals,
    "!=": _differs,
    "<": _order(lambda order: order < 0),
    ">": _order(lambda order: order > 0),
    "<=": _order(lambda order: order <= 0),
    ">=": _order(lambda order: order >= 0),
    "!": _not,
    "neg": _on_values(negated),
    "pos": _on_values(unchanged),
    **{sign: _on_values(function) for sign, function in BINARY.items()},
    **{name: _on_values(function) for name, function in ROUNDING.items()},
    "CONTAINS": _text_test(lambda whole, part: part in whole),
    "STRSTARTS": _text_test(str.startswith),
    "STRENDS": _text_test(str.endswith),
    "LCASE": _letters(str.lower),
    "UCASE": _letters(str.upper),
    "STRLEN": _length,
    "STR": _str,
    "LANG": _lang,
    "LANGMATCHES": _lang_matches,
    "DATATYPE": _datatype,
    "REGEX": _regex,
    "ISIRI": lambda operand: isinstance(operand, NamedNode),
    "ISURI": lambda operand: isinstance(operand, NamedNode),
    "ISBLANK": lambda operand: isinstance(operand, BlankNode),
    "ISLITERAL": lambda operand: not isinstance(operand, NamedNode | BlankNode),
    "ISNUMERIC": _is_numeric,
    "SAMETERM": lambda one, other: term_of(one) == term_of(other),
    "YEAR": _part(0, *_DATES),
    "MONTH": _part(1, *_DATES),
    "DAY": _part(2, *_DATES),
    "HOURS": _part(3, *_TIMES),
    "MINUTES": _part(4, *_TIMES),
    "SECONDS": _part(5, *_TIMES),
    "TZ": _tz,
    "TIMEZONE": _timezone,
    **{iri: _on_values(function) for iri, function in CAST_FUNCTIONS.items()},
}
"""Operators and functions whose arguments are all evaluated first, by the algebra's name for them."""
