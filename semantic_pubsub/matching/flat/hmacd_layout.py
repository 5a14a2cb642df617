"""HMACD's own tables, numbered after those of `layout.py`, and the columns of their rows.

node     subscriptions that ask the same, in the poset or in the index; node 0 is the roof above all roots
shelf    what waits under one view: an interval tree of numbers, or a list of all that ask for one item or number
head     a node of the tree: a run of entries, the least lower and the greatest upper bound among them
entry    a node where it waits, on a shelf or below its parent: two predicates, so that few nodes need a look themselves
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from semantic_pubsub.matching.flat import layout
from semantic_pubsub.matching.flat.tables import TableKind

__all__ = [
    "BLOCK_CLASS",
    "BLOCK_ROOM",
    "BUCKET",
    "COVER_COUNTS",
    "ENTRIES",
    "ENTRY_BOUNDS",
    "ENTRY_BOUNDS_WIDTH",
    "ENTRY_GROUPS",
    "ENTRY_NODE",
    "ENTRY_SECOND",
    "ENTRY_SLOT",
    "ENTRY_VIEW",
    "ENTRY_WIDTH",
    "FREE_BLOCKS",
    "FREE_NODE",
    "FREE_SHELF",
    "FREE_TREES",
    "HEADS",
    "HEAD_BLOCK",
    "HEAD_BOUNDS",
    "HEAD_CLASS",
    "HEAD_COUNT",
    "HEAD_WIDTH",
    "IMPLIED",
    "IN_POSET",
    "ITEM_EXISTS",
    "LARGEST_TREE",
    "MEMBERS",
    "MEMBER_NEXT",
    "MEMBER_PREVIOUS",
    "MEMBER_WIDTH",
    "NODES",
    "NODE_BOUNDS",
    "NODE_CHILDREN",
    "NODE_COUNT",
    "NODE_GROUPS",
    "NODE_HASH",
    "NODE_LEAVES",
    "NODE_LEFT",
    "NODE_MEMBER",
    "NODE_MEMBERS",
    "NODE_PARENT",
    "NODE_PLACE",
    "NODE_ROOM",
    "NODE_RUN",
    "NODE_SAME",
    "NODE_SHARE",
    "NODE_SHELF",
    "NODE_STAMP",
    "NODE_START",
    "NODE_WIDTH",
    "NOTHING",
    "N_COVER_COUNTS",
    "N_ENTRIES",
    "N_HEADS",
    "N_INDEXED",
    "N_LIVE_NODES",
    "N_LOOKED_AT",
    "N_MOVED",
    "N_NODES",
    "N_POINTS",
    "N_PROPOSED",
    "N_SHELVES",
    "OWN_TABLES",
    "POINTS",
    "ROOF",
    "SAME",
    "SHARES",
    "SHELF_COUNT",
    "SHELF_KEY",
    "SHELF_NEXT",
    "SHELF_ROOM",
    "SHELF_START",
    "SHELF_VIEW",
    "SHELF_WIDTH",
    "SHELVES",
    "SPAN_BOUNDS",
    "SPAN_VIEWS",
    "VIEW_POINTS",
    "VIEW_SEEN",
    "VIEW_SHELF",
]

(
    NODES,
    NODE_GROUPS,  # a bit for each group (some share one) on which a node has a predicate
    NODE_HASH,
    NODE_SHARE,  # how many events satisfy it, as a guess
    NODE_BOUNDS,  # the bounds it waits under in the index
    NODE_STAMP,  # the last event whose bucket it was in
    MEMBERS,  # of each slot: the one before and after it in its node
    SAME,  # by hash: the first node
    SHELVES,
    SHELF_KEY,  # the hash of a list's view and number
    POINTS,  # by hash: the first list of a number
    VIEW_SHELF,
    VIEW_POINTS,  # how many lists of single numbers a view has
    VIEW_SEEN,  # how many events had something to see there
    HEADS,
    HEAD_BOUNDS,
    ENTRIES,
    ENTRY_BOUNDS,  # of its two predicates
    ENTRY_GROUPS,  # of its node
    SPAN_BOUNDS,  # beside SPANS: what each predicate asks, where it is asked for
    SPAN_VIEWS,
    IMPLIED,  # a set of pairs: attributes and items of which the first is below the second
    ITEM_EXISTS,  # 1 for items that any value satisfies
    COVER_COUNTS,
    SHARES,  # of the predicates of the subscription at hand
    BUCKET,  # the matching bucket: nodes that the event at hand may satisfy
) = range(layout.TABLES, layout.TABLES + 26)

_LARGE: Final = frozenset(
    (
        *(NODES, NODE_HASH, NODE_GROUPS, NODE_BOUNDS, NODE_SHARE, MEMBERS),
        *(ENTRIES, ENTRY_BOUNDS, ENTRY_GROUPS, SPAN_BOUNDS, SPAN_VIEWS),
    )
)
_DOUBLES: Final = frozenset((NODE_SHARE, NODE_BOUNDS, HEAD_BOUNDS, ENTRY_BOUNDS, SPAN_BOUNDS, SHARES))
_LONGS: Final = frozenset((NODE_HASH, NODE_STAMP, SHELF_KEY, VIEW_SEEN, IMPLIED, COVER_COUNTS))
_EMPTY: Final = frozenset((SAME, POINTS, VIEW_SHELF, IMPLIED))
_SCRATCH: Final = frozenset((NODE_STAMP, SHARES, BUCKET))


def _kind(table: int) -> TableKind:
    dtype: Any = np.float64 if table in _DOUBLES else np.int64 if table in _LONGS else np.int32
    if table in (NODE_GROUPS, ENTRY_GROUPS):
        dtype = np.uint64
    return TableKind(dtype, -1 if table in _EMPTY else 0, table in _LARGE, table in _SCRATCH)


OWN_TABLES: Final = tuple(_kind(table) for table in range(layout.TABLES, layout.TABLES + 26))

# NODES: the parent, the place in its run, the own run in ENTRIES and its room as a power of two, how many children and
# how many of them have none, the first slot and how many there are, the predicates in SPANS, how many of them do not
# follow from the parent's (they come first), the shelf, the next node of the same hash
(
    NODE_PARENT,
    NODE_PLACE,
    NODE_RUN,
    NODE_ROOM,
    NODE_CHILDREN,
    NODE_LEAVES,
    NODE_MEMBER,
    NODE_MEMBERS,
    NODE_START,
    NODE_COUNT,
    NODE_LEFT,
    NODE_SHELF,
    NODE_SAME,
    NODE_WIDTH,
) = range(14)
ROOF: Final = 0
NOTHING: Final = -1
IN_POSET: Final = -1  # NODE_SHELF of a node that is not in the index
# MEMBERS
MEMBER_PREVIOUS, MEMBER_NEXT, MEMBER_WIDTH = range(3)
# SHELVES: a run of HEADS, its room as a power of two, the view, the next list of the same hash (or the next free one)
SHELF_START, SHELF_COUNT, SHELF_ROOM, SHELF_VIEW, SHELF_NEXT, SHELF_WIDTH = range(6)
# HEADS: a run of ENTRIES, how many, its room as a power of two
HEAD_BLOCK, HEAD_COUNT, HEAD_CLASS, HEAD_WIDTH = range(4)
BLOCK_CLASS: Final = 6
BLOCK_ROOM: Final = 1 << BLOCK_CLASS
# ENTRIES: the node, the views of its two predicates, and its slot if there is nothing else to know of it (one member,
# no children, no more predicates), else -1
ENTRY_NODE, ENTRY_VIEW, ENTRY_SECOND, ENTRY_SLOT, ENTRY_WIDTH = range(5)
ENTRY_BOUNDS_WIDTH: Final = 4
# COVER_COUNTS
(
    N_NODES,
    FREE_NODE,
    N_LIVE_NODES,
    N_INDEXED,
    N_SHELVES,
    FREE_SHELF,
    N_POINTS,
    N_HEADS,
    N_ENTRIES,
    LARGEST_TREE,  # the greatest room of a shelf so far, as a power of two
    N_LOOKED_AT,  # entries below nodes that events were compared with
    N_PROPOSED,  # entries that got into the bucket
    N_MOVED,  # nodes that went from one structure to the other
    FREE_BLOCKS,  # and the following: the first free run of entries of each power of two
) = range(14)
FREE_TREES: Final = FREE_BLOCKS + 31  # the same for runs of heads
N_COVER_COUNTS: Final = FREE_TREES + 31
