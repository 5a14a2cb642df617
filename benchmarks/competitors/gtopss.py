"""G-ToPSS as the CTPS paper describes it (section 2), in straightforward Python, for the *ctps* workload.

Petrovic, Liu, Jacobsen: *G-ToPSS: fast filtering of graph-based metadata*, WWW 2005.

| paper | here |
|---|---|
| two-level hash index: vertex pair, then edge label with a subscription list | `GToPSS._index` |
| stage 1: the pairs s*, *o and ** for each edge of the event, the processing set | `GToPSS._processing_set` |
| stage 2: variables set with values, constraints checked by walking the tree | `GToPSS._holds`, `_is_below` |

A constraint ⟨attribute, class⟩ is the edge home –attribute→ ?x with (?x, <, class), ⟨attribute, interval⟩ the edge with
(?x, in, interval), so a subscription's edges are all under the pair (home, *). A pair ⟨attribute, value⟩ of an event is
the edge home –attribute→ value. Attributes have a tree, too, which G-ToPSS does not know of: a label is looked up
together with those above it.

In its favour: lists name the edge beside the subscription, so that stage 2 knows what to set variables to, and turns
down a subscription at once of which not all edges were met.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from benchmarks.workloads.concepts import Constraint, Interval, Pair

__all__ = ["GToPSS"]

_HOME: Final = "home"
_ANY: Final = "*"

Value = str | float
Edge = tuple[int, int]
"""The number of a subscription, and of one of its edges."""


class GToPSS:
    """Subscriptions in a two-level hash index on their edges."""

    def __init__(self, parents: Mapping[str, str]) -> None:
        self._parents = parents
        self._index: dict[tuple[Value, Value], defaultdict[str, list[Edge]]] = {}
        self._subscriptions: list[Sequence[Constraint]] = []

    def add_all(self, subscriptions: Iterable[Sequence[Constraint]]) -> None:
        """Add subscriptions; they are numbered from 0."""
        labels = self._index.setdefault((_HOME, _ANY), defaultdict(list))
        for constraints in subscriptions:
            number = len(self._subscriptions)
            self._subscriptions.append(constraints)
            for edge, constraint in enumerate(constraints):
                labels[constraint.property].append((number, edge))

    def match(self, event: Sequence[Pair]) -> list[int]:
        """The numbers of the subscriptions that match."""
        return [n for n, met in self._processing_set(event).items() if self._holds(self._subscriptions[n], met)]

    def _processing_set(self, event: Sequence[Pair]) -> dict[int, list[tuple[int, Value]]]:
        """Stage 1: the subscriptions that an edge of the event meets, with what their variables may be set to."""
        found: defaultdict[int, list[tuple[int, Value]]] = defaultdict(list)
        for label, value in event:
            for vertices in ((_HOME, _ANY), (_ANY, value), (_ANY, _ANY)):
                labels = self._index.get(vertices)
                for name in self._upward(label) if labels else ():
                    for number, edge in labels.get(name, ()):  # type: ignore[union-attr]
                        found[number].append((edge, value))
        return found

    def _holds(self, constraints: Sequence[Constraint], met: list[tuple[int, Value]]) -> bool:
        """Stage 2: whether each edge was met with a value that satisfies its constraint."""
        if len(met) < len(constraints):
            return False
        if len(met) == len(constraints) == len({edge for edge, _ in met}):  # one value for each: one failure decides
            return all(self._satisfies(value, constraints[edge].value) for edge, value in met)
        held = {edge for edge, value in met if self._satisfies(value, constraints[edge].value)}
        return len(held) == len(constraints)

    def _satisfies(self, value: Value, asked: str | Interval) -> bool:
        if isinstance(asked, str):
            return isinstance(value, str) and self._is_below(value, asked)
        return not isinstance(value, str) and asked.lower <= value <= asked.upper

    def _is_below(self, name: str, asked: str) -> bool:
        """Walk up the concept tree."""
        node: str | None = name
        while node is not None:
            if node == asked:
                return True
            node = self._parents.get(node)
        return False

    def _upward(self, name: str) -> Iterator[str]:
        node: str | None = name
        while node is not None:
            yield node
            node = self._parents.get(node)
