"""The flat indexes by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat.ctps import CtpsIndex
from semantic_pubsub.matching.flat.hybrid import AutoIndex, HybridIndex
from semantic_pubsub.matching.flat.index import ScanIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.index import FlatIndex

__all__ = ["INDEXES"]

INDEXES: Final[dict[str, Callable[[Ontology], FlatIndex]]] = {
    "auto": AutoIndex,
    "ctps": CtpsIndex,
    "hybrid": HybridIndex,
    "scan": ScanIndex,
}
