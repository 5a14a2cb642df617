"""Runs of bytes, compared and hashed eight at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import word_at
from semantic_pubsub.matching.arrays.compiling import inner

__all__ = ["hash_bytes", "same_bytes"]


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
