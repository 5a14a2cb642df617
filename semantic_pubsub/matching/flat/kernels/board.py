"""The event at hand: its pairs spread out over masks that any predicate can be looked up in.

A group's pairs are numbered, those of the same attribute alike; an attribute's mask has the bits of the pairs below it,
an item's mask those of the pairs whose value satisfies it. So ⟨a, c⟩ is satisfied by some one pair exactly if the two
masks have a bit in common.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semantic_pubsub.matching.arrays.addressed import doubles, ints, words
from semantic_pubsub.matching.arrays.bits import borrowed, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.flat.layout import (
    ATTR_MASK,
    CLOSURE_BIT,
    CLOSURE_DATA,
    CLOSURE_LENGTH,
    CLOSURE_START,
    CLOSURE_WIDTH,
    CLOSURES,
    COLUMN_HEAD,
    COLUMN_VIEWS,
    EVENT_BITS,
    GROUP_BITS,
    GROUP_HEAD,
    GROUP_PAIRS,
    GROUP_WIDTH,
    GROUPS,
    ITEM_MASK,
    ITEM_VIEWS,
    PRED_LOWER,
    PRED_UPPER,
    PRED_VIEW,
    RECORD_ATTRS,
    RECORD_COLUMN,
    RECORD_EXTRA,
    RECORD_EXTRAS,
    RECORD_GROUP,
    RECORD_VALUE,
    SIGHT,
    SLOT_COUNT,
    SLOT_START,
    SLOT_WIDTH,
    SLOTS,
    SPANS,
    TOUCHED,
    VIEW_ATTR,
    VIEW_NEXT,
    VIEW_WHAT,
    VIEW_WIDTH,
    VIEWS,
    WORK,
    WORK_BIT,
    WORK_GROUP_NEXT,
    WORK_NEXT,
    WORK_WIDTH,
)

__all__ = ["Board", "board_of", "clear_board", "hide", "holds", "satisfied", "show", "spread"]

_ONE = np.uint64(1)
_NOTHING = np.uint64(0)


@inner
def _mark(member: int, bit: Any, masks: Any, touched: Any, count: int) -> int:
    mask = masks[spot(member)]
    if mask == _NOTHING:
        touched[spot(count)] = member
        count += 1
    masks[spot(member)] = mask | bit
    return count


@inner
def spread(a: Any, records: Any, extra: Any, state: Any) -> bool:
    """Write an event onto the board; True if some group has more than one pair. `state` gets two counts.

    The list of what was touched has attrs from its beginning, items from its end.
    """
    closures, data = ints(a, CLOSURES), ints(a, CLOSURE_DATA)
    attr_mask, item_mask = words(a, ATTR_MASK), words(a, ITEM_MASK)
    heads = ints(a, COLUMN_HEAD)
    groups, touched, work = ints(a, GROUPS), ints(a, TOUCHED), ints(a, WORK)
    attrs, items = 0, 0
    several = False
    last = len(touched) - 1
    for r in range(len(records)):
        group = np.int64(records[r, RECORD_GROUP]) * GROUP_WIDTH
        pair = groups[spot(group + GROUP_PAIRS)]
        several |= pair > 0
        groups[spot(group + GROUP_PAIRS)] = pair + 1
        work[spot(r * WORK_WIDTH + WORK_GROUP_NEXT)] = groups[spot(group + GROUP_HEAD)] if pair else -1
        groups[spot(group + GROUP_HEAD)] = r
        closure = np.int64(records[r, RECORD_ATTRS]) * CLOSURE_WIDTH
        number = closures[spot(closure + CLOSURE_BIT)]
        is_new = number < 0
        if is_new:
            number = groups[spot(group + GROUP_BITS)]
            groups[spot(group + GROUP_BITS)] = min(number + 1, EVENT_BITS)
            closures[spot(closure + CLOSURE_BIT)] = number
        bit = _ONE << np.uint64(number)
        work[spot(r * WORK_WIDTH + WORK_BIT)] = number
        start = np.int64(closures[spot(closure + CLOSURE_START)])
        for k in range(start, start + closures[spot(closure + CLOSURE_LENGTH)] if is_new else start):
            attrs = _mark(data[spot(k)], bit, attr_mask, touched, attrs)
        if records[r, RECORD_VALUE] >= 0:
            closure = np.int64(records[r, RECORD_VALUE]) * CLOSURE_WIDTH
            start = np.int64(closures[spot(closure + CLOSURE_START)])
            for k in range(start, start + closures[spot(closure + CLOSURE_LENGTH)]):
                item = ~data[spot(k)]
                mask = item_mask[spot(item)]
                if mask == _NOTHING:
                    touched[spot(last - items)] = item
                    items += 1
                item_mask[spot(item)] = mask | bit
        first = np.int64(records[r, RECORD_EXTRA])
        for k in range(first, first + records[r, RECORD_EXTRAS]):
            item = extra[spot(k)]
            mask = item_mask[spot(item)]
            if mask == _NOTHING:
                touched[spot(last - items)] = item
                items += 1
            item_mask[spot(item)] = mask | bit
        column = records[r, RECORD_COLUMN]
        if column >= 0:
            work[spot(r * WORK_WIDTH + WORK_NEXT)] = heads[spot(column)]
            heads[spot(column)] = r
    state[0], state[1] = attrs, items
    return several


@inner
def show(a: Any, records: Any, numbers: Any, items: int) -> None:
    """Write what each view sees: with one pair in a group that is all there is to know."""
    attr_mask, touched = words(a, ATTR_MASK), ints(a, TOUCHED)
    views, sight, first = ints(a, VIEWS), doubles(a, SIGHT), ints(a, ITEM_VIEWS)
    last = len(touched) - 1
    for k in range(items):
        view = np.int64(first[spot(touched[spot(last - k)])])
        while view >= 0:
            if attr_mask[spot(views[spot(view * VIEW_WIDTH + VIEW_ATTR)])] != _NOTHING:
                sight[spot(view)] = 1.0
            view = np.int64(views[spot(view * VIEW_WIDTH + VIEW_NEXT)])
    first = ints(a, COLUMN_VIEWS)
    for r in range(len(records)):
        view = np.int64(first[spot(records[r, RECORD_COLUMN])]) if records[r, RECORD_COLUMN] >= 0 else np.int64(-1)
        while view >= 0:
            if attr_mask[spot(views[spot(view * VIEW_WIDTH + VIEW_ATTR)])] != _NOTHING:
                sight[spot(view)] = numbers[r, 0]
            view = np.int64(views[spot(view * VIEW_WIDTH + VIEW_NEXT)])


@inner
def _hide_views(views: Any, sight: Any, view: int) -> None:
    while view >= 0:
        sight[spot(view)] = np.nan
        view = np.int64(views[spot(view * VIEW_WIDTH + VIEW_NEXT)])


@inner
def hide(a: Any, records: Any, items: int) -> None:
    """Nothing is to be seen any more."""
    touched, views, sight = ints(a, TOUCHED), ints(a, VIEWS), doubles(a, SIGHT)
    of_item, of_column = ints(a, ITEM_VIEWS), ints(a, COLUMN_VIEWS)
    last = len(touched) - 1
    for k in range(items):
        _hide_views(views, sight, np.int64(of_item[spot(touched[spot(last - k)])]))
    for r in range(len(records)):
        if records[r, RECORD_COLUMN] >= 0:
            _hide_views(views, sight, np.int64(of_column[spot(records[r, RECORD_COLUMN])]))


@inner
def clear_board(a: Any, records: Any, state: Any) -> None:
    """Take the event off the board."""
    attr_mask, item_mask = words(a, ATTR_MASK), words(a, ITEM_MASK)
    heads, closures = ints(a, COLUMN_HEAD), ints(a, CLOSURES)
    groups, touched = ints(a, GROUPS), ints(a, TOUCHED)
    for k in range(state[0]):
        attr_mask[spot(touched[spot(k)])] = _NOTHING
    last = len(touched) - 1
    for k in range(state[1]):
        item_mask[spot(touched[spot(last - k)])] = _NOTHING
    for r in range(len(records)):
        groups[spot(np.int64(records[r, RECORD_GROUP]) * GROUP_WIDTH + GROUP_PAIRS)] = 0
        groups[spot(np.int64(records[r, RECORD_GROUP]) * GROUP_WIDTH + GROUP_BITS)] = 0
        closures[spot(np.int64(records[r, RECORD_ATTRS]) * CLOSURE_WIDTH + CLOSURE_BIT)] = -1
        column = records[r, RECORD_COLUMN]
        if column >= 0:
            heads[spot(column)] = -1


class Board(NamedTuple):
    """The tables that a predicate is looked up in, found once per event."""

    lower: Any
    upper: Any
    pred_view: Any
    views: Any
    sight: Any
    attr_mask: Any
    item_mask: Any
    heads: Any
    work: Any
    slots: Any
    spans: Any
    numbers: Any


@inner
def board_of(a: Any, numbers: Any) -> Board:
    """The board with the event at hand."""
    return Board(
        doubles(a, PRED_LOWER), doubles(a, PRED_UPPER), ints(a, PRED_VIEW), ints(a, VIEWS), doubles(a, SIGHT),
        words(a, ATTR_MASK), words(a, ITEM_MASK), ints(a, COLUMN_HEAD), ints(a, WORK), ints(a, SLOTS),
        ints(a, SPANS), borrowed(numbers),
    )  # fmt: skip


@inner
def holds(pred: int, shown: bool, b: Board) -> bool:
    """Whether some one pair of the event satisfies a predicate; quickly, if what there is to see is shown."""
    lower, upper = b.lower[spot(pred)], b.upper[spot(pred)]
    view = np.int64(b.pred_view[spot(pred)])
    if shown:
        seen = b.sight[spot(view)]
        return (lower <= seen) & (seen <= upper)
    mask = b.attr_mask[spot(b.views[spot(view * VIEW_WIDTH + VIEW_ATTR)])]
    item = np.int64(b.views[spot(view * VIEW_WIDTH + VIEW_WHAT)])
    if item >= 0:
        return (mask & b.item_mask[spot(item)]) != _NOTHING
    record = np.int64(b.heads[spot(~item)])
    while record >= 0:
        fits = lower <= b.numbers[spot(record), 1] and b.numbers[spot(record), 0] <= upper
        if fits and mask >> np.uint64(b.work[spot(record * WORK_WIDTH + WORK_BIT)]) & _ONE:
            return True
        record = np.int64(b.work[spot(record * WORK_WIDTH + WORK_NEXT)])
    return False


@inner
def satisfied(slot: int, first: int, shown: bool, b: Board) -> bool:
    """Whether the event satisfies every predicate of a slot, from the given one on."""
    start = np.int64(b.slots[spot(slot * SLOT_WIDTH + SLOT_START)])
    for k in range(start + first, start + b.slots[spot(slot * SLOT_WIDTH + SLOT_COUNT)]):
        if not holds(b.spans[spot(k)], shown, b):
            return False
    return True
