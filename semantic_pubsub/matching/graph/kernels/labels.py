"""Labels that stand for a range of values, so that a hash finds whoever waits for them.

A numeric band is filed under the smallest cell of two half-shifted dyadic grids that holds it, a single number under
itself, a one-sided bound in a chain of buckets in order, a test of a text under three bytes that it must contain.
What is filed this way is only proposed: the exact test follows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from semantic_pubsub.matching.graph.kernels.bits import bits_of
from semantic_pubsub.matching.graph.kernels.compiling import inner
from semantic_pubsub.matching.graph.layout import LABEL_CELL, LABEL_MASK, LABEL_POINT, LABEL_TEXT

__all__ = ["LOWEST_LEVEL", "NO_CELL", "cell_bit", "cell_label", "cell_of", "grid_index", "point_label", "text_label"]

LOWEST_LEVEL = -23  # cells of 2**-23 to 2**40: one bit of a word for each size
_HIGHEST_LEVEL = 40
NO_CELL = 99


@inner
def _mixed(number: int) -> int:
    word = np.uint64(number) * np.uint64(11400714819323198485)
    return np.int64(word >> np.uint64(36)) & LABEL_MASK


@inner
def point_label(number: float) -> int:
    """The label of one number."""
    return LABEL_POINT | _mixed(bits_of(number + 0.0))


@inner
def grid_index(number: float, level: int, grid: int) -> float:
    """The cell of a grid in which a number lies; monotone in the number, so a cell holds whole intervals."""
    return math.floor(math.ldexp(number, -level) + 0.5 * grid)


@inner
def cell_label(level: int, grid: int, index: float) -> int:
    """The label of a cell."""
    return LABEL_CELL | _mixed(bits_of(index) ^ np.int64((level + 64) * 2 + grid))


@inner
def cell_of(lower: float, upper: float) -> tuple[int, int]:
    """(level, grid) of the smallest cell that holds an interval; `NO_CELL` if none does."""
    width = upper - lower
    level = LOWEST_LEVEL
    while level <= _HIGHEST_LEVEL and math.ldexp(1.0, level) < 2.0 * width:
        level += 1
    while level <= _HIGHEST_LEVEL:
        for grid in range(2):
            if grid_index(lower, level, grid) == grid_index(upper, level, grid):
                return level, grid
        level += 1
    return NO_CELL, 0


@inner
def cell_bit(level: int) -> int:
    """The bit that stands for cells of this size."""
    return np.int64(np.uint64(1) << np.uint64(level - LOWEST_LEVEL))


@inner
def text_label(text: Any, at: int, leading: int) -> int:
    """The label of three bytes of a text; those at its beginning have labels of their own."""
    three = np.int64(text[at]) | np.int64(text[at + 1]) << 8 | np.int64(text[at + 2]) << 16
    return LABEL_TEXT | _mixed(three | np.int64(leading) << 24)
