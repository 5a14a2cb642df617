"""From an event to integers: written as N-Triples, read by a kernel that keeps what some pattern could ask for."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from pyoxigraph import Quad, RdfFormat, serialize

from semantic_pubsub.events.home import refuse_quoted_triples
from semantic_pubsub.events.written import WrittenTriples
from semantic_pubsub.matching.graph.kernels import find_home, lex
from semantic_pubsub.matching.graph.kernels.events import AT_FLAGS
from semantic_pubsub.matching.graph.layout import IS_LITERAL, IS_NUMBER, IS_ROUGH, IS_SINGLE
from semantic_pubsub.matching.graph.name_table import PADDING
from semantic_pubsub.subscriptions.values import Float, is_short, to_double, value_of
from semantic_pubsub.terms import BlankNode, Literal, NamedNode
from semantic_pubsub.vocab import RDF_TYPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from semantic_pubsub.matching.graph.symbols import Symbols
    from semantic_pubsub.terms import Term, Triple

__all__ = ["EncodedEvent", "encode", "encode_text"]

_HARD, _UNKNOWN = 1, 2
_FEW: Final = 64
_TYPE_NAME: Final = np.frombuffer(f"<{RDF_TYPE}>".encode() + PADDING, np.uint8)
_NUMBER: Final = IS_LITERAL | IS_NUMBER


class EncodedEvent(NamedTuple):
    """An event for the kernels; `term` tells which term a vertex stands for, home is 0."""

    integers: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.float64]
    texts: npt.NDArray[np.uint8]
    origins: npt.NDArray[np.int32]
    triples: Sequence[Triple] | Sequence[Quad]
    home: Term

    def term(self, vertex: int) -> Term:
        """The term of a vertex."""
        origin = int(self.origins[vertex])
        if origin < 0:
            return self.home
        triple = self.triples[origin >> 1]
        return triple.object if origin & 1 else triple.subject  # type: ignore[return-value]


def encode(triples: Sequence[Triple] | Sequence[Quad], home: Term, symbols: Symbols) -> EncodedEvent:
    """Vertices, arcs, types, constants and values of an event in the index's numbers."""
    text = triples.text if type(triples) is WrittenTriples else serialize(triples, format=RdfFormat.N_TRIPLES) or b""
    if b"<<(" in text:
        refuse_quoted_triples(triples)  # the kernel reads plain terms only
    name = f"_:{home.value}" if isinstance(home, BlankNode) else f"<{home.value}>"
    ending = name.encode()
    place = len(text), len(ending), len(triples)
    return _encode(text + ending, place, triples, home, symbols)


def encode_text(text: bytes, symbols: Symbols) -> EncodedEvent | None:
    """The same for statements that pyoxigraph wrote as N-Quads; None where their home is not to be found in this way,
    or where they are more than plain triples of one graph."""
    if b"<<(" in text:
        return None
    lines = text.count(b"\n")
    at, length = find_home(np.frombuffer(text + PADDING, np.uint8), lines, _TYPE_NAME)
    if at < 0:
        return None
    name = text[at : at + length].decode()
    home = BlankNode(name[2:]) if name.startswith("_:") else NamedNode(name[1:-1])
    return _encode(text, (at, length, lines), WrittenTriples(text), home, symbols)


def _encode(
    text: bytes, place: tuple[int, int, int], triples: Sequence[Triple] | Sequence[Quad], home: Term, symbols: Symbols
) -> EncodedEvent:
    """What stands in lines of a text; `place` tells where home's name is, how long, and how many lines there are."""
    data = np.frombuffer(text + PADDING, np.uint8)
    symbols.make_room()
    room = _FEW
    while True:
        state = np.zeros(4, np.int64)
        unknown = np.empty((room, 3), np.int64)
        rows, constants = symbols.rows, symbols.constant_names
        integers, numbers, texts, hard, origins = lex(
            data,
            *place,
            symbols.top_row,
            symbols.text_codes,
            rows.hashes,
            rows.names,
            rows.letters.array,
            constants.hashes,
            constants.names,
            constants.letters.array,
            state,
            unknown,
        )
        _, hard_count, unknown_count, _ = state.tolist()
        encoded = EncodedEvent(integers, numbers, texts, origins, triples, home)
        if not unknown_count:
            break
        found = {(kind, text[at : at + length]) for kind, at, length in unknown[:unknown_count].tolist()}
        for kind, iri in found:
            symbols.learn(kind, iri)
        if unknown_count == room:  # perhaps there were more: then all at once, however many somebody sends
            room = 4 * place[2]
    for vertex in hard[:hard_count].tolist():
        flags, number = _number(encoded.term(vertex))
        integers[int(integers[AT_FLAGS]) + vertex] = flags
        numbers[vertex] = number
    return encoded


def _number(literal: Term) -> tuple[int, float]:
    """Flags and double of a number; one that is no number, or NaN, is just a literal."""
    value = value_of(literal) if isinstance(literal, Literal) else None
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return _NUMBER | (0 if is_short(value) else IS_ROUGH), to_double(value)
    if isinstance(value, float) and not math.isnan(value):
        return _NUMBER | (IS_ROUGH | IS_SINGLE if type(value) is Float else 0), float(value)
    return IS_LITERAL, 0.0
