"""Where the cells of the numeric index (m4) begin: every bound while there are few, else quantiles of a sample.

The paper divides a known range [0, Rm] evenly (formula 1). Ours follows the bounds, so that ranges need not be known,
negative numbers are nothing special, and with few different bounds no interval ends inside a cell.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.kernels import forget_cells

if TYPE_CHECKING:
    from semantic_pubsub.matching.flat.tables import Tables

__all__ = ["Cuts", "NoCuts"]

_SAMPLE: Final = 512
_QUANTILES: Final = 63


class _Column:
    __slots__ = ("exact", "next_choice", "sample", "seen")

    def __init__(self) -> None:
        self.exact: set[float] | None = set()
        self.sample: list[float] = []
        self.seen = 0
        self.next_choice = 1024


class Cuts:
    """The cuts of every column, chosen anew a few times as more bounds are known."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._columns: list[_Column] = []
        self._random = random.Random(7)  # noqa: S311 - a sample, no secret

    def note(self, column: int, lower: float, upper: float) -> None:
        """Somebody asks for this interval."""
        while len(self._columns) <= column:
            self._columns.append(_Column())
        own = self._columns[column]
        if own.exact is not None:
            self._note_exact(column, own, lower, upper)
        else:
            self._note_sample(column, own, lower if math.isfinite(lower) else upper)

    def _note_exact(self, column: int, own: _Column, lower: float, upper: float) -> None:
        exact = own.exact
        if exact is None:
            return
        wanted = [lower] if lower > -math.inf else []
        if upper < math.inf:
            wanted.append(math.nextafter(upper, math.inf))
        new = [cut for cut in wanted if cut < math.inf and cut not in exact]
        if not new:
            return
        exact.update(new)
        if len(exact) <= at.MOST_CUTS:
            self._put(column, sorted(exact))
            return
        own.sample = sorted(exact)
        own.seen = len(own.sample)
        own.exact = None
        self._put(column, _quantiles(own.sample))

    def _note_sample(self, column: int, own: _Column, bound: float) -> None:
        own.seen += 1
        if len(own.sample) < _SAMPLE:
            own.sample.append(bound)
        elif (place := self._random.randrange(own.seen)) < _SAMPLE:
            own.sample[place] = bound
        if own.seen >= own.next_choice:
            own.next_choice *= 8
            self._put(column, _quantiles(own.sample))

    def _put(self, column: int, cuts: list[float]) -> None:
        tables = self._tables
        tables.reserve(at.CUTS, (column + 1) * at.MOST_CUTS)
        tables.reserve(at.CUT_COUNT, column + 1)
        places = int(tables[at.COUNTS][at.N_PLACES])
        if len(tables[at.CELL_ROWS]) >= (column + 1) * places * at.CELLS * 2:
            forget_cells(tables.addresses.array, column)
        tables[at.CUTS][column * at.MOST_CUTS : column * at.MOST_CUTS + len(cuts)] = cuts
        tables[at.CUT_COUNT][column] = len(cuts)


class NoCuts(Cuts):
    """For indexes without bit rows: nobody looks at cells."""

    def note(self, column: int, lower: float, upper: float) -> None:
        """Nothing to do."""


def _quantiles(sample: list[float]) -> list[float]:
    """Up to 63 cuts with about as many bounds between any two."""
    ranked = sorted(set(sample))
    if len(ranked) <= _QUANTILES:
        return ranked
    return sorted({ranked[(k + 1) * len(ranked) // (_QUANTILES + 1)] for k in range(_QUANTILES)})
