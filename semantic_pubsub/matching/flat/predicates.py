"""The constraints of all slots as numbers: who asks the same shares one, and it goes with the last who asks."""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, Final, TypeAlias

from semantic_pubsub.matching.arrays.int_table import IntTable
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.constraints import Between, OneOf
from semantic_pubsub.matching.flat.cuts import Cuts
from semantic_pubsub.matching.flat.labels import MOMENT, Interval, between_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.matching.flat.constraints import Constraint
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.matching.flat.tables import Tables
    from semantic_pubsub.matching.flat.vocabulary import Vocabulary

__all__ = ["Predicates"]

_MOST_RECENT: Final = 4_096
_SEEN: Final = 1 << 16
_SMALL: Final = 10**15

_Key: TypeAlias = tuple[object, ...]
"""A path with an interval's bounds, their types and ends, or with the one whole number that is asked for."""


def _is_small_int(value: object) -> bool:
    """Whether a double stands for it: then it is an interval of its own, and not a label that others ask for, too."""
    return type(value) is int and -_SMALL < value < _SMALL


class Predicates:
    """Numbers of constraints, kept in the tables of views and bounds."""

    def __init__(self, vocabulary: Vocabulary, tables: Tables) -> None:
        self.vocabulary = vocabulary
        self.tables = tables
        self.cuts = Cuts(tables)
        self.forms = array("B")
        """How the bounds of each were written."""
        self.moments: dict[int, Between] = {}
        """The intervals of moments as they were asked for: their doubles do not tell all."""
        self.changes = 0
        """Counts what comes and goes."""
        self._uses = array("i")
        self._views = IntTable()
        self._of_view = array("i")  # the predicate of a view of an item, -1 for none
        self._recent = _Recent()
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self.forms) - len(self._free)

    def number(self, path: Path, asked: Constraint) -> int:
        """The number of a constraint."""
        key: _Key
        if type(asked) is Between:
            lower, upper = asked.lower, asked.upper
            key = (path, lower, upper, type(lower), type(upper), asked.lower_open, asked.upper_open)
        elif type(asked) is OneOf and len(asked.values) == 1 and _is_small_int(asked.values[0]):
            key = (path, asked.values[0])
        else:
            return self._new(path, asked)
        pred = self._recent.new.get(key)
        if pred is None:
            pred = self._recent.old_one(key)
        if pred is None:
            pred = self._new(path, asked)
            self._recent.put(key, pred)
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
            view = self._view(attr, wanted)
            if self._of_view[view] < 0:
                self._of_view[view] = self._put(view, 1.0, 1.0, 0)
            return self._of_view[view]
        column = words.column(group, wanted.family)
        self.cuts.note(column, wanted.lower, wanted.upper)
        pred = self._put(self._view(attr, ~column), wanted.lower, wanted.upper, wanted.form)
        if MOMENT in (wanted.form & 7, wanted.form >> 4 & 7):
            self.moments[pred] = asked if isinstance(asked, Between) else Between(asked.values[0], asked.values[0])  # type: ignore[attr-defined]
        return pred

    def _view(self, attr: int, what: int) -> int:
        """The view of an attribute's item or ~column."""
        key = attr << 32 | (what & 0xFFFFFFFF)
        view = self._views.get(key)
        if view < 0:
            view = len(self._of_view)
            self._views.put(key, view)
            self._of_view.append(-1)
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
        self.vocabulary.hold(*self._seen_by(view))
        self.changes += 1
        return pred

    def _seen_by(self, view: int) -> tuple[int, int]:
        """The attribute and the item (or ~column) of a view."""
        attr, what = self.tables[at.VIEWS][view * at.VIEW_WIDTH : view * at.VIEW_WIDTH + 2].tolist()
        return attr, what

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
                self._forget(pred)

    def _forget(self, pred: int) -> None:
        self._recent.forget(pred)
        view = int(self.tables[at.PRED_VIEW][pred])
        if self._of_view[view] == pred:
            self._of_view[view] = -1
        self.moments.pop(pred, None)
        self.tables[at.PRED_LOWER][pred] = self.tables[at.PRED_UPPER][pred] = math.nan  # near no number
        self.vocabulary.drop(*self._seen_by(view))
        self._free.append(pred)
        self.changes += 1

    # back to constraints

    def parts(self, pred: int) -> tuple[float, float, int, int]:
        """The bounds, the attribute, and the item or ~column."""
        tables = self.tables
        attr, what = self._seen_by(int(tables[at.PRED_VIEW][pred]))
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
        arrays = self.forms, self._uses, self._of_view
        return sum(len(one) * one.itemsize for one in arrays) + self._views.memory() + self._recent.memory()


class _Recent:
    """The predicates of intervals that were asked for lately, several times or with whole numbers: those that will
    be asked for again. What is asked for once, a price to the cent, is not worth the memory of a name."""

    def __init__(self) -> None:
        self.new: dict[_Key, int] = {}
        self._old: dict[_Key, int] = {}
        self._keys: dict[int, _Key] = {}
        self._seen = bytearray(_SEEN)
        self._marked = 0

    def __len__(self) -> int:
        return len(self._keys)

    def old_one(self, key: _Key) -> int | None:
        """One that is not among the new: it becomes one of them."""
        pred = self._old.pop(key, None)
        if pred is not None:
            self.new[key] = pred
        return pred

    def put(self, key: _Key, pred: int) -> None:
        asks_for_int = len(key) == 2 or key[3] is int or key[4] is int
        if not asks_for_int and not self._was_seen(hash(key)):
            return
        if len(self.new) >= _MOST_RECENT:
            for old in self._old.values():
                del self._keys[old]
            self.new, self._old = {}, self.new
        self.new[key] = pred
        self._keys[pred] = key

    def _was_seen(self, name: int) -> bool:
        """Whether it seems to come for the third time, by two counts; after many, counting begins anew."""
        one, other = name & (_SEEN - 1), (name >> 24) & (_SEEN - 1)
        seen = min(self._seen[one], self._seen[other])
        if seen >= 2:
            return True
        self._marked += 1
        if self._marked > _SEEN // 2:
            self._seen, self._marked = bytearray(_SEEN), 0
        self._seen[one] = max(self._seen[one], seen + 1)
        self._seen[other] = max(self._seen[other], seen + 1)
        return False

    def memory(self) -> int:
        return _SEEN + 400 * len(self._keys)  # a key of seven members, two bounds, and its places in two dicts

    def forget(self, pred: int) -> None:
        key = self._keys.pop(pred, None)
        if key is not None:
            self.new.pop(key, None)
            self._old.pop(key, None)
