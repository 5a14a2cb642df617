"""What the top-level conjuncts of the filters ask of one variable, and whether any value can be all of that.

Only what is certain is reported. Numbers need care: SPARQL compares two of different types in the wider one, so
a double may equal two decimals that differ. Where rounding could let a value through, nothing is said.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from semantic_pubsub.subscriptions.algebra import Call, Constant, Expression, LocalName, Reference
from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import (
    NUMERIC_TYPES,
    Float,
    LanguageText,
    Number,
    Value,
    compare,
    equal,
    to_double,
    value_of,
)
from semantic_pubsub.terms import BlankNode, NamedNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Asked", "Clashes", "asked_of", "clash", "conjuncts", "family", "impossible"]

_MIRRORED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_LOWER: Final = frozenset((">", ">=", "="))
_UPPER: Final = frozenset(("<", "<=", "="))
_OPEN: Final = frozenset(("<", ">"))
_EXACT: Final = frozenset((int, Decimal))
_FAMILIES: Final = {
    **dict.fromkeys(NUMERIC_TYPES, "number"),
    str: "text",
    bool: "boolean",
    Duration: "duration",
    LanguageText: "text with a language",
    NamedNode: "IRI",
    BlankNode: "blank node",
}
_ORDERED: Final = frozenset((*NUMERIC_TYPES, str, bool, Duration, Moment))
# Long lists are looked at only as far as this; what is beyond is not judged.
_MOST_CONJUNCTS: Final = 64
_MOST_MEMBERS: Final = 256
_MOST_COMPARISONS: Final = 10_000
"""Of values, for all conjuncts of one subscription together: some hundredths of a second."""


class Asked(NamedTuple):
    """A conjunct `?v sign value`; with the sign "in" one of several values."""

    sign: str
    values: tuple[Value, ...]
    expression: Expression


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """The parts that must all be true."""
    if isinstance(expression, Call) and expression.operator == "&&":
        for part in expression.arguments:
            yield from conjuncts(part)
    else:
        yield expression


def asked_of(part: Expression) -> tuple[str, Asked] | None:
    """The variable and what is asked of it, if the conjunct compares one variable with constants."""
    if not isinstance(part, Call) or (part.operator != "in" and part.operator not in _MIRRORED):
        return None
    sign, (left, *others) = part.operator, part.arguments
    if sign != "in" and isinstance(left, Constant):
        sign, left, others = _MIRRORED[sign], others[0], [left]
    if not isinstance(left, Reference):
        return None
    values: list[Value] = []
    for other in others:
        if not isinstance(other, Constant) or isinstance(other.term, LocalName):
            return None
        values.append(value_of(other.term))
    return left.name, Asked(sign, tuple(values), part)


def family(value: Value) -> str:
    """The kind of values that this one can be compared with."""
    if isinstance(value, Moment):
        return value.kind
    return _FAMILIES.get(type(value), "literal of unknown datatype")


def impossible(asked: Asked) -> str | None:
    """Why no value can be what one conjunct asks, or None."""
    if all(value != value for value in asked.values):
        return "nothing compares with NaN" if asked.values else "the list is empty"
    if asked.sign in _MIRRORED and asked.sign != "=" and type(asked.values[0]) not in _ORDERED:
        return f"a value of the kind '{family(asked.values[0])}' has no order"
    return None


class Clashes:
    """Conjuncts as they come, each compared with those before it on the same variable, within a bounded effort."""

    __slots__ = ("_asked", "_left", "_worth")

    def __init__(self) -> None:
        self._left = _MOST_COMPARISONS
        self.begin()

    def begin(self) -> None:
        """Another pattern, with variables of its own; the effort is counted on."""
        self._asked: dict[str, list[Asked]] = {}
        self._worth: dict[str, int] = {}

    def find(self, name: str, now: Asked) -> Asked | None:
        """An earlier conjunct on the variable that no value fulfils together with this one, or None.

        Once two are known to exclude each other, only one that excludes an even earlier one is worth telling.
        """
        before = self._asked.setdefault(name, [])
        if len(before) >= _MOST_CONJUNCTS:
            return None
        before.append(now)
        for number in range(min(len(before) - 1, self._worth.get(name, _MOST_CONJUNCTS))):
            if self._exclude(before[number], now):
                self._worth[name] = number
                return before[number]
        return None

    def _exclude(self, one: Asked, other: Asked) -> bool:
        if len(one.values) > _MOST_MEMBERS or len(other.values) > _MOST_MEMBERS:
            return False
        left, right = ("=" if asked.sign == "in" else asked.sign for asked in (one, other))
        for first, second in product(one.values, other.values):
            self._left -= 1
            if self._left < 0 or not _apart(left, first, right, second):
                return False
        return True


def clash(asked: Sequence[Asked]) -> tuple[Asked, Asked] | None:
    """Two conjuncts on one variable that no value fulfils together, or None."""
    clashes = Clashes()
    for one in asked[:_MOST_CONJUNCTS]:
        other = clashes.find("", one)
        if other is not None:
            return other, one
    return None


def _apart(left: str, one: Value, right: str, other: Value) -> bool:
    """Whether no value x has both `x left one` and `x right other`."""
    if family(one) != family(other):
        return True
    if type(one) not in _ORDERED:
        return equal(one, other) is not True
    open_end = left in _OPEN or right in _OPEN
    if left in _LOWER and right in _UPPER and _nothing_between(one, other, open_end):
        return True
    return left in _UPPER and right in _LOWER and _nothing_between(other, one, open_end)


def _nothing_between(low: Value, high: Value, open_end: bool) -> bool:
    if type(low) in NUMERIC_TYPES:
        return _no_number_between(low, high, open_end)  # type: ignore[arg-type]
    order = compare(low, high)
    # No order means no value between either: these orders are transitive.
    return order is None or order > 0 or (order == 0 and open_end)


def _no_number_between(low: Number, high: Number, open_end: bool) -> bool:
    if Float(to_double(low)) > Float(to_double(high)):
        return True  # apart in the coarsest type, so apart in all
    kinds = {type(low), type(high)}
    if kinds <= _EXACT:
        return open_end and low >= high
    return len(kinds) == 1 and (low > high or (low == high and open_end))
