"""Events' numbers that no double stands for, or that another time zone would move: which intervals can tell.

Such a value lies somewhere between two doubles. An interval without a bound there holds all numbers between them or
none, so any one of them stands for the value; the few others are judged as they are defined. Those that the value
satisfies get a number that lies in them; those that hold one of the numbers and yet are not satisfied are denied:
what the index finds is right but for the slots that ask for one of these.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.meaning import satisfies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from semantic_pubsub.matching.flat.labels import Measured
    from semantic_pubsub.matching.flat.predicates import Predicates
    from semantic_pubsub.matching.flat.resolving import LiteralValue, PairValue

__all__ = ["NO_PREDS", "Nearby", "Place", "Preds", "Stand"]

Preds = npt.NDArray[np.int32]
NO_PREDS: Final[Preds] = np.zeros(0, np.int32)
_FARTHEST: Final = sys.float_info.max


class Stand(NamedTuple):
    """Numbers that stand for a value, and predicates that hold one of them but not the value."""

    numbers: list[float]
    wrong: Preds


class Place(NamedTuple):
    """What one value of an event is: its group, the attributes above its own, and its values as pairs."""

    group: int
    above: frozenset[int]
    values: tuple[PairValue, ...]


class Nearby:
    """Predicates by their bounds. They are put in order when they are asked for twice without a change in between."""

    def __init__(self, predicates: Predicates) -> None:
        self._predicates = predicates
        self._tables = predicates.tables
        self._seen = self._sorted = -1
        self._orders: list[npt.NDArray[np.int32]] = []
        self.judged = 0
        """How many predicates were evaluated as they are defined."""

    @property
    def changes(self) -> int:
        """What was found is right as long as this is the same."""
        return self._predicates.changes

    def of(self, column: int, lower: float, upper: float) -> Preds:
        """The predicates on a column with a bound between two numbers, both included; sides without one have none."""
        lower, upper = max(lower, -_FARTHEST), min(upper, _FARTHEST)
        count = len(self._predicates.forms)
        ends = [self._tables[table][:count] for table in (at.PRED_LOWER, at.PRED_UPPER)]
        if self._seen == self.changes and self._sorted != self.changes:
            self._orders = [np.argsort(end).astype(np.int32) for end in ends]
            self._sorted = self.changes
        self._seen = self.changes
        if self._sorted == self.changes:
            found = [
                order[np.searchsorted(end, lower, "left", order) : np.searchsorted(end, upper, "right", order)]
                for end, order in zip(ends, self._orders, strict=True)
            ]
            near: npt.NDArray[Any] = np.unique(np.concatenate(found))
        else:
            near = np.flatnonzero(((ends[0] >= lower) & (ends[0] <= upper)) | ((ends[1] >= lower) & (ends[1] <= upper)))
        views = self._tables[at.PRED_VIEW][near].astype(np.int64)
        own: Preds = near[self._tables[at.VIEWS][views * at.VIEW_WIDTH + at.VIEW_WHAT] == ~column].astype(np.int32)
        return own

    def stand(self, column: int, place: Measured, value: LiteralValue) -> Stand:
        """What stands for a value in a column."""
        near = self.of(column, place.lower, place.upper)
        if not len(near):
            return Stand([place.number], NO_PREDS)
        lower, upper = self._tables[at.PRED_LOWER][near], self._tables[at.PRED_UPPER][near]
        true = self._truths(near, lower, upper, place, value)
        held = (lower <= place.number) & (place.number <= upper)
        numbers = [place.number]
        for n in np.flatnonzero(true & ~held).tolist():
            if not held[n]:
                numbers.append(max(float(lower[n]), place.lower))
                held |= (lower <= numbers[-1]) & (numbers[-1] <= upper)
        return Stand(numbers, near[held & ~true])

    def _truths(
        self,
        near: Preds,
        lower: npt.NDArray[np.float64],
        upper: npt.NDArray[np.float64],
        place: Measured,
        value: LiteralValue,
    ) -> npt.NDArray[np.bool_]:
        true = np.zeros(len(near), np.bool_)
        doubtful = np.ones(len(near), np.bool_)
        if place.void is not None:
            first, last = place.void
            doubtful &= ~(((lower >= first) & (lower <= last)) | ((upper >= first) & (upper <= last)))
        for n in np.flatnonzero(doubtful).tolist():
            true[n] = satisfies(value, self._predicates.asked(int(near[n]))[1], self._predicates.vocabulary.ontology)
            self.judged += 1
        return true

    def denied(self, wrong: Mapping[int, Sequence[Preds]], places: Sequence[Place]) -> Preds:
        """Those of the predicates, by their group, that no value of an event satisfies."""
        found = [self._denied(group, np.unique(np.concatenate(preds)), places) for group, preds in wrong.items()]
        return np.concatenate(found) if found else NO_PREDS

    def _denied(self, group: int, preds: Preds, places: Sequence[Place]) -> Preds:
        own = [place for place in places if place.group == group]
        if len(own) == 1:
            return preds
        ontology = self._predicates.vocabulary.ontology
        kept = []
        for pred in preds.tolist():
            attr, asked = self._predicates.parts(pred)[2], self._predicates.asked(pred)[1]
            values = [value for place in own if attr in place.above for value in place.values]
            self.judged += len(values)
            kept.append(not any(satisfies(value, asked, ontology) for value in values))
        return preds[np.array(kept, np.bool_)]
