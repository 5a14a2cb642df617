"""The columns of the index's tables, in one place for Python and for the kernels.

Everything is an integer: properties, labels (classes and constants), nodes of the path tree, EMS items, shapes.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

__all__ = [
    "ASK_PYTHON",
    "CHORD_INTO",
    "CHORD_LOOP",
    "CHORD_OUT",
    "CHORD_WIDTH",
    "COUNT_CANDIDATES",
    "COUNT_EPOCH",
    "COUNT_EVENTS",
    "COUNT_FREE",
    "COUNT_HASHED",
    "COUNT_ITEMS",
    "COUNT_NODES",
    "COUNT_ROWS",
    "COUNT_SCANNED",
    "COUNT_SEGMENTS",
    "COUNT_STEPS",
    "COUNT_WIDTH",
    "COUNT_WORDS",
    "FLAG_INJECTIVE",
    "FLAG_JOINT",
    "FLAG_PREDICATES",
    "GIVEN_UP",
    "IS_LITERAL",
    "IS_NUMBER",
    "IS_ROUGH",
    "IS_SINGLE",
    "IS_TEXT",
    "IS_TYPED",
    "ITEM_BORN",
    "ITEM_HEAD",
    "ITEM_LABEL",
    "ITEM_NEXT",
    "ITEM_NODE",
    "ITEM_SEEN",
    "ITEM_USES",
    "ITEM_WAITING",
    "ITEM_WIDTH",
    "LABEL_BOUND",
    "LABEL_CELL",
    "LABEL_EXISTS",
    "LABEL_MASK",
    "LABEL_POINT",
    "LABEL_TEXT",
    "LARGEST_SEGMENT",
    "LOWER_FORM",
    "LOWER_OPEN",
    "NO",
    "NODE_CHILDREN",
    "NODE_DOWN",
    "NODE_LABELS",
    "NODE_LEVELS",
    "NODE_PARENT",
    "NODE_PROPERTY",
    "NODE_UP",
    "NODE_USES",
    "NODE_VALUES",
    "NODE_WIDTH",
    "ROW_WIDTH",
    "SEGMENT_CAPACITY",
    "SEGMENT_COUNT",
    "SEGMENT_NEXT",
    "SEGMENT_START",
    "SEGMENT_WIDTH",
    "SHAPE_CHORD_AT",
    "SHAPE_EXTRAS",
    "SHAPE_EXTRA_AT",
    "SHAPE_FLAGS",
    "SHAPE_HEADER",
    "SHAPE_TESTS",
    "SHAPE_TEST_AT",
    "SHAPE_VERTEX_AT",
    "SHAPE_VERTICES",
    "SLOT_ITEM",
    "SLOT_NEXT",
    "SLOT_OWNER",
    "SLOT_PARAMETERS",
    "SLOT_ROW",
    "SLOT_SHAPE",
    "SLOT_WIDTH",
    "UPPER_FORM",
    "UPPER_OPEN",
    "USES_EXISTENCE",
    "USES_POINTS",
    "USES_TEXT",
    "VERTEX_BARE",
    "VERTEX_CHORDS",
    "VERTEX_CHORD_COUNT",
    "VERTEX_NODE",
    "VERTEX_PARENT",
    "VERTEX_PROPERTY",
    "VERTEX_WIDTH",
    "YES",
    "Marks",
    "Tables",
    "View",
]

# nodes: the tree of property paths that patterns use; node 0 is home.
NODE_PARENT: Final = 0
NODE_PROPERTY: Final = 1
NODE_CHILDREN: Final = 2  # 64 bits: which properties (modulo 64) lead on
NODE_LABELS: Final = 3  # 64 bits: which labels (modulo 64) have an item here
NODE_LEVELS: Final = 4  # 64 bits: which sizes of numeric cells are in use
NODE_UP: Final = 5  # first item of the chain of lower bounds, -1 if there is none
NODE_DOWN: Final = 6  # first item of the chain of upper bounds
NODE_VALUES: Final = 7  # first item of the chain of points and cells
NODE_USES: Final = 8  # bits below
NODE_WIDTH: Final = 9
USES_POINTS: Final = 1
USES_TEXT: Final = 2
USES_EXISTENCE: Final = 4

# items: the EMS array. An item is a meta-statement on its path from home: (node, label).
ITEM_NODE: Final = 0
ITEM_LABEL: Final = 1
ITEM_HEAD: Final = 2  # newest segment of its waiting list
ITEM_WAITING: Final = 3  # how many rows wait
ITEM_USES: Final = 4  # how many patterns require it
ITEM_SEEN: Final = 5  # in how many events it was active
ITEM_BORN: Final = 6  # how many events had been seen when it was made
ITEM_NEXT: Final = 7  # the next bound in order, or the next point or cell in no order
ITEM_WIDTH: Final = 8

# segments of waiting lists
SEGMENT_START: Final = 0
SEGMENT_CAPACITY: Final = 1
SEGMENT_COUNT: Final = 2
SEGMENT_NEXT: Final = 3
SEGMENT_WIDTH: Final = 4
LARGEST_SEGMENT: Final = 1024

# rows of waiting lists: the slot, then the rarest of what else it requires
ROW_WIDTH: Final = 8

# slots: one per alternative of a subscription
SLOT_OWNER: Final = 0
SLOT_SHAPE: Final = 1
SLOT_PARAMETERS: Final = 2
SLOT_ROW: Final = 3
SLOT_ITEM: Final = 4
SLOT_NEXT: Final = 5  # the next alternative of the same subscription, or -1
SLOT_WIDTH: Final = 6

# shapes: what patterns have in common, as one run of integers
SHAPE_VERTICES: Final = 0
SHAPE_TESTS: Final = 1
SHAPE_EXTRAS: Final = 2
SHAPE_FLAGS: Final = 3
SHAPE_VERTEX_AT: Final = 4  # where the vertices begin, relative to the shape; chords, tests and extras follow
SHAPE_CHORD_AT: Final = 5
SHAPE_TEST_AT: Final = 6
SHAPE_EXTRA_AT: Final = 7
SHAPE_HEADER: Final = 8
VERTEX_NODE: Final = 0
VERTEX_PARENT: Final = 1
VERTEX_PROPERTY: Final = 2
VERTEX_CHORDS: Final = 3  # first chord that closes at this vertex
VERTEX_CHORD_COUNT: Final = 4
VERTEX_BARE: Final = 5  # 1: nothing is asked of it and nothing hangs on it, so its existence is the requirement
VERTEX_WIDTH: Final = 6
CHORD_INTO: Final = 0  # other -> this
CHORD_OUT: Final = 1  # this -> other
CHORD_LOOP: Final = 2
CHORD_WIDTH: Final = 3  # direction, other, property
FLAG_INJECTIVE: Final = 1
FLAG_PREDICATES: Final = 2
FLAG_JOINT: Final = 4

# labels that are made, not named; below the first one are classes and constants
LABEL_EXISTS: Final = 0
LABEL_POINT: Final = 1 << 28
LABEL_CELL: Final = 2 << 28
LABEL_TEXT: Final = 3 << 28
LABEL_BOUND: Final = 4 << 28
LABEL_MASK: Final = (1 << 28) - 1

# counters shared by Python and the kernels
COUNT_NODES: Final = 0
COUNT_ITEMS: Final = 1
COUNT_SEGMENTS: Final = 2
COUNT_ROWS: Final = 3
COUNT_HASHED: Final = 4
COUNT_EVENTS: Final = 5
COUNT_EPOCH: Final = 6
COUNT_CANDIDATES: Final = 7
COUNT_SCANNED: Final = 8
COUNT_STEPS: Final = 9
COUNT_WORDS: Final = 10  # of the sets of the last event
COUNT_FREE: Final = 16  # heads of the chains of free segments, by the logarithm of their capacity
COUNT_WIDTH: Final = 32

# vertices of an encoded event
IS_LITERAL: Final = 1
IS_TYPED: Final = 2
IS_NUMBER: Final = 4
IS_ROUGH: Final = 8  # its double does not stand for it alone
IS_SINGLE: Final = 16  # an xsd:float: what it is compared with is rounded to 32 bits first
IS_TEXT: Final = 32

NO: Final = 0
YES: Final = 1
ASK_PYTHON: Final = 2
GIVEN_UP: Final = 3

# flags of a numeric interval; above them, for printing, how each end was written
LOWER_OPEN: Final = 1
UPPER_OPEN: Final = 2
LOWER_FORM: Final = 2
UPPER_FORM: Final = 9  # seven bits each


class Tables(NamedTuple):
    """All tables of the index, for the kernels."""

    keys: Any
    values: Any
    nodes: Any
    items: Any
    orders: Any
    segments: Any
    rows: Any
    slots: Any
    shapes: Any
    parameters: Any
    bounds: Any
    ends: Any
    needles: Any
    needle_bytes: Any
    counts: Any


class Marks(NamedTuple):
    """What the current event has touched: an entry counts if it holds the event's epoch."""

    nodes: Any
    items: Any
    labels: Any
    properties: Any
    owners: Any
    predicates: Any


class View(NamedTuple):
    """One event as sets of vertices, each set `words` words of 64 bits."""

    integers: Any
    numbers: Any
    texts: Any
    size: int
    words: int
    epoch: int
    node_masks: Any
    label_masks: Any
    adjacency: Any
    targets: Any
    resources: Any
