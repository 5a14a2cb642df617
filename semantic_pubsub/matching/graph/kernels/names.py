"""Names by their bytes: hashes, and tables of the names that are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import spot, word_at
from semantic_pubsub.matching.arrays.compiling import entry, inner

__all__ = ["hash_bytes", "insert_name", "known_place", "regrow", "same_bytes"]


@inner
def hash_bytes(data: Any, start: int, length: int, kind: int) -> int:
    """64 bits of a run of bytes, eight at a time; the buffer has eight more behind its end."""
    word = np.uint64(kind + 1) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(length)
    at, left = start, length
    while left >= 8:
        word = (word ^ word_at(data, at)) * np.uint64(0xBF58476D1CE4E5B9)
        word ^= word >> np.uint64(29)
        at += 8
        left -= 8
    if left:
        tail = word_at(data, at) & ((np.uint64(1) << np.uint64(8 * left)) - np.uint64(1))
        word = (word ^ tail) * np.uint64(0xBF58476D1CE4E5B9)
        word ^= word >> np.uint64(29)
    word *= np.uint64(0x94D049BB133111EB)
    return np.int64((word ^ (word >> np.uint64(32))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@inner
def same_bytes(one: Any, at: int, other: Any, there: int, length: int) -> bool:
    """Whether two runs of bytes are equal, eight at a time; both buffers have eight more behind their ends."""
    while length >= 8:
        if word_at(one, at) != word_at(other, there):
            return False
        at += 8
        there += 8
        length -= 8
    if not length:
        return True
    mask = (np.uint64(1) << np.uint64(8 * length)) - np.uint64(1)
    return (word_at(one, at) ^ word_at(other, there)) & mask == np.uint64(0)


@entry
def insert_name(name: Any, kind: int, value: int, hashes: Any, names: Any, at: int) -> None:
    """Put a name into the table of known ones; its bytes are at `at` in the table's letters."""
    key = hash_bytes(name, 0, len(name) - 8, kind)
    mask = len(hashes) - 1
    place = key & mask
    while hashes[spot(place)] >= 0:
        place = (place + 1) & mask
    hashes[spot(place)] = key
    names[spot(place), 0] = kind
    names[spot(place), 1] = value
    names[spot(place), 2] = at
    names[spot(place), 3] = len(name) - 8


@entry
def regrow(hashes: Any, names: Any, new_hashes: Any, new_names: Any) -> None:
    """Copy a table of known names into a larger one."""
    mask = len(new_hashes) - 1
    for old in range(len(hashes)):
        if hashes[spot(old)] >= 0:
            place = hashes[spot(old)] & mask
            while new_hashes[place] >= 0:
                place = (place + 1) & mask
            new_hashes[place] = hashes[spot(old)]
            for column in range(4):
                new_names[place, column] = names[spot(old), spot(column)]


@inner
def known_place(data: Any, start: int, length: int, kind: int, hashes: Any, names: Any, letters: Any) -> int:
    """Where a name is in the table of known ones, or -1."""
    key = hash_bytes(data, start, length, kind)
    mask = len(hashes) - 1
    place = key & mask
    while hashes[spot(place)] >= 0:
        same = hashes[spot(place)] == key and names[spot(place), 0] == kind and names[spot(place), 3] == length
        if same and same_bytes(data, start, letters, names[spot(place), 2], length):
            return place
        place = (place + 1) & mask
    return np.int64(-1)
