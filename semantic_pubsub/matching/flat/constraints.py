"""What a flat subscription asks of an attribute."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import rdflib

from semantic_pubsub.errors import SubscriptionError, quoted
from semantic_pubsub.matching.flat.plain import ClassName, Iri, Known, Text, is_nan, known
from semantic_pubsub.subscriptions.bounds import family
from semantic_pubsub.subscriptions.values import LanguageText, Value, compare, value_of
from semantic_pubsub.terms import Literal, NamedNode

__all__ = [
    "Between",
    "Constraint",
    "Exists",
    "IsA",
    "OneOf",
    "at_least",
    "at_most",
    "between",
    "bound_value",
    "equals",
    "exists",
    "isa",
    "less_than",
    "more_than",
    "one_of",
    "unlike",
]


class Constraint:
    """What must be true of one value of an attribute."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class IsA(Constraint):
    """A class below `name`; a literal whose datatype is."""

    name: str

    def __str__(self) -> str:
        return f"isa({self.name})"


@dataclass(frozen=True, slots=True, eq=False)
class OneOf(Constraint):
    """Equal to one of the values as SPARQL's `=` has it, or the same term."""

    values: tuple[Known, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OneOf) and _are_same(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self.values)

    def __str__(self) -> str:
        shown = ", ".join(map(_shown, self.values))
        return f"equals({shown})" if len(self.values) == 1 else f"one_of({shown})"


@dataclass(frozen=True, slots=True, eq=False)
class Between(Constraint):
    """An interval; None is a side without a bound."""

    lower: Known | None
    upper: Known | None
    lower_open: bool = False
    upper_open: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Between) and _are_same(self._fields(), other._fields())

    def __hash__(self) -> int:
        return hash(self._fields())

    def _fields(self) -> tuple[object, ...]:
        return self.lower, self.upper, self.lower_open, self.upper_open

    def __str__(self) -> str:
        left = "(" if self.lower_open or self.lower is None else "["
        right = ")" if self.upper_open or self.upper is None else "]"
        low = "…" if self.lower is None else _shown(self.lower)
        high = "…" if self.upper is None else _shown(self.upper)
        return f"between {left}{low}, {high}{right}"


@dataclass(frozen=True, slots=True)
class Exists(Constraint):
    """Any value at all."""

    def __str__(self) -> str:
        return "exists()"


_EXISTS: Final = Exists()


def isa(name: object) -> IsA:
    """A class (or datatype) of this name, or one below it."""
    if isinstance(name, NamedNode | rdflib.URIRef):
        return IsA(f"<{name.value if isinstance(name, NamedNode) else name}>")
    if not isinstance(name, str) or not name:
        raise SubscriptionError(
            f"isa({quoted(name)}) names no class", hint="give an IRI, a prefixed name or a local name"
        )
    return IsA(str(name))


def equals(value: object) -> OneOf:
    """This value, as SPARQL's `=` compares; a text also equals the IRI that it names."""
    return OneOf((_wanted(value, "equals"),))


def one_of(*values: object) -> OneOf:
    """One of these values, given one by one or as one list."""
    if len(values) == 1 and isinstance(values[0], Iterable) and not isinstance(values[0], str | bytes):
        values = tuple(values[0])
    return OneOf(unlike(_wanted(value, "one_of") for value in values))


def between(lower: object, upper: object, lower_open: bool = False, upper_open: bool = False) -> Between:
    """A value from `lower` to `upper`; None or an infinity of either sign is a side without a bound.

    Without any bound it is a literal of any kind but NaN; `exists()` takes that, IRIs and classes, too.
    """
    low, high = _bound(lower), _bound(upper)
    if low is not None and high is not None:
        first, second = bound_value(low), bound_value(high)
        if family(first) != family(second):
            raise SubscriptionError(
                f"bounds of different kinds: {_shown(low)} and {_shown(high)}", hint="nothing can be compared with both"
            )
        if compare(first, second) == 1:
            hint = "exchange the bounds"
            raise SubscriptionError(f"the lower bound {_shown(low)} is above the upper {_shown(high)}", hint=hint)
    return Between(low, high, lower_open and low is not None, upper_open and high is not None)


def at_least(bound: object) -> Between:
    """This value or a greater one."""
    return between(bound, None)


def at_most(bound: object) -> Between:
    """This value or a smaller one."""
    return between(None, bound)


def more_than(bound: object) -> Between:
    """A greater value."""
    return between(bound, None, lower_open=True)


def less_than(bound: object) -> Between:
    """A smaller value."""
    return between(None, bound, upper_open=True)


def exists() -> Exists:
    """Any value at all, NaN too."""
    return _EXISTS


def unlike(values: Iterable[Any]) -> tuple[Any, ...]:
    """Each value once; True is not 1, and 1 is not 1.0."""
    return tuple({(type(value), value): value for value in values}.values())


def _are_same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Equal, and of the same types: True is not 1, and 1 is not 1.0, which compares in another way."""
    return one == other and all(type(a) is type(b) for a, b in zip(one, other, strict=True))


def bound_value(bound: Known) -> Value:
    """The value that a bound stands for."""
    return bound.text if isinstance(bound, Text) else value_of(bound)  # type: ignore[arg-type]


def _wanted(value: object, where: str) -> Known:
    found = known(value)
    if found is None:
        raise SubscriptionError(f"{where}({quoted(value)}): no value", hint=_VALUES)
    if is_nan(found):
        raise SubscriptionError(f"{where}({value!r}): nothing equals NaN", hint="ask for a number")
    return found


_VALUES: Final = "a number, a text, True or False, a date, time or duration, an IRI or a literal"


def _bound(value: object) -> Known | None:
    if value is None:
        return None
    found = known(value)
    if found is None or isinstance(found, NamedNode | ClassName | Iri):
        raise SubscriptionError(f"{quoted(value)} is no bound", hint="a number, a text, a date, a time or a duration")
    if is_nan(found):
        raise SubscriptionError("a bound is NaN", hint="None is a side without a bound")
    inner = bound_value(found)
    if isinstance(inner, Literal | LanguageText):
        raise SubscriptionError(f"{_shown(found)} has no order", hint="a bound has a value that can be compared")
    return None if inner in (-math.inf, math.inf) else found


def _shown(value: Known) -> str:
    if isinstance(value, Text):
        return repr(value.text)
    if isinstance(value, ClassName | Iri):
        return f"<{value.iri}>"
    return str(value)
