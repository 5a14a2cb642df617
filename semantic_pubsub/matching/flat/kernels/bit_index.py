"""CTPS's four parts on bit rows: what is kept when a slot comes and goes, and rows that are combined on demand.

For each group and place there is a row of all slots with a constraint there (the paper's SID, and the `*` of m3), a row
for each attribute (m1), for each item (m2, m3) and for each column (m4). Rows for what an event shows are combined when
an event first shows it, and kept up to date: above a name (tree matching, algorithm 7), and for a cell of m4 those that
it excludes (parts A and B of figure 6) and those that it leaves open (parts C, D and E).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, doubles_from, ints, longs, words
from semantic_pubsub.matching.arrays.bits import lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.flat.kernels.bit_rows import (
    add_bits,
    bit_at,
    change_bit,
    clear_bit,
    free_row,
    new_row,
    row_size,
    set_bit,
)
from semantic_pubsub.matching.flat.layout import (
    ATTR_GROUP,
    ATTR_ROW,
    BIT_GROUPS,
    BIT_ROW_COUNT,
    BIT_ROWS,
    BIT_SLOT,
    CELL_ROWS,
    CELLS,
    CHUNK_BITS,
    CHUNK_WORDS,
    CHUNKS,
    CLOSURE_DATA,
    CLOSURE_LENGTH,
    CLOSURE_NEXT,
    CLOSURE_ROW,
    CLOSURE_START,
    CLOSURE_WIDTH,
    CLOSURES,
    COLUMN_ROW,
    COUNTS,
    CUT_COUNT,
    CUTS,
    GROUP_CLOSURES,
    GROUP_PLACES,
    GROUP_ROW,
    GROUP_WIDTH,
    GROUPS,
    ITEM_ROW,
    MOST_CUTS,
    N_BIT_GROUPS,
    N_COMBINED,
    N_PLACES,
    N_ROW_CHUNKS,
    PRED_LOWER,
    PRED_UPPER,
    PRED_VIEW,
    ROW_COMBINED,
    ROW_NONE,
    ROW_UNKNOWN,
    SLOT_COUNT,
    SLOT_START,
    SLOT_WIDTH,
    SLOTS,
    SPANS,
    VIEW_ATTR,
    VIEW_WHAT,
    VIEW_WIDTH,
    VIEWS,
)

__all__ = [
    "attr_of",
    "cell_of_number",
    "change_slot",
    "combined",
    "drop_cells",
    "drop_closures",
    "excluded_by",
    "what_of",
]


@inner
def attr_of(a: Any, pred: int) -> int:
    """The attribute that a predicate looks at."""
    return np.int64(ints(a, VIEWS)[spot(np.int64(ints(a, PRED_VIEW)[spot(pred)]) * VIEW_WIDTH + VIEW_ATTR)])


@inner
def what_of(a: Any, pred: int) -> int:
    """The item that a predicate asks for, or ~column."""
    return np.int64(ints(a, VIEWS)[spot(np.int64(ints(a, PRED_VIEW)[spot(pred)]) * VIEW_WIDTH + VIEW_WHAT)])


@inner
def _own_row(a: Any, table: int, member: int, place: int, make: bool) -> int:
    """The row of a group, an attribute, an item or a column at a place."""
    at = spot(member * longs(a, COUNTS)[N_PLACES] + place)
    row = np.int64(ints(a, table)[at])
    if row < 0 and make:
        row = new_row(a)
        ints(a, table)[at] = row
    return row


@inner
def _change(a: Any, row: int, slot: int, put: bool) -> None:
    if put:
        set_bit(a, row, slot)
    else:
        clear_bit(a, row, slot)


@inner
def _change_own(a: Any, table: int, member: int, place: int, slot: int, put: bool) -> int:
    row = _own_row(a, table, member, place, put)
    if row >= 0:
        _change(a, row, slot, put)
        if not put and row_size(a, row) == 0:
            free_row(a, row)
            ints(a, table)[spot(member * longs(a, COUNTS)[N_PLACES] + place)] = ROW_UNKNOWN
    return row


@inner
def _change_combined(a: Any, group: int, place: int, attr: int, item: int, slot: int, put: bool) -> None:
    """Keep the rows of the closures up to date in which the attribute or the item is."""
    closures, data, rows = ints(a, CLOSURES), ints(a, CLOSURE_DATA), ints(a, CLOSURE_ROW)
    places = longs(a, COUNTS)[N_PLACES]
    closure = np.int64(ints(a, GROUPS)[spot(group * GROUP_WIDTH + GROUP_CLOSURES)])
    while closure >= 0:
        at = spot(closure * places + place)
        row = np.int64(rows[at])
        if row != ROW_UNKNOWN:
            base = closure * CLOSURE_WIDTH
            start = np.int64(closures[spot(base + CLOSURE_START)])
            length = np.int64(closures[spot(base + CLOSURE_LENGTH)])
            # Attrs are kept as they are, items as ~item: one list for both kinds of closures.
            for k in range(start, start + length):
                if data[spot(k)] == attr or data[spot(k)] == item:
                    if row < 0 or ints(a, BIT_ROW_COUNT)[spot(row)] < ROW_COMBINED:
                        rows[at] = ROW_UNKNOWN  # it stands for another's own row, or for nothing
                    else:
                        _change(a, row, slot, put)
                    break
        closure = np.int64(closures[spot(closure * CLOSURE_WIDTH + CLOSURE_NEXT)])


@inner
def _limits(a: Any, column: int, cell: int) -> tuple[float, float]:
    """The least and the greatest number of a cell."""
    cuts = doubles(a, CUTS)
    first = column * MOST_CUTS
    lower = cuts[spot(first + cell - 1)] if cell else -np.inf
    upper = np.nextafter(cuts[spot(first + cell)], -np.inf) if cell < ints(a, CUT_COUNT)[spot(column)] else np.inf
    return lower, upper


@inner
def _relate(a: Any, lower: float, upper: float, least: float, most: float, rows_at: int, slot: int) -> None:
    """Note in a cell's rows whether it excludes an interval (A, B) or leaves it open (C, D, E)."""
    rows = ints(a, CELL_ROWS)
    if upper < least or lower > most:
        if rows[spot(rows_at)] < 0:
            rows[spot(rows_at)] = new_row(a)
        set_bit(a, np.int64(rows[spot(rows_at)]), slot)
    elif lower > least or upper < most:
        if rows[spot(rows_at + 1)] < 0:
            rows[spot(rows_at + 1)] = new_row(a)
        set_bit(a, np.int64(rows[spot(rows_at + 1)]), slot)


@inner
def _change_cells(a: Any, column: int, place: int, lower: float, upper: float, slot: int, put: bool) -> None:
    """Keep the rows of the cells up to date that were made: those beside an interval exclude it (A, B), those of its
    ends may leave it open."""
    rows, places = ints(a, CELL_ROWS), longs(a, COUNTS)[N_PLACES]
    base = (column * places + place) * CELLS * 2
    first, last = cell_of_number(a, column, lower), cell_of_number(a, column, upper)
    bit = bit_at(a, slot)
    for cell in range(ints(a, CUT_COUNT)[spot(column)] + 1):
        at = base + 2 * cell
        row = np.int64(rows[spot(at)])
        if row == ROW_UNKNOWN or first < cell < last:
            continue
        if cell < first or cell > last:
            if row < 0:
                row = new_row(a)
                rows[spot(at)] = row
            change_bit(a, row, slot, bit, put)
        elif put:
            least, most = _limits(a, column, cell)
            _relate(a, lower, upper, least, most, at, slot)
        elif rows[spot(at + 1)] >= 0:
            clear_bit(a, np.int64(rows[spot(at + 1)]), slot)


@inner
def change_slot(a: Any, slot: int, position: int, put: bool) -> None:
    """Put a slot into all rows where it belongs (algorithms 2 to 5), or take it out."""
    slots, spans, groups = ints(a, SLOTS), ints(a, SPANS), ints(a, GROUPS)
    group_of_attr, counts = ints(a, ATTR_GROUP), longs(a, COUNTS)
    start = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    end = start + slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)]
    for k in range(start, end):
        pred = np.int64(spans[spot(k)])
        attr, item = attr_of(a, pred), what_of(a, pred)
        group = np.int64(group_of_attr[spot(attr)])
        place = 0
        for other in range(start, k):
            place += group_of_attr[spot(attr_of(a, np.int64(spans[spot(other)])))] == group
        if groups[spot(group * GROUP_WIDTH + GROUP_PLACES)] <= place:
            if groups[spot(group * GROUP_WIDTH + GROUP_PLACES)] == 0:
                ints(a, BIT_GROUPS)[spot(counts[N_BIT_GROUPS])] = group
                counts[N_BIT_GROUPS] += 1
            groups[spot(group * GROUP_WIDTH + GROUP_PLACES)] = place + 1
        _change_own(a, GROUP_ROW, group, place, position, put)
        _change_own(a, ATTR_ROW, attr, place, position, put)
        if item >= 0:
            _change_own(a, ITEM_ROW, item, place, position, put)
        else:
            lower, upper = doubles(a, PRED_LOWER)[spot(pred)], doubles(a, PRED_UPPER)[spot(pred)]
            _change_own(a, COLUMN_ROW, ~item, place, position, put)
            _change_cells(a, ~item, place, lower, upper, position, put)
        _change_combined(a, group, place, attr, ~item if item >= 0 else attr, position, put)


@inner
def combined(a: Any, closure: int, place: int, table: int) -> int:
    """The row of all slots whose attribute (item) is in a closure: tree matching, with the way up taken once."""
    counts, rows = longs(a, COUNTS), ints(a, CLOSURE_ROW)
    at = spot(closure * counts[N_PLACES] + place)
    row = np.int64(rows[at])
    if row != ROW_UNKNOWN:
        return row
    closures, data, own = ints(a, CLOSURES), ints(a, CLOSURE_DATA), ints(a, table)
    start = np.int64(closures[spot(closure * CLOSURE_WIDTH + CLOSURE_START)])
    length = np.int64(closures[spot(closure * CLOSURE_WIDTH + CLOSURE_LENGTH)])
    found, parts = ROW_NONE, 0
    for k in range(start, start + length):
        member = np.int64(data[spot(k)])
        member = member if member >= 0 else ~member
        part = np.int64(own[spot(member * counts[N_PLACES] + place)])
        if part >= 0:
            found = part
            parts += 1
    if parts > 1:
        found = new_row(a)
        for k in range(start, start + length):
            member = np.int64(data[spot(k)])
            member = member if member >= 0 else ~member
            add_bits(a, found, np.int64(own[spot(member * counts[N_PLACES] + place)]))
        ints(a, BIT_ROW_COUNT)[spot(found)] += ROW_COMBINED
        counts[N_COMBINED] += 1
    rows[at] = found
    return found


@inner
def drop_closures(a: Any, group: int) -> None:
    """Forget the combined rows of a group's closures."""
    counts, rows, closures = longs(a, COUNTS), ints(a, CLOSURE_ROW), ints(a, CLOSURES)
    closure = np.int64(ints(a, GROUPS)[spot(group * GROUP_WIDTH + GROUP_CLOSURES)])
    while closure >= 0:
        for place in range(counts[N_PLACES]):
            at = spot(closure * counts[N_PLACES] + place)
            row = np.int64(rows[at])
            if row >= 0 and ints(a, BIT_ROW_COUNT)[spot(row)] >= ROW_COMBINED:
                free_row(a, row)
                counts[N_COMBINED] -= 1
            rows[at] = ROW_UNKNOWN
        closure = np.int64(closures[spot(closure * CLOSURE_WIDTH + CLOSURE_NEXT)])


@inner
def cell_of_number(a: Any, column: int, number: float) -> int:
    """The cell of m4 in which a number lies: a guess, as if cuts were equally far from each other, or a count."""
    count = np.int64(ints(a, CUT_COUNT)[spot(column)])
    cuts = doubles_from(a, CUTS, column * MOST_CUTS, count)
    if count >= 2 and cuts[0] <= number < cuts[spot(count - 1)]:
        guess = np.int64((number - cuts[0]) * (count - 1) / (cuts[spot(count - 1)] - cuts[0])) + 1
        if 1 <= guess < count and cuts[spot(guess - 1)] <= number < cuts[spot(guess)]:
            return guess
    below = 0
    for k in range(len(cuts)):  # all of them, many at a time: a search waits for each comparison
        below += cuts[k] <= number
    return below


@inner
def excluded_by(a: Any, column: int, place: int, cell: int) -> int:
    """Where the rows of a cell are: those it excludes, then those it leaves open. Made when first asked for."""
    counts, rows = longs(a, COUNTS), ints(a, CELL_ROWS)
    at = (column * counts[N_PLACES] + place) * CELLS * 2 + 2 * cell
    if rows[spot(at)] != ROW_UNKNOWN:
        return at
    rows[spot(at)] = ROW_NONE
    rows[spot(at + 1)] = ROW_NONE
    members = np.int64(ints(a, COLUMN_ROW)[spot(column * counts[N_PLACES] + place)])
    if members < 0:
        return at
    least, most = _limits(a, column, cell)
    chunks, lists = words(a, CHUNKS), ints(a, BIT_ROWS)
    lower, upper = doubles(a, PRED_LOWER), doubles(a, PRED_UPPER)
    for k in range(counts[N_ROW_CHUNKS]):
        chunk = np.int64(lists[spot(members * counts[N_ROW_CHUNKS] + k)])
        if chunk < 0:
            continue
        for w in range(CHUNK_WORDS):
            word = chunks[spot(chunk * CHUNK_WORDS + w)]
            while word:
                position = k * CHUNK_BITS + w * 64 + lowest_bit(word)
                word &= word - np.uint64(1)
                slot = np.int64(ints(a, BIT_SLOT)[spot(position)])
                pred = _pred_at(a, slot, column, place)
                _relate(a, lower[spot(pred)], upper[spot(pred)], least, most, at, position)
    return at


@inner
def _pred_at(a: Any, slot: int, column: int, place: int) -> int:
    """The pred of a slot that is at a place of a column's group."""
    slots, spans = ints(a, SLOTS), ints(a, SPANS)
    group_of_attr = ints(a, ATTR_GROUP)
    start = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    end = start + slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)]
    group = -1
    for k in range(start, end):  # the group is that of whichever of its preds has the column
        pred = np.int64(spans[spot(k)])
        if what_of(a, pred) == ~column:
            group = np.int64(group_of_attr[spot(attr_of(a, pred))])
            break
    seen = 0
    for k in range(start, end):
        pred = np.int64(spans[spot(k)])
        if np.int64(group_of_attr[spot(attr_of(a, pred))]) == group:
            if seen == place:
                return pred
            seen += 1
    return -1


@inner
def drop_cells(a: Any, column: int) -> None:
    """Forget the rows of a column's cells: its cuts are about to change."""
    counts, rows = longs(a, COUNTS), ints(a, CELL_ROWS)
    first = column * counts[N_PLACES] * CELLS * 2
    for at in range(first, first + counts[N_PLACES] * CELLS * 2):
        if rows[spot(at)] >= 0:
            free_row(a, np.int64(rows[spot(at)]))
        rows[spot(at)] = ROW_UNKNOWN
