"""Whether one graph pattern covers another: a homomorphism of the general one into the special one.

If each vertex of the general pattern has an image in the special one so that arcs, classes, constants and filters of
the general one follow from the special one's, then every mapping of the special one into an event gives one of the
general one. Without filters and distinct vertices that is also necessary; with them it is what can be told in
reasonable time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.definition import iri_of, outward
from semantic_pubsub.matching.flat.constraints import Between, OneOf
from semantic_pubsub.matching.flat.hmacd_names import is_below_class
from semantic_pubsub.matching.flat.implication import implies, is_never
from semantic_pubsub.matching.flat.lower import comparison, join_constraint
from semantic_pubsub.matching.flat.plain import Iri
from semantic_pubsub.matching.normal_form import normal_form
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Call,
    Constant,
    Expression,
    Pattern,
    Reference,
    Variable,
    Vertex,
    references,
)
from semantic_pubsub.subscriptions.bounds import asked_of, clash
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import RESOURCE, THING, XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.constraints import Constraint
    from semantic_pubsub.subscriptions.bounds import Asked

__all__ = ["KnownPattern", "covers_pattern"]

_TRUE: Final = Constant(Literal("true", datatype=NamedNode(XSD + "boolean")))
_MOST_STEPS: Final = 10_000  # a search that takes longer is given up: nothing is said


class KnownPattern:
    """A resolved pattern, with what can be asked of it at once."""

    def __init__(self, pattern: Pattern, ontology: Ontology, *, injective: bool) -> None:
        pattern = normal_form(pattern)
        self.pattern = pattern
        self.injective = injective
        self.vertices = outward(pattern)
        self.classes: dict[Vertex, list[str]] = {}
        for asked in pattern.classes:
            self.classes.setdefault(asked.vertex, []).append(iri_of(asked.name))
        self.leaving: dict[Vertex, list[tuple[frozenset[str], Vertex]]] = {}
        for arc in pattern.arcs:
            above = ontology.superproperties(iri_of(arc.property))
            self.leaving.setdefault(arc.subject, []).append((above, arc.object))
        self.conditions = [condition.expression for condition in pattern.filters]
        self.compared: dict[str, list[Constraint]] = {}
        for condition in self.conditions:
            found = comparison(condition)
            if found is not None:
                join_constraint(self.compared.setdefault(found[0], []), found[1])
        self.is_never = self._excludes_itself()
        """Whether it is certain that no event matches: what is asked of one value excludes itself."""

    def _excludes_itself(self) -> bool:
        if any(is_never(one) for asked in self.compared.values() for one in asked):
            return True
        asked: dict[str, list[Asked]] = {}
        for name, one in filter(None, map(asked_of, self.conditions)):
            asked.setdefault(name, []).append(one)
        return any(clash(together) is not None for together in asked.values())

    def is_literal(self, vertex: Vertex) -> bool:
        """Whether only a literal can be the image of a vertex."""
        if isinstance(vertex, Literal):
            return True
        asked = self.compared.get(vertex.name, ()) if isinstance(vertex, Variable) else ()
        return any(
            isinstance(one, Between) or (isinstance(one, OneOf) and not any(isinstance(v, Iri) for v in one.values))
            for one in asked
        )

    def is_resource(self, vertex: Vertex) -> bool:
        """Whether only a resource can be."""
        return vertex == HOME or vertex in self.leaving or isinstance(vertex, NamedNode)


def covers_pattern(general: KnownPattern, special: KnownPattern, ontology: Ontology) -> bool:
    """Whether it is certain that every event that matches the special pattern matches the general one."""
    return special.is_never or _Search(general, special, ontology).succeeds()


class _Search:
    """Images of the general pattern's vertices in the special one, from home outward."""

    def __init__(self, general: KnownPattern, special: KnownPattern, ontology: Ontology) -> None:
        self.general, self.special, self.ontology = general, special, ontology
        self.images: dict[Vertex, Vertex] = {}
        self.steps = 0
        self.arriving: dict[Vertex, list[tuple[Vertex, str]]] = {}
        for arc in general.pattern.arcs:
            self.arriving.setdefault(arc.object, []).append((arc.subject, iri_of(arc.property)))

    def succeeds(self) -> bool:
        bound = set(self.general.pattern.variables())
        if any(not bound.issuperset(references(condition)) for condition in self.general.conditions):
            return False
        return self._extend(0)

    def _extend(self, position: int) -> bool:
        if position == len(self.general.vertices):
            return self._are_distinct() and all(map(self._holds, self.general.conditions))
        vertex = self.general.vertices[position]
        for image in self._candidates(vertex):
            self.steps += 1
            if self.steps > _MOST_STEPS:
                return False
            if not self._fits(vertex, image):
                continue
            self.images[vertex] = image
            if self._extend(position + 1):
                return True
            del self.images[vertex]
        return False

    def _candidates(self, vertex: Vertex) -> Iterator[Vertex]:
        if vertex == HOME:
            yield HOME
            return
        for subject, prop in self.arriving.get(vertex, ()):
            if subject in self.images:
                arcs = self.special.leaving.get(self.images[subject], ())
                yield from dict.fromkeys(target for above, target in arcs if prop in above)
                return

    def _fits(self, vertex: Vertex, image: Vertex) -> bool:
        if isinstance(vertex, NamedNode | Literal) and image != vertex and not self._is_equal(image, vertex):
            return False
        if not all(self._is_of(image, name) for name in self.general.classes.get(vertex, ())):
            return False
        self.images[vertex] = image
        arcs = [
            *((subject, prop, vertex) for subject, prop in self.arriving.get(vertex, ()) if subject in self.images),
            *(
                (vertex, iri_of(arc.property), arc.object)
                for arc in self.general.pattern.arcs
                if arc.subject == vertex and arc.object in self.images
            ),
        ]
        fits = all(self._has_arc(self.images[s], prop, self.images[o]) for s, prop, o in arcs)
        del self.images[vertex]
        return fits

    def _has_arc(self, subject: Vertex, prop: str, target: Vertex) -> bool:
        return any(target == other and prop in above for above, other in self.special.leaving.get(subject, ()))

    def _is_equal(self, image: Vertex, constant: NamedNode | Literal) -> bool:
        """Whether a filter says that a variable is the constant itself: for IRIs and plain texts equal is the same."""
        if not isinstance(image, Variable):
            return False
        wanted = OneOf((Iri(constant.value) if isinstance(constant, NamedNode) else constant.value,))
        is_plain = isinstance(constant, NamedNode) or constant == Literal(constant.value)
        return is_plain and wanted in self.special.compared.get(image.name, ())

    def _is_of(self, image: Vertex, name: str) -> bool:
        """Whether an image is of a class, by what the special pattern asks of it or by what it is."""
        if name in (THING, RESOURCE) and self.special.is_resource(image):
            return True
        if isinstance(image, Literal) and name in self.ontology.superdatatypes(image.datatype.value):
            return True
        asked = self.special.classes.get(image, ())
        return any(is_below_class(one, name, self.ontology) for one in asked)

    def _are_distinct(self) -> bool:
        """Whether distinct vertices have distinct images in every event, where the general pattern asks for it."""
        if not self.general.injective:
            return True
        images = list(self.images.values())
        return all(self._is_distinct(one, other) for at, one in enumerate(images) for other in images[at + 1 :])

    def _is_distinct(self, one: Vertex, other: Vertex) -> bool:
        if self.special.is_literal(one) or self.special.is_literal(other):
            return True  # two vertices may share a literal, and none is a resource
        if one == other:
            return False
        return self.special.injective or (isinstance(one, NamedNode) and isinstance(other, NamedNode))

    # filters

    def _holds(self, condition: Expression) -> bool:
        """Whether a condition of the general pattern follows from the special one's."""
        moved = self._moved(condition)
        if moved in self.special.conditions:
            return True
        names = set(references(moved))
        if not names:
            return compile_filter(moved)({})
        found = comparison(moved)
        if found is None:
            return False
        name, asked = found
        return any(implies(one, asked, self.ontology) for one in self.special.compared.get(name, ()))

    def _moved(self, expression: Expression) -> Expression:
        """A condition about the images instead of the vertices."""
        if isinstance(expression, Reference):
            image = self.images[Variable(expression.name)]
            if isinstance(image, Variable):
                return Reference(image.name)
            if isinstance(image, NamedNode | Literal):
                return Constant(image)
            return Reference(str(image))  # no variable has such a name: nothing is known of it
        if isinstance(expression, Call):
            if expression.operator == "BOUND":
                return _TRUE  # every variable of a pattern is
            return Call(expression.operator, tuple(map(self._moved, expression.arguments)))
        return expression
