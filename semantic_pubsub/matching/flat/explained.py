"""Why an event's pairs satisfy a flat subscription, or what is missing, constraint by constraint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.explanation import AlternativeExplanation, Explanation
from semantic_pubsub.matching.flat.constraints import IsA
from semantic_pubsub.matching.flat.meaning import is_below, satisfies
from semantic_pubsub.matching.flat.paths import dotted
from semantic_pubsub.matching.flat.plain import ClassName, Iri
from semantic_pubsub.matching.requirements import Finding
from semantic_pubsub.matching.words import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.constraints import Constraint
    from semantic_pubsub.matching.flat.index import Asked
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.matching.flat.resolving import Pair

__all__ = ["explain_flat"]

_MOST_SHOWN = 5


def explain_flat(
    pairs: Sequence[Pair], event_id: str | None, name: str, alternatives: list[Asked], ontology: Ontology
) -> Explanation:
    """Each constraint with the pair that satisfies it, or with what the attribute has instead."""
    words = Words(ontology)
    found = [
        AlternativeExplanation(tuple(_finding(pairs, path, one, ontology, words) for path, one in asked), {})
        for asked in alternatives
    ]
    return Explanation(name, event_id, any(alternative.matched for alternative in found), tuple(found))


def _finding(pairs: Sequence[Pair], path: Path, asked: Constraint, ontology: Ontology, words: Words) -> Finding:
    attribute = dotted(path, ontology) or "home"
    requirement = f"{attribute} isa({words.iri(asked.name)})" if isinstance(asked, IsA) else f"{attribute} {asked}"
    below = [pair for pair in pairs if is_below(pair.path, path, ontology)]
    for pair in below:
        if satisfies(pair.value, asked, ontology):
            own = dotted(pair.path, ontology) or "home"
            step = None if pair.path == path else f"{own} ⊑ {attribute}"
            shown = f"{own} {_shown(pair, words)}"
            return Finding("filter", requirement, True, shown if step is None else f"{shown}, {step}", step)
    if not below:
        return Finding("arc", requirement, False, f"the event has no {attribute}")
    has = ", ".join(dict.fromkeys(_shown(pair, words) for pair in below[:_MOST_SHOWN]))
    more = f" and {len(below) - _MOST_SHOWN} more" if len(below) > _MOST_SHOWN else ""
    return Finding("filter", requirement, False, f"{attribute} has {has}{more}")


def _shown(pair: Pair, words: Words) -> str:
    value = pair.value
    if isinstance(value, ClassName | Iri):
        return ("a " if isinstance(value, ClassName) else "") + words.iri(value.iri)
    inner = value.value
    return repr(inner) if isinstance(inner, str) else str(getattr(inner, "lexical", inner))
