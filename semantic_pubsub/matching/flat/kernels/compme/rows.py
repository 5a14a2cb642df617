"""The rows of the matrices: sections, heads and blocks, and how rows come and go.

Nothing is ever copied when it grows: a head's rows are in blocks, the newest first, each as large as all before it
until there are 16 in one. What is given back is used again by whoever needs the same size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints, longs
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.flat.compme_layout import (
    CODES,
    FREE_BLOCK,
    FREE_HEAD,
    FREE_SECTION,
    FREE_SPAN,
    HEAD_BITS,
    HEAD_BLOCK,
    HEAD_COUNT,
    HEAD_FILED,
    HEAD_PLACE,
    HEAD_SECTION,
    HEAD_WIDTH,
    HEADS,
    LINES,
    MARKS,
    MOST_ROWS,
    N_CODES,
    N_HEADS,
    N_LINES,
    N_SECTIONS,
    OTHERS,
    SECTION_COUNT,
    SECTION_NEXT,
    SECTION_OTHERS,
    SECTION_ROOM,
    SECTION_SIZE,
    SECTION_START,
    SECTION_WIDTH,
    SECTION_WORD,
    SECTIONS,
    WORD_SECTION,
    WORD_WIDTH,
    WORDS,
)
from semantic_pubsub.matching.flat.layout import SLOT_BUCKET, SLOT_INDEX, SLOT_WIDTH, SLOTS

__all__ = [
    "block_head",
    "block_next",
    "block_room",
    "block_slots",
    "find_head",
    "find_section",
    "newest_rows",
    "pairs_at",
    "put_row",
    "rows_of_newest",
    "take_row",
]

# blocks: a line that says which block comes next, how large this is and of which head, then slots, then pairs


@inner
def _room_of_newest(count: int) -> int:
    """How many rows the newest block of so many rows has room for."""
    if count > MOST_ROWS:
        return np.int64(MOST_ROWS)
    room = np.int64(1)
    while 2 * room < count:
        room *= 2
    return room


@inner
def rows_of_newest(count: int, room: int) -> int:
    """How many of so many rows are in the newest block, which has this room."""
    if count > MOST_ROWS:
        return np.int64(count - (count - 1) // MOST_ROWS * MOST_ROWS)
    return np.int64(count - room if count > 1 else count)


@inner
def newest_rows(count: int) -> int:
    """The same where the room is not known."""
    return rows_of_newest(count, _room_of_newest(count))


@inner
def _class_of(room: int) -> int:
    size = np.int64(0)
    while (np.int64(1) << size) < room:
        size += 1
    return size


@inner
def block_next(lines: Any, block: int) -> int:
    """The block before a block, or -1."""
    return (lines[spot(block)] >> 32) - 1


@inner
def block_room(lines: Any, block: int) -> int:
    """How many rows a block has room for."""
    return np.int64(1) << (lines[spot(block)] >> HEAD_BITS & 7)


@inner
def block_head(lines: Any, block: int) -> int:
    """The head of a block's rows."""
    return lines[spot(block)] & np.int64((1 << HEAD_BITS) - 1)


@inner
def block_slots(block: int) -> int:
    """Where the slots of a block begin, in LINES read as 32-bit integers."""
    return 2 * (block + 1)


@inner
def pairs_at(block: int, room: int, other: int) -> int:
    """Where the n-th pairs of a block's rows begin, in LINES."""
    return block + 1 + (room + 1) // 2 + other * room


@inner
def _new_block(a: Any, head: int, room: int, others: int, following: int) -> int:
    lines, marks = longs(a, LINES), longs(a, MARKS)
    size = _class_of(room)
    free = FREE_BLOCK + size * (OTHERS + 1) + others
    block = marks[spot(free)] - 1
    if block >= 0:
        marks[spot(free)] = lines[spot(block)]
    else:
        block = marks[N_LINES]
        marks[N_LINES] += pairs_at(0, room, others)
    lines[spot(block)] = (following + 1) << 32 | size << HEAD_BITS | head
    return block


@inner
def _free_block(a: Any, block: int, others: int) -> None:
    lines, marks = longs(a, LINES), longs(a, MARKS)
    free = FREE_BLOCK + _class_of(block_room(lines, block)) * (OTHERS + 1) + others
    lines[spot(block)] = marks[spot(free)]
    marks[spot(free)] = block + 1


# sections: in a chain for each word, by size


@rare
def find_section(a: Any, word: int, size: int, others: int) -> int:
    """The section of a matrix in a word; a new one where there is none."""
    sections, words, marks = ints(a, SECTIONS), ints(a, WORDS), longs(a, MARKS)
    before, section = np.int64(-1), np.int64(words[spot(word * WORD_WIDTH + WORD_SECTION)])
    while section >= 0:
        base = section * SECTION_WIDTH
        there, width = sections[spot(base + SECTION_SIZE)], sections[spot(base + SECTION_OTHERS)]
        if there == size and width == others:
            return section
        if there > size or (there == size and width > others):
            break
        before, section = section, np.int64(sections[spot(base + SECTION_NEXT)])
    new = marks[FREE_SECTION] - 1
    if new >= 0:
        marks[FREE_SECTION] = sections[spot(new * SECTION_WIDTH + SECTION_NEXT)]
    else:
        new = marks[N_SECTIONS]
        marks[N_SECTIONS] += 1
    base = new * SECTION_WIDTH
    sections[spot(base + SECTION_WORD)], sections[spot(base + SECTION_SIZE)] = word, size
    sections[spot(base + SECTION_OTHERS)], sections[spot(base + SECTION_NEXT)] = others, section
    sections[spot(base + SECTION_COUNT)], sections[spot(base + SECTION_ROOM)] = 0, 0
    if before < 0:
        words[spot(word * WORD_WIDTH + WORD_SECTION)] = new
    else:
        sections[spot(before * SECTION_WIDTH + SECTION_NEXT)] = new
    return new


@inner
def _free_section(a: Any, section: int) -> None:
    sections, words, marks = ints(a, SECTIONS), ints(a, WORDS), longs(a, MARKS)
    base = section * SECTION_WIDTH
    following, word = sections[spot(base + SECTION_NEXT)], np.int64(sections[spot(base + SECTION_WORD)])
    before = np.int64(words[spot(word * WORD_WIDTH + WORD_SECTION)])
    if before == section:
        words[spot(word * WORD_WIDTH + WORD_SECTION)] = following
    else:
        while sections[spot(before * SECTION_WIDTH + SECTION_NEXT)] != section:
            before = np.int64(sections[spot(before * SECTION_WIDTH + SECTION_NEXT)])
        sections[spot(before * SECTION_WIDTH + SECTION_NEXT)] = following
    _free_span(a, sections[spot(base + SECTION_START)], sections[spot(base + SECTION_ROOM)])
    sections[spot(base + SECTION_NEXT)] = marks[FREE_SECTION]
    marks[FREE_SECTION] = section + 1


@inner
def _free_span(a: Any, start: int, room: int) -> None:
    codes, marks = ints(a, CODES), longs(a, MARKS)
    free = FREE_SPAN + _class_of(room)
    codes[spot(start)] = marks[spot(free)]
    marks[spot(free)] = start + 1


@inner
def _grow_span(a: Any, section: int) -> None:
    """Twice the room for heads."""
    sections, codes, marks, base = ints(a, SECTIONS), ints(a, CODES), longs(a, MARKS), section * SECTION_WIDTH
    old, count = np.int64(sections[spot(base + SECTION_START)]), np.int64(sections[spot(base + SECTION_COUNT)])
    room = max(np.int64(1), 2 * count)
    free = FREE_SPAN + _class_of(room)
    start = marks[spot(free)] - 1
    if start >= 0:
        marks[spot(free)] = codes[spot(start)]
    else:
        start = marks[N_CODES]
        marks[N_CODES] += 2 * room
    for k in range(count):
        codes[spot(start + k)], codes[spot(start + room + k)] = codes[spot(old + k)], codes[spot(old + count + k)]
    if count:
        _free_span(a, old, count)
    sections[spot(base + SECTION_START)], sections[spot(base + SECTION_ROOM)] = start, room


# heads


@rare
def find_head(a: Any, section: int, code: int) -> int:
    """The head of a code in a section; a new one where there is none."""
    sections, heads, marks, base = ints(a, SECTIONS), ints(a, HEADS), longs(a, MARKS), section * SECTION_WIDTH
    codes, narrow = ints(a, CODES), np.int32(code)
    start, count = np.int64(sections[spot(base + SECTION_START)]), np.int64(sections[spot(base + SECTION_COUNT)])
    room = np.int64(sections[spot(base + SECTION_ROOM)])
    for k in range(count):
        if codes[spot(start + k)] == narrow:
            return np.int64(codes[spot(start + room + k)])
    if count == room:
        _grow_span(a, section)
        start, room = np.int64(sections[spot(base + SECTION_START)]), np.int64(sections[spot(base + SECTION_ROOM)])
    head = marks[FREE_HEAD] - 1
    if head >= 0:
        marks[FREE_HEAD] = heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)]
    else:
        head = marks[N_HEADS]
        marks[N_HEADS] += 1
    codes[spot(start + count)], codes[spot(start + room + count)] = narrow, head
    sections[spot(base + SECTION_COUNT)] = count + 1
    base = head * HEAD_WIDTH
    heads[spot(base + HEAD_SECTION)], heads[spot(base + HEAD_PLACE)] = section, count
    heads[spot(base + HEAD_BLOCK)], heads[spot(base + HEAD_COUNT)], heads[spot(base + HEAD_FILED)] = -1, 0, 0
    return head


@inner
def _free_head(a: Any, head: int) -> None:
    """Take a head without rows out of its section: the last takes its place."""
    sections, heads, codes, marks = ints(a, SECTIONS), ints(a, HEADS), ints(a, CODES), longs(a, MARKS)
    section = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_SECTION)])
    place, base = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_PLACE)]), section * SECTION_WIDTH
    start, last = np.int64(sections[spot(base + SECTION_START)]), np.int64(sections[spot(base + SECTION_COUNT)]) - 1
    room = np.int64(sections[spot(base + SECTION_ROOM)])
    moved = np.int64(codes[spot(start + room + last)])
    codes[spot(start + place)], codes[spot(start + room + place)] = codes[spot(start + last)], moved
    heads[spot(moved * HEAD_WIDTH + HEAD_PLACE)] = place
    sections[spot(base + SECTION_COUNT)] = last
    heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)] = marks[FREE_HEAD]
    marks[FREE_HEAD] = head + 1
    if last == 0:
        _free_section(a, section)


# rows


@inner
def _settle(slots: Any, entry: int, block: int, index: int) -> None:
    """Write down where the row of a slot is."""
    base = (entry if entry >= 0 else ~entry) * SLOT_WIDTH
    slots[spot(base + SLOT_BUCKET)], slots[spot(base + SLOT_INDEX)] = block, index


@rare
def put_row(a: Any, head: int, slot: int, pairs: Any, others: int) -> None:
    """A new row under a head: its pairs but the first are the next ones."""
    heads, lines, entries = ints(a, HEADS), longs(a, LINES), ints(a, LINES)
    base = head * HEAD_WIDTH
    count = np.int64(heads[spot(base + HEAD_COUNT)]) + 1
    heads[spot(base + HEAD_COUNT)] = count
    index = newest_rows(count) - 1
    if index == 0:
        newest = np.int64(heads[spot(base + HEAD_BLOCK)])
        heads[spot(base + HEAD_BLOCK)] = _new_block(a, head, _room_of_newest(count), others, newest)
    block = np.int64(heads[spot(base + HEAD_BLOCK)])
    room = block_room(lines, block)
    entries[spot(block_slots(block) + index)] = slot
    for other in range(others):
        lines[spot(pairs_at(block, room, other) + index)] = pairs[spot(1 + other)]
    _settle(ints(a, SLOTS), slot, block, index)


@rare
def take_row(a: Any, block: int, index: int) -> None:
    """Take a row out: the last of its head takes its place."""
    heads, lines, entries = ints(a, HEADS), longs(a, LINES), ints(a, LINES)
    head = block_head(lines, block)
    base = head * HEAD_WIDTH
    section = np.int64(heads[spot(base + HEAD_SECTION)])
    others = np.int64(ints(a, SECTIONS)[spot(section * SECTION_WIDTH + SECTION_OTHERS)])
    count, newest = np.int64(heads[spot(base + HEAD_COUNT)]), np.int64(heads[spot(base + HEAD_BLOCK)])
    last = newest_rows(count) - 1
    if newest != block or index != last:
        to, of = block_room(lines, block), block_room(lines, newest)
        moved = np.int64(entries[spot(block_slots(newest) + last)])
        entries[spot(block_slots(block) + index)] = moved
        for other in range(others):
            pair = lines[spot(pairs_at(newest, of, other) + last)]
            lines[spot(pairs_at(block, to, other) + index)] = pair
        _settle(ints(a, SLOTS), moved, block, index)
    heads[spot(base + HEAD_COUNT)] = count - 1
    if last == 0:
        heads[spot(base + HEAD_BLOCK)] = block_next(lines, newest)
        _free_block(a, newest, others)
    if count == 1:
        _free_head(a, head)
