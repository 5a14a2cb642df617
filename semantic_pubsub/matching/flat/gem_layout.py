"""The tables of the GEM-Tree, numbered after those of `layout.py`, and the columns of their rows.

node     the paper's aNode: a bucket of slots (a row of BUCKETS), and forks that part further slots
fork     the paper's vNode: parts the slots of a node by one axis, into cells
axis     what a fork is bound to: the view of an attribute's numbers, or ~attribute for its items
cell     of numbers: row * 8 + column in the right triangle, upper end and lower end; of items: the item
box      one of the eight parts of an axis, between cuts
"""

from __future__ import annotations

from typing import Final

from semantic_pubsub.matching.flat.layout import TABLES

__all__ = [
    "AXES",
    "BOXES",
    "CAPACITY",
    "CHILDREN",
    "FORKS",
    "FORK_AXIS",
    "FORK_BEFORE",
    "FORK_CELLS",
    "FORK_NEXT",
    "FORK_NODE",
    "FORK_WIDTH",
    "FREE_FORK",
    "FREE_NODE",
    "HITS",
    "HITS_WIDTH",
    "LEAST",
    "LINK_KEYS",
    "LINK_VALUES",
    "NODES",
    "NODE_CAPACITY",
    "NODE_CELL",
    "NODE_COST",
    "NODE_DEPTH",
    "NODE_FIRST",
    "NODE_FORKS",
    "NODE_HELD",
    "NODE_PARENT",
    "NODE_WIDTH",
    "N_CERTAIN",
    "N_CUTS",
    "N_FORKS",
    "N_INTERSECTED",
    "N_LINKS",
    "N_NODES",
    "N_OWN",
    "N_WANTED",
    "ORDER_OF_ATTR",
    "ORDER_OF_VIEW",
    "OWN",
    "OWN_TABLES",
    "PENDING",
    "ROOT",
    "SAMPLE",
    "SAMPLED",
    "SAMPLE_WIDTH",
    "SEEN",
    "SEEN_HEAD",
    "SHOWS",
    "TAKEN",
    "TRIANGLE",
    "TRIANGLE_CUTS",
    "VISITS",
]

(
    NODES,
    NODE_COST,  # of each node: what its slots are expected to cost an event that comes there
    FORKS,
    TAKEN,  # of each fork on numbers: which cells there are
    TRIANGLE_CUTS,
    HITS,  # of each fork: in which boxes events lay, and how many came by
    CHILDREN,  # of each fork on numbers: the node of each cell
    LINK_KEYS,  # from a node and an axis to the fork, from a fork and an item to the node
    LINK_VALUES,
    ORDER_OF_VIEW,  # the place of an axis in the order of the global adjustment
    ORDER_OF_ATTR,
    SAMPLE,  # of each column: how many numbers events showed, and the last of them
    OWN,
    SHOWS,  # for the event at hand, of each view of numbers: 0, one record + 1, or -1 for several
    SEEN_HEAD,  # for the event at hand, of each attribute: the place + 1 in SEEN of an item that it shows
    SEEN,  # an item, and the place + 1 of the next of the same attribute
    AXES,  # for the event at hand: the axes on which it shows something
    OWN_TABLES,
) = range(TABLES, TABLES + 18)

# NODES; the free ones are linked by NODE_PARENT
(
    NODE_PARENT,  # the fork whose cell it is, -1 for the root
    NODE_CELL,
    NODE_FIRST,  # the first of its forks, -1 for none
    NODE_FORKS,
    NODE_CAPACITY,
    NODE_HELD,  # slots in its bucket and below
    NODE_DEPTH,  # different axes on the way from the root
    NODE_WIDTH,
) = range(8)
ROOT: Final = 0
# FORKS; the free ones are linked by FORK_NEXT
FORK_AXIS, FORK_NODE, FORK_NEXT, FORK_BEFORE, FORK_CELLS, FORK_WIDTH = range(6)
# OWN
(
    N_NODES,  # that there are
    N_FORKS,  # that were ever there
    FREE_NODE,
    FREE_FORK,
    N_LINKS,
    N_WANTED,  # how many slots the next split may move: there must be room for their nodes
    PENDING,  # the node that it is to happen at, or -1
    N_CERTAIN,  # cells that events matched fully
    N_INTERSECTED,
    N_OWN,
) = range(10)

BOXES: Final = 8  # λ of the paper
N_CUTS: Final = BOXES - 1
TRIANGLE: Final = BOXES * (BOXES + 1) // 2
VISITS: Final = BOXES  # of HITS
HITS_WIDTH: Final = BOXES + 1
SAMPLED: Final = 32
SAMPLE_WIDTH: Final = SAMPLED + 1

CAPACITY: Final = 16  # slots that a bucket holds before it is split
LEAST: Final = 8  # the threshold: so many slots must have an axis before they are parted by it
