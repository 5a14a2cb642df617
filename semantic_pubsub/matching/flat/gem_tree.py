"""GEM-Tree: nodes that hold subscriptions, and right triangles that part them by the interval of one attribute.

Fan, Xiong, Wu, Liu: *GEM-Tree: Tree-Based Analytic Geometrical Multi-Dimensional Content-Based Event Matching*, IEEE
Access 7 (2019).

| paper | here |
|---|---|
| aNode, its Bucket, its attrDirectory (IV.B.1, figure 1) | node: a row of `NODES`, a bucket of rows, its forks |
| vNode, bound to an attribute | fork: a row of `FORKS`, bound to an axis |
| RTS of λ(λ + 1) / 2 cells, λ = 8 (IV.B.2, figure 2) | `CHILDREN`; `TAKEN` has a bit for each cell |
| location, Rm / λ | `place_of` in `kernels/gem_tree/tree.py`, seven cuts for each fork |
| C; A' and B'; A and B of figure 2(b) | matched fully; intersected; skipped: constant sets of 64 bits for each box |
| m, n, h, α, cost, rank (IV.B.3) | `rate_at`, `NODE_HELD`, `own_cost`, `ALPHA`, `NODE_COST`, `_rank`; `charge` |
| capacity, threshold, split attribute | `CAPACITY`, `LEAST`, `_gain` in `kernels/gem_tree/splitting.py` |
| InsertSub, MoveSubs (algorithms 1 and 2) | `insert`; `_split`, `_move` |
| MatchEvent, CheckaNode, intersectionAttr (3 and 4) | `_come_to`, `_pass`; `_check`; a bit beside each queued node |
| n + d, global adjustment (IV.D) | `rebalance`, `gem_adjustment.py` |

What is different, and why:

- **Value ranges need not be known.** Each fork cuts where the bounds of the slots that it gets lie; its first and last
  box are open. A cell of the diagonal, where both ends lie in one box, may be parted by the same attribute once more:
  that is how a range that grows, or single numbers among thousands, find their place.
- **Axes are attributes with numbers, or with items.** Classes, texts, existence and tests are cells by themselves,
  found by a hash. Several constraints of a slot on one axis: the first takes part, the others are checked where it
  ends.
- **Several values of one attribute** reach the cells of each, every cell once. Values under a property reach the cells
  of the attributes above it. Open ends of intervals are closed ones at the next double (`labels.py`).
- **The rank is that of a cell.** The paper ranks a vNode as a whole, m taken for uniform values. An equality and a
  wide interval on one attribute are not alike to it: ours takes m from the boxes in which events lay, for the cell in
  question.
- **A slot waits for what it wishes.** The paper goes down by any attribute that is there, so that those that came
  first decide. Ours stays in a bucket until there is a fork on one of its best predicates; when the bucket overflows,
  the axis is taken by which most is gained (the most popular one, less what its cells let through and cost to open:
  the terms in m that the paper drops). What nobody parts goes by the forks that there are before the capacity is
  increased.
- **Of the global adjustment** the order decides what the root has forks on first, in which order slots come and what
  goes first at equal rank; the cells follow the bounds of all. By the order alone wide intervals would go before
  equalities.
- **No recursion and no objects:** an event's nodes stand in a queue; then all their slots are checked, by what is
  known of all predicates if there are many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from semantic_pubsub.matching.flat import gem_layout as gt
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.gem_adjustment import Adjustment
from semantic_pubsub.matching.flat.gem_room import GemRoom
from semantic_pubsub.matching.flat.gem_view import NodeView, node_view
from semantic_pubsub.matching.flat.kernels.gem_tree import (
    file_slots,
    keep,
    match_event,
    match_events,
    open_fork,
    plant,
    unfile,
)
from semantic_pubsub.matching.flat.slot_index import SlotIndex
from semantic_pubsub.matching.flat.tables import TableKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.batches import EncodedBatch
    from semantic_pubsub.matching.flat.encoding import Numbers, Records
    from semantic_pubsub.matching.flat.index import Slots

__all__ = ["GemTreeIndex"]

_INT, _LONG, _WORD, _DOUBLE = np.int32, np.int64, np.uint64, np.float64


class GemTreeIndex(SlotIndex):
    """Nodes that hold subscriptions and forks that part them by an attribute, in turn."""

    name = "gem-tree"
    own_tables: ClassVar[tuple[TableKind, ...]] = (
        TableKind(_INT, large=True),  # NODES
        TableKind(_DOUBLE, large=True),  # NODE_COST
        TableKind(_INT, large=True),  # FORKS
        TableKind(_WORD, large=True),  # TAKEN
        TableKind(_DOUBLE, large=True),  # TRIANGLE_CUTS
        TableKind(_INT, large=True),  # HITS
        TableKind(_INT, large=True),  # CHILDREN
        TableKind(_LONG, fill=-1),  # LINK_KEYS
        TableKind(_INT),  # LINK_VALUES
        TableKind(_INT),  # ORDER_OF_VIEW
        TableKind(_INT),  # ORDER_OF_ATTR
        TableKind(_DOUBLE),  # SAMPLE
        TableKind(_LONG),  # OWN
        TableKind(_INT, scratch=True),  # SHOWS
        TableKind(_INT, scratch=True),  # SEEN_HEAD
        TableKind(_INT, scratch=True),  # SEEN
        TableKind(_INT, scratch=True),  # AXES
    )

    def __init__(self, ontology: Ontology) -> None:
        self._given = np.zeros(64, np.int32)
        self._one = np.zeros(1, np.int64)
        super().__init__(ontology)

    def _start(self) -> None:
        super()._start()
        self._room = GemRoom(self.tables, self.vocabulary)
        self.tables.reserve(gt.OWN, gt.N_OWN)
        self._clear()

    def _clear(self) -> None:
        """An empty tree."""
        self.tables[at.COUNTS][at.N_SPANS_FREE :] = -1
        self.tables[at.COUNTS][[at.N_BUCKETS, at.N_ROWS]] = 0
        own = self.tables[gt.OWN]
        own[:] = 0
        own[[gt.FREE_NODE, gt.FREE_FORK, gt.PENDING]] = -1
        self.tables[gt.LINK_KEYS][:] = -1
        self._room.make(1, self._live)
        plant(self._addresses)

    # adding and removing

    def _file(self, slot: int, start: int, preds: Sequence[int]) -> None:
        if self._room.views != self.tables[at.COUNTS][at.N_VIEWS]:
            self._room.make_names()
        count = len(preds)
        if count > len(self._given):
            self._given = np.zeros(2 * count, np.int32)
        self._given[:count] = preds
        keep(self._addresses, slot, start, self._given, count)
        self._one[0] = slot
        self._file_all(self._one, adjusted=False)

    def _file_all(self, slots: npt.NDArray[np.int64], *, adjusted: bool) -> None:
        """File slots one after the other."""
        own, done = self.tables[gt.OWN], 0
        while True:
            done += file_slots(self._addresses, slots[done:], adjusted)
            if done == len(slots) and own[gt.PENDING] < 0:
                return
            self._room.make(int(own[gt.N_WANTED]), self._live)

    def _unfile(self, slot: int) -> None:
        unfile(self._addresses, slot)

    def rebalance(self) -> None:
        """The global adjustment: file all slots anew, now that all are known (paper, section 4.D)."""
        self._check_writable()
        adjustment = Adjustment(self.tables)
        self._clear()
        for place, axis in enumerate(adjustment.axes):
            table, member = (gt.ORDER_OF_VIEW, axis.number) if axis.number >= 0 else (gt.ORDER_OF_ATTR, ~axis.number)
            self.tables[table][member] = place
            self._room.make(1, self._live)
            open_fork(self._addresses, axis.number, axis.slots)
        self._file_all(adjustment.slots, adjusted=True)

    # matching

    def _find(self, records: Records, numbers: Numbers, extra: Records) -> int:
        return int(match_event(self._addresses, records, numbers, extra))

    def match_batch(self, batch: EncodedBatch) -> tuple[npt.NDArray[np.int64], Slots]:
        self._start_batch(batch)
        count = len(batch.ends) - 1
        found, ends, done = np.empty(max(1024, 4 * count), np.int32), np.zeros(count + 1, np.int64), 0
        while True:
            done = match_events(
                self._addresses, batch.records, batch.numbers, batch.extra, batch.ends, done, found, ends
            )
            filled = int(ends[done])
            if done == count:
                return ends, found[:filled]
            found = np.concatenate((found[:filled], np.empty(len(found) + len(self), np.int32)))

    # what it holds

    def tree(self) -> NodeView:
        """The tree as it stands, to look at and to print."""
        return node_view(self, gt.ROOT)

    def restored(self) -> None:
        self._room.make_names()
        self.tables.reserve(at.TRUTH, len(self.predicates.forms))
        self.tables.reserve(at.AWAKE, len(self.tables[at.BUCKETS]) // at.BUCKET_WIDTH)

    def _used(self) -> dict[int, int]:
        counts = self.tables[at.COUNTS]
        rows, nodes, forks = int(counts[at.N_ROWS]), int(counts[at.N_BUCKETS]), int(self.tables[gt.OWN][gt.N_FORKS])
        return super()._used() | {
            at.FIRSTS: 4 * rows,
            at.ROWS: 4 * at.ROW_WIDTH * rows,
            at.BUCKETS: 4 * at.BUCKET_WIDTH * nodes,
            gt.NODES: 4 * gt.NODE_WIDTH * nodes,
            gt.NODE_COST: 8 * nodes,
            gt.FORKS: 4 * gt.FORK_WIDTH * forks,
            gt.TAKEN: 8 * forks,
            gt.TRIANGLE_CUTS: 8 * gt.N_CUTS * forks,
            gt.HITS: 4 * gt.HITS_WIDTH * forks,
            gt.CHILDREN: 4 * gt.TRIANGLE * forks,
        }

    def stats(self) -> dict[str, int | float | str]:
        counts, own = self.tables[at.COUNTS], self.tables[gt.OWN]
        return super().stats() | {
            "nodes": int(own[gt.N_NODES]),
            "cells matched fully": int(own[gt.N_CERTAIN]),
            "cells intersected": int(own[gt.N_INTERSECTED]),
            "slots looked at": int(counts[at.N_SCANNED]),
        }
