"""CTPS: events matched on bit arrays over subscriptions, one for each node of a concept tree.

Zhang, Wang, Huang, Yung: *Concept Tree-Based Event Matching Algorithm in Publish/Subscribe Systems* (2022).

| paper | here |
|---|---|
| hierarchy tree index of attribute names, m1 (4.1, figure 4) | `ATTR_ROW`: a bit row per attribute and place |
| hierarchy tree index of class values, m2 | `ITEM_ROW` of items that are classes |
| string index, m3 (4.2, figure 5), its item `*` | `ITEM_ROW` of items that are texts, `GROUP_ROW` |
| GEM index, m4 (figure 6), parts A to F | cells between `CUTS`; per cell a row of A and B, one of C, D and E |
| SID of a tree | `GROUP_ROW` |
| insertSubscribe and below (algorithms 2 to 5) | `change_slot` in `kernels/bit_index.py` |
| match, treeMatch, stringMatch, gemMatch (6 to 9) | `plan` and `match_bits` in `kernels/bit_match.py` |

Where the paper's pseudo-code departs from what it means, ours follows the meaning: each constraint on a group has a
place of its own (two on one attribute do not mix their bits), an absent attribute fails its constraint, and several
pairs of one group are matched one by one and united. Algorithm 9 reads cell[x][r] in line 19; D is the row of r.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.array_index import ArrayIndex

if TYPE_CHECKING:
    from semantic_pubsub.matching.flat.labels import Label
    from semantic_pubsub.matching.flat.paths import Path

__all__ = ["CtpsIndex", "GemParts", "TreeNode"]


class TreeNode(NamedTuple):
    """A node of m1 or m2: its own slots, and the slots of its whole tree."""

    sid: frozenset[int]
    total: frozenset[int]


class GemParts(NamedTuple):
    """Figure 6 for one value: slots in cells that exclude it (A: below, B: above), that must be checked for the upper
    bound (C), the lower bound (D) or both (E), and that match for certain (F)."""

    a: frozenset[int]
    b: frozenset[int]
    c: frozenset[int]
    d: frozenset[int]
    e: frozenset[int]
    f: frozenset[int]


class CtpsIndex(ArrayIndex):
    """All slots in the bit rows. `m1` to `m4` show the paper's four parts."""

    name = "ctps"

    def _choose_rare(self) -> float:
        return 0.0

    def m1(self, path: Path, place: int = 0) -> TreeNode:
        """The node of an attribute name."""
        attr = self.vocabulary.attrs[path]
        return TreeNode(self._row(at.ATTR_ROW, attr, place), self._row(at.GROUP_ROW, self._group(path), place))

    def m2(self, path: Path, class_iri: str, place: int = 0) -> TreeNode:
        """The node of a class, in the tree of an attribute's values."""
        return self._node(path, ("class", class_iri), place)

    def m3(self, path: Path, text: str, place: int = 0) -> TreeNode:
        """The slots of a text, and those of `*`."""
        return self._node(path, ("value", "str", text), place)

    def m4(self, path: Path, value: float, place: int = 0) -> GemParts:
        """The parts of the numeric index for a value."""
        group = self.vocabulary.groups[self._group(path)]
        column = group.columns["number", False]
        first = column * at.MOST_CUTS
        cuts = self.tables[at.CUTS][first : first + int(self.tables[at.CUT_COUNT][column])]
        r = int(np.searchsorted(cuts, value, side="right"))
        parts: dict[str, set[int]] = {part: set() for part in "abcdef"}
        for slot in self._row(at.COLUMN_ROW, column, place):
            lower, upper = self._bounds(slot, column)
            x, y = (int(np.searchsorted(cuts, bound, side="right")) for bound in (lower, upper))
            parts[_part(x, y, r)].add(slot)
        return GemParts(**{name: frozenset(slots) for name, slots in parts.items()})

    def _group(self, path: Path) -> int:
        return self.vocabulary.attr_group[self.vocabulary.attrs[path]]

    def _node(self, path: Path, label: Label, place: int) -> TreeNode:
        group = self._group(path)
        item = self.vocabulary.groups[group].items.get(label, -1)
        return TreeNode(self._row(at.ITEM_ROW, item, place), self._row(at.GROUP_ROW, group, place))

    def _row(self, table: int, member: int, place: int) -> frozenset[int]:
        row = int(self.tables[table][member * self.room.places + place]) if member >= 0 else -1
        if row < 0:
            return frozenset()
        width = int(self.tables[at.COUNTS][at.N_ROW_CHUNKS])
        found: list[int] = []
        for k, chunk in enumerate(self.tables[at.BIT_ROWS][row * width : (row + 1) * width].tolist()):
            if chunk >= 0:
                words = self.tables[at.CHUNKS][chunk * at.CHUNK_WORDS : (chunk + 1) * at.CHUNK_WORDS]
                bits = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
                found.extend(self.tables[at.BIT_SLOT][bits + k * at.CHUNK_BITS].tolist())
        return frozenset(found)

    def _bounds(self, slot: int, column: int) -> tuple[float, float]:
        for pred in self.span(slot)[1]:
            lower, upper, _, item = self.predicates.parts(pred)
            if item == ~column:
                return lower, upper
        raise KeyError(slot)


def _part(x: int, y: int, r: int) -> str:
    """The part of figure 6 in which a cell (y, x) lies for a value in box r."""
    if y < r:
        return "a"
    if x > r:
        return "b"
    if x == r:
        return "e" if y == r else "d"
    return "c" if y == r else "f"
