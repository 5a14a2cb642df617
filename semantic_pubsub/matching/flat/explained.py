"""Why an event's pairs satisfy a flat subscription, or what is missing, constraint by constraint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.explanation import AlternativeExplanation, Explanation
from semantic_pubsub.matching.flat.constraints import IsA, OneOf
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
    requirement = f"{attribute} {_asked(asked, words)}"
    below = [pair for pair in pairs if is_below(pair.path, path, ontology)]
    for pair in below:
        if satisfies(pair.value, asked, ontology):
            own = dotted(pair.path, ontology) or "home"
            steps = [] if pair.path == path else [f"{own} ⊑ {attribute}"]
            shown = f"{own} is {_shown(pair, words)}"
            if isinstance(asked, IsA) and isinstance(pair.value, ClassName) and pair.value.iri != asked.name:
                steps.append(f"{words.iri(pair.value.iri)} ⊑ {words.iri(asked.name)}")
                shown += f" ⊑ {words.iri(asked.name)}"
            because = shown if pair.path == path else f"{shown}, {own} ⊑ {attribute}"
            return Finding("filter", requirement, True, because, ", ".join(steps) or None)
    if not below:
        return Finding("arc", requirement, False, f"the event has no {attribute}")
    found = list(dict.fromkeys(_shown(pair, words) for pair in below))
    more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
    return Finding("filter", requirement, False, f"{attribute} is {', '.join(found[:_MOST_SHOWN])}{more}")


def _asked(asked: Constraint, words: Words) -> str:
    """A constraint with names instead of IRIs."""
    if isinstance(asked, IsA):
        return f"isa({words.iri(asked.name)})"
    if isinstance(asked, OneOf):
        # A text that names an IRI is asked for as both: the text is what was written.
        texts = [value for value in asked.values if isinstance(value, str)]
        iris = [words.iri(value.iri) for value in asked.values if isinstance(value, Iri)]
        others = [value for value in asked.values if not isinstance(value, str | Iri)]
        shown = [repr(text) for text in texts] + [iri for iri in iris if iri not in texts] + [_value(o) for o in others]
        return f"equals({shown[0]})" if len(shown) == 1 else f"one_of({', '.join(shown)})"
    return str(asked)


def _shown(pair: Pair, words: Words) -> str:
    value = pair.value
    if isinstance(value, ClassName | Iri):
        return ("a " if isinstance(value, ClassName) else "") + words.iri(value.iri)
    return _value(value.value)


def _value(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(getattr(value, "lexical", value))
