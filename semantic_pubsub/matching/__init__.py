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


def _flat(index: str) -> Callable[[Ontology], Matcher]:
    def make(ontology: Ontology, verify: bool = False) -> Matcher:
        from semantic_pubsub.matching.flat_matcher import FlatMatcher

        return FlatMatcher(ontology, index, verify)

    return make


def is_ready(algorithm: str) -> bool:
    """Whether an algorithm answers at once; one that must be compiled first takes about half a minute, once."""
    if algorithm in ("reference", "scan"):
        return True
    if algorithm == "ops":
        from semantic_pubsub.matching.graph.kernels import is_compiled
    elif algorithm == "compme":
        from semantic_pubsub.matching.flat.kernels.compme import is_compiled
    elif algorithm == "gem-tree":
        from semantic_pubsub.matching.flat.kernels.gem_tree import is_compiled
    else:
        from semantic_pubsub.matching.flat.kernels import is_compiled
    return is_compiled()


ALGORITHMS: dict[str, Callable[..., Matcher]] = {
    "ops": _ops,
    "reference": ReferenceMatcher,
    **{index: _flat(index) for index in ("auto", "compme", "ctps", "gem-tree", "hmacd", "hybrid", "scan")},
}
"""Every algorithm that can be asked for by name; the flat ones also take `verify`."""
