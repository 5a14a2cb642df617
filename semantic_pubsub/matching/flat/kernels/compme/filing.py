"""How a slot gets into the matrices and out: coded, under its rarest pair, in a list or in a row of its own.

Whatever must be filed waits in a list; `file_waiting` files as long as tables have room and no column is crowded, and
says what is to be done otherwise. So kernels need not call themselves, and never stop half way through a slot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, ints, longs
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import entry, inner, rare
from semantic_pubsub.matching.flat.compme_layout import (
    ALL_COLUMNS,
    BITS,
    CHILDREN,
    CODES,
    COLUMN_SEEN,
    COLUMNS,
    CROWD,
    DEEPEST,
    FOLLOWERS,
    FREE_NODE,
    GENERATION,
    HEAD_BLOCK,
    HEAD_COUNT,
    HEAD_FILED,
    HEAD_PLACE,
    HEAD_SECTION,
    HEAD_WIDTH,
    HEADS,
    LEAST_COLUMNS,
    LINES,
    MARKS,
    MOST_BLOCK,
    MOST_SPAN,
    N_CHILDREN,
    N_CODES,
    N_HEADS,
    N_LINES,
    N_NODES,
    N_SECTIONS,
    N_WAITING,
    N_WORDS,
    NODE_CHILDREN,
    NODE_DEPTH,
    NODE_GENERATION,
    NODE_NEXT,
    NODE_VIEW,
    NODE_WIDTH,
    NODES,
    OTHERS,
    PLACES,
    RANGES,
    REVIEWED,
    SECTION_START,
    SECTION_WIDTH,
    SECTION_WORD,
    SECTIONS,
    SHAPE_WIDTH,
    SHAPES,
    WAITING,
    WORD_NODE,
    WORD_WIDTH,
    WORDS,
)
from semantic_pubsub.matching.flat.kernels.compme.coding import (
    code_of,
    code_pred,
    divide_column,
    locate,
    popcount,
    start_of,
)
from semantic_pubsub.matching.flat.kernels.compme.covering import find_cover, follow, take_out, wait
from semantic_pubsub.matching.flat.kernels.compme.rows import (
    block_head,
    block_next,
    block_slots,
    find_head,
    find_section,
    newest_rows,
    put_row,
)
from semantic_pubsub.matching.flat.layout import (
    ATTR_GROUP,
    COUNTS,
    FREE,
    N_SLOTS,
    N_VIEWS,
    PRED_LOWER,
    PRED_UPPER,
    PRED_VIEW,
    SLOT_BUCKET,
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

__all__ = ["divide", "enter_slot", "file_waiting", "finish_generation", "forget_slot", "move_slots"]


@inner
def _room_for(a: Any, preds: int) -> bool:
    """Whether nothing can become too small while a slot with so many predicates is filed and a column divided."""
    marks, counts = longs(a, MARKS), longs(a, COUNTS)
    words, nodes = marks[N_WORDS] + 2 * preds + 4, marks[N_NODES] + preds + 2
    fits = len(ints(a, BITS)) >= words and len(ints(a, WORDS)) >= words * WORD_WIDTH
    fits &= len(ints(a, NODES)) >= nodes * NODE_WIDTH and len(doubles(a, SHAPES)) >= nodes * SHAPE_WIDTH
    fits &= len(ints(a, COLUMN_SEEN)) >= nodes * COLUMNS and len(ints(a, CHILDREN)) >= marks[N_CHILDREN] + COLUMNS
    fits &= len(ints(a, SECTIONS)) >= (marks[N_SECTIONS] + 1) * SECTION_WIDTH
    fits &= len(ints(a, CODES)) >= marks[N_CODES] + MOST_SPAN
    fits &= len(ints(a, HEADS)) >= (marks[N_HEADS] + 1) * HEAD_WIDTH
    fits &= len(longs(a, LINES)) >= marks[N_LINES] + MOST_BLOCK
    views = counts[N_VIEWS]
    fits &= len(ints(a, PLACES)) >= 2 * views and len(doubles(a, RANGES)) >= 2 * views
    slots = counts[N_SLOTS]
    return fits and len(ints(a, FOLLOWERS)) >= slots and len(ints(a, WAITING)) >= slots + 1


@inner
def _size_of(a: Any, preds: Any, count: int) -> int:
    """The size of a subscription: on how many different attributes (here: groups) it has predicates."""
    group_of, views, view_of = ints(a, ATTR_GROUP), ints(a, VIEWS), ints(a, PRED_VIEW)
    size = np.int64(0)
    for k in range(count):
        group = group_of[spot(views[spot(view_of[spot(preds[k])] * VIEW_WIDTH + VIEW_ATTR)])]
        is_new = True
        for other in range(k):
            attr = views[spot(view_of[spot(preds[other])] * VIEW_WIDTH + VIEW_ATTR)]
            is_new &= group_of[spot(attr)] != group
        size += is_new
    return size


@inner
def _order(rates: Any, pairs: Any, owners: Any, count: int) -> None:
    """Sort pairs by rate, equal ones by their number: who asks the same comes to the same row."""
    for k in range(1, count):
        rate, pair, owner, at = rates[k], pairs[k], owners[k], k
        while at > 0 and (rates[at - 1] > rate or (rates[at - 1] == rate and pairs[at - 1] > pair)):
            rates[at], pairs[at], owners[at] = rates[at - 1], pairs[at - 1], owners[at - 1]
            at -= 1
        rates[at], pairs[at], owners[at] = rate, pair, owner


@inner
def _code(a: Any, slot: int, pairs: Any) -> int:
    """The pairs of a slot, the rarest first; its predicates are put into the opposite order, so that the exact check
    begins with what the filter has not seen."""
    slots, spans = ints(a, SLOTS), ints(a, SPANS)
    start = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    preds = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)])
    rates, owners = np.empty(len(pairs), np.float64), np.empty(len(pairs), np.int64)
    count = 0
    for k in range(start, start + preds):
        before, pred = count, np.int64(spans[spot(k)])
        count = code_pred(a, pred, pairs, rates, count)
        owners[before] = pred
        for part in range(before + 1, count):
            owners[part] = -1  # only together with what it is a part of: it cannot be the first
    _order(rates, pairs, owners, count)
    first = 0
    while first < count and owners[first] < 0:
        first += 1
    at = start + preds
    for k in range(count):
        if owners[k] >= 0:
            at -= 1
            spans[spot(at)] = owners[k]
    if first:
        pair = pairs[first]
        for k in range(first, 0, -1):
            pairs[k] = pairs[k - 1]
        pairs[0] = pair
    if count == 0:
        pairs[0] = ALL_COLUMNS  # of word 0, which every event has
    return max(count, 1)


@rare
def _file(a: Any, slot: int) -> int:
    """File one slot: gives the head where it came to crowd a column, or -1."""
    slots, base = ints(a, SLOTS), slot * SLOT_WIDTH
    start, preds = np.int64(slots[spot(base + SLOT_START)]), np.int64(slots[spot(base + SLOT_COUNT)])
    pairs = np.empty(3 * preds + 1, np.int64)
    count = _code(a, slot, pairs)  # step 1: to bits
    size = _size_of(a, ints(a, SPANS)[start : start + preds], preds)
    others = min(count - 1, np.int64(OTHERS))
    section = find_section(a, start_of(pairs[0]), size, others)  # step 2: to the matrix of this size
    cover = find_cover(a, section, pairs, count)  # step 3: to a row that covers it, or to one of its own
    if cover.slot >= 0 and follow(a, cover.slot, slot, cover.same):
        block = np.int64(slots[spot(cover.slot * SLOT_WIDTH + SLOT_BUCKET)])
        return _crowded(a, block_head(longs(a, LINES), block))
    head = find_head(a, section, code_of(pairs[0]))
    put_row(a, head, slot, pairs, others)
    return _crowded(a, head)


@inner
def _first_pair(a: Any, head: int) -> int:
    """The pair that the rows of a head have in common."""
    heads, sections = ints(a, HEADS), ints(a, SECTIONS)
    section = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_SECTION)]) * SECTION_WIDTH
    place = np.int64(sections[spot(section + SECTION_START)]) + heads[spot(head * HEAD_WIDTH + HEAD_PLACE)]
    code = np.int64(ints(a, CODES)[spot(place)]) & np.int64(ALL_COLUMNS)
    return np.int64(sections[spot(section + SECTION_WORD)]) << 32 | code


@inner
def _node_of(a: Any, word: int) -> int:
    return np.int64(ints(a, WORDS)[spot(word * WORD_WIDTH + WORD_NODE)])


@inner
def _crowded(a: Any, head: int) -> int:
    """The head, if its rows cover one column only and are so many that it is worth a try to divide it; else -1."""
    heads, at = ints(a, HEADS), head * HEAD_WIDTH + HEAD_FILED
    filed = np.int64(heads[spot(at)]) + 1
    heads[spot(at)] = filed
    if filed < CROWD or filed & (filed - 1):
        return np.int64(-1)
    pair = _first_pair(a, head)
    node = _node_of(a, start_of(pair))
    if node < 0 or popcount(code_of(pair)) >= LEAST_COLUMNS:
        return np.int64(-1)
    return head if ints(a, NODES)[spot(node * NODE_WIDTH + NODE_DEPTH)] < DEEPEST else np.int64(-1)


@rare
def _file_waiting(a: Any) -> int:
    """File what waits. Gives 0 when that is done; -1 and below for tables that must grow for so many predicates;
    1 and above for a head whose column must be divided."""
    marks, slots, waiting = longs(a, MARKS), ints(a, SLOTS), ints(a, WAITING)
    while marks[N_WAITING]:
        slot = np.int64(waiting[spot(marks[N_WAITING] - 1)])
        preds = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)])
        if not _room_for(a, preds):
            return -1 - preds
        marks[N_WAITING] -= 1
        head = _file(a, slot)
        if head >= 0:
            return head + 1
    return np.int64(0)


@entry
def file_waiting(a: Any) -> int:
    """Go on with filing, see `_file_waiting`."""
    return _file_waiting(a)


@entry
def enter_slot(a: Any, slot: int, start: int, given: Any, count: int) -> int:
    """Keep a new slot with its predicates and file it; gives what `file_waiting` gives."""
    slots, spans, base = ints(a, SLOTS), ints(a, SPANS), slot * SLOT_WIDTH
    slots[spot(base + SLOT_START)], slots[spot(base + SLOT_COUNT)] = start, count
    for k in range(count):
        spans[spot(start + k)] = given[k]
    wait(a, slot)
    return _file_waiting(a)


@entry
def forget_slot(a: Any, slot: int) -> int:
    """Take a slot out; gives what `file_waiting` gives for those that lost the row that covered them."""
    take_out(a, slot)
    return _file_waiting(a)


@entry
def move_slots(a: Any, last: int) -> int:
    """File slots anew, up to a number; REVIEWED says how many were. Gives what `file_waiting` gives."""
    marks, slots = longs(a, MARKS), ints(a, SLOTS)
    while marks[REVIEWED] < last:
        slot = marks[REVIEWED]
        marks[REVIEWED] += 1
        if slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)] != FREE:
            take_out(a, slot)
            wait(a, slot)
            left = _file_waiting(a)
            if left != 0:
                return left
    return np.int64(0)


# columns that are crowded


@inner
def _empty(a: Any, head: int, first: int) -> None:
    """Let all slots under a head wait: rows and followers."""
    heads, lines, entries, followers = ints(a, HEADS), longs(a, LINES), ints(a, LINES), ints(a, FOLLOWERS)
    waiting = ints(a, WAITING)
    base = head * HEAD_WIDTH
    left, block = np.int64(heads[spot(base + HEAD_COUNT)]), np.int64(heads[spot(base + HEAD_BLOCK)])
    count = first
    while left:
        rows = newest_rows(left)
        for index in range(rows):
            slot = np.int64(entries[spot(block_slots(block) + index)])
            slot = slot if slot >= 0 else ~slot
            while slot >= 0:
                waiting[spot(count)] = slot
                count += 1
                slot = np.int64(followers[spot(slot)]) - 1
        left -= rows
        block = block_next(lines, block)
    for k in range(count - 1, first - 1, -1):  # followers before their row: nobody is left without one
        take_out(a, np.int64(waiting[spot(k)]))
    longs(a, MARKS)[N_WAITING] = count


@inner
def _bounds(a: Any, head: int, node: int, column: int, bounds: Any) -> bool:
    """The lowest and the highest bound of the rows and followers in a column; whether they have different ones."""
    heads, lines, entries, followers = ints(a, HEADS), longs(a, LINES), ints(a, LINES), ints(a, FOLLOWERS)
    left = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_COUNT)])
    block = np.int64(heads[spot(head * HEAD_WIDTH + HEAD_BLOCK)])
    bounds[0], bounds[1], bounds[2], bounds[3] = np.inf, -np.inf, np.nan, np.nan
    differ = False
    while left:
        rows = newest_rows(left)
        for index in range(rows):
            slot = np.int64(entries[spot(block_slots(block) + index)])
            slot = slot if slot >= 0 else ~slot
            while slot >= 0:
                differ |= _bounds_of(a, slot, node, column, bounds)
                slot = np.int64(followers[spot(slot)]) - 1
        left -= rows
        block = block_next(lines, block)
    return differ


@inner
def _bounds_of(a: Any, slot: int, node: int, column: int, bounds: Any) -> bool:
    slots, spans, view_of = ints(a, SLOTS), ints(a, SPANS), ints(a, PRED_VIEW)
    view = np.int64(ints(a, NODES)[spot(node * NODE_WIDTH + NODE_VIEW)])
    root = np.int64(ints(a, PLACES)[spot(2 * view + longs(a, MARKS)[GENERATION])])
    start, differ = np.int64(slots[spot(slot * SLOT_WIDTH + SLOT_START)]), False
    for k in range(start, start + slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)]):
        pred = np.int64(spans[spot(k)])
        lower, upper = doubles(a, PRED_LOWER)[spot(pred)], doubles(a, PRED_UPPER)[spot(pred)]
        if view_of[spot(pred)] != view or lower > upper:
            continue
        found = locate(a, root, lower, upper)
        if found.node != node or found.first != column or found.last != column:
            continue
        if np.isnan(bounds[2]):
            bounds[2], bounds[3] = lower, upper
        differ |= bounds[2] != lower or bounds[3] != upper
        for bound in (lower, upper):
            if np.isfinite(bound):
                bounds[0], bounds[1] = min(bounds[0], bound), max(bounds[1], bound)
    return differ


@entry
def divide(a: Any, head: int) -> int:
    """Give a head's column sub-columns, if these tell its rows apart, and file the rows anew; gives what `file_waiting`
    gives."""
    pair, bounds = _first_pair(a, head), np.empty(4, np.float64)
    node, column = _node_of(a, start_of(pair)), popcount(code_of(pair) - 1)
    if _bounds(a, head, node, column, bounds):
        divide_column(a, node, column, bounds[0], bounds[1])
        _empty(a, head, longs(a, MARKS)[N_WAITING])
    return _file_waiting(a)


@entry
def finish_generation(a: Any) -> None:
    """Give back the nodes of the generation before: no row is in their words any more."""
    marks, nodes, places, views = longs(a, MARKS), ints(a, NODES), ints(a, PLACES), ints(a, VIEWS)
    children, old = ints(a, CHILDREN), 1 - marks[GENERATION]
    for node in range(marks[N_NODES]):
        base = node * NODE_WIDTH
        if nodes[spot(base + NODE_GENERATION)] != old:
            continue
        nodes[spot(base + NODE_GENERATION)], nodes[spot(base + NODE_NEXT)] = -1, marks[FREE_NODE]
        marks[FREE_NODE] = node + 1
        run = np.int64(nodes[spot(base + NODE_CHILDREN)])
        for k in range(run, run + COLUMNS if run >= 0 else run):
            children[spot(k)] = -1
    for view in range(longs(a, COUNTS)[N_VIEWS]):
        if views[spot(view * VIEW_WIDTH + VIEW_WHAT)] < 0 and 2 * view < len(places):
            places[spot(2 * view + old)] = -1
