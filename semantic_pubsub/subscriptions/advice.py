"""What an ontology says about single names and statements of patterns, each asked once and remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.errors import OntologyError
from semantic_pubsub.subscriptions.bounds import family
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import OWL, RDF, RDFS, THING, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.concepts.names import Kind
    from semantic_pubsub.subscriptions.algebra import Name
    from semantic_pubsub.subscriptions.values import Value

__all__ = ["Advice"]

Remembered: TypeAlias = "dict[Hashable, str | None]"

_MOST_REMEMBERED: Final = 200_000
# Looking for a near name goes through all names: done for so many unknown ones, then left out.
_MOST_SUGGESTIONS: Final = 100
_VOCABULARIES: Final = (RDF, RDFS, OWL, XSD)
_DATATYPES_OF: Final = {
    "number": ("decimal", "double", "float"),
    "text": ("string",),
    "boolean": ("boolean",),
    "duration": ("duration",),
}

_remembered: WeakKeyDictionary[Ontology, Remembered] = WeakKeyDictionary()


class Advice:
    """Messages about parts of patterns; None where there is nothing to say. Cheap to make."""

    __slots__ = ("_known", "_ontology")

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        known = _remembered.get(ontology)
        if known is None or len(known) > _MOST_REMEMBERED:
            known = _remembered[ontology] = {}
        self._known = known

    def of_class(self, name: Name) -> str | None:
        """About a class or datatype that is asked for."""
        known = self._known
        key = ("class", name)
        return known[key] if key in known else self._told(key, self._class, name)

    def of_property(self, name: Name) -> str | None:
        """About the property of an arc."""
        known = self._known
        key = ("property", name)
        return known[key] if key in known else self._told(key, self._property, name)

    def of_statement(self, subject: Name | None, prop: Name, value: Name | None) -> str | None:
        """About the pattern (C, p, D); None stands for a side where nothing is asked."""
        known = self._known
        key = (subject, prop, value)
        return known[key] if key in known else self._told(key, self._statement, *key)

    def of_both(self, first: Name, second: Name) -> str | None:
        """About two classes asked of one vertex."""
        key = ("both", first, second)
        return self._known[key] if key in self._known else self._told(key, self._both, first, second)

    def of_constant(self, term: NamedNode | Literal, name: Name) -> str | None:
        """About a class asked of a constant; the datatype of a literal settles it."""
        if isinstance(name, NamedNode):
            iri = name.value
            if isinstance(term, Literal) and iri not in self._ontology.superdatatypes(term.datatype.value):
                return f"{term} is no {self._short(iri)}"
            if isinstance(term, NamedNode) and iri in self._ontology.datatypes:
                return f"an IRI is no literal of {self._short(iri)}"
        return None

    def of_value(self, prop: Name, value: Value) -> str | None:
        """About a value that the object of a property is compared with."""
        key = ("value", prop, family(value))
        return self._known[key] if key in self._known else self._told(key, self._value, prop, family(value))

    # each worked out once

    def _told(self, key: Hashable, work_out: Callable[..., str | None], *names: object) -> str | None:
        message = self._known[key] = work_out(*names)
        return message

    def _class(self, name: Name) -> str | None:
        ontology = self._ontology
        if not isinstance(name, NamedNode):
            return None
        iri = name.value
        if iri in ontology.classes or iri in ontology.datatypes:
            impossible = any(str(each) == iri for each in ontology.unsatisfiable)
            return f"the class {self._short(iri)} can have no members" if impossible else None
        if iri.startswith(_VOCABULARIES):
            return None
        if iri in ontology.properties:
            return f"{self._short(iri)} is a property, not a class"
        return f"unknown class <{iri}>{self._suggestion(iri, 'class')}"

    def _property(self, name: Name) -> str | None:
        ontology = self._ontology
        if not isinstance(name, NamedNode):
            return None
        iri = name.value
        if iri in ontology.properties or iri.startswith(_VOCABULARIES):
            return None
        if iri in ontology.classes:
            return f"{self._short(iri)} is a class, not a property"
        return f"unknown property <{iri}>{self._suggestion(iri, 'property')}"

    def _suggestion(self, iri: str, kind: Kind) -> str:
        name = local_name(iri)
        count = int(self._known.get("suggestions") or 0)
        if not name or ":" in name or count >= _MOST_SUGGESTIONS:
            return ""
        self._known["suggestions"] = str(count + 1)
        try:
            return f" (did you mean <{self._ontology.expand(name, kind)}>?)"
        except OntologyError as error:
            if error.candidates and error.hint is not None and error.hint.startswith("write"):
                return f" (did you mean <{'> or <'.join(error.candidates)}>?)"
            return f" ({error.hint})" if error.hint else ""

    def _statement(self, subject: Name | None, prop: Name, value: Name | None) -> str | None:
        ontology = self._ontology
        if isinstance(subject, NamedNode) and subject.value in ontology.datatypes:
            return f"a literal ({self._short(subject.value)}) has no properties"
        # expand() takes terms as they are
        terms = [name if isinstance(name, NamedNode) else None for name in (subject, prop, value)]
        if terms[1] is None or ontology.compatible(terms[0], terms[1], terms[2]):
            return None
        shown = ", ".join("*" if term is None else self._short(term.value) for term in terms)
        return f"the ontology admits no statement ({shown})"

    def _both(self, first: Name, second: Name) -> str | None:
        if not isinstance(first, NamedNode) or not isinstance(second, NamedNode):
            return None
        if first == second or not self._ontology.disjoint(first.value, second.value):
            return None
        return f"nothing is both {self._short(first.value)} and {self._short(second.value)}"

    def _value(self, prop: Name, kind: str) -> str | None:
        if not isinstance(prop, NamedNode):
            return None
        if kind == "IRI":
            candidates = [THING]
        elif kind == "text with a language":
            candidates = [RDF + "langString"]
        elif kind == "literal of unknown datatype":
            return None
        else:
            candidates = [XSD + name for name in _DATATYPES_OF.get(kind, (kind,))]
        if any(self._ontology.compatible(None, prop, NamedNode(iri)) for iri in candidates):
            return None
        return f"the ontology admits no value of {self._short(prop.value)} of the kind '{kind}'"

    def _short(self, iri: str) -> str:
        """A prefixed name where the ontology has the prefix, else the IRI."""
        name = local_name(iri)
        namespace = iri[: len(iri) - len(name)]
        for prefix, known in (*self._ontology.prefixes.items(), ("xsd", XSD), ("owl", OWL), ("rdf", RDF)):
            if known == namespace and name:
                return f"{prefix}:{name}"
        return f"<{iri}>"
