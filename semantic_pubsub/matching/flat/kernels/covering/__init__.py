"""HMACD as machine code: covering tests, the poset of nodes, the shelves of the index, and matching in both."""

# ruff: noqa: E402 - what is outdated must go before numba looks for it

from pathlib import Path

from semantic_pubsub.matching.arrays import compiling

_HERE = Path(__file__).parent
_FLAT = _HERE.parent.parent
compiling.forget_the_outdated(_HERE, _FLAT / "layout.py", _FLAT / "hmacd_layout.py", *sorted(_HERE.parent.glob("*.py")))

from semantic_pubsub.matching.flat.kernels.covering.match import match_covering, match_coverings
from semantic_pubsub.matching.flat.kernels.covering.relations import covers_slot
from semantic_pubsub.matching.flat.kernels.covering.subscribe import (
    rehash_nodes,
    rehash_points,
    resubscribe,
    start_roof,
    subscribe,
    unsubscribe,
)

__all__ = [
    "covers_slot",
    "match_covering",
    "match_coverings",
    "rehash_nodes",
    "rehash_points",
    "resubscribe",
    "start_roof",
    "subscribe",
    "unsubscribe",
]
