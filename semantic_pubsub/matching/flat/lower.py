"""From a graph pattern to constraints ⟨path, constraint⟩ (CTPS, section 3.3), never stronger than the pattern.

Each vertex takes its shortest path from home (ties: the smallest property IRIs); each pattern arc s –p→ o puts the
constraints of o on path(s).p. What flattening cannot say lowers to existence, and the conjunction is not `exact`: a
match must then be verified on the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat.bounds_order import tighter_number
from semantic_pubsub.matching.flat.constraints import Between, Constraint, Exists, IsA, OneOf
from semantic_pubsub.matching.flat.pairs import Conjunction, FlatSubscription
from semantic_pubsub.matching.flat.plain import Iri
from semantic_pubsub.subscriptions import resolve
from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Arc,
    Call,
    Constant,
    Expression,
    LocalName,
    Pattern,
    Reference,
    Variable,
    Vertex,
)
from semantic_pubsub.subscriptions.bounds import conjuncts
from semantic_pubsub.subscriptions.values import NUMERIC_TYPES, Value, compare, value_of
from semantic_pubsub.terms import Literal, NamedNode

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.subscriptions import Subscription

__all__ = ["comparison", "join_constraint", "lower", "lower_pattern", "shortest_paths"]

_MIRRORED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def lower(subscription: Subscription, ontology: Ontology) -> FlatSubscription:
    """The constraints that every event must satisfy which matches the subscription; `UNION` gives alternatives."""
    resolved = resolve(subscription, ontology)
    found = [lower_pattern(pattern, injective=resolved.injective) for pattern in resolved.alternatives]
    return FlatSubscription.of_alternatives(found, resolved.id)


def lower_pattern(pattern: Pattern, *, injective: bool) -> Conjunction:
    """The constraints of one alternative, with IRIs for all names."""
    paths = shortest_paths(pattern)
    asked, exact = _asked_of_vertices(pattern)
    constraints: dict[tuple[Path, Constraint], None] = {}
    for constraint in asked.get(HOME, ()):
        constraints[(), constraint] = None
    incoming: dict[Vertex, int] = {}
    for arc in dict.fromkeys(pattern.arcs):
        path = (*paths[arc.subject], _iri(arc.property))
        incoming[arc.object] = incoming.get(arc.object, 0) + 1
        for constraint in asked.get(arc.object) or (Exists(),):
            constraints[path, constraint] = None
    is_tree = HOME not in incoming and all(count == 1 for count in incoming.values())
    distinct = injective and len(paths) > 1
    if distinct and len(set(paths.values())) < len(paths):
        exact = False  # two vertices on one path: nobody can tell from the pairs that their images differ
    return Conjunction(tuple(constraints), exact and is_tree, distinct)


def shortest_paths(pattern: Pattern) -> dict[Vertex, Path]:
    """Each vertex with its shortest path from home; of several the one with the smallest IRIs."""
    leaving: dict[Vertex, list[Arc]] = {}
    for arc in pattern.arcs:
        leaving.setdefault(arc.subject, []).append(arc)
    paths: dict[Vertex, Path] = {HOME: ()}
    level: dict[Vertex, Path] = {HOME: ()}
    while level:
        following: dict[Vertex, Path] = {}
        for vertex, path in level.items():
            for arc in leaving.get(vertex, ()):
                if arc.object in paths:
                    continue
                longer = (*path, _iri(arc.property))
                if arc.object not in following or longer < following[arc.object]:
                    following[arc.object] = longer
        paths.update(following)
        level = following
    return paths


def _asked_of_vertices(pattern: Pattern) -> tuple[dict[Vertex, list[Constraint]], bool]:
    """What is asked of each vertex, and whether that is all that the pattern's classes, constants and filters say."""
    asked: dict[Vertex, list[Constraint]] = {}
    for vertex in pattern.vertices():
        if isinstance(vertex, NamedNode):
            asked.setdefault(vertex, []).append(OneOf((Iri(vertex.value),)))
        elif isinstance(vertex, Literal):
            value = value_of(vertex)
            asked.setdefault(vertex, []).append(OneOf((vertex if value != value else value,)))
    exact = not any(_is_loose(vertex) for vertex in pattern.vertices())
    for wanted in pattern.classes:
        asked.setdefault(wanted.vertex, []).append(IsA(_iri(wanted.name)))
    bound = set(pattern.variables())
    for condition in pattern.filters:
        for part in conjuncts(condition.expression):
            found = comparison(part)
            if found is None or found[0] not in bound:
                exact = False
                continue
            name, constraint = found
            join_constraint(asked.setdefault(Variable(name), []), constraint)
    return asked, exact


def _is_loose(vertex: Vertex) -> bool:
    """A literal whose constraint admits other terms too: equal values of another form or type."""
    return isinstance(vertex, Literal) and not isinstance(value_of(vertex), str)


def join_constraint(constraints: list[Constraint], new: Constraint) -> None:
    """Several comparisons of one variable are one interval, where their bounds can be compared exactly."""
    for at, old in enumerate(constraints):
        met = _meet(old, new) if isinstance(old, Between) and isinstance(new, Between) else None
        if met is not None:
            constraints[at] = met
            return
    constraints.append(new)


def _meet(one: Between, other: Between) -> Between | None:
    """Both intervals as one; None where their bounds cannot be compared exactly."""
    low = _tighter((one.lower, one.lower_open), (other.lower, other.lower_open), 1)
    high = _tighter((one.upper, one.upper_open), (other.upper, other.upper_open), -1)
    if low is None or high is None:
        return None
    return Between(low[0], high[0], low[1], high[1])  # type: ignore[arg-type]


def _tighter(one: tuple[object, bool], other: tuple[object, bool], sign: int) -> tuple[object, bool] | None:
    if one[0] is None or other[0] is None:
        return other if one[0] is None else one
    if {type(one[0]), type(other[0])} <= NUMERIC_TYPES:
        return tighter_number(one, other, sign)  # type: ignore[arg-type]
    order = compare(one[0], other[0]) if type(one[0]) is type(other[0]) else None  # type: ignore[arg-type]
    if order is None:
        return None
    if order == 0:
        return one[0], one[1] or other[1]
    return one if order == sign else other


def comparison(part: Expression) -> tuple[str, Constraint] | None:
    """The variable and the constraint of a comparison with constants; None for any other condition."""
    if not isinstance(part, Call) or (part.operator != "in" and part.operator not in _MIRRORED):
        return None
    sign, (left, *others) = part.operator, part.arguments
    if sign != "in" and isinstance(left, Constant):
        sign, left, others = _MIRRORED[sign], others[0], [left]
    if not isinstance(left, Reference) or not all(isinstance(other, Constant) for other in others):
        return None
    terms = [other.term for other in others if isinstance(other, Constant)]
    if any(isinstance(term, LocalName) for term in terms):
        return None
    if sign in ("in", "="):
        return left.name, OneOf(tuple(_accepted(term) for term in terms if not _is_not_a_number(term)))  # type: ignore[arg-type]
    value = value_of(terms[0])  # type: ignore[arg-type]
    if isinstance(value, NamedNode | Literal) or value != value:
        return left.name, OneOf(())  # what has no order is never above or below anything
    if sign in (">", ">="):
        return left.name, Between(value, None, sign == ">", False)
    return left.name, Between(None, value, False, sign == "<")


def _accepted(term: NamedNode | Literal) -> Iri | Value:
    return Iri(term.value) if isinstance(term, NamedNode) else value_of(term)


def _is_not_a_number(term: object) -> bool:
    value = value_of(term) if isinstance(term, Literal) else None
    return value != value


def _iri(name: object) -> str:
    if not isinstance(name, NamedNode):
        raise TypeError(f"{name} was not resolved against an ontology")
    return name.value
