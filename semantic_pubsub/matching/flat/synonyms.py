"""One name for one thing (CTPS, section 4): what goes by several IRIs or words is written in one way.

`owl:sameAs` sets of resources take their smallest IRI. Words (labels and synonyms in any language) name properties in
attributes, and classes and individuals in values. What names something already stays; so does a word with several
meanings, which is noticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.concepts.words import folded
from semantic_pubsub.errors import OntologyError
from semantic_pubsub.matching.flat.constraints import Constraint, IsA, OneOf, unlike
from semantic_pubsub.matching.flat.paths import steps_of
from semantic_pubsub.matching.flat.plain import ClassName, Iri, Known, Text
from semantic_pubsub.matching.flat.resolving import named_iri
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.concepts.names import Kind
    from semantic_pubsub.matching.flat.paths import Key

__all__ = ["SameAs", "Words"]

_LONGEST_WORD: Final = 2_000
_MOST_REMEMBERED: Final = 10_000


class SameAs:
    """The sets of IRIs that owl:sameAs makes one."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        above: dict[str, str] = {}
        for one, other in pairs:
            first, second = sorted((_top(one, above), _top(other, above)))
            above[second] = first
            above.setdefault(first, first)
        self._root = {iri: _top(iri, above) for iri in above}
        self._members: dict[str, list[str]] = {}
        for iri in sorted(self._root):
            self._members.setdefault(self._root[iri], []).append(iri)

    def root(self, iri: str) -> str:
        """The one IRI of a set: the smallest."""
        return self._root.get(iri, iri)

    def members(self, iri: str) -> tuple[str, ...]:
        """All IRIs of a set, sorted."""
        return tuple(self._members.get(self.root(iri), (iri,)))


def _top(iri: str, above: dict[str, str]) -> str:
    """The end of the way up, which is made shorter for whoever asks next."""
    while (higher := above.get(iri, iri)) != iri:
        above[iri] = above.get(higher, higher)
        iri = higher
    return iri


class Words:
    """The synonym table: words to IRIs. Own words come before the ontology's, and before its local names."""

    def __init__(self, ontology: Ontology, same: SameAs, own: Mapping[str, str]) -> None:
        self._ontology = ontology
        self._same = same
        self._own = {folded(word): ontology.expand(name) for word, name in own.items()}
        self._found: dict[tuple[str, Kind | None], tuple[tuple[str, ...], str]] = {}

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
        found = self._of_word(step, "property", notice)
        return NamedNode(found[0]) if found else step

    # values

    def value(self, value: Known, notice: Callable[[str], None]) -> tuple[Known, ...]:
        """A value of an event as it is written from now on: a text that is a word for something is also its IRI."""
        if isinstance(value, NamedNode) and self._same.root(value.value) != value.value:
            return ClassName(value.value), Iri(self._same.root(value.value))
        return self._wanted(value, notice)

    def constraint(self, asked: Constraint, notice: Callable[[str], None]) -> Constraint:
        """What is asked, in the same way as values."""
        if isinstance(asked, IsA):
            found = self._of_word(asked.name, "class", notice)
            return IsA(found[0]) if found else asked
        if isinstance(asked, OneOf):
            return OneOf(unlike(one for value in asked.values for one in self._wanted(value, notice)))
        return asked

    def _wanted(self, value: Known, notice: Callable[[str], None]) -> tuple[Known, ...]:
        if isinstance(value, Iri):
            return (Iri(self._same.root(value.iri)),)
        if isinstance(value, NamedNode):
            return (NamedNode(self._same.root(value.value)),)
        if not isinstance(value, Text):
            return (value,)
        found = self._of_word(value.text, None, notice)
        named = None if found else named_iri(value.text, self._ontology)
        names = found if named is None else (named,)
        roots = dict.fromkeys(root for iri in names if (root := self._same.root(iri)) not in names)
        return value, *map(NamedNode, found), *map(Iri, roots)

    # words

    def own(self, word: str) -> str | None:
        """The IRI that was declared for a word."""
        return self._own.get(folded(word)) if len(word) <= _LONGEST_WORD else None

    def _of_word(self, word: str, kind: Kind | None, notice: Callable[[str], None]) -> tuple[str, ...]:
        """The IRIs, one in meaning, that only a word leads to; none for a name and a word with several meanings."""
        if len(word) > _LONGEST_WORD:
            return ()
        known = self._found.get((word, kind))
        if known is None:
            known = self._look_up(word, kind)
            if any(known):  # other texts are without end
                if len(self._found) >= _MOST_REMEMBERED:
                    self._found.clear()
                self._found[word, kind] = known
        found, problem = known
        if problem:
            notice(problem)
        return found

    def _look_up(self, word: str, kind: Kind | None) -> tuple[tuple[str, ...], str]:
        own = self.own(word)
        if own is not None and self._is(own, kind):
            return (own,), ""
        candidates = [iri for iri in self._ontology.named(word) if self._is(iri, kind) and self._ontology.knows(iri)]
        if not candidates or self._is_name(word, kind):
            return (), ""
        if len(set(map(self._one_name, candidates))) == 1:
            return tuple(candidates), ""
        names = ", ".join(f"<{iri}>" for iri in candidates)
        return (), f"{word!r} has several meanings and stays a text: {names}"

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
