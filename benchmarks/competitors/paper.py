"""The OPS paper's own algorithm, repaired, in straightforward Python: the measure of what ours adds to it.

Wang, Jin, Li: *Data model and matching algorithm in an ontology-based publish/subscribe system*, sections 5.2 to 5.5.

| paper | here |
|---|---|
| EMS array, ancestor list (5.2) | `EmsArray` |
| waiting-pattern list, patterns shared by observers (5.2, 5.4) | `Shared`, `Matching.waiting` |
| typed statements in breadth-first order (5.3) | `Matching.traverse` |
| matching tree: circle and rectangle nodes (5.4) | `Circle`, `Rectangle` |
| SBPV, unCheckedChildren (5.5) | `_backtrack`, `Circle.unchecked` |
| BEBV, rules 1 to 5 (5.5) | `_satisfiable` |

Departures. *Repair*: a derived pattern is matched at once against the arcs of its subject that were passed before; the
paper loses those matches. *In its favour*: waiting lists are hashed by subject, a tree is begun when a pattern of its
root first matches, and BEBV stops at the first solution instead of writing out the whole expression. Rule 5 holds among
resources, and only for injective subscriptions; filters over several variables are checked on complete mappings.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from benchmarks.competitors.paper_patterns import EmsArray, StatementPattern, SubscriptionGraph, Test, graphs_of
from semantic_pubsub import Event, Ontology, Subscription
from semantic_pubsub.events.closure import ClosedEvent, close
from semantic_pubsub.subscriptions import resolve
from semantic_pubsub.terms import Literal, Term

__all__ = ["PaperMatcher"]

Content = tuple[Term | None, Test | None]


class Circle:
    """A partial mapping solution: AND of its children."""

    __slots__ = ("checked", "children", "image", "known", "parent", "unchecked")

    def __init__(self, parent: Rectangle | None, image: Term, known: dict[int, Term]) -> None:
        self.parent = parent
        self.image = image
        self.known = known  # the vertex pairs on the way from the root
        self.children: list[Rectangle] = []
        self.unchecked = 0
        self.checked = False


class Rectangle:
    """A (derived) statement pattern: OR of its children."""

    __slots__ = ("checked", "children", "parent", "pattern", "tree")

    def __init__(self, tree: Tree, parent: Circle, pattern: StatementPattern) -> None:
        self.tree = tree
        self.parent = parent
        self.pattern = pattern
        self.children: list[Circle] = []
        self.checked = False


class Tree:
    """The matching tree of one subscription graph and one event."""

    __slots__ = ("graph", "nodes", "root")

    def __init__(self, graph: SubscriptionGraph, home: Term) -> None:
        self.graph = graph
        self.root = Circle(None, home, {0: home})
        self.root.children = [Rectangle(self, self.root, pattern) for pattern in graph.leaving[0]]
        self.root.unchecked = len(self.root.children)
        self.nodes = 1 + len(self.root.children)


class Shared:
    """A waiting pattern that others with the same contents are registered to, and what it has matched so far."""

    __slots__ = ("matches", "object", "observers", "test")

    def __init__(self, content: Content) -> None:
        self.object, self.test = content
        self.observers: list[Rectangle] = []
        self.matches: list[Term] = []

    def accepts(self, image: Term, event: ClosedEvent) -> bool:
        if self.object is not None and self.object != image:
            return False
        return self.test is None or self.test.holds(image, event)


Rooted = dict[int, dict[Content, tuple[Shared, list[tuple[SubscriptionGraph, int]]]]]
"""By item and contents, the patterns with subject _:H: who waits for them stays the same from event to event."""


class PaperMatcher:
    """Subscriptions in an EMS array. `prepare` types the event, as section 5.3 takes for granted; it is not timed."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.array = EmsArray()
        self.nodes_per_tree = 0.0
        """Of the last event, as figures 8(e) and 8(f) count them."""
        self._rooted: Rooted = {}
        self._bare: list[SubscriptionGraph] = []
        self._graphs = 0
        self._root_nodes = 0

    def add_all(self, subscriptions: Iterable[Subscription]) -> None:
        for subscription in subscriptions:
            for graph in graphs_of(resolve(subscription, self.ontology), self.array):
                self._insert(graph)

    def _insert(self, graph: SubscriptionGraph) -> None:
        """At first only the patterns with subject _:H wait (section 5.2)."""
        self._graphs += 1
        self._root_nodes += 1 + len(graph.leaving[0])
        if not graph.leaving[0]:
            self._bare.append(graph)
        for position, pattern in enumerate(graph.leaving[0]):
            waiting = self._rooted.setdefault(pattern.item, {})
            content = pattern.constant, pattern.test
            if content not in waiting:
                waiting[content] = Shared(content), []
            waiting[content][1].append((graph, position))

    def prepare(self, event: Event) -> ClosedEvent:
        return close(event, self.ontology)

    def match_ids(self, event: ClosedEvent) -> list[str]:
        """The ids of the subscriptions that match."""
        matching = Matching(event, self.array, self._rooted)
        matching.traverse()
        trees = matching.trees.values()
        grown = sum(tree.nodes - 1 - len(tree.graph.leaving[0]) for tree in trees)
        self.nodes_per_tree = (self._root_nodes + grown) / max(1, self._graphs)
        home = event.closed_classes[event.home]
        found = {graph.id: None for graph in self._bare if graph.home_classes <= home}
        # SBPV has turned most trees down while they grew; the rest takes BEBV.
        found |= {tree.graph.id: None for tree in trees if tree.root.checked and _verified(tree)}
        return list(found)


class Matching:
    """All matching trees of one event while they grow."""

    def __init__(self, event: ClosedEvent, array: EmsArray, rooted: Rooted) -> None:
        self.event = event
        self.array = array
        self.rooted = rooted
        self.trees: dict[SubscriptionGraph, Tree] = {}
        self.waiting: dict[tuple[int, Term], dict[Content, Shared]] = {}
        self.passed: dict[tuple[int, Term], list[Term]] = {}

    def traverse(self) -> None:
        """Section 5.3: every arc once, breadth-first from home."""
        event = self.event
        leaving: dict[Term, list[tuple[str, Term]]] = {}
        for arc in event.arcs:
            leaving.setdefault(arc.subject, []).append((arc.property, arc.object))
        queue, seen = deque([event.home]), {event.home}
        while queue:
            subject = queue.popleft()
            for prop, value in leaving.get(subject, ()):
                # An arc may be below one item by two of its properties' names; each item sees it once.
                for item in self.array.ancestors(event, subject, prop, value):
                    self._pass(item, subject, value)
                if value not in seen:
                    seen.add(value)
                    queue.append(value)

    def _pass(self, item: int, subject: Term, value: Term) -> None:
        """Section 5.4: match a typed statement with the patterns that wait in one item."""
        passed = self.passed.setdefault((item, subject), [])
        if value in passed:  # a parallel arc by another property: nothing new for this item
            return
        passed.append(value)
        if subject == self.event.home:
            self._pass_rooted(item, value)
        for shared in list(self.waiting.get((item, subject), {}).values()):
            if value not in shared.matches and shared.accepts(value, self.event):
                self._notify(shared, value)

    def _pass_rooted(self, item: int, value: Term) -> None:
        for shared, observers in self.rooted.get(item, {}).values():
            if shared.accepts(value, self.event):
                for graph, position in observers:
                    tree = self._tree(graph)
                    if tree is not None:
                        self._grow(tree.root.children[position], value)

    def _tree(self, graph: SubscriptionGraph) -> Tree | None:
        tree = self.trees.get(graph)
        if tree is None and graph.home_classes <= self.event.closed_classes[self.event.home]:
            tree = self.trees[graph] = Tree(graph, self.event.home)
        return tree

    def _notify(self, shared: Shared, value: Term) -> None:
        shared.matches.append(value)
        for observer in shared.observers[:]:  # whoever registers meanwhile is told by `_wait`
            self._grow(observer, value)

    def _grow(self, rectangle: Rectangle, image: Term) -> None:
        """A pattern has matched: a new partial mapping, and the patterns derived from it."""
        tree, vertex, known = rectangle.tree, rectangle.pattern.object, rectangle.parent.known
        circle = Circle(rectangle, image, known if vertex in known else {**known, vertex: image})
        rectangle.children.append(circle)
        tree.nodes += 1
        # step 1: derived patterns, unless the object is on the path already (step 2)
        derived = () if vertex in known else tree.graph.leaving[vertex]
        if not derived:
            _backtrack(circle)
            return
        circle.children = [Rectangle(tree, circle, pattern) for pattern in derived]
        circle.unchecked = len(derived)
        tree.nodes += len(derived)
        for child in circle.children:
            self._wait(child, image)

    def _wait(self, rectangle: Rectangle, subject: Term) -> None:
        """Put a derived pattern into its waiting list, or register it to one with the same contents."""
        pattern = rectangle.pattern
        known = rectangle.parent.known
        specific = known.get(pattern.object) if pattern.constant is None else pattern.constant
        content = specific, pattern.test
        waiting = self.waiting.setdefault((pattern.item, subject), {})
        shared = waiting.get(content)
        if shared is None:
            shared = waiting[content] = Shared(content)
            # the repair: arcs that were passed before the pattern was born
            earlier = self.passed.get((pattern.item, subject), ())
            shared.matches = [value for value in earlier if shared.accepts(value, self.event)]
        shared.observers.append(rectangle)
        for value in shared.matches[:]:
            self._grow(rectangle, value)


def _backtrack(circle: Circle) -> None:
    """SBPV (section 5.5, figure 7): a leaf is checked, and so is what that settles above it."""
    while True:
        circle.checked = True
        rectangle = circle.parent
        if rectangle is None or rectangle.checked:
            return
        rectangle.checked = True
        circle = rectangle.parent
        circle.unchecked -= 1
        if circle.unchecked:
            return


def _verified(tree: Tree) -> bool:
    """BEBV: whether the root's expression is other than false."""
    home = tree.root.image
    return _satisfiable(tree.graph, tuple(tree.root.children), {0: home}, {home})


def _satisfiable(
    graph: SubscriptionGraph, rest: tuple[Rectangle, ...], pairs: dict[int, Term], taken: set[Term]
) -> bool:
    """Whether the conjunction of the rectangles' expressions has a disjunct that agrees with `pairs`."""
    if not rest:
        solution = {name: pairs[number] for name, number in graph.names.items()}
        return all(condition(solution) for condition in graph.late)
    rectangle, others = rest[0], rest[1:]
    vertex = rectangle.pattern.object
    for circle in rectangle.children:
        if not circle.checked:
            continue
        image, known = circle.image, vertex in pairs
        if known:
            if pairs[vertex] != image:  # rule 4
                continue
            if _satisfiable(graph, (*circle.children, *others), pairs, taken):
                return True
            continue
        entity = graph.injective and not isinstance(image, Literal)
        if entity and image in taken:  # rule 5
            continue
        pairs[vertex] = image
        if entity:
            taken.add(image)
        if _satisfiable(graph, (*circle.children, *others), pairs, taken):
            return True
        del pairs[vertex]
        if entity:
            taken.discard(image)
    return False
