"""COMPME: subscriptions as rows of bits, compressed to ⟨start, code⟩ pairs, merged, and ANDed with events.

The paper on compression-based matching (COMPME), of which we know no authors: see `docs/papers.md`.

| paper | here |
|---|---|
| size of a subscription, matrices by size (4.1) | `SECTION_SIZE`; `matrices()` shows them |
| column of a matrix, its range; granularity G | a bit of a word; `column_of` in `kernels/compme/coding.py` |
| machine word length B, base number b (4.2, 4.3) | `COLUMNS`, 32: a pair is one integer of 64 bits |
| threshold t; sub-columns (4.2) | `LEAST_COLUMNS` and `CROWD`; `divide_column` |
| LB, UB (4.2) | the first and the last column of each word |
| ⟨start, code⟩, zeros left out (4.3) | a pair: the number of a word, and its bits; `row()` shows a slot's |
| subscription list of a merged row (4.4) | `FOLLOWERS`; `kernels/compme/covering.py` |
| B_A(e) AND B_A(s) = B_A(e), algorithm 1 (5) | `_filter` in `kernels/compme/matching.py` |
| candidate container; refinement (3, b.3) | OUT; `_refine` |

Departures, and why:

- **Exact.** The paper's answer is the candidates; rows that were merged are let through with the row that covers them.
  Ours checks the predicates of each candidate.
- **The event leads.** The paper ANDs every row with the event. Here the rows of a matrix lie under their first pair,
  the one that events have most rarely, in sections by its word: only the words in which the event has bits are looked
  at, and a pair that many rows share is ANDed once. That is what keeps 20,000 attributes cheap.
- **A part counts where it says something.** Sub-columns are two words of the event: one without bits unless the event
  is in the divided column (for predicates that lie in it as a whole: one pair instead of two), one with all bits set
  unless it is there (for the ends of wider predicates). So each pair is tested alike.
- **Ranges need not be known.** They follow the bounds that were filed; what lies beyond is in LB and UB, and these are
  divided like any column. A column is divided when 64 subscriptions cover it and no other one (t = 2), its sub-columns
  likewise, at most 8 times. When there are twice as many subscriptions, or four times as many came as there are, or
  eight times as many events were seen, all are coded anew, some at each change or event.
- **Merging is bounded.** The paper compares all pairs of rows again and again. Ours looks at the newest 64 in the same
  section, and merges only if the row lets through at most twice what the other's bits would.
- **More than numbers.** A class, a text, an IRI, existence and whatever else is no interval is an enumerated value: a
  column of one of its attribute's words. An event sets several: those of all it is below, of all its values.
- **At most seven pairs of a row are kept**, the rarest; the refinement looks at all predicates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from semantic_pubsub.matching.flat import compme_layout as to
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.compme_layout import OWN_TABLES
from semantic_pubsub.matching.flat.cuts import NoCuts
from semantic_pubsub.matching.flat.kernels.compme import (
    divide,
    enter_slot,
    file_waiting,
    finish_generation,
    forget_slot,
    match_event,
    match_events,
    move_slots,
)
from semantic_pubsub.matching.flat.room import NameRoom
from semantic_pubsub.matching.flat.slot_index import NEVER, SlotIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from semantic_pubsub.matching.flat.batches import EncodedBatch
    from semantic_pubsub.matching.flat.encoding import Numbers, Records
    from semantic_pubsub.matching.flat.index import Slots

__all__ = ["CompmeIndex", "Row"]

_EVERY: Final = 64  # slots that come: then some are coded anew, while that is going on
_AT_ONCE: Final = 512
_TURNED_OVER: Final = 4  # times as many came as there are: ranges may have moved


class Row(NamedTuple):
    """A row of a matrix: its size, its ⟨start, code⟩ pairs, and the slots that it stands for, its own first."""

    size: int
    pairs: tuple[tuple[int, int], ...]
    slots: tuple[int, ...]


class CompmeIndex(SlotIndex):
    """Slots in compressed matrices. `row` and `matrices` show the paper's parts."""

    name = "compme"
    own_tables = OWN_TABLES

    def _start(self) -> None:
        self.room = NameRoom(self.encoder)
        self.predicates.cuts = NoCuts(self.tables)
        self._given = np.zeros(64, np.int32)
        self._review_size, self._review_at, self._review_end = 64, 64, 0
        self.prepare_at = self._review_at
        self._came = 0
        self.tables.reserve(to.MARKS, to.N_MARKS)
        self.tables.reserve(to.PICKED, to.N_PICKED)
        self.tables[to.MARKS][:] = 0
        self.tables[to.MARKS][to.N_WORDS] = 1  # the one of what has no predicates: every event has it
        super()._start()
        self._make_room(1)
        self.tables[to.BITS][0] = -1

    # adding and removing

    def _file(self, slot: int, start: int, preds: Sequence[int]) -> None:
        self._go_on_at_times()
        count = len(preds)
        if count > len(self._given):
            self._given = np.zeros(2 * count, np.int32)
        self._given[:count] = preds
        self.tables.reserve(to.ITEM_WORDS, 2 * len(self.vocabulary.attr_group))
        self._work_off(enter_slot(self._addresses, slot, start, self._given, count))

    def _unfile(self, slot: int) -> None:
        self._work_off(forget_slot(self._addresses, slot))

    def _work_off(self, left: int) -> None:
        """Do what filing asks for, until nothing waits."""
        while left != 0:
            if left < 0:
                self._make_room(-left)
                left = file_waiting(self._addresses)
            else:
                left = divide(self._addresses, left - 1)

    def _make_room(self, preds: int) -> None:
        """Room for whatever filing a slot with so many predicates may make."""
        tables, marks, counts = self.tables, self.tables[to.MARKS], self.tables[at.COUNTS]
        words, nodes = int(marks[to.N_WORDS]) + 2 * preds + 4, int(marks[to.N_NODES]) + preds + 2
        views, slots = int(counts[at.N_VIEWS]), int(counts[at.N_SLOTS])
        for table, size in (
            (to.BITS, words),
            (to.WORDS, words * to.WORD_WIDTH),
            (to.ACTIVE, words + 2 * len(tables[to.BITS])),
            (to.PLACES, 2 * views),
            (to.RANGES, 2 * views),
            (to.NODES, nodes * to.NODE_WIDTH),
            (to.SHAPES, nodes * to.SHAPE_WIDTH),
            (to.COLUMN_SEEN, nodes * to.COLUMNS),
            (to.CHILDREN, int(marks[to.N_CHILDREN]) + 2 * to.COLUMNS),
            (to.SECTIONS, (int(marks[to.N_SECTIONS]) + 1) * to.SECTION_WIDTH),
            (to.CODES, int(marks[to.N_CODES]) + to.MOST_SPAN),
            (to.HEADS, (int(marks[to.N_HEADS]) + 1) * to.HEAD_WIDTH),
            (to.LINES, int(marks[to.N_LINES]) + to.MOST_BLOCK),
            (to.FOLLOWERS, slots),
            (to.WAITING, slots + 1),
        ):
            tables.reserve(table, size)

    # coding anew

    @property
    def _is_reviewing(self) -> bool:
        return int(self.tables[to.MARKS][to.REVIEWED]) < self._review_end

    def _go_on_at_times(self) -> None:
        self._came += 1
        if self._came % _EVERY == 0:
            if self._is_reviewing:
                self._review(_AT_ONCE)
            elif self._live >= 2 * self._review_size or self._came >= _TURNED_OVER * self._review_size:
                self._start_review()

    def _prepare(self) -> None:
        if self.read_only:
            self.prepare_at = NEVER
        elif self._is_reviewing:
            self._review(_AT_ONCE)
        else:
            self._start_review()

    def _start_review(self) -> None:
        """From now on ranges are those of the bounds that were filed since the last time; rates are those learned."""
        marks = self.tables[to.MARKS]
        marks[to.GENERATION] ^= 1
        marks[to.REVIEWED] = 0
        self._review_size, self._came = max(64, self._live), 0
        self._review_at = max(64, 8 * self.events)
        self.prepare_at = 0  # until all are coded anew
        self._review_end = int(self.tables[at.COUNTS][at.N_SLOTS])
        if self._review_end == 0:
            self._finish_review()

    def _finish_review(self) -> None:
        finish_generation(self._addresses)
        self.prepare_at = self._review_at

    def _review(self, slots: int) -> None:
        """Code some slots anew; when all are done, what was there before can be used again."""
        last = min(int(self.tables[to.MARKS][to.REVIEWED]) + slots, self._review_end)
        while int(self.tables[to.MARKS][to.REVIEWED]) < last:
            self._work_off(move_slots(self._addresses, last))
        if last == self._review_end:
            self._finish_review()

    def settle(self) -> None:
        """Do at once what is otherwise done little by little."""
        if self._is_reviewing:
            self._review(self._review_end)
        self._start_review()
        self._review(self._review_end)

    # matching

    def _find(self, records: Records, numbers: Numbers, extra: Records) -> int:
        return match_event(self._addresses, records, numbers, extra)

    def match_batch(self, batch: EncodedBatch) -> tuple[npt.NDArray[np.int64], Slots]:
        self._start_batch(batch)
        count = len(batch.ends) - 1
        found, ends, done = np.empty(max(1024, 4 * count), np.int32), np.zeros(count + 1, np.int64), 0
        while done < count:
            done = match_events(
                self._addresses, batch.records, batch.numbers, batch.extra, batch.ends, done, found, ends
            )
            if done < count:
                larger = np.empty(2 * len(found) + len(self), np.int32)
                larger[: ends[done]] = found[: ends[done]]
                found = larger
        return ends, found[: ends[-1]]

    def restored(self) -> None:
        self.tables.reserve(to.ACTIVE, 2 * len(self.tables[to.BITS]))
        self.tables.reserve(at.TRUTH, len(self.predicates.forms))

    # what it holds

    def matrices(self) -> dict[int, int]:
        """How many rows there are of each size of subscriptions."""
        found: dict[int, int] = {}
        for slot in self._leaders():
            size = self.row(slot).size
            found[size] = found.get(size, 0) + 1
        return found

    def row(self, slot: int) -> Row:
        """The row that stands for a slot: its own, or the one that covers it."""
        slots, lines = self.tables[at.SLOTS], self.tables[to.LINES]
        while (block := int(slots[slot * at.SLOT_WIDTH + at.SLOT_BUCKET])) < to.UNFILED:
            slot = -2 - block
        index, header = int(slots[slot * at.SLOT_WIDTH + at.SLOT_INDEX]), int(lines[block])
        room, head = 1 << (header >> to.HEAD_BITS & 7), header & ((1 << to.HEAD_BITS) - 1)
        section, place = self.tables[to.HEADS][head * to.HEAD_WIDTH :][:2].tolist()
        word, size, others, _, start, *_ = self.tables[to.SECTIONS][section * to.SECTION_WIDTH :][:7].tolist()
        code = int(self.tables[to.CODES][start + place]) & to.ALL_COLUMNS
        first = block + 1 + (room + 1) // 2 + index
        more = lines[first : first + others * room : room].tolist() if others else []
        members, following = [slot], int(self.tables[to.FOLLOWERS][slot]) - 1
        while following >= 0:
            members.append(following)
            following = int(self.tables[to.FOLLOWERS][following]) - 1
        pairs = ((word, code), *((pair >> 32, pair & to.ALL_COLUMNS) for pair in more))
        return Row(size, pairs, tuple(members))

    def _leaders(self) -> list[int]:
        count = int(self.tables[at.COUNTS][at.N_SLOTS])
        rows = self.tables[at.SLOTS][: count * at.SLOT_WIDTH].reshape(count, at.SLOT_WIDTH)
        own = (rows[:, at.SLOT_COUNT] != at.FREE) & (rows[:, at.SLOT_BUCKET] >= 0)
        return [int(slot) for slot in np.flatnonzero(own)]

    def _used(self) -> dict[int, int]:
        marks, counts = self.tables[to.MARKS], self.tables[at.COUNTS]
        words, nodes, views = int(marks[to.N_WORDS]), int(marks[to.N_NODES]), int(counts[at.N_VIEWS])
        return super()._used() | {
            to.BITS: 4 * words,
            to.WORDS: 4 * to.WORD_WIDTH * words,
            to.PLACES: 8 * views,
            to.RANGES: 16 * views,
            to.NODES: 4 * to.NODE_WIDTH * nodes,
            to.SHAPES: 8 * to.SHAPE_WIDTH * nodes,
            to.COLUMN_SEEN: to.COLUMNS * nodes,
            to.CHILDREN: 4 * int(marks[to.N_CHILDREN]),
            to.SECTIONS: 4 * to.SECTION_WIDTH * int(marks[to.N_SECTIONS]),
            to.CODES: 4 * int(marks[to.N_CODES]),
            to.HEADS: 4 * to.HEAD_WIDTH * int(marks[to.N_HEADS]),
            to.LINES: 8 * int(marks[to.N_LINES]),
            to.FOLLOWERS: 4 * int(counts[at.N_SLOTS]),
        }

    def stats(self) -> dict[str, int | float | str]:
        marks, counts = self.tables[to.MARKS], self.tables[at.COUNTS]
        return super().stats() | {
            "rows": len(self) - int(marks[to.N_MEMBERS]),
            "in the list of a row": int(marks[to.N_MEMBERS]),
            "words": int(marks[to.N_WORDS]),
            "rows looked at": int(counts[at.N_SCANNED]),
            "candidates": int(counts[at.N_CHECKED]),
        }
