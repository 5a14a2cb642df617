"""Graph matching as it is defined, and nothing else.

An event matches a pattern if and only if a mapping from the pattern's vertices to the event's exists with

1. constants equal as RDF terms,
2. for each class asked of a vertex, one of its image's classes below it,
3. for each pattern arc, an event arc between the images whose property is below the pattern's,
4. all filters true, and
5. if the subscription is injective, no two vertices with the same resource as image.

Home maps to home. Literals are values and not entities: two vertices may share one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import HOME, Name, Pattern, Variable, Vertex, references
from semantic_pubsub.terms import Literal, NamedNode, Term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from semantic_pubsub.events.closure import ClosedEvent

__all__ = ["has_arc", "iri_of", "mappings", "outward"]


def mappings(pattern: Pattern, event: ClosedEvent, *, injective: bool) -> Iterator[dict[Vertex, Term]]:
    """Every mapping from the pattern's vertices to the event's that satisfies the definition."""
    vertices = outward(pattern)
    filters = [(frozenset(references(f.expression)), compile_filter(f.expression)) for f in pattern.filters]
    names = frozenset(pattern.variables())
    # A filter without a bound variable is true or false once and for all.
    if not all(condition({}) for used, condition in filters if not used & names):
        return
    mapping: dict[Vertex, Term] = {}

    def extend(position: int) -> Iterator[dict[Vertex, Term]]:
        if position == len(vertices):
            yield dict(mapping)
            return
        vertex = vertices[position]
        for image in (event.home,) if vertex == HOME else event.vertices:
            if injective and not isinstance(image, Literal) and image in mapping.values():
                continue
            mapping[vertex] = image
            if _fits(pattern, event, mapping, vertex) and _filters_hold(filters, names, mapping, vertex):
                yield from extend(position + 1)
            del mapping[vertex]

    yield from extend(0)


def outward(pattern: Pattern) -> list[Vertex]:
    """The vertices so that each follows one with an arc to it: the order decides the effort, not the answer."""
    order: list[Vertex] = [HOME]
    for vertex in order:
        order.extend(dict.fromkeys(a.object for a in pattern.arcs if a.subject == vertex and a.object not in order))
    return order + [vertex for vertex in pattern.vertices() if vertex not in order]


def _fits(pattern: Pattern, event: ClosedEvent, mapping: Mapping[Vertex, Term], vertex: Vertex) -> bool:
    """Whether the vertex just mapped agrees with the definition as far as the mapping goes."""
    image = mapping[vertex]
    if isinstance(vertex, NamedNode | Literal) and image != vertex:
        return False
    for asked in pattern.classes:
        if asked.vertex == vertex and iri_of(asked.name) not in event.closed_classes[image]:
            return False
    for arc in pattern.arcs:
        if vertex not in (arc.subject, arc.object) or arc.subject not in mapping or arc.object not in mapping:
            continue
        if not has_arc(event, mapping[arc.subject], iri_of(arc.property), mapping[arc.object]):
            return False
    return True


def has_arc(event: ClosedEvent, subject: Term, prop: str, value: Term) -> bool:
    return any(a.subject == subject and a.object == value and prop in a.properties for a in event.arcs)


def _filters_hold(
    filters: list[tuple[frozenset[str], Callable[[Mapping[str, Term]], bool]]],
    names: frozenset[str],
    mapping: Mapping[Vertex, Term],
    vertex: Vertex,
) -> bool:
    """Whether every filter holds whose last variable has just been mapped."""
    if not isinstance(vertex, Variable):
        return True
    values = {v.name: image for v, image in mapping.items() if isinstance(v, Variable)}
    return all(
        condition(values) for used, condition in filters if vertex.name in used and used & names <= values.keys()
    )


def iri_of(name: Name) -> str:
    if not isinstance(name, NamedNode):
        raise TypeError(f"{name} was not resolved against an ontology")
    return name.value
