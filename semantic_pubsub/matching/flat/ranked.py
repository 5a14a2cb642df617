"""Intervals that no double stands for (texts, durations, numbers of many digits), asked by rank.

The bounds of values that have one order are sorted; where an event's value stands among them is found by bisection,
with the comparison of the definition, and then whole numbers are compared. So a value costs some comparisons, and not
one for each interval.
"""

from __future__ import annotations

from bisect import bisect_left
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from semantic_pubsub.matching.flat.constraints import Between, Constraint, OneOf
from semantic_pubsub.matching.flat.meaning import satisfies
from semantic_pubsub.matching.flat.resolving import LiteralValue
from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import NUMERIC_TYPES, Float, Value, compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.resolving import PairValue

__all__ = ["Ranked", "Tests"]

Order: TypeAlias = object
"""Values of which any two can be compared, in one precision."""

_FEW: Final = 16  # so many newcomers are evaluated one by one
_NEVER: Final = np.iinfo(np.int32).max


def _orders(value: object) -> tuple[Order, ...]:
    """The orders to which a bound belongs."""
    match value:
        case bool() | str():
            return (type(value),)
        case int() | Decimal():
            return (Decimal,)
        case float():
            return (type(value),)
        case Moment():
            return ((value.kind, value.zone is not None),)
        case Duration():  # months and seconds have no common measure
            own = (("seconds",) if not value.months else (), ("months",) if not value.seconds else ())
            return tuple(part for one in own for part in one)
    return ()


def _order_of(asked: Between) -> Order | None:
    """The one order of an interval's bounds."""
    orders = [set(_orders(bound)) for bound in (asked.lower, asked.upper) if bound is not None]
    common = set.intersection(*orders) if orders else set()
    return min(common, key=repr) if common else None


def _rank_key(value: Any) -> Any:
    """What sorts the values of one order."""
    if isinstance(value, Moment):
        return value.universal()
    if isinstance(value, Duration):
        return value.months, value.seconds
    return value


def _kind(order: Order) -> object:
    """The Python type of the values that can be compared with those of an order; all numbers are one."""
    if order in (Decimal, float, Float):
        return float
    return order if isinstance(order, type) else Duration if isinstance(order, str) else Moment


def _intervals(asked: Constraint) -> list[Between] | None:
    """The intervals of which one suffices, each in one order; None for what must be evaluated as it is defined."""
    if isinstance(asked, Between):
        found = [asked]
    elif isinstance(asked, OneOf):
        # Durations of different months and seconds may be in order and yet not be equal.
        if any(isinstance(value, Duration) for value in asked.values):
            return None
        found = [Between(value, value) for value in asked.values]
    else:
        return None
    return found if all(_order_of(one) is not None for one in found) else None


class _Row(NamedTuple):
    item: int
    asked: Between


class Ranked:
    """The intervals of one order."""

    def __init__(self) -> None:
        self._rows: dict[int, list[Between]] = {}
        self._fresh: dict[int, None] = {}
        self._clear()

    def _clear(self) -> None:
        self._bounds: list[Value] = []
        self._places: dict[int, list[int]] = {}
        self._items = np.zeros(0, np.int32)
        self._ends = np.zeros((4, 0), np.int32)  # lower, lower is open, upper, upper is open
        self._gone = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, item: int, asked: Between) -> None:
        """An interval; an item may have several."""
        self._rows.setdefault(item, []).append(asked)
        for place in self._places.pop(item, ()):
            self._drop(place)
        self._fresh[item] = None

    def remove(self, item: int) -> None:
        """All intervals of an item."""
        if self._rows.pop(item, None) is None:
            return
        self._fresh.pop(item, None)
        for place in self._places.pop(item, ()):
            self._drop(place)

    def _drop(self, place: int) -> None:
        self._ends[0, place] = _NEVER
        self._gone += 1

    def holding(self, value: Value) -> list[int]:
        """The items with an interval that holds a value."""
        if len(self._fresh) > _FEW + len(self._items) // 8 or 2 * self._gone > len(self._items):
            self._rank()
        found = self._ranked(value) if self._bounds else []
        literal = LiteralValue(value, "")
        return found + [
            item for item in self._fresh if any(satisfies(literal, one, _NO_NAMES) for one in self._rows[item])
        ]

    def _ranked(self, value: Value) -> list[int]:
        bounds = self._bounds
        above = bisect_left(bounds, True, key=lambda bound: compare(value, bound) != 1)
        below = bisect_left(bounds, True, above, key=lambda bound: compare(value, bound) == -1)
        # Between the two are the bounds that equal the value, or those that cannot be compared with it.
        equals = above < below and compare(value, bounds[above]) == 0
        low, low_open, high, high_open = self._ends
        first, last = (below, above) if equals else (above, below)
        fits = low < (first if first == above else np.where(low_open, above, first))
        fits &= high >= (last if last == below else np.where(high_open, below, last))
        found: list[int] = self._items[fits].tolist()
        return found

    def _rank(self) -> None:
        """Put all in order."""
        self._fresh.clear()
        self._clear()
        rows = [_Row(item, asked) for item, several in self._rows.items() for asked in several]
        keys = {_rank_key(end) for row in rows for end in (row.asked.lower, row.asked.upper) if end is not None}
        rank = {key: number for number, key in enumerate(sorted(keys))}
        values = {_rank_key(end): end for row in rows for end in (row.asked.lower, row.asked.upper) if end is not None}
        self._bounds = [values[key] for key in rank]  # type: ignore[misc]
        for place, row in enumerate(rows):
            self._places.setdefault(row.item, []).append(place)
        self._items = np.array([row.item for row in rows], np.int32)
        place_of = partial(_place, rank)
        asked = [row.asked for row in rows]
        self._ends = np.array(
            [
                [place_of(one.lower, -1) for one in asked],
                [one.lower_open for one in asked],
                [place_of(one.upper, len(rank)) for one in asked],
                [one.upper_open for one in asked],
            ],
            np.int32,
        ).reshape(4, len(rows))


def _place(rank: dict[Any, int], bound: object, otherwise: int) -> int:
    return otherwise if bound is None else rank[_rank_key(bound)]


class Tests:
    """The constraints of a group that neither a label nor a double stands for, by the item that stands for each."""

    def __init__(self) -> None:
        self._ranked: dict[Order, Ranked] = {}
        self._loose: dict[int, Constraint] = {}
        self.numbers = self.texts = False
        """Whether a number, or a text, may satisfy one of them."""

    def __len__(self) -> int:
        return len(self._loose) + sum(map(len, self._ranked.values()))

    def add(self, item: int, asked: Constraint) -> None:
        """Another one."""
        intervals = _intervals(asked)
        if intervals is None:
            self._loose[item] = asked
        for one in intervals or ():
            self._ranked.setdefault(_order_of(one), Ranked()).add(item, one)
        self._look()

    def remove(self, item: int) -> None:
        """Nobody asks for it any more."""
        self._loose.pop(item, None)
        for order, ranked in tuple(self._ranked.items()):
            ranked.remove(item)
            if not len(ranked):
                del self._ranked[order]
        self._look()

    def _look(self) -> None:
        kinds = set(map(_kind, self._ranked))
        self.numbers = bool(self._loose) or float in kinds
        self.texts = bool(self._loose) or str in kinds

    def satisfied(self, values: Iterable[PairValue], ontology: Ontology) -> Sequence[int]:
        """The items that stand for what one of the values satisfies, each once."""
        found: dict[int, None] = {}
        for value in values:
            found.update((item, None) for item, asked in self._loose.items() if satisfies(value, asked, ontology))
            if isinstance(value, LiteralValue) and value.value == value.value:
                inner = value.value
                kind = float if type(inner) in NUMERIC_TYPES else type(inner)
                for order, ranked in self._ranked.items():
                    if _kind(order) is kind:
                        found.update(dict.fromkeys(ranked.holding(inner)))
        return list(found)


_NO_NAMES: Any = None  # intervals of values name nothing that an ontology would know
