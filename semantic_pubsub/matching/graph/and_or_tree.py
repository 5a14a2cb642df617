"""The matching tree of one event and one pattern: an AND-OR tree that prints, draws and verifies itself.

Wang, Jin, Li: *Data model and matching algorithm in an ontology-based publish/subscribe system*, sections 5.4 and 5.5,
figures 6 and 7.

    paper                      here
    circle node                Circle: a partial mapping; succeeds if all its children do (AND)
    rectangle node             Rectangle: a (derived) statement pattern; succeeds if one child does (OR)
    vertex pair v ↔ x          an entry of `Circle.mapping`: vertex number -> term of the event
    state, unCheckedChildren   `checked`, `unchecked_children` (see `sbpv`)
    expression of a node       `MatchingTree.expression(node)` (see `bebv`)
    reduced matching tree      `MatchingTree.reduced(mapping)`

Departures. The paper passes each arc of the event once, so that a pattern derived on a vertex that was already passed
comes too late; here a derived pattern is matched at once with all arcs that leave its subject. Several typed-statements
that lead to the same vertex (several classes, several sub-properties) make one circle, for they are one mapping.
A tree can be exponential in the pattern: it grows to a limit, and `cut` says when it met it.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.graph.bebv import Disjunct, Expression, verify
from semantic_pubsub.matching.graph.sbpv import backtrack
from semantic_pubsub.matching.graph.solutions import acceptance
from semantic_pubsub.matching.graph.tree_nodes import Circle, Node, Rectangle

if TYPE_CHECKING:
    from rich.tree import Tree

    from semantic_pubsub.matching.graph.compiled import CompiledPattern
    from semantic_pubsub.matching.graph.solutions import EventGraph
    from semantic_pubsub.terms import Term

__all__ = ["MAX_NODES", "MatchingTree"]

MAX_NODES: Final = 10_000


class MatchingTree:
    """The matching tree of one pattern and one event. `print()` it, show it with rich, `draw()` it, or `to_json()`."""

    def __init__(self, pattern: CompiledPattern, graph: EventGraph, limit: int = MAX_NODES) -> None:
        self.pattern = pattern
        self.graph = graph
        self.limit = limit
        self.cut = False
        """Whether the tree met its limit: what it then says of a miss is not the last word."""
        self.root = Circle(0, 0, {0: graph.closed.home}, None)
        self.nodes: list[Node] = [self.root]
        """All nodes, each after its parent."""
        self._accepts = [acceptance(pattern, number, graph.closed) for number in range(len(pattern.vertices))]
        self._leaving: list[list[tuple[int, str, int]]] = [[] for _ in pattern.vertices]
        for arc in pattern.arcs():
            self._leaving[arc[0]].append(arc)
        self.home_accepted = self._accepted(0, graph.closed.home)
        self._grow()

    # growth, section 5.4

    def _grow(self) -> None:
        waiting = deque([self.root])
        while waiting:
            if len(self.nodes) >= self.limit:
                self.cut = True
                return
            circle = waiting.popleft()
            self._derive(circle)
            for rectangle in circle.children:
                self._match(rectangle)
                waiting.extend(rectangle.children)

    def _derive(self, circle: Circle) -> None:
        """Put the statement patterns below a mapping whose subject it has just found."""
        circle.waiting = False
        known = circle.parent is not None and circle.vertex in circle.parent.parent.mapping
        if not known:  # cases 1) and 2): a vertex already on the path has its patterns above
            for arc in self._leaving[circle.vertex]:
                rectangle = Rectangle(len(self.nodes), arc, circle)
                circle.children.append(rectangle)
                self.nodes.append(rectangle)
        circle.unchecked_children = len(circle.children)
        if not circle.children and (circle.parent is not None or self.home_accepted):
            backtrack(circle)

    def _match(self, rectangle: Rectangle) -> None:
        """Match a statement pattern with every arc of its subject: one circle for each vertex it can lead to."""
        mapping, vertex = rectangle.parent.mapping, rectangle.object
        targets = self.graph.targets(mapping[rectangle.subject], rectangle.property)
        # The class of home is part of every meta-statement at home.
        for target in targets if self.home_accepted else ():
            if len(self.nodes) >= self.limit:
                self.cut = True
                return
            if mapping.get(vertex, target) == target and self._accepted(vertex, target):
                circle = Circle(len(self.nodes), vertex, {**mapping, vertex: target}, rectangle)
                rectangle.children.append(circle)
                self.nodes.append(circle)
        rectangle.waiting = False

    def _accepted(self, vertex: int, target: Term) -> bool:
        return all(accept(target) for accept in self._accepts[vertex])

    # verification, section 5.5

    @property
    def checked(self) -> bool:
        """The SBPV state of the root; unchecked (and not cut): the event does not match."""
        return self.root.checked

    @cached_property
    def _expressions(self) -> dict[int, Expression]:
        return verify(self)

    def expression(self, node: Node | None = None) -> Expression:
        """The BEBV expression of a node; of the root if none is named."""
        return self._expressions[0 if node is None else node.number]

    @property
    def matched(self) -> bool | None:
        """Whether the event matches by this tree; None if a limit was met before that was known."""
        if not self.cut and not self.checked:
            return False
        return self.expression().value

    def mappings(self) -> tuple[Disjunct, ...]:
        """The complete mappings, as images of the pattern's vertices: the disjuncts of the root's expression."""
        return self.expression().disjuncts

    def reduced(self, mapping: Disjunct) -> frozenset[int]:
        """The numbers of the nodes that a complete mapping keeps: the reduced matching tree of section 5.6."""
        kept = {0}
        for node in self.nodes[1:]:
            parent = node.parent
            if parent is not None and parent.number in kept:
                agrees = not isinstance(node, Circle) or mapping[node.vertex] == node.mapping[node.vertex]
                if agrees:
                    kept.add(node.number)
        return frozenset(kept)

    # telling

    def __len__(self) -> int:
        return len(self.nodes)

    def __str__(self) -> str:
        from semantic_pubsub.matching.graph.tree_words import TreeWords

        return TreeWords(self).text()

    def __rich__(self) -> Tree:
        from semantic_pubsub.matching.graph.tree_words import TreeWords

        return TreeWords(self).rich_tree()

    def to_json(self) -> dict[str, object]:
        """Plain data for JSON."""
        from semantic_pubsub.matching.graph.tree_words import TreeWords

        return TreeWords(self).to_json()

    def draw(self) -> str:
        """The tree as SVG: circles and rectangles with their states."""
        from semantic_pubsub.matching.graph.drawing import draw

        return draw([self])
