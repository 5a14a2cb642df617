"""pyshacl's results as `Violation`s: what a person wants to know of each, in the order of the event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyshacl.consts import (
    SH_detail,
    SH_focusNode,
    SH_message,
    SH_property,
    SH_resultMessage,
    SH_resultPath,
    SH_resultSeverity,
    SH_sourceConstraintComponent,
    SH_sourceShape,
    SH_value,
)
from rdflib import RDF, BNode, Literal

from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.events.report import Violation
from semantic_pubsub.events.words import path_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.graph import Graph
    from rdflib.term import Node

    from semantic_pubsub.events.examination import Examination
    from semantic_pubsub.events.prepared import Result

__all__ = ["violations"]

_REASONS: Final = 3
_DEEPEST: Final = 10
_LANGUAGES: Final = ("", "en")


def violations(results: Iterable[Result], examination: Examination, shapes: Graph) -> tuple[Violation, ...]:
    """One violation for each result."""
    places = examination.places
    found = [_violation(node, _facts(triples), examination.graph, shapes) for _, node, triples in results]
    last = len(places)
    return tuple(
        sorted(found, key=lambda v: (places.get(v.focus, last), v.path or "", v.message, str(v.value), v.constraint))
    )


def _facts(triples: Iterable[tuple[Any, Any, Any]]) -> dict[Any, dict[Any, list[Any]]]:
    """The triples of a result and of the results inside it, by subject and predicate."""
    facts: dict[Any, dict[Any, list[Any]]] = {}
    for subject, predicate, value in triples:
        term = value[1] if isinstance(value, tuple) else value
        facts.setdefault(subject, {}).setdefault(predicate, []).append(term)
    return facts


def _violation(node: Node, facts: dict[Any, dict[Any, list[Any]]], graph: Graph, shapes: Graph) -> Violation:
    own = facts[node]
    focus, shape = own[SH_focusNode][0], own[SH_sourceShape][0]
    message = _message(own.get(SH_resultMessage, ()))
    if SH_detail in own and (shape, SH_message, None) not in shapes:
        inside = [_violation(detail, facts, graph, shapes) for detail in own[SH_detail]]
        message += _reasons(inside)
    path = own.get(SH_resultPath)
    return Violation(
        focus=focus,
        message=message,
        path=path_words(shapes, path[0]) if path else None,
        value=own.get(SH_value, [None])[0],
        severity=local_name(str(own[SH_resultSeverity][0])),
        constraint=local_name(str(own[SH_sourceConstraintComponent][0])),
        shape=_named(shape, shapes),
        focus_types=tuple(sorted(local_name(str(kind)) for kind in graph.objects(focus, RDF.type))),
    )


def _named(shape: Node, shapes: Graph) -> Node:
    """The shape, or for one without a name the named shape that it is a part of."""
    for _ in range(_DEEPEST):
        if not isinstance(shape, BNode):
            break
        shape = next(shapes.subjects(SH_property, shape), shape)
    return shape


def _reasons(inside: list[Violation]) -> str:
    said = sorted({f"{each.path} {each.message}" if each.path else each.message for each in inside})
    more = [f"{len(said) - _REASONS} more"] if len(said) > _REASONS else []
    return f" ({'; '.join([*said[:_REASONS], *more])})"


def _message(messages: Iterable[Any]) -> str:
    """The message in English or in no language where there is one."""
    return min(((_rank(message), str(message)) for message in messages), default=(0, ""))[1]


def _rank(message: Any) -> int:
    language = (message.language or "").partition("-")[0] if isinstance(message, Literal) else ""
    return _LANGUAGES.index(language) if language in _LANGUAGES else len(_LANGUAGES)
