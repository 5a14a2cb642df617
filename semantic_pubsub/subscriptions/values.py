"""Literals as values, and how values compare.

A value is one of: int, Decimal, `Float` (xsd:float), float (xsd:double), bool, str, `LanguageText`, `Moment`,
`Duration`; what is no literal, has an unknown datatype or is ill-typed stands for itself as a term.
No answer is `None`: SPARQL's type error, NaN beside a number, or two that have no order.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from semantic_pubsub.subscriptions.limits import MAX_NUMBER_LENGTH
from semantic_pubsub.subscriptions.temporal import PARSERS, Duration, Moment, compare_durations, compare_moments
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Term
from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "NUMERIC_DATATYPES",
    "NUMERIC_TYPES",
    "Float",
    "LanguageText",
    "Value",
    "compare",
    "effective_boolean_value",
    "equal",
    "is_short",
    "promoted",
    "to_double",
    "value_of",
]


class Float(float):
    """An xsd:float: a double that was rounded to 32 bits."""

    __slots__ = ()

    def __new__(cls, number: float) -> Float:
        return super().__new__(cls, _rounded(number))


@dataclass(frozen=True, slots=True)
class LanguageText:
    """A text with a language tag (in small letters)."""

    text: str
    language: str


Number: TypeAlias = int | Decimal | float
Value: TypeAlias = (
    int | Decimal | float | bool | str | LanguageText | Moment | Duration | NamedNode | BlankNode | Literal
)

NUMERIC_TYPES: Final = frozenset((int, Decimal, Float, float))
"""Python types of numbers; bool is none of them."""

_INTEGERS: Final[dict[str, tuple[int | None, int | None]]] = {
    "integer": (None, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    **{
        name: (-(1 << bits - 1), (1 << bits - 1) - 1)
        for name, bits in (("long", 64), ("int", 32), ("short", 16), ("byte", 8))
    },
    **{
        name: (0, (1 << bits) - 1)
        for name, bits in (("unsignedLong", 64), ("unsignedInt", 32), ("unsignedShort", 16), ("unsignedByte", 8))
    },
}
NUMERIC_DATATYPES: Final = frozenset(XSD + name for name in (*_INTEGERS, "decimal", "float", "double"))
"""IRIs of XML Schema's numbers."""

_SHORT_DIGITS: Final = 15
_FAR_EXPONENT: Final = 300  # beyond it doubles run out of digits
_BOOLEAN: Final = XSD + "boolean"
_STRING: Final = XSD + "string"
_INTEGER_SHAPE: Final = re.compile(r"[+-]?[0-9]+")
_DECIMAL_SHAPE: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE_SHAPE: Final = re.compile(r"[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|INF)|NaN")


def value_of(term: Term | Value) -> Value:
    """The value of a literal; anything else, and a literal without a known value, as it is."""
    if type(term) is not Literal:
        return term
    if term.language:
        return LanguageText(term.value, term.language.lower())
    datatype = term.datatype.value
    if datatype == _STRING:
        return term.value
    parse = _PARSERS.get(datatype)
    if parse is None:
        return term
    lexical = term.value
    if len(lexical) > MAX_NUMBER_LENGTH:
        return term
    try:
        return parse(lexical)
    except ValueError:
        return term


def promoted(one: Any, other: Any) -> tuple[Any, Any, type]:
    """Two numbers in the wider of their types, and that type (SPARQL 1.1, section 17.3)."""
    left, right = type(one), type(other)
    if left is right:
        return one, other, left
    if left is float or right is float:
        return to_double(one), to_double(other), float
    if left is Float or right is Float:
        return Float(to_double(one)), Float(to_double(other)), Float
    return Decimal(one), Decimal(other), Decimal


def to_double(number: Number) -> float:
    """The nearest double; infinite where there is none."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def is_short(value: int | Decimal) -> bool:
    """Whether a number has at most 15 significant digits: no two such numbers round to the same double."""
    if isinstance(value, int):
        return -1_000_000_000_000_000 < value < 1_000_000_000_000_000
    if value and not -_FAR_EXPONENT < value.adjusted() < _FAR_EXPONENT:
        return False
    digits = value.as_tuple().digits
    end = len(digits)
    while end > _SHORT_DIGITS and not digits[end - 1]:
        end -= 1
    return end <= _SHORT_DIGITS


def compare(one: Value, other: Value) -> int | None:
    """-1, 0 or 1 as SPARQL's and XPath's operators order values; None if they do not."""
    left, right = type(one), type(other)
    if left in NUMERIC_TYPES:
        if right not in NUMERIC_TYPES:
            return None
        first, second, _ = promoted(one, other)
    elif left is right and left in _ORDERED:
        first, second = one, other
    elif left is right:
        if left is Moment:
            return compare_moments(one, other)  # type: ignore[arg-type]
        return compare_durations(one, other) if left is Duration else None  # type: ignore[arg-type]
    else:
        return None
    if first < second:
        return -1
    if first == second:
        return 0
    return 1 if first > second else None  # None: one of them is NaN


def equal(one: Value, other: Value) -> bool | None:
    """SPARQL's `=`: None where it is an error, for example two literals of unknown datatypes."""
    left, right = type(one), type(other)
    if left in NUMERIC_TYPES and right in NUMERIC_TYPES:
        return compare(one, other) == 0
    if left is right:
        if left is Moment:
            order = compare_moments(one, other)  # type: ignore[arg-type]
            if order is None and one.kind == other.kind:  # type: ignore[union-attr]
                return None
            return order == 0
        if left is Duration:
            return (one.months, one.seconds) == (other.months, other.seconds)  # type: ignore[union-attr]
        if one == other:
            return True
        return None if left is Literal else False
    if left is Literal or right is Literal:
        # A literal without a known value may or may not mean the same as another literal.
        apart = left in (NamedNode, BlankNode) or right in (NamedNode, BlankNode)
        return False if apart else None
    return False


def effective_boolean_value(operand: Term | Value) -> bool | None:
    """SPARQL 1.1, section 17.2.2; None for what has no truth value."""
    value = value_of(operand)
    kind = type(value)
    if kind is bool:
        return bool(value)
    if kind is str:
        return value != ""
    if kind in NUMERIC_TYPES:
        return bool(value) and value == value
    if isinstance(value, LanguageText):
        return value.text != ""
    if isinstance(value, Literal):
        datatype = value.datatype.value
        return False if datatype == _BOOLEAN or datatype in NUMERIC_DATATYPES else None
    return None


_ORDERED: Final = frozenset((str, bool))


def _rounded(number: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _integer_parser(least: int | None, most: int | None) -> Callable[[str], int]:
    def parse(lexical: str) -> int:
        if not _INTEGER_SHAPE.fullmatch(lexical):
            raise ValueError(lexical)
        number = int(lexical)
        if (least is not None and number < least) or (most is not None and number > most):
            raise ValueError(lexical)
        return number

    return parse


def _decimal(lexical: str) -> Decimal:
    if not _DECIMAL_SHAPE.fullmatch(lexical):
        raise ValueError(lexical)
    return Decimal(lexical)


def _double(lexical: str) -> float:
    if not _DOUBLE_SHAPE.fullmatch(lexical):
        raise ValueError(lexical)
    return float(lexical)


def _boolean(lexical: str) -> bool:
    if lexical in ("true", "1"):
        return True
    if lexical in ("false", "0"):
        return False
    raise ValueError(lexical)


_PARSERS: Final[dict[str, Callable[[str], Value]]] = {
    **{XSD + name: _integer_parser(*bounds) for name, bounds in _INTEGERS.items()},
    XSD + "decimal": _decimal,
    XSD + "double": _double,
    XSD + "float": lambda lexical: Float(_double(lexical)),
    _BOOLEAN: _boolean,
    **PARSERS,
}
