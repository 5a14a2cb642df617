"""The tables of the COMPME index, numbered after those of `layout.py`, and the columns of their rows.

word     32 columns of an attribute (Tab. 2): ranges of numbers, or enumerated values; also the bits of the event there
pair     ⟨start, code⟩ in one integer of 64 bits: the number of a word, and which of its columns a row covers
node     the word of a range of numbers: LB, 30 columns of one width, UB; and the word of the same columns as a part of
         the column above (`pass`), whose bits are all set unless the event is in that column
section  the rows of one matrix (subscriptions of one size, with as many pairs) whose first pair is in one word
head     the rows of a section whose first pair is the same: it is kept, and ANDed, once
block    some rows of a head: their slots, then their second pairs, then their third ones …
"""

from __future__ import annotations

from typing import Final

import numpy as np

from semantic_pubsub.matching.flat.layout import TABLES
from semantic_pubsub.matching.flat.tables import TableKind

__all__ = [
    "ACTIVE",
    "ALL_COLUMNS",
    "BITS",
    "BLOCK_CLASSES",
    "CHILDREN",
    "CODES",
    "COLUMNS",
    "COLUMN_SEEN",
    "CROWD",
    "DEEPEST",
    "FOLLOWERS",
    "FREE_BLOCK",
    "FREE_HEAD",
    "FREE_NODE",
    "FREE_SECTION",
    "FREE_SPAN",
    "GENERATION",
    "HEADS",
    "HEAD_BITS",
    "HEAD_BLOCK",
    "HEAD_COUNT",
    "HEAD_FILED",
    "HEAD_PLACE",
    "HEAD_SECTION",
    "HEAD_WIDTH",
    "ITEM_WORDS",
    "LEAST_COLUMNS",
    "LINES",
    "MARKS",
    "MOST_BLOCK",
    "MOST_ROWS",
    "MOST_SPAN",
    "NODES",
    "NODE_CHILDREN",
    "NODE_DEPTH",
    "NODE_GENERATION",
    "NODE_NEXT",
    "NODE_VIEW",
    "NODE_WIDTH",
    "NODE_WORD",
    "N_CHILDREN",
    "N_CODES",
    "N_HEADS",
    "N_LINES",
    "N_MARKS",
    "N_MEMBERS",
    "N_NODES",
    "N_PICKED",
    "N_SECTIONS",
    "N_WAITING",
    "N_WORDS",
    "OTHERS",
    "OWN_TABLES",
    "PICKED",
    "PLACES",
    "RANGES",
    "REVIEWED",
    "SECTIONS",
    "SECTION_COUNT",
    "SECTION_NEXT",
    "SECTION_OTHERS",
    "SECTION_ROOM",
    "SECTION_SIZE",
    "SECTION_START",
    "SECTION_WIDTH",
    "SECTION_WORD",
    "SHAPES",
    "SHAPE_BORN",
    "SHAPE_HIGH",
    "SHAPE_LOW",
    "SHAPE_PRIOR",
    "SHAPE_SCALE",
    "SHAPE_SEEN",
    "SHAPE_WIDTH",
    "SPAN_CLASSES",
    "TOGETHER",
    "UNFILED",
    "WAITING",
    "WORDS",
    "WORD_NODE",
    "WORD_SECTION",
    "WORD_WIDTH",
]

(
    BITS,  # of each word, for the event at hand; between events those of a `pass` word are set, others are not
    WORDS,
    PLACES,  # of each view: the first node in either generation, or a word and a column in it
    RANGES,  # of each view: the lowest and the highest bound that were filed in this generation
    ITEM_WORDS,  # of each attribute: the word with room for the next enumerated value, and how many it has
    NODES,
    SHAPES,
    COLUMN_SEEN,  # of each column of a node: how often events were there, lately
    CHILDREN,  # runs of 32: the node that divides a column, or -1
    SECTIONS,
    CODES,  # of each section: the codes of its heads, then their numbers
    HEADS,
    LINES,  # the blocks
    FOLLOWERS,  # of each slot: the next in the list of the row that covers it, plus one
    MARKS,
    WAITING,  # slots that must be filed before the next event
    ACTIVE,  # words in which the event has bits; from the end `pass` words that it changed
    PICKED,  # rows that are looked at together, and before that the heads that the event has in a section
) = range(TABLES, TABLES + 18)

_INT, _LONG, _DOUBLE = np.int32, np.int64, np.float64
OWN_TABLES: Final = (
    TableKind(_INT),
    TableKind(_INT, -1),
    TableKind(_INT, -1),
    TableKind(_DOUBLE, np.nan),
    TableKind(_INT, -1),
    TableKind(_INT),
    TableKind(_DOUBLE),
    TableKind(np.uint8),
    TableKind(_INT, -1),
    TableKind(_INT),
    TableKind(_INT),
    TableKind(_INT),
    TableKind(_LONG, large=True),
    TableKind(_INT, large=True),
    TableKind(_LONG),
    TableKind(_INT, large=True, scratch=True),
    TableKind(_INT, scratch=True),
    TableKind(_LONG, scratch=True),
)

COLUMNS: Final = 32  # the paper's base number b
ALL_COLUMNS: Final = (1 << COLUMNS) - 1
OTHERS: Final = 6  # a row has at most so many pairs beside its first: what is left is for the exact check
LEAST_COLUMNS: Final = 2  # the paper's threshold t: whoever covers fewer columns is better off in sub-columns
CROWD: Final = 64  # slots in one column: from then on it is divided
DEEPEST: Final = 8  # a column of so many divisions is not divided again
# WORDS
WORD_SECTION, WORD_NODE, WORD_WIDTH = range(3)
# NODES; the word of the part is the one after NODE_WORD
NODE_WORD, NODE_CHILDREN, NODE_VIEW, NODE_DEPTH, NODE_GENERATION, NODE_NEXT, NODE_WIDTH = range(7)
# SHAPES, for each node; seen and born count events, prior is how often they come here as long as nobody knows
SHAPE_LOW, SHAPE_HIGH, SHAPE_SCALE, SHAPE_PRIOR, SHAPE_SEEN, SHAPE_BORN, SHAPE_WIDTH = range(7)
# SECTIONS
(
    SECTION_WORD,
    SECTION_SIZE,
    SECTION_OTHERS,
    SECTION_NEXT,
    SECTION_START,
    SECTION_COUNT,
    SECTION_ROOM,
    SECTION_WIDTH,
) = range(8)
# HEADS; filed counts slots that came, followers too
HEAD_SECTION, HEAD_PLACE, HEAD_BLOCK, HEAD_COUNT, HEAD_FILED, HEAD_WIDTH = range(6)

MOST_SPAN: Final = 2048  # elements of CODES that a section takes at most when it grows: there are 529 different codes
MOST_ROWS: Final = 16  # of a block; the first ones of a head have room for 1, 1, 2, 4 and 8
TOGETHER: Final = 1024  # rows that are looked at together
N_PICKED: Final = 4 * TOGETHER + MOST_SPAN // 2
MOST_BLOCK: Final = 1 + MOST_ROWS // 2 + OTHERS * MOST_ROWS  # elements of LINES
HEAD_BITS: Final = 28  # of a block's first line: its head, then 3 bits for its room, then the block before it
BLOCK_CLASSES: Final = 5
SPAN_CLASSES: Final = 16
UNFILED: Final = -1  # SLOT_BUCKET of a slot that is nowhere; of a follower it is -2 - the slot before it in the list
# MARKS: counts, and the first of what is free, plus one
(
    N_WORDS,
    N_NODES,
    N_CHILDREN,
    N_SECTIONS,
    N_CODES,
    N_HEADS,
    N_LINES,
    N_WAITING,
    N_MEMBERS,  # slots that follow a row
    GENERATION,  # 0 or 1: in which nodes are made now
    REVIEWED,  # slots below that were filed in this generation
    FREE_NODE,
    FREE_SECTION,
    FREE_HEAD,
    FREE_SPAN,
) = range(15)
FREE_BLOCK: Final = FREE_SPAN + SPAN_CLASSES
N_MARKS: Final = FREE_BLOCK + BLOCK_CLASSES * (OTHERS + 1)
