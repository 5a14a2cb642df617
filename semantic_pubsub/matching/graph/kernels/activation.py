"""Which EMS items an event activates: for each path node that it reaches, what the vertices there are and say."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import find, lowest_bit, order_key, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.arrays.grids import LOWEST_LEVEL, grid_index
from semantic_pubsub.matching.graph.kernels.ems import item_key
from semantic_pubsub.matching.graph.kernels.events import AT_FLAGS, AT_TEXTS
from semantic_pubsub.matching.graph.kernels.labels import cell_label, point_label, text_label
from semantic_pubsub.matching.graph.layout import (
    IS_NUMBER,
    IS_SINGLE,
    IS_TEXT,
    ITEM_NEXT,
    LABEL_EXISTS,
    NODE_DOWN,
    NODE_LABELS,
    NODE_LEVELS,
    NODE_UP,
    NODE_USES,
    NODE_VALUES,
    USES_EXISTENCE,
    USES_POINTS,
    USES_TEXT,
    Marks,
    Tables,
    View,
)

__all__ = ["activate"]

_ONE = np.uint64(1)


@inner
def _wake(item: int, v: View, m: Marks, awake: Any, count: int) -> int:
    if item >= 0 and m.items[spot(item)] != v.epoch:
        m.items[spot(item)] = v.epoch
        awake[spot(count)] = item
        count += 1
    return count


@inner
def _wake_chain(item: int, t: Tables, v: View, m: Marks, awake: Any, count: int) -> int:
    while item >= 0:
        count = _wake(item, v, m, awake, count)
        item = np.int64(t.items[spot(item), ITEM_NEXT])
    return count


@inner
def _wake_number(node: int, number: float, t: Tables, v: View, m: Marks, awake: Any, count: int) -> int:
    """Points, cells and bounds that a number satisfies (or, at the edge of a bucket, may satisfy)."""
    if t.nodes[spot(node), NODE_USES] & USES_POINTS:
        count = _wake(find(t.keys, t.values, item_key(node, point_label(number))), v, m, awake, count)
    levels = np.uint64(t.nodes[spot(node), NODE_LEVELS])
    while levels:
        level = lowest_bit(levels) + LOWEST_LEVEL
        levels &= levels - _ONE
        for grid in range(2):
            label = cell_label(level, grid, grid_index(number, level, grid))
            count = _wake(find(t.keys, t.values, item_key(node, label)), v, m, awake, count)
    order = order_key(number)
    item = t.nodes[spot(node), NODE_DOWN]
    while item >= 0 and t.orders[spot(item)] >= order:
        count = _wake(item, v, m, awake, count)
        item = np.int64(t.items[spot(item), ITEM_NEXT])
    item = t.nodes[spot(node), NODE_UP]
    while item >= 0 and t.orders[spot(item)] <= order:
        count = _wake(item, v, m, awake, count)
        item = np.int64(t.items[spot(item), ITEM_NEXT])
    return count


@inner
def _wake_every_number(node: int, t: Tables, v: View, m: Marks, awake: Any, count: int) -> int:
    """Bounds near an xsd:float may round to it: let the exact test decide about all."""
    count = _wake_chain(t.nodes[spot(node), NODE_VALUES], t, v, m, awake, count)
    count = _wake_chain(t.nodes[spot(node), NODE_DOWN], t, v, m, awake, count)
    return _wake_chain(t.nodes[spot(node), NODE_UP], t, v, m, awake, count)


@inner
def _wake_text(node: int, vertex: int, t: Tables, v: View, m: Marks, awake: Any, count: int) -> int:
    """Every three bytes of a text, and the first three once more."""
    start, end = v.integers[spot(v.integers[AT_TEXTS] + vertex)], v.integers[spot(v.integers[AT_TEXTS] + vertex + 1)]
    for position in range(start, end - 2):
        label = text_label(v.texts, position, 0)
        count = _wake(find(t.keys, t.values, item_key(node, label)), v, m, awake, count)
    if end - start >= 3:
        label = text_label(v.texts, start, 1)
        count = _wake(find(t.keys, t.values, item_key(node, label)), v, m, awake, count)
    return count


@inner
def _wake_values(node: int, vertex: int, t: Tables, v: View, m: Marks, awake: Any, count: int) -> int:
    """What the number or text of a vertex activates."""
    flags = v.integers[spot(v.integers[AT_FLAGS] + vertex)]
    if flags & IS_SINGLE:
        return _wake_every_number(node, t, v, m, awake, count)
    if flags & IS_NUMBER:
        return _wake_number(node, v.numbers[spot(vertex)], t, v, m, awake, count)
    if flags & IS_TEXT and t.nodes[spot(node), NODE_USES] & USES_TEXT:
        return _wake_text(node, vertex, t, v, m, awake, count)
    return count


@inner
def activate(reached: Any, reached_count: int, links: Any, state: Any, awake: Any, t: Tables, v: View, m: Marks) -> int:
    """Fill `awake` (as long as there are items) with all items that the event activates; how many there are."""
    count = 0
    for slot in range(reached_count):
        node = reached[spot(slot)]
        labels = np.uint64(t.nodes[spot(node), NODE_LABELS])
        if not labels:
            continue
        uses = t.nodes[spot(node), NODE_USES]
        valued = uses & (USES_TEXT | USES_POINTS) or t.nodes[spot(node), NODE_LEVELS]
        valued = valued or t.nodes[spot(node), NODE_UP] >= 0 or t.nodes[spot(node), NODE_DOWN] >= 0
        if uses & USES_EXISTENCE:
            count = _wake(find(t.keys, t.values, item_key(node, LABEL_EXISTS)), v, m, awake, count)
        for w in range(v.words):
            left = v.node_masks[spot(slot * v.words + w)]
            while left:
                vertex = (w << 6) + lowest_bit(left)
                left &= left - _ONE
                link = state[spot(2 + vertex)]
                while link >= 0:
                    label = links[spot(2 * link)]
                    if (labels >> np.uint64(label & 63)) & _ONE:
                        count = _wake(find(t.keys, t.values, item_key(node, label)), v, m, awake, count)
                    link = links[spot(2 * link + 1)]
                if valued:
                    count = _wake_values(node, vertex, t, v, m, awake, count)
    return count
