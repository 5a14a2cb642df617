"""One partial order ⊑: names interned as integers, cycles merged, closures as bitmaps.

A hierarchy is built from names and (lower, upper) pairs. Names on a cycle mean the same: they become one
*concept*, and every one of its names still works. Concepts are numbered in topological order, each above all
that is below it, so the closure of a concept is the union of its parents' closures, computed in one sweep.
`a ⊑ b` is then one bitmap lookup.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from pyroaring import BitMap
from rdflib import URIRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import networkx as nx

__all__ = ["Hierarchy"]


class Hierarchy:
    """A partial order on names; iterating gives the names (tops and built-in ones not counted) as rdflib IRIs.

    `tops` are names of the one concept above all others (none: there is no such concept). `builtin` names
    are part of the order but are not what somebody's ontology says: they are not counted and not iterated.
    Nor are the names `beside` it, which belong to another order and are here because something is below them;
    the top is not above these.
    """

    def __init__(
        self,
        names: Iterable[str],
        edges: Iterable[tuple[str, str]],
        tops: Sequence[str] = (),
        builtin: Iterable[str] = (),
        beside: Iterable[str] = (),
    ) -> None:
        builtin, beside, stated = tuple(builtin), frozenset(beside), dict.fromkeys(edges)
        self._quiet = frozenset((*tops, *builtin)) | beside
        self._tops = tuple(tops)
        # A slot is what is one concept from the start: all tops, or one name.
        self._number = dict.fromkeys(tops, 0)
        slots: list[tuple[str, ...]] = [self._tops] if tops else []
        for name in chain(builtin, beside, names, chain.from_iterable(stated)):
            if name not in self._number:
                self._number[name] = len(slots)
                slots.append((name,))
        outside = {self._number[name] for name in beside}
        parents = self._stated_parents(stated, len(slots), outside)
        groups = _merge(parents)
        concept = {slot: number for number, group in enumerate(groups) for slot in group}
        self._members = [tuple(name for slot in group for name in slots[slot]) for group in groups]
        self._concept = {name: concept[slot] for name, slot in self._number.items()}
        self._parents = self._concept_parents(groups, parents, concept, outside)
        # With the names that are stated to be equal to the top.
        self._top_names = self.same(self._tops[0]) if tops else ()
        self._above: dict[str, frozenset[str]] = {}

    def _stated_parents(self, stated: Iterable[tuple[str, str]], slots: int, outside: set[int]) -> list[list[int]]:
        """What is directly above each slot; where there is a top, it is above every other."""
        parents: list[list[int]] = [[0] if self._tops and slot and slot not in outside else [] for slot in range(slots)]
        for lower, upper in stated:
            slot, above = self._number[lower], self._number[upper]
            if slot != above and (above or not self._tops or slot in outside):
                parents[slot].append(above)
        return parents

    def _concept_parents(
        self, groups: list[tuple[int, ...]], parents: list[list[int]], concept: dict[int, int], outside: set[int]
    ) -> list[tuple[int, ...]]:
        """What is directly above each concept; the top is told only where nothing else is below it."""
        beside = {concept[slot] for slot in outside}
        top = concept[0] if self._tops else -1
        result: list[tuple[int, ...]] = []
        for number, group in enumerate(groups):
            above = dict.fromkeys(concept[parent] for slot in group for parent in parents[slot])
            above.pop(number, None)
            if len(above) > 1 and not above.keys() - {top} <= beside:
                above.pop(top, None)
            result.append(tuple(above))
        return result

    # names

    def __contains__(self, name: object) -> bool:
        return name in self._number

    def __len__(self) -> int:
        return len(self._number) - len(self._quiet)

    def __iter__(self) -> Iterator[URIRef]:
        return (URIRef(name) for name in self._number if name not in self._quiet)

    def names(self) -> Iterator[str]:
        """Every name, tops and built-in ones included."""
        return iter(self._number)

    def same(self, name: str) -> tuple[str, ...]:
        """All names of the concept that `name` names."""
        return self._members[self._concept[name]]

    # order

    @cached_property
    def _up(self) -> list[BitMap]:
        """For each concept, itself and all that is above it."""
        closures: list[BitMap] = []
        for number, parents in enumerate(self._parents):  # topological: parents come first
            closure = closures[parents[0]].copy() if parents else BitMap()
            for parent in parents[1:]:
                closure |= closures[parent]
            closure.add(number)
            closures.append(closure)
        return closures

    @cached_property
    def _down(self) -> list[BitMap]:
        """For each concept, itself and all that is below it."""
        closures = [BitMap((number,)) for number in range(len(self._parents))]
        for number in range(len(self._parents) - 1, -1, -1):
            for parent in self._parents[number]:
                closures[parent] |= closures[number]
        return closures

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self._parents]
        for number, parents in enumerate(self._parents):
            for parent in parents:
                children[parent].append(number)
        return children

    def is_below(self, lower: str, upper: str) -> bool:
        """lower ⊑ upper, both known names; one bitmap lookup."""
        return self._concept[upper] in self._up[self._concept[lower]]

    def overlap(self, first: str, second: str) -> bool:
        """Whether some known concept is below both."""
        a, b = self._concept[first], self._concept[second]
        if a in self._up[b] or b in self._up[a]:
            return True
        return bool(self._down[a].intersect(self._down[b]))

    def above(self, name: str) -> frozenset[str]:
        """All names above or equal; for an unknown name itself and the top's. Remembered: this is the fast call."""
        known = self._above.get(name)
        if known is None:
            concept = self._concept.get(name)
            if concept is None:
                return frozenset((name, *self._top_names))
            known = self._above[name] = frozenset(n for c in self._up[concept] for n in self._members[c])
        return known

    def ancestors(self, name: str) -> frozenset[str]:
        """All names properly above, tops included."""
        return self.above(name) - frozenset(self.same(name))

    def descendants(self, name: str) -> frozenset[str]:
        """All names properly below."""
        concept = self._concept[name]
        return frozenset(n for c in self._down[concept] if c != concept for n in self._members[c])

    def parents(self, name: str) -> tuple[str, ...]:
        """The names that are directly above, as stated; where nothing is, the (first name of the) top."""
        hidden = self._tops[1:]
        return tuple(n for c in self._parents[self._concept[name]] for n in self._members[c] if n not in hidden)

    def children(self, name: str) -> tuple[str, ...]:
        """The names that are directly below, as stated."""
        return tuple(n for c in self._children[self._concept[name]] for n in self._members[c])

    @cached_property
    def _depths(self) -> list[int]:
        depths: list[int] = []
        for parents in self._parents:
            depths.append(max((depths[parent] for parent in parents), default=-1) + 1)
        return depths

    def depth(self, name: str) -> int:
        """Steps on the longest way up to a root: 0 for a root, and for the top above it."""
        steps = self._depths[self._concept[name]]
        return max(0, steps - 1) if self._tops else steps

    # counts

    def subsumptions(self) -> Iterator[tuple[str, str]]:
        """The pairs that `pairs` counts."""
        top = self._concept[self._tops[0]] if self._tops else -1
        visible = [tuple(n for n in members if n not in self._quiet) for members in self._members]
        for number, closure in enumerate(self._up):
            for lower in visible[number]:
                for upper in closure:
                    if upper != top:
                        yield from ((lower, name) for name in visible[upper] if name != lower)

    @cached_property
    def pairs(self) -> int:
        """How many pairs (a, b) of different names have a ⊑ b; what is true of all, a ⊑ top, is not counted."""
        top = self._concept[self._tops[0]] if self._tops else -1
        visible = [sum(n not in self._quiet for n in members) for members in self._members]
        total = 0
        for number, closure in enumerate(self._up):
            if visible[number] and number != top:
                total += visible[number] * (sum(visible[upper] for upper in closure if upper != top) - 1)
        return total

    @cached_property
    def graph(self) -> nx.DiGraph[frozenset[str]]:
        """The order as a networkx graph: one vertex per concept (the set of its names), arcs from lower to upper."""
        import networkx as nx

        graph: nx.DiGraph[frozenset[str]] = nx.DiGraph()
        concepts = [frozenset(members) for members in self._members]
        graph.add_nodes_from(concepts)
        graph.add_edges_from(
            (concepts[number], concepts[parent]) for number, parents in enumerate(self._parents) for parent in parents
        )
        return graph


def _merge(parents: list[list[int]]) -> list[tuple[int, ...]]:
    """The slots of each concept, concepts in an order in which each comes after all that is above it."""
    children: list[list[int]] = [[] for _ in parents]
    for slot, above in enumerate(parents):
        for parent in above:
            children[parent].append(slot)
    waiting = [len(above) for above in parents]
    groups: list[tuple[int, ...]] = []
    ready = [slot for slot, count in enumerate(waiting) if not count]
    while ready:  # take away what has nothing left above it
        slot = ready.pop()
        groups.append((slot,))
        for child in children[slot]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    if len(groups) < len(parents):  # what is on a cycle or below one
        groups.extend(_components([slot for slot, count in enumerate(waiting) if count], parents))
    return groups


def _components(slots: list[int], parents: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """The strongly connected components among some slots, upper ones first."""
    import networkx as nx

    inside = set(slots)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(slots)
    graph.add_edges_from((slot, parent) for slot in slots for parent in parents[slot] if parent in inside)
    # Each component is given after all that its arcs lead to, and arcs lead upwards.
    return (tuple(sorted(component)) for component in nx.strongly_connected_components(graph))
