"""`Ontology`: the concept model that events and subscriptions are read with."""

from __future__ import annotations

from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal
from rdflib import URIRef

from semantic_pubsub.concepts import loader, words
from semantic_pubsub.concepts.context import jsonld_context
from semantic_pubsub.concepts.disjointness import Disjointness
from semantic_pubsub.concepts.guards import DEFAULT_LIMITS, OntologyLimits
from semantic_pubsub.concepts.kinds import Kinds
from semantic_pubsub.concepts.meta import MetaModel, MetaStatement
from semantic_pubsub.concepts.names import Names
from semantic_pubsub.concepts.reasoner import REASONERS, Inferences, run_hermit
from semantic_pubsub.errors import Notice, OntologyError
from semantic_pubsub.vocab import LITERAL, OWL, RDF_TYPE, RDFS, THING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from semantic_pubsub.concepts.hierarchy import Hierarchy
    from semantic_pubsub.concepts.names import Kind, NameLike

__all__ = ["Ontology"]


class Ontology:
    """Classes, datatypes and properties with their orders ⊑, and what may lead from what to what.

    Wherever a concept is named, an IRI string, an rdflib or pyoxigraph term, a prefixed name or a unique
    local name will do. The methods under "for matching" take IRI strings only and are made to be fast.
    """

    def __init__(self, loaded: loader.Loaded, inferences: Inferences | None = None) -> None:
        self._facts = loaded.facts
        self._kinds = Kinds(loaded.facts)
        self._inferences = inferences or Inferences()
        self.triples: int = loaded.facts.count
        """How many triples the sources held."""
        self.sources: tuple[str, ...] = tuple(loaded.sources)
        self._prefixes = dict(loaded.prefixes)
        self._warnings = (*loaded.warnings, *_unusable(self._inferences.unusable))
        self._domains: dict[str, tuple[str, ...]] = {}
        self._ranges: dict[str, tuple[str, ...]] = {}
        self._names = Names(
            self._prefixes,
            {"class": self._class_names, "property": self._property_names, "individual": self._individual_names},
            self.knows,
            self._same,
            self._all_words,
        )

    @classmethod
    def load(
        cls,
        *sources: loader.Source,
        reasoner: str | None = None,
        reasoner_timeout: float = 300,
        format: str | None = None,  # noqa: A002
        limits: OntologyLimits = DEFAULT_LIMITS,
    ) -> Ontology:
        """Read files, folders and rdflib graphs as one ontology.

        `format` is one of rdflib's names or a media type and holds for all files; without it the ending tells.
        `owl:imports` are looked for among the sources only; nothing is fetched, and one that is missing is a
        warning. With `reasoner="hermit"` what follows from the statements is part of the order, too; the reasoner
        is stopped after `reasoner_timeout` seconds.
        """
        if reasoner is not None and reasoner not in REASONERS:
            raise OntologyError(f"unknown reasoner {reasoner!r}", hint=f"known is {', '.join(REASONERS)}")
        loaded = loader.load(sources, format, limits, keep_triples=reasoner is not None)
        if loaded.triples is None:
            return cls(loaded)
        return cls(loaded, run_hermit(loaded.triples, reasoner_timeout, ", ".join(loaded.sources) or None))

    # what it holds

    @cached_property
    def classes(self) -> Hierarchy:
        """The named classes and their order; datatypes are apart."""
        return self._kinds.class_hierarchy(self._inferences.classes)

    @cached_property
    def datatypes(self) -> Hierarchy:
        """The datatypes and their order, rdfs:Literal above all."""
        return self._kinds.datatype_hierarchy()

    @cached_property
    def properties(self) -> Hierarchy:
        """The properties and their order."""
        return self._kinds.property_hierarchy(self._inferences.properties)

    @cached_property
    def individuals(self) -> frozenset[URIRef]:
        """The named individuals: what has a type and is neither class, datatype nor property."""
        return frozenset(map(URIRef, self._individual_names()))

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes that the sources declare."""
        return MappingProxyType(self._prefixes)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What deserves a look.

        Imports that are missing, prefixes with two meanings, files that state nothing, and properties of which the
        reasoner found that no statement can have them without a contradiction.
        """
        return self._warnings

    # order, for people

    def is_a(self, lower: NameLike, upper: NameLike) -> bool:
        """Whether lower ⊑ upper among classes (datatypes included) or among properties; never across them."""
        first, second = self._concept(lower), self._concept(upper)
        return any(first in h and second in h and h.is_below(first, second) for h in self._hierarchies)

    def ancestors(self, name: NameLike) -> frozenset[URIRef]:
        """All that is properly above: without the concept's own names, with owl:Thing (or rdfs:Literal)."""
        iri = self._concept(name)
        return _terms(n for h in self._hierarchies if iri in h for n in h.ancestors(iri))

    def descendants(self, name: NameLike) -> frozenset[URIRef]:
        """All that is properly below: without the concept's own names."""
        iri = self._concept(name)
        return _terms(n for h in self._hierarchies if iri in h for n in h.descendants(iri))

    def parents(self, name: NameLike) -> frozenset[URIRef]:
        """What is directly above, as stated; owl:Thing (or rdfs:Literal) where nothing else is."""
        iri = self._concept(name)
        return _terms(n for h in self._hierarchies if iri in h for n in h.parents(iri))

    def children(self, name: NameLike) -> frozenset[URIRef]:
        """What is directly below, as stated."""
        iri = self._concept(name)
        return _terms(n for h in self._hierarchies if iri in h for n in h.children(iri))

    def equivalents(self, name: NameLike) -> frozenset[URIRef]:
        """All names of the concept, this one included."""
        iri = self._concept(name)
        return _terms(n for h in self._hierarchies if iri in h for n in h.same(iri))

    def depth(self, name: NameLike) -> int:
        """Steps on the longest way up to a root (a concept with nothing but owl:Thing above); 0 for a root."""
        iri = self._concept(name)
        return max(h.depth(iri) for h in self._hierarchies if iri in h)

    def label(self, name: NameLike, lang: str | None = None) -> str:
        """The label in a language; else without a language, in English, the first one, or the local name."""
        return words.label(self._facts, self.expand(name), lang)

    def synonyms(self, name: NameLike) -> tuple[str, ...]:
        """Other words for the same, in any language."""
        return words.synonyms(self._facts, self.expand(name))

    def named(self, word: str) -> tuple[str, ...]:
        """The IRIs that go by a word: a label or synonym in any language, capitals and spacing aside; sorted."""
        return self._words_index.get(words.folded(word), ())

    @cached_property
    def same_as(self) -> tuple[tuple[str, str], ...]:
        """The pairs of IRIs that owl:sameAs states. They have no effect on matching, unless a stage rewrites them."""
        return tuple(dict.fromkeys(self._facts.named(OWL + "sameAs")))

    def annotations(self, predicate: str) -> tuple[tuple[str, str], ...]:
        """(IRI, text or IRI) of every statement with a predicate that is kept (labels, units); none for any other."""
        if not self._facts.understands(predicate):
            return ()
        found = ((s, o.value if isinstance(o, Literal) else o) for s, o in self._facts.pairs(predicate))
        return tuple(dict.fromkeys((s, o) for s, o in found if isinstance(s, str) and isinstance(o, str)))

    # what a reasoner adds

    @cached_property
    def asserted(self) -> frozenset[tuple[URIRef, URIRef]]:
        """Pairs (a, b) of different named classes with a ⊑ b that follow from stated names alone.

        owl:Thing is not counted, nor are the classes that the reasoner found unsatisfiable (without a reasoner:
        those stated to be so), of which everything would be true.
        """
        return frozenset(self._counted(self._kinds.class_hierarchy()))

    @cached_property
    def inferred(self) -> frozenset[tuple[URIRef, URIRef]]:
        """The pairs, counted as in `asserted`, that only the reasoner gave."""
        if not self._inferences.classes:
            return frozenset()
        return frozenset(self._counted(self.classes)) - self.asserted

    @cached_property
    def unsatisfiable(self) -> frozenset[URIRef]:
        """The classes that can have no member, as the reasoner found or as stated.

        In the order they keep the place that was stated. Logic would put them below every class, but an event that
        claims to be one would then match every subscription.
        """
        return _terms(self._inferences.unsatisfiable | self._kinds.impossible)

    def _counted(self, hierarchy: Hierarchy) -> Iterable[tuple[URIRef, URIRef]]:
        made = {str(name): name for name in hierarchy}
        for name in self.unsatisfiable:
            made.pop(str(name), None)
        return ((made[a], made[b]) for a, b in hierarchy.subsumptions() if a in made and b in made)

    # meta-statements

    @cached_property
    def _meta(self) -> MetaModel:
        return MetaModel(self._kinds, self.classes, self.datatypes, self.properties)

    @property
    def meta_statements(self) -> tuple[MetaStatement, ...]:
        """Every (C, p, D) that the ontology states, sorted; see `MetaStatement`."""
        return self._meta.statements

    def admits(self, subject_class: NameLike, prop: NameLike, object_class: NameLike) -> bool:
        """Whether (C, p, D) ⊑ some meta-statement; always so for a property of which nothing is stated."""
        value = self.expand(object_class, "class")
        return self._meta.admits(self.expand(subject_class, "class"), self.expand(prop, "property"), value)

    def compatible(self, subject_class: NameLike | None, prop: NameLike, object_class: NameLike | None) -> bool:
        """Whether a statement that the ontology admits could match the pattern (C, p, D); None asks for nothing.

        Some meta-statement must have a property above or below p and classes that have a known class in common
        with C and D. What the ontology does not know is never found impossible.
        """
        subject = None if subject_class is None else self.expand(subject_class, "class")
        value = None if object_class is None else self.expand(object_class, "class")
        return self._meta.compatible(subject, self.expand(prop, "property"), value)

    def jsonld_context(self) -> dict[str, Any]:
        """A JSON-LD context: local names that are unique, what is an IRI, and the datatypes of values."""
        return jsonld_context(self._names.unique(), self._prefixes, self._kinds, self._meta)

    # names

    def expand(self, name: NameLike, kind: Kind | None = None) -> str:
        """The IRI that a name stands for; `kind` narrows where a local name is looked up.

        An `OntologyError` lists the candidates for a local name that is unknown or ambiguous, and says so for an
        unknown prefix. An absolute IRI is taken as it is, known or not.
        """
        return self._names.expand(name, kind)

    def find(self, name: str, kind: Kind | None = None) -> str | None:
        """The IRI that a text names, or None where it names nothing or could name several things."""
        return self._names.find(name, kind)

    def knows(self, iri: str) -> bool:
        """Whether it is the IRI of a class, datatype, property or individual of this ontology."""
        return any(iri in hierarchy for hierarchy in self._hierarchies) or iri in self._individual_set

    # for matching: IRI strings in, cached, cheap

    def superclasses(self, iri: str) -> frozenset[str]:
        """All classes above or equal, every name of each; for an unknown one itself and the tops."""
        if iri in self._kinds.datatypes:  # a resource that says it is one
            return self.classes.above(THING) | self.datatypes.above(iri)
        return self.classes.above(iri)

    def superdatatypes(self, iri: str) -> frozenset[str]:
        """All datatypes above or equal, rdfs:Literal included and owl:Thing never."""
        if iri in self.classes and iri not in self._kinds.datatypes:  # a class in place of a datatype
            return (self.classes.above(iri) - self.classes.above(THING)) | {LITERAL}
        return self.datatypes.above(iri)

    def superproperties(self, iri: str) -> frozenset[str]:
        """All properties above or equal; for an unknown one itself."""
        return self.properties.above(iri)

    def types(self, iri: str) -> tuple[str, ...]:
        """The named classes that rdf:type states of an individual, a class or a property itself."""
        return tuple(name for name in self._facts.objects(iri, RDF_TYPE) if isinstance(name, str))

    def domains(self, iri: str) -> tuple[str, ...]:
        """The named classes that rdfs:domain states of this property itself."""
        known = self._domains.get(iri)
        if known is None:
            known = self._domains[iri] = self._stated_classes(iri, RDFS + "domain")
        return known

    def ranges(self, iri: str) -> tuple[str, ...]:
        """The named classes (no datatypes) that rdfs:range states of this property itself."""
        known = self._ranges.get(iri)
        if known is None:
            known = self._ranges[iri] = self._stated_classes(iri, RDFS + "range")
        return known

    def disjoint(self, first: str, second: str) -> bool:
        """Whether nothing can be both: stated so of them or of classes above, or values of different datatypes.

        A datatype and a class are disjoint, and so are two datatypes that no known datatype is below.
        """
        datatypes = self._kinds.datatypes
        if first in datatypes and second in datatypes:
            return not self.datatypes.overlap(first, second)
        if first in datatypes or second in datatypes:
            return self._disjoint_kinds(*((first, second) if first in datatypes else (second, first)))
        return self._disjointness.between(self.superclasses(first), self.superclasses(second))

    def _disjoint_kinds(self, datatype: str, name: str) -> bool:
        """A datatype and a known class are disjoint, unless a datatype is stated to be below the class."""
        if name in self.datatypes:
            return not self.datatypes.overlap(datatype, name)
        return name in self.classes

    # inner parts

    @cached_property
    def _hierarchies(self) -> tuple[Hierarchy, ...]:
        return self.classes, self.datatypes, self.properties

    @cached_property
    def _disjointness(self) -> Disjointness:
        return Disjointness(self._facts)

    @cached_property
    def _individual_set(self) -> frozenset[str]:
        return frozenset(self._individual_names())

    def _concept(self, name: NameLike) -> str:
        iri = self.expand(name)
        if not any(iri in hierarchy for hierarchy in self._hierarchies):
            raise OntologyError(f"unknown class or property <{iri}>", hint=self._names.near(iri))
        return iri

    def _stated_classes(self, iri: str, predicate: str) -> tuple[str, ...]:
        stated = self._facts.objects(iri, predicate)
        return tuple(name for name in stated if isinstance(name, str) and name not in self._kinds.datatypes)

    def _class_names(self) -> Iterable[str]:
        return (str(name) for hierarchy in (self.classes, self.datatypes) for name in hierarchy)

    def _property_names(self) -> Iterable[str]:
        return map(str, self.properties)

    def _individual_names(self) -> list[str]:
        return self._kinds.individuals(*self._hierarchies)

    def _same(self, iri: str) -> tuple[str, ...]:
        return tuple(name for h in self._hierarchies if iri in h for name in h.same(iri)) or (iri,)

    @cached_property
    def _words_index(self) -> dict[str, tuple[str, ...]]:
        index: dict[str, set[str]] = {}
        for word, iri in self._all_words():
            index.setdefault(words.folded(word), set()).add(iri)
        return {word: tuple(sorted(iris)) for word, iris in index.items()}

    def _all_words(self) -> Iterable[tuple[str, str]]:
        return words.all_words(self._facts)

    def __repr__(self) -> str:
        return f"<Ontology: {len(self.classes):,} classes, {len(self.properties):,} properties>"


def _unusable(properties: set[str]) -> list[Notice]:
    if not properties:
        return []
    shown = ", ".join(f"<{name}>" for name in sorted(properties)[:5])
    more = f" and {len(properties) - 5} more" if len(properties) > 5 else ""
    return [Notice(f"the statements about these properties contradict each other, so none can be used: {shown}{more}")]


def _terms(names: Iterable[str]) -> frozenset[URIRef]:
    return frozenset(map(URIRef, names))
