"""*sparse*: many attributes of which an event has few, as OpIndex and COMPME are measured.

COMPME's section 5 follows OpIndex (Zhang, Chan, Tan, PVLDB 7 (8), 2014): subscriptions and events uniform, in
20,000 attributes (*high*) or in as many as an event has (*low*); a subscription has at most MSS predicates, an event
MES = 5·MSS pairs. The papers do not say more. Here a subscription has 1 to MSS predicates on different attributes, each
=, ≤ or ≥ with equal chances, an event exactly MES pairs; values are 0 to 999, uniform.

Independent draws in 20,000 attributes match nearly never: what matches are subscriptions with one predicate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Conjunctions
from benchmarks.workloads.base import load_ontology
from benchmarks.workloads.load import IntervalEvent
from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.constraints import Constraint, at_least, at_most, equals
from semantic_pubsub.matching.flat.index import Asked
from semantic_pubsub.matching.flat.pairs import FlatEvent

__all__ = ["Sparse"]

_VALUES: Final = 1_000
_BLOCK: Final = 1 << 14


@dataclass(frozen=True)
class Sparse:
    """Seeded; `attributes` of None are as many as an event has."""

    most: int = 4
    attributes: int | None = 20_000
    seed: int = 7

    @property
    def pairs(self) -> int:
        """How many attributes an event has: MES."""
        return 5 * self.most

    @property
    def width(self) -> int:
        """How many attributes there are."""
        return self.attributes or self.pairs

    @property
    def ranges(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        return np.zeros(self.width), np.full(self.width, _VALUES - 1.0)

    @property
    def whole(self) -> bool:
        return False

    def conjunctions(self, number: int) -> Conjunctions:
        blocks = [self._drawn(block) for block in range(-(-number // _BLOCK))]
        return Conjunctions(*(np.concatenate(parts)[:number] for parts in zip(*blocks, strict=True)))

    def _drawn(self, block: int) -> Conjunctions:
        draw = np.random.default_rng([self.seed, self.width, self.most, block])
        shape = _BLOCK, self.most
        attributes = _different(draw, _BLOCK, self.most, self.width)
        attributes[np.arange(self.most) >= draw.integers(1, self.most + 1, (_BLOCK, 1))] = -1
        operator, value = draw.integers(0, 3, shape), draw.integers(0, _VALUES, shape).astype(np.float64)
        return Conjunctions(attributes, np.where(operator == 1, -np.inf, value), np.where(operator == 2, np.inf, value))

    def interval_events(self, number: int) -> list[IntervalEvent]:
        draw = np.random.default_rng([self.seed, self.width, self.most])
        attributes = np.sort(_different(draw, number, self.pairs, self.width), axis=1)
        return list(zip(attributes, draw.integers(0, _VALUES, attributes.shape).astype(np.float64), strict=True))

    def asked(self, number: int) -> Iterator[Asked]:
        paths = [(name,) for name in self.names]
        for attributes, lower, upper in zip(*(part.tolist() for part in self.conjunctions(number)), strict=True):
            ends = zip(attributes, lower, upper, strict=True)
            yield tuple((paths[a], _constraint(low, high)) for a, low, high in ends if a >= 0)

    def flat_events(self, number: int) -> Iterator[FlatEvent]:
        names = self.names
        for index, (attributes, values) in enumerate(self.interval_events(number)):
            pairs = zip(attributes.tolist(), values.tolist(), strict=True)
            yield FlatEvent({names[attribute]: int(value) for attribute, value in pairs}, id=f"e{index}")

    @property
    def names(self) -> list[str]:
        """The attributes."""
        return [f"urn:sparse:a{number}" for number in range(self.width)]

    def ontology(self) -> Ontology:
        kind = "<http://www.w3.org/2002/07/owl#DatatypeProperty>"
        return load_ontology("".join(f"<{name}> a {kind} .\n" for name in self.names))


def _constraint(low: float, high: float) -> Constraint:
    if low == high:
        return equals(int(low))
    return at_most(int(high)) if low == -np.inf else at_least(int(low))


def _different(draw: np.random.Generator, rows: int, wanted: int, width: int) -> npt.NDArray[np.int32]:
    """Different attributes in each row: drawn again where some are alike, or shuffled where most are taken."""
    if 4 * wanted > width:
        return np.argsort(draw.random((rows, width)), axis=1)[:, :wanted].astype(np.int32)
    made = draw.integers(0, width, (rows, wanted), dtype=np.int32)
    while True:
        ordered = np.sort(made, axis=1)
        alike = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(alike):
            return made
        made[alike] = draw.integers(0, width, (len(alike), wanted), dtype=np.int32)
