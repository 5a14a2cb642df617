"""Names, shapes and conditions as JSON, and back: terms as N-Triples, conditions as they are written in a filter."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from pyoxigraph import RdfFormat, parse

from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.index import ANY, renamed
from semantic_pubsub.matching.graph.shapes import Shape
from semantic_pubsub.subscriptions.algebra import Blank, Expression, Variable, references
from semantic_pubsub.subscriptions.printing import expression_text
from semantic_pubsub.subscriptions.syntax import Parser

if TYPE_CHECKING:
    from semantic_pubsub.subscriptions.algebra import Vertex
    from semantic_pubsub.terms import Term

__all__ = [
    "labels_as_texts",
    "labels_from_texts",
    "predicate_as_json",
    "predicate_from_json",
    "shape_as_json",
    "shape_from_json",
]


def labels_as_texts(labels: list[str | Term | None]) -> list[str]:
    """Classes as bare IRIs, constants as N-Triples terms, which begin with `<` or a quote: no IRI does."""
    return [str(label) for label in labels[1:]]


def labels_from_texts(texts: list[str]) -> list[str | Term | None]:
    """The labels again, with existence in the first place."""
    constants = [number for number, text in enumerate(texts, 1) if text[:1] in ("<", '"')]
    lines = "".join(f"<x:s> <x:p> {texts[number - 1]} .\n" for number in constants)
    labels: list[str | Term | None] = [None, *texts]
    terms = (triple.object for triple in parse(lines, format=RdfFormat.N_TRIPLES, lenient=True))
    for number, term in zip(constants, terms, strict=True):
        labels[number] = term
    return labels


def predicate_as_json(expression: Expression) -> list[str]:
    """The name that the nameless variable was given, which no other variable has, and the text."""
    taken = set(references(expression))
    name = next(name for name in (f"v{number}" for number in count()) if name not in taken)
    return [name, expression_text(renamed(expression, ANY, name))]


def predicate_from_json(data: list[str]) -> Expression:
    """A shared predicate again."""
    name, text = data
    return renamed(_parsed(text), name, ANY)


def shape_as_json(shape: Shape, properties: dict[str, int]) -> list[Any]:
    """A shape as nested lists, properties as the numbers they have in the index."""
    return [
        [None if vertex is None else str(vertex) for vertex in shape.vertices],
        [[parent, properties[prop]] for parent, prop in shape.tree],
        [[subject, properties[prop], value] for subject, prop, value in shape.chords],
        [[vertex, int(kind)] for vertex, kind in shape.tests],
        [expression_text(expression) for expression in shape.joint],
        int(shape.injective),
        None if shape.projection is None else list(shape.projection),
        int(shape.statements),
    ]


def shape_from_json(data: list[Any], properties: list[str]) -> Shape:
    """A shape again."""
    vertices, tree, chords, tests, joint, injective, projection, statements = data
    return Shape(
        tuple(_vertex(text) for text in vertices),
        tuple((parent, properties[prop]) for parent, prop in tree),
        tuple((subject, properties[prop], value) for subject, prop, value in chords),
        tuple((vertex, Kind(kind)) for vertex, kind in tests),
        tuple(_parsed(text) for text in joint),
        bool(injective),
        None if projection is None else tuple(projection),
        bool(statements),
    )


def _vertex(text: str | None) -> Vertex | None:
    if text is None:
        return None
    return Variable(text[1:]) if text[0] == "?" else Blank(text[2:])


def _parsed(text: str) -> Expression:
    parser = Parser(text)
    expression = parser.condition()
    parser.expect("end", "nothing more")
    return expression
