"""The constraints of all slots as numbers: who asks the same shares one, and it goes with the last who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.constraints import Between, IsA, OneOf
from semantic_pubsub.matching.flat.cuts import Cuts
from semantic_pubsub.matching.flat.labels import MOMENT, Interval, between_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.matching.flat.constraints import Constraint
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.matching.flat.tables import Tables
    from semantic_pubsub.matching.flat.vocabulary import Vocabulary

__all__ = ["Predicates"]

_MOST_SHARED: Final = 500_000  # constraints that are looked for among those that are there


class Predicates:
    """Numbers of constraints, kept in the tables of views and bounds."""

    def __init__(self, vocabulary: Vocabulary, tables: Tables) -> None:
        self.vocabulary = vocabulary
        self.tables = tables
        self.cuts = Cuts(tables)
        self.forms: list[int] = []
        """How the bounds of each were written."""
        self.moments: dict[int, Between] = {}
        """The intervals of moments as they were asked for: their doubles do not tell all."""
        self._uses: list[int] = []
        self._views: dict[tuple[int, int], int] = {}
        self._shared: dict[tuple[object, ...], int] = {}
        self._keys: dict[int, tuple[object, ...]] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self.forms) - len(self._free)

    def number(self, path: Path, asked: Constraint) -> int:
        """The number of a constraint."""
        key = _key(path, asked)
        pred = self._shared.get(key)
        if pred is None:
            pred = self._new(path, asked)
            if len(self._shared) < _MOST_SHARED:
                self._shared[key] = pred
                self._keys[pred] = key
        return pred

    def always(self) -> int:
        """The one that is true of every event."""
        pred = self._put(self._view(at.ALWAYS, at.ALWAYS), 1.0, 1.0, 0)
        self._uses[pred] = 1
        return pred

    def _new(self, path: Path, asked: Constraint) -> int:
        words = self.vocabulary
        attr = words.attr(path)
        group = words.groups[words.attr_group[attr]]
        wanted = words.wanted(group, asked)
        if not isinstance(wanted, Interval):
            return self._put(self._view(attr, wanted), 1.0, 1.0, 0)
        column = words.column(group, wanted.family)
        self.cuts.note(column, wanted.lower, wanted.upper)
        pred = self._put(self._view(attr, ~column), wanted.lower, wanted.upper, wanted.form)
        if MOMENT in (wanted.form & 7, wanted.form >> 4 & 7):
            self.moments[pred] = asked if isinstance(asked, Between) else Between(asked.values[0], asked.values[0])  # type: ignore[attr-defined]
        return pred

    def _view(self, attr: int, what: int) -> int:
        """The view of an attribute's item or ~column."""
        view = self._views.get((attr, what))
        if view is None:
            view = self._views[attr, what] = len(self._views)
            tables = self.tables
            tables.reserve(at.VIEWS, (view + 1) * at.VIEW_WIDTH)
            tables.reserve(at.SIGHT, view + 1)
            heads, member = (at.ITEM_VIEWS, what) if what >= 0 else (at.COLUMN_VIEWS, ~what)
            tables.reserve(heads, member + 1)
            following = int(tables[heads][member])
            tables[at.VIEWS][view * at.VIEW_WIDTH : (view + 1) * at.VIEW_WIDTH] = (attr, what, following)
            tables[heads][member] = view
            tables[at.COUNTS][at.N_VIEWS] = view + 1
        return view

    def _put(self, view: int, lower: float, upper: float, form: int) -> int:
        tables = self.tables
        if self._free:
            pred = self._free.pop()
            self.forms[pred], self._uses[pred] = form, 0
        else:
            pred = len(self.forms)
            self.forms.append(form)
            self._uses.append(0)
            for table in (at.PRED_LOWER, at.PRED_UPPER, at.PRED_VIEW, at.TRUTH):
                tables.reserve(table, pred + 1)
            tables[at.COUNTS][at.N_PREDS] = pred + 1
        tables[at.PRED_LOWER][pred], tables[at.PRED_UPPER][pred], tables[at.PRED_VIEW][pred] = lower, upper, view
        return pred

    # who uses them

    def take(self, preds: Iterable[int]) -> None:
        """Somebody asks for them."""
        uses = self._uses
        for pred in preds:
            uses[pred] += 1

    def give(self, preds: Iterable[int]) -> None:
        """Somebody asks for them no longer."""
        for pred in preds:
            self._uses[pred] -= 1
            if not self._uses[pred]:
                key = self._keys.pop(pred, None)
                if key is not None:
                    del self._shared[key]
                self.moments.pop(pred, None)
                self._free.append(pred)

    # back to constraints

    def parts(self, pred: int) -> tuple[float, float, int, int]:
        """The bounds, the attribute, and the item or ~column."""
        tables = self.tables
        view = int(tables[at.PRED_VIEW][pred]) * at.VIEW_WIDTH
        attr, what = tables[at.VIEWS][view : view + 2].tolist()
        return float(tables[at.PRED_LOWER][pred]), float(tables[at.PRED_UPPER][pred]), attr, what

    def asked(self, pred: int) -> tuple[Path, Constraint]:
        """The constraint that a number stands for."""
        lower, upper, attr, what = self.parts(pred)
        path = self.vocabulary.attr_paths[attr]
        if what >= 0:
            return path, self.vocabulary.constraint(what)
        if pred in self.moments:
            return path, self.moments[pred]
        _, family = self.vocabulary.column_families[~what]
        return path, between_of(Interval(family, lower, upper, self.forms[pred]))

    def memory(self) -> int:
        """Bytes in use beside the tables, about: what is looked up when somebody asks."""
        return 16 * len(self.forms) + 250 * len(self._shared)


def _key(path: Path, asked: Constraint) -> tuple[object, ...]:
    """What is the same for the same constraint only: True is not 1, and 1 is not 1.0."""
    if type(asked) is Between:
        lower, upper = asked.lower, asked.upper
        return (path, lower, upper, type(lower), type(upper), asked.lower_open, asked.upper_open)
    if type(asked) is IsA:
        return (path, asked.name)
    if type(asked) is OneOf:
        return (path, asked.values, *map(type, asked.values))
    return (path, asked)
