"""Meta-statements (C, p, D): p may lead from a C to a D.

Sources: rdfs:domain and rdfs:range (with unions in them), schema.org's domainIncludes and rangeIncludes, OWL
restrictions in the description of a class, SHACL property shapes of a class. A side that nothing states is top:
owl:Thing for subjects and the values of an owl:ObjectProperty, rdfs:Literal for those of an
owl:DatatypeProperty, and both (two statements) where the kind of the property is not stated either.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from rdflib import URIRef

from semantic_pubsub.concepts.expressions import ClassExpressions
from semantic_pubsub.concepts.kinds import NOTHING, domain_predicates, range_predicates
from semantic_pubsub.vocab import LITERAL, OWL, RDF_TYPE, RDFS, SCHEMA, SH, THING, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from semantic_pubsub.concepts.facts import Node
    from semantic_pubsub.concepts.hierarchy import Hierarchy
    from semantic_pubsub.concepts.kinds import Kinds

__all__ = ["MetaModel", "MetaStatement"]

_CLASS_TYPES: Final = frozenset((OWL + "Class", RDFS + "Class"))
_FILLERS: Final = tuple(OWL + name for name in ("someValuesFrom", "allValuesFrom", "onClass", "onDataRange"))
_CARDINALITIES: Final = tuple(OWL + name for name in ("cardinality", "minCardinality", "maxCardinality"))
_NONE_ALLOWED: Final = tuple(
    OWL + name for name in ("cardinality", "maxCardinality", "qualifiedCardinality", "maxQualifiedCardinality")
)
_LISTS: Final = ("and", "or", "xone")
_PARTS: Final = ("node", *_LISTS)
_DATA_TYPE: Final = tuple(base + "DataType" for base in SCHEMA)


class MetaStatement(NamedTuple):
    """A subject of `subject_class` may have `property` with a value of `object_class`."""

    subject_class: URIRef
    property: URIRef
    object_class: URIRef


class MetaModel:
    """The meta-statements of an ontology, and what follows from them through the hierarchies."""

    def __init__(self, kinds: Kinds, classes: Hierarchy, datatypes: Hierarchy, properties: Hierarchy) -> None:
        self._facts = kinds.facts
        self._kinds = kinds
        self._classes = classes
        self._datatypes = datatypes
        self._properties = properties
        self._expressions = ClassExpressions(kinds.facts, self._targets)

    @cached_property
    def statements(self) -> tuple[MetaStatement, ...]:
        """All that is stated, each once, sorted."""
        made: dict[str, URIRef] = {}

        def term(iri: str) -> URIRef:
            return made[iri] if iri in made else made.setdefault(iri, URIRef(iri))

        found = ((term(c), term(p), term(d)) for p, sides in self._stated.items() for c, d in sides)
        return tuple(MetaStatement(*statement) for statement in sorted(found))

    def admits(self, subject: str, prop: str, value: str) -> bool:
        """(C, p, D) ⊑ some meta-statement; always so for a property of which nothing is stated."""
        stated = self._of_property(prop)
        if not stated:
            return True
        subjects, values = self._classes.above(subject), self._values_above(value)
        return any(c in subjects and d in values for c, d in stated)

    def compatible(self, subject: str | None, prop: str, value: str | None) -> bool:
        """Whether some statement that the ontology admits could match the pattern (C, p, D); None asks for nothing.

        Only what is declared can be found impossible: an unknown property, class or datatype never is.
        """
        if prop not in self._properties:
            return True
        for lower in (prop, *self._properties.descendants(prop)):
            stated = self._of_property(lower)
            if not stated or any(self._overlap(subject, c) and self._value_overlap(value, d) for c, d in stated):
                return True
        return False

    def ranges(self, prop: str) -> tuple[str, ...]:
        """What the nearest range statements say of the values: those of the property, else of those above it."""
        level, seen = [prop], set[str]()
        while level:
            names = [same for name in level for same in self._same(name)]
            found = dict.fromkeys(r for name in sorted(set(names)) for r in self._side(name, range_predicates))
            if found:
                return tuple(found)
            seen.update(names)
            level = [upper for name in level for upper in self._parents(name) if upper not in seen]
        return ()

    def _same(self, prop: str) -> tuple[str, ...]:
        return self._properties.same(prop) if prop in self._properties else (prop,)

    def _parents(self, prop: str) -> tuple[str, ...]:
        return self._properties.parents(prop) if prop in self._properties else ()

    # hierarchy

    def _of_property(self, prop: str) -> set[tuple[str, str]]:
        return {sides for upper in self._properties.above(prop) for sides in self._stated.get(upper, ())}

    def _is_datatype(self, name: str) -> bool:
        return name in self._kinds.datatypes or name.startswith(XSD)

    def _values_above(self, name: str) -> frozenset[str]:
        return self._datatypes.above(name) if self._is_datatype(name) else self._classes.above(name)

    def _overlap(self, first: str | None, second: str) -> bool:
        if first is None or first not in self._classes or second not in self._classes:
            return True
        return self._classes.overlap(first, second)

    def _value_overlap(self, asked: str | None, stated: str) -> bool:
        if asked is None:
            return True
        asked_data, stated_data = self._is_datatype(asked), self._is_datatype(stated)
        if asked_data and stated_data:
            if asked not in self._datatypes or stated not in self._datatypes:
                return True
            return self._datatypes.overlap(asked, stated)
        if asked_data or stated_data:
            # schema.org has classes of its own for values (Text, Number): they stand for any literal.
            other = stated if asked_data else asked
            return not self._classes.above(other).isdisjoint(self._value_classes)
        return self._overlap(asked, stated)

    @cached_property
    def _value_classes(self) -> frozenset[str]:
        return frozenset((*_DATA_TYPE, *self._facts.typed(*_DATA_TYPE)))

    # sources

    @cached_property
    def _stated(self) -> dict[str, dict[tuple[str, str], None]]:
        """Property to (subject class, object class) pairs."""
        found: dict[str, dict[tuple[str, str], None]] = {}
        for prop, subjects, values in (*self._of_domains(), *self._of_restrictions(), *self._of_shapes()):
            sides = found.setdefault(prop, {})
            sides.update(dict.fromkeys(pair for pair in product(subjects, values) if NOTHING not in pair))
        return found

    def _top(self, prop: str) -> tuple[str, ...]:
        is_object = prop in self._kinds.object_properties
        is_data = prop in self._kinds.datatype_properties
        if is_object == is_data:
            return THING, LITERAL
        return (THING,) if is_object else (LITERAL,)

    def _side(self, prop: str, predicates: Iterable[str]) -> tuple[str, ...]:
        objects = (node for predicate in predicates for node in self._facts.objects(prop, predicate))
        return tuple(dict.fromkeys(name for node in objects for name in self._expressions.names(node)))

    def _values_of(self, prop: str, said: tuple[str, ...] = ()) -> tuple[str, ...]:
        return said or self.ranges(prop) or self._top(prop)

    def _of_domains(self) -> Iterator[tuple[str, Iterable[str], Iterable[str]]]:
        pairs = (pair for predicate in (*domain_predicates, *range_predicates) for pair in self._facts.pairs(predicate))
        for prop in dict.fromkeys(subject for subject, _ in pairs if isinstance(subject, str)):
            subjects = [name for name in self._side(prop, domain_predicates) if name != LITERAL]
            yield prop, subjects or (THING,), self._side(prop, range_predicates) or self._top(prop)

    def _of_restrictions(self) -> Iterator[tuple[str, Iterable[str], Iterable[str]]]:
        facts = self._facts
        if not facts.pairs(OWL + "onProperty"):
            return
        parts = (OWL + "intersectionOf", OWL + "unionOf")
        described = [*facts.pairs(RDFS + "subClassOf"), *facts.pairs(OWL + "equivalentClass")]
        described += [(second, first) for first, second in facts.pairs(OWL + "equivalentClass")]
        described += [(name, part) for p in parts for name, head in facts.pairs(p) for part in facts.members(head)]
        for name, node in described:
            if isinstance(name, str) and not isinstance(node, str):
                for prop, values in self._restrictions(name, node):
                    yield prop, (name,), values

    def _restrictions(self, name: str, description: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The restrictions in a description, also inside intersections and unions."""
        facts, queue, seen = self._facts, [description], set[object]()
        while queue:
            node = queue.pop()
            if isinstance(node, str) or node in seen:
                continue
            seen.add(node)
            for predicate in (OWL + "intersectionOf", OWL + "unionOf"):
                queue += [part for head in facts.objects(node, predicate) for part in facts.members(head)]
            for prop in facts.objects(node, OWL + "onProperty"):
                if isinstance(prop, str):
                    values = self._restricted_values(node, prop, name)
                    if values is not None:
                        yield prop, values

    def _restricted_values(self, node: Node, prop: str, name: str) -> tuple[str, ...] | None:
        facts, expressions = self._facts, self._expressions
        if any(_is_zero(limit) for predicate in _NONE_ALLOWED for limit in facts.objects(node, predicate)):
            return None
        fillers = [filler for predicate in _FILLERS for filler in facts.objects(node, predicate)]
        if fillers:
            return self._values_of(prop, tuple(n for filler in fillers for n in expressions.names(filler)))
        values = facts.objects(node, OWL + "hasValue")
        if values:
            return tuple(n for value in values for n in expressions.of_value(value))
        if facts.objects(node, OWL + "hasSelf"):
            return (name,)
        return self._values_of(prop) if any(facts.objects(node, p) for p in _CARDINALITIES) else None

    def _of_shapes(self) -> Iterator[tuple[str, Iterable[str], Iterable[str]]]:
        facts = self._facts
        pairs = [pair for name in ("property", "targetClass", *_PARTS) for pair in facts.pairs(SH + name)]
        for shape in dict.fromkeys(subject for subject, _ in pairs):
            targets = self._targets(shape)
            for part in self._property_shapes(shape) if targets else ():
                for path in facts.objects(part, SH + "path"):
                    if isinstance(path, str):
                        yield path, targets, self._values_of(path, self._expressions.of_shape(part))

    def _targets(self, shape: Node) -> tuple[str, ...]:
        """The classes whose members a shape describes: by sh:targetClass, or because it is a class itself."""
        facts = self._facts
        found = [name for name in facts.objects(shape, SH + "targetClass") if isinstance(name, str)]
        if isinstance(shape, str) and not _CLASS_TYPES.isdisjoint(facts.objects(shape, RDF_TYPE)):
            found.append(shape)
        return tuple(dict.fromkeys(found))

    def _property_shapes(self, shape: Node) -> Iterator[Node]:
        """The property shapes of a shape (itself, if it is one) and of those it is made of."""
        facts, queue, seen = self._facts, [shape], set[object]()
        while queue:
            node = queue.pop()
            if node in seen or self._is_off(node):
                continue
            seen.add(node)
            if facts.objects(node, SH + "path"):  # what is inside speaks of the values
                yield node
                continue
            queue += [*facts.objects(node, SH + "property"), *facts.objects(node, SH + "node")]
            queue += [m for name in _LISTS for head in facts.objects(node, SH + name) for m in facts.members(head)]

    def _is_off(self, shape: Node) -> bool:
        """Whether a shape is switched off, or allows no value at all."""
        facts = self._facts
        return any(_is_true(flag) for flag in facts.objects(shape, SH + "deactivated")) or any(
            _is_zero(most) for most in facts.objects(shape, SH + "maxCount")
        )


def _is_zero(limit: Node) -> bool:
    return getattr(limit, "value", None) == "0"


def _is_true(flag: Node) -> bool:
    return getattr(flag, "value", None) in {"true", "1"}
