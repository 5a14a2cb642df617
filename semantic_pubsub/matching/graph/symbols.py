"""Names as integers: properties and labels (classes, constants) that patterns use, and what lies above event names.

The paper computes all valid meta-statements in advance (section 5.2), which multiplies out the hierarchies. Here a name
gets a number when a pattern first uses it, and an event's name a row with the used names above it when an event first
shows it: the tables stay proportional to what is used, however deep the hierarchies are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from semantic_pubsub.matching.arrays.pools import Pool
from semantic_pubsub.matching.graph.layout import (
    NAME_CLASS,
    NAME_CONSTANT,
    NAME_PROPERTY,
    ROW_OF_TYPE,
    ROW_UNUSED,
    VALUE_BITS,
    VALUE_DECIMAL,
    VALUE_INTEGER,
    VALUE_NUMBER,
    VALUE_OTHER,
    VALUE_TEXT,
)
from semantic_pubsub.matching.graph.name_table import NameTable, written
from semantic_pubsub.subscriptions.values import NUMERIC_DATATYPES
from semantic_pubsub.vocab import RDF, RDF_TYPE, RESOURCE, THING, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.terms import Term

__all__ = ["Symbols"]

_MOST_ROWS: Final = 100_000  # names of events that are remembered: whoever sends ever new ones fills no memory
_TEXT_DATATYPES: Final = (XSD + "string", RDF + "langString", RDF + "dirLangString")
_VALUES: Final = {
    **dict.fromkeys(NUMERIC_DATATYPES, VALUE_NUMBER),
    XSD + "string": VALUE_TEXT,
    RDF + "langString": VALUE_TEXT,
    XSD + "integer": VALUE_INTEGER,
    XSD + "decimal": VALUE_DECIMAL,
}


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
        self.rows = NameTable()
        self.constant_names = NameTable()
        self.text_codes = np.zeros(len(_TEXT_DATATYPES), np.int64)
        self.top_row = -1
        self.version = 0
        """Raised when rows are forgotten: events that were encoded before must be encoded again."""
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
            self.constant_names.add(NAME_CONSTANT, written(term), label)
        return label

    def property_number(self, iri: str) -> int:
        """The number of a property that a pattern uses."""
        number = self.properties.get(iri)
        if number is None:
            number = self.properties[iri] = len(self.property_names)
            self.property_names.append(iri)
            self._forget_rows()
        return number

    def restore(self, label_names: list[str | Term | None], property_names: list[str]) -> None:
        """Start anew with these names; a class is a string, a constant a term."""
        self.label_names, self.property_names = label_names, property_names
        self.classes = {name: number for number, name in enumerate(label_names) if isinstance(name, str)}
        named = enumerate(label_names)
        self.constants = {term: number for number, term in named if term is not None and not isinstance(term, str)}
        self.properties = {name: number for number, name in enumerate(property_names)}
        self.constant_names = NameTable()
        for term, number in self.constants.items():
            self.constant_names.add(NAME_CONSTANT, written(term), number)
        self._forget_rows()

    # what events show: each row is made when a name is first seen

    def learn(self, kind: int, name: bytes) -> None:
        """Look up a name that an event shows, `<IRI>`, in the ontology."""
        iri = name[1:-1].decode()
        if kind == NAME_PROPERTY:
            value = self._arc_row(iri)
        elif kind == NAME_CLASS:
            value = self._put(self._labels((iri,)))
        else:
            value = self._datatype_code(iri)
        self.rows.add(kind, name, value)

    def make_room(self) -> None:
        """Forget what events showed, if that is too much."""
        if len(self.rows) > _MOST_ROWS:
            self._forget_rows()

    def _arc_row(self, iri: str) -> int:
        """Used properties above, then labels that follow for an untyped object, then for an untyped subject."""
        if iri == RDF_TYPE:
            return ROW_OF_TYPE
        ontology = self._ontology
        above = ontology.superproperties(iri)
        numbers = [self.properties[name] for name in above if name in self.properties]
        ranges = self._labels(c for name in above for c in ontology.ranges(name))
        domains = self._labels(c for name in above for c in ontology.domains(name))
        if RDF_TYPE in above:
            return -3 - self._put(numbers, ranges, domains)
        return self._put(numbers, ranges, domains) if numbers or ranges or domains else ROW_UNUSED

    def _datatype_code(self, iri: str) -> int:
        """The used datatypes above a literal's, and how its values are read."""
        above = self._ontology.superdatatypes(iri)
        row = self._put([self.classes[name] for name in above if name in self.classes])
        return row << VALUE_BITS | _VALUES.get(iri, VALUE_OTHER)

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
        self.version += 1
        self.rows.clear()
        self.closure.size = 0
        self.top_row = self._put([self.classes[name] for name in (THING, RESOURCE) if name in self.classes])
        self.text_codes[:] = [self._datatype_code(iri) for iri in _TEXT_DATATYPES]
