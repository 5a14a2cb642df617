"""Two half-shifted dyadic grids: every numeric band lies in a small cell of one of them.

Cells of all sizes from 2**-23 to 2**40; a band is filed under the smallest cell that holds it, a number looks into the
one cell of each size and grid in which it lies.
"""

from __future__ import annotations

import math

import numpy as np

from semantic_pubsub.matching.arrays.compiling import inner

__all__ = ["HIGHEST_LEVEL", "LOWEST_LEVEL", "NO_CELL", "cell_bit", "cell_of", "grid_index"]

LOWEST_LEVEL = -23  # cells of 2**-23 to 2**40: one bit of a word for each size
HIGHEST_LEVEL = 40
NO_CELL = 99
_WIDEST = 2.0**HIGHEST_LEVEL


@inner
def grid_index(number: float, level: int, grid: int) -> float:
    """The cell of a grid in which a number lies; monotone in the number, so a cell holds whole intervals."""
    return math.floor(math.ldexp(number, -level) + 0.5 * grid)


@inner
def cell_of(lower: float, upper: float) -> tuple[int, int]:
    """(level, grid) of the smallest cell that holds an interval; `NO_CELL` if none does."""
    width = upper - lower
    if not width <= _WIDEST:
        return NO_CELL, 0
    fraction, exponent = math.frexp(2.0 * width)
    level = max(LOWEST_LEVEL, exponent - (fraction == 0.5)) if width > 0.0 else LOWEST_LEVEL  # 2**level >= 2 * width
    while level <= HIGHEST_LEVEL:
        for grid in range(2):
            if grid_index(lower, level, grid) == grid_index(upper, level, grid):
                return level, grid
        level += 1
    return NO_CELL, 0


@inner
def cell_bit(level: int) -> int:
    """The bit that stands for cells of this size."""
    return np.int64(np.uint64(1) << np.uint64(level - LOWEST_LEVEL))
