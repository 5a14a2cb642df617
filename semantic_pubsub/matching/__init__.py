"""Who is interested? Matchers, what they answer with, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.base import Match, Matcher
from semantic_pubsub.matching.explanation import Explanation
from semantic_pubsub.matching.reference import ReferenceMatcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.concepts import Ontology

__all__ = ["ALGORITHMS", "Explanation", "Match", "Matcher", "ReferenceMatcher"]


def _ops(ontology: Ontology) -> Matcher:
    from semantic_pubsub.matching.graph import OpsMatcher  # brings numba: only for who matches with it

    return OpsMatcher(ontology)


ALGORITHMS: dict[str, Callable[[Ontology], Matcher]] = {
    "ops": _ops,
    "reference": ReferenceMatcher,
}
"""Every algorithm that can be asked for by name."""
