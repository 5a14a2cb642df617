"""A counting index in machine code, the strongest that we could make.

Yan, García-Molina: *Index structures for selective dissemination of information under the Boolean model*, TODS 1994;
the counting algorithm that HMACD and others compare with is that of Ashayer, Leung, Jacobsen: *Predicate matching and
subscription matching in publish/subscribe systems*, ICDCS workshops 2002.

| paper | here |
|---|---|
| predicates that are satisfied, found by an index of each attribute | a list for each attribute and cell of values |
| association table from predicates to subscriptions | the lists name subscriptions |
| hit vector against the number of predicates | a counter goes down from that number; zeros have matched |

Cells: with `whole`, the values 0, 1, … of the range, and an event's value that is none of these satisfies nothing. Else
each end is a cell of its own while there are at most 64 in an attribute (then quantiles), as is what lies between two
of them; predicates that end between two cells are compared.

In its favour: counters are bytes; subscriptions are taken in blocks, so that counters stay in a near cache and a list
names them in two bytes; counters are set by copying, and eight are looked at together when zeros are sought. What it
pays: lists are made for a whole block at once, when an event comes after subscriptions; removing only stops a counter.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Ends, IntervalIndex, Numbers, Rows
from semantic_pubsub.matching.arrays.compiling import entry, inner

__all__ = ["NEVER", "Counting", "zeros"]

_BLOCK: Final = 1 << 16
_CUTS: Final = 64
_ONES: Final = np.uint64(0x0101010101010101)
_TOPS: Final = np.uint64(0x8080808080808080)
NEVER: Final = 255  # the counter of a place without a subscription


class _Cells(NamedTuple):
    """How values become cells: cell 2i is before cut i, cell 2i + 1 the cut itself; without cuts they are values."""

    cuts: npt.NDArray[np.float64]
    most: int


class _Block(NamedTuple):
    """Lists of a block one behind the other: of those that hold in a whole cell, and of those to be compared."""

    starts: npt.NDArray[np.int64]
    sure: npt.NDArray[np.uint16]
    ends: npt.NDArray[np.int64]
    compared: npt.NDArray[np.uint32]  # the column above 16 bits


class Counting(IntervalIndex):
    """Counters in blocks."""

    name = "counting"
    changes = False

    def __init__(self, lowest: Ends, highest: Ends, *, whole: bool = False) -> None:
        super().__init__(lowest, highest)
        self._whole = whole
        self._cells = _Cells(np.empty((0, 0)), int(self.highest.max(initial=0)) + 1)
        self._blocks: list[_Block] = []
        self._stale: set[int] = set()
        self._first = np.empty(0, np.uint8)
        self._left = np.empty(0, np.uint8)

    @property
    def reads_rows(self) -> bool:  # type: ignore[override]
        """Only for what is compared."""
        return any(block.compared.size for block in self._blocks)

    def _resized(self, number: int) -> None:
        first = np.full(-(-number // 8) * 8, NEVER, np.uint8)
        first[: len(self._first)] = self._first
        self._first, self._left = first, np.empty(min(_BLOCK, len(first)), np.uint8)

    def _insert(self, first: int, last: int) -> None:
        if self.rows.attributes.shape[1] >= NEVER:
            raise ValueError(f"{self.rows.attributes.shape[1]} predicates a subscription: at most {NEVER - 1}")
        self._first[first:last] = self.rows.counts[first:last]
        self._stale.update(range(first // _BLOCK, -(-last // _BLOCK)))

    def _delete(self, number: int) -> None:
        self._first[number] = NEVER

    def build(self) -> None:
        """Make the lists of the blocks that have changed; a match does it, too."""
        if not self._stale:
            return
        if not self._whole and not self._cells.cuts.size:
            self._cells = _cut(self.rows, self.size, self.width)
        for block in sorted(self._stale):
            made = self._made(block)
            self._blocks[block : block + 1] = [made]
        self._stale.clear()

    def _made(self, block: int) -> _Block:
        span = block * _BLOCK, min((block + 1) * _BLOCK, self.size)
        lists = self.width * self._cells.most
        starts, ends = np.zeros(lists + 1, np.int64), np.zeros(lists + 1, np.int64)
        none, nor = np.empty(0, np.uint16), np.empty(0, np.uint32)
        _fill(self.rows, *span, *self._cells, starts[1:], none, ends[1:], nor, False)
        starts, ends = np.cumsum(starts), np.cumsum(ends)
        made = _Block(starts, np.empty(starts[-1], np.uint16), ends, np.empty(ends[-1], np.uint32))
        _fill(self.rows, *span, *self._cells, starts[:-1].copy(), made.sure, ends[:-1].copy(), made.compared, True)
        return made

    def _find(self, attributes: Numbers, values: Ends) -> int:
        self.build()
        count, left = 0, self._left
        for number, block in enumerate(self._blocks):
            part = self._first[number * _BLOCK : (number + 1) * _BLOCK]
            base = number * _BLOCK
            count = _match(
                attributes, values, self.rows, *self._cells, block, part.view(np.uint64), left, base, self._found, count
            )
        return count

    def _index_bytes(self) -> int:
        blocks = sum(array.nbytes for block in self._blocks for array in block)
        return blocks + self._first.nbytes + self._left.nbytes + self._cells.cuts.nbytes


def _cut(rows: Rows, size: int, width: int) -> _Cells:
    """Where to cut each attribute: at every end, or at quantiles of them."""
    there = rows.attributes[:size] >= 0
    cuts = np.full((width, _CUTS), np.inf)
    attributes = np.concatenate((rows.attributes[:size][there],) * 2)
    ends = np.concatenate((rows.lower[:size][there], rows.upper[:size][there]))
    finite = np.isfinite(ends)
    order = np.argsort(attributes[finite], kind="stable")
    attributes, ends = attributes[finite][order], ends[finite][order]
    bounds = np.searchsorted(attributes, np.arange(width + 1))
    for attribute in range(width):
        own = np.unique(ends[bounds[attribute] : bounds[attribute + 1]])
        if len(own) > _CUTS:
            own = own[np.linspace(0, len(own) - 1, _CUTS).astype(np.int64)]
        cuts[attribute, : len(own)] = own
    return _Cells(cuts, 2 * _CUTS + 1)


@inner
def _cell(cuts, most, attribute, value):
    """The cell of a value; -1 for a value without one."""
    if cuts.size == 0:
        return int(value) if 0 <= value < most and value == np.floor(value) else -1
    row = cuts[attribute]
    at = np.searchsorted(row, value)
    return 2 * at + 1 if at < row.size and row[at] == value else 2 * at


@entry
def _fill(rows, first, last, cuts, most, starts, sure, ends, compared, is_second):
    """First count what is in each list, then write it."""
    for number in range(first, last):
        for column in range(rows.counts[number]):
            attribute = rows.attributes[number, column]
            lower, upper = rows.lower[number, column], rows.upper[number, column]
            if cuts.size == 0:
                low, high = max(0, int(np.ceil(max(lower, 0.0)))), int(np.floor(min(upper, most - 1.0)))
            else:
                low, high = _cell(cuts, most, attribute, lower), _cell(cuts, most, attribute, upper)
            for cell in range(low, high + 1):
                place = attribute * most + cell
                # An end in an even cell lies between two cuts, unless it is infinite: then all of the cell is inside.
                is_part = cuts.size > 0 and cell % 2 == 0
                is_part = is_part and ((cell == low and np.isfinite(lower)) or (cell == high and np.isfinite(upper)))
                if is_part:
                    if is_second:
                        compared[ends[place]] = (column << 16) | (number - first)
                    ends[place] += 1
                else:
                    if is_second:
                        sure[starts[place]] = number - first
                    starts[place] += 1


@entry
def _match(attributes, values, rows, cuts, most, block, words, left, base, found, count):
    starts, sure, ends, compared = block
    _, lower, upper, _ = rows
    left.view(np.uint64)[: words.size] = words
    for at in range(attributes.size):
        attribute, value = attributes[at], values[at]
        cell = _cell(cuts, most, attribute, value)
        if cell < 0:
            continue
        place = attribute * most + cell
        for row in sure[starts[place] : starts[place + 1]]:
            left[row] -= np.uint8(1)
        for both in compared[ends[place] : ends[place + 1]]:
            row, column = both & np.uint32(0xFFFF), both >> np.uint32(16)
            if lower[base + row, column] <= value <= upper[base + row, column]:
                left[row] -= np.uint8(1)
    return zeros(left[: 8 * words.size].view(np.uint64), left, base, found, count)


@entry
def zeros(words, left, base, found, count):
    """Write down which counters are zero, after those found before."""
    for word in range(words.size):
        eight = words[word]
        if (eight - _ONES) & ~eight & _TOPS:
            for at in range(8 * word, 8 * word + 8):
                if left[at] == 0:
                    found[count] = base + at
                    count += 1
    return count
