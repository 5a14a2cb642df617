"""Who is interested? Matchers, what they answer with, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.base import Match, Matcher
from semantic_pubsub.matching.explanation import Explanation
from semantic_pubsub.matching.reference import ReferenceMatcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.concepts import Ontology

__all__ = ["ALGORITHMS", "Explanation", "Match", "Matcher", "ReferenceMatcher", "is_ready"]


def _ops(ontology: Ontology) -> Matcher:
    from semantic_pubsub.matching.graph import OpsMatcher  # brings numba: only for who matches with it

    return OpsMatcher(ontology)


def is_ready(algorithm: str) -> bool:
    """Whether an algorithm answers at once; one that must be compiled first takes about half a minute, once."""
    if algorithm != "ops":
        return True
    from semantic_pubsub.matching.graph.kernels import is_compiled

    return is_compiled()


ALGORITHMS: dict[str, Callable[[Ontology], Matcher]] = {
    "ops": _ops,
    "reference": ReferenceMatcher,
}
"""Every algorithm that can be asked for by name."""
