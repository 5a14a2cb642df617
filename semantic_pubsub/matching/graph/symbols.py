"""Names as integers: properties and labels (classes, constants) that patterns use, and what lies above event names.

The paper computes all valid meta-statements in advance (section 5.2), which multiplies out the hierarchies. Here a name
gets a number when a pattern first uses it, and an event's name a row with the used names above it when an event first
shows it: the tables stay proportional to what is used, however deep the hierarchies are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from semantic_pubsub.matching.graph.pools import Pool
from semantic_pubsub.vocab import RDF_TYPE, RESOURCE, THING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.terms import Term

__all__ = ["TYPE_ROW", "UNUSED_ROW", "Symbols"]

UNUSED_ROW: Final = -1
"""Of an arc that no pattern could ask for, neither by its property nor by what it says of untyped vertices."""

TYPE_ROW: Final = -2
"""Of rdf:type itself; a property below it has the row -3 - r, where r is its row as an arc."""


class Symbols:
    """The numbers of names, and the rows of the closure table."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self.classes: dict[str, int] = {}
        self.constants: dict[Term, int] = {}
        self.properties: dict[str, int] = {}
        self.label_names: list[str | Term | None] = [None]  # label 0 is existence
        self.property_names: list[str] = []
        self.closure = Pool(np.int32)
        self.arc_rows: dict[str, int] = {}
        self.class_rows: dict[str, int] = {}
        self.datatype_rows: dict[str, int] = {}
        self.top_row = -1
        self._forget_rows()

    # what patterns use

    def class_label(self, iri: str) -> int:
        """The label of a class (or datatype) that a pattern asks for."""
        label = self.classes.get(iri)
        if label is None:
            label = self.classes[iri] = len(self.label_names)
            self.label_names.append(iri)
            self._forget_rows()
        return label

    def constant_label(self, term: Term) -> int:
        """The label of a constant of a pattern."""
        label = self.constants.get(term)
        if label is None:
            label = self.constants[term] = len(self.label_names)
            self.label_names.append(term)
        return label

    def property_number(self, iri: str) -> int:
        """The number of a property that a pattern uses."""
        number = self.properties.get(iri)
        if number is None:
            number = self.properties[iri] = len(self.property_names)
            self.property_names.append(iri)
            self._forget_rows()
        return number

    # what events show: each row is made when a name is first seen

    def arc_row(self, iri: str) -> int:
        """Used properties above, then labels that follow for an untyped object, then for an untyped subject."""
        if iri == RDF_TYPE:
            self.arc_rows[iri] = TYPE_ROW
            return TYPE_ROW
        ontology = self._ontology
        above = ontology.superproperties(iri)
        numbers = [self.properties[name] for name in above if name in self.properties]
        ranges = self._labels(c for name in above for c in ontology.ranges(name))
        domains = self._labels(c for name in above for c in ontology.domains(name))
        is_type = RDF_TYPE in above
        used = numbers or ranges or domains or is_type
        row = self._put(numbers, ranges, domains) if used else UNUSED_ROW
        if is_type:
            row = -3 - row
        self.arc_rows[iri] = row
        return row

    def class_row(self, iri: str) -> int:
        """The used classes above a class of an event."""
        row = self.class_rows[iri] = self._put(self._labels((iri,)))
        return row

    def datatype_row(self, iri: str) -> int:
        """The used datatypes above the datatype of a literal."""
        above = self._ontology.superdatatypes(iri)
        row = self.datatype_rows[iri] = self._put([self.classes[name] for name in above if name in self.classes])
        return row

    def _labels(self, classes: Iterable[str]) -> list[int]:
        above = {name for iri in classes for name in self._ontology.superclasses(iri)}
        return [self.classes[name] for name in above if name in self.classes]

    def _put(self, *lists: list[int]) -> int:
        numbers = [number for part in lists for number in (len(part), *part)]
        row = self.closure.take(len(numbers))
        self.closure.array[row : row + len(numbers)] = numbers
        return row

    def _forget_rows(self) -> None:
        """A new name may lie above any that was seen before."""
        self.arc_rows.clear()
        self.class_rows.clear()
        self.datatype_rows.clear()
        self.closure.size = 0
        self.top_row = self._put([self.classes[name] for name in (THING, RESOURCE) if name in self.classes])
