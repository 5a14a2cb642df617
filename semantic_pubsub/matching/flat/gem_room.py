"""Room in the tables of a GEM-Tree: for names, and for what the kernels may make next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from semantic_pubsub.matching.flat import gem_layout as gt
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.kernels import compact_rows
from semantic_pubsub.matching.flat.kernels.gem_tree import relink

if TYPE_CHECKING:
    from semantic_pubsub.matching.flat.tables import Tables
    from semantic_pubsub.matching.flat.vocabulary import Vocabulary

__all__ = ["GemRoom"]


class GemRoom:
    """Makes tables larger before the kernels need it: they cannot."""

    def __init__(self, tables: Tables, vocabulary: Vocabulary) -> None:
        self.tables = tables
        self.vocabulary = vocabulary
        self.views = 0
        """How many views there is room for."""

    def make_names(self) -> None:
        """Room for all names in the tables that have a row for each."""
        tables, views = self.tables, int(self.tables[at.COUNTS][at.N_VIEWS])
        attrs, _, columns = self.vocabulary.sizes()
        self.views = views
        for table, size in (
            (gt.ORDER_OF_VIEW, views),
            (gt.ORDER_OF_ATTR, attrs),
            (gt.SAMPLE, columns * gt.SAMPLE_WIDTH),
            (gt.SHOWS, views),
            (gt.SEEN_HEAD, attrs),
            (gt.SEEN, 2 * views),
            (gt.AXES, views + attrs),
        ):
            tables.reserve(table, size)

    def make(self, moves: int, live: int) -> None:
        """Room for so many slots to move, each to a node of its own."""
        tables, counts, own = self.tables, self.tables[at.COUNTS], self.tables[gt.OWN]
        nodes, forks = int(counts[at.N_BUCKETS]), int(own[gt.N_FORKS])
        nodes += nodes // 4 + moves + 64
        tables.reserve(gt.NODES, nodes * gt.NODE_WIDTH)
        nodes = len(tables[gt.NODES]) // gt.NODE_WIDTH
        tables.reserve(gt.NODE_COST, nodes)
        tables.reserve(at.BUCKETS, nodes * at.BUCKET_WIDTH)
        tables.reserve(at.AWAKE, nodes)
        tables.reserve(gt.FORKS, (forks + forks // 4 + moves + 64) * gt.FORK_WIDTH)
        forks = len(tables[gt.FORKS]) // gt.FORK_WIDTH
        tables.reserve(gt.TAKEN, forks)
        tables.reserve(gt.TRIANGLE_CUTS, forks * gt.N_CUTS)
        tables.reserve(gt.HITS, forks * gt.HITS_WIDTH)
        tables.reserve(gt.CHILDREN, forks * gt.TRIANGLE)
        self._close_gaps(live)
        rows = int(counts[at.N_ROWS])
        tables.reserve(at.ROWS, (3 * rows + 8 * moves + 1024) * at.ROW_WIDTH)
        tables.reserve(at.FIRSTS, len(tables[at.ROWS]) // at.ROW_WIDTH)
        size = len(tables[gt.LINK_KEYS])
        while size <= 2 * (int(own[gt.N_LINKS]) + 2 * moves + 2):
            size *= 2
        if size > len(tables[gt.LINK_KEYS]):
            keys, values = np.full(size, -1, np.int64), np.zeros(size, np.int32)
            relink(tables.addresses.array, keys, values)
            tables.put(gt.LINK_KEYS, keys)
            tables.put(gt.LINK_VALUES, values)

    def _close_gaps(self, live: int) -> None:
        """Write the rows anew where more than a third of their room is gaps: buckets leave some when they grow."""
        counts, nodes = self.tables[at.COUNTS], int(self.tables[gt.OWN][gt.N_NODES])
        if counts[at.N_ROWS] <= 1.5 * (live + 4 * nodes) + 1024 * 16:
            return
        room = live + live // 8 + int(counts[at.N_BUCKETS])
        rows, firsts = np.zeros(room * at.ROW_WIDTH, np.int32), np.zeros(room, np.int32)
        end = compact_rows(self.tables.addresses.array, rows, firsts)
        self.tables[at.ROWS][: end * at.ROW_WIDTH] = rows[: end * at.ROW_WIDTH]
        self.tables[at.FIRSTS][:end] = firsts[:end]
