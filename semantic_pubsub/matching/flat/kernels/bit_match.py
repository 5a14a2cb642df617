"""CTPS's matching (section 5) on combined rows: all slots begin as candidates, and each group takes away from them.

Chunk by chunk, so that the candidates stay in the fastest memory: what a chunk has nothing of costs one look.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints, longs, words_from
from semantic_pubsub.matching.arrays.bits import bit_count, lowest_bit, lowest_bit_if_any, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.flat.kernels.bit_index import cell_of_number, combined, excluded_by
from semantic_pubsub.matching.flat.kernels.bit_rows import row_size
from semantic_pubsub.matching.flat.kernels.board import Board, satisfied
from semantic_pubsub.matching.flat.layout import (
    ATTR_ROW,
    BIT_GROUPS,
    BIT_ROW_COUNT,
    BIT_ROWS,
    BIT_SLOT,
    CELL_ROWS,
    CELLS,
    CHUNK_BITS,
    CHUNK_COUNT,
    CHUNK_WORDS,
    CHUNK_WORK,
    CHUNKS,
    CLOSURE_ROW,
    COLUMN_ROW,
    COUNTS,
    GROUP_HEAD,
    GROUP_PAIRS,
    GROUP_PLACES,
    GROUP_ROW,
    GROUP_WIDTH,
    GROUPS,
    ITEM_ROW,
    LIVE_ROW,
    N_BIT_GROUPS,
    N_BIT_ROWS,
    N_CHECKED,
    N_CHUNKS,
    N_PLACES,
    N_POSITIONS,
    N_ROW_CHUNKS,
    RECORD_ATTRS,
    RECORD_COLUMN,
    RECORD_EXTRA,
    RECORD_EXTRAS,
    RECORD_VALUE,
    ROW_COMBINED,
    ROW_NONE,
    ROW_UNKNOWN,
    WORK,
    WORK_GROUP_NEXT,
    WORK_WIDTH,
)

__all__ = ["Plan", "match_bits", "new_plan", "plan"]

_OP_WIDTH = 3  # everybody's row, the first term, the end of the terms
_TERM_WIDTH = 5  # rows: below the attribute (-1: all), with the value, in the column, excluded, left open
_ROOM = 6  # rows that one record may make at one place
_NOTHING = np.uint64(0)
_ONE = np.uint64(1)


class Plan(NamedTuple):
    """What each group takes away: rows of slots that fail, rows of slots that must be checked, and terms."""

    excluded: Any
    opened: Any
    ops: Any
    terms: Any
    sizes: Any  # how many there are of the first three


@inner
def new_plan(places: int, terms: int) -> Plan:
    """An empty plan for so many places of groups, and terms."""
    room = np.empty(3 + (2 + _OP_WIDTH) * places + _TERM_WIDTH * terms, np.int64)  # one for all: each takes its time
    room[:3] = 0
    ops, ends = 3 + 2 * places, 3 + (2 + _OP_WIDTH) * places
    return Plan(room[3 : 3 + places], room[3 + places : ops], room[ops:ends], room[ends:], room[:3])


@inner
def _has_room(a: Any) -> bool:
    """Whether rows that may be needed next have a place."""
    counts = longs(a, COUNTS)
    rows = len(ints(a, BIT_ROW_COUNT)) - counts[N_BIT_ROWS]
    chunks = len(ints(a, CHUNK_COUNT)) - counts[N_CHUNKS]
    return rows >= _ROOM and chunks >= _ROOM * counts[N_ROW_CHUNKS]


@inner
def _row(a: Any, table: int, member: int, place: int) -> int:
    return np.int64(ints(a, table)[spot(member * longs(a, COUNTS)[N_PLACES] + place)])


@inner
def _put_term(terms: Any, count: int, below: int, value: int, column: int, excluded: int, left_open: int) -> int:
    at = count * _TERM_WIDTH
    terms[spot(at)] = below
    terms[spot(at + 1)] = value
    terms[spot(at + 2)] = column
    terms[spot(at + 3)] = excluded
    terms[spot(at + 4)] = left_open
    return count + 1


@inner
def _exclude(to: Plan, row: int, left_open: int) -> None:
    """Slots that fail, and slots that must be checked; a negative row has none."""
    sizes = to.sizes
    to.excluded[spot(sizes[0])] = row
    sizes[0] += row >= 0
    to.opened[spot(sizes[1])] = left_open
    sizes[1] += left_open >= 0


@inner
def plan(a: Any, records: Any, numbers: Any, extra: Any, to: Plan) -> bool:
    """What each group takes away, as rows; False if there must be more room first."""
    groups, cells, group_row, column_row = ints(a, GROUPS), ints(a, CELL_ROWS), ints(a, GROUP_ROW), ints(a, COLUMN_ROW)
    closure_row, row_counts, places = ints(a, CLOSURE_ROW), ints(a, BIT_ROW_COUNT), longs(a, COUNTS)[N_PLACES]
    terms, used = 0, ints(a, BIT_GROUPS)
    for n in range(longs(a, COUNTS)[N_BIT_GROUPS]):
        group = np.int64(used[spot(n)])
        own_places = groups[spot(group * GROUP_WIDTH + GROUP_PLACES)]
        if own_places == 1 and groups[spot(group * GROUP_WIDTH + GROUP_PAIRS)] == 1:
            # Most groups: one number, all slots ask for a number at most once, of the attribute that it has.
            record = np.int64(groups[spot(group * GROUP_WIDTH + GROUP_HEAD)])
            column = np.int64(records[record, RECORD_COLUMN])
            everybody = np.int64(group_row[spot(group * places)])
            if column >= 0 and everybody >= 0:
                whole = row_counts[spot(everybody)]
                own = np.int64(column_row[spot(column * places)])
                below = np.int64(closure_row[spot(np.int64(records[record, RECORD_ATTRS]) * places)])
                if own >= 0 and below >= 0 and row_counts[spot(own)] == whole:
                    at = column * places * CELLS * 2 + 2 * cell_of_number(a, column, numbers[record, 0])
                    if row_counts[spot(below)] & (ROW_COMBINED - 1) == whole and cells[spot(at)] != ROW_UNKNOWN:
                        _exclude(to, np.int64(cells[spot(at)]), np.int64(cells[spot(at + 1)]))
                        continue
        for place in range(own_places):
            terms = _plan_place(a, records, numbers, extra, group, place, to, terms)
            if terms < 0:
                return False
    return True


@inner
def _number_rows(a: Any, column: int, place: int, number: float) -> tuple[int, int, int]:
    """The rows of a column, of what its cell with a number excludes, and of what that leaves open."""
    row = _row(a, COLUMN_ROW, column, place) if column >= 0 else np.int64(ROW_NONE)
    if row < 0:
        return np.int64(ROW_NONE), np.int64(ROW_NONE), np.int64(ROW_NONE)
    cells = ints(a, CELL_ROWS)
    at = excluded_by(a, column, place, cell_of_number(a, column, number))
    return row, np.int64(cells[spot(at)]), np.int64(cells[spot(at + 1)])


@inner
def _plan_place(
    a: Any, records: Any, numbers: Any, extra: Any, group: int, place: int, to: Plan, terms: int
) -> int:  # fmt: skip
    """What a group takes away at one of its places; gives the number of terms, -1 if there must be more room first."""
    groups, work = ints(a, GROUPS), ints(a, WORK)
    pairs = groups[spot(group * GROUP_WIDTH + GROUP_PAIRS)]
    everybody = _row(a, GROUP_ROW, group, place)
    if everybody < 0:
        return terms
    if pairs == 0:  # an absent attribute fails its constraint
        _exclude(to, everybody, -1)
        return terms
    first_term, whole = terms, row_size(a, everybody)
    record = np.int64(groups[spot(group * GROUP_WIDTH + GROUP_HEAD)])
    while record >= 0:
        if not _has_room(a):
            return -1
        below = combined(a, np.int64(records[record, RECORD_ATTRS]), place, ATTR_ROW)
        if below != ROW_NONE:
            if row_size(a, below) == whole:
                below = -1
            value = ROW_NONE
            if records[record, RECORD_VALUE] >= 0:
                value = combined(a, np.int64(records[record, RECORD_VALUE]), place, ITEM_ROW)
            column, excluded, left_open = _number_rows(
                a, np.int64(records[record, RECORD_COLUMN]), place, numbers[record, 0]
            )
            if pairs == 1 and below == -1 and column >= 0 and row_size(a, column) == whole:
                _exclude(to, excluded, left_open)
                return first_term
            terms = _put_term(to.terms, terms, below, value, column, excluded, left_open)
            first = np.int64(records[record, RECORD_EXTRA])
            for k in range(first, first + records[record, RECORD_EXTRAS]):
                own = _row(a, ITEM_ROW, np.int64(extra[spot(k)]), place)
                if own >= 0:
                    terms = _put_term(to.terms, terms, below, own, ROW_NONE, ROW_NONE, ROW_NONE)
        record = np.int64(work[spot(record * WORK_WIDTH + WORK_GROUP_NEXT)])
    at = to.sizes[2] * _OP_WIDTH
    to.ops[spot(at)], to.ops[spot(at + 1)], to.ops[spot(at + 2)] = everybody, first_term, terms
    to.sizes[2] += 1
    return terms


@inner
def _chunk(rows: Any, row: int, width: int, k: int) -> int:
    return np.int64(rows[spot(row * width + k)]) if row >= 0 else np.int64(-1)


@inner
def _take_terms(
    a: Any, rows: Any, width: int, k: int, everybody: int, terms: Any, first: int, last: int, left: Any, unsure: Any,
    found: Any, part: Any,
) -> bool:  # fmt: skip
    """left &= ~everybody | (some record's attribute and value); True if some of it is left open."""
    some_open = False
    for w in range(CHUNK_WORDS):
        found[w] = _NOTHING
    for t in range(first, last):
        at = t * _TERM_WIDTH
        below = _chunk(rows, terms[spot(at)], width, k)
        if terms[spot(at)] >= 0 and below < 0:
            continue
        value, column = _chunk(rows, terms[spot(at + 1)], width, k), _chunk(rows, terms[spot(at + 2)], width, k)
        if value < 0 and column < 0:
            continue
        _set_part(a, value, column, _chunk(rows, terms[spot(at + 3)], width, k), part)
        if below >= 0:
            limit = _words(a, below)
            for w in range(CHUNK_WORDS):
                found[w] |= part[w] & limit[w]
        else:
            for w in range(CHUNK_WORDS):
                found[w] |= part[w]
        left_open = _chunk(rows, terms[spot(at + 4)], width, k)
        if left_open >= 0:
            some_open = True
            _add(a, left_open, unsure)
    whole = _words(a, everybody)
    for w in range(CHUNK_WORDS):
        left[w] &= ~whole[w] | found[w]
    return some_open


@inner
def _set_part(a: Any, value: int, column: int, excluded: int, part: Any) -> None:
    """Those whose value is satisfied, by an item or by a number that the cell does not exclude."""
    if column < 0:
        for w in range(CHUNK_WORDS):
            part[w] = _NOTHING
    else:
        own = _words(a, column)
        if excluded >= 0:
            out = _words(a, excluded)
            for w in range(CHUNK_WORDS):
                part[w] = own[w] & ~out[w]
        else:
            for w in range(CHUNK_WORDS):
                part[w] = own[w]
    if value >= 0:
        _add(a, value, part)


@inner
def _add(a: Any, chunk: int, target: Any) -> None:
    source = _words(a, chunk)
    for w in range(CHUNK_WORDS):
        target[w] |= source[w]


@inner
def _take_excluded(a: Any, rows: Any, width: int, k: int, used: int, to: Plan, waiting: Any, left: Any) -> bool:
    """Take away what some rows exclude, eight rows at a time; False if nothing is left. `used`: words of the chunk."""
    count = 0
    for n in range(to.sizes[0]):
        chunk = rows[spot(to.excluded[spot(n)] * width + k)]
        waiting[spot(count)] = chunk
        count += chunk >= 0
    at = 0
    while at + 8 <= count:
        one, two = _words(a, waiting[spot(at)]), _words(a, waiting[spot(at + 1)])
        three, four = _words(a, waiting[spot(at + 2)]), _words(a, waiting[spot(at + 3)])
        five, six = _words(a, waiting[spot(at + 4)]), _words(a, waiting[spot(at + 5)])
        seven, eight = _words(a, waiting[spot(at + 6)]), _words(a, waiting[spot(at + 7)])
        for w in range(used):
            out = one[w] | two[w] | three[w] | four[w] | five[w] | six[w] | seven[w] | eight[w]
            left[w] &= ~out
        at += 8
        if at & 8 == 0 and _is_empty(left):
            return False
    while at < count:
        one = _words(a, waiting[spot(at)])
        for w in range(used):
            left[w] &= ~one[w]
        at += 1
    return True


@inner
def _words(a: Any, chunk: int) -> Any:
    return words_from(a, CHUNKS, chunk * CHUNK_WORDS, CHUNK_WORDS)


@inner
def _work(a: Any, number: int) -> Any:
    return words_from(a, CHUNK_WORK, number * CHUNK_WORDS, CHUNK_WORDS)


@inner
def _is_empty(left: Any) -> bool:
    any_left = _NOTHING
    for w in range(CHUNK_WORDS):
        any_left |= left[w]
    return any_left == _NOTHING


@inner
def match_bits(a: Any, to: Plan, b: Board, out: Any, found: int) -> int:
    """Run the plan; slots that are left go out, those that a cell left open after a look at their bounds."""
    rows, counts = ints(a, BIT_ROWS), longs(a, COUNTS)
    width = counts[N_ROW_CHUNKS]
    left, unsure = _work(a, 0), _work(a, 1)
    part, found_words = _work(a, 2), _work(a, 3)
    waiting = np.empty(max(to.sizes[0], CHUNK_WORDS) + 1, np.int64)
    for k in range((counts[N_POSITIONS] + CHUNK_BITS - 1) // CHUNK_BITS):
        live = _chunk(rows, LIVE_ROW, width, k)
        if live < 0:
            continue
        everything = _words(a, live)
        for w in range(CHUNK_WORDS):
            left[w] = everything[w]
            unsure[w] = _NOTHING
        used = min(CHUNK_WORDS, ((counts[N_POSITIONS] - k * CHUNK_BITS + 511) >> 9) * 8)
        if not _take_excluded(a, rows, width, k, used, to, waiting, left):
            continue
        some_open, ended = False, False
        for n in range(to.sizes[2]):
            at = n * _OP_WIDTH
            everybody = _chunk(rows, to.ops[spot(at)], width, k)
            if everybody >= 0:
                first, last = to.ops[spot(at + 1)], to.ops[spot(at + 2)]
                some_open |= _take_terms(
                    a, rows, width, k, everybody, to.terms, first, last, left, unsure, found_words, part
                )
                if _is_empty(left):
                    ended = True
                    break
        if ended:
            continue
        for n in range(to.sizes[1]):
            chunk = _chunk(rows, to.opened[spot(n)], width, k)
            if chunk >= 0:
                some_open = True
                _add(a, chunk, unsure)
        if some_open:
            found = _give_checked(a, k, left, unsure, b, out, found)
        else:
            found = _give(a, k, left, waiting, out, found)
    return found


@inner
def _give(a: Any, k: int, left: Any, places: Any, out: Any, found: int) -> int:
    """Write down what is left of a chunk."""
    slot_at, filled = ints(a, BIT_SLOT), 0
    for w in range(CHUNK_WORDS):  # no branch here: half of the words are empty, and which cannot be foreseen
        places[spot(filled)] = w
        filled += left[w] != _NOTHING
    for f in range(filled):
        w = places[spot(f)]
        word = left[spot(w)]
        base, end = k * CHUNK_BITS + w * 64, found + bit_count(word)
        while found < end:  # four at a time, needed or not: cheaper than to ask after each
            for _ in range(4):
                out[spot(found)] = slot_at[spot(base + lowest_bit_if_any(word))]
                word &= word - _ONE
                found += 1
        found = end
    return found


@inner
def _give_checked(a: Any, k: int, left: Any, unsure: Any, b: Board, out: Any, found: int) -> int:
    """The same, with a look at the bounds of those that a cell left open."""
    slot_at, counts = ints(a, BIT_SLOT), longs(a, COUNTS)
    for w in range(CHUNK_WORDS):
        word = left[w]
        base = k * CHUNK_BITS + w * 64
        while word:
            bit = lowest_bit(word)
            slot = np.int64(slot_at[spot(base + bit)])
            word &= word - _ONE
            out[spot(found)] = slot
            if unsure[w] >> np.uint64(bit) & _ONE:
                counts[N_CHECKED] += 1
                found += satisfied(slot, 0, False, b)
            else:
                found += 1
    return found
