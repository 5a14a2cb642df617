"""*gem*: the settings of the GEM-Tree paper's experiments; its usual one unless said otherwise.

Fan, Xiong, Wu, Liu: *GEM-Tree: tree-based analytic geometrical multi-dimensional content-based event matching*,
table 1.

| paper | here | usual |
|---|---|---|
| M, the number of dimensions | `attributes` | 50 |
| τ, the cardinality of attribute values | `cardinality` | 32 |
| ξ, the number of attributes in subscriptions | `predicates` | 7 |
| θ, the match rate | `rate` | 0.01 |
| μ, the single value interval rate | `equalities` | 0.3 |
| uniform, or Zipf | `values` | uniform |

All draws are independent. A subscription has 7 different attributes; each predicate is an equality with probability
0.3, else a closed interval. An event has all 50 attributes. Values are 0 to 31, uniform, or Zipf with exponent 1 (the
value is the rank); an equality asks for a value drawn as the events' are, the lower end of an interval is uniform among
those that keep it inside.

How the match rate is reached: the predicates of a subscription are on different attributes, so the rate is q⁷ with
q = 0.3·Σp(v)² + 0.7·C(W), where p is the frequency of a value and C(W) how likely an interval of W values contains an
event's. W is solved for, and drawn as one of the two whole numbers around it. With uniform values 1 % means intervals
of 23 or 24 of the 32 values, 0.01 % of 11 or 12, and more than 9 % (W = 32) is out of reach. Most matches are of
subscriptions without an equality, which are 8 % of all.

With `together` a subscription has equalities only, or none: still 30 % of all predicates. So draws what the paper also
measures and independent draws cannot reach: a match rate of 10 %, 60 % equalities, 20 predicates at 1 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Conjunctions
from benchmarks.workloads.base import load_ontology
from benchmarks.workloads.load import IntervalEvent, present
from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.constraints import between, equals
from semantic_pubsub.matching.flat.index import Asked
from semantic_pubsub.matching.flat.pairs import FlatEvent, FlatSubscription

__all__ = ["Gem"]

Attributes: TypeAlias = npt.NDArray[np.int16]
Ends: TypeAlias = npt.NDArray[np.int8]
Rows: TypeAlias = npt.NDArray[np.float64]
Subscriptions: TypeAlias = tuple[Attributes, Ends, Ends]

_BLOCK: Final = 1 << 15  # drawn at once, each block from a generator of its own: a longer run begins like a shorter one
_PREFIXES: Final = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


@dataclass(frozen=True)
class Gem:
    """Seeded arrays of subscriptions and events, and the same as objects."""

    rate: float = 0.01
    values: Literal["uniform", "zipf"] = "uniform"
    seed: int = 7
    attributes: int = 50
    cardinality: int = 32
    predicates: int = 7
    equalities: float = 0.3
    together: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.predicates <= self.attributes or not 2 <= self.cardinality <= 127:
            raise ValueError("1 to all attributes in a subscription, 2 to 127 values")

    @property
    def name(self) -> str:
        return "gem" if self.values == "uniform" else "gem-zipf"

    @cached_property
    def frequencies(self) -> npt.NDArray[np.float64]:
        """How often an event has each value."""
        weights = np.ones(self.cardinality) if self.values == "uniform" else 1.0 / np.arange(1, self.cardinality + 1)
        return weights / weights.sum()

    @cached_property
    def width(self) -> float:
        """How many values an interval contains in the mean, so that the rate is as asked."""
        equal, most = float((self.frequencies**2).sum()), self.predicates
        if self.together:
            share = (self.rate - self.equalities * equal**most) / (1 - self.equalities)
            wanted = max(0.0, share) ** (1 / most)
        else:
            wanted = (self.rate ** (1 / most) - self.equalities * equal) / (1 - self.equalities)
        contained = [_contained(self.frequencies, width) for width in range(1, self.cardinality + 1)]
        if not contained[0] <= wanted <= contained[-1]:
            raise ValueError(f"a match rate of {self.rate} cannot be reached")
        return float(np.interp(wanted, contained, np.arange(1, self.cardinality + 1)))

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(f"urn:gem:a{number}" for number in range(self.attributes))

    @property
    def ranges(self) -> tuple[Rows, Rows]:
        """The least and the greatest value of each attribute."""
        return np.zeros(self.attributes), np.full(self.attributes, self.cardinality - 1.0)

    def subscriptions(self, number: int) -> Subscriptions:
        """Attributes, lower and upper ends of predicates, a row for each subscription; equal ends are an equality."""
        shape = number, self.predicates
        attributes = np.empty(shape, np.int16)
        lower, upper = np.empty(shape, np.int8), np.empty(shape, np.int8)
        for start in range(0, number, _BLOCK):
            block = slice(start, min(start + _BLOCK, number))
            size = block.stop - start
            for whole, part in zip((attributes, lower, upper), self._drawn(start // _BLOCK), strict=True):
                whole[block] = part[:size]
        return attributes, lower, upper

    def conjunctions(self, number: int) -> Conjunctions:
        """The same as competitors take them."""
        return Conjunctions(*self.subscriptions(number))

    def events(self, number: int) -> Rows:
        """The values of `number` events, a column for each attribute."""
        draw = np.random.default_rng([self.seed, 1])
        return self._values(draw, (number, self.attributes)).astype(np.float64)

    def _values(self, draw: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.int8]:
        last = np.cumsum(self.frequencies)[:-1]
        return np.searchsorted(last, draw.random(shape), side="right").astype(np.int8)

    def _drawn(self, block: int) -> Subscriptions:
        """One block of subscriptions."""
        draw = np.random.default_rng([self.seed, 0, block])
        shape = (_BLOCK, self.predicates)
        attributes = _different(draw, self.attributes, self.predicates)
        narrow = int(self.width)
        widths = narrow + (draw.random(shape) < self.width - narrow)
        lower = (draw.random(shape) * (self.cardinality + 1 - widths)).astype(np.int8)
        upper = (lower + widths - 1).astype(np.int8)
        is_equality = draw.random((_BLOCK, 1) if self.together else shape) < self.equalities
        asked = self._values(draw, shape)
        return attributes, np.where(is_equality, asked, lower), np.where(is_equality, asked, upper)

    def match_rate(self, subscriptions: int = 20_000, events: int = 250) -> float:
        """The share of pairs that match, by comparing each subscription with each event of a sample."""
        attributes, lower, upper = self.subscriptions(subscriptions)
        found = 0
        for row in self.events(events).astype(np.int8):
            values = row[attributes]
            found += int(((lower <= values) & (values <= upper)).all(axis=1).sum())
        return found / (subscriptions * events)

    @property
    def whole(self) -> bool:
        return True

    def interval_events(self, number: int) -> list[IntervalEvent]:
        """The first `number` events as competitors take them."""
        return present(self.events(number))

    def asked(self, number: int) -> Iterator[Asked]:
        """The first `number` subscriptions as indexes take them."""
        paths = [(name,) for name in self.names]
        for attributes, lower, upper in zip(*(part.tolist() for part in self.subscriptions(number)), strict=True):
            ends = zip(attributes, lower, upper, strict=True)
            yield tuple((paths[a], equals(low) if low == high else between(low, high)) for a, low, high in ends)

    def flat_subscription(self, number: int) -> FlatSubscription:
        """One subscription as an object."""
        block, row = divmod(number, _BLOCK)
        attributes, lower, upper = (part[row].tolist() for part in _kept_block(self, block))
        names = self.names
        return FlatSubscription(
            {
                names[a]: equals(low) if low == high else between(low, high)
                for a, low, high in zip(attributes, lower, upper, strict=True)
            },
            id=f"s{number}",
        )

    def flat_subscriptions(self, number: int) -> Iterator[FlatSubscription]:
        """The first `number` subscriptions as objects; their ids are s0, s1 and so on."""
        return map(self.flat_subscription, range(number))

    def flat_events(self, number: int) -> Iterator[FlatEvent]:
        """The first `number` events as objects with integers; their ids are e0, e1 and so on."""
        for index, row in enumerate(self.events(number).astype(np.int64).tolist()):
            yield FlatEvent(dict(zip(self.names, row, strict=True)), id=f"e{index}")

    def ontology_text(self) -> str:
        """The attributes, declared in Turtle."""
        return _PREFIXES + "".join(
            f"<{name}> a owl:DatatypeProperty ; rdfs:range xsd:integer .\n" for name in self.names
        )

    def ontology(self) -> Ontology:
        """The ontology, loaded."""
        return load_ontology(self.ontology_text())


def _contained(frequencies: npt.NDArray[np.float64], width: int) -> float:
    """How likely a value lies in an interval of this width whose lower end is uniform."""
    below = np.concatenate(([0.0], np.cumsum(frequencies)))
    return float((below[width:] - below[:-width]).mean())


def _different(draw: np.random.Generator, among: int, wanted: int) -> Attributes:
    """Different attributes for each subscription of a block: the first steps of a Fisher-Yates shuffle."""
    order = np.tile(np.arange(among, dtype=np.int16), (_BLOCK, 1))
    rows = np.arange(_BLOCK)
    for column in range(wanted):
        other = draw.integers(column, among, _BLOCK)
        kept = order[:, column].copy()
        order[:, column] = order[rows, other]
        order[rows, other] = kept
    return order[:, :wanted].copy()


@lru_cache(maxsize=2)
def _kept_block(workload: Gem, block: int) -> Subscriptions:
    return workload._drawn(block)
