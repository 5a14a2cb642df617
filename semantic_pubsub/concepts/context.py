"""A JSON-LD context from an ontology, so that plain JSON events need no context file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from semantic_pubsub.vocab import WELL_KNOWN_PREFIXES, XSD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.concepts.kinds import Kinds
    from semantic_pubsub.concepts.meta import MetaModel

__all__ = ["jsonld_context"]


def jsonld_context(
    unique: Mapping[str, str], prefixes: Mapping[str, str], kinds: Kinds, meta: MetaModel
) -> dict[str, Any]:
    """Terms for local names (which win over a prefix of the same spelling) and the prefixes.

    Values of an owl:ObjectProperty are IRIs; values of a property with one XSD range have that datatype.
    """
    known = {**WELL_KNOWN_PREFIXES, **prefixes}
    context: dict[str, Any] = {prefix: iri for prefix, iri in sorted(known.items()) if prefix and prefix not in unique}
    for local, iri in sorted(unique.items()):
        if local.startswith("@") or ":" in local:
            continue
        coerced = _coercion(iri, kinds, meta)
        context[local] = {"@id": iri, "@type": coerced} if coerced else iri
    return context


def _coercion(iri: str, kinds: Kinds, meta: MetaModel) -> str | None:
    if iri in kinds.object_properties:
        return "@id" if iri not in kinds.datatype_properties else None
    ranges = meta.ranges(iri)
    return ranges[0] if len(ranges) == 1 and ranges[0].startswith(XSD) else None
