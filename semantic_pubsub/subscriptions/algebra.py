"""The subscription algebra: what both syntaxes mean, as frozen data.

A subscription is one or more alternatives (`UNION`); each is a `Pattern`: arcs between vertices, classes
asked of vertices, and filters. Everything here compares by meaning; `offset` (where in the text a part
began) is carried for messages and ignored in comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from semantic_pubsub.terms import Literal, NamedNode

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "HOME",
    "Arc",
    "Blank",
    "Call",
    "ClassAsked",
    "Constant",
    "Expression",
    "Filter",
    "LocalName",
    "Name",
    "Pattern",
    "Reference",
    "Variable",
    "Vertex",
    "references",
]


@dataclass(frozen=True, slots=True)
class Variable:
    """`?name`: takes any vertex, and its image is part of the answer."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, slots=True)
class Blank:
    """`_:label` (or `[]`, or a step inside a path): a variable without a binding."""

    label: str

    def __str__(self) -> str:
        return f"_:{self.label}"


HOME = Blank("H")
"""The home vertex: the one place where a pattern is tied to the event."""


@dataclass(frozen=True, slots=True)
class LocalName:
    """A bare name of the statement-pattern syntax; an ontology turns it into an IRI (`resolve`)."""

    name: str

    def __str__(self) -> str:
        return self.name


Name: TypeAlias = NamedNode | LocalName
Vertex: TypeAlias = Variable | Blank | NamedNode | Literal | LocalName


@dataclass(frozen=True, slots=True)
class Arc:
    """subject –property→ object; never `rdf:type`, which is a `ClassAsked`."""

    subject: Vertex
    property: Name
    object: Vertex
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ClassAsked:
    """One of the classes of the vertex's image must be below `name`."""

    vertex: Vertex
    name: Name
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant inside an expression (a `LocalName` only until `resolve`)."""

    term: NamedNode | Literal | LocalName


@dataclass(frozen=True, slots=True)
class Reference:
    """A variable inside an expression; one that the pattern does not bind is an error when evaluated."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or function applied to arguments.

    `operator` is the SPARQL symbol ("<", "&&", "!", "+", "in", "not in"), with "neg" and "pos" for the unary
    signs, the upper-case name of a built-in ("REGEX", "STRSTARTS"), or the IRI of an XSD cast.
    For "in" and "not in" the first argument is the left side; "&&" and "||" take two arguments or more.
    """

    operator: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = Constant | Reference | Call


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a complete mapping; an error counts as false."""

    expression: Expression
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One alternative of a subscription: a graph pattern rooted at `HOME`."""

    arcs: tuple[Arc, ...] = ()
    classes: tuple[ClassAsked, ...] = ()
    filters: tuple[Filter, ...] = ()

    def vertices(self) -> tuple[Vertex, ...]:
        """Every vertex once, home first, then in the order of the text."""
        found: dict[Vertex, None] = {HOME: None}
        for arc in self.arcs:
            found[arc.subject] = None
            found[arc.object] = None
        for asked in self.classes:
            found[asked.vertex] = None
        return tuple(found)

    def variables(self) -> tuple[str, ...]:
        """The names that a solution binds, in the order of the text."""
        return tuple(v.name for v in self.vertices() if isinstance(v, Variable))


def references(expression: Expression) -> Iterator[str]:
    """The variable names in an expression, left to right, repeats included."""
    if isinstance(expression, Reference):
        yield expression.name
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from references(argument)
