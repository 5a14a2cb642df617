"""The EMS array: extended meta-statements on demand, each with the list of patterns that wait for it.

The paper (section 5.2) fills its array with every valid meta-statement (C, p, D) in advance, which multiplies out the
hierarchies, and finds an item by binary search. Here an item is made when a pattern first requires it. It stands for
a meta-statement at its place: the *node* is the path of properties from home (its last step is p), the *label* is what
is asked of the vertex there (a class D, a constant, a range of values). Items are found by hash.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import find, insert_new, order_key
from semantic_pubsub.matching.arrays.compiling import entry, inner
from semantic_pubsub.matching.graph.layout import (
    COUNT_EVENTS,
    COUNT_HASHED,
    COUNT_ITEMS,
    COUNT_NODES,
    ITEM_BORN,
    ITEM_HEAD,
    ITEM_LABEL,
    ITEM_NEXT,
    ITEM_NODE,
    ITEM_WIDTH,
    LABEL_BOUND,
    LABEL_MASK,
    NODE_CHILDREN,
    NODE_DOWN,
    NODE_LABELS,
    NODE_PARENT,
    NODE_PROPERTY,
    NODE_UP,
    NODE_VALUES,
    NODE_WIDTH,
    Tables,
)

__all__ = ["add_child", "bound_item", "child_key", "item_key", "item_of", "rehash", "value_item"]


@entry
def rehash(keys: Any, values: Any, new_keys: Any, new_values: Any) -> None:
    """Copy a hash table into a larger one."""
    for at in range(len(keys)):
        if keys[at] >= 0:
            insert_new(new_keys, new_values, keys[at], values[at])


@inner
def item_key(node: int, label: int) -> int:
    """What the item of a node and a label is hashed by."""
    return node << 32 | label


@inner
def child_key(node: int, prop: int) -> int:
    """What the node that a property leads to is hashed by; the same table holds both."""
    return node << 32 | 1 << 31 | prop


@entry
def add_child(node: int, prop: int, keys: Any, values: Any, nodes: Any, counts: Any) -> int:
    """The node that a property leads to from a node, made if it is new."""
    key = child_key(node, prop)
    child = find(keys, values, key)
    if child < 0:
        child = counts[COUNT_NODES]
        counts[COUNT_NODES] += 1
        counts[COUNT_HASHED] += 1
        insert_new(keys, values, key, child)
        for column in range(NODE_WIDTH):
            nodes[child, column] = 0
        nodes[child, NODE_PARENT] = node
        nodes[child, NODE_PROPERTY] = prop
        nodes[child, NODE_UP] = nodes[child, NODE_DOWN] = nodes[child, NODE_VALUES] = -1
        nodes[node, NODE_CHILDREN] |= np.int64(np.uint64(1) << np.uint64(prop & 63))
    return child


@inner
def item_of(node: int, label: int, t: Tables) -> int:
    """The item of a node and label, made if it is new."""
    key = item_key(node, label)
    item = find(t.keys, t.values, key)
    if item < 0:
        item = t.counts[COUNT_ITEMS]
        t.counts[COUNT_ITEMS] += 1
        t.counts[COUNT_HASHED] += 1
        insert_new(t.keys, t.values, key, item)
        for column in range(ITEM_WIDTH):
            t.items[item, column] = 0
        t.items[item, ITEM_NODE] = node
        t.items[item, ITEM_LABEL] = label
        t.items[item, ITEM_HEAD] = -1
        t.items[item, ITEM_BORN] = t.counts[COUNT_EVENTS]
        t.items[item, ITEM_NEXT] = -1
        t.nodes[node, NODE_LABELS] |= np.int64(np.uint64(1) << np.uint64(label & 63))
    return item


@inner
def value_item(node: int, label: int, t: Tables) -> int:
    """The item of a number or a numeric cell, chained to the others of its node."""
    before = t.counts[COUNT_ITEMS]
    item = item_of(node, label, t)
    if item == before:
        t.items[item, ITEM_NEXT] = t.nodes[node, NODE_VALUES]
        t.nodes[node, NODE_VALUES] = item
    return item


@inner
def bound_item(node: int, bound: float, down: bool, t: Tables) -> int:
    """The bucket of a one-sided bound, in its place in the node's chain: upper bounds fall, lower bounds rise."""
    order = order_key(bound)
    label = LABEL_BOUND | ((order & (LABEL_MASK >> 1)) << 1) | (1 if down else 0)
    before = t.counts[COUNT_ITEMS]
    item = item_of(node, label, t)
    if item != before:
        return item
    t.orders[item] = order
    column = NODE_DOWN if down else NODE_UP
    previous = -1
    current = t.nodes[node, column]
    while current >= 0 and (t.orders[current] > order if down else t.orders[current] < order):
        previous = current
        current = np.int64(t.items[current, ITEM_NEXT])
    t.items[item, ITEM_NEXT] = current
    if previous < 0:
        t.nodes[node, column] = item
    else:
        t.items[previous, ITEM_NEXT] = item
    return item
