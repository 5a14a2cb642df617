"""What a bench of flat indexes needs of a workload: the same subscriptions and events for ours and for competitors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Conjunctions
from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.index import Asked
from semantic_pubsub.matching.flat.pairs import FlatEvent

__all__ = ["IntervalEvent", "Load", "present"]

IntervalEvent = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]
"""The attributes that an event has, each once, and their values."""


class Load(Protocol):
    """A seeded generator; a longer run begins like a shorter one."""

    @property
    def ranges(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The least and the greatest value of each attribute."""

    @property
    def whole(self) -> bool:
        """Whether all values are 0, 1, … of few."""

    def conjunctions(self, number: int) -> Conjunctions:
        """Subscriptions for competitors."""

    def interval_events(self, number: int) -> list[IntervalEvent]:
        """Events for competitors."""

    def asked(self, number: int) -> Iterator[Asked]:
        """The same subscriptions for ours."""

    def flat_events(self, number: int) -> Iterator[FlatEvent]:
        """The same events for ours."""

    def ontology(self) -> Ontology:
        """The ontology of both."""


def present(rows: npt.NDArray[np.float64]) -> list[IntervalEvent]:
    """Events that have all attributes."""
    attributes = np.arange(rows.shape[1], dtype=np.int32)
    return [(attributes, row) for row in rows]
