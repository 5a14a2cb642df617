"""What a flat index is: slots with constraints that must all hold, and the question which of them pairs satisfy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semantic_pubsub.matching.flat.meaning import is_below, satisfies
from semantic_pubsub.matching.flat.paths import Path

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.constraints import Constraint
    from semantic_pubsub.matching.flat.resolving import Pair

__all__ = ["Asked", "FlatIndex", "ScanIndex", "Slots"]

Asked = tuple[tuple[Path, "Constraint"], ...]
"""Constraints on paths, with IRIs for all names: one alternative of a subscription."""
Slots = npt.NDArray[np.int32]


class FlatIndex(ABC):
    """Subscriptions by slot numbers; a slot that was removed is used again."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology

    @abstractmethod
    def add(self, asked: Asked) -> int:
        """Keep constraints; gives their slot."""

    @abstractmethod
    def remove(self, slot: int) -> None:
        """Forget a slot."""

    @abstractmethod
    def match(self, pairs: Sequence[Pair]) -> Slots:
        """The slots all of whose constraints the pairs satisfy, each once, in no particular order."""

    @abstractmethod
    def asked(self, slot: int) -> Asked:
        """The constraints of a slot."""

    @abstractmethod
    def paths(self) -> Iterable[Path]:
        """The paths that constraints use: nothing else of an event matters."""

    @abstractmethod
    def stats(self) -> dict[str, int | float | str]:
        """Counts of what the index holds and has done."""

    @abstractmethod
    def __len__(self) -> int: ...


class ScanIndex(FlatIndex):
    """The oracle: every slot in turn, straight from the definition. Slow and obviously right."""

    def __init__(self, ontology: Ontology) -> None:
        super().__init__(ontology)
        self._asked: dict[int, Asked] = {}
        self._free: list[int] = []

    def add(self, asked: Asked) -> int:
        slot = self._free.pop() if self._free else len(self._asked)
        self._asked[slot] = asked
        return slot

    def remove(self, slot: int) -> None:
        del self._asked[slot]
        self._free.append(slot)

    def match(self, pairs: Sequence[Pair]) -> Slots:
        ontology = self.ontology
        found = [
            slot
            for slot, asked in self._asked.items()
            if all(
                any(is_below(pair.path, path, ontology) and satisfies(pair.value, one, ontology) for pair in pairs)
                for path, one in asked
            )
        ]
        return np.array(found, np.int32)

    def __reduce__(self) -> tuple[Any, ...]:
        return _scanning, (self.ontology, dict(self._asked), list(self._free))

    def asked(self, slot: int) -> Asked:
        return self._asked[slot]

    def paths(self) -> Iterable[Path]:
        return dict.fromkeys(path for asked in self._asked.values() for path, _ in asked)

    def stats(self) -> dict[str, int | float | str]:
        return {"index": "scan", "slots": len(self)}

    def __len__(self) -> int:
        return len(self._asked)


def _scanning(ontology: Ontology, asked: dict[int, Asked], free: list[int]) -> ScanIndex:
    index = ScanIndex(ontology)
    index._asked, index._free = asked, free
    return index
