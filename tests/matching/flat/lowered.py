"""Lowering written a second time: from a pattern in plain data to constraints on paths."""

from __future__ import annotations

import re

import pyoxigraph as ox

from tests.generators import Asked
from tests.matching.flat.oracle import Compared, Constraint, Exists, Isa, OneOf, Path, number, term

_TERM = r'"(?:[^"\\]|\\.)*"(?:@[a-z]+|\^\^<[^>]*>)?|<[^>]*>|[-+.0-9eE]+|true|false'
_COMPARISON = re.compile(rf"\?(\w+) (<=|>=|<|>|=) ({_TERM})")
_MIRRORED = re.compile(rf"({_TERM}) (<=|>=|<|>|=) \?(\w+)")
_LIST = re.compile(rf"\?(\w+) IN \(((?:{_TERM})(?:, (?:{_TERM}))*)\)")
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def constraints(pattern: Asked) -> list[tuple[Path, Constraint]]:
    """Each vertex on its shortest path (ties: smallest IRIs); each arc puts its object's constraints on path(s).p."""
    paths = shortest(pattern)
    found: list[tuple[Path, Constraint]] = [((), one) for one in asked_of("_:H", pattern)]
    for s, p, o in pattern.arcs:
        found += [((*paths[s], p), one) for one in asked_of(o, pattern) or [Exists()]]
    return found


def shortest(pattern: Asked) -> dict[str, Path]:
    """By trying ever longer walks; of those of one length the smallest."""
    paths: dict[str, Path] = {"_:H": ()}
    for _ in pattern.vertices():
        longer: dict[str, Path] = {}
        for s, p, o in pattern.arcs:
            if s in paths and o not in paths:
                longer[o] = min(longer.get(o, (*paths[s], p)), (*paths[s], p))
        paths |= longer
    return paths


def asked_of(vertex: str, pattern: Asked) -> list[Constraint]:
    """Classes, the constant, and top-level comparisons with constants; those with an order are one interval."""
    found: list[Constraint] = [Isa(name) for v, name in dict.fromkeys(pattern.classes) if v == vertex]
    if vertex[0] in '"<':
        found.append(OneOf((term(vertex),), same_term=True))
    bounds: list[tuple[str, object]] = []
    for name, sign, terms in comparisons(pattern):
        if f"?{name}" != vertex:
            continue
        if sign in ("=", "in"):
            found.append(OneOf(tuple(terms)))
        else:
            bounds.append((sign, terms[0]))
    if bounds:
        found.append(Compared(tuple(bounds)))
    return found


def comparisons(pattern: Asked) -> list[tuple[str, str, list[object]]]:
    """Variable, sign and terms of each top-level conjunct that compares one variable with constants."""
    found: list[tuple[str, str, list[object]]] = []
    for condition in pattern.filters:
        for part in condition.split(" && "):
            if match := _COMPARISON.fullmatch(part):
                found.append((match[1], match[2], [term(match[3])]))
            elif match := _MIRRORED.fullmatch(part):
                found.append((match[3], _TURNED[match[2]], [term(match[1])]))
            elif match := _LIST.fullmatch(part):
                found.append((match[1], "in", [term(text) for text in re.findall(_TERM, match[2])]))
    return found


def is_plain(pattern: Asked) -> bool:
    """Whether no variable has two bounds on one side that only rounding could compare."""
    sides: dict[tuple[str, str], set[str]] = {}
    for name, sign, terms in comparisons(pattern):
        if sign not in ("=", "in"):
            bound = terms[0]
            kind = number(bound) if isinstance(bound, ox.Literal) else None
            sides.setdefault((name, sign[0]), set()).add(str(bound) if kind is None else kind[0])
    return all(len(kinds) == 1 for kinds in sides.values())
