"""A matching tree in words: as text, as a rich tree, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.decompile import conditions
from semantic_pubsub.matching.graph.tree_nodes import Circle, Node, Rectangle
from semantic_pubsub.matching.requirements import Judge
from semantic_pubsub.matching.words import Words
from semantic_pubsub.subscriptions.algebra import Arc, ClassAsked
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.tree import Tree

    from semantic_pubsub.matching.graph.and_or_tree import MatchingTree
    from semantic_pubsub.matching.graph.bebv import Disjunct
    from semantic_pubsub.subscriptions.algebra import Expression as Condition
    from semantic_pubsub.terms import Term

__all__ = ["TreeWords"]

_SHOWN: Final = 3
_DEEPEST: Final = 300  # layers that JSON parsers and writers can be expected to take


class TreeWords:
    """Writes the nodes of one tree with the names of its ontology."""

    def __init__(self, tree: MatchingTree) -> None:
        self.tree = tree
        self.words = Words(tree.graph.closed.ontology)
        vertices = tree.pattern.vertices
        self._classes: list[list[str]] = [[] for _ in vertices]
        self._conditions: list[list[Condition]] = [[] for _ in vertices]
        for test in tree.pattern.tests:
            if test.kind is Kind.CLASS and isinstance(test.value, str):
                self._classes[test.vertex].append(test.value)
            self._conditions[test.vertex].extend(conditions(test, vertices[test.vertex]))

    # nodes

    def pair(self, circle: Circle) -> str:
        """The vertex pair that a circle adds: `?1=_:a`."""
        return f"{self._vertex(circle.vertex)}={self.words.term(circle.mapping[circle.vertex])}"

    def statement(self, rectangle: Rectangle) -> str:
        """The statement pattern with values for what is known: `(_:a, ?2, (A, p3, B))`."""
        known, value = rectangle.parent.mapping, rectangle.object
        subject = self.words.term(known[rectangle.subject])
        shown = self.words.term(known[value]) if value in known else self._vertex(value)
        meta = ", ".join((self._asked(rectangle.subject), self.words.iri(rectangle.property), self._asked(value)))
        filters = "".join(f", {self.words.expression(condition)}" for condition in self._conditions[value])
        return f"({subject}, {shown}, ({meta}){filters})"

    def state(self, node: Node) -> str:
        """`checked`, or what is still open."""
        if node.checked:
            return "checked"
        if isinstance(node, Rectangle):
            return "unchecked"
        return f"unchecked, {node.unchecked_children} of {len(node.children)} open"

    def misses(self, rectangle: Rectangle) -> Iterator[str]:
        """Why a statement pattern matched nothing, for each vertex that was tried."""
        if rectangle.children or rectangle.waiting:
            return
        tree, known, value = self.tree, rectangle.parent.mapping, rectangle.object
        vertices = tree.pattern.vertices
        if not tree.home_accepted:
            yield from self._refused(0, known[0])
            return
        mapping = {vertices[number]: image for number, image in known.items()}
        arc = Arc(vertices[rectangle.subject], NamedNode(rectangle.property), vertices[value])
        targets = tree.graph.targets(known[rectangle.subject], rectangle.property)
        if not targets or (value in known and known[value] not in targets):
            yield Judge(tree.graph.closed, mapping, self.words).arc(arc).because
            return
        for target in targets:
            if known.get(value, target) == target:
                yield from self._refused(value, target)

    def _refused(self, vertex: int, image: Term) -> Iterator[str]:
        """What a vertex of the event lacks to be the image of a pattern vertex."""
        name = self.tree.pattern.vertices[vertex]
        judge = Judge(self.tree.graph.closed, {name: image}, self.words)
        found = [*judge.constant(name)]
        found += [judge.asked(ClassAsked(name, NamedNode(asked))) for asked in self._classes[vertex]]
        found += [judge.condition(condition) for condition in self._conditions[vertex]]
        yield from (finding.because for finding in found if not finding.satisfied)

    def line(self, node: Node) -> str:
        """A node in one line."""
        if isinstance(node, Circle):
            return f"○ {self.pair(node)}  {self.state(node)}"
        misses = list(dict.fromkeys(self.misses(node)))
        shown = "; ".join(misses[:_SHOWN]) + ("; …" if len(misses) > _SHOWN else "")
        return f"□ {self.statement(node)}  {self.state(node)}{': ' if shown else ''}{shown}"

    # the whole

    def summary(self) -> list[str]:
        """Size, state and expression of the tree."""
        tree = self.tree
        size = f"{len(tree):,} node{'' if len(tree) == 1 else 's'}"
        lines = [f"matching tree: {size}, SBPV {'checked' if tree.checked else 'unchecked'}"]
        if tree.cut:
            lines.append(f"cut at the limit of {tree.limit:,} nodes: there may be more")
        lines.append(f"BEBV: {self.expression()}")
        return lines

    def expression(self) -> str:
        """The root's expression: `(_:H=_:H ∧ ?1=_:a) ∨ …`, or false."""
        found = self.tree.expression()
        shown = [f"({' ∧ '.join(self.pairs(images))})" for images in found.disjuncts[:_SHOWN]]
        left = len(found.disjuncts) - len(shown)
        if left or (found.cut and shown):
            shown.append(f"… ({left:,}{' or more' if found.cut else ''} further)")
        return " ∨ ".join(shown) or ("unknown, a limit was met" if found.cut else "false")

    def pairs(self, images: Disjunct) -> list[str]:
        """The vertex pairs of a mapping."""
        return [f"{vertex}={image}" for vertex, image in self._mapping(enumerate(images)).items()]

    def _mapping(self, pairs: Iterable[tuple[int, Term | None]]) -> dict[str, str]:
        return {self._vertex(number): self.words.term(image) for number, image in pairs if image is not None}

    def text(self) -> str:
        """The tree with lines for its branches."""
        lines = self.summary()
        todo: list[tuple[Node, str, str]] = [(self.tree.root, "", "")]
        while todo:
            node, lead, below = todo.pop()
            lines.append(lead + self.line(node))
            last = len(node.children) - 1
            for place in range(last, -1, -1):
                ends = place == last
                todo.append(
                    (node.children[place], below + ("└─ " if ends else "├─ "), below + ("   " if ends else "│  "))
                )
        return "\n".join(lines)

    def rich_tree(self) -> Tree:
        """The tree for a terminal, in the colours of the states."""
        from rich.text import Text
        from rich.tree import Tree

        def label(node: Node) -> Text:
            return Text(self.line(node), style="green" if node.checked else "red")

        whole = Tree(Text("\n".join(self.summary()), style="bold"))
        branches = {0: whole.add(label(self.tree.root))}
        for node in self.tree.nodes[1:]:
            if node.parent is not None:
                branches[node.number] = branches[node.parent.number].add(label(node))
        return whole

    def to_json(self) -> dict[str, object]:
        """Plain data: the root with all that is below it, and the expression as a list of mappings."""
        tree, made = self.tree, dict[int, dict[str, object]]()
        depth = [0]
        for node in tree.nodes[1:]:
            depth.append(1 if node.parent is None else depth[node.parent.number] + 1)
        for node in reversed(tree.nodes):
            below = [made.pop(child.number) for child in node.children]
            if depth[node.number] == _DEEPEST and below:
                below = [{"left out": "what is below is too deep for JSON"}]
            made[node.number] = self._circle(node, below) if isinstance(node, Circle) else self._rectangle(node, below)
        found = tree.expression()
        return {
            "matched": tree.matched,
            "nodes": len(tree),
            "cut": tree.cut,
            "expression": [self._mapping(enumerate(images)) for images in found.disjuncts],
            "expression cut": found.cut,
            "root": made[0],
        }

    def _circle(self, circle: Circle, below: list[dict[str, object]]) -> dict[str, object]:
        mapping = self._mapping(circle.mapping.items())
        state = "checked" if circle.checked else "unchecked"
        return {"mapping": mapping, "state": state, "unchecked": circle.unchecked_children, "patterns": below}

    def _rectangle(self, rectangle: Rectangle, below: list[dict[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {
            "pattern": self.statement(rectangle),
            "state": "checked" if rectangle.checked else "unchecked",
        }
        misses = list(dict.fromkeys(self.misses(rectangle)))
        if misses:
            found["misses"] = misses
        return {**found, "mappings": below}

    def _vertex(self, number: int) -> str:
        return self.words.vertex(self.tree.pattern.vertices[number])

    def _asked(self, vertex: int) -> str:
        return " & ".join(self.words.iri(name) for name in self._classes[vertex]) or "any"
