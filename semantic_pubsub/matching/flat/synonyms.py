"""One name for one thing (CTPS, section 4): what goes by several IRIs or words is written in one way.

`owl:sameAs` sets of resources take their smallest IRI. Words (labels and synonyms in any language) name properties in
attributes, and classes and individuals in values. What names something already stays; so does a word with several
meanings, which is noticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.concepts.words import folded
from semantic_pubsub.errors import OntologyError
from semantic_pubsub.matching.flat.constraints import Constraint, IsA, OneOf, unlike
from semantic_pubsub.matching.flat.paths import steps_of
from semantic_pubsub.matching.flat.plain import Iri, Known, Text
from semantic_pubsub.matching.flat.resolving import named_iri
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.concepts.names import Kind
    from semantic_pubsub.matching.flat.paths import Key

__all__ = ["SameAs", "Words"]


class SameAs:
    """The sets of IRIs that owl:sameAs makes one."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._members: dict[str, set[str]] = {}
        for one, other in pairs:
            first, second = self._members.get(one, {one}), self._members.get(other, {other})
            merged = first | second
            for iri in merged:
                self._members[iri] = merged
        self._root = {iri: min(members) for iri, members in self._members.items()}

    def root(self, iri: str) -> str:
        """The one IRI of a set."""
        return self._root.get(iri, iri)

    def members(self, iri: str) -> tuple[str, ...]:
        """All IRIs of a set, sorted."""
        return tuple(sorted(self._members.get(iri, (iri,))))


class Words:
    """The synonym table: words to IRIs. Own words come before the ontology's, and before its local names."""

    def __init__(self, ontology: Ontology, same: SameAs, own: Mapping[str, str]) -> None:
        self._ontology = ontology
        self._same = same
        self._own = {folded(word): ontology.expand(name) for word, name in own.items()}

    # attributes

    def key(self, key: Key, notice: Callable[[str], None]) -> Key:
        """An attribute with the IRI of a property for each step that is only a word for it."""
        try:
            steps = steps_of(key, self._ontology)
        except OntologyError:
            return key  # whoever resolves it says what is wrong
        found = tuple(self._step(step, notice) for step in steps)
        if found == steps:
            return key
        if isinstance(key, str):
            return ".".join(f"<{step.value}>" if isinstance(step, NamedNode) else str(step) for step in found)
        return found

    def _step(self, step: object, notice: Callable[[str], None]) -> object:
        if not isinstance(step, str):
            return step
        iri = self._of_word(step, "property", notice)
        return step if iri is None else NamedNode(iri)

    # values

    def value(self, value: Known, notice: Callable[[str], None]) -> tuple[Known, ...]:
        """A value as it is written from now on: a text that is a word for something is also the IRI of that."""
        if isinstance(value, Iri):
            return (Iri(self._same.root(value.iri)),)
        if isinstance(value, NamedNode):
            return (NamedNode(self._same.root(value.value)),)
        if not isinstance(value, Text):
            return (value,)
        iri = self._of_word(value.text, None, notice)
        if iri is not None:
            return value, NamedNode(iri)
        named = named_iri(value.text, self._ontology)
        root = None if named is None else self._same.root(named)
        return (value,) if root is None or root == named else (value, NamedNode(root))

    def constraint(self, asked: Constraint, notice: Callable[[str], None]) -> Constraint:
        """What is asked, in the same way as values."""
        if isinstance(asked, IsA):
            iri = self._of_word(asked.name, "class", notice)
            return asked if iri is None else IsA(iri)
        if isinstance(asked, OneOf):
            return OneOf(unlike(one for value in asked.values for one in self.value(value, notice)))
        return asked

    # words

    def _of_word(self, word: str, kind: Kind | None, notice: Callable[[str], None]) -> str | None:
        """The IRI that only a word leads to; None for a name, an unknown word and one with several meanings."""
        own = self._own.get(folded(word))
        if own is not None and self._is(own, kind):
            return self._same.root(own)
        candidates = [iri for iri in self._ontology.named(word) if self._is(iri, kind) and self._ontology.knows(iri)]
        if not candidates or self._is_name(word, kind):
            return None
        meant = sorted(set(map(self._one_name, candidates)))
        if len(meant) == 1:
            return meant[0]
        notice(f"{word!r} has several meanings and stays a text: {', '.join(f'<{iri}>' for iri in meant)}")
        return None

    def _one_name(self, iri: str) -> str:
        """Concepts that are equivalent are one meaning, and so are resources that are the same."""
        if iri in self._ontology.classes or iri in self._ontology.properties:
            return str(min(self._ontology.equivalents(NamedNode(iri))))
        return self._same.root(iri)

    def _is(self, iri: str, kind: Kind | None) -> bool:
        """Whether an IRI can stand here: properties in attributes, classes in isa(…), all but properties in values."""
        ontology = self._ontology
        if kind == "property":
            return iri in ontology.properties
        if kind == "class":
            return iri in ontology.classes or iri in ontology.datatypes
        return iri not in ontology.properties or iri in ontology.classes

    def _is_name(self, word: str, kind: Kind | None) -> bool:
        """Whether a text names something by itself; an ambiguous local name is left to whoever resolves it."""
        if kind is None and any(c.isspace() for c in word):
            return False
        try:
            self._ontology.expand(word, kind)
        except OntologyError as error:
            return "ambiguous" in error.message
        return True
