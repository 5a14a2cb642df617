"""Bit arrays over positions, the paper's BitSet (CTPS, section 4.1), in chunks of 4,096 bits: empty ones take no room.

A row is a list of chunks. `ROW_UNKNOWN` stands where no row was made yet, `ROW_NONE` where it would be empty.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints, longs, words
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.flat.layout import (
    BIT_ROW_COUNT,
    BIT_ROWS,
    CHUNK_BITS,
    CHUNK_COUNT,
    CHUNK_WORDS,
    CHUNKS,
    COUNTS,
    FREE_CHUNKS,
    FREE_ROWS,
    N_BIT_ROWS,
    N_CHUNKS,
    N_FREE_CHUNKS,
    N_FREE_ROWS,
    N_ROW_CHUNKS,
    ROW_COMBINED,
    ROW_NONE,
)

__all__ = ["BitAt", "add_bits", "bit_at", "change_bit", "clear_bit", "free_row", "new_row", "row_size", "set_bit"]

_ONE = np.uint64(1)
_NOTHING = np.uint64(0)


@inner
def new_row(a: Any) -> int:
    """An empty row."""
    counts, rows = longs(a, COUNTS), ints(a, BIT_ROWS)
    if counts[N_FREE_ROWS]:
        counts[N_FREE_ROWS] -= 1
        row = np.int64(ints(a, FREE_ROWS)[spot(counts[N_FREE_ROWS])])
    else:
        row = counts[N_BIT_ROWS]
        counts[N_BIT_ROWS] += 1
    width = counts[N_ROW_CHUNKS]
    for k in range(row * width, (row + 1) * width):
        rows[spot(k)] = -1
    ints(a, BIT_ROW_COUNT)[spot(row)] = 0
    return row


@inner
def row_size(a: Any, row: int) -> int:
    """How many bits are set."""
    return 0 if row < 0 else np.int64(ints(a, BIT_ROW_COUNT)[spot(row)]) & (ROW_COMBINED - 1)


@inner
def _new_chunk(a: Any) -> int:
    counts, chunks = longs(a, COUNTS), words(a, CHUNKS)
    if counts[N_FREE_CHUNKS]:
        counts[N_FREE_CHUNKS] -= 1
        chunk = np.int64(ints(a, FREE_CHUNKS)[spot(counts[N_FREE_CHUNKS])])
    else:
        chunk = counts[N_CHUNKS]
        counts[N_CHUNKS] += 1
    for k in range(chunk * CHUNK_WORDS, (chunk + 1) * CHUNK_WORDS):
        chunks[spot(k)] = _NOTHING
    ints(a, CHUNK_COUNT)[spot(chunk)] = 0
    return chunk


@inner
def _free_chunk(a: Any, chunk: int) -> None:
    counts = longs(a, COUNTS)
    ints(a, FREE_CHUNKS)[spot(counts[N_FREE_CHUNKS])] = chunk
    counts[N_FREE_CHUNKS] += 1


@inner
def set_bit(a: Any, row: int, slot: int) -> None:
    """Put a slot into a row."""
    rows, chunks = ints(a, BIT_ROWS), words(a, CHUNKS)
    at = row * longs(a, COUNTS)[N_ROW_CHUNKS] + slot // CHUNK_BITS
    chunk = np.int64(rows[spot(at)])
    if chunk < 0:
        chunk = _new_chunk(a)
        rows[spot(at)] = chunk
    word = chunk * CHUNK_WORDS + (slot % CHUNK_BITS >> 6)
    bit = _ONE << np.uint64(slot & 63)
    if chunks[spot(word)] & bit == _NOTHING:
        chunks[spot(word)] |= bit
        ints(a, CHUNK_COUNT)[spot(chunk)] += 1
        ints(a, BIT_ROW_COUNT)[spot(row)] += 1


@inner
def clear_bit(a: Any, row: int, slot: int) -> None:
    """Take a slot out of a row; a chunk that becomes empty is given back."""
    rows, chunks = ints(a, BIT_ROWS), words(a, CHUNKS)
    at = row * longs(a, COUNTS)[N_ROW_CHUNKS] + slot // CHUNK_BITS
    chunk = np.int64(rows[spot(at)])
    if chunk < 0:
        return
    word = chunk * CHUNK_WORDS + (slot % CHUNK_BITS >> 6)
    bit = _ONE << np.uint64(slot & 63)
    if chunks[spot(word)] & bit == _NOTHING:
        return
    chunks[spot(word)] &= ~bit
    counts = ints(a, CHUNK_COUNT)
    counts[spot(chunk)] -= 1
    ints(a, BIT_ROW_COUNT)[spot(row)] -= 1
    if counts[spot(chunk)] == 0:
        rows[spot(at)] = -1
        _free_chunk(a, chunk)


class BitAt(NamedTuple):
    """Where the bit of a slot is in any row: what many rows are changed with."""

    chunk: int
    word: int
    bit: Any
    width: int


@inner
def bit_at(a: Any, slot: int) -> BitAt:
    """The place of a slot's bit."""
    return BitAt(
        slot // CHUNK_BITS, slot % CHUNK_BITS >> 6, _ONE << np.uint64(slot & 63), longs(a, COUNTS)[N_ROW_CHUNKS]
    )


@inner
def change_bit(a: Any, row: int, slot: int, at: BitAt, put: bool) -> None:
    """Put a slot into a row whose size nobody asks for, or take it out."""
    chunk = np.int64(ints(a, BIT_ROWS)[spot(row * at.width + at.chunk)])
    if chunk < 0:
        if put:
            set_bit(a, row, slot)
        return
    chunks, sizes = words(a, CHUNKS), ints(a, CHUNK_COUNT)
    word = spot(chunk * CHUNK_WORDS + at.word)
    before = chunks[word]
    if put:
        chunks[word] = before | at.bit
        sizes[spot(chunk)] += (before & at.bit) == _NOTHING
        return
    chunks[word] = before & ~at.bit
    sizes[spot(chunk)] -= (before & at.bit) != _NOTHING
    if sizes[spot(chunk)] == 0:
        ints(a, BIT_ROWS)[spot(row * at.width + at.chunk)] = -1
        _free_chunk(a, chunk)


@inner
def free_row(a: Any, row: int) -> None:
    """Give a row and its chunks back."""
    counts, rows = longs(a, COUNTS), ints(a, BIT_ROWS)
    width = counts[N_ROW_CHUNKS]
    for k in range(row * width, (row + 1) * width):
        if rows[spot(k)] >= 0:
            _free_chunk(a, np.int64(rows[spot(k)]))
            rows[spot(k)] = -1
    ints(a, FREE_ROWS)[spot(counts[N_FREE_ROWS])] = row
    counts[N_FREE_ROWS] += 1


@inner
def add_bits(a: Any, target: int, source: int) -> None:
    """Put all slots of one row into another."""
    if source <= ROW_NONE or source < 0:
        return
    rows, chunks, sizes = ints(a, BIT_ROWS), words(a, CHUNKS), ints(a, CHUNK_COUNT)
    width = longs(a, COUNTS)[N_ROW_CHUNKS]
    for k in range(width):
        theirs = np.int64(rows[spot(source * width + k)])
        if theirs < 0:
            continue
        own = np.int64(rows[spot(target * width + k)])
        if own < 0:
            own = _new_chunk(a)
            rows[spot(target * width + k)] = own
        before = sizes[spot(own)]
        size = 0
        for w in range(CHUNK_WORDS):
            word = chunks[spot(own * CHUNK_WORDS + w)] | chunks[spot(theirs * CHUNK_WORDS + w)]
            chunks[spot(own * CHUNK_WORDS + w)] = word
            while word:
                word &= word - _ONE
                size += 1
        sizes[spot(own)] = size
        ints(a, BIT_ROW_COUNT)[spot(target)] += size - before
