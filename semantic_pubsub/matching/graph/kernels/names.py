"""Tables of the names that are known, by their bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import entry, inner
from semantic_pubsub.matching.arrays.letters import hash_bytes, same_bytes

__all__ = ["insert_name", "known_place", "regrow"]


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
