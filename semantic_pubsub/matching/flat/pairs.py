"""Flat events and flat subscriptions: attributes and values, with or without any RDF behind them.

What flattening loses: an offer of a red car and a blue bike,

    _:H :item [ a :Car ; :colour "red" ], [ a :Bike ; :colour "blue" ] .

is the pairs ⟨item, Car⟩ ⟨item, Bike⟩ ⟨item.colour, "red"⟩ ⟨item.colour, "blue"⟩. A subscription to a blue car, the
constraints ⟨item, isa(Car)⟩ ⟨item.colour, equals("blue")⟩, is satisfied by them: only the graph tells that the car is
red. `FlatMatcher(verify=True)` looks at the graph; without it the pairs decide.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from semantic_pubsub.errors import EventError, SubscriptionError, quoted
from semantic_pubsub.matching.flat.constraints import Constraint
from semantic_pubsub.matching.flat.plain import Known, known

if TYPE_CHECKING:
    from semantic_pubsub.matching.flat.paths import Key

__all__ = ["Conjunction", "FlatEvent", "FlatSubscription", "is_missing", "known_value"]

MOST_PAIRS: Final = 1_000_000
_NUMBER_OF_ROW: Final = ("Pandas", "Index")  # how pandas names its tuples, and their first field


class FlatEvent:
    """Attributes and their values. A value may be a list: several values; None is no value.

    FlatEvent({"target": "DesktopPC", "price.value": 350}, id="offer-1")
    """

    __slots__ = ("id", "items")

    id: str | None
    items: tuple[tuple[Key, Known], ...]

    def __init__(self, values: Mapping[Any, object], id: str | None = None) -> None:  # noqa: A002
        if not isinstance(values, Mapping):
            raise EventError(f"{type(values).__name__} is no mapping", hint="give {attribute: value}")
        if id is not None and not isinstance(id, str):
            raise EventError(f"the id {quoted(id)} is no text", hint="an id is a text")
        self.id = id
        self.items = tuple(_items(values))

    @classmethod
    def of_items(cls, items: Iterable[tuple[Key, Known]], id: str | None = None) -> Self:  # noqa: A002
        """An event of (path, value) in the forms that `flatten` gives."""
        event = cls.__new__(cls)
        event.id, event.items = id, tuple(items)
        return event

    @classmethod
    def from_row(cls, row: Any, id: str | None = None) -> Self:  # noqa: A002
        """A row of a table (a mapping, a pandas Series, a named tuple, an Arrow struct) without its missing values.

        The index that `DataFrame.itertuples()` puts first is no attribute.
        """
        values = _row(row)
        return cls({name: _present(value) for name, value in values.items()}, id=id)

    def __len__(self) -> int:
        return len(self.items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FlatEvent) and self._kinds() == other._kinds()

    def __hash__(self) -> int:
        return hash(self._kinds())

    def _kinds(self) -> frozenset[object]:
        """The pairs with what their values are: True, 1 and 1.0, or a class, an IRI and a text of one name, differ."""
        return frozenset((key, type(value), value) for key, value in self.items)

    def __repr__(self) -> str:
        name = f"{self.id!r}, " if self.id else ""
        return f"<FlatEvent {name}{len(self.items)} pairs>"


def _items(values: Mapping[Any, object]) -> Iterable[tuple[Key, Known]]:
    count = 0
    for key, value in values.items():
        value = _python(value)
        for one in value if _is_list(value) else (value,):
            if one is None:
                continue
            found = known_value(key, one)
            count += 1
            if count > MOST_PAIRS:
                raise EventError(f"more than {MOST_PAIRS:,} values", hint="split the event")
            yield key, found


def known_value(key: object, value: object) -> Known:
    """A value in one of the forms that are known; an EventError names the attribute of what is none."""
    found = known(value)
    if found is None:
        hint = "a number, a text, True or False, a date, time or duration, an IRI or a literal, or a list of them"
        raise EventError(f"{quoted(key)}: {type(value).__name__} {quoted(value, 40)} is no value", hint=hint)
    return found


def _row(row: Any) -> Mapping[str, object]:
    row = _python(row)  # Arrow's scalar of a struct is a mapping, too, but of scalars of its own
    if isinstance(row, Mapping):
        return row
    if hasattr(row, "_asdict"):
        fields = dict(row._asdict())
        return {name: value for name, value in fields.items() if (type(row).__name__, name) != _NUMBER_OF_ROW}
    if hasattr(row, "to_dict"):
        return dict(row.to_dict())
    if hasattr(row, "asDict"):  # Spark's row
        return dict(row.asDict())
    raise EventError(
        f"{type(row).__name__} is no row", hint="a mapping, a pandas Series, a named tuple, an Arrow struct"
    )


def _python(value: Any) -> Any:
    """An Arrow scalar as Python's value; anything else as it is."""
    return value.as_py() if hasattr(value, "as_py") else value


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray) and not hasattr(value, "_fields")


def _present(value: Any) -> object:
    """A value, or a list of values, without what is missing."""
    value = _python(value)
    if _is_list(value):
        return [one for one in value if not is_missing(one)]
    return None if is_missing(value) else value


def is_missing(value: object) -> bool:
    """None, NaN, NaT and pandas' NA: nothing is equal to itself only where there is something."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except ArithmeticError:  # a decimal's signalling NaN
        return True
    except (TypeError, ValueError):  # NA refuses to be a truth value; an array in an array has many
        return type(value).__name__ == "NAType"


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Constraints that must all hold. `exact` says that they lose nothing: a flat match is a graph match wherever each
    path of the event leads to one vertex (with `distinct`: to one that no other path leads to)."""

    constraints: tuple[tuple[Key, Constraint], ...]
    exact: bool = True
    distinct: bool = False


class FlatSubscription:
    """Constraints on attributes; one of the alternatives suffices. A list: several constraints, all to hold.

    FlatSubscription({"target": isa("Computer"), "price.value": between(0, 400)}, id="cheap-computers")
    """

    __slots__ = ("alternatives", "id")

    id: str
    alternatives: tuple[Conjunction, ...]

    def __init__(self, constraints: Mapping[Any, object], id: str | None = None) -> None:  # noqa: A002
        if not isinstance(constraints, Mapping):
            raise SubscriptionError(f"{type(constraints).__name__} is no mapping", hint="give {attribute: constraint}")
        self.id = _checked_id(id)
        self.alternatives = (Conjunction(tuple(_constraints(constraints))),)

    @classmethod
    def of_alternatives(cls, alternatives: Iterable[Conjunction], id: str | None = None) -> Self:  # noqa: A002
        """One of several conjunctions suffices."""
        made = cls.__new__(cls)
        made.id, made.alternatives = _checked_id(id), tuple(alternatives)
        return made

    @property
    def exact(self) -> bool:
        """Whether its side of the condition for doing without verification holds."""
        return all(alternative.exact for alternative in self.alternatives)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FlatSubscription):
            return NotImplemented
        return (self.id, self.alternatives) == (other.id, other.alternatives)

    def __hash__(self) -> int:
        return hash((self.id, self.alternatives))

    def __repr__(self) -> str:
        shown = " or ".join("{" + ", ".join(f"{k}: {c}" for k, c in a.constraints) + "}" for a in self.alternatives)
        return f"<FlatSubscription {self.id!r} {shown}>"


def _checked_id(name: str | None) -> str:
    if name is None:
        return uuid.uuid4().hex
    if not isinstance(name, str) or not name:
        raise SubscriptionError("an id must be a text that is not empty")
    return name


def _constraints(constraints: Mapping[Any, object]) -> Iterable[tuple[Key, Constraint]]:
    for key, asked in constraints.items():
        for one in asked if isinstance(asked, list | tuple) else (asked,):
            if not isinstance(one, Constraint):
                raise SubscriptionError(
                    f"{quoted(key)}: {quoted(one)} is no constraint", hint="write equals(…), isa(…) or between(…)"
                )
            yield key, one
