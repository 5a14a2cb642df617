"""OpIndex: partitions by a pivot attribute, then by operator, and counters.

Zhang, Chan, Tan: *An efficient publish/subscribe index for e-commerce databases*, PVLDB 7 (8), 2014.

| paper | here |
|---|---|
| pivot attribute: the one of a subscription that events have most rarely | `frequencies`, `_pivot` |
| first level: a partition for each pivot attribute, in it a list for each attribute | a group for each pair of them |
| second level: a list for each operator | ≥ and ≤ in lists 2g and 2g + 1, = in segments of its own |
| lists of = in hashed segments, a signature of w bits says which are not empty | `_SEGMENTS`, `signatures` |
| counter arrays of the partitions that an event's attributes select | a counter with the number of the event |

An interval is two predicates, ≥ and ≤, unless a side is open: the paper's model has operators, not intervals.

In its favour: among equally frequent attributes the pivot is the one with fewest subscriptions so far, so that
partitions are even; counters are set when they are first met, so that nothing is done for other partitions, and a
match is seen when the counter ends. Groups and segments are found in one hash table and take no room while empty.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Ends, IntervalIndex, Numbers
from benchmarks.competitors.lists import Pool, append, discard, has_room
from semantic_pubsub.matching.arrays.compiling import entry, inner

__all__ = ["OpIndex"]

_SEGMENTS: Final = 31  # w in the GEM-Tree paper's table 1
_OF_SEGMENTS: Final = 1 << 44
_PREDICATES: Final = 255
_MIX: Final = 0x9E3779B97F4A7C15


class _State(NamedTuple):
    """What kernels read beside the lists. Counters: the event's number above 8 bits, what is left to satisfy below."""

    keys: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int32]
    signatures: npt.NDArray[np.uint32]
    own: npt.NDArray[np.int64]  # lists in use, keys in use
    pivots: npt.NDArray[np.int64]
    frequencies: npt.NDArray[np.float64]
    pivot_of: npt.NDArray[np.int32]
    needed: npt.NDArray[np.uint8]
    counters: npt.NDArray[np.uint32]


class OpIndex(IntervalIndex):
    """Lists of predicates by pivot, attribute and operator. `frequencies`: how often events have each attribute."""

    name = "opindex"
    reads_rows = False

    def __init__(self, lowest: Ends, highest: Ends, frequencies: Ends | None = None) -> None:
        super().__init__(lowest, highest)
        often = np.ones(self.width) if frequencies is None else np.asarray(frequencies, np.float64)
        self._pool = Pool(1 << 8, valued=True)
        keys, groups = np.full(1 << 8, -1, np.int64), np.zeros(1 << 8, np.int32)
        self._state = _State(
            keys,
            groups,
            np.zeros(1 << 8, np.uint32),
            np.zeros(2, np.int64),
            np.zeros(self.width + 1, np.int64),  # the last one: subscriptions without any predicate
            often,
            np.empty(0, np.int32),
            np.empty(0, np.uint8),
            np.empty(0, np.uint32),
        )
        self._events = 0

    def _resized(self, number: int) -> None:
        pivot_of, needed = np.full(number, -1, np.int32), np.zeros(number, np.uint8)
        pivot_of[: len(self._state.pivot_of)] = self._state.pivot_of
        needed[: len(self._state.needed)] = self._state.needed
        self._state = self._state._replace(pivot_of=pivot_of, needed=needed, counters=np.zeros(number, np.uint32))
        self._events = 0

    def _insert(self, first: int, last: int) -> None:
        if 2 * self.rows.attributes.shape[1] > _PREDICATES:
            raise ValueError(f"at most {_PREDICATES // 2} predicates a subscription")
        while first < last:
            self._make_room()
            first = _insert(self._pool.lists, first, last, self.rows, self._state)

    def _make_room(self) -> None:
        """For the longest subscription at least."""
        lists, state = self._pool.lists, self._state
        most = 4 * (self.rows.attributes.shape[1] + 1)
        if 2 * (state.own[1] + most) > len(state.keys):
            keys, groups = np.full(2 * len(state.keys), -1, np.int64), np.zeros(2 * len(state.keys), np.int32)
            _rehash(state.keys, state.groups, keys, groups)
            self._state = state = state._replace(keys=keys, groups=groups)
        if state.own[0] + most > len(lists.heads):
            self._pool.more_lists(int(state.own[0]) + most)
            signatures = np.zeros(len(self._pool.lists.heads), np.uint32)
            signatures[: len(state.signatures)] = state.signatures
            self._state = state._replace(signatures=signatures)
        if not self._pool.has_room(most):
            self._pool.grow()

    def _delete(self, number: int) -> None:
        _delete(self._pool.lists, number, self.rows, self._state)

    def _find(self, attributes: Numbers, values: Ends) -> int:
        self._events += 1
        if self._events == 1 << 24:
            self._state.counters[:] = 0
            self._events = 1
        count = 0
        if self._state.pivots[-1]:
            always = np.flatnonzero(self.rows.counts[: self.size] == 0)
            count = len(always)
            self._found[:count] = always
        return _match(self._pool.lists, attributes, values, self._state, np.uint32(self._events), self._found, count)

    def _index_bytes(self) -> int:
        lists = self._pool.lists
        unused = (len(lists.heads) - int(self._state.own[0])) * 8
        return self._pool.nbytes - unused + sum(array.nbytes for array in self._state)


@inner
def _place(keys, key):
    """Where a key is in the table, or would be."""
    mask = np.uint64(keys.size - 1)
    mixed = np.uint64(key) * np.uint64(_MIX)
    at = (mixed ^ (mixed >> np.uint64(29))) & mask
    while keys[at] != -1 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return at


@entry
def _rehash(keys, groups, new_keys, new_groups):
    for at in range(keys.size):
        if keys[at] != -1:
            place = _place(new_keys, keys[at])
            new_keys[place] = keys[at]
            new_groups[place] = groups[at]


@inner
def _known(keys, groups, key):
    at = _place(keys, key)
    return groups[at] if keys[at] == key else -1


@inner
def _made(state, key, lists_of_it):
    """The first list of a key; a new key gets lists."""
    at = _place(state.keys, key)
    if state.keys[at] != key:
        state.keys[at] = key
        state.groups[at] = state.own[0]
        state.own[0] += lists_of_it
        state.own[1] += 1
    return state.groups[at]


@inner
def _segment(value):
    """Which of the segments; a multiplication spreads values that are close, adding zero makes one of two zeros."""
    return int(abs((value + 0.0) * 0.6180339887498949 % 1.0) * _SEGMENTS) % _SEGMENTS if np.isfinite(value) else 0


@inner
def _segment_key(group, segment):
    return _OF_SEGMENTS + np.int64(group) * 32 + segment


@inner
def _pivot(rows, number, state):
    best = -1
    for column in range(rows.counts[number]):
        one = rows.attributes[number, column]
        if (
            best < 0
            or state.frequencies[one] < state.frequencies[best]
            or (state.frequencies[one] == state.frequencies[best] and state.pivots[one] < state.pivots[best])
        ):
            best = one
    return best


@entry
def _insert(lists, first, last, rows, state):
    width = state.frequencies.size
    for number in range(first, last):
        most = 4 * (rows.counts[number] + 1)
        if (
            not has_room(lists, most)
            or state.own[0] + most > lists.heads.size
            or (2 * (state.own[1] + most) > state.keys.size)
        ):
            return number
        pivot = _pivot(rows, number, state)
        state.pivot_of[number] = pivot
        state.pivots[pivot] += 1
        needed = 0
        for column in range(rows.counts[number]):
            low, high = rows.lower[number, column], rows.upper[number, column]
            group = _made(state, np.int64(pivot) * width + rows.attributes[number, column], 2)
            if low == high:
                segment = _segment(low)
                state.signatures[group] |= np.uint32(1) << np.uint32(segment)
                append(lists, _made(state, _segment_key(group, segment), 1), number, low)
                needed += 1
                continue
            # A predicate without any bound only asks for the attribute: x >= -inf says so.
            if low > -np.inf or high == np.inf:
                append(lists, group, number, low)
                needed += 1
            if high < np.inf:
                append(lists, group + 1, number, high)
                needed += 1
        state.needed[number] = needed
        state.counters[number] = 0
    return last


@entry
def _delete(lists, number, rows, state):
    keys, groups = state.keys, state.groups
    pivot = state.pivot_of[number]
    state.pivots[pivot] -= 1
    for column in range(rows.counts[number]):
        low, high = rows.lower[number, column], rows.upper[number, column]
        group = _known(keys, groups, np.int64(pivot) * state.frequencies.size + rows.attributes[number, column])
        if low == high:
            discard(lists, _known(keys, groups, _segment_key(group, _segment(low))), number)
            continue
        if low > -np.inf or high == np.inf:
            discard(lists, group, number)
        if high < np.inf:
            discard(lists, group + 1, number)


@entry
def _match(lists, attributes, values, state, event, found, count):
    ids, ends, heads, fills, _ = lists
    keys, groups, signatures, _, pivots, frequencies, _, needed, counters = state
    for first in range(attributes.size):
        pivot = attributes[first]
        if pivots[pivot] == 0:
            continue
        base = np.int64(pivot) * frequencies.size
        for at in range(attributes.size):
            group = _known(keys, groups, base + attributes[at])
            if group < 0:
                continue
            value = values[at]
            for side in range(3):  # x >= v; x <= v, which is -x >= -v; x = v
                which, asked, sign = group + side, value, 1.0
                if side == 1:
                    asked, sign = -value, -1.0
                elif side == 2:
                    segment = _segment(value)
                    if not signatures[group] >> np.uint32(segment) & np.uint32(1):
                        continue
                    which = _known(keys, groups, _segment_key(group, segment))
                place, fill = heads[which], fills[which]
                while place >= 0:
                    count = _satisfied(
                        ids, ends, place, fill, asked, sign, side == 2, needed, counters, event, found, count
                    )
                    place = ids[place - 2]
                    fill = ids[place - 1] if place >= 0 else 0
    return count


@inner
def _satisfied(ids, ends, start, fill, value, sign, is_equality, needed, counters, event, found, count):
    """All predicates of a chunk, in no order; a counter begins when an event first meets it."""
    numbers, ends = ids.view(np.uint32)[start : start + fill], ends[start : start + fill]
    for place in range(numbers.size):
        end = sign * ends[place]
        if end == value if is_equality else end <= value:
            number = numbers[place]
            counter = counters[number]
            if counter >> np.uint32(8) != event:
                counter = (event << np.uint32(8)) | np.uint32(needed[number])
            counter -= np.uint32(1)
            counters[number] = counter
            if counter & np.uint32(255) == np.uint32(0):
                found[count] = number
                count += 1
    return count
