"""HMACD: a poset of subscriptions that cover each other beside an index of hash lists and interval trees.

Wu, Gao, Yang, Leng, Li, Lu: *Event Matching Algorithm Based on Joint Characteristics for Content-Based
Publish/Subscribe System in Virtual Experiment* (in Chinese), doi:10.12178/1001-0548.2020431.

| paper | here |
|---|---|
| covering relation (definition 2) | `covers` in `kernels/covering/relations.py` |
| poset-tree (1.2) | nodes and runs of children, `kernels/covering/poset.py`; node 0 is the roof above all roots |
| list of unrelated subscriptions (definitions 3 and 4, figure 1) | roots without children; leaves under one parent |
| limits of free roots and of sibling leaves (1.3) | `free_roots`, `siblings` |
| index by attribute name (1.2) | views: an attribute with an item or with numbers |
| hash list for equalities, interval tree for ranges (1.2) | shelves, `kernels/covering/shelves.py` |
| matching bucket, a set (1.2) | `BUCKET` |
| subscription list: from a subscription to where it waits (1.2) | `NODE_SHELF`, `NODE_BOUNDS` |
| subscribing and unsubscribing (1.3) | `kernels/covering/subscribe.py` |
| match in poset, match in index (algorithms 1 and 2) | `_fill_below`, `_fill_bucket` in `kernels/covering/match.py` |

Departures, and why.

- **The bucket does not count.** Algorithm 2 adds one to a subscription for each predicate that holds, so it touches
  them all. Here a node waits under its rarest predicate only and has the second beside it; in the bucket are those
  for which both hold, and the rest is checked.
- **The poset is a forest.** Of several nodes that cover another the one that events satisfy least is its parent:
  nothing is looked at twice, and most is kept away. Children lie in one run with their two rarest predicates that
  do not follow from their parent's.
- **Equal subscriptions share a node**, wherever it is.
- **A node in the index keeps its children**, which are looked at when it matches. Roots and siblings with children go
  there, too, where there are four times as many as the limit, and the way down ends after `deepest` steps: so a new
  subscription is never compared with more than a few hundred.
- **Nodes come back.** The paper moves out of the poset only. When more is known of the events, or there are twice as
  many subscriptions, nodes of the index are subscribed anew, and stay in the poset if there is a place.
- **Interval trees have two levels** and wide nodes.
- **What is no number** (classes, texts, truth values, existence, tests) is an item: an equality with a list of its own.
  A class covers those below it, a list of values its parts. An event looks into the views of all attributes at or above
  its own. Covering is seen among attributes of one group. Numbers that no double stands for, and more attributes of one
  group than a mask has bits, are left to the scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from semantic_pubsub.matching.flat import hmacd_layout as own
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.hmacd_names import NameOrder
from semantic_pubsub.matching.flat.kernels.covering import (
    covers_slot,
    match_covering,
    match_coverings,
    rehash_nodes,
    rehash_points,
    resubscribe,
    start_roof,
    subscribe,
    unsubscribe,
)
from semantic_pubsub.matching.flat.slot_index import SlotIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from semantic_pubsub.matching.flat.batches import EncodedBatch
    from semantic_pubsub.matching.flat.encoding import Numbers, Records
    from semantic_pubsub.matching.flat.index import Asked, Slots

__all__ = ["HmacdIndex"]

_AHEAD: Final = 64  # changes for which room is made at once
_BATCH: Final = 1024
_NEVER: Final = 1 << 62


class HmacdIndex(SlotIndex):
    """Subscriptions in a poset as far as they cover each other, in the index beyond its limits."""

    name = "hmacd"
    own_tables = own.OWN_TABLES
    free_roots: ClassVar[int] = 8
    """How many roots without children the poset has at most."""
    siblings: ClassVar[int] = 1
    """How many leaves there are at most under one node."""
    deepest: ClassVar[int] = 2
    """How many steps down a new subscription is compared with the poset."""

    def _start(self) -> None:
        self._room = 0
        self._review_at = 64
        self._review_size = 1024
        self._reviewed = self._review_end = 0
        self.vocabulary.renames_sets = False  # `NameOrder` knows which are below which
        super()._start()
        self.prepare_at = 0  # each event: whether there is anything to do is one comparison
        self.tables.reserve(own.COVER_COUNTS, own.N_COVER_COUNTS)
        counts = self.tables[own.COVER_COUNTS]
        counts[[own.FREE_NODE, own.FREE_SHELF]] = counts[own.FREE_BLOCKS :] = -1
        self._make_room(1)
        start_roof(self._addresses)
        self._order = NameOrder(self.vocabulary, self.tables)

    # adding and removing

    def preds_of(self, asked: Asked) -> list[int]:
        preds = super().preds_of(asked)
        self._order.learn()
        views = int(self.tables[at.COUNTS][at.N_VIEWS])
        for table in (own.VIEW_SHELF, own.VIEW_POINTS, own.VIEW_SEEN):
            self.tables.reserve(table, views)
        return preds

    def _file(self, slot: int, start: int, preds: Sequence[int]) -> None:
        count = len(preds)
        self._keep(slot, start, preds)
        self.tables.reserve(own.MEMBERS, (slot + 1) * own.MEMBER_WIDTH)
        self.tables.reserve(own.SHARES, count)
        self.tables.reserve(own.SPAN_BOUNDS, 2 * self.spans.size)
        self.tables.reserve(own.SPAN_VIEWS, self.spans.size)
        self._make_room(1)
        subscribe(self._addresses, slot, start, count, self.free_roots, self.siblings, self.deepest)
        if self._live >= 2 * self._review_size:
            self._start_review()

    def _unfile(self, slot: int) -> None:
        node = int(self.tables[at.SLOTS][slot * at.SLOT_WIDTH + at.SLOT_BUCKET])
        children = int(self.tables[own.NODES][node * own.NODE_WIDTH + own.NODE_CHILDREN])
        self._make_room(1 + children)
        unsubscribe(self._addresses, slot, self.free_roots, self.siblings)

    def _make_room(self, changes: int) -> None:
        """Room for so many nodes that get a place: each may split a block and widen a tree."""
        self._room -= changes
        if self._room >= 0:
            return
        self._room = _AHEAD
        tables, counts, more = self.tables, self.tables[own.COVER_COUNTS], changes + _AHEAD + 1
        nodes, shelves = int(counts[own.N_NODES]) + more, int(counts[own.N_SHELVES]) + more
        heads = int(counts[own.N_HEADS]) + 3 * more + (4 << int(counts[own.LARGEST_TREE]))
        children = 16 * max(self.free_roots, self.siblings)  # twice those of the widest node
        entries = int(counts[own.N_ENTRIES]) + 8 * own.BLOCK_ROOM * more + children
        for table, size in (
            (own.NODES, nodes * own.NODE_WIDTH),
            (own.NODE_BOUNDS, nodes * 2),
            (own.NODE_GROUPS, nodes),
            (own.NODE_HASH, nodes),
            (own.NODE_SHARE, nodes),
            (own.SHELVES, shelves * own.SHELF_WIDTH),
            (own.SHELF_KEY, shelves),
            (own.HEADS, heads * own.HEAD_WIDTH),
            (own.HEAD_BOUNDS, heads * 2),
            (own.ENTRIES, entries * own.ENTRY_WIDTH),
            (own.ENTRY_BOUNDS, entries * own.ENTRY_BOUNDS_WIDTH),
            (own.ENTRY_GROUPS, entries),
        ):
            tables.reserve(table, size)
        self._make_scratch(nodes)
        for table, members, rehash in (
            (own.SAME, nodes, rehash_nodes),
            (own.POINTS, int(counts[own.N_POINTS]) + more, rehash_points),
        ):
            if members > len(tables[table]):
                larger = np.full(1 << (2 * members).bit_length(), -1, np.int32)
                rehash(self._addresses, larger)
                tables.put(table, larger)

    def _make_scratch(self, nodes: int) -> None:
        """Room for what only the event at hand needs."""
        for table in (own.NODE_STAMP, own.BUCKET):
            self.tables.reserve(table, nodes + at.SLACK)

    # matching

    def _find(self, records: Records, numbers: Numbers, extra: Records) -> int:
        return int(match_covering(self._addresses, records, numbers, extra))

    def match_batch(self, batch: EncodedBatch) -> tuple[npt.NDArray[np.int64], Slots]:
        self._start_batch(batch)
        count = len(batch.ends) - 1
        found, ends, done = np.empty(max(1024, 4 * count), np.int32), np.zeros(count + 1, np.int64), 0
        while done < count:
            done = match_coverings(
                self._addresses, batch.records, batch.numbers, batch.extra, batch.ends, done, found, ends
            )
            if done < count:
                larger = np.empty(2 * len(found) + len(self), np.int32)
                larger[: ends[done]] = found[: ends[done]]
                found = larger
        return ends, found[: ends[-1]]

    # what more is known of later

    def _prepare(self) -> None:
        if self.read_only or (self.events < self._review_at and self._reviewed >= self._review_end):
            return
        if self.events >= self._review_at:
            self._review_at = max(64, 8 * self.events)
            self._start_review()
        self._review(_BATCH)

    def _start_review(self) -> None:
        self._review_size = max(1024, self._live)
        self._reviewed, self._review_end = 1, int(self.tables[own.COVER_COUNTS][own.N_NODES])

    def _review(self, most: int) -> None:
        """Subscribe some nodes of the index anew."""
        last = min(self._reviewed + most, self._review_end)
        for node in range(self._reviewed, last, _AHEAD):
            some = min(_AHEAD, last - node)
            self._make_room(some)
            resubscribe(self._addresses, node, some, self.free_roots, self.siblings, self.deepest)
        self._reviewed = last

    def settle(self) -> None:
        """Do at once what reviews do little by little."""
        self._start_review()
        self._review(self._review_end)
        self._review_at = max(64, 8 * self.events)

    # what it holds

    def covers(self, slot: int, other: int) -> bool:
        """Whether every event that satisfies the other slot satisfies this one; False where the index cannot tell."""
        return bool(covers_slot(self._addresses, slot, other))

    def restored(self) -> None:
        self._make_scratch(int(self.tables[own.COVER_COUNTS][own.N_NODES]))

    def _used(self) -> dict[int, int]:
        counts = self.tables[own.COVER_COUNTS]
        nodes, entries, heads = (int(counts[which]) for which in (own.N_NODES, own.N_ENTRIES, own.N_HEADS))
        return super()._used() | {
            own.NODES: 4 * own.NODE_WIDTH * nodes,
            **dict.fromkeys((own.NODE_GROUPS, own.NODE_HASH, own.NODE_SHARE), 8 * nodes),
            own.NODE_BOUNDS: 16 * nodes,
            own.MEMBERS: 4 * own.MEMBER_WIDTH * int(self.tables[at.COUNTS][at.N_SLOTS]),
            own.ENTRIES: 4 * own.ENTRY_WIDTH * entries,
            own.ENTRY_BOUNDS: 8 * own.ENTRY_BOUNDS_WIDTH * entries,
            own.ENTRY_GROUPS: 8 * entries,
            own.SPAN_BOUNDS: 16 * self.spans.size,
            own.SPAN_VIEWS: 4 * self.spans.size,
            own.HEADS: 4 * own.HEAD_WIDTH * heads,
            own.HEAD_BOUNDS: 16 * heads,
        }

    def stats(self) -> dict[str, int | float | str]:
        counts = self.tables[own.COVER_COUNTS].tolist()
        roof = self.tables[own.NODES][: own.NODE_WIDTH].tolist()
        nodes = counts[own.N_LIVE_NODES]
        return super().stats() | {
            "nodes": nodes,
            "in the poset": nodes - counts[own.N_INDEXED],
            "in the index": counts[own.N_INDEXED],
            "roots": roof[own.NODE_CHILDREN],
            "free roots": roof[own.NODE_LEAVES],
            "moved": counts[own.N_MOVED],
            "looked at in the poset": counts[own.N_LOOKED_AT],
            "in the bucket": counts[own.N_PROPOSED],
        }
