"""A pattern as an event that just satisfies it: whatever covers the pattern matches that event.

What stands for a variable with bounds lies close to one of them, so that few patterns match which do not cover. Of
filters only comparisons with numbers count, here and in `relaxed`, which leaves the others out of a pattern.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.definition import iri_of
from semantic_pubsub.matching.flat.constraints import Between, OneOf
from semantic_pubsub.matching.flat.lower import comparison
from semantic_pubsub.matching.flat.plain import Iri
from semantic_pubsub.subscriptions.algebra import HOME, Pattern, Variable, Vertex
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Term
from semantic_pubsub.vocab import RDF_TYPE, THING, XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.constraints import Constraint
    from semantic_pubsub.matching.pattern_covering import KnownPattern

__all__ = ["event_texts", "relaxed"]

_FAR: Final = Decimal(10) ** 14
_STEP: Final = Decimal("0.000001")
_NUMBERS: Final = frozenset((int, Decimal, float))


def relaxed(pattern: Pattern) -> Pattern:
    """The pattern without those filters that are no comparison with a number."""
    kept = []
    for condition in pattern.filters:
        found = comparison(condition.expression)
        if found is not None and _is_numeric(found[1]):
            kept.append(condition)
    return replace(pattern, filters=tuple(kept))


def _is_numeric(asked: Constraint) -> bool:
    if not isinstance(asked, Between):
        return False
    bounds = [bound for bound in (asked.lower, asked.upper) if bound is not None]
    return all(type(bound) in _NUMBERS and -_FAR < Decimal(bound) < _FAR for bound in bounds)  # type: ignore[arg-type]


def event_texts(known: KnownPattern, ontology: Ontology) -> list[str]:
    """N-Triples of one event; of two, with all numbers at the lower and at the upper end, if there are such filters."""
    ranged = any(_is_numeric(one) for asked in known.compared.values() for one in asked)
    return ["\n".join(_lines(known, ontology, at_top)) for at_top in ((False, True) if ranged else (False,))]


def _lines(known: KnownPattern, ontology: Ontology, at_top: bool) -> Iterator[str]:
    terms: dict[Vertex, Term] = {HOME: BlankNode("H")}
    for number, vertex in enumerate(known.vertices):
        if vertex != HOME:
            terms[vertex] = _term(known, vertex, ontology, at_top) or BlankNode(f"v{number}")
    yield f"_:H <{RDF_TYPE}> <{THING}> ."
    for vertex, names in known.classes.items():
        if not isinstance(terms[vertex], Literal):
            yield from (f"{terms[vertex]} <{RDF_TYPE}> <{name}> ." for name in names)
    for arc in known.pattern.arcs:
        if not isinstance(terms[arc.subject], Literal):
            yield f"{terms[arc.subject]} <{iri_of(arc.property)}> {terms[arc.object]} ."


def _term(known: KnownPattern, vertex: Vertex, ontology: Ontology, at_top: bool) -> Term | None:
    """What stands for a vertex; None for a resource of its own."""
    if isinstance(vertex, NamedNode | Literal):
        return vertex
    datatypes = [name for name in known.classes.get(vertex, ()) if name in ontology.datatypes]
    datatype = datatypes[0] if datatypes else None
    if isinstance(vertex, Variable):
        for asked in known.compared.get(vertex.name, ()):
            if isinstance(asked, OneOf) and asked.values:
                return _equal_term(asked.values[0])
            if isinstance(asked, Between) and _is_numeric(asked) and vertex not in known.leaving:
                return _inside(asked, at_top, datatype)
    return None if datatype is None or vertex in known.leaving else Literal("1", datatype=NamedNode(datatype))


def _equal_term(value: object) -> Term | None:
    if isinstance(value, Iri):
        return NamedNode(value.iri)
    if type(value) is Decimal:
        return Literal(f"{value:f}", datatype=NamedNode(XSD + "decimal"))
    return Literal(value) if type(value) in (str, bool, int, float) else None  # type: ignore[arg-type]


def _inside(asked: Between, at_top: bool, datatype: str | None) -> Literal:
    """A number within an interval, at one end of it or close to it; far away where it has no end."""
    low, high = (None if bound is None else Decimal(bound) for bound in (asked.lower, asked.upper))  # type: ignore[arg-type]
    near, is_open, away = (high, asked.upper_open, -1) if at_top else (low, asked.lower_open, 1)
    if near is None:
        found = _FAR * -away
    else:
        width = abs(high - low) if low is not None and high is not None else 2 * abs(near) + 1
        found = near + away * width * _STEP if is_open else near
    kind = "double" if float in (type(asked.lower), type(asked.upper)) else "decimal"
    if datatype is not None and found == found.to_integral_value():
        return Literal(f"{int(found)}", datatype=NamedNode(datatype))
    return Literal(f"{found:f}", datatype=NamedNode(datatype or XSD + kind))
