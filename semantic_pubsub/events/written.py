"""An event that was read and written again in one go: N-Triples for the matcher, no object for any term.

Making objects of all terms takes as long as parsing. Who asks for `triples` or the `event` gets them nevertheless.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, overload

from pyoxigraph import RdfFormat, parse, serialize

from semantic_pubsub.events.home import HOME, refuse_quoted_triples
from semantic_pubsub.events.model import Event
from semantic_pubsub.events.parser import guarded, syntax_errors, too_many_triples

if TYPE_CHECKING:
    from semantic_pubsub.events.parser import Reading
    from semantic_pubsub.terms import Triple

__all__ = ["WrittenEvent", "WrittenTriples", "read_written"]

_READ: Final = {RdfFormat.TURTLE, RdfFormat.N_TRIPLES}
_HOME: Final = b"_:H "


class WrittenTriples(Sequence["Triple"]):
    """Statements in N-Triples, one a line (repeated ones too); a sequence of triples for who wants to see them."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._length = text.count(b"\n")

    @cached_property
    def _triples(self) -> list[Triple]:
        return [quad.triple for quad in parse(self.text, RdfFormat.N_TRIPLES)]

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Triple: ...
    @overload
    def __getitem__(self, index: slice) -> list[Triple]: ...
    def __getitem__(self, index: int | slice) -> Triple | list[Triple]:
        return self._triples[index]


class WrittenEvent:
    """An event whose home is `_:H`; the `event` is made when it is asked for."""

    home = HOME

    def __init__(self, text: bytes, prefixes: dict[str, str]) -> None:
        self.triples = WrittenTriples(text)
        self.prefixes = prefixes
        self.id: str | None = None

    @cached_property
    def event(self) -> Event:
        """The same as an `Event`."""
        return Event(tuple(dict.fromkeys(self.triples)), HOME, id=self.id, prefixes=self.prefixes)

    def to_turtle(self) -> bytes:
        """The event as text that labels all blank nodes."""
        quads = parse(self.triples.text, RdfFormat.N_TRIPLES)
        return serialize(quads, format=RdfFormat.TURTLE, prefixes=self.prefixes) or b""


def read_written(data: str | bytes, syntax: RdfFormat, reading: Reading) -> WrittenEvent | None:
    """An event in Turtle or N-Triples with `_:H` for a subject; None for any other, which is to be read as usual."""
    if syntax not in _READ:
        return None
    text = guarded(data, syntax, reading)
    most = reading.limits.triples
    with syntax_errors():
        parser = parse(text, syntax, base_iri=reading.base)
        written = serialize(islice(parser, most + 1), format=RdfFormat.N_TRIPLES)
    if written is None or not (written.startswith(_HOME) or b"\n" + _HOME in written):
        return None
    found = WrittenEvent(written, parser.prefixes)
    if len(found.triples) > most:
        raise too_many_triples(reading.limits)
    if b"<<(" in written:
        refuse_quoted_triples(found.triples)
    return found
