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
    "EXTRA_EXISTS",
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
    "NAME_CLASS",
    "NAME_CONSTANT",
    "NAME_DATATYPE",
    "NAME_PROPERTY",
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
    "ROW_OF_TYPE",
    "ROW_UNUSED",
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
    "SHAPE_STEPS",
    "SHAPE_TESTS",
    "SHAPE_VERTICES",
    "SLOT_ITEM",
    "SLOT_NEXT",
    "SLOT_OWNER",
    "SLOT_PARAMETERS",
    "SLOT_ROW",
    "SLOT_SHAPE",
    "SLOT_WIDTH",
    "STEP_CHORDS",
    "STEP_CHORD_COUNT",
    "STEP_VERTEX",
    "STEP_WIDTH",
    "TEST_KINDS",
    "TEST_KIND_MASK",
    "UPPER_FORM",
    "UPPER_OPEN",
    "USES_EXISTENCE",
    "USES_POINTS",
    "USES_TEXT",
    "VALUE_BITS",
    "VALUE_DECIMAL",
    "VALUE_INTEGER",
    "VALUE_MASK",
    "VALUE_NUMBER",
    "VALUE_OTHER",
    "VALUE_TEXT",
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
LARGEST_SEGMENT: Final = 128

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

# shapes: what patterns have in common, as one run of integers: a head, vertices, tests, the order of the search,
# chords, extras. What a search reads comes first and is small: with a million patterns, memory is what takes the time.
SHAPE_VERTICES: Final = 0
SHAPE_TESTS: Final = 1
SHAPE_STEPS: Final = 2
SHAPE_EXTRAS: Final = 3
SHAPE_FLAGS: Final = 4
SHAPE_CHORD_AT: Final = 5  # relative to the shape; the other parts follow from the counts
SHAPE_EXTRA_AT: Final = 6
SHAPE_HEADER: Final = 7
VERTEX_NODE: Final = 0
VERTEX_PARENT: Final = 1
VERTEX_PROPERTY: Final = 2
VERTEX_WIDTH: Final = 3
TEST_KIND_MASK: Final = 7
TEST_KINDS: Final = 3  # bits of a test that are its kind; above them is its vertex
STEP_VERTEX: Final = 0
STEP_CHORDS: Final = 1  # first chord that closes at this vertex
STEP_CHORD_COUNT: Final = 2
STEP_WIDTH: Final = 3
CHORD_INTO: Final = 0  # other -> this
CHORD_OUT: Final = 1  # this -> other
CHORD_LOOP: Final = 2
CHORD_WIDTH: Final = 3  # direction, other, property
EXTRA_EXISTS: Final = -1  # instead of a vertex: that something is at the node is the whole requirement
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

# names in the texts of events
NAME_PROPERTY: Final = 0
NAME_CLASS: Final = 1
NAME_DATATYPE: Final = 2
NAME_CONSTANT: Final = 3
ROW_UNUSED: Final = -1  # of an arc that no pattern could ask for, neither by its property nor by what it implies
ROW_OF_TYPE: Final = -2  # of rdf:type itself; a property below it has the row -3 - r, where r is its row as an arc

# codes of datatypes: the row of what is above them, and how their values are read
VALUE_BITS: Final = 3
VALUE_MASK: Final = 7
VALUE_OTHER: Final = 0
VALUE_TEXT: Final = 1
VALUE_INTEGER: Final = 2
VALUE_DECIMAL: Final = 3
VALUE_NUMBER: Final = 4  # of any other kind

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
