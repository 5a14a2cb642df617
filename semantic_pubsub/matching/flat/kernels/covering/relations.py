"""What predicates say of each other: which imply which, which subscriptions cover which, how rarely each is satisfied.

A subscription covers another if each of its predicates is implied by one of the other's: an interval within an
interval, an item (a class, a list of values) below an item, on an attribute below its attribute.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, ints, longs
from semantic_pubsub.matching.arrays.bits import bits_of, hash_slot, spot
from semantic_pubsub.matching.arrays.compiling import entry, inner, rare
from semantic_pubsub.matching.flat.hmacd_layout import (
    IMPLIED,
    ITEM_EXISTS,
    SHARES,
    SPAN_BOUNDS,
    SPAN_VIEWS,
    VIEW_SEEN,
)
from semantic_pubsub.matching.flat.layout import (
    ATTR_GROUP,
    COLUMN_RANGE,
    COUNTS,
    N_EVENTS,
    PRED_LOWER,
    PRED_UPPER,
    PRED_VIEW,
    SLOT_COUNT,
    SLOT_START,
    SLOT_WIDTH,
    SLOTS,
    SPANS,
    VIEW_ATTR,
    VIEW_WHAT,
    VIEW_WIDTH,
    VIEWS,
)

__all__ = [
    "covers",
    "covers_slot",
    "follows",
    "groups_of",
    "hash_of",
    "is_same",
    "number_key",
    "order_span",
    "swap_places",
    "widen",
]

_GUESS = 0.03  # how often an event has an item or a single number, before any was seen
_PRESENT = 0.5  # how often it has an attribute
_WEIGHT = 16.0  # as so many events
_ATTRS = np.int64(1) << np.int64(62)  # tells pairs of attributes from pairs of items


@inner
def _is_implied(keys: Any, key: int) -> bool:
    mask = len(keys) - 1
    at = hash_slot(key, mask)
    while keys[spot(at)] >= 0:
        if keys[spot(at)] == key:
            return True
        at = (at + 1) & mask
    return False


@inner
def implies(a: Any, special: int, general: int) -> bool:
    """Whether whatever satisfies the predicate at one place of SPANS satisfies that at the other."""
    views, of_span, keys, bounds = ints(a, VIEWS), ints(a, SPAN_VIEWS), longs(a, IMPLIED), doubles(a, SPAN_BOUNDS)
    view, other = np.int64(of_span[spot(special)]), np.int64(of_span[spot(general)])
    if view == other:
        inside = bounds[spot(2 * general)] <= bounds[spot(2 * special)]
        return inside and bounds[spot(2 * special + 1)] <= bounds[spot(2 * general + 1)]
    view, other = view * VIEW_WIDTH, other * VIEW_WIDTH
    attr, above = np.int64(views[spot(view + VIEW_ATTR)]), np.int64(views[spot(other + VIEW_ATTR)])
    if attr != above and not _is_implied(keys, _ATTRS | attr << 31 | above):
        return False
    what, wanted = np.int64(views[spot(view + VIEW_WHAT)]), np.int64(views[spot(other + VIEW_WHAT)])
    if wanted < 0:
        inside = bounds[spot(2 * general)] <= bounds[spot(2 * special)]
        return what == wanted and inside and bounds[spot(2 * special + 1)] <= bounds[spot(2 * general + 1)]
    if what == wanted or ints(a, ITEM_EXISTS)[spot(wanted)]:
        return True
    return what >= 0 and _is_implied(keys, what << 31 | wanted)


@inner
def follows(a: Any, place: int, start: int, count: int) -> bool:
    """Whether the predicate at a place of SPANS follows from one of a run."""
    found = False
    for k in range(start, start + count):
        if implies(a, k, place):
            found = True
            break
    return found


@inner
def covers(a: Any, start: int, count: int, other_start: int, other_count: int) -> bool:
    """Whether the first run of predicates covers the second."""
    whole = True
    for k in range(start, start + count):
        if not follows(a, k, other_start, other_count):
            whole = False
            break
    return whole


@entry
def covers_slot(a: Any, slot: int, other: int) -> bool:
    """Whether a slot covers another."""
    slots = ints(a, SLOTS)
    one, two = slot * SLOT_WIDTH, other * SLOT_WIDTH
    return covers(a, slots[one + SLOT_START], slots[one + SLOT_COUNT], slots[two + SLOT_START], slots[two + SLOT_COUNT])


@inner
def is_same(a: Any, start: int, other: int, count: int) -> bool:
    """Whether two runs ask the same, in whatever order."""
    of_span, bounds = ints(a, SPAN_VIEWS), doubles(a, SPAN_BOUNDS)
    for k in range(start, start + count):
        found = False
        for m in range(other, other + count):
            found |= (
                of_span[spot(k)] == of_span[spot(m)]
                and bounds[spot(2 * k)] == bounds[spot(2 * m)]
                and bounds[spot(2 * k + 1)] == bounds[spot(2 * m + 1)]
            )
        if not found:
            return False
    return True


@inner
def _mixed(word: Any) -> Any:
    word ^= word >> np.uint64(29)
    word *= np.uint64(0xBF58476D1CE4E5B9)
    return word ^ (word >> np.uint64(32))


@inner
def number_key(view: int, number: float) -> int:
    """The hash of a view and a number."""
    word = np.uint64(bits_of(number + 0.0)) * np.uint64(11400714819323198485)
    return np.int64(_mixed(word ^ np.uint64(view) * np.uint64(0xD6E8FEB86659FD93)) >> np.uint64(1))


@rare
def hash_of(a: Any, start: int, count: int) -> int:
    """The same for all that ask the same."""
    of_span, bounds, whole = ints(a, SPAN_VIEWS), doubles(a, SPAN_BOUNDS), np.uint64(count)
    for k in range(start, start + count):
        view = np.int64(of_span[spot(k)])
        key = np.uint64(number_key(view, bounds[spot(2 * k)])) * np.uint64(3)
        whole += _mixed(key + np.uint64(number_key(view, bounds[spot(2 * k + 1)])))
    return np.int64(whole >> np.uint64(1))


@inner
def groups_of(a: Any, start: int, count: int) -> Any:
    """A bit for each group that a run is about: what covers it is about none beside them."""
    of_span, views, groups, found = ints(a, SPAN_VIEWS), ints(a, VIEWS), ints(a, ATTR_GROUP), np.uint64(0)
    for k in range(start, start + count):
        view = np.int64(of_span[spot(k)])
        group = groups[spot(views[spot(view * VIEW_WIDTH + VIEW_ATTR)])]
        found |= np.uint64(1) << np.uint64(group & 63)
    return found


@inner
def _share(a: Any, pred: int) -> float:
    """How many events satisfy a predicate, as far as is known."""
    view = np.int64(ints(a, PRED_VIEW)[spot(pred)])
    what = np.int64(ints(a, VIEWS)[spot(view * VIEW_WIDTH + VIEW_WHAT)])
    events, seen = longs(a, COUNTS)[N_EVENTS], longs(a, VIEW_SEEN)[spot(view)]
    if what >= 0:
        guess = 1.0 if ints(a, ITEM_EXISTS)[spot(what)] else _GUESS
        return (seen + guess * _WEIGHT) / (events + _WEIGHT)
    present = (seen + _PRESENT * _WEIGHT) / (events + _WEIGHT)
    lower, upper = doubles(a, PRED_LOWER)[spot(pred)], doubles(a, PRED_UPPER)[spot(pred)]
    if lower == upper:
        return present * _GUESS
    ranges, column = doubles(a, COLUMN_RANGE), ~what
    least, most = ranges[spot(2 * column)], ranges[spot(2 * column + 1)]
    inside = min(upper, most) - max(lower, least)
    if not inside > 0.0:
        return present * 1e-6
    return present * min(1.0, inside / (most - least))


@inner
def _note_bounds(a: Any, start: int, count: int) -> None:
    """Let the range of a column hold what is asked of it."""
    spans, of_pred, views, ranges = ints(a, SPANS), ints(a, PRED_VIEW), ints(a, VIEWS), doubles(a, COLUMN_RANGE)
    for k in range(start, start + count):
        pred = np.int64(spans[spot(k)])
        what = np.int64(views[spot(np.int64(of_pred[spot(pred)]) * VIEW_WIDTH + VIEW_WHAT)])
        if what < 0:
            widen(ranges, ~what, doubles(a, PRED_LOWER)[spot(pred)])
            widen(ranges, ~what, doubles(a, PRED_UPPER)[spot(pred)])


@inner
def widen(ranges: Any, column: int, number: float) -> None:
    """Let the range of a column hold a number; infinities say nothing."""
    if np.isfinite(number):
        if number < ranges[spot(2 * column)]:
            ranges[spot(2 * column)] = number
        if number > ranges[spot(2 * column + 1)]:
            ranges[spot(2 * column + 1)] = number


@inner
def swap_places(a: Any, one: int, other: int) -> None:
    """Exchange two predicates of a run."""
    spans, of_span, bounds = ints(a, SPANS), ints(a, SPAN_VIEWS), doubles(a, SPAN_BOUNDS)
    spans[spot(one)], spans[spot(other)] = spans[spot(other)], spans[spot(one)]
    of_span[spot(one)], of_span[spot(other)] = of_span[spot(other)], of_span[spot(one)]
    for k in range(2):
        mine, theirs = bounds[spot(2 * one + k)], bounds[spot(2 * other + k)]
        bounds[spot(2 * one + k)], bounds[spot(2 * other + k)] = theirs, mine


@rare
def order_span(a: Any, start: int, count: int) -> float:
    """Put the predicates of a run in order, the rarest first; gives how many events satisfy all, as a guess."""
    spans, shares, whole = ints(a, SPANS), doubles(a, SHARES), 1.0
    lower, upper, of_pred = doubles(a, PRED_LOWER), doubles(a, PRED_UPPER), ints(a, PRED_VIEW)
    _note_bounds(a, start, count)
    for k in range(count):
        pred = spans[spot(start + k)]
        share = _share(a, np.int64(pred))
        whole *= share
        at = k
        while at > 0 and shares[spot(at - 1)] > share:
            shares[spot(at)] = shares[spot(at - 1)]
            spans[spot(start + at)] = spans[spot(start + at - 1)]
            at -= 1
        shares[spot(at)] = share
        spans[spot(start + at)] = pred
    of_span, bounds = ints(a, SPAN_VIEWS), doubles(a, SPAN_BOUNDS)
    for k in range(start, start + count):
        pred = np.int64(spans[spot(k)])
        of_span[spot(k)] = of_pred[spot(pred)]
        bounds[spot(2 * k)], bounds[spot(2 * k + 1)] = lower[spot(pred)], upper[spot(pred)]
    return whole
