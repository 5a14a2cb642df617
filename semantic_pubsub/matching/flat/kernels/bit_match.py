"""CTPS's matching (section 5) on combined rows: all slots begin as candidates, and each group takes away from them.

Chunk by chunk, so that the candidates stay in the fastest memory: what a chunk has nothing of costs one look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints, longs, words_from
from semantic_pubsub.matching.arrays.bits import lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.flat.kernels.bit_index import cell_of_number, combined, excluded_by
from semantic_pubsub.matching.flat.kernels.bit_rows import row_size
from semantic_pubsub.matching.flat.kernels.board import Board, satisfied
from semantic_pubsub.matching.flat.layout import (
    ATTR_ROW,
    BIT_ROW_COUNT,
    BIT_ROWS,
    BIT_SLOT,
    CELL_ROWS,
    CHUNK_BITS,
    CHUNK_COUNT,
    CHUNK_WORDS,
    CHUNKS,
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
    N_BIT_ROWS,
    N_CHECKED,
    N_CHUNKS,
    N_GROUPS,
    N_PLACES,
    N_POSITIONS,
    N_ROW_CHUNKS,
    RECORD_ATTRS,
    RECORD_COLUMN,
    RECORD_EXTRA,
    RECORD_EXTRAS,
    RECORD_VALUE,
    ROW_NONE,
    WORK,
    WORK_GROUP_NEXT,
    WORK_WIDTH,
)

__all__ = ["match_bits", "plan"]

_ABSENT, _CELL, _TERMS = 0, 1, 2
_OP_WIDTH = 4  # kind, and rows or terms
_TERM_WIDTH = 5  # rows: below the attribute (-1: all), with the value, in the column, excluded, left open
_ROOM = 6  # rows that one record may make at one place
_NOTHING = np.uint64(0)
_ONE = np.uint64(1)


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
def _put_op(ops: Any, count: int, kind: int, first: int, second: int, third: int) -> int:
    at = count * _OP_WIDTH
    ops[spot(at)] = kind
    ops[spot(at + 1)] = first
    ops[spot(at + 2)] = second
    ops[spot(at + 3)] = third
    return count + 1


@inner
def plan(a: Any, records: Any, numbers: Any, extra: Any, ops: Any, terms: Any) -> int:  # noqa: C901 - one loop, in place
    """What each group takes away, as rows; gives the number of ops, or -1 if there must be more room first."""
    groups, work, cells = ints(a, GROUPS), ints(a, WORK), ints(a, CELL_ROWS)
    count, term_count = 0, 0
    for group in range(longs(a, COUNTS)[N_GROUPS]):
        pairs = groups[spot(group * GROUP_WIDTH + GROUP_PAIRS)]
        for place in range(groups[spot(group * GROUP_WIDTH + GROUP_PLACES)]):
            everybody = _row(a, GROUP_ROW, group, place)
            if everybody < 0:
                continue
            if pairs == 0:  # an absent attribute fails its constraint
                count = _put_op(ops, count, _ABSENT, everybody, 0, 0)
                continue
            first_term = term_count
            whole = row_size(a, everybody)
            record = np.int64(groups[spot(group * GROUP_WIDTH + GROUP_HEAD)])
            simple = False
            while record >= 0:
                if not _has_room(a):
                    return -1
                below = combined(a, np.int64(records[record, RECORD_ATTRS]), place, ATTR_ROW)
                if below != ROW_NONE:
                    if row_size(a, below) == whole:
                        below = -1
                    value, column, excluded, left_open = ROW_NONE, ROW_NONE, ROW_NONE, ROW_NONE
                    if records[record, RECORD_VALUE] >= 0:
                        value = combined(a, np.int64(records[record, RECORD_VALUE]), place, ITEM_ROW)
                    if records[record, RECORD_COLUMN] >= 0:
                        number = np.int64(records[record, RECORD_COLUMN])
                        column = _row(a, COLUMN_ROW, number, place)
                        if column >= 0:
                            at = excluded_by(a, number, place, cell_of_number(a, number, numbers[record, 0]))
                            excluded, left_open = np.int64(cells[spot(at)]), np.int64(cells[spot(at + 1)])
                    if pairs == 1 and below == -1 and column >= 0 and row_size(a, column) == whole:
                        count = _put_op(ops, count, _CELL, excluded, left_open, 0)
                        simple = True
                        break
                    term_count = _put_term(terms, term_count, below, value, column, excluded, left_open)
                    first = np.int64(records[record, RECORD_EXTRA])
                    for k in range(first, first + records[record, RECORD_EXTRAS]):
                        own = _row(a, ITEM_ROW, np.int64(extra[spot(k)]), place)
                        if own >= 0:
                            term_count = _put_term(terms, term_count, below, own, ROW_NONE, ROW_NONE, ROW_NONE)
                record = np.int64(work[spot(record * WORK_WIDTH + WORK_GROUP_NEXT)])
            if not simple:
                count = _put_op(ops, count, _TERMS, everybody, first_term, term_count)
    return count


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
def _take_excluded(a: Any, waiting: Any, count: int, left: Any) -> None:
    """Take away what some rows exclude, four rows at a time."""
    at = 0
    while at + 4 <= count:
        one, two = _words(a, waiting[at]), _words(a, waiting[at + 1])
        three, four = _words(a, waiting[at + 2]), _words(a, waiting[at + 3])
        for w in range(CHUNK_WORDS):
            left[w] &= ~(one[w] | two[w] | three[w] | four[w])
        at += 4
    while at < count:
        one = _words(a, waiting[at])
        for w in range(CHUNK_WORDS):
            left[w] &= ~one[w]
        at += 1


@inner
def _words(a: Any, chunk: int) -> Any:
    return words_from(a, CHUNKS, chunk * CHUNK_WORDS, CHUNK_WORDS)


@inner
def _is_empty(left: Any) -> bool:
    any_left = _NOTHING
    for w in range(CHUNK_WORDS):
        any_left |= left[w]
    return any_left == _NOTHING


@inner
def match_bits(  # noqa: C901 - one loop, in place
    a: Any, ops: Any, count: int, terms: Any, several: bool, b: Board, out: Any, found: int
) -> int:
    """Run the plan; slots that are left go out, those that a cell left open after a look at their bounds."""
    rows, counts = ints(a, BIT_ROWS), longs(a, COUNTS)
    width, slot_at = counts[N_ROW_CHUNKS], ints(a, BIT_SLOT)
    left, unsure = np.empty(CHUNK_WORDS, np.uint64), np.empty(CHUNK_WORDS, np.uint64)
    part, found_words = np.empty(CHUNK_WORDS, np.uint64), np.empty(CHUNK_WORDS, np.uint64)
    waiting, places = np.empty(count, np.int64), np.empty(CHUNK_WORDS + 1, np.int64)
    for k in range((counts[N_POSITIONS] + CHUNK_BITS - 1) // CHUNK_BITS):
        live = _chunk(rows, LIVE_ROW, width, k)
        if live < 0:
            continue
        everything = _words(a, live)
        for w in range(CHUNK_WORDS):
            left[w] = everything[w]
            unsure[w] = _NOTHING
        some_open, stacked, ended = False, 0, False
        for op in range(count):
            at = op * _OP_WIDTH
            kind = ops[spot(at)]
            if kind != _TERMS:
                chunk = _chunk(rows, ops[spot(at + 1)], width, k)
                if chunk >= 0:
                    waiting[stacked] = chunk
                    stacked += 1
                if kind == _CELL:
                    chunk = _chunk(rows, ops[spot(at + 2)], width, k)
                    if chunk >= 0:
                        some_open = True
                        _add(a, chunk, unsure)
                if stacked >= 16:
                    _take_excluded(a, waiting, stacked, left)
                    stacked = 0
                    if _is_empty(left):
                        ended = True
                        break
                continue
            everybody = _chunk(rows, ops[spot(at + 1)], width, k)
            if everybody >= 0:
                first, last = ops[spot(at + 2)], ops[spot(at + 3)]
                some_open |= _take_terms(
                    a, rows, width, k, everybody, terms, first, last, left, unsure, found_words, part
                )
                if _is_empty(left):
                    ended = True
                    break
        if ended:
            continue
        _take_excluded(a, waiting, stacked, left)
        filled = 0
        for w in range(CHUNK_WORDS):  # no branch here: half of the words are empty, and which cannot be foreseen
            places[spot(filled)] = w
            filled += left[w] != _NOTHING
        for f in range(filled):
            w = places[spot(f)]
            word = left[spot(w)]
            base = k * CHUNK_BITS + w * 64
            while True:
                bit = lowest_bit(word)
                slot = np.int64(slot_at[spot(base + bit)])
                word &= word - _ONE
                out[spot(found)] = slot
                if some_open and unsure[spot(w)] >> np.uint64(bit) & _ONE:
                    counts[N_CHECKED] += 1
                    found += satisfied(slot, 0, several, b)
                else:
                    found += 1
                if word == _NOTHING:
                    break
    return found
