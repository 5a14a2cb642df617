"""Boolean-expression-based verification (BEBV): which complete mappings a matching tree stands for.

Wang, Jin, Li: *Data model and matching algorithm in an ontology-based publish/subscribe system*, section 5.5, rules 1
to 5; theorem 1: the root's expression is not false if and only if the event matches.

Expressions are kept in disjunctive normal form: a disjunct is a conjunction of vertex pairs v↔x, written as the images
by vertex number with None where a vertex has none yet. Rule 5 (distinct vertices, distinct images) holds for resources,
and only where the subscription is injective. Filters over several variables are conjuncts of complete mappings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from semantic_pubsub.matching.graph.tree_nodes import Circle, Rectangle
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import Variable
from semantic_pubsub.terms import Literal, Term

if TYPE_CHECKING:
    from semantic_pubsub.matching.graph.and_or_tree import MatchingTree

__all__ = ["MAX_DISJUNCTS", "Disjunct", "Expression", "verify"]

Disjunct: TypeAlias = tuple[Term | None, ...]

MAX_DISJUNCTS: Final = 1_000
_MAX_STEPS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Expression:
    """A Boolean expression as its disjuncts; without any it is false.

    `cut` says that there may be more: their number can grow exponentially, so beyond a limit they are left out.
    """

    disjuncts: tuple[Disjunct, ...] = ()
    cut: bool = False

    @property
    def value(self) -> bool | None:
        """True if it is not false, False if it is, None if what was left out would have to decide."""
        return True if self.disjuncts else None if self.cut else False


_FALSE: Final = Expression()
_OPEN: Final = Expression(cut=True)


def verify(tree: MatchingTree, limit: int = MAX_DISJUNCTS) -> dict[int, Expression]:
    """The expression of every node, by its number; that of node 0, the root, is the verdict."""
    calculation = _Calculation(tree, limit)
    found: dict[int, Expression] = {}
    for node in reversed(tree.nodes):  # children come after their parents
        children = [found[child.number] for child in node.children]
        if isinstance(node, Circle):
            found[node.number] = calculation.circle(node, children)
        else:
            found[node.number] = calculation.rectangle(node, children)
    found[0] = calculation.conditioned(found[0])
    return found


class _Calculation:
    def __init__(self, tree: MatchingTree, limit: int) -> None:
        self.tree = tree
        self.limit = limit
        self.injective = tree.pattern.injective
        self.size = len(tree.pattern.vertices)
        self.steps = 0

    def circle(self, circle: Circle, children: list[Expression]) -> Expression:
        """Rule 1 for a leaf, rule 3 for any other; nothing is known of one that the tree did not come to grow."""
        if circle.waiting:
            return _OPEN
        if children:
            return self._conjunction(children)
        if circle.parent is None and not self.tree.home_accepted:
            return _FALSE
        images = tuple(circle.mapping.get(vertex) for vertex in range(self.size))
        return Expression((images,)) if self._distinct(images) else _FALSE

    def rectangle(self, rectangle: Rectangle, children: list[Expression]) -> Expression:
        """Rule 3: a disjunction; rule 2: without children it is false."""
        found: dict[Disjunct, None] = {}
        cut = rectangle.waiting
        for child in children:
            found.update(dict.fromkeys(child.disjuncts))
            cut = cut or child.cut
        return self._limited(found, cut)

    def _conjunction(self, children: list[Expression]) -> Expression:
        """Rule 3 for a circle, multiplied out."""
        if any(child.value is False for child in children):
            return _FALSE
        cut = any(child.cut for child in children)
        first, *others = sorted(children, key=lambda child: len(child.disjuncts))
        found = dict.fromkeys(first.disjuncts)
        for other in others:
            product: dict[Disjunct, None] = {}
            for left in found:
                for right in other.disjuncts:
                    self.steps += 1
                    joined = self._joined(left, right)
                    if joined is not None:
                        product[joined] = None
                if len(product) > self.limit or self.steps > _MAX_STEPS:
                    cut = True
                    break
            found = product
        return self._limited(found, cut)

    def conditioned(self, expression: Expression) -> Expression:
        """The root's expression with the conditions on complete mappings as further conjuncts."""
        pattern = self.tree.pattern
        if not pattern.satisfiable:
            return _FALSE
        if not pattern.joint:
            return expression
        filters = [compile_filter(condition) for condition in pattern.joint]
        names = [(v.name, number) for number, v in enumerate(pattern.vertices) if isinstance(v, Variable)]
        kept = []
        for images in expression.disjuncts:
            values = {name: image for name, number in names if (image := images[number]) is not None}
            if all(condition(values) for condition in filters):
                kept.append(images)
        return Expression(tuple(kept), expression.cut)

    def _joined(self, left: Disjunct, right: Disjunct) -> Disjunct | None:
        """Rules 4 and 5: None if the conjunction is false."""
        images: list[Term | None] = []
        for one, other in zip(left, right, strict=True):
            if one is not None and other is not None and one != other:
                return None
            images.append(other if one is None else one)
        joined = tuple(images)
        return joined if self._distinct(joined) else None

    def _distinct(self, images: Disjunct) -> bool:
        if not self.injective:
            return True
        resources = [image for image in images if image is not None and not isinstance(image, Literal)]
        return len(set(resources)) == len(resources)

    def _limited(self, found: dict[Disjunct, None], cut: bool) -> Expression:
        if len(found) > self.limit:
            return Expression(tuple(found)[: self.limit], cut=True)
        return Expression(tuple(found), cut)
