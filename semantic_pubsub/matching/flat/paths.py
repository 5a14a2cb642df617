"""Attribute names: paths of properties from home, in the CTPS paper's dotted form (`target.hardDisk.size.value`).

A key with a scheme (`http://…`, `urn:…`) is one property; in a longer path an IRI is written `<IRI>`. A tuple of steps
works, too. Home's own path is empty.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

import rdflib

from semantic_pubsub.errors import OntologyError, quoted
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology

__all__ = ["MOST_STEPS", "Key", "Path", "dotted", "parse_path", "steps_of"]

Path: TypeAlias = tuple[str, ...]
"""IRIs of properties, outward from home."""
Key: TypeAlias = str | tuple[object, ...] | NamedNode
"""How people write a path."""

MOST_STEPS: Final = 256

_STEP: Final = re.compile(r"<([^<>\x00-\x20]+)>|([^.<>]+)")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+-]*:")


def steps_of(key: Key, ontology: Ontology) -> tuple[object, ...]:
    """The names of the steps, as written; an `OntologyError` for what is no path."""
    if isinstance(key, NamedNode | rdflib.URIRef):
        return (key,)
    if isinstance(key, tuple):
        steps = key
    elif not isinstance(key, str):
        raise OntologyError(f"{quoted(key)} is no attribute", hint="give a dotted path or a tuple of names")
    elif not key:
        return ()
    elif _is_one_property(key, ontology):
        return (f"<{key}>",)
    else:
        steps = tuple(_split(key))
    if len(steps) > MOST_STEPS:
        raise OntologyError(f"a path of {len(steps):,} steps", hint=f"at most {MOST_STEPS} are allowed")
    return steps


def _is_one_property(key: str, ontology: Ontology) -> bool:
    """Whether a key is an IRI by itself: its scheme is not a prefix that the ontology knows."""
    match = _SCHEME.match(key)
    if match is None:
        return False
    if key.startswith("//", match.end()):
        return True
    if match.group()[:-1] in ontology.prefixes:
        return False
    try:
        return ontology.expand(key) == key
    except OntologyError:
        return False


def _split(key: str) -> list[object]:
    steps: list[object] = []
    at = 0
    while True:
        match = _STEP.match(key, at)
        if match is None:
            raise OntologyError(f"{quoted(key)} is no attribute", hint="names with dots between them; an IRI as <IRI>")
        steps.append(match.group())
        at = match.end()
        if at == len(key):
            return steps
        if key[at] != "." or at + 1 == len(key):
            raise OntologyError(f"{quoted(key)} is no attribute", hint="names with dots between them; an IRI as <IRI>")
        at += 1


def parse_path(key: Key, ontology: Ontology) -> Path:
    """The properties that a key names; an `OntologyError` says which name is unknown or ambiguous."""
    return tuple(ontology.expand(step, "property") for step in steps_of(key, ontology))  # type: ignore[arg-type]


def dotted(path: Path, ontology: Ontology) -> str:
    """The path as people read it: local names where they are unique, IRIs elsewhere."""
    return ".".join(_step_text(iri, ontology) for iri in path)


def _step_text(iri: str, ontology: Ontology) -> str:
    from semantic_pubsub.concepts.names import local_name

    name = local_name(iri)
    if _STEP.fullmatch(name) and ":" not in name:
        try:
            if ontology.expand(name, "property") == iri:
                return name
        except OntologyError:
            pass
    return f"<{iri}>"
