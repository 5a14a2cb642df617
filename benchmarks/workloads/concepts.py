"""*ctps*: the CTPS paper's table 1: concept trees of attribute names and of attribute values.

Zhang, Wang, Huang, Yung: *Concept tree-based event matching algorithm in publish/subscribe systems*, section 6.

Six attributes, each a tree of properties of height 1 to 5 and width 2. Four have classes as values, from a tree of the
same height and width each; two have xsd:decimal (0.00 to 99.99). A subscription has six constraints ⟨property, class or
closed interval⟩, an event six pairs ⟨property, class or number⟩: one for each attribute, in the paper's graphs the six
edges home –property→ value of seven nodes.

The paper does not say how it draws. Here an event has leaves, uniform, and the match rate is the same for all heights:
a subscription's node is of level d (the root is 0) with a probability proportional to θᵈ, where θ is solved for so that
a leaf is below the node with probability `below`, 0.75; that is a uniform level (θ = 1) at height 1 and falling ones
above. The two intervals are as wide as it takes: the rate is below¹⁰ · width². A rate above 0.75¹⁰ (5.6 %), as for the
paper's figure 8 (d), takes a larger `below`, equal to the width.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.competitors.contract import Conjunctions
from benchmarks.workloads.base import load_ontology
from benchmarks.workloads.load import IntervalEvent, present
from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.constraints import between, isa
from semantic_pubsub.matching.flat.index import Asked
from semantic_pubsub.matching.flat.pairs import FlatEvent, FlatSubscription
from semantic_pubsub.matching.flat.resolving import resolve_flat
from semantic_pubsub.terms import NamedNode

__all__ = [
    "ATTRIBUTES",
    "WITH_CLASSES",
    "ConceptEvents",
    "ConceptSubscriptions",
    "Concepts",
    "Constraint",
    "Interval",
    "Pair",
]

ATTRIBUTES: Final = 6
WITH_CLASSES: Final = 4

_NS: Final = "urn:ctps:"
_STEPS: Final = 10_000  # how many numbers there are, a hundredth apart
_BELOW: Final = 0.75
_BLOCK: Final = 1 << 14
_PREFIXES: Final = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

Nodes: TypeAlias = npt.NDArray[np.int16]
Numbers: TypeAlias = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """Both ends belong to it."""

    lower: float
    upper: float


class Pair(NamedTuple):
    """What an event says: a property, and a class or a number."""

    property: str
    value: str | float


class Constraint(NamedTuple):
    """What a subscription asks: a property or one below, and a class or one below, or a number in an interval."""

    property: str
    value: str | Interval


class ConceptSubscriptions(NamedTuple):
    """Six columns of property nodes, four of class nodes, two of each end. Nodes are numbered level by level."""

    properties: Nodes
    classes: Nodes
    lower: Numbers
    upper: Numbers


class ConceptEvents(NamedTuple):
    """Six columns of property nodes, four of class nodes, two of numbers."""

    properties: Nodes
    classes: Nodes
    numbers: Numbers


@dataclass(frozen=True)
class Concepts:
    """Seeded arrays of subscriptions and events, the same as names and numbers, and as objects."""

    height: int = 5
    rate: float = 0.002
    seed: int = 7

    def __post_init__(self) -> None:
        if self.height < 1 or not 0 < self.rate <= 1:
            raise ValueError("a height is at least 1, a rate above 0 and at most 1")

    @property
    def name(self) -> str:
        return f"ctps-{self.height}"

    @property
    def nodes(self) -> int:
        """How many nodes a tree has."""
        return 2 ** (self.height + 1) - 1

    @property
    def below(self) -> float:
        """How likely a leaf is below the node that a subscription names."""
        return max(_BELOW, float(self.rate ** (1 / (2 * ATTRIBUTES))))

    @property
    def width(self) -> float:
        """The share of the numbers that an interval contains."""
        nodes = ATTRIBUTES + WITH_CLASSES
        return float((self.rate / self.below**nodes) ** (1 / (ATTRIBUTES - WITH_CLASSES)))

    @cached_property
    def levels(self) -> npt.NDArray[np.float64]:
        """How likely a node of each level is in a subscription."""
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if _below(_levels(middle, self.height)) > self.below else (low, middle)
        return _levels((low + high) / 2, self.height)

    def subscriptions(self, number: int) -> ConceptSubscriptions:
        """The first `number` subscriptions."""
        blocks = [self._drawn(block) for block in range(-(-number // _BLOCK))] or [self._drawn(0)]
        return ConceptSubscriptions(*(np.concatenate(parts)[:number] for parts in zip(*blocks, strict=True)))

    def _drawn(self, block: int) -> ConceptSubscriptions:
        draw = np.random.default_rng([self.seed, self.height, 0, block])
        nodes = self._nodes(draw, ATTRIBUTES + WITH_CLASSES)
        shape = (_BLOCK, ATTRIBUTES - WITH_CLASSES)
        exact = self.width * _STEPS
        widths = np.maximum(1, int(exact) + (draw.random(shape) < exact % 1))
        lower = (draw.random(shape) * (_STEPS + 1 - widths)).astype(np.int64)
        upper = lower + widths - 1
        return ConceptSubscriptions(nodes[:, :ATTRIBUTES], nodes[:, ATTRIBUTES:], lower / 100, upper / 100)

    def _nodes(self, draw: np.random.Generator, columns: int) -> Nodes:
        """A level as `levels` says, then any node of it."""
        shape = (_BLOCK, columns)
        level = np.searchsorted(np.cumsum(self.levels)[:-1], draw.random(shape), side="right")
        return (2**level - 1 + (draw.random(shape) * 2**level).astype(np.int64)).astype(np.int16)

    def events(self, number: int) -> ConceptEvents:
        """The first `number` events."""
        draw = np.random.default_rng([self.seed, self.height, 1])
        leaves = 2**self.height
        columns = draw.random((number, 2 * ATTRIBUTES))
        nodes = (leaves - 1 + (columns[:, : ATTRIBUTES + WITH_CLASSES] * leaves).astype(np.int64)).astype(np.int16)
        numbers = (columns[:, ATTRIBUTES + WITH_CLASSES :] * _STEPS).astype(np.int64) / 100
        return ConceptEvents(nodes[:, :ATTRIBUTES], nodes[:, ATTRIBUTES:], numbers)

    def match_rate(self, subscriptions: int = 20_000, events: int = 250) -> float:
        """The share of pairs that match, by comparing each subscription with each event of a sample."""
        wanted, given = self.subscriptions(subscriptions), self.events(events)
        is_below = self.is_below()
        found = 0
        for properties, classes, numbers in zip(*given, strict=True):
            fits = is_below[properties, wanted.properties].all(axis=1) & is_below[classes, wanted.classes].all(axis=1)
            fits &= ((wanted.lower <= numbers) & (numbers <= wanted.upper)).all(axis=1)
            found += int(fits.sum())
        return found / (subscriptions * events)

    def is_below(self) -> npt.NDArray[np.bool_]:
        """For each node of a tree (row) whether it is another (column) or below it."""
        table = np.eye(self.nodes, dtype=np.bool_)
        for node in range(1, self.nodes):
            table[node] |= table[(node - 1) // 2]
        return table

    def parents(self) -> dict[str, str]:
        """The parent of each property and class that has one: what the paper calls concept trees."""
        trees = [*map(_property, range(ATTRIBUTES)), *map(_class, range(WITH_CLASSES))]
        return {f"{tree}n{n}": f"{tree}n{(n - 1) // 2}" for tree in trees for n in range(1, self.nodes)}

    def constraints(self, number: int) -> Iterator[tuple[Constraint, ...]]:
        """The first `number` subscriptions as names and numbers."""
        for properties, classes, lower, upper in zip(*(a.tolist() for a in self.subscriptions(number)), strict=True):
            values = [*_class_names(classes), *map(Interval, lower, upper)]
            yield tuple(map(Constraint, _property_names(properties), values))

    def pairs(self, number: int) -> Iterator[tuple[Pair, ...]]:
        """The first `number` events as names and numbers."""
        for properties, classes, numbers in zip(*(array.tolist() for array in self.events(number)), strict=True):
            yield tuple(map(Pair, _property_names(properties), [*_class_names(classes), *numbers]))

    @property
    def ranges(self) -> tuple[Numbers, Numbers]:
        """Of places in trees (see `conjunctions`), then of the two numbers."""
        trees = ATTRIBUTES + WITH_CLASSES
        return np.zeros(trees + 2), np.array([self.nodes - 1.0] * trees + [99.99] * 2)

    @property
    def whole(self) -> bool:
        return False

    @cached_property
    def _places(self) -> tuple[Nodes, Nodes]:
        """For each node its place when a tree is walked from the root, and the last place below it."""
        first, last = np.zeros(self.nodes, np.int16), np.zeros(self.nodes, np.int16)
        stack, place = [0], 0
        while stack:
            node = stack.pop()
            below = int(np.log2(self.nodes + 1) - np.floor(np.log2(node + 1)))
            first[node], last[node] = place, place + 2**below - 2
            place += 1
            if 2 * node + 2 < self.nodes:
                stack += [2 * node + 2, 2 * node + 1]
        return first, last

    def conjunctions(self, number: int) -> Conjunctions:
        """For competitors without trees: what is below a node is an interval of places, ready-made in their favour.

        Attributes are the six trees of properties, the four of classes, and the two numbers.
        """
        given, (first, last) = self.subscriptions(number), self._places
        nodes = np.hstack((given.properties, given.classes))
        attributes = np.tile(np.arange(ATTRIBUTES + WITH_CLASSES + 2, dtype=np.int32), (number, 1))
        lower, upper = np.hstack((first[nodes], given.lower)), np.hstack((last[nodes], given.upper))
        return Conjunctions(attributes, lower, upper)

    def interval_events(self, number: int) -> list[IntervalEvent]:
        """The first `number` events with places for nodes."""
        given, (first, _) = self.events(number), self._places
        return present(np.hstack((first[given.properties], first[given.classes], given.numbers)))

    def asked(self, number: int) -> Iterator[Asked]:
        """The first `number` subscriptions as indexes take them."""
        ontology = self.ontology()
        for one in self.flat_subscriptions(number):
            yield resolve_flat(one, ontology).alternatives[0].constraints  # type: ignore[misc]

    def flat_subscriptions(self, number: int) -> Iterator[FlatSubscription]:
        """The first `number` subscriptions as objects; their ids are s0, s1 and so on."""
        for index, constraints in enumerate(self.constraints(number)):
            asked = {
                name: isa(value) if isinstance(value, str) else between(_decimal(value.lower), _decimal(value.upper))
                for name, value in constraints
            }
            yield FlatSubscription(asked, id=f"s{index}")

    def flat_events(self, number: int) -> Iterator[FlatEvent]:
        """The first `number` events as objects; their ids are e0, e1 and so on."""
        for index, pairs in enumerate(self.pairs(number)):
            values = {n: NamedNode(value) if isinstance(value, str) else _decimal(value) for n, value in pairs}
            yield FlatEvent(values, id=f"e{index}")

    def ontology_text(self) -> str:
        """The trees in Turtle."""
        lines = [_PREFIXES]
        for tree in range(ATTRIBUTES):
            has_classes = tree < WITH_CLASSES
            kind = "owl:ObjectProperty" if has_classes else "owl:DatatypeProperty"
            values = f"<{_class(tree)}n0>" if has_classes else "xsd:decimal"
            lines.append(f"<{_property(tree)}n0> a {kind} ; rdfs:range {values} .\n")
            lines += self._tree(_property(tree), kind, "rdfs:subPropertyOf")
        for tree in range(WITH_CLASSES):
            lines.append(f"<{_class(tree)}n0> a owl:Class .\n")
            lines += self._tree(_class(tree), "owl:Class", "rdfs:subClassOf")
        return "".join(lines)

    def _tree(self, name: str, kind: str, relation: str) -> Iterator[str]:
        for node in range(1, self.nodes):
            yield f"<{name}n{node}> a {kind} ; {relation} <{name}n{(node - 1) // 2}> .\n"

    def ontology(self) -> Ontology:
        """The ontology, loaded."""
        return load_ontology(self.ontology_text())


def _levels(theta: float, height: int) -> npt.NDArray[np.float64]:
    weights = theta ** np.arange(height + 1.0)
    return weights / weights.sum()


def _below(levels: npt.NDArray[np.float64]) -> float:
    """How likely a leaf is below a node whose level is drawn so."""
    return float((levels / 2.0 ** np.arange(len(levels))).sum())


def _property(tree: int) -> str:
    return f"{_NS}p{tree}"


def _class(tree: int) -> str:
    return f"{_NS}c{tree}"


def _property_names(nodes: list[int]) -> list[str]:
    return [f"{_property(tree)}n{node}" for tree, node in enumerate(nodes)]


def _class_names(nodes: list[int]) -> list[str]:
    return [f"{_class(tree)}n{node}" for tree, node in enumerate(nodes)]


def _decimal(value: float) -> Decimal:
    return Decimal(round(value * 100)) / 100
