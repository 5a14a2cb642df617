"""The flat indexes by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat.compme import CompmeIndex
from semantic_pubsub.matching.flat.ctps import CtpsIndex
from semantic_pubsub.matching.flat.gem_tree import GemTreeIndex
from semantic_pubsub.matching.flat.hmacd import HmacdIndex
from semantic_pubsub.matching.flat.hybrid import AutoIndex, HybridIndex
from semantic_pubsub.matching.flat.index import ScanIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.index import FlatIndex

__all__ = ["INDEXES"]

INDEXES: Final[dict[str, Callable[[Ontology], FlatIndex]]] = {
    "auto": AutoIndex,
    "compme": CompmeIndex,
    "ctps": CtpsIndex,
    "gem-tree": GemTreeIndex,
    "hmacd": HmacdIndex,
    "hybrid": HybridIndex,
    "scan": ScanIndex,
}
