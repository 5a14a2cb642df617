"""The poset as a forest: each node below one that covers it, roots below the roof."""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.addressed import ints
from semantic_pubsub.matching.arrays.bits import spot
from semantic_pubsub.matching.arrays.compiling import inner, rare
from semantic_pubsub.matching.flat.hmacd_layout import (
    ENTRIES,
    ENTRY_NODE,
    ENTRY_WIDTH,
    FREE_BLOCKS,
    MEMBER_NEXT,
    MEMBER_PREVIOUS,
    MEMBER_WIDTH,
    MEMBERS,
    N_ENTRIES,
    NODE_CHILDREN,
    NODE_COUNT,
    NODE_LEAVES,
    NODE_LEFT,
    NODE_MEMBER,
    NODE_MEMBERS,
    NODE_PARENT,
    NODE_PLACE,
    NODE_ROOM,
    NODE_RUN,
    NODE_START,
    NODE_WIDTH,
    NODES,
    NOTHING,
)
from semantic_pubsub.matching.flat.kernels.covering.relations import follows, swap_places
from semantic_pubsub.matching.flat.kernels.covering.shelves import (
    copy_entry,
    give_run,
    mark_entry,
    take_run,
    write_entry,
)

__all__ = ["attach", "detach", "dress", "join", "leave"]


@inner
def _count_leaf(nodes: Any, node: int, change: int) -> None:
    """Tell the parent that a node began or ceased to be a leaf."""
    parent = nodes[spot(node * NODE_WIDTH + NODE_PARENT)]
    if parent >= 0:
        nodes[spot(parent * NODE_WIDTH + NODE_LEAVES)] += change


@inner
def _dress(a: Any, node: int) -> None:
    """Write a node into its parent's run: what does not follow from the parent's predicates comes first."""
    nodes = ints(a, NODES)
    own = node * NODE_WIDTH
    above = np.int64(nodes[spot(own + NODE_PARENT)]) * NODE_WIDTH
    first, known = np.int64(nodes[spot(above + NODE_START)]), np.int64(nodes[spot(above + NODE_COUNT)])
    start, count = np.int64(nodes[spot(own + NODE_START)]), np.int64(nodes[spot(own + NODE_COUNT)])
    left = 0
    for k in range(count):
        if not follows(a, start + k, first, known):
            for m in range(k, left, -1):
                swap_places(a, start + m, start + m - 1)
            left += 1
    nodes[spot(own + NODE_LEFT)] = left
    write_entry(a, np.int64(nodes[spot(above + NODE_RUN)]) + np.int64(nodes[spot(own + NODE_PLACE)]), node)


@rare
def dress(a: Any, node: int) -> None:
    """Write a node of the poset anew, because its predicates stand in another run."""
    _dress(a, node)


@rare
def attach(a: Any, node: int, parent: int) -> None:
    """Put a node, with all below it, under another."""
    nodes = ints(a, NODES)
    own, above = node * NODE_WIDTH, parent * NODE_WIDTH
    count, room = np.int64(nodes[spot(above + NODE_CHILDREN)]), np.int64(nodes[spot(above + NODE_ROOM)])
    if not count:
        _count_leaf(nodes, parent, -1)
        nodes[spot(above + NODE_RUN)] = take_run(a, ENTRIES, ENTRY_WIDTH, FREE_BLOCKS, N_ENTRIES, 0)
        nodes[spot(above + NODE_ROOM)] = 0
    elif count == np.int64(1) << room:
        _move_run(a, parent, room + 1)
    nodes[spot(own + NODE_PARENT)], nodes[spot(own + NODE_PLACE)] = parent, count
    nodes[spot(above + NODE_CHILDREN)] = count + 1
    if not nodes[spot(own + NODE_CHILDREN)]:
        nodes[spot(above + NODE_LEAVES)] += 1
    if not count:
        mark_entry(a, parent)
    _dress(a, node)


@inner
def _move_run(a: Any, parent: int, room: int) -> None:
    """Another room for the children of a node."""
    nodes = ints(a, NODES)
    above = parent * NODE_WIDTH
    old, before = np.int64(nodes[spot(above + NODE_RUN)]), np.int64(nodes[spot(above + NODE_ROOM)])
    run = take_run(a, ENTRIES, ENTRY_WIDTH, FREE_BLOCKS, N_ENTRIES, room)
    for k in range(nodes[spot(above + NODE_CHILDREN)]):
        copy_entry(a, run + k, old + k)
    give_run(a, ENTRIES, ENTRY_WIDTH, FREE_BLOCKS, old, before)
    nodes[spot(above + NODE_RUN)], nodes[spot(above + NODE_ROOM)] = run, room


@rare
def detach(a: Any, node: int) -> None:
    """Take a node, with all below it, from under its parent; the last of the children takes its place."""
    nodes, entries = ints(a, NODES), ints(a, ENTRIES)
    own = node * NODE_WIDTH
    parent = np.int64(nodes[spot(own + NODE_PARENT)])
    above = parent * NODE_WIDTH
    run, last = np.int64(nodes[spot(above + NODE_RUN)]), np.int64(nodes[spot(above + NODE_CHILDREN)]) - 1
    place = np.int64(nodes[spot(own + NODE_PLACE)])
    copy_entry(a, run + place, run + last)
    moved = np.int64(entries[spot((run + last) * ENTRY_WIDTH + ENTRY_NODE)])
    nodes[spot(moved * NODE_WIDTH + NODE_PLACE)] = place
    nodes[spot(above + NODE_CHILDREN)] = last
    if not nodes[spot(own + NODE_CHILDREN)]:
        nodes[spot(above + NODE_LEAVES)] -= 1
    nodes[spot(own + NODE_PARENT)] = NOTHING
    if last == 0:
        give_run(a, ENTRIES, ENTRY_WIDTH, FREE_BLOCKS, run, np.int64(nodes[spot(above + NODE_ROOM)]))
        _count_leaf(nodes, parent, 1)
        mark_entry(a, parent)


@inner
def join(a: Any, slot: int, node: int) -> None:
    """Let a slot be one of those that a node stands for."""
    nodes, members = ints(a, NODES), ints(a, MEMBERS)
    first = nodes[spot(node * NODE_WIDTH + NODE_MEMBER)]
    members[spot(slot * MEMBER_WIDTH + MEMBER_PREVIOUS)] = NOTHING
    members[spot(slot * MEMBER_WIDTH + MEMBER_NEXT)] = first
    if first >= 0:
        members[spot(first * MEMBER_WIDTH + MEMBER_PREVIOUS)] = slot
    nodes[spot(node * NODE_WIDTH + NODE_MEMBER)] = slot
    nodes[spot(node * NODE_WIDTH + NODE_MEMBERS)] += 1


@inner
def leave(a: Any, slot: int, node: int) -> None:
    """Let a slot be none of them any more."""
    nodes, members = ints(a, NODES), ints(a, MEMBERS)
    before = members[spot(slot * MEMBER_WIDTH + MEMBER_PREVIOUS)]
    after = members[spot(slot * MEMBER_WIDTH + MEMBER_NEXT)]
    nodes[spot(node * NODE_WIDTH + NODE_MEMBERS)] -= 1
    if before >= 0:
        members[spot(before * MEMBER_WIDTH + MEMBER_NEXT)] = after
    else:
        nodes[spot(node * NODE_WIDTH + NODE_MEMBER)] = after
    if after >= 0:
        members[spot(after * MEMBER_WIDTH + MEMBER_PREVIOUS)] = before
