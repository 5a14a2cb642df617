"""What an ontology means for matching, in one short text: equal for equal meaning, however it was written."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.concepts import Ontology

__all__ = ["fingerprint"]


def fingerprint(ontology: Ontology) -> str:
    """A hash over every name with all that is above it, and over the domains and ranges that properties have.

    Labels, comments and statements that add nothing to the orders do not count, nor does the order of statements.
    """
    total = hashlib.blake2b(digest_size=16)

    def tell(kind: str, name: str, related: Iterable[str]) -> None:
        total.update("\n".join((kind, name, *sorted(set(related)), "\n")).encode())

    for name in sorted(ontology.classes.names()):
        tell("class", name, ontology.superclasses(name))
    for name in sorted(ontology.datatypes.names()):
        tell("datatype", name, ontology.superdatatypes(name))
        tell("class", name, ontology.superclasses(name))
    for name in sorted(ontology.properties.names()):
        tell("property", name, ontology.superproperties(name))
        tell("domain", name, ontology.domains(name))
        tell("range", name, ontology.ranges(name))
    return total.hexdigest()
