"""The tables of the array indexes, by number, and the columns of their rows. Everything is an integer or a double.

group    attributes whose properties have the same roots: one concept tree of attribute names (CTPS, section 3.1)
attr     an attribute that a subscription uses, a node of its group's tree
item     a group and what is asked of a value: a class, an IRI, a text, existence … (a node of m2 or m3)
column   a group and a kind of numbers (numbers, dates …): the values that m4 orders
view     an attribute with an item or a column: where a predicate looks
pred     a view, and the interval in which lies what is seen there: one constraint
slot     one alternative of a subscription: a span of preds
closure  what is above an event's attribute or value: attrs or items
record   a pair of an event in one group: closures of its attribute and value, its number
position where a slot is in the bit rows: these are numbered by themselves, so that they stay dense
place    the n-th constraint of a slot on the same group: several on one attribute need a place each
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ALWAYS",
    "ATTR_GROUP",
    "ATTR_MASK",
    "ATTR_ROW",
    "AWAKE",
    "BIT_GROUPS",
    "BIT_ROWS",
    "BIT_ROW_COUNT",
    "BIT_SLOT",
    "BUCKETS",
    "BUCKET_BORN",
    "BUCKET_COUNT",
    "BUCKET_ROOM",
    "BUCKET_SEEN",
    "BUCKET_STAMP",
    "BUCKET_START",
    "BUCKET_WIDTH",
    "CELLS",
    "CELL_ROWS",
    "CHUNKS",
    "CHUNK_BITS",
    "CHUNK_COUNT",
    "CHUNK_WORDS",
    "CHUNK_WORK",
    "CLOSURES",
    "CLOSURE_BIT",
    "CLOSURE_DATA",
    "CLOSURE_LENGTH",
    "CLOSURE_NEXT",
    "CLOSURE_ROW",
    "CLOSURE_START",
    "CLOSURE_WIDTH",
    "COLUMN_BUCKET",
    "COLUMN_HEAD",
    "COLUMN_LEVELS",
    "COLUMN_RANGE",
    "COLUMN_ROW",
    "COLUMN_SEEN",
    "COLUMN_VIEWS",
    "COUNTS",
    "CUTS",
    "CUT_COUNT",
    "EVENT_BITS",
    "FIRSTS",
    "FREE",
    "FREE_CHUNKS",
    "FREE_POSITION",
    "FREE_ROWS",
    "GROUPS",
    "GROUP_BITS",
    "GROUP_CLOSURES",
    "GROUP_HEAD",
    "GROUP_PAIRS",
    "GROUP_PLACES",
    "GROUP_ROW",
    "GROUP_WIDTH",
    "HASH_KEYS",
    "HASH_VALUES",
    "IN_BITS",
    "ITEM_BUCKET",
    "ITEM_MASK",
    "ITEM_ROW",
    "ITEM_SEEN",
    "ITEM_VIEWS",
    "LIVE_ROW",
    "MOMENT_EPOCH",
    "MOMENT_STEPS",
    "MOST_CUTS",
    "N_BIT_GROUPS",
    "N_BIT_ROWS",
    "N_BUCKETS",
    "N_CHECKED",
    "N_CHUNKS",
    "N_COMBINED",
    "N_COUNTS",
    "N_EVENTS",
    "N_FREE_CHUNKS",
    "N_FREE_ROWS",
    "N_GROUPS",
    "N_HASHED",
    "N_IN_BITS",
    "N_PLACES",
    "N_POSITIONS",
    "N_PREDS",
    "N_RECORDS",
    "N_ROWS",
    "N_ROW_CHUNKS",
    "N_SCANNED",
    "N_SLOTS",
    "N_SPANS_FREE",
    "N_STAMP",
    "N_VIEWS",
    "OUT",
    "PRED_LOWER",
    "PRED_UPPER",
    "PRED_VIEW",
    "RECORD_ATTRS",
    "RECORD_COLUMN",
    "RECORD_EXTRA",
    "RECORD_EXTRAS",
    "RECORD_GROUP",
    "RECORD_VALUE",
    "RECORD_WIDTH",
    "ROWS",
    "ROW_COMBINED",
    "ROW_NONE",
    "ROW_PREDS",
    "ROW_UNKNOWN",
    "ROW_WIDTH",
    "SIGHT",
    "SLACK",
    "SLOTS",
    "SLOT_BUCKET",
    "SLOT_COUNT",
    "SLOT_INDEX",
    "SLOT_START",
    "SLOT_WIDTH",
    "SPANS",
    "TABLES",
    "TOUCHED",
    "TRUTH",
    "VIEWS",
    "VIEW_ATTR",
    "VIEW_NEXT",
    "VIEW_WHAT",
    "VIEW_WIDTH",
    "WORK",
    "WORK_BIT",
    "WORK_GROUP_NEXT",
    "WORK_NEXT",
    "WORK_WIDTH",
]

(
    PRED_LOWER,
    PRED_UPPER,
    PRED_VIEW,
    VIEWS,
    SIGHT,  # for the event at hand: a number, 1.0 for an item, NaN where there is nothing to see
    ITEM_VIEWS,  # the first view of an item, -1 for none
    COLUMN_VIEWS,
    SLOTS,
    SPANS,
    CLOSURES,
    CLOSURE_DATA,
    ATTR_MASK,  # for the event at hand: which of its group's pairs are below the attribute
    ITEM_MASK,
    COLUMN_HEAD,  # first record with a number for the column, -1 for none
    GROUPS,
    TOUCHED,
    COUNTS,
    OUT,
    WORK,
    BUCKETS,
    ROWS,
    FIRSTS,  # the first pred of each row, by itself: most looks end there
    ITEM_BUCKET,
    HASH_KEYS,
    HASH_VALUES,
    COLUMN_LEVELS,
    ITEM_SEEN,
    COLUMN_BUCKET,  # of slots that wait for any number of a column, -1 for none
    COLUMN_SEEN,  # in how many events there was one
    COLUMN_RANGE,
    BIT_ROWS,
    BIT_ROW_COUNT,
    CHUNKS,
    CHUNK_COUNT,
    FREE_CHUNKS,
    FREE_ROWS,
    BIT_GROUPS,  # the groups that have, or had, bit rows
    GROUP_ROW,
    ATTR_ROW,
    ITEM_ROW,
    COLUMN_ROW,
    CLOSURE_ROW,
    CUTS,
    CUT_COUNT,
    CELL_ROWS,
    ATTR_GROUP,
    BIT_SLOT,  # the slot at each position of the bit rows; free positions are linked by ~next
    TRUTH,  # of each pred, where an event is going to ask for most of them
    AWAKE,  # the buckets that an event looks into
    CHUNK_WORK,  # four chunks: what is left, what must be checked, and two more
    TABLES,
) = range(51)

ALWAYS: Final = 0  # a pred that always holds, its view, attr and item: they fill up short rows
# VIEWS: an attr, an item or ~column, the next view of the same item or column
VIEW_ATTR, VIEW_WHAT, VIEW_NEXT, VIEW_WIDTH = range(4)
# SLOTS
SLOT_START, SLOT_COUNT, SLOT_BUCKET, SLOT_INDEX, SLOT_WIDTH = range(5)
FREE: Final = -1  # SLOT_COUNT of a slot that nobody has
IN_BITS: Final = -1  # SLOT_BUCKET of a slot that is in the bit rows
# CLOSURES, with the bit of an attribute of the event at hand, or -1
CLOSURE_START, CLOSURE_LENGTH, CLOSURE_NEXT, CLOSURE_BIT, CLOSURE_WIDTH = range(5)
# GROUPS
GROUP_PAIRS, GROUP_HEAD, GROUP_PLACES, GROUP_CLOSURES, GROUP_BITS, GROUP_WIDTH = range(6)
# records of an event
RECORD_GROUP, RECORD_ATTRS, RECORD_VALUE, RECORD_COLUMN, RECORD_EXTRA, RECORD_EXTRAS, RECORD_WIDTH = range(7)
# WORK, for each record
WORK_NEXT, WORK_BIT, WORK_GROUP_NEXT, WORK_WIDTH = range(4)
# BUCKETS
BUCKET_START, BUCKET_COUNT, BUCKET_ROOM, BUCKET_SEEN, BUCKET_STAMP, BUCKET_BORN, BUCKET_WIDTH = range(7)
ROW_WIDTH: Final = 8  # slot and its first seven preds
ROW_PREDS: Final = 7
# COUNTS
(
    N_EVENTS,
    N_RECORDS,  # of all events
    N_SCANNED,
    N_CHECKED,
    N_CHUNKS,
    N_FREE_CHUNKS,
    N_BIT_ROWS,
    N_FREE_ROWS,
    N_SLOTS,
    N_IN_BITS,
    N_POSITIONS,
    FREE_POSITION,  # the first free position, -1 for none
    N_GROUPS,
    N_PLACES,  # room for places in the tables below
    N_ROW_CHUNKS,  # room for chunks in a bit row
    N_HASHED,
    N_COMBINED,
    N_STAMP,
    N_BUCKETS,
    N_PREDS,
    N_VIEWS,
    N_ROWS,
    N_BIT_GROUPS,
    N_SPANS_FREE,  # and the following 30: the first free run of so many rows (a power of two), -1 for none
) = range(24)
N_COUNTS: Final = N_SPANS_FREE + 31

CHUNK_WORDS: Final = 64
CHUNK_BITS: Final = 4096
SLACK: Final = 65  # elements of OUT and BIT_SLOT beyond the last that counts, which kernels touch
LIVE_ROW: Final = 0  # the bit row of all positions that are taken
ROW_UNKNOWN, ROW_NONE = -1, -2
ROW_COMBINED: Final = 1 << 30  # added to BIT_ROW_COUNT of a row that was made from others

MOST_CUTS: Final = 127
CELLS: Final = MOST_CUTS + 1
EVENT_BITS: Final = 63  # different attributes of one group beyond this share the last bit: such events are rough
MOMENT_EPOCH: Final = 63_108_720_000  # 2000-01-01 in the seconds of `Moment.local`
MOMENT_STEPS: Final = 1_000_000  # of a second: points in time are whole numbers of them
