"""Rows that cover others (section 4.4): a slot whose bits are a subset of a row's joins the list of that row.

A list has first those whose bits are fewer, at most 32, then those whose bits are the same: if the slot of the row
goes, one of these takes its place, and only if there is none the others are filed by themselves again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints, longs
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.flat.compme_layout import (
    ALL_COLUMNS,
    CODES,
    FOLLOWERS,
    HEAD_BLOCK,
    HEAD_COUNT,
    HEAD_WIDTH,
    HEADS,
    LINES,
    MARKS,
    N_MEMBERS,
    N_WAITING,
    SECTION_COUNT,
    SECTION_OTHERS,
    SECTION_ROOM,
    SECTION_START,
    SECTION_WIDTH,
    SECTIONS,
    UNFILED,
    WAITING,
)
from semantic_pubsub.matching.flat.kernels.compme.coding import code_of, popcount, start_of
from semantic_pubsub.matching.flat.kernels.compme.rows import (
    block_next,
    block_room,
    block_slots,
    newest_rows,
    pairs_at,
    take_row,
)
from semantic_pubsub.matching.flat.layout import SLOT_BUCKET, SLOT_INDEX, SLOT_WIDTH, SLOTS

__all__ = ["Cover", "find_cover", "follow", "take_out", "wait"]

_MOST_LOOKS = 64  # rows: merging looks at the newest, not at all pairs
_MOST_COVERED = 32  # followers with fewer bits
_MOST_LOSS = 2.0  # a row lets through at most twice what the follower's own bits would
_FEWER, _SAME = 0, 1  # SLOT_INDEX of a follower


class Cover(NamedTuple):
    """The slot of a row that covers another one, or -1, and whether their bits are the same."""

    slot: int
    same: bool


@inner
def _excess(pair: int, pairs: Any, count: int) -> float:
    """How many times as many columns a pair has as the one of the pairs that it covers; 0 if it covers none."""
    start, code = start_of(pair), code_of(pair)
    for k in range(count):
        own = code_of(pairs[spot(k)])
        if start_of(pairs[spot(k)]) == start and own & ~code == 0:
            return 1.0 if own == code else popcount(code) / max(popcount(own), 1)
    return 0.0


@inner
def _loss(lines: Any, block: int, index: int, others: int, excess: float, pairs: Any, count: int) -> float:
    """How much more a row lets through than the pairs that it covers; 0 if it does not cover them."""
    room = block_room(lines, block)
    for other in range(others):
        excess *= _excess(lines[spot(pairs_at(block, room, other) + index)], pairs, count)
        if excess == 0.0 or excess > _MOST_LOSS:
            return 0.0
    return excess


@rare
def find_cover(a: Any, section: int, pairs: Any, count: int) -> Cover:
    """A row of a section that covers the pairs of a slot: among those of the same first pair, then of wider ones."""
    sections, heads, codes = ints(a, SECTIONS), ints(a, HEADS), ints(a, CODES)
    lines, entries, base = longs(a, LINES), ints(a, LINES), section * SECTION_WIDTH
    start, room = np.int64(sections[spot(base + SECTION_START)]), np.int64(sections[spot(base + SECTION_ROOM)])
    others, own = np.int64(sections[spot(base + SECTION_OTHERS)]), code_of(pairs[0])
    heads_here, looks = np.int64(sections[spot(base + SECTION_COUNT)]), _MOST_LOOKS
    for k in range(2 * heads_here):
        place = start + k % heads_here
        code = np.int64(codes[spot(place)]) & np.int64(ALL_COLUMNS)
        if (code == own) != (k < heads_here) or own & ~code != 0:
            continue
        excess = 1.0 if code == own else popcount(code) / max(popcount(own), 1)
        if excess > _MOST_LOSS:
            continue
        head = np.int64(codes[spot(place + room)])
        left = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_COUNT)])
        block = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
        while left and looks > 0:
            rows = newest_rows(left)
            for index in range(rows - 1, -1, -1):
                looks -= 1
                loss = _loss(lines, block, index, others, excess, pairs, count)
                if loss > 0.0:
                    entry = np.int64(entries[spot(block_slots(block) + index)])
                    return Cover(entry if entry >= 0 else ~entry, loss == 1.0)
            left -= rows
            block = block_next(lines, block)
        if looks <= 0:
            break
    return Cover(np.int64(-1), False)


@inner
def _say(a: Any, leader: int) -> None:
    """A row has its slot, as ~slot if there are followers."""
    slots, base = ints(a, SLOTS), leader * SLOT_WIDTH
    place = block_slots(np.int64(slots[spot(base + SLOT_BUCKET)])) + slots[spot(base + SLOT_INDEX)]
    ints(a, LINES)[spot(place)] = ~leader if ints(a, FOLLOWERS)[spot(leader)] else leader


@inner
def _link(a: Any, before: int, slot: int, following: int) -> None:
    """Put a slot between two of a list; the second may be -1."""
    slots, followers = ints(a, SLOTS), ints(a, FOLLOWERS)
    followers[spot(before)], followers[spot(slot)] = slot + 1, following + 1
    slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)] = -2 - before
    if following >= 0:
        slots[spot(following * SLOT_WIDTH + SLOT_BUCKET)] = -2 - slot


@rare
def follow(a: Any, leader: int, slot: int, same: bool) -> bool:
    """Let a slot join the list of a row; False if the list has enough of those with fewer bits."""
    slots, followers = ints(a, SLOTS), ints(a, FOLLOWERS)
    before, following, fewer = np.int64(leader), np.int64(followers[spot(leader)]) - 1, 0
    while following >= 0 and slots[spot(following * SLOT_WIDTH + SLOT_INDEX)] == _FEWER:
        before, following, fewer = following, np.int64(followers[spot(following)]) - 1, fewer + 1
    if not same:
        if fewer == _MOST_COVERED:
            return False
        before, following = np.int64(leader), np.int64(followers[spot(leader)]) - 1
    _link(a, before, slot, following)
    slots[spot(slot * SLOT_WIDTH + SLOT_INDEX)] = _SAME if same else _FEWER
    longs(a, MARKS)[N_MEMBERS] += 1
    _say(a, leader)
    return True


@inner
def _leave(a: Any, slot: int) -> None:
    """Take a slot out of a list."""
    slots, followers = ints(a, SLOTS), ints(a, FOLLOWERS)
    before = -2 - np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)])
    following = np.int64(followers[spot(slot)]) - 1
    followers[spot(before)], followers[spot(slot)] = following + 1, 0
    if following >= 0:
        slots[spot(following * SLOT_WIDTH + SLOT_BUCKET)] = -2 - before
    longs(a, MARKS)[N_MEMBERS] -= 1
    if slots[spot(before * SLOT_WIDTH + SLOT_BUCKET)] >= 0:
        _say(a, before)


@inner
def wait(a: Any, slot: int) -> None:
    """Note a slot that must be filed."""
    marks = longs(a, MARKS)
    ints(a, SLOTS)[spot(slot * SLOT_WIDTH + SLOT_BUCKET)] = UNFILED
    ints(a, WAITING)[spot(marks[N_WAITING])] = slot
    marks[N_WAITING] += 1


@inner
def _inherit(a: Any, leader: int, heir: int) -> None:
    """Let a follower with the same bits have the row and the list."""
    slots, followers = ints(a, SLOTS), ints(a, FOLLOWERS)
    _leave(a, heir)
    for column in (SLOT_BUCKET, SLOT_INDEX):
        slots[spot(heir * SLOT_WIDTH + column)] = slots[spot(leader * SLOT_WIDTH + column)]
    following = np.int64(followers[spot(leader)]) - 1
    followers[spot(heir)], followers[spot(leader)] = following + 1, 0
    if following >= 0:
        slots[spot(following * SLOT_WIDTH + SLOT_BUCKET)] = -2 - heir
    _say(a, heir)


@rare
def take_out(a: Any, slot: int) -> None:
    """Take a slot out of its row or list; whoever loses the row that covered it must be filed again."""
    slots, followers, base = ints(a, SLOTS), ints(a, FOLLOWERS), slot * SLOT_WIDTH
    block, index = np.int64(slots[spot(base + SLOT_BUCKET)]), np.int64(slots[spot(base + SLOT_INDEX)])
    if block < UNFILED:
        _leave(a, slot)
    elif block >= 0:
        heir = np.int64(followers[spot(slot)]) - 1
        while heir >= 0 and slots[spot(heir * SLOT_WIDTH + SLOT_INDEX)] == _FEWER:
            heir = np.int64(followers[spot(heir)]) - 1
        if heir >= 0:
            _inherit(a, slot, heir)
        else:
            lone = np.int64(followers[spot(slot)]) - 1
            while lone >= 0:
                following = np.int64(followers[spot(lone)]) - 1
                followers[spot(lone)] = 0
                longs(a, MARKS)[N_MEMBERS] -= 1
                wait(a, lone)
                lone = following
            followers[spot(slot)] = 0
            take_row(a, block, index)
    slots[spot(base + SLOT_BUCKET)] = UNFILED
