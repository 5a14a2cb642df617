"""A GEM-Tree as it stands, as objects: for who wants to look at it or print it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from semantic_pubsub.matching.flat import gem_layout as gt
from semantic_pubsub.matching.flat import layout as at

if TYPE_CHECKING:
    from semantic_pubsub.matching.flat.constraints import Constraint
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.matching.flat.slot_index import SlotIndex

__all__ = ["ForkView", "NodeView", "node_view"]


class NodeView(NamedTuple):
    """An aNode: the slots in its bucket, how many that may be, and its forks."""

    slots: tuple[int, ...]
    capacity: int
    forks: tuple[ForkView, ...]

    @property
    def held(self) -> int:
        """How many slots are here and below."""
        return len(self.slots) + sum(node.held for fork in self.forks for node in fork.cells.values())

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def _lines(self, indent: str) -> list[str]:
        lines = [f"{indent}{len(self.slots)} of {self.capacity}"]
        for fork in self.forks:
            lines.append(f"{indent}  {'.'.join(fork.path) or '(home)'}, rank {fork.rank:.3g}")
            for cell, node in fork.cells.items():
                lines.append(f"{indent}    {cell}:")
                lines += node._lines(indent + "      ")
        return lines


class ForkView(NamedTuple):
    """A vNode: its attribute, the cuts between its boxes (none for items), its cells (row, column) or constraints, and
    its rank: what a slot below costs an event in the mean, the least being the highest."""

    path: Path
    cuts: tuple[float, ...]
    cells: dict[tuple[int, int] | Constraint, NodeView]
    rank: float


def node_view(index: SlotIndex, node: int) -> NodeView:
    """A node and all below it."""
    tables = index.tables
    first, _, capacity = tables[gt.NODES][node * gt.NODE_WIDTH + gt.NODE_FIRST :][:3].tolist()
    start, count = tables[at.BUCKETS][node * at.BUCKET_WIDTH + at.BUCKET_START :][:2].tolist()
    slots = tables[at.ROWS][start * at.ROW_WIDTH : (start + count) * at.ROW_WIDTH : at.ROW_WIDTH].tolist()
    forks = []
    while first >= 0:
        forks.append(_fork_view(index, first))
        first = int(tables[gt.FORKS][first * gt.FORK_WIDTH + gt.FORK_NEXT])
    return NodeView(tuple(slot if slot >= 0 else ~slot for slot in slots), capacity, tuple(forks))


def _fork_view(index: SlotIndex, fork: int) -> ForkView:
    tables = index.tables
    axis = int(tables[gt.FORKS][fork * gt.FORK_WIDTH + gt.FORK_AXIS])
    attr = ~axis if axis < 0 else int(tables[at.VIEWS][axis * at.VIEW_WIDTH + at.VIEW_ATTR])
    cuts = tables[gt.TRIANGLE_CUTS][fork * gt.N_CUTS : (fork + 1) * gt.N_CUTS].tolist() if axis >= 0 else []
    cells: dict[tuple[int, int] | Constraint, NodeView] = {}
    cost, held = 0.0, 0
    for node, cell in _children(index, fork):
        name = divmod(cell, gt.BOXES) if axis >= 0 else index.vocabulary.constraint(cell)
        cells[name] = node_view(index, node)
        held += cells[name].held
        cost += float(tables[gt.NODE_COST][node]) * _rate(index, fork, axis, cell)
    known = tuple(cut for cut in cuts if cut < float("inf"))
    return ForkView(index.vocabulary.attr_paths[attr], known, cells, cost / max(1, held))


def _children(index: SlotIndex, fork: int) -> list[tuple[int, int]]:
    """The nodes of a fork with their cells."""
    links, nodes = index.tables[gt.LINK_KEYS], index.tables[gt.NODES]
    if index.tables[gt.FORKS][fork * gt.FORK_WIDTH + gt.FORK_AXIS] >= 0:
        taken = int(index.tables[gt.TAKEN][fork])
        cells = [cell for cell in range(gt.BOXES**2) if taken >> cell & 1]
        places = [row * (row + 1) // 2 + column for row, column in (divmod(cell, gt.BOXES) for cell in cells)]
        found = index.tables[gt.CHILDREN][[fork * gt.TRIANGLE + place for place in places]].tolist() if places else []
    else:
        wanted = (fork << 1) | 1
        found = sorted(index.tables[gt.LINK_VALUES][: len(links)][links >> 32 == wanted].tolist())
    return [(node, int(nodes[node * gt.NODE_WIDTH + gt.NODE_CELL])) for node in found]


def _rate(index: SlotIndex, fork: int, axis: int, cell: int) -> float:
    """How often an event that comes to a fork looks into a cell."""
    if axis < 0:
        return float(index.tables[at.ITEM_SEEN][cell]) / max(1, int(index.tables[at.COUNTS][at.N_EVENTS]))
    row, column = divmod(cell, gt.BOXES)
    hits: list[int] = index.tables[gt.HITS][fork * gt.HITS_WIDTH : (fork + 1) * gt.HITS_WIDTH].tolist()
    return min(1.0, sum(hits[column : row + 1]) / max(1, hits[gt.VISITS]))
