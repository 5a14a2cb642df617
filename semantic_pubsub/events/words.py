"""SHACL in plain words: names without their namespaces, paths, and what a constraint asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rdflib import RDF, BNode, Literal, URIRef

from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.vocab import SH

if TYPE_CHECKING:
    from rdflib.graph import Graph
    from rdflib.term import Node

__all__ = ["default_message", "path_words"]

_SHOWN: Final = 8
_DEEPEST: Final = 10

# What to say where the shape has no sh:message; `{name}` is the value of the parameter sh:name.
_MESSAGES: Final = {
    "Class": "must be a {class}",
    "Closed": "is not a property that is allowed here",
    "Datatype": "must be a value of type {datatype}",
    "Disjoint": "must not have a value that {disjoint} has, too",
    "Equals": "must have the same values as {equals}",
    "Expression": "does not fulfil a condition of its shape",
    "HasValue": "must have the value {hasValue}",
    "In": "must be one of {in}",
    "LanguageIn": "must be in one of the languages {languageIn}",
    "LessThan": "must be less than {lessThan}",
    "LessThanOrEquals": "must not be more than {lessThanOrEquals}",
    "MaxCount": "has more values than {maxCount}",
    "MaxExclusive": "must be less than {maxExclusive}",
    "MaxInclusive": "must be at most {maxInclusive}",
    "MaxLength": "must not be longer than {maxLength} characters",
    "MinCount": "has fewer values than {minCount}",
    "MinExclusive": "must be more than {minExclusive}",
    "MinInclusive": "must be at least {minInclusive}",
    "MinLength": "must be at least {minLength} characters long",
    "Node": "must conform to {node}",
    "NodeKind": "must be of kind {nodeKind}",
    "Not": "must not conform to {not}",
    "Or": "must conform to one of {or}",
    "Pattern": "must have the form {pattern}",
    "QualifiedMaxCount": "has more values of the required kind than {qualifiedMaxCount}",
    "QualifiedMinCount": "has fewer values of the required kind than {qualifiedMinCount}",
    "SPARQL": "does not fulfil a condition of its shape",
    "UniqueLang": "has two values in one language",
    "Xone": "must conform to exactly one of {xone}",
    "And": "must conform to all of {and}",
}
_PARAMETER: Final = re.compile(r"\{(\w+)\}")


def default_message(shapes: Graph, shape: Node, component: Node) -> str:
    """What a constraint asks for, where its shape does not say it."""
    name = local_name(str(component)).removesuffix("ConstraintComponent")
    sentence = _MESSAGES.get(name, f"does not fulfil {name}")
    return _PARAMETER.sub(lambda found: _values(shapes, shape, URIRef(SH + found[1])), sentence)


def path_words(shapes: Graph, path: Node, depth: int = 0) -> str:
    """A property path: `price`, `seller/name`, `price or startingPrice`, `inverse of seller`."""
    if not isinstance(path, BNode):
        return local_name(str(path))
    if depth > _DEEPEST:
        return "…"

    def say(inner: Node) -> str:
        return path_words(shapes, inner, depth + 1)

    if (path, RDF.first, None) in shapes:
        return "/".join(say(step) for step in shapes.items(path))
    for name, form in _PATHS.items():
        inner = shapes.value(path, URIRef(SH + name))
        if inner is not None:
            return form.format(
                " or ".join(say(each) for each in shapes.items(inner)) if name == "alternativePath" else say(inner)
            )
    return f"_:{path}"


_PATHS: Final = {
    "alternativePath": "{}",
    "inversePath": "inverse of {}",
    "zeroOrMorePath": "{}*",
    "oneOrMorePath": "{}+",
    "zeroOrOnePath": "{}?",
}


def _values(shapes: Graph, shape: Node, parameter: URIRef) -> str:
    said = [_value(shapes, value, 0) for value in shapes.objects(shape, parameter)]
    return " and ".join(sorted(said)) or "what it should be"


def _value(shapes: Graph, value: Node, depth: int) -> str:
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, URIRef):
        return local_name(str(value))
    if depth < _DEEPEST and (value, RDF.first, None) in shapes:
        members = [_value(shapes, member, depth + 1) for member in shapes.items(value)]
        more = [f"{len(members) - _SHOWN} more"] if len(members) > _SHOWN else []
        return ", ".join([*members[:_SHOWN], *more])
    inner = sorted(
        f"{local_name(str(p))} {_value(shapes, o, depth + 1)}"
        for p, o in shapes.predicate_objects(value)
        if depth < _DEEPEST and p != RDF.type
    )
    return f"[{'; '.join(inner)}]"
