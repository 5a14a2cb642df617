"""*typed*: HMACD's two experiments: few attributes of four types, one-sided comparisons, few equalities.

Wu et al.: *Event matching algorithm based on joint characteristics for content-based publish/subscribe system in
virtual experiment*, section 2.1 and table 1.

| paper | experiment 1 | experiment 2 |
|---|---|---|
| attributes, names of five random letters | 13 | 15 |
| predicates of a subscription | 1 to 6 | 3 to 8 |
| share of equalities | 10 % | 20 % |
| types int, float, bool, string; >, <, =, ≤, ≥ on numbers, = on the others | | |

What the paper leaves open: the last three attributes are a bool and two strings (of 20 words), the others int (0 to 99)
and float (0.00 to 99.99) in turn; values are uniform; predicates are on different attributes, an equality on any,
another one on a number; an event has all attributes. Competitors see numbers in place of bools and strings.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Conjunctions
from benchmarks.workloads.base import load_ontology
from benchmarks.workloads.load import IntervalEvent, present
from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.constraints import Constraint, OneOf, at_least, at_most, less_than, more_than
from semantic_pubsub.matching.flat.index import Asked
from semantic_pubsub.matching.flat.pairs import FlatEvent

__all__ = ["Typed"]

_OTHERS: Final = 3  # a bool and two strings
_WORDS: Final = 20
_BLOCK: Final = 1 << 12
_SIGNS: Final = (at_least, at_most, more_than, less_than)


@dataclass(frozen=True)
class Typed:
    """Seeded; the paper's experiment 1 or 2."""

    experiment: int = 1
    seed: int = 7

    @property
    def attributes(self) -> int:
        return 13 if self.experiment == 1 else 15

    @property
    def predicates(self) -> tuple[int, int]:
        """The least and the most of a subscription."""
        return (1, 6) if self.experiment == 1 else (3, 8)

    @property
    def equalities(self) -> float:
        return 0.1 if self.experiment == 1 else 0.2

    @property
    def numeric(self) -> int:
        """How many attributes have numbers: the first ones."""
        return self.attributes - _OTHERS

    @cached_property
    def names(self) -> list[str]:
        draw, found = random.Random(f"{self.seed} names"), {}
        while len(found) < self.attributes:
            found["urn:typed:" + "".join(draw.choices(string.ascii_lowercase, k=5))] = None
        return list(found)

    @property
    def ranges(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        highest = [99.0 if a % 2 == 0 else 99.99 for a in range(self.numeric)]
        return np.zeros(self.attributes), np.array([*highest, 1.0, _WORDS - 1.0, _WORDS - 1.0])

    @property
    def whole(self) -> bool:
        return False

    def conjunctions(self, number: int) -> Conjunctions:
        attributes, signs, values = self._all(number)
        after = np.nextafter(values, np.inf)
        before = np.nextafter(values, -np.inf)
        lower = np.choose(
            signs, [values, np.full(values.shape, -np.inf), after, np.full(values.shape, -np.inf), values]
        )
        upper = np.choose(signs, [np.full(values.shape, np.inf), values, np.full(values.shape, np.inf), before, values])
        return Conjunctions(attributes, lower, upper)

    def _all(self, number: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        """Attributes (-1: none), signs (the last one is =) and what is compared with."""
        blocks = [_kept(self, block) for block in range(-(-number // _BLOCK))]
        attributes, signs, values = (np.concatenate(parts)[:number] for parts in zip(*blocks, strict=True))
        return attributes, signs, values

    def _drawn(self, block: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        draw = np.random.default_rng([self.seed, self.experiment, 0, block])
        least, most = self.predicates
        shape = _BLOCK, most
        is_equal = draw.random(shape) < self.equalities
        # Comparisons choose among the numbers, equalities among all: whoever chooses later takes what is left.
        order = np.argsort(draw.random((_BLOCK, self.attributes)), axis=1).astype(np.int32)
        attributes = np.empty(shape, np.int32)
        for row in range(_BLOCK):
            left = order[row].tolist()
            for column in range(most):
                usable = (a for a in left if is_equal[row, column] or a < self.numeric)
                attributes[row, column] = chosen = next(usable)
                left.remove(chosen)
        values = self._values(draw, shape, attributes)
        attributes[np.arange(most) >= draw.integers(least, most + 1, (_BLOCK, 1))] = -1
        return attributes, np.where(is_equal, len(_SIGNS), draw.integers(0, len(_SIGNS), shape)).astype(np.int8), values

    def _values(
        self, draw: np.random.Generator, shape: tuple[int, int], attributes: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float64]:
        steps = np.array([100 if a % 2 == 0 else 10_000 for a in range(self.numeric)] + [2, _WORDS, _WORDS])[attributes]
        values = np.floor(draw.random(shape) * steps)
        return np.where(steps == 10_000, values / 100, values)

    def interval_events(self, number: int) -> list[IntervalEvent]:
        draw = np.random.default_rng([self.seed, self.experiment, 1])
        shape = number, self.attributes
        attributes = np.broadcast_to(np.arange(self.attributes, dtype=np.int32), shape)
        return present(self._values(draw, shape, attributes))

    def asked(self, number: int) -> Iterator[Asked]:
        paths = [(name,) for name in self.names]
        for attributes, signs, values in zip(*(part.tolist() for part in self._all(number)), strict=True):
            each = zip(attributes, signs, values, strict=True)
            yield tuple((paths[a], self._constraint(a, sign, value)) for a, sign, value in each if a >= 0)

    def _constraint(self, attribute: int, sign: int, value: float) -> Constraint:
        if sign == len(_SIGNS):
            return OneOf((self._value(attribute, value),))
        return _SIGNS[sign](self._value(attribute, value))

    def _value(self, attribute: int, value: float) -> int | float | bool | str:
        """What the number of an attribute stands for."""
        place = attribute - self.numeric
        if place < 0:
            return int(value) if attribute % 2 == 0 else value
        if place == 0:
            return bool(value)
        return f"word {int(value)}"

    def flat_events(self, number: int) -> Iterator[FlatEvent]:
        for index, (_, values) in enumerate(self.interval_events(number)):
            known = (self._value(a, value) for a, value in enumerate(values.tolist()))
            yield FlatEvent(dict(zip(self.names, known, strict=True)), id=f"e{index}")

    def ontology(self) -> Ontology:
        kind = "<http://www.w3.org/2002/07/owl#DatatypeProperty>"
        return load_ontology("".join(f"<{name}> a {kind} .\n" for name in self.names))


@lru_cache(maxsize=16)
def _kept(workload: Typed, block: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.float64]]:
    return workload._drawn(block)
