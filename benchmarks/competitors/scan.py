"""Every subscription in turn: what the answers of all others are compared with.

No citation: the definition of a match, once over all rows.
"""

from __future__ import annotations

import numpy as np

from benchmarks.competitors.contract import Ends, IntervalIndex, Numbers
from semantic_pubsub.matching.arrays.compiling import entry, inner

__all__ = ["Scan", "holds"]


class Scan(IntervalIndex):
    """No index at all."""

    name = "scan"

    def _insert(self, first: int, last: int) -> None:
        pass

    def _delete(self, number: int) -> None:
        pass

    def _find(self, attributes: Numbers, values: Ends) -> int:
        row = np.full(self.width, np.nan)
        row[attributes] = values
        return _scan(self.rows, self.size, row, self._found)

    def _index_bytes(self) -> int:
        return 0


@inner
def holds(attributes, lower, upper, counts, number, row):
    """Whether each predicate of a subscription is true of a row; comparisons with NaN are not.

    Arrays, not `Rows`: each look into a tuple counts references, which takes longer than the comparison.
    """
    for column in range(counts[number]):
        value = row[np.uint32(attributes[number, column])]
        if not lower[number, column] <= value <= upper[number, column]:
            return False
    return True


@entry
def _scan(rows, size, row, found):
    attributes, lower, upper, counts = rows
    count = 0
    for number in range(size):
        if counts[number] >= 0 and holds(attributes, lower, upper, counts, number, row):
            found[count] = number
            count += 1
    return count
