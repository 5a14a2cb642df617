"""Siena's poset: subscriptions below those that cover them; an event goes down only where it matches.

Carzaniga, Rosenblum, Wolf: *Design and evaluation of a wide-area event notification service*, TOCS 19 (3), 2001,
section 4; as a forest (poset-tree) it is what HMACD starts from and compares with: Wu et al., section 1.2.

| paper | here |
|---|---|
| s1 covers s2: whatever matches s2 matches s1 | `_covers`: each predicate of s1 contains one of s2 |
| roots: subscriptions that none covers | children of the root, which asks for nothing |
| insertion: walk down from the roots, then adopt what the new one covers | `_insert` |
| matching: candidates are roots, then successors of what matched (HMACD, algorithm 1) | `_match` |
| removal: predecessors and successors are linked | `_delete` |

Departure, in its favour: Siena's poset keeps all immediate predecessors, the forest one. A subscription is looked at
if that one matches, in a poset already if any of them does.

Insertion compares with all roots: with few covering relations it is quadratic, as in the original.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Ends, IntervalIndex, Numbers
from benchmarks.competitors.scan import holds
from semantic_pubsub.matching.arrays.compiling import entry, inner

__all__ = ["Siena"]


class _Forest(NamedTuple):
    """By number plus one; 0 is the root above all."""

    child: npt.NDArray[np.int32]
    previous: npt.NDArray[np.int32]
    following: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]


class Siena(IntervalIndex):
    """A forest of covering relations."""

    name = "siena"

    def __init__(self, lowest: Ends, highest: Ends) -> None:
        super().__init__(lowest, highest)
        self._forest = _Forest(*(np.zeros(1, np.int32) for _ in _Forest._fields))
        self._stack = np.empty(1, np.int32)
        self._row = np.full(self.width, np.nan)

    def _resized(self, number: int) -> None:
        larger = [np.zeros(number + 1, np.int32) for _ in self._forest]
        for new, old in zip(larger, self._forest, strict=True):
            new[: len(old)] = old
        self._forest = _Forest(*larger)
        self._stack = np.empty(number + 1, np.int32)

    def _insert(self, first: int, last: int) -> None:
        for number in range(first, last):
            _insert(number, self.rows, self._forest)

    def _delete(self, number: int) -> None:
        _delete(number + 1, self._forest)

    def _find(self, attributes: Numbers, values: Ends) -> int:
        self._row[attributes] = values
        found = _match(self._row, self.rows, self._forest, self._stack, self._found)
        self._row[attributes] = np.nan
        return found

    def _index_bytes(self) -> int:
        return sum(array.nbytes for array in self._forest)


@inner
def _covers(attributes, lower, upper, counts, one, other):
    """Whether each predicate of one contains some predicate of the other on its attribute."""
    for a in range(counts[one]):
        is_met = False
        for b in range(counts[other]):
            if (
                attributes[one, a] == attributes[other, b]
                and lower[one, a] <= lower[other, b]
                and upper[other, b] <= upper[one, a]
            ):
                is_met = True
                break
        if not is_met:
            return False
    return True


@entry
def _insert(number, rows, forest):
    attributes, lower, upper, counts = rows
    child, _, following, _ = forest
    above, at = 0, child[0]
    while at > 0:
        if _covers(attributes, lower, upper, counts, at - 1, number):
            above, at = at, child[at]
        else:
            at = following[at]
    own = number + 1
    child[own] = 0
    at = child[above]
    while at > 0:
        after = following[at]
        if _covers(attributes, lower, upper, counts, number, at - 1):
            _unlink(at, forest)
            _link(at, own, forest)
        at = after
    _link(own, above, forest)


@inner
def _link(own, above, forest):
    first = forest.child[above]
    forest.parent[own], forest.previous[own], forest.following[own] = above, 0, first
    if first > 0:
        forest.previous[first] = own
    forest.child[above] = own


@inner
def _unlink(own, forest):
    before, after = forest.previous[own], forest.following[own]
    if before > 0:
        forest.following[before] = after
    else:
        forest.child[forest.parent[own]] = after
    if after > 0:
        forest.previous[after] = before


@entry
def _delete(own, forest):
    above = forest.parent[own]
    _unlink(own, forest)
    at = forest.child[own]
    while at > 0:
        following = forest.following[at]
        _link(at, above, forest)
        at = following


@entry
def _match(row, rows, forest, stack, found):
    attributes, lower, upper, counts = rows
    child, _, following, _ = forest
    count, top, at = 0, 0, child[0]
    while True:
        while at > 0:
            if holds(attributes, lower, upper, counts, at - 1, row):
                found[count] = at - 1
                count += 1
                if child[at] > 0:
                    stack[top] = child[at]
                    top += 1
            at = following[at]
        if top == 0:
            return count
        top -= 1
        at = stack[top]
