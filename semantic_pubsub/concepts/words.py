"""What people call a concept: labels and synonyms, in any language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyoxigraph import Literal

from semantic_pubsub.concepts.facts import OBO_SYNONYM
from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.vocab import RDFS, SCHEMA, SKOS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_pubsub.concepts.facts import Facts

__all__ = ["all_words", "folded", "label", "synonyms"]

_LABELS: Final = (RDFS + "label", SKOS + "prefLabel")
_SYNONYMS: Final = (SKOS + "altLabel", SKOS + "hiddenLabel", OBO_SYNONYM, *(b + "alternateName" for b in SCHEMA))


def label(facts: Facts, iri: str, lang: str | None = None) -> str:
    """The label in a language; else without a language, in English, the first one, or the local name."""
    labels = list(_literals(facts, iri, _LABELS))
    for wanted in (*((lang.lower(),) if lang else ()), "", "en"):
        for text in labels:
            tag = (text.language or "").lower()
            if tag == wanted or (wanted and tag.startswith(wanted + "-")):
                return text.value
    return labels[0].value if labels else local_name(iri)


def synonyms(facts: Facts, iri: str) -> tuple[str, ...]:
    """Other words for the same, in the order of the sources: alternative labels, then labels beyond the first."""
    words = [text.value for text in _literals(facts, iri, (*_SYNONYMS, *_LABELS))]
    return tuple(word for word in dict.fromkeys(words) if word != label(facts, iri))


def all_words(facts: Facts) -> Iterator[tuple[str, str]]:
    """(word, IRI) of every label and synonym."""
    for predicate in (*_LABELS, *_SYNONYMS):
        for subject, text in facts.pairs(predicate):
            if isinstance(subject, str) and isinstance(text, Literal):
                yield text.value, subject


def folded(word: str) -> str:
    """A word as it is looked up: neither capitals nor spacing tell two words apart."""
    return " ".join(word.casefold().split())


def _literals(facts: Facts, iri: str, predicates: tuple[str, ...]) -> Iterator[Literal]:
    for predicate in predicates:
        yield from (value for value in facts.objects(iri, predicate) if isinstance(value, Literal))
