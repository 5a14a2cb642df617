"""What a workload is: an ontology, subscriptions and events, drawn from a seed and never kept in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import rdflib

from semantic_pubsub import Ontology

__all__ = ["Workload", "load_ontology"]


def load_ontology(turtle: str) -> Ontology:
    """The ontology that a Turtle text states."""
    return Ontology.load(rdflib.Graph().parse(data=turtle, format="turtle"))


@dataclass(frozen=True)
class Workload(ABC):
    """A seeded generator. The same seed gives the same texts, and a longer run begins like a shorter one."""

    seed: int = 7
    name: str = field(default="", init=False)

    @abstractmethod
    def ontology_text(self) -> str:
        """The ontology in Turtle."""

    @abstractmethod
    def endless_subscriptions(self) -> Iterator[tuple[str, str]]:
        """Pairs (id, SPARQL text) without end."""

    @abstractmethod
    def endless_events(self) -> Iterator[str]:
        """Events in Turtle without end."""

    def ontology(self) -> Ontology:
        """The ontology, loaded."""
        return load_ontology(self.ontology_text())

    def subscriptions(self, number: int) -> Iterator[tuple[str, str]]:
        """The first `number` pairs (id, SPARQL text)."""
        return islice(self.endless_subscriptions(), number)

    def events(self, number: int) -> Iterator[str]:
        """The first `number` events in Turtle."""
        return islice(self.endless_events(), number)
