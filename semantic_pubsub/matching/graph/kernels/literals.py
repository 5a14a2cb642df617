"""The values of literals, read from their bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import inner

__all__ = ["copy_text", "plain_number"]

_QUOTE, _BACKSLASH, _MINUS, _PLUS, _DOT = 34, 92, 45, 43, 46
_MOST_DIGITS = 15


@inner
def _hexadecimal(data: Any, at: int, digits: int) -> int:
    value = np.int64(0)
    for k in range(digits):
        sign = np.int64(data[spot(at + k)])
        value = value << 4 | (sign - 48 if sign < 58 else (sign & 31) + 9)
    return value


@inner
def _put_character(code: int, texts: Any, end: int) -> int:
    """One character in UTF-8."""
    if code < 0x80:
        texts[spot(end)] = code
        return end + 1
    if code < 0x800:
        texts[spot(end)] = 0xC0 | code >> 6
        texts[spot(end + 1)] = 0x80 | code & 0x3F
        return end + 2
    if code < 0x10000:
        texts[spot(end)] = 0xE0 | code >> 12
        texts[spot(end + 1)] = 0x80 | code >> 6 & 0x3F
        texts[spot(end + 2)] = 0x80 | code & 0x3F
        return end + 3
    texts[spot(end)] = 0xF0 | code >> 18
    texts[spot(end + 1)] = 0x80 | code >> 12 & 0x3F
    texts[spot(end + 2)] = 0x80 | code >> 6 & 0x3F
    texts[spot(end + 3)] = 0x80 | code & 0x3F
    return end + 4


@inner
def copy_text(data: Any, at: int, texts: Any, end: int) -> int:
    """The letters of a string that begins behind its quote, escapes undone; where they end in `texts`."""
    while data[spot(at)] != _QUOTE:
        if data[spot(at)] != _BACKSLASH:
            texts[spot(end)] = data[spot(at)]
            end += 1
            at += 1
            continue
        sign = data[spot(at + 1)]
        at += 2
        if sign in (117, 85):  # \u, \U
            digits = 4 if sign == 117 else 8
            end = _put_character(_hexadecimal(data, at, digits), texts, end)
            at += digits
            continue
        if sign == 110:
            sign = np.uint8(10)
        elif sign == 114:
            sign = np.uint8(13)
        elif sign == 116:
            sign = np.uint8(9)
        elif sign == 98:
            sign = np.uint8(8)
        elif sign == 102:
            sign = np.uint8(12)
        texts[spot(end)] = sign
        end += 1
    return end


@inner
def plain_number(data: Any, at: int, decimal: bool, numbers: Any, vertex: int) -> int:
    """YES (1) with the number noted, NO (0) if these are no digits, -1 if they are too many to be sure."""
    negative = data[spot(at)] == _MINUS
    if negative or data[spot(at)] == _PLUS:
        at += 1
    value = np.int64(0)
    digits = 0
    scale = -1
    while data[spot(at)] != _QUOTE:
        sign = np.int64(data[spot(at)])
        at += 1
        if sign == _DOT and decimal and scale < 0:
            scale = 0
            continue
        if sign < 48 or sign > 57:
            return 0
        digits += 1
        if digits > _MOST_DIGITS:
            return -1
        value = 10 * value + (sign - 48)
        if scale >= 0:
            scale += 1
    if digits == 0:
        return 0
    number = np.float64(value)
    power = 1.0
    for _ in range(scale):
        power *= 10.0
    if scale > 0:
        number /= power  # both are exact, so the quotient is the double nearest to the decimal
    numbers[spot(vertex)] = -number if negative else number
    return 1
