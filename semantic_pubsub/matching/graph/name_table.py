"""Names by the bytes that N-Triples writes for them, for the kernel that reads events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from pyoxigraph import RdfFormat, serialize

from semantic_pubsub.matching.arrays.pools import Pool
from semantic_pubsub.matching.graph.kernels import insert_name, regrow
from semantic_pubsub.terms import BlankNode, NamedNode, Triple

if TYPE_CHECKING:
    import numpy.typing as npt

    from semantic_pubsub.terms import Term

__all__ = ["PADDING", "NameTable", "written"]

PADDING: Final = bytes(8)
"""What must stand behind bytes that the kernels hash: they read eight at a time."""

_FIRST_SIZE: Final = 1024
_SUBJECT: Final = BlankNode("s")
_PROPERTY: Final = NamedNode("urn:p")
_BEFORE: Final = len(b"_:s <urn:p> ")
_AFTER: Final = len(b" .\n")


def written(term: Term) -> bytes:
    """A term as it stands in N-Triples; exactly as events are written, because the same code writes it."""
    line = serialize([Triple(_SUBJECT, _PROPERTY, term)], format=RdfFormat.N_TRIPLES) or b""
    return line[_BEFORE:-_AFTER]


class NameTable:
    """A hash table from (kind, bytes) to an integer."""

    def __init__(self) -> None:
        self.hashes: npt.NDArray[np.int64] = np.full(_FIRST_SIZE, -1, np.int64)
        self.names: npt.NDArray[np.int32] = np.zeros((_FIRST_SIZE, 4), np.int32)
        self.letters = Pool(np.uint8)
        self.letters.reserve(1)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, kind: int, name: bytes, value: int) -> None:
        """Add a name that is not there."""
        if 2 * (self._count + 1) > len(self.hashes):
            self._grow()
        self._count += 1
        self.letters.reserve(len(name) + len(PADDING))
        at = self.letters.take(len(name))
        letters = np.frombuffer(name + PADDING, np.uint8)
        self.letters.array[at : at + len(name)] = letters[: len(name)]
        insert_name(letters, kind, value, self.hashes, self.names, at)

    def clear(self) -> None:
        """Forget all names."""
        self.hashes.fill(-1)
        self.letters.size = 0
        self._count = 0

    def _grow(self) -> None:
        hashes = np.full(2 * len(self.hashes), -1, np.int64)
        names = np.zeros((2 * len(self.hashes), 4), np.int32)
        regrow(self.hashes, self.names, hashes, names)
        self.hashes, self.names = hashes, names
