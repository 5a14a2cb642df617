"""Events that look alike: rows of a table have the same attributes with the same kinds of values, again and again.

What such events have in common is kept as ready-made records; only numbers and texts are filled in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.plain import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semantic_pubsub.matching.flat.paths import Key
    from semantic_pubsub.matching.flat.plain import Known

__all__ = ["EventShapes", "ShapedPart"]

_MOST_SHAPES: Final = 1_000
_KINDS: Final = frozenset((int, float, Text))
_LONGEST: Final = 1e15


class ShapedPart(NamedTuple):
    """A record of a shape: the number of its item, its group, and whether the item's text decides its closure."""

    item: int
    group: int
    is_text: bool


class _Shape(NamedTuple):
    records: npt.NDArray[np.int32]
    items: npt.NDArray[np.intp]  # the item of each record
    numeric: npt.NDArray[np.intp]  # the items that are numbers
    texts: tuple[tuple[int, int, int], ...]  # record, item, group


class EventShapes:
    """Shapes by attributes and kinds of values."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[tuple[Key, ...], tuple[type, ...]], _Shape] = {}

    def clear(self) -> None:
        """Names changed: nothing that was kept is right any more."""
        self._shapes.clear()

    def learn(
        self, keys: tuple[Key, ...], kinds: tuple[type, ...], records: npt.NDArray[np.int32], parts: list[ShapedPart]
    ) -> None:
        """Keep the records of an event, one for each part."""
        if len(self._shapes) >= _MOST_SHAPES or len(parts) != len(records):
            return
        texts = tuple((n, part.item, part.group) for n, part in enumerate(parts) if part.is_text)
        numeric = [n for n, kind in enumerate(kinds) if kind is not Text]
        items = np.array([part.item for part in parts], np.intp)
        self._shapes[keys, kinds] = _Shape(records.copy(), items, np.array(numeric, np.intp), texts)

    @staticmethod
    def can_have(kinds: tuple[type, ...]) -> bool:
        """Whether all values are of kinds that shapes know."""
        return _KINDS.issuperset(kinds)

    def fill(
        self,
        keys: tuple[Key, ...],
        kinds: tuple[type, ...],
        values: Sequence[Known],
        closures: dict[tuple[object, ...], int],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]] | None:
        """Records and numbers of an event; None where nothing is known of its like, or of one of its texts."""
        shape = self._shapes.get((keys, kinds))
        if shape is None:
            return None
        records = shape.records
        if shape.texts:
            records = records.copy()
            for record, item, group in shape.texts:
                closure = closures.get((group, values[item]))
                if closure is None:
                    return None
                records[record, at.RECORD_VALUE] = closure
        try:
            plain = self._plain(shape, values)
        except OverflowError:  # an integer beyond all doubles
            return None
        if not (np.abs(plain) < _LONGEST).all():  # nor NaN
            return None
        numbers = np.empty((len(records), 2))
        numbers[:, 0] = numbers[:, 1] = plain[shape.items]
        return records, numbers

    @staticmethod
    def _plain(shape: _Shape, values: Sequence[Known]) -> npt.NDArray[np.float64]:
        """The numbers among the values; 0 where there is a text."""
        if len(shape.numeric) == len(values):
            return np.array(values, np.float64)
        plain = np.zeros(len(values))
        plain[shape.numeric] = [values[n] for n in shape.numeric.tolist()]
        return plain
