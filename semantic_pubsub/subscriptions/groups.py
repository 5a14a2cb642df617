"""Groups and `UNION` expanded to plain patterns, with SPARQL's scopes kept.

A group is a join of its elements, each a list of alternatives; the expansion is their product. A filter sees
the variables of its own group only. When a group is merged into its surroundings, a name that its filter
uses but the group does not bind must not meet a variable of the same name out there: it is renamed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Arc,
    Blank,
    Call,
    ClassAsked,
    Expression,
    Filter,
    Pattern,
    Reference,
    Variable,
    Vertex,
    references,
)
from semantic_pubsub.subscriptions.limits import MAX_ALTERNATIVES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.subscriptions.syntax import Parser

__all__ = ["Part", "joined", "scoped", "separated", "united"]


@dataclass(frozen=True, slots=True)
class Part:
    """One alternative of an element: a pattern in the making, and the names its filters leave unbound."""

    arcs: tuple[Arc, ...] = ()
    classes: tuple[ClassAsked, ...] = ()
    filters: tuple[Filter, ...] = ()
    free: frozenset[str] = frozenset()

    def pattern(self) -> Pattern:
        return Pattern(self.arcs, self.classes, self.filters)

    def bound(self) -> set[str]:
        names = {asked.vertex.name for asked in self.classes if isinstance(asked.vertex, Variable)}
        for arc in self.arcs:
            names.update(end.name for end in (arc.subject, arc.object) if isinstance(end, Variable))
        return names


def united(branches: Sequence[list[Part]], parser: Parser) -> list[Part]:
    """The alternatives of all branches of a `UNION`."""
    parts = [part for branch in branches for part in branch]
    _check_count(len(parts), parser)
    return parts


def joined(elements: Sequence[list[Part]], parser: Parser) -> list[Part]:
    """Every combination of one alternative of each element."""
    if not elements:
        return [Part()]
    parts = elements[0]
    for element in elements[1:]:
        _check_count(len(parts) * len(element), parser)
        parts = [_merged(left, right, parser) for left in parts for right in element]
    return parts


def scoped(parts: Iterable[Part], filters: Sequence[Filter]) -> list[Part]:
    """A group's own filters put on each of its alternatives."""
    if not filters:
        return list(parts)
    used = {name for condition in filters for name in references(condition.expression)}
    return [replace(part, filters=(*part.filters, *filters), free=part.free | (used - part.bound())) for part in parts]


def separated(parts: Sequence[Part], labels: Iterable[str]) -> list[Part]:
    """Blank nodes of different alternatives made different, so that each label has one scope again."""
    taken = set(labels)
    seen: set[str] = set()
    result = []
    for part in parts:
        own = {v.label for v in part.pattern().vertices() if isinstance(v, Blank) and v != HOME}
        names = {label: _unused(label, taken) for label in sorted(own & seen)}
        seen |= own - names.keys()
        seen.update(names.values())
        result.append(_relabelled(part, names) if names else part)
    return result


def _merged(left: Part, right: Part, parser: Parser) -> Part:
    if left.free or right.free:
        left, right = _shielded(left, right, parser), _shielded(right, left, parser)
    return Part(
        left.arcs + right.arcs, left.classes + right.classes, left.filters + right.filters, left.free | right.free
    )


def _shielded(part: Part, other: Part, parser: Parser) -> Part:
    """`part` with each unbound name of its filters renamed that `other` would bind."""
    captured = part.free & other.bound()
    if not captured:
        return part
    taken = {token[1:] for kind, token in zip(parser.kinds, parser.texts, strict=True) if kind == "variable"}
    taken |= part.free | other.free
    names = {name: _unused(name, taken) for name in sorted(captured)}
    filters = tuple(Filter(_renamed(f.expression, names), f.offset) for f in part.filters)
    free = frozenset(names.get(name, name) for name in part.free)
    return replace(part, filters=filters, free=free)


def _renamed(expression: Expression, names: dict[str, str]) -> Expression:
    if isinstance(expression, Reference):
        return Reference(names.get(expression.name, expression.name))
    if isinstance(expression, Call):
        return Call(expression.operator, tuple(_renamed(argument, names) for argument in expression.arguments))
    return expression


def _relabelled(part: Part, names: dict[str, str]) -> Part:
    def new(vertex: Vertex) -> Vertex:
        return Blank(names.get(vertex.label, vertex.label)) if isinstance(vertex, Blank) else vertex

    arcs = tuple(Arc(new(a.subject), a.property, new(a.object), a.offset) for a in part.arcs)
    classes = tuple(ClassAsked(new(c.vertex), c.name, c.offset) for c in part.classes)
    return replace(part, arcs=arcs, classes=classes)


def _unused(name: str, taken: set[str]) -> str:
    fresh = next(f"{name}_{number}" for number in count(2) if f"{name}_{number}" not in taken)
    taken.add(fresh)
    return fresh


def _check_count(number: int, parser: Parser) -> None:
    if number > MAX_ALTERNATIVES:
        raise parser.error(
            f"groups and UNIONs expand to {number} alternatives; {MAX_ALTERNATIVES} are allowed",
            hint="split the subscription into several",
        )
