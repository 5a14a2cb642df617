"""Markers: constants that occur nowhere else, put into a text to see which test of its pattern takes which constant."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.graph.compiled import Interval, Kind, TextTest, interval_of
from semantic_pubsub.subscriptions.algebra import Call, Constant
from semantic_pubsub.terms import Literal, NamedNode

if TYPE_CHECKING:
    from semantic_pubsub.matching.graph.compiled import CompiledPattern, Test
    from semantic_pubsub.subscriptions.algebra import Expression

__all__ = ["gives_a_side_twice", "kind_of", "marked", "markers_in", "movable", "tokens_from"]


def tokens_from(pieces: list[str], start: int) -> set[int]:
    """The constants after the prologue."""
    at = 0
    found = set()
    for i, piece in enumerate(pieces):
        if i % 2 and at >= start:
            found.add(i)
        at += len(piece)
    return found


def kind_of(word: str) -> str:
    """What a constant is, by its letters."""
    if word[0] in "\"'":
        return "language" if word[-1] not in "\"'" else "string"
    if word[0] in "-0123456789":
        return "double" if "e" in word.lower() else "decimal" if "." in word else "integer"
    return "iri"


def _marker(word: str, token: int) -> str:
    """A constant of the same kind that occurs nowhere else."""
    match kind_of(word):
        case "string":
            return f'"zz-{token}-zz"'
        case "language":
            return f'"zz-{token}-zz"@{word.rpartition("@")[2]}'
        case "integer":
            return f"8{token:05d}7"
        case "decimal":
            return f"8{token:05d}7.25"
        case "double":
            return f"8{token:05d}7.25e0"
        case _:
            return f"<urn:zz-{token}-zz>"


def marked(pieces: list[str], tokens: set[int]) -> str:
    """The text with a marker in place of each of these constants."""
    return "".join(_marker(piece, i) if i in tokens else piece for i, piece in enumerate(pieces))


_IN_TEXT: Final = re.compile(r"zz-([0-9]+)-zz")


def _token_of(term: object) -> int | None:
    """Which constant a marker stands for."""
    if not isinstance(term, NamedNode | Literal):
        return None
    found = _IN_TEXT.search(term.value)
    if found:
        return int(found[1])
    if isinstance(term, Literal) and re.fullmatch(r"8[0-9]{5}7(\.25(e0)?)?", term.value):
        return int(term.value[1:6])
    return None


def movable(pattern: CompiledPattern, free: set[int]) -> set[int]:
    """The constants that are parameters of tests and nothing else: not properties, not inside other conditions."""
    inside: set[int] = set()
    for expression in (*pattern.joint, *(t.value for t in pattern.tests if t.kind is Kind.PREDICATE)):
        inside |= _within(expression)  # type: ignore[arg-type]
    for test in pattern.tests:
        vertex = pattern.vertices[test.vertex]
        if (
            test.kind is Kind.CONSTANT
            and not isinstance(vertex, NamedNode | Literal)
            and isinstance(test.value, NamedNode)
        ):
            inside |= {i for i, _, _ in markers_in(test, free)}  # what a property's values can be is looked at there
    found = {i for test in pattern.tests for i, _, _ in markers_in(test, free)}
    return found - inside


def _within(expression: Expression) -> set[int]:
    if isinstance(expression, Constant):
        token = _token_of(expression.term)
        return set() if token is None else {token}
    if isinstance(expression, Call):
        return {i for argument in expression.arguments for i in _within(argument)}
    return set()


def markers_in(test: Test, tokens: set[int]) -> list[tuple[int, bool, bool]]:
    """(constant, gives the lower bound, gives the upper bound) for each marker in a test."""
    value = test.value
    if isinstance(value, Interval):
        return [
            (token, _double(token, source) == value.lower, _double(token, source) == value.upper)
            for source in value.sources
            for token in _within(source)
            if token in tokens
        ]
    if isinstance(value, TextTest):
        return [(token, False, False) for token in _within(value.source) if token in tokens]
    term = NamedNode(value) if test.kind is Kind.CLASS and isinstance(value, str) else value
    found = _token_of(term) if test.kind <= Kind.CONSTANT else None
    return [] if found is None or found not in tokens else [(found, False, False)]


def gives_a_side_twice(interval: Interval) -> bool:
    """`?v > a && ?v > b`: which of the two counts depends on their values."""
    parts = [part for part in map(interval_of, interval.sources) if part is not None]
    lower = sum(part.lower != -math.inf or part.lower_open for part in parts)
    upper = sum(part.upper != math.inf or part.upper_open for part in parts)
    return lower > 1 or upper > 1


def _double(token: int, source: Expression) -> float:
    """The value of the marker of a number, as it stands in a comparison."""
    if isinstance(source, Call):
        for argument in source.arguments:
            if (
                isinstance(argument, Constant)
                and isinstance(argument.term, Literal)
                and _token_of(argument.term) == token
            ):
                return float(argument.term.value)
    return float("nan")
