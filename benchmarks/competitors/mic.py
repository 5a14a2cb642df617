"""MIC as the CTPS paper describes it (section 2), in straightforward Python, for the *ctps* workload.

Hu: *Matching algorithm for semantic-based publish/subscribe system*, Journal of Zhejiang University 43 (1), 2009.

| paper | here |
|---|---|
| three-level hash index: edge label, vertex pair, intervals in a binary tree | `Mic._index`, `IntervalTree` |
| hyponym expansion: edges (Ts, Tp, To) of all descendants | `Mic._add` |
| matching count | `Mic.match` |

A constraint ⟨attribute, class⟩ is the edge home –attribute→ class, and it is added for each attribute and each class
below its own; ⟨attribute, interval⟩ is the edge home –attribute→ * with the interval, added for each attribute below.
Home has no class here, so Ts is home alone: the paper's 27 edges for one at height 1 are at most 9. An event has at
most one pair for each attribute tree, a subscription at most one constraint, so that what is counted are edges.

The memory of the expansion is estimated before it is made, and refused above a limit: `DoesNotFitError`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from benchmarks.workloads.concepts import Constraint, Interval, Pair

__all__ = ["DoesNotFitError", "IntervalTree", "Mic"]

_HOME: Final = "home"
_ANY: Final = "*"
_ENTRY_BYTES: Final = 9  # a reference, in a list with room for an eighth more
_LIST_BYTES: Final = 350  # a list with its vertex pair and its place in a dict
_INTERVAL_BYTES: Final = 500  # an interval, and its entries in the tree

Vertices = tuple[str, str]


class DoesNotFitError(Exception):
    """The expansion would take more memory than allowed."""

    def __init__(self, estimate: int, limit: int) -> None:
        super().__init__(f"about {estimate / 1e6:,.0f} MB, more than the {limit / 1e6:,.0f} MB allowed")
        self.estimate = estimate
        self.limit = limit


class IntervalTree:
    """The range of a variable, divided where intervals begin and end; parts are the leaves of a binary tree.

    Part 2i is the i-th end itself, part 2i + 1 what is between it and the next. An interval is kept at the few nodes
    that make it up together, so a number is in those on the way from its part to the root.
    """

    def __init__(self, intervals: Sequence[tuple[Interval, int]]) -> None:
        self._ends = sorted({end for interval, _ in intervals for end in interval})
        self._parts = 2 * len(self._ends)
        self._nodes: defaultdict[int, list[int]] = defaultdict(list)
        for interval, number in intervals:
            self._insert(interval, number)

    def _insert(self, interval: Interval, number: int) -> None:
        left = 2 * bisect_left(self._ends, interval.lower) + self._parts
        right = 2 * bisect_left(self._ends, interval.upper) + self._parts + 1
        while left < right:
            if left % 2:
                self._nodes[left].append(number)
                left += 1
            if right % 2:
                right -= 1
                self._nodes[right].append(number)
            left, right = left // 2, right // 2

    def lists_at(self, value: float) -> list[list[int]]:
        """Lists that together have the numbers of the intervals that contain a value, each once."""
        place = bisect_left(self._ends, value)
        is_end = place < len(self._ends) and self._ends[place] == value
        part = 2 * place if is_end else 2 * place - 1
        if not 0 <= part < self._parts:
            return []
        node, found = part + self._parts, []
        while node:
            if node in self._nodes:
                found.append(self._nodes[node])
            node //= 2
        return found


class Mic:
    """Subscriptions in a three-level index on their edges and all edges below."""

    def __init__(self, parents: Mapping[str, str], limit_bytes: int = 512_000_000) -> None:
        self._parents = parents
        self._below = _descendants(parents)
        self._limit = limit_bytes
        self._index: defaultdict[str, defaultdict[Vertices, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._intervals: defaultdict[str, list[tuple[Interval, int]]] = defaultdict(list)
        self._trees: dict[str, IntervalTree] = {}
        self._sizes: list[int] = []
        self._bytes = 0
        self.edges = 0

    def estimate(self, subscriptions: Iterable[Sequence[Constraint]]) -> int:
        """The bytes that the index takes with these subscriptions in addition, about."""
        entries = intervals = 0
        trees: set[tuple[str, str]] = set()
        for constraint in (c for constraints in subscriptions for c in constraints):
            properties = len(self._down(constraint.property))
            if isinstance(constraint.value, Interval):
                intervals += properties
                continue
            entries += properties * len(self._down(constraint.value))
            trees.add((self._root(constraint.property), self._root(constraint.value)))
        lists = min(entries, sum(len(self._down(label)) * len(self._down(name)) for label, name in trees))
        return self._bytes + entries * _ENTRY_BYTES + lists * _LIST_BYTES + intervals * _INTERVAL_BYTES

    def add_all(self, subscriptions: Iterable[Sequence[Constraint]]) -> None:
        """Add subscriptions, numbered from 0; a DoesNotFitError, and no change, if that takes too much memory."""
        subscriptions = list(subscriptions)
        estimate = self.estimate(subscriptions)
        if estimate > self._limit:
            raise DoesNotFitError(estimate, self._limit)
        self._bytes = estimate
        for constraints in subscriptions:
            number = len(self._sizes)
            self._sizes.append(len(constraints))
            for constraint in constraints:
                self._add(number, constraint)
        self._trees = {label: IntervalTree(intervals) for label, intervals in self._intervals.items()}

    def _add(self, number: int, constraint: Constraint) -> None:
        """Hyponym expansion of one edge."""
        for label in self._down(constraint.property):
            if isinstance(constraint.value, Interval):
                self._intervals[label].append((constraint.value, number))
                self.edges += 1
                continue
            vertices = self._index[label]
            for name in self._down(constraint.value):
                vertices[_HOME, name].append(number)
                self.edges += 1

    def match(self, event: Sequence[Pair]) -> list[int]:
        """The numbers of the subscriptions that match: those of which each edge was met."""
        counts: Counter[int] = Counter()
        for label, value in event:
            for numbers in self._met(label, value):
                counts.update(numbers)
        sizes = self._sizes
        return [number for number, count in counts.items() if count == sizes[number]]

    def _met(self, label: str, value: str | float) -> list[list[int]]:
        if isinstance(value, str):
            vertices = self._index.get(label)
            numbers = vertices.get((_HOME, value)) if vertices else None
            return [numbers] if numbers else []
        tree = self._trees.get(label)
        return tree.lists_at(value) if tree else []

    def _down(self, name: str) -> Sequence[str]:
        return self._below.get(name, (name,))

    def _root(self, name: str) -> str:
        while name in self._parents:
            name = self._parents[name]
        return name


def _descendants(parents: Mapping[str, str]) -> dict[str, list[str]]:
    """Each name of the trees with itself and all below it."""
    below: dict[str, list[str]] = {name: [name] for name in {*parents, *parents.values()}}
    for name in parents:
        node = parents.get(name)
        while node is not None:
            below[node].append(name)
            node = parents.get(node)
    return below
