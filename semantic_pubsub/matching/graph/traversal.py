"""From an event to integers: one pass over its triples, keeping only what some pattern could ask for."""

from __future__ import annotations

import math
import re
from array import array
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from semantic_pubsub.matching.graph.compiled import is_short
from semantic_pubsub.matching.graph.kernels.events import HEADER
from semantic_pubsub.matching.graph.layout import IS_LITERAL, IS_NUMBER, IS_ROUGH, IS_SINGLE, IS_TEXT, IS_TYPED
from semantic_pubsub.matching.graph.symbols import TYPE_ROW, UNUSED_ROW
from semantic_pubsub.subscriptions.values import NUMERIC_DATATYPES, Float, to_double, value_of
from semantic_pubsub.terms import BlankNode, Literal, NamedNode
from semantic_pubsub.vocab import RDF, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from semantic_pubsub.matching.graph.symbols import Symbols
    from semantic_pubsub.terms import Term, Triple

__all__ = ["EncodedEvent", "encode"]

_TEXTS: Final = frozenset((XSD + "string", RDF + "langString"))
_PLAIN_NUMBERS: Final = {
    XSD + "decimal": re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)").fullmatch,
    XSD + "integer": re.compile(r"[+-]?[0-9]+").fullmatch,
}
_SHORT_LENGTH: Final = 15
_NUMBER: Final = IS_LITERAL | IS_NUMBER
_NO_TEXT: Final = np.frombuffer(b"\0", np.uint8)  # read-only, as every text is


class EncodedEvent(NamedTuple):
    """An event for the kernels; `vertices` tells which term each number stands for, home is 0."""

    integers: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.float64]
    texts: npt.NDArray[np.uint8]
    vertices: list[Term]


def encode(triples: Iterable[Triple], home: Term, symbols: Symbols) -> EncodedEvent:
    """Vertices, arcs, types, constants and values of an event in the index's numbers."""
    arc_rows = symbols.arc_rows
    number: dict[Term, int] = {home: 0}
    vertices: list[Term] = [home]
    arcs: list[int] = []
    types: list[tuple[Term, str]] = []
    known = number.get
    for subject, prop, value in triples:
        name = prop.value
        row = arc_rows.get(name)
        if row is None:
            row = symbols.arc_row(name)
        if row < 0:
            if row == UNUSED_ROW:
                continue
            if type(value) is NamedNode:
                types.append((subject, value.value))
            if row == TYPE_ROW:
                continue
            row = -3 - row
        s = known(subject)
        if s is None:
            s = number[subject] = len(vertices)
            vertices.append(subject)
        o = known(value)
        if o is None:
            o = number[value] = len(vertices)
            vertices.append(value)
        arcs += (s, row, o)
    flags = [0] * len(vertices)
    pairs = _types(types, number, flags, symbols)
    numbers, texts, ends = _values(vertices, flags, pairs, symbols)
    constants = _constants(vertices, symbols)
    return EncodedEvent(_joined(arcs, pairs, flags, constants, ends, symbols.top_row), numbers, texts, vertices)


def _types(types: list[tuple[Term, str]], number: dict[Term, int], flags: list[int], symbols: Symbols) -> list[int]:
    """(vertex, row of its class) for each type of a vertex that arcs lead to."""
    pairs: list[int] = []
    rows = symbols.class_rows
    for vertex, name in types:
        v = number.get(vertex)
        if v is None:
            continue
        row = rows.get(name)
        if row is None:
            row = symbols.class_row(name)
        flags[v] = IS_TYPED
        pairs += (v, row)
    return pairs


def _constants(vertices: list[Term], symbols: Symbols) -> list[int]:
    """The label of each vertex that some pattern names; patterns cannot name a blank node."""
    known = symbols.constants.get
    return [-1 if type(vertex) is BlankNode else known(vertex, -1) for vertex in vertices]


def _joined(
    arcs: list[int], types: list[int], flags: list[int], constants: list[int], text_ends: list[int], top_row: int
) -> npt.NDArray[np.int32]:
    """All parts in one array, with a head that says where each begins."""
    at_types = HEADER + len(arcs)
    at_flags = at_types + len(types)
    size = len(flags)
    head = [size, len(arcs) // 3, len(types) // 2, HEADER, at_types, at_flags, at_flags + size, at_flags + 2 * size]
    return np.frombuffer(array("i", [*head, top_row, *arcs, *types, *flags, *constants, *text_ends]), np.int32)


def _values(
    vertices: list[Term], flags: list[int], types: list[int], symbols: Symbols
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8], list[int]]:
    """Numbers and texts of the literals; a literal's datatype is its class."""
    numbers = [0.0] * len(vertices)
    texts: list[bytes] = []
    ends = [0]
    end = 0
    rows = symbols.datatype_rows
    for v, vertex in enumerate(vertices):
        if type(vertex) is Literal:
            datatype = vertex.datatype.value
            row = rows.get(datatype)
            if row is None:
                row = symbols.datatype_row(datatype)
            types += (v, row)
            if datatype in _TEXTS:
                flags[v] = IS_LITERAL | IS_TEXT
                text = vertex.value.encode()
                texts.append(text)
                end += len(text)
            elif datatype in NUMERIC_DATATYPES:
                flags[v], numbers[v] = _number(vertex, datatype)
            else:
                flags[v] = IS_LITERAL
        ends.append(end)
    letters = np.frombuffer(b"".join(texts), np.uint8) if end else _NO_TEXT
    return np.frombuffer(array("d", numbers), np.float64), letters, ends


def _number(literal: Literal, datatype: str) -> tuple[int, float]:
    """Flags and double of a number; one that is no number, or NaN, is just a literal."""
    lexical = literal.value
    plain = _PLAIN_NUMBERS.get(datatype)
    if plain is not None and len(lexical) <= _SHORT_LENGTH:
        return (_NUMBER, float(lexical)) if plain(lexical) else (IS_LITERAL, 0.0)
    value = value_of(literal)
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return _NUMBER | (0 if is_short(value) else IS_ROUGH), to_double(value)
    if isinstance(value, float) and not math.isnan(value):
        return _NUMBER | (IS_ROUGH | IS_SINGLE if type(value) is Float else 0), float(value)
    return IS_LITERAL, 0.0
