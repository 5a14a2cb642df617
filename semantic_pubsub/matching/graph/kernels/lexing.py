"""An event's N-Triples as integers: terms are found by the hash of their bytes, and by the bytes themselves.

pyoxigraph writes a triple faster than Python takes one apart. What it writes is canonical: two terms are equal if and
only if their bytes are. Names that were never seen are given back, to be looked up in the ontology once; numbers that
are not plain decimals of at most 15 digits are left to Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import free_entry, inner
from semantic_pubsub.matching.arrays.letters import hash_bytes, same_bytes
from semantic_pubsub.matching.graph.kernels.events import (
    ARCS,
    AT_ARCS,
    AT_CONSTANTS,
    AT_FLAGS,
    AT_TEXTS,
    AT_TYPES,
    HEADER,
    TOP_ROW,
    TYPES,
    VERTICES,
)
from semantic_pubsub.matching.graph.kernels.literals import copy_text, plain_number
from semantic_pubsub.matching.graph.kernels.names import known_place
from semantic_pubsub.matching.graph.layout import (
    IS_LITERAL,
    IS_NUMBER,
    IS_TEXT,
    IS_TYPED,
    NAME_CLASS,
    NAME_CONSTANT,
    NAME_DATATYPE,
    NAME_PROPERTY,
    ROW_OF_TYPE,
    ROW_UNUSED,
    VALUE_BITS,
    VALUE_DECIMAL,
    VALUE_INTEGER,
    VALUE_MASK,
    VALUE_TEXT,
)

__all__ = ["end_of_term", "lex"]

_NEWLINE, _QUOTE, _SPACE, _BACKSLASH = 10, 34, 32, 92
_LESS, _GREATER, _AT, _CARET, _MINUS = 60, 62, 64, 94, 45

# Results of `lex`, in `state`: how many vertices, numbers for Python, unknown names, bytes of text.
_VERTICES, _HARD, _UNKNOWN, _LETTERS = range(4)


@inner
def _look_up(
    data: Any, start: int, length: int, kind: int, hashes: Any, names: Any, letters: Any, unknown: Any, state: Any
) -> int:
    """Like `known_place`, and notes the name if it is not there."""
    place = known_place(data, start, length, kind, hashes, names, letters)
    if place < 0 and state[_UNKNOWN] < len(unknown):
        unknown[spot(state[_UNKNOWN]), 0] = kind
        unknown[spot(state[_UNKNOWN]), 1] = start
        unknown[spot(state[_UNKNOWN]), 2] = length
        state[_UNKNOWN] += 1
    return place


@inner
def _vertex(data: Any, start: int, length: int, origin: int, add: bool, table: Any, vertices: Any, state: Any) -> int:
    """The number of a vertex by its bytes; a new one is added, or is -1."""
    key = hash_bytes(data, start, length, 9)
    mask = len(table) - 1
    place = key & mask
    while table[spot(place)] >= 0:
        number = np.int64(table[spot(place)])
        same = vertices[spot(number), 0] == key and vertices[spot(number), 2] == length
        if same and same_bytes(data, start, data, vertices[spot(number), 1], length):
            return number
        place = (place + 1) & mask
    if not add:
        return np.int64(-1)
    number = state[_VERTICES]
    state[_VERTICES] += 1
    table[spot(place)] = number
    vertices[spot(number), 0] = key
    vertices[spot(number), 1] = start
    vertices[spot(number), 2] = length
    vertices[spot(number), 3] = origin
    return number


@inner
def end_of_term(data: Any, at: int) -> int:
    """Just behind the term that begins here."""
    if data[spot(at)] == _LESS:
        while data[spot(at)] != _GREATER:
            at += 1
        return at + 1
    if data[spot(at)] == _QUOTE:
        at += 1
        while data[spot(at)] != _QUOTE:
            at += 2 if data[spot(at)] == _BACKSLASH else 1
        at += 1
        if data[spot(at)] == _CARET:
            return _end_of_name(data, at + 2)
    while data[spot(at)] != _SPACE:
        at += 1
    return at


@inner
def _end_of_name(data: Any, at: int) -> int:
    while data[spot(at)] != _GREATER:
        at += 1
    return at + 1


@inner
def _literal(
    vertex: int, data: Any, vertices: Any, kinds: Any, names: Any, hashes: Any, letters: Any,
    numbers: Any, texts: Any, hard: Any, unknown: Any, state: Any, row: Any,
) -> int:  # fmt: skip
    """Flags of a literal; its number or letters are noted, and the row of its datatype."""
    start, length = vertices[spot(vertex), 1], vertices[spot(vertex), 2]
    end = start + length
    code = kinds[0]
    if data[spot(end - 1)] == _QUOTE:
        pass
    elif data[spot(end - 1)] == _GREATER:
        at = end - 1
        while data[spot(at)] != _LESS:
            at -= 1
        place = _look_up(data, at, end - at, NAME_DATATYPE, hashes, names, letters, unknown, state)
        if place < 0:
            return IS_LITERAL
        code = np.int64(names[spot(place), 1])
    else:
        directed = False
        at = end - 1
        while data[spot(at)] != _AT:
            directed |= data[spot(at)] == _MINUS and data[spot(at - 1)] == _MINUS
            at -= 1
        code = kinds[2] if directed else kinds[1]
    row[0] = code >> VALUE_BITS
    value = code & VALUE_MASK
    if value == VALUE_TEXT:
        state[_LETTERS] = copy_text(data, start + 1, texts, state[_LETTERS])
        return IS_LITERAL | IS_TEXT
    if value in (VALUE_INTEGER, VALUE_DECIMAL):
        read = plain_number(data, start + 1, value == VALUE_DECIMAL, numbers, vertex)
        if read >= 0:
            return IS_LITERAL | IS_NUMBER if read else IS_LITERAL
    if value >= VALUE_INTEGER:
        hard[spot(state[_HARD])] = vertex
        state[_HARD] += 1
    return IS_LITERAL


@inner
def _read_lines(
    data: Any, lines: int, hashes: Any, names: Any, letters: Any, table: Any, vertices: Any, arcs: Any, types: Any,
    unknown: Any, state: Any,
) -> tuple[int, int]:  # fmt: skip
    """Arcs as (subject, row, object), types as (start, length, row); how many of each."""
    arc_count, type_count = 0, 0
    at = 0
    for line in range(lines):
        subject, subject_end = at, end_of_term(data, at)
        prop, prop_end = subject_end + 1, end_of_term(data, subject_end + 1)
        value, value_end = prop_end + 1, end_of_term(data, prop_end + 1)
        at = value_end
        while data[spot(at)] != _NEWLINE:
            at += 1
        at += 1
        place = _look_up(data, prop, prop_end - prop, NAME_PROPERTY, hashes, names, letters, unknown, state)
        row = ROW_UNUSED if place < 0 else names[spot(place), 1]
        if row == ROW_UNUSED:
            continue
        if row < 0 and data[spot(value)] == _LESS:
            place = _look_up(data, value, value_end - value, NAME_CLASS, hashes, names, letters, unknown, state)
            if place >= 0:
                types[spot(3 * type_count)] = subject
                types[spot(3 * type_count + 1)] = subject_end - subject
                types[spot(3 * type_count + 2)] = names[spot(place), 1]
                type_count += 1
        if row == ROW_OF_TYPE:
            continue
        arcs[spot(3 * arc_count)] = _vertex(
            data, subject, subject_end - subject, 2 * line, True, table, vertices, state
        )
        arcs[spot(3 * arc_count + 1)] = row if row >= 0 else -3 - row
        arcs[spot(3 * arc_count + 2)] = _vertex(
            data, value, value_end - value, 2 * line + 1, True, table, vertices, state
        )
        arc_count += 1
    return arc_count, type_count


@inner
def _join(
    top_row: int, arcs: Any, arc_count: int, pairs: Any, pair_count: int, flags: Any, constants: Any, ends: Any
) -> Any:
    """All parts in one array, with a head that says where each begins."""
    count = len(flags)
    at_types = HEADER + 3 * arc_count
    at_flags = at_types + 2 * pair_count
    integers = np.empty(at_flags + 3 * count + 1, np.int32)
    integers[VERTICES] = count
    integers[ARCS] = arc_count
    integers[TYPES] = pair_count
    integers[AT_ARCS] = HEADER
    integers[AT_TYPES] = at_types
    integers[AT_FLAGS] = at_flags
    integers[AT_CONSTANTS] = at_flags + count
    integers[AT_TEXTS] = at_flags + 2 * count
    integers[TOP_ROW] = top_row
    for k in range(3 * arc_count):
        integers[spot(HEADER + k)] = arcs[spot(k)]
    for k in range(2 * pair_count):
        integers[spot(at_types + k)] = pairs[spot(k)]
    for k in range(count):
        integers[spot(at_flags + k)] = flags[spot(k)]
        integers[spot(at_flags + count + k)] = constants[spot(k)]
        integers[spot(at_flags + 2 * count + k)] = ends[spot(k)]
    integers[spot(at_flags + 3 * count)] = ends[spot(count)]
    return integers


@free_entry
def lex(
    data: Any, home: int, home_length: int, lines: int, top_row: int, kinds: Any,
    hashes: Any, names: Any, letters: Any, constant_hashes: Any, constant_names: Any, constant_letters: Any,
    state: Any, unknown: Any,
) -> Any:  # fmt: skip
    """(integers, numbers, texts, hard, origins) of an event written as N-Triples, home's name behind them.

    `kinds` are the codes of the datatypes of plain, tagged and directed texts. `origins` tells for each vertex in
    which triple it stands first, twice its number, plus one for the object; -1 for home.
    """
    size = 1
    while size < 4 * lines + 4:
        size *= 2
    table = np.full(size, -1, np.int32)
    vertices = np.empty((2 * lines + 1, 4), np.int64)
    arcs, types = np.empty(3 * lines, np.int32), np.empty(3 * lines, np.int64)
    _vertex(data, home, home_length, -1, True, table, vertices, state)
    arc_count, type_count = _read_lines(
        data, lines, hashes, names, letters, table, vertices, arcs, types, unknown, state
    )
    count = state[_VERTICES]
    flags, pairs, pair_count = np.zeros(count, np.int32), np.empty(2 * (type_count + count), np.int32), 0
    for k in range(type_count):
        vertex = _vertex(data, types[spot(3 * k)], types[spot(3 * k + 1)], 0, False, table, vertices, state)
        if vertex >= 0:
            flags[spot(vertex)] = IS_TYPED
            pairs[spot(2 * pair_count)] = vertex
            pairs[spot(2 * pair_count + 1)] = types[spot(3 * k + 2)]
            pair_count += 1
    numbers, texts = np.zeros(count, np.float64), np.empty(len(data), np.uint8)
    hard, origins = np.empty(count, np.int64), np.empty(count, np.int32)
    constants, ends = np.full(count, -1, np.int32), np.zeros(count + 1, np.int32)
    row = np.empty(1, np.int64)
    for vertex in range(count):
        start, length = vertices[spot(vertex), 1], vertices[spot(vertex), 2]
        origins[spot(vertex)] = vertices[spot(vertex), 3]
        if data[spot(start)] == _QUOTE:
            row[0] = -1
            flags[spot(vertex)] = _literal(
                vertex, data, vertices, kinds, names, hashes, letters, numbers, texts, hard, unknown, state, row
            )
            if row[0] >= 0:
                pairs[spot(2 * pair_count)] = vertex
                pairs[spot(2 * pair_count + 1)] = row[0]
                pair_count += 1
        if data[spot(start)] in (_QUOTE, _LESS):
            place = known_place(data, start, length, NAME_CONSTANT, constant_hashes, constant_names, constant_letters)
            if place >= 0:
                constants[spot(vertex)] = constant_names[spot(place), 1]
        ends[spot(vertex + 1)] = state[_LETTERS]
    return _join(top_row, arcs, arc_count, pairs, pair_count, flags, constants, ends), numbers, texts, hard, origins
