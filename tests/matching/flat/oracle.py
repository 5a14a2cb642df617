"""Flat matching written a second time, straight from its definition, as an independent judge.

Hierarchies are plain closures over pairs of names, flattening enumerates walks, numbers compare as fractions (or as
doubles and 32-bit floats where SPARQL promotes them), and everything else is compared by pyoxigraph's SPARQL engine.
"""

from __future__ import annotations

import operator
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache

import pyoxigraph as ox

from tests.generators import OWL, RDF_TYPE, RDFS, XSD, Graph, World

THING, RESOURCE, LITERAL = OWL + "Thing", RDFS + "Resource", RDFS + "Literal"
Path = tuple[str, ...]
Value = tuple[str, object]
"""("class", IRI), ("iri", IRI) or ("literal", term)."""

_DERIVED = {
    "integer": "decimal",
    "long": "integer",
    "int": "long",
    "short": "int",
    "byte": "short",
    "nonNegativeInteger": "integer",
    "positiveInteger": "nonNegativeInteger",
    "nonPositiveInteger": "integer",
    "negativeInteger": "nonPositiveInteger",
    "dayTimeDuration": "duration",
    "yearMonthDuration": "duration",
    "dateTimeStamp": "dateTime",
    "normalizedString": "string",
    "token": "normalizedString",
}


def closure(name: str, edges: Iterable[tuple[str, str]]) -> set[str]:
    """Everything that edges lead to, the name itself included."""
    found, known = {name}, list(edges)
    while more := {above for below, above in known if below in found} - found:
        found |= more
    return found


@cache
def datatypes_above(datatype: str) -> set[str]:
    return closure(datatype, [(XSD + low, XSD + high) for low, high in _DERIVED.items()]) | {LITERAL}


# values


DOUBLE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN", re.ASCII)


@cache
def number(term: ox.Literal) -> tuple[str, Fraction | float] | None:
    """The kind ("exact", "float", "double") and the value of a number."""
    kind = term.datatype.value.removeprefix(XSD)
    try:
        if kind in ("float", "double"):
            if not DOUBLE.fullmatch(term.value):
                return None
            value = float(term.value.replace("INF", "inf"))
            return kind, value if kind == "double" else _single(value)
        if kind == "decimal" or "decimal" in {name.removeprefix(XSD) for name in datatypes_above(XSD + kind)}:
            exact = Fraction(Decimal(term.value)) if kind == "decimal" else Fraction(int(term.value))
            return ("exact", exact) if kind != "byte" or -128 <= exact <= 127 else None
    except (ValueError, ArithmeticError):
        return None
    return None


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _is_nan(term: ox.Literal) -> bool:
    found = number(term)
    return found is not None and found[1] != found[1]


def _double(value: Fraction | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


@cache
def holds(left: ox.Literal, sign: str, right: ox.Literal) -> bool:
    """Whether SPARQL's comparison of two literals is true."""
    one, other = number(left), number(right)
    if one is not None and other is not None:
        return _numbers_hold(one, sign, other)
    if sign == "=" and left == right:
        return True
    if sign != "=" and any(term.language or _is_ill_typed(term) for term in (left, right)):
        return False  # the engine orders language strings and equal terms, which SPARQL does not
    truths = [_TRUTH.get(term.value) for term in (left, right) if term.datatype.value == XSD + "boolean"]
    if len(truths) == 2 and None not in truths:
        return _signed(truths[0], sign, truths[1])  # the engine does not order them, which SPARQL does
    store = ox.Store()
    return bool(store.query(f"ASK {{ VALUES (?a ?b) {{ ({left} {right}) }} FILTER(?a {sign} ?b) }}"))


def _is_ill_typed(term: ox.Literal) -> bool:
    kind = term.datatype.value
    return number(term) is None and (
        kind in (XSD + "float", XSD + "double") or XSD + "decimal" in datatypes_above(kind)
    )


def _numbers_hold(one: tuple[str, Fraction | float], sign: str, other: tuple[str, Fraction | float]) -> bool:
    kinds, (a, b) = {one[0], other[0]}, (one[1], other[1])
    if "double" in kinds:
        a, b = _double(a), _double(b)
    elif "float" in kinds:
        a, b = _single(_double(a)), _single(_double(b))
    return _signed(a, sign, b)


_TRUTH = {"false": False, "0": False, "true": True, "1": True}
_SIGNS: dict[str, Callable[[object, object], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _signed(one: object, sign: str, other: object) -> bool:
    return bool(_SIGNS[sign](one, other))


# constraints


@dataclass(frozen=True)
class Isa:
    name: str


@dataclass(frozen=True)
class OneOf:
    """Terms of which one is asked for; with `same_term` NaN is itself."""

    terms: tuple[object, ...]
    same_term: bool = False


@dataclass(frozen=True)
class Compared:
    """Comparisons that one value must all fulfil: an interval."""

    parts: tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Exists:
    pass


Constraint = Isa | OneOf | Compared | Exists


@dataclass(frozen=True)
class Names:
    """The hierarchies that values are judged under."""

    classes: tuple[tuple[str, str], ...]
    properties: tuple[tuple[str, str], ...]

    def satisfied(self, value: Value, asked: Constraint) -> bool:
        kind, inner = value
        match asked:
            case Exists():
                return True
            case Isa(name):
                if kind == "class":
                    return name in (THING, RESOURCE) or name in closure(str(inner), self.classes)
                return isinstance(inner, ox.Literal) and name in datatypes_above(inner.datatype.value)
            case OneOf(terms, same_term):
                return any(_is(value, term, same_term) for term in terms)
            case Compared(parts):
                if not isinstance(inner, ox.Literal) or _is_nan(inner):  # even without ends
                    return False
                return all(isinstance(bound, ox.Literal) and holds(inner, sign, bound) for sign, bound in parts)

    def below(self, lower: Path, upper: Path) -> bool:
        return len(lower) == len(upper) and all(
            b in closure(a, self.properties) for a, b in zip(lower, upper, strict=True)
        )

    def matches(self, pairs: Iterable[tuple[Path, Value]], asked: Iterable[tuple[Path, Constraint]]) -> bool:
        known = list(pairs)
        return all(any(self.below(b, a) and self.satisfied(v, c) for b, v in known) for a, c in asked)


def _is(value: Value, term: object, same_term: bool) -> bool:
    kind, inner = value
    if isinstance(term, ox.NamedNode):
        return kind == "iri" and inner == term.value
    if not isinstance(inner, ox.Literal) or not isinstance(term, ox.Literal):
        return False
    return (same_term and inner == term) or holds(inner, "=", term)


# events


def names_of(world: World) -> Names:
    return Names(tuple(world.subclasses), tuple(world.subproperties))


@cache
def term(text: str) -> ox.NamedNode | ox.Literal:
    """A term as Turtle writes it."""
    (quad,) = ox.parse(f"<urn:s> <urn:p> {text} .", format=ox.RdfFormat.TURTLE)
    return quad.object


def types_of(event: Graph, world: World) -> dict[str, set[str]]:
    """The classes of each resource, not closed."""
    stated: dict[str, set[str]] = {v: set() for v in event.vertices() if not v.startswith('"')}
    for vertex, name in event.types:
        stated[vertex].add(name)
    for s, p, o in event.arcs:
        if o.startswith("<") and RDF_TYPE in world.above(p):
            stated[s].add(o[1:-1])
    for vertex, own in stated.items():
        if not own:
            reached = {q for _, p, o in event.arcs if o == vertex for q in world.above(p)}
            leaving = {q for s, p, _ in event.arcs if s == vertex for q in world.above(p)}
            own |= {c for q, c in world.ranges if q in reached} | {c for q, c in world.domains if q in leaving}
        if not own:
            own.add(THING)
    return stated


def values_of(vertex: str, types: dict[str, set[str]]) -> Iterator[Value]:
    if vertex.startswith('"'):
        yield "literal", term(vertex)
        return
    for name in types[vertex]:
        yield "class", name
    if vertex.startswith("<"):
        yield "iri", vertex[1:-1]


def walks(event: Graph, most: int, *, simple: bool) -> Iterator[tuple[Path, str]]:
    """Every walk from home of at most so many steps and where it ends; `simple`: it comes to no vertex twice."""
    waiting: list[tuple[Path, tuple[str, ...]]] = [((), ("_:H",))]
    for path, passed in waiting:
        yield path, passed[-1]
        if len(path) < most:
            waiting += [
                ((*path, p), (*passed, o))
                for s, p, o in set(event.arcs)
                if s == passed[-1] and not (simple and o in passed)
            ]


def pairs(event: Graph, world: World, wanted: Iterable[Path] | None = None) -> set[tuple[Path, Value]]:
    """The pairs of an event: of simple walks, or of all walks below one of the wanted paths."""
    types, names = types_of(event, world), names_of(world)
    targets = None if wanted is None else set(wanted)
    longest = len(event.vertices()) if targets is None else max(map(len, targets), default=-1)
    return {
        (path, value)
        for path, vertex in set(walks(event, longest, simple=targets is None))
        if targets is None or any(names.below(path, target) for target in targets)
        for value in values_of(vertex, types)
    }
