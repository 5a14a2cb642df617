"""A pattern made ready for matching: vertices as numbers, each on its path from home, with tests of its own.

Filters are taken apart at their top-level `&&`. A conjunct on one variable becomes a test of that vertex, exact in
itself: equality with a constant, a numeric interval, a test of a text, or (whatever else) a predicate that is
evaluated as SPARQL says. A conjunct on several variables is *joint*: it is decided on complete mappings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Call,
    Constant,
    Expression,
    LocalName,
    Pattern,
    Reference,
    Variable,
    Vertex,
    references,
)
from semantic_pubsub.subscriptions.values import NUMERIC_DATATYPES, is_short, value_of
from semantic_pubsub.terms import Literal, NamedNode, Term
from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CompiledPattern",
    "Interval",
    "Kind",
    "Test",
    "TextTest",
    "compile_pattern",
    "interval_of",
    "number_word",
]


class Kind(IntEnum):
    """What a test asks of the image of a vertex. The numbers are part of the index's tables."""

    CLASS = 0
    CONSTANT = 1
    INTERVAL = 2
    TEXT = 3
    PREDICATE = 4


class Interval(NamedTuple):
    """A numeric interval: bounds as doubles, which end is open, the expressions it came from, the bounds as written."""

    lower: float = -math.inf
    upper: float = math.inf
    lower_open: bool = False
    upper_open: bool = False
    sources: tuple[Expression, ...] = ()
    lower_word: str | None = None
    upper_word: str | None = None

    def meet(self, other: Interval) -> Interval:
        """What is in both."""
        low = self if (self.lower, self.lower_open) >= (other.lower, other.lower_open) else other
        high = self if (self.upper, not self.upper_open) <= (other.upper, not other.upper_open) else other
        sources = self.sources + other.sources
        return Interval(
            low.lower, high.upper, low.lower_open, high.upper_open, sources, low.lower_word, high.upper_word
        )


@dataclass(frozen=True, slots=True)
class TextTest:
    """CONTAINS (0), STRSTARTS (1) or STRENDS (2) with a plain text."""

    operator: int
    needle: bytes
    source: Expression


Value: TypeAlias = str | Term | Interval | TextTest | Expression


class Test(NamedTuple):
    """One test of one vertex."""

    vertex: int
    kind: Kind
    value: Value


class CompiledPattern(NamedTuple):
    """One alternative of a subscription. Vertex 0 is home; each later vertex hangs on an earlier one by its `tree` arc.

    `tree[i]` is (parent, property) of vertex i + 1: the spanning tree that gives every vertex its path from home.
    `chords` are the other arcs (subject, property, object). `joint` filters need several vertices at once.
    `satisfiable` is False if a condition without variables is not true.
    """

    vertices: tuple[Vertex, ...]
    tree: tuple[tuple[int, str], ...]
    chords: tuple[tuple[int, str, int], ...]
    tests: tuple[Test, ...]
    joint: tuple[Expression, ...]
    injective: bool
    satisfiable: bool = True

    def arcs(self) -> Iterator[tuple[int, str, int]]:
        """All arcs as (subject, property, object), tree arcs first."""
        for number, (parent, prop) in enumerate(self.tree, 1):
            yield parent, prop, number
        yield from self.chords


_TEXT_OPERATORS: Final = {"CONTAINS": 0, "STRSTARTS": 1, "STRENDS": 2}
_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
_STRING: Final = XSD + "string"
_FLOAT: Final = XSD + "float"
_DOUBLE: Final = XSD + "double"
_DECIMAL: Final = XSD + "decimal"


def compile_pattern(pattern: Pattern, *, injective: bool) -> CompiledPattern:
    """Number the vertices outward from home, and turn classes, constants and filters into tests."""
    order, number, tree, chords = _spanning_tree(pattern)
    tests = [Test(at, Kind.CONSTANT, v) for at, v in enumerate(order) if isinstance(v, NamedNode | Literal)]
    if pattern.classes:
        asked = dict.fromkeys((number[asked.vertex], _iri(asked.name)) for asked in pattern.classes)
        tests += [Test(vertex, Kind.CLASS, name) for vertex, name in asked]
    joint: list[Expression] = []
    satisfiable = True
    if pattern.filters:
        satisfiable = _take_filters(pattern, order, tests, joint)
    return CompiledPattern(tuple(order), tuple(tree), tuple(chords), tuple(tests), tuple(joint), injective, satisfiable)


def _take_filters(pattern: Pattern, order: list[Vertex], tests: list[Test], joint: list[Expression]) -> bool:
    """Filters as tests of one vertex or joint ones; False if a condition without variables is not true."""
    place = {vertex.name: at for at, vertex in enumerate(order) if isinstance(vertex, Variable)}
    intervals: dict[int, Interval] = {}
    satisfiable = True
    for condition in pattern.filters:
        for conjunct in _conjuncts(condition.expression):
            used = {place[name] for name in references(conjunct) if name in place}
            if not used:
                satisfiable = satisfiable and compile_filter(conjunct)({})
            elif len(used) > 1:
                joint.append(conjunct)
            else:
                _add_test(used.pop(), conjunct, tests, intervals)
    tests += [Test(vertex, Kind.INTERVAL, interval) for vertex, interval in intervals.items()]
    return satisfiable


def _spanning_tree(
    pattern: Pattern,
) -> tuple[list[Vertex], dict[Vertex, int], list[tuple[int, str]], list[tuple[int, str, int]]]:
    """Breadth first from home; of several arcs to a vertex the first reached is its tree arc (ties: smallest IRI)."""
    leaving: dict[Vertex, list[tuple[str, Vertex]]] = {}
    for arc in pattern.arcs:
        leaving.setdefault(arc.subject, []).append((_iri(arc.property), arc.object))
    order: list[Vertex] = [HOME]
    number: dict[Vertex, int] = {HOME: 0}
    tree: list[tuple[int, str]] = []
    chords: list[tuple[int, str, int]] = []
    for position, vertex in enumerate(order):
        arcs = leaving.get(vertex)
        if arcs is None:
            continue
        if len(arcs) > 1:
            arcs = sorted(dict.fromkeys(arcs), key=_property)
        for prop, target in arcs:
            known = number.get(target)
            if known is None:
                number[target] = len(order)
                order.append(target)
                tree.append((position, prop))
            else:
                chords.append((position, prop, known))
    return order, number, tree, chords


def _property(arc: tuple[str, Vertex]) -> str:
    return arc[0]


def _iri(name: object) -> str:
    if not isinstance(name, NamedNode):
        raise TypeError(f"{name} was not resolved against an ontology")
    return name.value


def _conjuncts(expression: Expression) -> Iterator[Expression]:
    """`a && b` is true if and only if both are: an error in one is a failure either way."""
    if isinstance(expression, Call) and expression.operator == "&&":
        for argument in expression.arguments:
            yield from _conjuncts(argument)
    else:
        yield expression


def _add_test(vertex: int, conjunct: Expression, tests: list[Test], intervals: dict[int, Interval]) -> None:
    interval = interval_of(conjunct)
    if interval is not None:
        intervals[vertex] = interval.meet(intervals[vertex]) if vertex in intervals else interval
        return
    constant = _equal_term(conjunct)
    if constant is not None:
        tests.append(Test(vertex, Kind.CONSTANT, constant))
        return
    text = _text_test(conjunct)
    if text is not None:
        tests.append(Test(vertex, Kind.TEXT, text))
    else:
        tests.append(Test(vertex, Kind.PREDICATE, conjunct))


def _sides(expression: Expression) -> tuple[str, NamedNode | Literal] | None:
    """Operator and constant of `?v op constant`, mirrored where the constant stands first."""
    if not isinstance(expression, Call) or expression.operator not in _MIRRORED:
        return None
    left, right = expression.arguments
    if isinstance(left, Reference) and isinstance(right, Constant):
        operator, term = expression.operator, right.term
    elif isinstance(left, Constant) and isinstance(right, Reference):
        operator, term = _MIRRORED[expression.operator], left.term
    else:
        return None
    return None if isinstance(term, LocalName) else (operator, term)


def interval_of(expression: Expression) -> Interval | None:
    """The interval of a comparison with a number whose double stands for it alone."""
    sides = _sides(expression)
    if sides is None:
        return None
    operator, term = sides
    if not isinstance(term, Literal) or term.datatype.value not in NUMERIC_DATATYPES or term.datatype.value == _FLOAT:
        return None
    value = value_of(term)
    if isinstance(value, float):
        if math.isnan(value):
            return None
    elif not isinstance(value, int | Decimal) or not is_short(value):
        return None
    bound, word = float(value), number_word(term)
    low, high = operator in (">", ">=", "="), operator in ("<", "<=", "=")
    return Interval(
        bound if low else -math.inf,
        bound if high else math.inf,
        operator == ">",
        operator == "<",
        (expression,),
        word if low else None,
        word if high else None,
    )


def number_word(literal: Literal) -> str:
    """A number as SPARQL would write it: its letters tell the datatype."""
    word, datatype = literal.value, literal.datatype.value
    if datatype == _DOUBLE:
        return word if "e" in word or "E" in word or "INF" in word else f"{word}e0"
    return word if datatype == _DECIMAL and "." in word else word.partition(".")[0]


def _equal_term(expression: Expression) -> Term | None:
    """`?v = constant` where equal values are equal terms: IRIs and plain texts."""
    sides = _sides(expression)
    if sides is not None and sides[0] == "=":
        term = sides[1]
        if isinstance(term, NamedNode) or (not term.language and term.datatype.value == _STRING):
            return term
    if isinstance(expression, Call) and expression.operator == "SAMETERM":
        for one, other in (expression.arguments, expression.arguments[::-1]):
            if isinstance(one, Reference) and isinstance(other, Constant) and not isinstance(other.term, LocalName):
                return other.term
    return None


def _text_test(expression: Expression) -> TextTest | None:
    if not isinstance(expression, Call) or expression.operator not in _TEXT_OPERATORS:
        return None
    whole, part = expression.arguments
    if not isinstance(whole, Reference) or not isinstance(part, Constant) or not isinstance(part.term, Literal):
        return None
    if part.term.language or part.term.datatype.value != _STRING:
        return None
    return TextTest(_TEXT_OPERATORS[expression.operator], part.term.value.encode(), expression)
