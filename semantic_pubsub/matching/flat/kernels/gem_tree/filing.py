"""What Python asks of the tree: keep slots, file them, take them out."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints, longs
from semantic_pubsub.matching.arrays.bits import insert_new, spot
from semantic_pubsub.matching.arrays.compiling import entry
from semantic_pubsub.matching.flat.gem_layout import LINK_KEYS, LINK_VALUES, N_WANTED, PENDING
from semantic_pubsub.matching.flat.kernels.gem_tree.inserting import insert, is_overflowing
from semantic_pubsub.matching.flat.kernels.gem_tree.nodes import charge, give_back, has_room, new_node, own_cost
from semantic_pubsub.matching.flat.kernels.gem_tree.splitting import relieve
from semantic_pubsub.matching.flat.kernels.gem_tree.tree import tree_of
from semantic_pubsub.matching.flat.kernels.pivots import take_row
from semantic_pubsub.matching.flat.layout import (
    SLOT_BUCKET,
    SLOT_COUNT,
    SLOT_START,
    SLOT_WIDTH,
    SLOTS,
    SPANS,
)

__all__ = ["file_slots", "keep", "plant", "relink", "unfile"]


@entry
def plant(a: Any) -> None:
    """An empty root."""
    new_node(tree_of(a), -1, 0)


@entry
def keep(a: Any, slot: int, start: int, given: Any, count: int) -> None:
    """Write down which predicates a slot has."""
    slots, spans = ints(a, SLOTS), ints(a, SPANS)
    base = slot * SLOT_WIDTH
    slots[spot(base + SLOT_START)], slots[spot(base + SLOT_COUNT)] = start, count
    for k in range(count):
        spans[spot(start + k)] = given[k]


@entry
def file_slots(a: Any, which: Any, adjusted: bool) -> int:
    """File slots that are in no bucket, one after the other, and split what overflows. Gives how many it got to before
    a table must grow: for N_WANTED further nodes. A node that is still to be split is PENDING; with that it begins."""
    t = tree_of(a)
    if t.own[PENDING] >= 0 and not relieve(a, t.own[PENDING], adjusted):
        return 0
    for n in range(len(which)):
        if not has_room(a, t, 1):
            t.own[N_WANTED] = 1
            return n
        node = insert(a, np.int64(which[n]), adjusted)
        if is_overflowing(t, node) and not relieve(a, node, adjusted):  # step 18
            return n + 1
    return len(which)


@entry
def unfile(a: Any, slot: int) -> None:
    """Take a slot out of its bucket, and what is empty then out of the tree."""
    t = tree_of(a)
    node = np.int64(t.slots[spot(slot * SLOT_WIDTH + SLOT_BUCKET)])
    charge(t, node, -own_cost(t, slot, node), -1)
    take_row(a, slot)
    give_back(a, node)


@entry
def relink(a: Any, keys: Any, values: Any) -> None:
    """Put all links into a larger table."""
    old_keys, old_values = longs(a, LINK_KEYS), ints(a, LINK_VALUES)
    for n in range(len(old_keys)):
        if old_keys[spot(n)] >= 0:
            insert_new(keys, values, old_keys[spot(n)], old_values[spot(n)])
