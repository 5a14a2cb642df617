"""What the package understands of an ontology: the triples of the predicates it knows, sorted by predicate.

Inside this room a *node* is a plain string for an IRI, and pyoxigraph's term for a blank node or literal.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from semantic_pubsub.vocab import OWL, RDF, RDF_TYPE, RDFS, SCHEMA, SH, SKOS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["OBO_SYNONYM", "QUDT", "Facts", "Node"]

Node: TypeAlias = str | BlankNode | Literal

QUDT: Final = "http://qudt.org/schema/qudt/"
OBO_SYNONYM: Final = "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym"

_PREDICATES: Final = (
    RDF_TYPE,
    *(RDF + name for name in ("first", "rest")),
    *(RDFS + name for name in ("subClassOf", "subPropertyOf", "domain", "range", "label")),
    *(
        OWL + name
        for name in [
            "allValuesFrom",
            "cardinality",
            "complementOf",
            "disjointUnionOf",
            "disjointWith",
            "equivalentClass",
            "equivalentProperty",
            "hasSelf",
            "hasValue",
            "imports",
            "intersectionOf",
            "maxCardinality",
            "maxQualifiedCardinality",
            "members",
            "minCardinality",
            "onClass",
            "onDataRange",
            "onDatatype",
            "onProperty",
            "oneOf",
            "qualifiedCardinality",
            "sameAs",
            "someValuesFrom",
            "unionOf",
            "versionIRI",
        ]
    ),
    *(SKOS + name for name in ("prefLabel", "altLabel", "hiddenLabel")),
    *(
        SH + name
        for name in [
            "and",
            "class",
            "datatype",
            "deactivated",
            "hasValue",
            "in",
            "maxCount",
            "node",
            "nodeKind",
            "or",
            "path",
            "property",
            "targetClass",
            "xone",
        ]
    ),
    *(base + name for base in SCHEMA for name in ("domainIncludes", "rangeIncludes", "alternateName")),
    OBO_SYNONYM,
    *(
        QUDT + name
        for name in [
            "conversionMultiplier",
            "conversionOffset",
            "hasDimensionVector",
            "symbol",
            "ucumCode",
            "uneceCommonCode",
        ]
    ),
)


class Facts:
    """The known statements of all sources together; `add` once per source, then read."""

    def __init__(self) -> None:
        self.count = 0
        self._pairs: dict[str, list[tuple[Node, Node]]] = {predicate: [] for predicate in _PREDICATES}

    def add(self, statements: Iterable[Quad] | Iterable[Triple]) -> None:
        """Take in what is understood of a source's triples (graph names are ignored); a repeated one counts once."""
        # Hashes, not the triples themselves: a large file need not fit into memory to be counted.
        pairs, seen = self._pairs, set[int]()
        for statement in statements:
            seen.add(hash(statement))
            known = pairs.get(statement.predicate.value)
            if known is not None:
                subject, value = statement.subject, statement.object
                if not isinstance(subject, Triple) and not isinstance(value, Triple):
                    known.append(
                        (
                            subject.value if isinstance(subject, NamedNode) else subject,
                            value.value if isinstance(value, NamedNode) else value,
                        )
                    )
        self.count += len(seen)

    def understands(self, predicate: str) -> bool:
        """Whether statements with this predicate are kept."""
        return predicate in self._pairs

    def pairs(self, predicate: str) -> list[tuple[Node, Node]]:
        """(subject, object) of every statement with this predicate."""
        return self._pairs[predicate]

    def named(self, predicate: str) -> Iterator[tuple[str, str]]:
        """The statements with this predicate between two IRIs."""
        return ((s, o) for s, o in self._pairs[predicate] if isinstance(s, str) and isinstance(o, str))

    def objects(self, subject: Node, predicate: str) -> list[Node]:
        """What a node is related to by a predicate, in the order of the sources."""
        index = self._index.get(predicate)
        if index is None:
            index = self._index[predicate] = {}
            for s, o in dict.fromkeys(self._pairs[predicate]):
                index.setdefault(s, []).append(o)
        return index.get(subject, [])

    @cached_property
    def _index(self) -> dict[str, dict[Node, list[Node]]]:
        return {}

    def members(self, head: Node) -> list[Node]:
        """The members of an RDF list; one that is broken or runs in a circle ends where it does."""
        found: list[Node] = []
        seen: set[Node] = set()
        while head != RDF + "nil" and head not in seen:
            seen.add(head)
            found.extend(self.objects(head, RDF + "first")[:1])
            rest = self.objects(head, RDF + "rest")
            if not rest:
                break
            head = rest[0]
        return found

    def typed(self, *types: str) -> set[str]:
        """The IRIs that have one of these types."""
        wanted = frozenset(types)
        return {s for s, o in self._pairs[RDF_TYPE] if o in wanted and isinstance(s, str)}
