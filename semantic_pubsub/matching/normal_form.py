"""One way to write a pattern, so that every matcher explains it in the same words and the same order.

Vertices go outward from home, arcs by property; conditions are taken apart at their top-level `&&`, with the variable
of a comparison on the left, and those that hold whatever the event says are left out. The meaning stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.definition import iri_of
from semantic_pubsub.subscriptions import compile_filter, expression_text
from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Call,
    Constant,
    Expression,
    Filter,
    Pattern,
    Reference,
    Variable,
    Vertex,
    references,
)
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["normal_form"]

_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!=", "SAMETERM": "SAMETERM"}
_STRING: Final = XSD + "string"


def normal_form(pattern: Pattern) -> Pattern:
    """The same requirements in a fixed order."""
    place = _places(pattern)
    arcs = sorted(dict.fromkeys(pattern.arcs), key=lambda a: (place[a.subject], iri_of(a.property), place[a.object]))
    classes = sorted(dict.fromkeys(pattern.classes), key=lambda asked: (place[asked.vertex], iri_of(asked.name)))
    conditions = dict.fromkeys(part for f in pattern.filters for part in _conjuncts(f.expression))
    last = {c: max((place.get(Variable(name), 0) for name in references(c)), default=0) for c in conditions}
    # Home is no variable: 0 stands for a condition on none, and one that is always true asks for nothing.
    conditions = {c: None for c in conditions if last[c] or not compile_filter(c)({})}
    ordered = sorted(conditions, key=lambda c: (last[c], expression_text(c)))
    return Pattern(tuple(arcs), tuple(classes), tuple(Filter(condition) for condition in ordered))


def _places(pattern: Pattern) -> dict[Vertex, int]:
    """The vertices breadth first from home, arcs of one vertex by property."""
    leaving: dict[Vertex, list[tuple[str, Vertex]]] = {}
    for arc in pattern.arcs:
        leaving.setdefault(arc.subject, []).append((iri_of(arc.property), arc.object))
    order: list[Vertex] = [HOME]
    place: dict[Vertex, int] = {HOME: 0}
    for vertex in order:
        for _, target in sorted(leaving.get(vertex, ()), key=lambda arc: arc[0]):
            if target not in place:
                place[target] = len(order)
                order.append(target)
    for vertex in pattern.vertices():
        place.setdefault(vertex, len(place))
    return place


def _conjuncts(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Call) and expression.operator == "&&":
        for argument in expression.arguments:
            yield from _conjuncts(argument)
    else:
        yield _variable_first(expression)


def _variable_first(expression: Expression) -> Expression:
    """`400 > ?v` as `?v < 400`, and sameTerm as `=` where equal values are equal terms."""
    if not isinstance(expression, Call) or expression.operator not in _MIRRORED:
        return expression
    operator, (left, right) = expression.operator, expression.arguments
    if isinstance(left, Constant) and isinstance(right, Reference):
        operator, left, right = _MIRRORED[operator], right, left
    if operator == "SAMETERM" and isinstance(left, Reference) and isinstance(right, Constant) and _is_identity(right):
        operator = "="
    return Call(operator, (left, right))


def _is_identity(constant: Constant) -> bool:
    """IRIs and plain texts are equal only to themselves."""
    term = constant.term
    return isinstance(term, NamedNode) or (isinstance(term, Literal) and term.datatype.value == _STRING)
