"""Slots that wait under one of their predicates: only what the event activates is looked at.

An item has its bucket in a table, as has a column for whoever waits for any of its numbers; a number has a bucket by
itself and one for each size of cell (`arrays.grids`) in which somebody waits, found by a hash. What waits is only
proposed: its row has all predicates, and they are checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import bytes_of, doubles, ints, longs
from semantic_pubsub.matching.arrays.bits import bits_of, lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.arrays.grids import LOWEST_LEVEL, NO_CELL, cell_of, grid_index
from semantic_pubsub.matching.flat.kernels.board import Board, hide, holds, satisfied, show
from semantic_pubsub.matching.flat.layout import (
    ALWAYS,
    AWAKE,
    BUCKET_COUNT,
    BUCKET_ROOM,
    BUCKET_SEEN,
    BUCKET_STAMP,
    BUCKET_START,
    BUCKET_WIDTH,
    BUCKETS,
    COLUMN_BUCKET,
    COLUMN_LEVELS,
    COLUMN_RANGE,
    COLUMN_SEEN,
    COUNTS,
    FIRSTS,
    HASH_KEYS,
    HASH_VALUES,
    ITEM_BUCKET,
    ITEM_SEEN,
    N_BUCKETS,
    N_HASHED,
    N_PREDS,
    N_ROWS,
    N_SCANNED,
    N_SPANS_FREE,
    N_STAMP,
    RECORD_COLUMN,
    ROW_PREDS,
    ROW_WIDTH,
    ROWS,
    SLOT_BUCKET,
    SLOT_COUNT,
    SLOT_INDEX,
    SLOT_START,
    SLOT_WIDTH,
    SLOTS,
    SPANS,
    TOUCHED,
    TRUTH,
)

__all__ = ["copy_rows", "find_bucket", "hash_bucket", "match_pivots", "pivot_key", "put_row", "take_row"]

_ONE = np.uint64(1)
_BLOCK = 256  # rows that are looked at together
_LARGE = 64  # rows: a bucket beyond that grows by a quarter
_WORTH_SHOWING = 32  # rows: below that, each predicate is looked up where it is needed
_POINTS = _ONE << np.uint64(63)  # of a column's levels: somebody waits under single numbers


@inner
def _mixed(column: int, level: int, bits: int) -> int:
    word = np.uint64(bits) * np.uint64(11400714819323198485)
    word ^= np.uint64(column * 256 + level) * np.uint64(0xD6E8FEB86659FD93)
    word ^= word >> np.uint64(29)
    word *= np.uint64(0xBF58476D1CE4E5B9)
    word ^= word >> np.uint64(32)  # the lower bits decide where it is filed: of a product they know the least
    return np.int64(word >> np.uint64(1))


@inner
def pivot_key(column: int, lower: float, upper: float) -> tuple[int, Any]:
    """The hash and the bit of the level of an interval: a number by itself, or the smallest cell; -1 for neither."""
    if lower == upper:
        return _mixed(column, 255, bits_of(lower + 0.0)), _POINTS
    level, grid = NO_CELL, 0
    if np.isfinite(lower) and np.isfinite(upper) and lower < upper:
        level, grid = cell_of(lower, upper)
    if level == NO_CELL or level - LOWEST_LEVEL > 62:
        return np.int64(-1), np.uint64(0)
    key = _mixed(column, (level - LOWEST_LEVEL) * 2 + grid, bits_of(grid_index(lower, level, grid)))
    return key, _ONE << np.uint64(level - LOWEST_LEVEL)


@inner
def find_bucket(a: Any, key: int) -> int:
    """The bucket of a hash, or -1."""
    keys = longs(a, HASH_KEYS)
    at = key & (len(keys) - 1)
    while keys[spot(at)] != -1:
        if keys[spot(at)] == key:
            return np.int64(ints(a, HASH_VALUES)[spot(at)])
        at = (at + 1) & (len(keys) - 1)
    return np.int64(-1)


@inner
def hash_bucket(a: Any, key: int, bucket: int) -> None:
    """File a bucket under a hash that is new."""
    keys = longs(a, HASH_KEYS)
    at = key & (len(keys) - 1)
    while keys[spot(at)] != -1:
        at = (at + 1) & (len(keys) - 1)
    keys[spot(at)] = key
    ints(a, HASH_VALUES)[spot(at)] = bucket
    longs(a, COUNTS)[N_HASHED] += 1


@inner
def _size_class(rows: int) -> int:
    size = 0
    while (1 << size) < rows:
        size += 1
    return size


@inner
def _grow(a: Any, bucket: int) -> bool:
    """More room for a bucket; False if the table must grow first. Runs of rows are used again by their size."""
    buckets, rows, counts = ints(a, BUCKETS), ints(a, ROWS), longs(a, COUNTS)
    base = bucket * BUCKET_WIDTH
    room = np.int64(buckets[spot(base + BUCKET_ROOM)])
    larger = max(2 * room, 2) if room < _LARGE else room + room // 4
    size = _size_class(larger)
    firsts = ints(a, FIRSTS)
    start = counts[N_SPANS_FREE + size]
    if start >= 0:
        counts[N_SPANS_FREE + size] = np.int64(rows[spot(start * ROW_WIDTH)])
        larger = 1 << size
    elif (counts[N_ROWS] + larger) * ROW_WIDTH > len(rows):
        return False
    else:
        start = counts[N_ROWS]
        counts[N_ROWS] += larger
    old = np.int64(buckets[spot(base + BUCKET_START)])
    count = np.int64(buckets[spot(base + BUCKET_COUNT)])
    for k in range(count * ROW_WIDTH):
        rows[spot(start * ROW_WIDTH + k)] = rows[spot(old * ROW_WIDTH + k)]
    for k in range(count):
        firsts[spot(start + k)] = firsts[spot(old + k)]
    if room:
        _give(a, old, room)
    buckets[spot(base + BUCKET_START)] = start
    buckets[spot(base + BUCKET_ROOM)] = larger
    return True


@inner
def _give(a: Any, start: int, room: int) -> None:
    """Let others have a run, as one of the power of two that it surely has room for."""
    rows, counts = ints(a, ROWS), longs(a, COUNTS)
    size = _size_class(room + 1) - 1
    rows[spot(start * ROW_WIDTH)] = counts[N_SPANS_FREE + size]
    counts[N_SPANS_FREE + size] = start


@inner
def copy_rows(a: Any, rows: Any, firsts: Any) -> int:
    """Write all rows one bucket after the other, each with an eighth to spare, as the new order of the table; gives how
    many there are then."""
    buckets, old_rows, old_firsts, counts = ints(a, BUCKETS), ints(a, ROWS), ints(a, FIRSTS), longs(a, COUNTS)
    end = 0
    for bucket in range(counts[N_BUCKETS]):
        base = bucket * BUCKET_WIDTH
        count, old = np.int64(buckets[spot(base + BUCKET_COUNT)]), np.int64(buckets[spot(base + BUCKET_START)])
        for k in range(count * ROW_WIDTH):
            rows[spot(end * ROW_WIDTH + k)] = old_rows[spot(old * ROW_WIDTH + k)]
        for k in range(count):
            firsts[spot(end + k)] = old_firsts[spot(old + k)]
        room = count + count // 8 + 1 if count else 0
        buckets[spot(base + BUCKET_START)] = end
        buckets[spot(base + BUCKET_ROOM)] = room
        end += room
    for size in range(31):
        counts[N_SPANS_FREE + size] = -1
    counts[N_ROWS] = end
    return end


@inner
def put_row(a: Any, slot: int, bucket: int) -> bool:
    """Let a slot wait in a bucket: its row has the slot (as ~slot if there is more to check) and its first preds."""
    buckets, slots, rows, spans = ints(a, BUCKETS), ints(a, SLOTS), ints(a, ROWS), ints(a, SPANS)
    base = bucket * BUCKET_WIDTH
    index = np.int64(buckets[spot(base + BUCKET_COUNT)])
    if index == buckets[spot(base + BUCKET_ROOM)] and not _grow(a, bucket):
        return False
    buckets[spot(base + BUCKET_COUNT)] = index + 1
    slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)] = bucket
    slots[spot(slot * SLOT_WIDTH + SLOT_INDEX)] = index
    start = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    count = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)])
    at = (np.int64(buckets[spot(base + BUCKET_START)]) + index) * ROW_WIDTH
    rows[spot(at)] = slot if count <= ROW_PREDS else ~slot
    for k in range(ROW_PREDS):
        rows[spot(at + 1 + k)] = spans[spot(start + k)] if k < count else ALWAYS
    ints(a, FIRSTS)[spot(np.int64(buckets[spot(base + BUCKET_START)]) + index)] = rows[spot(at + 1)]
    return True


@inner
def take_row(a: Any, slot: int) -> None:
    """Take a slot out of its bucket; the last row takes its place."""
    buckets, slots, rows = ints(a, BUCKETS), ints(a, SLOTS), ints(a, ROWS)
    bucket = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)])
    index = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_INDEX)])
    start = np.int64(buckets[spot(bucket * BUCKET_WIDTH + BUCKET_START)])
    last = np.int64(buckets[spot(bucket * BUCKET_WIDTH + BUCKET_COUNT)]) - 1
    buckets[spot(bucket * BUCKET_WIDTH + BUCKET_COUNT)] = last
    if index != last:
        for k in range(ROW_WIDTH):
            rows[spot((start + index) * ROW_WIDTH + k)] = rows[spot((start + last) * ROW_WIDTH + k)]
        ints(a, FIRSTS)[spot(start + index)] = ints(a, FIRSTS)[spot(start + last)]
        moved = np.int64(rows[spot((start + index) * ROW_WIDTH)])
        moved = moved if moved >= 0 else ~moved
        slots[spot(moved * SLOT_WIDTH + SLOT_INDEX)] = index
    if last == 0:
        _give(a, start, np.int64(buckets[spot(bucket * BUCKET_WIDTH + BUCKET_ROOM)]))
        buckets[spot(bucket * BUCKET_WIDTH + BUCKET_ROOM)] = 0


@inner
def _wake(a: Any, bucket: int, awake: Any, count: int) -> int:
    """Note a bucket that must be looked into, once per event."""
    buckets, counts = ints(a, BUCKETS), longs(a, COUNTS)
    base = bucket * BUCKET_WIDTH
    if bucket < 0 or buckets[spot(base + BUCKET_STAMP)] == counts[N_STAMP]:
        return count
    buckets[spot(base + BUCKET_STAMP)] = counts[N_STAMP]
    buckets[spot(base + BUCKET_SEEN)] += 1
    counts[N_SCANNED] += buckets[spot(base + BUCKET_COUNT)]
    awake[spot(count)] = bucket
    return count + 1


@inner
def _wake_items(a: Any, items: int, awake: Any, count: int) -> int:
    """The buckets of the event's items; how often each is seen is learned on the way."""
    touched, buckets, seen = ints(a, TOUCHED), ints(a, ITEM_BUCKET), ints(a, ITEM_SEEN)
    last = len(touched) - 1
    for k in range(items):
        item = np.int64(touched[spot(last - k)])
        seen[spot(item)] += 1
        count = _wake(a, np.int64(buckets[spot(item)]), awake, count)
    return count


@inner
def _wake_number(a: Any, column: int, number: float, awake: Any, count: int) -> int:
    """The bucket of a number, and of the cells in which it lies."""
    used = np.uint64(longs(a, COLUMN_LEVELS)[spot(column)])
    if not np.isfinite(number):
        used &= _POINTS
    while used:
        level = lowest_bit(used)
        used &= used - _ONE
        if level == 63:  # single numbers; infinities lie in no cell
            count = _wake(a, find_bucket(a, _mixed(column, 255, bits_of(number + 0.0))), awake, count)
        else:
            for grid in range(2):
                index = grid_index(number, level + LOWEST_LEVEL, grid)
                count = _wake(a, find_bucket(a, _mixed(column, level * 2 + grid, bits_of(index))), awake, count)
    return count


@inner
def _scan(a: Any, bucket: int, shown: bool, b: Board, kept: Any, out: Any, found: int) -> int:
    """Check every row of a bucket, predicate by predicate."""
    buckets, rows, firsts = ints(a, BUCKETS), ints(a, ROWS), ints(a, FIRSTS)
    start = np.int64(buckets[spot(bucket * BUCKET_WIDTH + BUCKET_START)])
    end = start + np.int64(buckets[spot(bucket * BUCKET_WIDTH + BUCKET_COUNT)])
    for block in range(start, end, _BLOCK):
        count = 0
        for row in range(block, min(block + _BLOCK, end)):  # no branch: whether the first holds cannot be foreseen
            kept[spot(count)] = row
            count += holds(firsts[spot(row)], shown, b)
        for k in range(count):
            at = np.int64(kept[spot(k)]) * ROW_WIDTH
            fits = True
            for p in range(2, ROW_WIDTH):
                if not holds(rows[spot(at + p)], shown, b):
                    fits = False
                    break
            if fits:
                found = _put(np.int64(rows[spot(at)]), shown, b, out, found)
    return found


@inner
def _put(slot: int, shown: bool, b: Board, out: Any, found: int) -> int:
    """Give a slot out, if what its row has no room for holds, too."""
    if slot < 0:
        slot = ~slot
        if not satisfied(slot, ROW_PREDS, shown, b):
            return found
    out[spot(found)] = slot
    return found + 1


@inner
def _scan_truth(a: Any, bucket: int, truth: Any, shown: bool, b: Board, kept: Any, out: Any, found: int) -> int:
    """The same with what is known of all predicates: no branch that cannot be foreseen."""
    buckets, rows, firsts = ints(a, BUCKETS), ints(a, ROWS), ints(a, FIRSTS)
    start = np.int64(buckets[spot(bucket * BUCKET_WIDTH + BUCKET_START)])
    end = start + np.int64(buckets[spot(bucket * BUCKET_WIDTH + BUCKET_COUNT)])
    for block in range(start, end, _BLOCK):
        count = 0
        for row in range(block, min(block + _BLOCK, end)):
            kept[spot(count)] = row
            count += truth[spot(firsts[spot(row)])]
        for k in range(count):
            at = np.int64(kept[spot(k)]) * ROW_WIDTH
            fits = truth[spot(rows[spot(at + 2)])] & truth[spot(rows[spot(at + 3)])] & truth[spot(rows[spot(at + 4)])]
            fits &= truth[spot(rows[spot(at + 5)])] & truth[spot(rows[spot(at + 6)])] & truth[spot(rows[spot(at + 7)])]
            slot = np.int64(rows[spot(at)])
            if slot < 0:
                if fits:
                    found = _put(slot, shown, b, out, found)
                continue
            out[spot(found)] = slot
            found += fits
    return found


@inner
def _judge_all(a: Any, shown: bool, b: Board, truth: Any) -> None:
    """What is true of the event, for all predicates at once."""
    preds = longs(a, COUNTS)[N_PREDS]
    if not shown:
        for pred in range(preds):
            truth[spot(pred)] = holds(pred, False, b)
        return
    lower, upper, view, sight = b.lower, b.upper, b.pred_view, b.sight
    for pred in range(preds):
        seen = sight[spot(view[spot(pred)])]
        truth[spot(pred)] = (lower[spot(pred)] <= seen) & (seen <= upper[spot(pred)])


@inner
def match_pivots(a: Any, records: Any, items: int, several: bool, b: Board, out: Any) -> int:
    """Look into the buckets of all that the event activates; learn how often that happens."""
    counts, awake, ranges = longs(a, COUNTS), ints(a, AWAKE), doubles(a, COLUMN_RANGE)
    whole, seen, heads = ints(a, COLUMN_BUCKET), ints(a, COLUMN_SEEN), b.heads
    counts[N_STAMP] += 1
    before = counts[N_SCANNED]
    count = _wake_items(a, items, awake, 0)
    for r in range(len(records)):
        column = np.int64(records[r, RECORD_COLUMN])
        if column < 0:
            continue
        number = b.numbers[spot(r), 0]
        if ranges[spot(2 * column)] > number:
            ranges[spot(2 * column)] = number
        if ranges[spot(2 * column + 1)] < number:
            ranges[spot(2 * column + 1)] = number
        if heads[spot(column)] == r:  # once for all numbers of a column
            seen[spot(column)] += 1
            count = _wake(a, np.int64(whole[spot(column)]), awake, count)
        count = _wake_number(a, column, number, awake, count)
    found, scanned = 0, counts[N_SCANNED] - before
    if scanned == 0:
        return 0
    kept = np.empty(_BLOCK, np.int32)
    shown = not several and scanned >= _WORTH_SHOWING
    if shown:
        show(a, records, b.numbers, items)
    if 2 * scanned > counts[N_PREDS]:
        truth = bytes_of(a, TRUTH)
        _judge_all(a, shown, b, truth)
        for k in range(count):
            found = _scan_truth(a, np.int64(awake[spot(k)]), truth, shown, b, kept, out, found)
    else:
        for k in range(count):
            found = _scan(a, np.int64(awake[spot(k)]), shown, b, kept, out, found)
    if shown:
        hide(a, records, items)
    return found
