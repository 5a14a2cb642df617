"""Distinct vertices, distinct resources: what follows from it for sets of candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import inner

if TYPE_CHECKING:
    from semantic_pubsub.matching.graph.layout import View

__all__ = ["all_different_possible", "keep_distinct", "population"]

_ONE = np.uint64(1)


@inner
def population(number: int, words: int, domain: Any) -> int:
    """How many candidates a vertex has."""
    total = 0
    for w in range(words):
        left = domain[spot(number * words + w)]
        while left:
            left &= left - _ONE
            total += 1
    return total


@inner
def keep_distinct(vertices: int, v: View, domain: Any) -> bool:
    """Take the image of a settled vertex from all others (a literal may be shared); whether anything changed."""
    changed = False
    for number in range(vertices):
        if population(number, v.words, domain) != 1:
            continue
        for w in range(v.words):
            taken = domain[spot(number * v.words + w)] & v.resources[spot(w)]
            if not taken:
                continue
            for other in range(vertices):
                if other != number and domain[spot(other * v.words + w)] & taken:
                    domain[spot(other * v.words + w)] &= ~taken
                    changed = True
    return changed


@inner
def all_different_possible(vertices: int, v: View, domain: Any) -> bool:
    """Whether the vertices that must map to resources can have one each: a bipartite matching that leaves none out."""
    capacity = v.words << 6
    owner = np.full(capacity, -1, np.int64)
    origin = np.zeros(capacity, np.int64)
    visited = np.zeros(capacity, np.bool_)
    queue = np.empty(capacity + vertices + 1, np.int64)
    for number in range(vertices):
        literal = False
        for w in range(v.words):
            if domain[spot(number * v.words + w)] & ~v.resources[spot(w)]:
                literal = True
        if not literal and not _augment(number, v.words, domain, owner, origin, visited, queue):
            return False
    return True


@inner
def _augment(number: int, words: int, domain: Any, owner: Any, origin: Any, visited: Any, queue: Any) -> bool:
    """One augmenting path from a vertex to a resource that nobody has, breadth first."""
    for value in range(len(visited)):
        visited[spot(value)] = False
    head, tail = 0, 1
    queue[0] = number
    while head < tail:
        current = queue[spot(head)]
        head += 1
        for w in range(words):
            left = domain[spot(current * words + w)]
            while left:
                value = (w << 6) + lowest_bit(left)
                left &= left - _ONE
                if visited[spot(value)]:
                    continue
                visited[spot(value)] = True
                origin[spot(value)] = current
                if owner[spot(value)] < 0:
                    _hand_over(value, number, owner, origin)
                    return True
                queue[spot(tail)] = owner[spot(value)]
                tail += 1
    return False


@inner
def _hand_over(value: int, number: int, owner: Any, origin: Any) -> None:
    """Give each resource on the path to the vertex that led to it."""
    while True:
        taker = origin[spot(value)]
        previous = -1
        for other in range(len(owner)):
            if owner[spot(other)] == taker:
                previous = other
                break
        owner[spot(value)] = taker
        if taker == number:
            return
        owner[spot(previous)] = -1
        value = previous
