"""Labels that stand for a range of values, so that a hash finds whoever waits for them.

A numeric band is filed under the smallest cell of two half-shifted dyadic grids that holds it, a single number under
itself, a one-sided bound in a chain of buckets in order, a test of a text under three bytes that it must contain.
What is filed this way is only proposed: the exact test follows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import bits_of
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.graph.layout import LABEL_CELL, LABEL_MASK, LABEL_POINT, LABEL_TEXT

__all__ = ["cell_label", "point_label", "text_label"]


@inner
def _mixed(number: int) -> int:
    word = np.uint64(number) * np.uint64(11400714819323198485)
    return np.int64(word >> np.uint64(36)) & LABEL_MASK


@inner
def point_label(number: float) -> int:
    """The label of one number."""
    return LABEL_POINT | _mixed(bits_of(number + 0.0))


@inner
def cell_label(level: int, grid: int, index: float) -> int:
    """The label of a cell."""
    return LABEL_CELL | _mixed(bits_of(index) ^ np.int64((level + 64) * 2 + grid))


@inner
def text_label(text: Any, at: int, leading: int) -> int:
    """The label of three bytes of a text; those at its beginning have labels of their own."""
    three = np.int64(text[at]) | np.int64(text[at + 1]) << 8 | np.int64(text[at + 2]) << 16
    return LABEL_TEXT | _mixed(three | np.int64(leading) << 24)
