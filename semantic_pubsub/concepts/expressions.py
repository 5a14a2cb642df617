"""Class expressions, read for the names in them: what a range, a filler or a shape asks of a vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyoxigraph import Literal

from semantic_pubsub.vocab import LITERAL, OWL, RDF_TYPE, RESOURCE, SH, THING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from semantic_pubsub.concepts.facts import Facts, Node

__all__ = ["ClassExpressions"]

_MAX_DEPTH: Final = 50
_TYPES_OF_NAMES: Final = frozenset((OWL + "NamedIndividual",))
_NODE_KINDS: Final = {
    SH + "Literal": (LITERAL,),
    SH + "IRI": (THING,),
    SH + "BlankNode": (THING,),
    SH + "BlankNodeOrIRI": (THING,),
}


class ClassExpressions:
    """Reads expressions as unions of names: an expression says "one of these", top where it says nothing."""

    def __init__(self, facts: Facts, targets: Callable[[Node], tuple[str, ...]]) -> None:
        self._facts = facts
        self._targets = targets

    def names(self, node: Node, depth: int = 0) -> tuple[str, ...]:
        """The names that an OWL class expression or data range is a union of; `()` where it names none."""
        if isinstance(node, str):
            return (THING, LITERAL) if node == RESOURCE else (node,)
        if isinstance(node, Literal) or depth > _MAX_DEPTH:
            return ()
        facts = self._facts
        for head in facts.objects(node, OWL + "unionOf"):
            return self._union(facts.members(head), depth)
        for head in facts.objects(node, OWL + "intersectionOf"):
            return _unique(name for part in facts.members(head) for name in self.names(part, depth + 1))
        for head in facts.objects(node, OWL + "oneOf"):
            return _unique(name for value in facts.members(head) for name in self.of_value(value))
        return _unique(name for base in facts.objects(node, OWL + "onDatatype") for name in self.names(base, depth + 1))

    def _union(self, parts: list[Node], depth: int) -> tuple[str, ...]:
        """One part that names nothing may be anything, and so may the union."""
        read = [self.names(part, depth + 1) for part in parts]
        return _unique(name for names in read for name in names) if all(read) else ()

    def of_value(self, value: Node) -> tuple[str, ...]:
        """The classes of one value: a literal's datatype, the types of an individual."""
        if isinstance(value, Literal):
            return (value.datatype.value,)
        types = self._facts.objects(value, RDF_TYPE)
        return _unique(t for t in types if isinstance(t, str) and t not in _TYPES_OF_NAMES) or (THING,)

    def of_shape(self, shape: Node, depth: int = 0) -> tuple[str, ...]:
        """The names that a SHACL shape asks of a value; `()` where it asks for none."""
        if depth > _MAX_DEPTH:
            return ()
        facts = self._facts
        stated: list[Node] = [*facts.objects(shape, SH + "class"), *facts.objects(shape, SH + "datatype")]
        found = [name for node in stated for name in self.names(node)]
        for node in facts.objects(shape, SH + "node"):
            found += self._targets(node) or self.of_shape(node, depth + 1)
        for head in (*facts.objects(shape, SH + "or"), *facts.objects(shape, SH + "xone")):
            read = [self._targets(part) or self.of_shape(part, depth + 1) for part in facts.members(head)]
            if all(read):
                found += [name for names in read for name in names]
        for head in facts.objects(shape, SH + "and"):
            found += [name for part in facts.members(head) for name in self.of_shape(part, depth + 1)]
        return _unique(found) or self._of_values(shape)

    def _of_values(self, shape: Node) -> tuple[str, ...]:
        facts = self._facts
        values = [value for head in facts.objects(shape, SH + "in") for value in facts.members(head)]
        values += facts.objects(shape, SH + "hasValue")
        if values:
            return _unique(name for value in values for name in self.of_value(value))
        kinds = facts.objects(shape, SH + "nodeKind")
        return _unique(name for kind in kinds if isinstance(kind, str) for name in _NODE_KINDS.get(kind, ()))


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
