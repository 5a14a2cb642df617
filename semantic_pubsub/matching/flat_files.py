"""A flat matcher in files, and a flat matcher for other processes and copies.

With the graph answer the patterns are in a second file, `<name>.graph`. The normalizer is in none: a file says whether
there was one, and whoever loads it gives one that was made in the same way.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from semantic_pubsub.errors import Notice, SemanticPubSubError
from semantic_pubsub.matching.arrays.storage_format import damaged, read_file, write_file
from semantic_pubsub.matching.fingerprint import fingerprint
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.owners import Owners
from semantic_pubsub.matching.flat.slot_index import SlotIndex
from semantic_pubsub.matching.flat.storage import restore, state_of
from semantic_pubsub.matching.graph import OpsMatcher

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.index import FlatIndex

__all__ = ["Kept", "load", "packed", "save", "unpacked"]


class Kept(NamedTuple):
    """What a flat matcher holds."""

    flat: FlatIndex
    owners: Owners
    warnings: dict[str, tuple[Notice, ...]]
    graph: OpsMatcher | None


# files


def save(path: str | os.PathLike[str], kept: Kept, *, normalised: bool) -> None:
    """Write a matcher, of which `normalised` says that it has a normalizer."""
    if not isinstance(kept.flat, SlotIndex):
        raise SemanticPubSubError("the scanning index cannot be saved", hint="take index='auto'")
    directory, arrays = state_of(kept.flat)
    notices = {name: [list(astuple(one)) for one in found] for name, found in kept.warnings.items()}
    own = {"ontology": fingerprint(kept.flat.ontology), "verify": kept.graph is not None, "normalised": normalised}
    own |= {"ids": list(kept.owners.slots), "notices": notices}
    whole = kept.owners.state()
    filled = {name: array if len(array) else np.zeros(1, array.dtype) for name, array in whole.items()}
    if kept.graph is not None:
        kept.graph.save(_graph_file(path))
    write_file(Path(path), {**directory, **own}, {**arrays, **filled})


def load(path: str | os.PathLike[str], ontology: Ontology, *, normalised: bool, verify_file: bool) -> Kept:
    """What `save` wrote; a SemanticPubSubError says what is wrong with the file or with how it is loaded."""
    directory, arrays = read_file(Path(path), verify=verify_file)
    if directory.get("ontology") != fingerprint(ontology) or directory.get("index") not in INDEXES:
        hint = "load it with the ontology it was saved with, or add the subscriptions anew"
        raise SemanticPubSubError("was not saved by a flat matcher with this ontology", source=str(path), hint=hint)
    _check_normalised(path, bool(directory.get("normalised")), normalised)
    index = INDEXES[directory["index"]](ontology)
    try:
        restore(index, directory, arrays)  # type: ignore[arg-type]
        owners = Owners.restored(directory["ids"], arrays)
        warnings = {name: tuple(Notice(*one) for one in found) for name, found in directory["notices"].items()}
        verify = directory["verify"]
    except (IndexError, KeyError, StopIteration, TypeError, ValueError) as problem:
        raise damaged(Path(path), f"is damaged: what it holds does not fit together: {problem}") from None
    except SemanticPubSubError as error:
        raise error.at(str(path)) from None
    graph = OpsMatcher.load(_graph_file(path), ontology, verify=verify_file) if verify else None
    return Kept(index, owners, warnings, graph)


def _check_normalised(path: str | os.PathLike[str], was: bool, is_now: bool) -> None:
    """Subscriptions and events must pass through the same normalizer, or matches are lost."""
    if was and not is_now:
        hint = "give normalizer=Normalizer(ontology, …) as it was then"
        raise SemanticPubSubError("was saved by a matcher with a normalizer", source=str(path), hint=hint)
    if is_now and not was:
        hint = "load it without one, or add the subscriptions to a new matcher with the normalizer and save that"
        raise SemanticPubSubError("was saved by a matcher without a normalizer", source=str(path), hint=hint)


def _graph_file(path: str | os.PathLike[str]) -> Path:
    return Path(f"{os.fspath(path)}.graph")


# other processes


def packed(kept: Kept) -> tuple[Any, ...]:
    """What a matcher holds as values that can be pickled and that it does not share."""
    owned = {name: array.copy() for name, array in kept.owners.state().items()}
    return kept.flat.__reduce__(), list(kept.owners.slots), owned, dict(kept.warnings), _bytes_of(kept.graph)


def unpacked(ontology: Ontology, parts: tuple[Any, ...]) -> Kept:
    """What `packed` gave."""
    (make, arguments), names, owned, warnings, graph = parts
    return Kept(make(*arguments), Owners.restored(names, owned), dict(warnings), _graph_of(graph, ontology))


def _bytes_of(graph: OpsMatcher | None) -> bytes | None:
    if graph is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        graph.save(Path(folder, "graph"))
        return Path(folder, "graph").read_bytes()


def _graph_of(data: bytes | None, ontology: Ontology) -> OpsMatcher | None:
    if data is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "graph").write_bytes(data)
        return OpsMatcher.load(Path(folder, "graph"), ontology)
