"""Home of an event in its N-Triples, by the rules of `events.home`, without a term made in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import entry, inner
from semantic_pubsub.matching.arrays.letters import hash_bytes, same_bytes
from semantic_pubsub.matching.graph.kernels.lexing import end_of_term

__all__ = ["find_home"]

_NEWLINE, _UNDERSCORE, _H, _LESS, _DOT = 10, 95, 72, 60, 46
_SUBJECT, _ENTERED, _TYPED = 1, 2, 4  # what a vertex was seen as


@inner
def _is_named_home(data: Any, start: int, end: int) -> bool:
    return end - start == 3 and data[spot(start)] == _UNDERSCORE and data[spot(start + 2)] == _H


@inner
def _note(data: Any, start: int, end: int, role: int, table: Any, places: Any, roles: Any, count: int) -> int:
    """Add a role to a vertex; gives how many vertices there are then."""
    mask = len(table) - 1
    at = hash_bytes(data, start, end - start, 5) & mask
    while table[spot(at)] >= 0:
        number = np.int64(table[spot(at)])
        begin, length = places[spot(number), 0], places[spot(number), 1] - places[spot(number), 0]
        if length == end - start and same_bytes(data, start, data, begin, length):
            roles[spot(number)] |= role
            return count
        at = (at + 1) & mask
    table[spot(at)] = count
    places[spot(count), 0], places[spot(count), 1] = start, end
    roles[spot(count)] = role
    return count + 1


@inner
def _only_one(places: Any, roles: Any, count: int) -> tuple[int, int]:
    """The only subject of an arc that no other leads to; without any arc the only subject."""
    found, candidates, subjects, typed = -1, 0, 0, 0
    for number in range(count):
        role = roles[spot(number)]
        subjects += role & _SUBJECT != 0
        typed += role & _TYPED != 0
        if role & _SUBJECT and not role & _ENTERED:
            found = number
            candidates += 1
    if subjects == 0 and typed == 1:
        for number in range(count):
            if roles[spot(number)] & _TYPED:
                found, candidates = number, 1
    if candidates != 1:
        return -1, 0
    return places[spot(found), 0], places[spot(found), 1] - places[spot(found), 0]


@entry
def find_home(data: Any, lines: int, rdf_type: Any) -> tuple[int, int]:
    """Where home's name stands, and how long it is; -1 where the rules find none or several, or a line has a graph.

    `data` has eight bytes more than its lines, `rdf_type` eight more than its name.
    """
    size = 1
    while size < 4 * lines + 4:
        size *= 2
    table, places = np.full(size, -1, np.int32), np.empty((2 * lines + 1, 2), np.int64)
    roles, count = np.zeros(2 * lines + 1, np.uint8), 0
    at, named = 0, -1
    for _ in range(lines):
        subject, subject_end = at, end_of_term(data, at)
        if _is_named_home(data, subject, subject_end):
            named = subject
        prop, prop_end = subject_end + 1, end_of_term(data, subject_end + 1)
        value, value_end = prop_end + 1, end_of_term(data, prop_end + 1)
        at = value_end
        if data[spot(at + 1)] != _DOT:
            return -1, 0
        while data[spot(at)] != _NEWLINE:
            at += 1
        at += 1
        if named >= 0:
            continue
        width = prop_end - prop
        is_type = width == len(rdf_type) - 8 and same_bytes(data, prop, rdf_type, 0, width)
        count = _note(data, subject, subject_end, _TYPED if is_type else _SUBJECT, table, places, roles, count)
        is_resource = data[spot(value)] == _LESS or data[spot(value)] == _UNDERSCORE
        if is_type or not is_resource:
            continue
        itself = value_end - value == subject_end - subject and same_bytes(
            data, subject, data, value, value_end - value
        )
        if not itself:
            if _is_named_home(data, value, value_end):
                named = value
            count = _note(data, value, value_end, _ENTERED, table, places, roles, count)
    if named >= 0:
        return named, 3
    return _only_one(places, roles, count)
