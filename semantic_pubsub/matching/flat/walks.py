"""From an event graph to the vertices that attributes lead to, without spelling out the pairs.

Sets of vertices are pushed down the trie of used paths. The record of a vertex in a group has all attributes that lead
there, and all that the vertex is: the same as its pairs, one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from semantic_pubsub.matching.flat.plain import ClassName, Iri
from semantic_pubsub.matching.flat.resolving import LiteralValue, PairValue
from semantic_pubsub.subscriptions.values import value_of
from semantic_pubsub.terms import Literal, NamedNode, Resource, Term
from semantic_pubsub.vocab import THING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from semantic_pubsub.events import Event
    from semantic_pubsub.matching.flat.vocabulary import PathNode, Vocabulary

__all__ = ["Walked", "walk"]


class Walked(NamedTuple):
    """The vertices that some attribute leads to: (group, attributes, values) of each.

    `single`: no path leads to two of them. `distinct`: no two paths lead to one, literals not counted.
    """

    vertices: list[tuple[int, tuple[int, ...], tuple[PairValue, ...]]]
    single: bool
    distinct: bool


def walk(event: Event, vocabulary: Vocabulary) -> Walked:
    """Push the event's vertices down the used paths, home first."""
    leaving, types = _arcs_and_types(event, vocabulary)
    home = event.home
    places: dict[tuple[Term, int], list[int]] = {}
    owner: dict[Term, object] = {home: vocabulary.trie}
    single = distinct = True
    attr_group = vocabulary.attr_group
    waiting: list[tuple[PathNode, tuple[Term, ...]]] = [(vocabulary.trie, (home,))]
    for node, vertices in waiting:
        if node.attr >= 0:
            single &= len(vertices) == 1
            for vertex in vertices:
                places.setdefault((vertex, attr_group[node.attr]), []).append(node.attr)
                if type(vertex) is not Literal:
                    distinct &= owner.setdefault(vertex, node) is node
        if node.children:
            waiting.extend(_following(node, vertices, leaving))
    values = _values_of(dict.fromkeys(vertex for vertex, _ in places), types, event, vocabulary)
    found = [(group, tuple(attrs), values[vertex]) for (vertex, group), attrs in places.items()]
    return Walked(found, single, distinct)


def _arcs_and_types(
    event: Event, vocabulary: Vocabulary
) -> tuple[dict[Term, list[tuple[tuple[str, ...], Term]]], dict[Term, list[str]]]:
    """The arcs that leave each vertex, with the used properties they are below; and the types that are stated."""
    leaving: dict[Term, list[tuple[tuple[str, ...], Term]]] = {}
    types: dict[Term, list[str]] = {}
    for subject, predicate, value in event.triples:
        is_type, steps, _, _ = vocabulary.arc(predicate.value)
        if steps:
            leaving.setdefault(subject, []).append((steps, value))
        if is_type and type(value) is NamedNode:
            types.setdefault(subject, []).append(value.value)
    return leaving, types


def _following(
    node: PathNode, vertices: tuple[Term, ...], leaving: dict[Term, list[tuple[tuple[str, ...], Term]]]
) -> Iterator[tuple[PathNode, tuple[Term, ...]]]:
    """The steps from a node for which there are arcs, and where these lead."""
    children = node.children
    reached: dict[str, dict[Term, None]] = {}
    for vertex in vertices:
        for steps, value in leaving.get(vertex, ()):
            for step in steps:
                if step in children:
                    reached.setdefault(step, {})[value] = None
    return ((children[step], tuple(found)) for step, found in reached.items())


def _values_of(
    vertices: Iterable[Term], types: dict[Term, list[str]], event: Event, vocabulary: Vocabulary
) -> dict[Term, tuple[PairValue, ...]]:
    """What each vertex is."""
    resources = [vertex for vertex in vertices if type(vertex) is not Literal]
    untyped = {vertex for vertex in resources if vertex not in types}
    implied = _implied_classes(untyped, event, vocabulary) if untyped else {}
    values: dict[Term, tuple[PairValue, ...]] = {}
    for vertex in vertices:
        if isinstance(vertex, Literal):
            values[vertex] = (LiteralValue(value_of(vertex), vertex.datatype.value),)
            continue
        own = types.get(vertex) or sorted(implied.get(vertex, ())) or (THING,)
        classes = tuple(map(ClassName, dict.fromkeys(own)))
        values[vertex] = (*classes, Iri(vertex.value)) if isinstance(vertex, NamedNode) else classes
    return values


def _implied_classes(untyped: set[Resource], event: Event, vocabulary: Vocabulary) -> dict[Term, set[str]]:
    """For vertices without a type the ranges of the properties that reach them, and the domains of those that leave."""
    implied: dict[Term, set[str]] = {}
    for subject, predicate, value in event.triples:
        _, _, ranges, domains = vocabulary.arc(predicate.value)
        if domains and subject in untyped:
            implied.setdefault(subject, set()).update(domains)
        if ranges and value in untyped:
            implied.setdefault(value, set()).update(ranges)
    return implied
