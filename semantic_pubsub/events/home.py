"""The home vertex of an event, and what it does not reach.

Home is `_:H` where the source names one; else the only resource that is the subject of an arc (or the only
subject at all) and has no incoming arc. Self-loops and `rdf:type` are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import rdflib

from semantic_pubsub.errors import EventError, did_you_mean
from semantic_pubsub.events.guards import QUOTED_TRIPLE
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Term, Triple, from_rdflib
from semantic_pubsub.vocab import RDF_TYPE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pyoxigraph import Quad

__all__ = ["HOME", "choose_home", "local_name", "named_home", "refuse_quoted_triples", "unreached"]

_TYPE: Final = NamedNode(RDF_TYPE)
HOME: Final = BlankNode("H")
_SHOWN: Final = 5


@dataclass(slots=True)
class _Shape:
    """For each subject of an arc the resources that its arcs lead to; for each subject of `rdf:type` its types."""

    arcs: dict[Term, list[Term]]
    types: dict[Term, list[Term]]

    def entered(self) -> set[Term]:
        """The vertices with an incoming arc, self-loops not counted."""
        return {value for subject, objects in self.arcs.items() for value in objects if value != subject}

    def vertices(self) -> dict[Term, None]:
        """Every resource that can be home: subjects, and objects of arcs."""
        found: dict[Term, None] = dict.fromkeys(self.arcs)
        found.update(dict.fromkeys(self.types))
        for objects in self.arcs.values():
            found.update(dict.fromkeys(objects))
        return found


def _shape_of(triples: Iterable[Triple]) -> _Shape:
    arcs: dict[Term, list[Term]] = {}
    types: dict[Term, list[Term]] = {}
    for subject, predicate, value in triples:
        of = types if predicate == _TYPE else arcs
        objects = of.get(subject)
        if objects is None:
            objects = of[subject] = []
        if type(value) is not Literal:
            objects.append(value)
    return _Shape(arcs, types)


def refuse_quoted_triples(triples: Iterable[Triple | Quad]) -> None:
    """RDF 1.2 has triples as objects; an event has vertices."""
    for triple in triples:
        if type(triple.object) is Triple:
            raise EventError(QUOTED_TRIPLE, hint="say it with a vertex of its own")


def choose_home(triples: Iterable[Triple]) -> Term:
    """Home by the rules, or an error that lists the candidates."""
    for triple in triples:  # nearly always the first one
        if triple.subject == HOME:
            return HOME
    shape = _shape_of(triples)
    entered = shape.entered()
    if HOME in entered:
        return HOME
    candidates = [subject for subject in shape.arcs if subject not in entered]
    if len(candidates) == 1:
        return candidates[0]
    if not shape.arcs and len(shape.types) == 1:
        return next(iter(shape.types))
    if candidates:
        raise EventError(
            f"has {len(candidates)} vertices that could be home: {_listed(candidates, shape)}",
            hint="name one of them _:H, or say home=",
        )
    if shape.arcs:
        raise EventError(
            f"has no home vertex: every one has an incoming arc ({_listed(shape.arcs, shape)})",
            hint="name one of them _:H, or say home=",
        )
    if shape.types:
        raise EventError(
            f"has no home vertex: {len(shape.types)} resources with types and no arc between them"
            f" ({_listed(shape.types, shape)})",
            hint="name one of them _:H, or say home=",
        )
    raise EventError("has no triples", hint="an event says something about its home vertex, such as [] a :Offer")


def unreached(triples: Iterable[Triple], home: Term) -> str | None:
    """What to say of the subjects that no walk of arcs from home comes to; None where there are none."""
    shape = _shape_of(triples)
    arcs = shape.arcs
    left: dict[Term, object] = {**arcs, **shape.types}
    left.pop(home, None)
    waiting = [arcs.get(home, [])]
    while waiting:
        for value in waiting.pop():
            if value in left:
                del left[value]
                if value in arcs:
                    waiting.append(arcs[value])
    if not left:
        return None
    return f"has vertices that home {_describe(home, shape)} does not reach: {_listed(left, shape)}"


def _describe(vertex: Term, shape: _Shape) -> str:
    """A vertex as a reader of the source would recognise it: blank nodes with their types."""
    if not isinstance(vertex, BlankNode):
        return str(vertex)
    types = [local_name(t.value) for t in shape.types.get(vertex, ()) if isinstance(t, NamedNode)]
    return f"{vertex} (a {', '.join(types)})" if types else str(vertex)


def named_home(name: object, triples: Iterable[Triple], prefixes: Mapping[str, str]) -> Term:
    """The vertex that a caller names: a term, an IRI, `_:label`, a prefixed name or a unique local name."""
    shape = _shape_of(triples)
    vertices = shape.vertices()
    found = [vertex for vertex in _readings(name, vertices, prefixes) if vertex in vertices]
    if len(found) == 1:
        return found[0]
    if found:
        raise EventError(f"home {name!r} could be {_listed(found, shape)}", hint="give the full IRI")
    known = {local_name(vertex.value): str(vertex) for vertex in vertices}
    hint = did_you_mean(local_name(str(name)), known) or f"its vertices are {_listed(vertices, shape)}"
    raise EventError(f"home {str(name)!r} is no vertex of the event", hint=hint)


def _readings(name: object, vertices: Iterable[Term], prefixes: Mapping[str, str]) -> list[Term]:
    """What a name can stand for, the most literal reading first; later ones only where that fails."""
    if isinstance(name, NamedNode | BlankNode):
        return [name]
    if isinstance(name, rdflib.term.Node):
        try:
            term = from_rdflib(name)
        except (TypeError, ValueError):
            return []
        return [] if isinstance(term, Literal) else [term]
    text = str(name).strip()
    if text.startswith("_:"):
        return [vertex for vertex in vertices if isinstance(vertex, BlankNode) and vertex.value == text[2:]]
    text = text.removeprefix("<").removesuffix(">")
    prefix, colon, rest = text.partition(":")
    iris = {text, prefixes[prefix] + rest} if colon and prefix in prefixes else {text}
    exact: list[Term] = [v for v in vertices if isinstance(v, NamedNode) and v.value in iris]
    return exact or [v for v in vertices if isinstance(v, NamedNode) and local_name(v.value) == text]


def local_name(iri: str) -> str:
    """What follows the last `#`, `/` or `:`."""
    return iri[max(iri.rfind("#"), iri.rfind("/"), iri.rfind(":")) + 1 :] or iri


def _listed(vertices: Collection[Term], shape: _Shape) -> str:
    shown = ", ".join(_describe(vertex, shape) for vertex in list(vertices)[:_SHOWN])
    more = len(vertices) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
