"""One call per event: onto the board, into the buckets, over the bit rows, off the board."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints, longs
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import entry, rare
from semantic_pubsub.matching.flat.kernels.bit_match import match_bits, new_plan, plan
from semantic_pubsub.matching.flat.kernels.board import board_of, clear_board, satisfied, spread
from semantic_pubsub.matching.flat.kernels.pivots import match_pivots
from semantic_pubsub.matching.flat.layout import (
    BIT_GROUPS,
    COUNTS,
    FREE,
    GROUP_PLACES,
    GROUP_WIDTH,
    GROUPS,
    N_BIT_GROUPS,
    N_EVENTS,
    N_IN_BITS,
    N_PLACES,
    N_RECORDS,
    N_SLOTS,
    OUT,
    SLOT_COUNT,
    SLOT_WIDTH,
    SLOTS,
)

__all__ = ["match_event", "match_events", "scan_event"]


@rare
def _match(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    """Write the slots that an event satisfies to OUT and give their number; -1 if a table must grow first."""
    counts = longs(a, COUNTS)
    state = np.zeros(2, np.int64)
    several = spread(a, records, extra, state)
    board = board_of(a, numbers)
    if counts[N_IN_BITS]:
        groups, used, places = ints(a, GROUPS), ints(a, BIT_GROUPS), 1
        for n in range(counts[N_BIT_GROUPS]):
            places += groups[spot(used[spot(n)] * GROUP_WIDTH + GROUP_PLACES)]
        to = new_plan(places, (len(records) + len(extra)) * counts[N_PLACES])
        if not plan(a, records, numbers, extra, to):
            clear_board(a, records, state)
            return -1
        found = match_pivots(a, records, state[1], several, board, ints(a, OUT))
        found = match_bits(a, to, board, ints(a, OUT), found)
    else:
        found = match_pivots(a, records, state[1], several, board, ints(a, OUT))
    counts[N_EVENTS] += 1
    counts[N_RECORDS] += len(records)
    clear_board(a, records, state)
    return found


@entry
def match_event(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    """Write the slots that an event satisfies to OUT and give their number; -1 if a table must grow first."""
    return _match(a, records, numbers, extra)


@entry
def match_events(
    a: Any, records: Any, numbers: Any, extra: Any, ends: Any, first: int, found: Any, found_ends: Any
) -> int:  # fmt: skip
    """The same for many events, from the given one on: the records of the n-th end at ends[n + 1], its slots in `found`
    at found_ends[n + 1]. Gives the number of the first event that was not matched: a table must grow, or `found`."""
    out, filled = ints(a, OUT), found_ends[first]
    for event in range(first, len(ends) - 1):
        start, end = ends[event], ends[event + 1]
        count = _match(a, records[start:end], numbers[start:end], extra)
        if count < 0 or filled + count > len(found):
            return event
        for k in range(count):
            found[spot(filled + k)] = out[spot(k)]
        filled += count
        found_ends[event + 1] = filled
    return len(ends) - 1


@entry
def scan_event(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    """The same by a look at every slot, with numbers as ranges: for events whose numbers no double stands for."""
    counts, out, slots = longs(a, COUNTS), ints(a, OUT), ints(a, SLOTS)
    state = np.zeros(2, np.int64)
    spread(a, records, extra, state)
    board = board_of(a, numbers)
    found = 0
    for slot in range(counts[N_SLOTS]):
        if slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)] != FREE and satisfied(slot, 0, False, board):
            out[spot(found)] = slot
            found += 1
    counts[N_EVENTS] += 1
    clear_board(a, records, state)
    return found
