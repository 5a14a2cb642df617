"""Rows of texts as numbers, and records put together from numbered pairs: what a batch of events needs first."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import bytes_of, ints
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import entry, inner
from semantic_pubsub.matching.arrays.letters import hash_bytes, same_bytes

__all__ = ["gather_records", "number_rows", "rehash_rows"]

_SEED = 977
_ABSENT = -1  # the length of a null
_PARTS, _LETTERS, _PRESENT = 3, 1, 2  # of a column: where texts start, their letters, marks of what is there


@inner
def _length(row: int, starts: Any, present: Any) -> int:
    if len(present) and not present[spot(row)]:
        return np.int64(_ABSENT)
    return np.int64(starts[spot(row + 1)]) - np.int64(starts[spot(row)])


@inner
def _hash(row: int, a: Any, columns: int) -> int:
    """One hash of all columns of a row."""
    total = np.int64(_SEED)
    for c in range(columns):
        starts = ints(a, _PARTS * c)
        length = _length(row, starts, bytes_of(a, _PARTS * c + _PRESENT))
        start = np.int64(starts[spot(row)])
        part = hash_bytes(bytes_of(a, _PARTS * c + _LETTERS), start, max(length, 0), c if length >= 0 else 99)
        total = (total * np.int64(1000003)) ^ part
    return total & np.int64(0x7FFFFFFFFFFFFFFF)


@inner
def _is_same(row: int, a: Any, columns: int, known: Any, at: int, kept: Any) -> bool:
    for c in range(columns):
        starts = ints(a, _PARTS * c)
        length = _length(row, starts, bytes_of(a, _PARTS * c + _PRESENT))
        if known[spot(at + 2 * c + 1)] != length:
            return False
        letters, start = bytes_of(a, _PARTS * c + _LETTERS), np.int64(starts[spot(row)])
        if length > 0 and not same_bytes(letters, start, kept, known[spot(at + 2 * c)], length):
            return False
    return True


@inner
def _keep(row: int, a: Any, columns: int, number: int, known: Any, kept: Any, state: Any) -> None:
    """Write down what stands in a new row."""
    for c in range(columns):
        starts = ints(a, _PARTS * c)
        length = _length(row, starts, bytes_of(a, _PARTS * c + _PRESENT))
        letters, start = bytes_of(a, _PARTS * c + _LETTERS), np.int64(starts[spot(row)])
        known[spot((number * columns + c) * 2)] = state[1]
        known[spot((number * columns + c) * 2 + 1)] = length
        for k in range(length):
            kept[spot(state[1] + k)] = letters[spot(start + k)]
        state[1] += max(length, 0)


@inner
def _size(row: int, a: Any, columns: int) -> int:
    total = np.int64(0)
    for c in range(columns):
        total += max(_length(row, ints(a, _PARTS * c), bytes_of(a, _PARTS * c + _PRESENT)), 0)
    return total


@entry
def number_rows(
    a: Any, columns: int, first: int, codes: Any, table: Any, keys: Any, known: Any, kept: Any, state: Any,
    new_rows: Any,
) -> int:  # fmt: skip
    """Write the number of each row, from `first` on, to `codes`; equal rows have one number, for ever.

    `a` has the addresses of the columns' starts, letters and marks of what is there. `table` leads from hashes to
    numbers; `known` has, for each number and column, where its letters are in `kept` and how many (-1: null). `state`:
    how many numbers there are, how many letters, how many rows in `new_rows`, how many letters a row needs. Gives the
    row at which a table must grow first, or the end.
    """
    mask = len(table) - 1
    for row in range(first, len(codes)):
        key = _hash(row, a, columns)
        place = (key ^ (key >> 29)) & mask
        number = np.int64(-1)
        while table[spot(place)] >= 0:
            there = np.int64(table[spot(place)])
            if keys[spot(there)] == key and _is_same(row, a, columns, known, there * 2 * columns, kept):
                number = there
                break
            place = (place + 1) & mask
        if number < 0:
            number, needed = state[0], _size(row, a, columns)
            if 2 * (number + 1) > len(table) or number >= len(keys) or state[1] + needed + 8 > len(kept):
                state[3] = needed
                return row
            table[spot(place)] = number
            keys[spot(number)] = key
            _keep(row, a, columns, number, known, kept, state)
            new_rows[spot(state[2])] = row
            state[0] += 1
            state[2] += 1
        codes[spot(row)] = number
    return len(codes)


@entry
def rehash_rows(keys: Any, count: int, table: Any) -> None:
    """File all numbers in a larger table."""
    mask = len(table) - 1
    for number in range(count):
        key = keys[spot(number)]
        place = (key ^ (key >> 29)) & mask
        while table[spot(place)] >= 0:
            place = (place + 1) & mask
        table[spot(place)] = number


@entry
def gather_records(
    codes: Any, ends: Any, records: Any, numbers: Any, given: Any, out_records: Any, out_numbers: Any
) -> None:
    """The records of pairs, one pair after the other; a number in `given` that is not NaN takes the place of theirs."""
    filled = 0
    for k in range(len(codes)):
        code = np.int64(codes[spot(k)])
        for r in range(ends[spot(code)], ends[spot(code + 1)]):
            for column in range(records.shape[1]):
                out_records[spot(filled), column] = records[spot(r), column]
            out_numbers[spot(filled), 0] = numbers[spot(r), 0]
            out_numbers[spot(filled), 1] = numbers[spot(r), 1]
            if len(given) and given[spot(k)] == given[spot(k)]:
                out_numbers[spot(filled), 0] = given[spot(k)]
                out_numbers[spot(filled), 1] = given[spot(k)]
            filled += 1
