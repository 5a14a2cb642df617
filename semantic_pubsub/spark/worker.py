"""What a Python worker keeps from task to task: indexes and ontologies, each loaded once and named by its content."""

from __future__ import annotations

import pickle
import re
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.flat_matcher import FlatMatcher
from semantic_pubsub.matching.graph import OpsMatcher
from semantic_pubsub.spark.bundle import located

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.spark.bundle import Handle

__all__ = ["cached", "load_matchers", "load_ontology", "unpickled"]

_MOST_KEPT: Final = 4
_PART: Final = re.compile(r"\.(flat|ops)-(\d+)$")
_KINDS: Final[dict[str, Any]] = {"flat": FlatMatcher, "ops": OpsMatcher}
_kept: dict[str, Any] = {}


def cached(key: str, make: Callable[[], Any]) -> Any:
    """What `make` gave when it was first asked for this key; the longest unused is forgotten."""
    found = _kept.pop(key, None)
    if found is None:
        found = make()
    _kept[key] = found
    while len(_kept) > _MOST_KEPT:
        del _kept[next(iter(_kept))]
    return found


def load_matchers(handle: Handle) -> list[Any]:
    """The matchers of all parts that a handle names, mapped into memory."""
    found: list[Any] = cached(f"matchers {handle.digest}", lambda: _matchers(handle))
    return found


def _matchers(handle: Handle) -> list[Any]:
    folder = located(handle)
    ontology = _ontology(folder, handle)
    parts = [(int(found[2]), found[1], name) for name in handle.names if (found := _PART.search(name))]
    if not parts:
        raise SemanticPubSubError("has no part of an index in it", source=str(folder))
    return [_KINDS[kind].load(folder / name, ontology) for _, kind, name in sorted(parts)]


def load_ontology(handle: Handle) -> Ontology:
    """The ontology that a handle brings."""
    found: Ontology = cached(f"ontology {handle.digest}", lambda: _ontology(located(handle), handle))
    return found


def _ontology(folder: Path, handle: Handle) -> Ontology:
    found: Ontology = unpickled(folder / next(name for name in handle.names if name.endswith(".ontology")))
    return found


def unpickled(path: Path) -> Any:
    """An object that the driver wrote: as trusted as the driver's own code."""
    with path.open("rb") as file:
        return pickle.load(file)  # noqa: S301
