"""From predicates to bits: which columns of which word a predicate covers (sections 4.1 to 4.3 of the paper)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semantic_pubsub.matching.arrays.addressed import bytes_of, doubles, ints, longs
from semantic_pubsub.matching.arrays.bits import bit_count, spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.flat.compme_layout import (
    BITS,
    CHILDREN,
    COLUMN_SEEN,
    COLUMNS,
    FREE_NODE,
    GENERATION,
    ITEM_WORDS,
    MARKS,
    N_CHILDREN,
    N_NODES,
    N_WORDS,
    NODE_CHILDREN,
    NODE_DEPTH,
    NODE_GENERATION,
    NODE_NEXT,
    NODE_VIEW,
    NODE_WIDTH,
    NODE_WORD,
    NODES,
    PLACES,
    RANGES,
    SHAPE_BORN,
    SHAPE_HIGH,
    SHAPE_LOW,
    SHAPE_PRIOR,
    SHAPE_SCALE,
    SHAPE_SEEN,
    SHAPE_WIDTH,
    SHAPES,
    WORD_NODE,
    WORD_SECTION,
    WORD_WIDTH,
    WORDS,
)
from semantic_pubsub.matching.flat.layout import (
    COUNTS,
    ITEM_SEEN,
    N_EVENTS,
    PRED_LOWER,
    PRED_UPPER,
    PRED_VIEW,
    VIEW_ATTR,
    VIEW_WHAT,
    VIEW_WIDTH,
    VIEWS,
)

__all__ = ["Found", "code_of", "code_pred", "column_of", "divide_column", "locate", "popcount", "start_of"]

_GUESSED = 16.0  # events that the guess of how often something happens is worth
_GREATEST = 1.7976931348623157e308
_LAST = COLUMNS - 1
_INNER = COLUMNS - 2  # columns beside LB and UB


class Found(NamedTuple):
    """The finest node that has an interval as a whole, and the columns of its ends there."""

    node: int
    first: int
    last: int


@inner
def popcount(code: int) -> int:
    """How many columns a code covers."""
    return bit_count(np.uint64(code))


@inner
def start_of(pair: int) -> int:
    """The word of a pair."""
    return pair >> 32


@inner
def code_of(pair: int) -> int:
    """The columns of a pair."""
    return pair & np.int64(0xFFFFFFFF)


@inner
def _pair(word: int, code: int) -> int:
    return np.int64(word) << 32 | np.int64(code)


@inner
def _run(first: int, last: int) -> int:
    """The code of neighbouring columns."""
    return (np.int64(1) << (last + 1)) - (np.int64(1) << first)


@inner
def column_of(shapes: Any, node: int, number: float) -> int:
    """The column of a number: 0 is LB, 31 is UB. Monotone in the number, so that columns hold whole intervals."""
    base = node * SHAPE_WIDTH
    low = shapes[spot(base + SHAPE_LOW)]
    if number < low:
        return np.int64(0)
    if number > shapes[spot(base + SHAPE_HIGH)]:
        return np.int64(_LAST)
    return 1 + min(np.int64((0.5 * number - 0.5 * low) * shapes[spot(base + SHAPE_SCALE)]), np.int64(_INNER - 1))


@rare
def _new_node(a: Any, view: int, low: float, high: float, depth: int, prior: float) -> int:
    """A word for a range of numbers, with the word of its part; nothing is filed there yet."""
    nodes, shapes, marks = ints(a, NODES), doubles(a, SHAPES), longs(a, MARKS)
    bits, words = ints(a, BITS), ints(a, WORDS)
    node = marks[FREE_NODE] - 1
    if node >= 0:
        base = node * NODE_WIDTH
        marks[FREE_NODE] = nodes[spot(base + NODE_NEXT)]
    else:
        node = marks[N_NODES]
        marks[N_NODES] += 1
        base = node * NODE_WIDTH
        word = marks[N_WORDS]
        marks[N_WORDS] += 2
        nodes[spot(base + NODE_WORD)], nodes[spot(base + NODE_CHILDREN)] = word, -1
        bits[spot(word)], bits[spot(word + 1)] = 0, -1
        for one in range(word, word + 2):
            words[spot(one * WORD_WIDTH + WORD_SECTION)], words[spot(one * WORD_WIDTH + WORD_NODE)] = -1, node
    nodes[spot(base + NODE_VIEW)], nodes[spot(base + NODE_DEPTH)] = view, depth
    nodes[spot(base + NODE_GENERATION)], nodes[spot(base + NODE_NEXT)] = marks[GENERATION], 0
    if not (np.isfinite(low) and np.isfinite(high)):
        low = high = 0.0
    base = node * SHAPE_WIDTH
    shapes[spot(base + SHAPE_LOW)], shapes[spot(base + SHAPE_HIGH)] = low, high
    width = 0.5 * high - 0.5 * low
    scale = _INNER / width if width > 0.0 else 0.0
    shapes[spot(base + SHAPE_SCALE)] = scale if np.isfinite(scale) else 0.0
    shapes[spot(base + SHAPE_PRIOR)], shapes[spot(base + SHAPE_SEEN)] = prior, 0.0
    shapes[spot(base + SHAPE_BORN)] = longs(a, COUNTS)[N_EVENTS]
    seen = bytes_of(a, COLUMN_SEEN)
    for column in range(node * COLUMNS, (node + 1) * COLUMNS):
        seen[spot(column)] = 0
    return node


@inner
def _widen(ranges: Any, view: int, bound: float) -> None:
    if np.isfinite(bound):
        if not ranges[spot(2 * view)] <= bound:
            ranges[spot(2 * view)] = bound
        if not ranges[spot(2 * view + 1)] >= bound:
            ranges[spot(2 * view + 1)] = bound


@rare
def _root(a: Any, view: int, lower: float, upper: float) -> int:
    """The first node of a view in this generation: its range is that of the bounds in the one before."""
    places, ranges, generation = ints(a, PLACES), doubles(a, RANGES), longs(a, MARKS)[GENERATION]
    root = np.int64(places[spot(2 * view + generation)])
    if root < 0:
        known = ranges[spot(2 * view)] == ranges[spot(2 * view)]
        if not known:
            _widen(ranges, view, lower)
            _widen(ranges, view, upper)
        root = _new_node(a, view, ranges[spot(2 * view)], ranges[spot(2 * view + 1)], 0, 1.0)
        places[spot(2 * view + generation)] = root
        ranges[spot(2 * view)] = ranges[spot(2 * view + 1)] = np.nan
    _widen(ranges, view, lower)
    _widen(ranges, view, upper)
    return root


@inner
def locate(a: Any, root: int, lower: float, upper: float) -> Found:
    """Down the divided columns, as long as one has the whole interval."""
    nodes, shapes, children = ints(a, NODES), doubles(a, SHAPES), ints(a, CHILDREN)
    node = np.int64(root)
    while True:
        first, last = column_of(shapes, node, lower), column_of(shapes, node, upper)
        run = np.int64(nodes[spot(node * NODE_WIDTH + NODE_CHILDREN)])
        child = np.int64(children[spot(run + first)]) if run >= 0 and first == last else np.int64(-1)
        if child < 0:
            return Found(node, first, last)
        node = child


@inner
def _rate(a: Any, node: int, code: int) -> float:
    """How often events have a number in some of the columns of a node, about."""
    shapes, seen, base = doubles(a, SHAPES), bytes_of(a, COLUMN_SEEN), node * SHAPE_WIDTH
    events = longs(a, COUNTS)[N_EVENTS] - shapes[spot(base + SHAPE_BORN)]
    here = shapes[spot(base + SHAPE_SEEN)] + _GUESSED * shapes[spot(base + SHAPE_PRIOR)]
    inside, total = np.int64(0), np.int64(0)
    for column in range(COLUMNS):
        count = np.int64(seen[spot(node * COLUMNS + column)]) + 1
        total += count
        inside += count * (code >> column & 1)
    return here / (events + _GUESSED) * inside / total


@inner
def _code_part(a: Any, node: int, column: int, bound: float, below: bool) -> int:
    """The pair of the sub-columns of a column in which an interval ends; 0 if there are none to leave out."""
    nodes = ints(a, NODES)
    run = np.int64(nodes[spot(node * NODE_WIDTH + NODE_CHILDREN)])
    child = np.int64(ints(a, CHILDREN)[spot(run + column)]) if run >= 0 else np.int64(-1)
    if child < 0:
        return np.int64(0)
    end = column_of(doubles(a, SHAPES), child, bound)
    code = _run(0, end) if below else _run(end, _LAST)
    return np.int64(0) if popcount(code) == COLUMNS else _pair(nodes[spot(child * NODE_WIDTH + NODE_WORD)] + 1, code)


@inner
def _code_item(a: Any, view: int, attr: int, item: int) -> tuple[int, float]:
    """The pair of an enumerated value: a column by itself in one of its attribute's words."""
    places, rooms, marks, words = ints(a, PLACES), ints(a, ITEM_WORDS), longs(a, MARKS), ints(a, WORDS)
    if places[spot(2 * view)] < 0:
        word, used = np.int64(rooms[spot(2 * attr)]), np.int64(rooms[spot(2 * attr + 1)])
        if word < 0 or used == COLUMNS:
            word, used = marks[N_WORDS], np.int64(0)
            marks[N_WORDS] += 1
            ints(a, BITS)[spot(word)] = 0
            words[spot(word * WORD_WIDTH + WORD_SECTION)] = words[spot(word * WORD_WIDTH + WORD_NODE)] = -1
        rooms[spot(2 * attr)], rooms[spot(2 * attr + 1)] = word, used + 1
        places[spot(2 * view)], places[spot(2 * view + 1)] = word, used
    rate = (ints(a, ITEM_SEEN)[spot(item)] + 1.0) / (longs(a, COUNTS)[N_EVENTS] + _GUESSED)
    code = np.int64(1) << np.int64(places[spot(2 * view + 1)])
    return _pair(places[spot(2 * view)], code), min(rate, 1.0)


@rare
def code_pred(a: Any, pred: int, pairs: Any, rates: Any, count: int) -> int:
    """Add the pairs of a predicate: first the one that an event must have for sure, then up to two of parts, with how
    often events have them. Gives how many there are then."""
    view = np.int64(ints(a, PRED_VIEW)[spot(pred)])
    views = ints(a, VIEWS)
    item = np.int64(views[spot(view * VIEW_WIDTH + VIEW_WHAT)])
    if item >= 0:
        attr = np.int64(views[spot(view * VIEW_WIDTH + VIEW_ATTR)])
        pairs[spot(count)], rates[spot(count)] = _code_item(a, view, attr, item)
        return count + 1
    lower, upper = doubles(a, PRED_LOWER)[spot(pred)], doubles(a, PRED_UPPER)[spot(pred)]
    root = _root(a, view, lower, upper)
    nodes = ints(a, NODES)
    if lower > upper:  # no column at all: no event has it
        pairs[spot(count)], rates[spot(count)] = _pair(nodes[spot(root * NODE_WIDTH + NODE_WORD)], 0), 0.0
        return count + 1
    node, first, last = locate(a, root, lower, upper)
    code = _run(first, last)
    pairs[spot(count)] = _pair(nodes[spot(node * NODE_WIDTH + NODE_WORD)], code)
    rates[spot(count)] = _rate(a, node, code)
    count += 1
    if first == last:
        return count
    for end in range(2):
        pair = _code_part(a, node, last if end else first, upper if end else lower, end == 1)
        if pair:
            pairs[spot(count)] = pair
            rates[spot(count)] = 1.0 - (1.0 - popcount(code_of(pair)) / COLUMNS) / (last - first + 1)
            count += 1
    return count


@rare
def divide_column(a: Any, node: int, column: int, low: float, high: float) -> None:
    """Sub-columns for a column (section 4.2): their range is that of the bounds that crowd there.

    Those of LB and UB are for twice the range beside them at least: where numbers move on, as times do, more will come.
    """
    nodes, children, marks = ints(a, NODES), ints(a, CHILDREN), longs(a, MARKS)
    base = node * NODE_WIDTH
    if nodes[spot(base + NODE_CHILDREN)] < 0:
        nodes[spot(base + NODE_CHILDREN)] = marks[N_CHILDREN]
        for k in range(marks[N_CHILDREN], marks[N_CHILDREN] + COLUMNS):
            children[spot(k)] = -1
        marks[N_CHILDREN] += COLUMNS
    prior = _rate(a, node, np.int64(1) << column)
    depth, shapes = np.int64(nodes[spot(base + NODE_DEPTH)]) + 1, doubles(a, SHAPES)
    beside = node * SHAPE_WIDTH
    width = 2.0 * shapes[spot(beside + SHAPE_HIGH)] - 2.0 * shapes[spot(beside + SHAPE_LOW)]
    if column == 0:
        low = max(min(low, high - width), -_GREATEST)
    elif column == _LAST:
        high = min(max(high, low + width), _GREATEST)
    child = _new_node(a, np.int64(nodes[spot(base + NODE_VIEW)]), low, high, depth, prior)
    children[spot(nodes[spot(base + NODE_CHILDREN)] + column)] = child
