"""Where a slot waits: under its rarest predicate if that is rare enough, else in the bit rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, ints, longs, words
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import entry, inner
from semantic_pubsub.matching.flat.kernels.bit_index import attr_of, change_slot, drop_cells, drop_closures, what_of
from semantic_pubsub.matching.flat.kernels.bit_rows import clear_bit, new_row, set_bit
from semantic_pubsub.matching.flat.kernels.pivots import (
    copy_rows,
    find_bucket,
    hash_bucket,
    pivot_key,
    put_row,
    take_row,
)
from semantic_pubsub.matching.flat.layout import (
    ATTR_GROUP,
    BIT_ROW_COUNT,
    BIT_ROWS,
    BIT_SLOT,
    BUCKET_BORN,
    BUCKET_COUNT,
    BUCKET_SEEN,
    BUCKET_WIDTH,
    BUCKETS,
    CELLS,
    CHUNK_BITS,
    CHUNK_COUNT,
    CHUNK_WORDS,
    CHUNKS,
    COLUMN_BUCKET,
    COLUMN_LEVELS,
    COLUMN_RANGE,
    COLUMN_SEEN,
    COUNTS,
    FREE,
    FREE_POSITION,
    HASH_KEYS,
    HASH_VALUES,
    IN_BITS,
    ITEM_BUCKET,
    ITEM_SEEN,
    LIVE_ROW,
    N_BIT_ROWS,
    N_BUCKETS,
    N_CHUNKS,
    N_EVENTS,
    N_GROUPS,
    N_HASHED,
    N_IN_BITS,
    N_PLACES,
    N_POSITIONS,
    N_ROW_CHUNKS,
    PRED_LOWER,
    PRED_UPPER,
    SLACK,
    SLOT_BUCKET,
    SLOT_COUNT,
    SLOT_INDEX,
    SLOT_START,
    SLOT_WIDTH,
    SLOTS,
    SPANS,
)

__all__ = [
    "compact_rows",
    "file_new_slot",
    "file_slots",
    "forget_cells",
    "forget_closures",
    "order_positions",
    "rarest_rates",
    "rehash",
    "start_rows",
    "unfile_slot",
]

_GUESS = 0.03  # how often an item or a number is in an event, before any was seen
_WEIGHT = 4.0  # as so many events
_PLAINLY = 8.0  # by its width so many times as frequent as a rare one: then events will not be found to differ
_WIDTH = 64.0  # of more groups than that, before any event was seen, only so many are in an event
_FEW, _SELDOM = 16, 0.02  # who waits for any number of a seldom column, while they are few, is not worth a cell
_UNFILED = -3
_NEW, _NONE, _NEW_WHOLE = -1, -2, -3  # instead of a bucket


@inner
def _rate(seen: float, events: float, guess: float) -> float:
    return (seen + guess * _WEIGHT) / (events + _WEIGHT)


@inner
def _presence(a: Any, column: int) -> float:
    """How often an event has a number of a column."""
    counts = longs(a, COUNTS)
    return _rate(ints(a, COLUMN_SEEN)[spot(column)], counts[N_EVENTS], min(1.0, _WIDTH / counts[N_GROUPS]))


@inner
def _pivot(a: Any, pred: int, rare: float) -> tuple[float, int, int]:
    """How often an event activates a predicate, its bucket (or what kind is to be made), and how many wait there.
    Intervals of which it is plain that they are not as rare as that are not looked up."""
    item = what_of(a, pred)
    counts, buckets = longs(a, COUNTS), ints(a, BUCKETS)
    events = counts[N_EVENTS]
    if item >= 0:
        bucket = np.int64(ints(a, ITEM_BUCKET)[spot(item)])
        load = np.int64(buckets[spot(bucket * BUCKET_WIDTH + BUCKET_COUNT)]) if bucket >= 0 else 0
        return _rate(ints(a, ITEM_SEEN)[spot(item)], events, _GUESS), bucket, load
    column = ~item
    presence = _presence(a, column)
    whole, load = np.int64(ints(a, COLUMN_BUCKET)[spot(column)]), 0
    if presence >= rare:
        whole = np.int64(_NONE)
    elif whole >= 0:
        load = np.int64(buckets[spot(whole * BUCKET_WIDTH + BUCKET_COUNT)])
    else:
        whole = np.int64(_NEW_WHOLE)
    if whole != _NONE and load < _FEW and presence < _SELDOM:
        return presence, whole, load
    rate, bucket, waiting = _cell(a, pred, column, presence, rare)
    return (presence, whole, load) if whole != _NONE and presence <= rate else (rate, bucket, waiting)


@inner
def _cell(a: Any, pred: int, column: int, presence: float, rare: float) -> tuple[float, int, int]:
    """The same for the cell of an interval, or a number by itself."""
    lower, upper = doubles(a, PRED_LOWER)[spot(pred)], doubles(a, PRED_UPPER)[spot(pred)]
    ranges = doubles(a, COLUMN_RANGE)
    width = ranges[spot(2 * column + 1)] - ranges[spot(2 * column)]
    # Of single numbers there are as many as whole ones in the range, or more.
    guess = presence * (min(_GUESS, 1.0 / (width + 1.0)) if width > 0.0 else _GUESS)
    if lower < upper:
        guess = presence * (min(1.0, (upper - lower) / width) if width > 0.0 else 0.3)
        if guess > _PLAINLY * rare:
            return 2.0, np.int64(_NONE), 0
    key, _ = pivot_key(column, lower, upper)
    if key < 0:
        return 2.0, np.int64(_NONE), 0
    bucket = find_bucket(a, key)
    if bucket < 0:
        return _rate(0.0, 0.0, guess), np.int64(_NEW), 0
    buckets, base = ints(a, BUCKETS), bucket * BUCKET_WIDTH
    age = longs(a, COUNTS)[N_EVENTS] - np.int64(buckets[spot(base + BUCKET_BORN)])
    rate = _rate(buckets[spot(base + BUCKET_SEEN)], age, guess)
    return rate, bucket, np.int64(buckets[spot(base + BUCKET_COUNT)])


@inner
def _new_bucket(a: Any, pred: int, kind: int) -> int:
    """A bucket for a predicate that nobody waits under yet, or (_NEW_WHOLE) for any number of its column."""
    counts, buckets = longs(a, COUNTS), ints(a, BUCKETS)
    bucket = counts[N_BUCKETS]
    counts[N_BUCKETS] += 1
    for k in range(BUCKET_WIDTH):
        buckets[spot(bucket * BUCKET_WIDTH + k)] = 0
    buckets[spot(bucket * BUCKET_WIDTH + BUCKET_BORN)] = counts[N_EVENTS]
    item = what_of(a, pred)
    if item >= 0:
        ints(a, ITEM_BUCKET)[spot(item)] = bucket
    elif kind == _NEW_WHOLE:
        ints(a, COLUMN_BUCKET)[spot(~item)] = bucket
    else:
        key, level = pivot_key(~item, doubles(a, PRED_LOWER)[spot(pred)], doubles(a, PRED_UPPER)[spot(pred)])
        hash_bucket(a, key, bucket)
        levels = longs(a, COLUMN_LEVELS)
        levels[spot(~item)] = np.int64(np.uint64(levels[spot(~item)]) | level)
    return bucket


@inner
def _room_for(a: Any, preds: int) -> bool:
    """Whether the tables have a place for whatever filing so many preds can make."""
    counts = longs(a, COUNTS)
    rows = preds * (2 * CELLS + 4) + 4
    return (
        len(ints(a, BIT_ROW_COUNT)) - counts[N_BIT_ROWS] >= rows
        and len(ints(a, CHUNK_COUNT)) - counts[N_CHUNKS] >= rows
        and len(ints(a, BUCKETS)) // BUCKET_WIDTH > counts[N_BUCKETS] + 1
        and len(longs(a, HASH_KEYS)) > 2 * (counts[N_HASHED] + 1)
        and len(ints(a, BIT_SLOT)) > counts[N_POSITIONS] + SLACK
        and counts[N_ROW_CHUNKS] * CHUNK_BITS > counts[N_POSITIONS]
    )


@inner
def _take_out(a: Any, slot: int) -> None:
    counts = longs(a, COUNTS)
    bucket = ints(a, SLOTS)[spot(slot * SLOT_WIDTH + SLOT_BUCKET)]
    if bucket >= 0:
        take_row(a, slot)
    elif bucket == IN_BITS:
        position = np.int64(ints(a, SLOTS)[spot(slot * SLOT_WIDTH + SLOT_INDEX)])
        clear_bit(a, LIVE_ROW, position)
        change_slot(a, slot, position, False)
        ints(a, BIT_SLOT)[spot(position)] = ~counts[FREE_POSITION]
        counts[FREE_POSITION] = position
        counts[N_IN_BITS] -= 1
    ints(a, SLOTS)[spot(slot * SLOT_WIDTH + SLOT_BUCKET)] = _UNFILED


@inner
def _order(a: Any, slot: int, pivot: int) -> None:
    """The rarest predicates first, the one that it waits under last: a look ends as soon as it can."""
    slots, spans = ints(a, SLOTS), ints(a, SPANS)
    start = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    count = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)])
    for k in range(start + 1, start + count):
        moving = np.int64(spans[spot(k)])
        rate = 9.0 if moving == pivot else _expected(a, moving)
        at = k
        while at > start:
            other = np.int64(spans[spot(at - 1)])
            if (9.0 if other == pivot else _expected(a, other)) <= rate:
                break
            spans[spot(at)] = other
            at -= 1
        spans[spot(at)] = moving


@inner
def _expected(a: Any, pred: int) -> float:
    """How often a predicate holds, roughly: what was seen of an item, how much of a column an interval covers."""
    item = what_of(a, pred)
    if item >= 0:
        return _rate(ints(a, ITEM_SEEN)[spot(item)], longs(a, COUNTS)[N_EVENTS], _GUESS)
    ranges, presence = doubles(a, COLUMN_RANGE), _presence(a, ~item)
    least, most = ranges[spot(2 * ~item)], ranges[spot(2 * ~item + 1)]
    if not most > least:
        return 0.5 * presence
    lower, upper = doubles(a, PRED_LOWER)[spot(pred)], doubles(a, PRED_UPPER)[spot(pred)]
    return presence * (min(most, upper) - max(least, lower)) / (most - least)


@inner
def _put_in_bits(a: Any, slot: int) -> None:
    counts, slots, slot_at = longs(a, COUNTS), ints(a, SLOTS), ints(a, BIT_SLOT)
    position = counts[FREE_POSITION]
    if position >= 0:
        counts[FREE_POSITION] = ~np.int64(slot_at[spot(position)])
    else:
        position = counts[N_POSITIONS]
        counts[N_POSITIONS] += 1
    slot_at[spot(position)] = slot
    slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)] = IN_BITS
    slots[spot(slot * SLOT_WIDTH + SLOT_INDEX)] = position
    set_bit(a, LIVE_ROW, position)
    change_slot(a, slot, position, True)
    counts[N_IN_BITS] += 1


@inner
def _move_down(a: Any, slot: int) -> None:
    """Let a slot of the bit rows have the first free position, where that is a lower one: rows that end sooner cost
    less. Its old position is found again by `order_positions`."""
    counts, slots, slot_at = longs(a, COUNTS), ints(a, SLOTS), ints(a, BIT_SLOT)
    old, new = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_INDEX)]), counts[FREE_POSITION]
    if new < 0 or new >= counts[N_IN_BITS] or old < counts[N_IN_BITS]:
        return
    counts[FREE_POSITION] = ~np.int64(slot_at[spot(new)])
    clear_bit(a, LIVE_ROW, old)
    change_slot(a, slot, old, False)
    slot_at[spot(new)] = slot
    slots[spot(slot * SLOT_WIDTH + SLOT_INDEX)] = new
    set_bit(a, LIVE_ROW, new)
    change_slot(a, slot, new, True)


@entry
def order_positions(a: Any) -> None:
    """Link the free positions anew, the lowest first, and end the rows behind the last that is taken."""
    counts, slot_at, rows, chunks = longs(a, COUNTS), ints(a, BIT_SLOT), ints(a, BIT_ROWS), words(a, CHUNKS)
    counts[FREE_POSITION] = -1
    is_last = True
    for position in range(counts[N_POSITIONS] - 1, -1, -1):
        chunk = np.int64(rows[spot(LIVE_ROW * counts[N_ROW_CHUNKS] + position // CHUNK_BITS)])
        word = chunk * CHUNK_WORDS + (position % CHUNK_BITS >> 6)
        if chunk >= 0 and chunks[spot(word)] >> np.uint64(position & 63) & np.uint64(1):
            is_last = False
        elif is_last:
            counts[N_POSITIONS] = position
        else:
            slot_at[spot(position)] = ~counts[FREE_POSITION]
            counts[FREE_POSITION] = position


@inner
def _file(a: Any, slot: int, rare: float, review: bool) -> bool:
    """File one slot; False if a table must grow first."""
    slots, spans = ints(a, SLOTS), ints(a, SPANS)
    count = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)])
    if not _room_for(a, count):
        return False
    start = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    best, best_rate, best_load, best_bucket = -1, rare, 0, -1
    for k in range(start, start + count):
        rate, bucket, load = _pivot(a, np.int64(spans[spot(k)]), rare)
        if rate < best_rate or (rate == best_rate and best >= 0 and load < best_load):
            best, best_rate, best_load, best_bucket = np.int64(spans[spot(k)]), rate, load, bucket
    if review:
        if best < 0 and slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)] == IN_BITS:
            _move_down(a, slot)
            return True
        _take_out(a, slot)  # also one that stays under its predicate: the others may want another order
    if best < 0:
        _put_in_bits(a, slot)
        return True
    _order(a, slot, best)
    if put_row(a, slot, best_bucket if best_bucket >= 0 else _new_bucket(a, best, best_bucket)):
        return True
    slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)] = _UNFILED
    return False


@entry
def file_slots(a: Any, which: Any, rare: float) -> int:
    """Look again where slots wait: under a predicate that is rarer than `rare`, else in the bit rows. Gives how many it
    got to before a table must grow."""
    slots = ints(a, SLOTS)
    for n in range(len(which)):
        slot = np.int64(which[n])
        if slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)] != FREE and not _file(a, slot, rare, True):
            return n
    return len(which)


@inner
def _places_of(a: Any, given: Any, count: int) -> int:
    """How many of the predicates are on the same group, at most."""
    most = 0
    group_of_attr = ints(a, ATTR_GROUP)
    for k in range(count):
        group = group_of_attr[spot(attr_of(a, np.int64(given[k])))]
        same = 1
        for other in range(k):
            same += group_of_attr[spot(attr_of(a, np.int64(given[other])))] == group
        most = max(most, same)
    return most


@entry
def file_new_slot(a: Any, slot: int, start: int, given: Any, count: int, rare: float) -> int:
    """Keep a slot with its predicates. Gives 0 when that is done, -1 if a table must grow first, or how many places
    groups need."""
    slots, spans = ints(a, SLOTS), ints(a, SPANS)
    places = _places_of(a, given, count)
    if places > longs(a, COUNTS)[N_PLACES]:
        return places
    base = slot * SLOT_WIDTH
    slots[spot(base + SLOT_START)], slots[spot(base + SLOT_COUNT)] = start, count
    slots[spot(base + SLOT_BUCKET)], slots[spot(base + SLOT_INDEX)] = _UNFILED, 0
    for k in range(count):
        spans[spot(start + k)] = given[k]
    return 0 if _file(a, slot, rare, False) else -1


@entry
def rarest_rates(a: Any, which: Any, rates: Any) -> None:
    """How often events activate the rarest predicate of each slot; 2 where there is none to wait under, or no slot."""
    slots, spans = ints(a, SLOTS), ints(a, SPANS)
    for n in range(len(which)):
        slot = np.int64(which[n])
        count = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)])
        start = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_START)])
        rates[n] = 2.0
        for k in range(start, start + count):
            rate, _, _ = _pivot(a, np.int64(spans[spot(k)]), 1.0)
            rates[n] = min(rates[n], rate)


@entry
def unfile_slot(a: Any, slot: int) -> None:
    """Take a slot out of wherever it waits."""
    _take_out(a, slot)


@entry
def forget_closures(a: Any, group: int) -> None:
    """Drop the combined rows of a group: there is a new name in it."""
    drop_closures(a, group)


@entry
def forget_cells(a: Any, column: int) -> None:
    """Drop the rows of a column's cells: it gets other cuts."""
    drop_cells(a, column)


@entry
def start_rows(a: Any) -> None:
    """The first bit row: all slots that are in the bit rows."""
    new_row(a)


@entry
def compact_rows(a: Any, rows: Any, firsts: Any) -> int:
    """The rows of all buckets in new tables, without the gaps; the caller puts them in place of the old ones."""
    return copy_rows(a, rows, firsts)


@entry
def rehash(a: Any, keys: Any, values: Any) -> None:
    """File all buckets in a larger table."""
    old_keys, old_values = longs(a, HASH_KEYS), ints(a, HASH_VALUES)
    for n in range(len(old_keys)):
        key = old_keys[n]
        if key != -1:
            at = key & (len(keys) - 1)
            while keys[at] != -1:
                at = (at + 1) & (len(keys) - 1)
            keys[at] = key
            values[at] = old_values[n]
