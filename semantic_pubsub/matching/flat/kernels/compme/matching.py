"""Filter and refine (section 5, algorithm 1): an event's bits, ANDed with rows, propose; predicates decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import bytes_of, doubles, ints, longs, words
from semantic_pubsub.matching.arrays.bits import fetch, spot
from semantic_pubsub.matching.arrays.compiling import entry, inner, rare
from semantic_pubsub.matching.flat.compme_layout import (
    ACTIVE,
    BITS,
    CHILDREN,
    CODES,
    COLUMN_SEEN,
    COLUMNS,
    FOLLOWERS,
    HEAD_BLOCK,
    HEAD_COUNT,
    HEAD_WIDTH,
    HEADS,
    LINES,
    MOST_ROWS,
    NODE_CHILDREN,
    NODE_WIDTH,
    NODE_WORD,
    NODES,
    PICKED,
    PLACES,
    SECTION_COUNT,
    SECTION_NEXT,
    SECTION_OTHERS,
    SECTION_ROOM,
    SECTION_SIZE,
    SECTION_START,
    SECTION_WIDTH,
    SECTIONS,
    SHAPE_SEEN,
    SHAPE_WIDTH,
    SHAPES,
    TOGETHER,
    WORD_SECTION,
    WORD_WIDTH,
    WORDS,
)
from semantic_pubsub.matching.flat.kernels.board import (
    Board,
    board_of,
    clear_board,
    hide,
    holds,
    satisfied,
    show,
    spread,
)
from semantic_pubsub.matching.flat.kernels.compme.coding import column_of, start_of
from semantic_pubsub.matching.flat.kernels.compme.rows import (
    block_next,
    block_room,
    block_slots,
    pairs_at,
    rows_of_newest,
)
from semantic_pubsub.matching.flat.layout import (
    ATTR_MASK,
    COLUMN_VIEWS,
    COUNTS,
    GROUP_HEAD,
    GROUP_PAIRS,
    GROUP_WIDTH,
    GROUPS,
    ITEM_MASK,
    ITEM_SEEN,
    ITEM_VIEWS,
    N_CHECKED,
    N_EVENTS,
    N_PREDS,
    N_SCANNED,
    OUT,
    RECORD_COLUMN,
    RECORD_GROUP,
    SLOT_COUNT,
    SLOT_START,
    SLOT_WIDTH,
    TOUCHED,
    TRUTH,
    VIEW_ATTR,
    VIEW_NEXT,
    VIEW_WIDTH,
    VIEWS,
    WORK,
    WORK_BIT,
    WORK_WIDTH,
)

__all__ = ["match_event", "match_events"]

_AHEAD = 8  # candidates
_WORTH_SHOWING = 32  # candidates: below that, each predicate is looked up where it is needed
_WORTH_JUDGING = 4  # predicates looked at for a candidate, about: with more than there are in all, all are judged first


# step 1: the event as bits


@inner
def _set(bits: Any, word: int, column: int, active: Any, count: int) -> int:
    """Set a bit; note the word if it is the first one."""
    before = bits[spot(word)]
    bits[spot(word)] = before | np.int32(np.int64(1) << column)
    active[spot(count)] = word
    return count + (before == 0)


@inner
def _mark_items(a: Any, items: int, active: Any, count: int) -> int:
    """The enumerated values that the event has; how often is learned on the way."""
    touched, seen, first, views = ints(a, TOUCHED), ints(a, ITEM_SEEN), ints(a, ITEM_VIEWS), ints(a, VIEWS)
    places, bits = ints(a, PLACES), ints(a, BITS)
    attr_mask, item_mask = words(a, ATTR_MASK), words(a, ITEM_MASK)
    last = len(touched) - 1
    for k in range(items):
        item = np.int64(touched[spot(last - k)])
        seen[spot(item)] += 1
        mask, view = item_mask[spot(item)], np.int64(first[spot(item)])
        while view >= 0:
            word = np.int64(places[spot(2 * view)])
            if word >= 0 and attr_mask[spot(views[spot(view * VIEW_WIDTH + VIEW_ATTR)])] & mask != np.uint64(0):
                count = _set(bits, word, np.int64(places[spot(2 * view + 1)]), active, count)
            view = np.int64(views[spot(view * VIEW_WIDTH + VIEW_NEXT)])
    return count


@inner
def _see(seen: Any, node: int, column: int) -> None:
    """Count a column; the counts are halved where one becomes too large."""
    at = node * COLUMNS + column
    seen[spot(at)] += 1
    if seen[spot(at)] == 255:
        for k in range(node * COLUMNS, (node + 1) * COLUMNS):
            seen[spot(k)] >>= 1


@inner
def _mark_number(a: Any, node: int, number: float, alone: bool, active: Any, count: int, parts: int) -> tuple[int, int]:
    """The columns of a number, down the divided ones. `alone`: the attribute has no other value, so that the event is
    in no other part of the divided column."""
    nodes, shapes, children, bits = ints(a, NODES), doubles(a, SHAPES), ints(a, CHILDREN), ints(a, BITS)
    seen, is_part, last = bytes_of(a, COLUMN_SEEN), False, len(active) - 1
    while node >= 0:
        word = np.int64(nodes[spot(node * NODE_WIDTH + NODE_WORD)])
        column = column_of(shapes, node, number)
        count = _set(bits, word, column, active, count)
        if is_part and alone:
            bits[spot(word + 1)] = np.int32(np.int64(1) << column)
            active[spot(last - parts)] = word + 1
            parts += 1
        is_part = True
        shapes[spot(node * SHAPE_WIDTH + SHAPE_SEEN)] += 1.0
        _see(seen, node, column)
        run = np.int64(nodes[spot(node * NODE_WIDTH + NODE_CHILDREN)])
        node = np.int64(children[spot(run + column)]) if run >= 0 else np.int64(-1)
    return count, parts


@rare
def _mark(a: Any, records: Any, b: Board, items: int, state: Any) -> int:
    """Write the event into the words. Gives how many groups it has; `state` gets how many words, and parts."""
    active, groups, places, views = ints(a, ACTIVE), ints(a, GROUPS), ints(a, PLACES), ints(a, VIEWS)
    first, work, attr_mask = ints(a, COLUMN_VIEWS), ints(a, WORK), words(a, ATTR_MASK)
    active[0] = 0  # the word that every event has
    count, parts, present = _mark_items(a, items, active, 1), np.int64(0), np.int64(0)
    for r in range(len(records)):
        group = np.int64(records[r, RECORD_GROUP]) * GROUP_WIDTH
        present += groups[spot(group + GROUP_HEAD)] == r
        number, column = b.numbers[spot(r), 0], np.int64(records[r, RECORD_COLUMN])
        if column < 0 or number != number:
            continue
        alone, bit = groups[spot(group + GROUP_PAIRS)] == 1, np.uint64(work[spot(r * WORK_WIDTH + WORK_BIT)])
        view = np.int64(first[spot(column)])
        while view >= 0:
            if attr_mask[spot(views[spot(view * VIEW_WIDTH + VIEW_ATTR)])] >> bit & np.uint64(1):
                for generation in range(2):
                    node = np.int64(places[spot(2 * view + generation)])
                    count, parts = _mark_number(a, node, number, alone, active, count, parts)
            view = np.int64(views[spot(view * VIEW_WIDTH + VIEW_NEXT)])
    state[0], state[1] = count, parts
    return present


@inner
def _unmark(a: Any, state: Any) -> None:
    active, bits = ints(a, ACTIVE), ints(a, BITS)
    for k in range(1, state[0]):
        bits[spot(active[spot(k)])] = 0
    last = len(active) - 1
    for k in range(state[1]):
        bits[spot(active[spot(last - k)])] = -1


# step 2: filter


@inner
def _fits(bits: Any, pair: int) -> bool:
    """Whether the event has one of a pair's columns."""
    return np.int32(pair) & bits[spot(start_of(pair))] != 0


@inner
def _propose(entry_: int, followers: Any, out: Any, found: int) -> int:
    """Give out the slot of a row and those in its list."""
    if entry_ >= 0:
        out[spot(found)] = entry_
        return found + 1
    slot = ~entry_
    while slot >= 0:
        out[spot(found)] = slot
        found += 1
        slot = np.int64(followers[spot(slot)]) - 1
    return found


_AT, _STEP, _ENTRY, _KEPT, _HITS = 0, TOGETHER, 2 * TOGETHER, 3 * TOGETHER, 4 * TOGETHER


@inner
def _look(a: Any, others: int, count: int, out: Any, found: int) -> int:
    """Look at all other pairs of the rows that were picked: of each its second pair in LINES, how far the next one is,
    and where its slot is. Pair by pair: what the event has cannot be foreseen, so nothing branches."""
    lines, entries, followers = longs(a, LINES), ints(a, LINES), ints(a, FOLLOWERS)
    bits, picked = ints(a, BITS), longs(a, PICKED)
    for k in range(count):
        picked[spot(_KEPT + k)] = k
    for other in range(1, others):
        left = np.int64(0)
        for k in range(count):
            row = picked[spot(_KEPT + k)]
            picked[spot(_KEPT + left)] = row
            left += _fits(bits, lines[spot(picked[spot(_AT + row)] + other * picked[spot(_STEP + row)])])
        count = left
    for k in range(count):
        place = picked[spot(_ENTRY + picked[spot(_KEPT + k)])]
        found = _propose(np.int64(entries[spot(place)]), followers, out, found)
    return found


@inner
def _pick(a: Any, head: int, others: int, count: int, out: Any, found: int) -> tuple[int, int]:
    """Pick the rows of a head whose second pair the event has; those picked before are done with when there is no room
    for more."""
    heads, lines, entries, followers = ints(a, HEADS), longs(a, LINES), ints(a, LINES), ints(a, FOLLOWERS)
    bits, picked = ints(a, BITS), longs(a, PICKED)
    left = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_COUNT)])
    block = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
    while left:
        following = block_next(lines, block)
        if following >= 0:
            fetch(lines, following)
        room, slots = block_room(lines, block), block_slots(block)
        rows = rows_of_newest(left, room)
        if others == 0:
            for index in range(rows):
                found = _propose(np.int64(entries[spot(slots + index)]), followers, out, found)
        else:
            if count + MOST_ROWS > TOGETHER:
                found = _look(a, others, count, out, found)
                count = np.int64(0)
            first = pairs_at(block, room, 0)
            for index in range(rows):
                picked[spot(_AT + count)], picked[spot(_STEP + count)] = first + index, room
                picked[spot(_ENTRY + count)] = slots + index
                count += _fits(bits, lines[spot(first + index)])
        left -= rows
        block = following
    return count, found


@inner
def _hits(a: Any, section: int, here: int) -> int:
    """The heads of a section whose pair the event has."""
    sections, codes, picked, base = ints(a, SECTIONS), ints(a, CODES), longs(a, PICKED), section * SECTION_WIDTH
    start, room = np.int64(sections[spot(base + SECTION_START)]), np.int64(sections[spot(base + SECTION_ROOM)])
    count = np.int64(0)
    for place in range(start, start + sections[spot(base + SECTION_COUNT)]):
        picked[spot(_HITS + count)] = codes[spot(place + room)]
        count += (codes[spot(place)] & here) != 0
    return count


@rare
def _filter(a: Any, present: int, count: int, out: Any) -> int:
    """The slots of all rows that the event's words let through, in matrices of sizes that the event can have."""
    active, bits, words_, sections = ints(a, ACTIVE), ints(a, BITS), ints(a, WORDS), ints(a, SECTIONS)
    heads, counts, picked, lines = ints(a, HEADS), longs(a, COUNTS), longs(a, PICKED), longs(a, LINES)
    found, rows, width = np.int64(0), np.int64(0), np.int64(0)
    for k in range(count):
        word = np.int64(active[spot(k)])
        section = np.int64(words_[spot(word * WORD_WIDTH + WORD_SECTION)])
        while section >= 0 and sections[spot(section * SECTION_WIDTH + SECTION_SIZE)] <= present:
            others = np.int64(sections[spot(section * SECTION_WIDTH + SECTION_OTHERS)])
            if others != width:
                found = _look(a, width, rows, out, found)
                rows, width = np.int64(0), others
            hits = _hits(a, section, bits[spot(word)])
            for n in range(hits):
                if n + _AHEAD < hits:
                    fetch(heads, picked[spot(_HITS + n + _AHEAD)] * HEAD_WIDTH)
                if n + _AHEAD // 2 < hits:
                    fetch(lines, np.int64(heads[spot(picked[spot(_HITS + n + _AHEAD // 2)] * HEAD_WIDTH + HEAD_BLOCK)]))
                head = picked[spot(_HITS + n)]
                counts[N_SCANNED] += heads[spot(head * HEAD_WIDTH + HEAD_COUNT)]
                rows, found = _pick(a, head, others, rows, out, found)
            section = np.int64(sections[spot(section * SECTION_WIDTH + SECTION_NEXT)])
    return _look(a, width, rows, out, found)


# step 3: refine


@inner
def _judge(a: Any, shown: bool, b: Board, truth: Any) -> None:
    """What is true of the event, for all predicates at once."""
    for pred in range(longs(a, COUNTS)[N_PREDS]):
        truth[spot(pred)] = holds(pred, shown, b)


@inner
def _all_true(slot: int, truth: Any, b: Board) -> int:
    start, fits = np.int64(b.slots[spot(slot * SLOT_WIDTH + SLOT_START)]), np.uint8(1)
    for k in range(start, start + b.slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)]):
        fits &= truth[spot(b.spans[spot(k)])]
    return np.int64(fits)


@inner
def _ask_ahead(out: Any, k: int, proposed: int, b: Board) -> None:
    """Candidates are in no order: their predicates are asked for from memory before they are needed."""
    if k + 2 * _AHEAD < proposed:
        fetch(b.slots, np.int64(out[spot(k + 2 * _AHEAD)]) * SLOT_WIDTH)
    if k + _AHEAD < proposed:
        fetch(b.spans, np.int64(b.slots[spot(np.int64(out[spot(k + _AHEAD)]) * SLOT_WIDTH + SLOT_START)]))


@rare
def _refine(a: Any, records: Any, items: int, several: bool, b: Board, out: Any, proposed: int) -> int:
    """Keep the candidates all of whose predicates the event satisfies."""
    found, shown = np.int64(0), not several and proposed >= _WORTH_SHOWING
    if shown:
        show(a, records, b.numbers, items)
    if _WORTH_JUDGING * proposed > longs(a, COUNTS)[N_PREDS]:
        truth = bytes_of(a, TRUTH)
        _judge(a, shown, b, truth)
        for k in range(proposed):
            _ask_ahead(out, k, proposed, b)
            slot = np.int64(out[spot(k)])
            out[spot(found)] = slot
            found += _all_true(slot, truth, b)
    else:
        for k in range(proposed):
            _ask_ahead(out, k, proposed, b)
            slot = np.int64(out[spot(k)])
            out[spot(found)] = slot
            found += satisfied(slot, 0, shown, b)
    if shown:
        hide(a, records, items)
    return found


@rare
def _match(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    """Write the slots that an event satisfies to OUT and give their number."""
    counts, out = longs(a, COUNTS), ints(a, OUT)
    state, marked = np.zeros(2, np.int64), np.zeros(2, np.int64)
    several = spread(a, records, extra, state)
    board = board_of(a, numbers)
    present = _mark(a, records, board, state[1], marked)
    proposed = _filter(a, present, marked[0], out)
    _unmark(a, marked)
    counts[N_CHECKED] += proposed
    found = _refine(a, records, state[1], several, board, out, proposed) if proposed else np.int64(0)
    counts[N_EVENTS] += 1
    clear_board(a, records, state)
    return found


@entry
def match_event(a: Any, records: Any, numbers: Any, extra: Any) -> int:
    """Write the slots that an event satisfies to OUT and give their number."""
    return _match(a, records, numbers, extra)


@entry
def match_events(
    a: Any, records: Any, numbers: Any, extra: Any, ends: Any, first: int, found: Any, found_ends: Any
) -> int:  # fmt: skip
    """The same for many events, from the given one on: the records of the n-th end at ends[n + 1], its slots in `found`
    at found_ends[n + 1]. Gives the number of the first event whose slots `found` has no room for."""
    out, filled = ints(a, OUT), found_ends[first]
    for event in range(first, len(ends) - 1):
        start, end = ends[event], ends[event + 1]
        count = _match(a, records[start:end], numbers[start:end], extra)
        if filled + count > len(found):
            return event
        for k in range(count):
            found[spot(filled + k)] = out[spot(k)]
        filled += count
        found_ends[event + 1] = filled
    return len(ends) - 1
