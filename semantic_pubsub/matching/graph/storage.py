"""A matcher in a file, and a matcher from a file.

All tables of the index are saved as they are, with the places in use; the names that their numbers stand for go into
the directory of the file. A table is adopted as it lies in the file and is copied only when it has to grow.
"""

from __future__ import annotations

import hashlib
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from semantic_pubsub.errors import Notice, SemanticPubSubError
from semantic_pubsub.matching.arrays.storage_format import damaged, read_file, write_file
from semantic_pubsub.matching.fingerprint import fingerprint
from semantic_pubsub.matching.graph import layout
from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.storage_checks import check_sizes, check_tables
from semantic_pubsub.matching.graph.storage_names import (
    labels_as_texts,
    labels_from_texts,
    predicate_as_json,
    predicate_from_json,
    shape_as_json,
    shape_from_json,
)

if TYPE_CHECKING:
    import os

    import numpy.typing as npt

    from semantic_pubsub.matching.arrays.pools import Pool
    from semantic_pubsub.matching.graph.index import Index
    from semantic_pubsub.matching.graph.matcher import OpsMatcher

__all__ = ["load_into", "save"]

Arrays = dict[str, "npt.NDArray[Any]"]

_POOLS: Final = (
    "nodes", "items", "orders", "segments", "rows", "slots", "shape_table", "parameters", "bounds", "ends", "needles",
    "needle_bytes",
)  # fmt: skip
_COUNTED: Final = {
    "nodes": layout.COUNT_NODES,
    "items": layout.COUNT_ITEMS,
    "orders": layout.COUNT_ITEMS,
    "segments": layout.COUNT_SEGMENTS,
    "rows": layout.COUNT_ROWS,
}
"""The tables that the kernels enlarge: how long they are is among the counters."""

_NUMBERS: Final = ("_largest", "_refiled", "_refile_until", "_next_review")
_BROKEN: Final = (
    AttributeError, IndexError, KeyError, OverflowError, RecursionError, SemanticPubSubError, SyntaxError, TypeError,
    ValueError,
)  # fmt: skip
"""What can come of names and numbers that make no sense; SyntaxError is how pyoxigraph refuses a term."""


def save(matcher: OpsMatcher, path: str | os.PathLike[str]) -> None:
    """Write what stands into one file. Nobody can add, remove or match meanwhile."""
    ontology = fingerprint(matcher.ontology)
    with matcher._lock:
        directory = {
            "layout": _layout(),
            "ontology": ontology,
            "ids": list(matcher._numbers),
            "matches": matcher._matches,
            "files": matcher._index.files,
            "warnings": {name: [_notice(one) for one in notices] for name, notices in matcher._warnings.items()},
            **_names(matcher._index),
        }
        write_file(Path(path), directory, {**_tables(matcher._index), **_owners(matcher)})


def load_into(matcher: OpsMatcher, path: str | os.PathLike[str], *, verify: bool) -> None:
    """Fill a new matcher from a file."""
    file = Path(path)
    directory, arrays = read_file(file, verify=verify)
    if directory.get("layout") != _layout():
        raise damaged(file, "was saved by a version that arranges its tables differently")
    if directory.get("ontology") != fingerprint(matcher.ontology):
        raise SemanticPubSubError(
            "was saved with another ontology: classes, properties, domains or ranges differ",
            source=str(file),
            hint="load it with that ontology, or add the subscriptions anew",
        )
    try:
        _restore_names(matcher._index, directory)
        _adopt(matcher._index, arrays)
        _restore_owners(matcher, directory, arrays)
        matcher._index.files = bool(directory["files"])
        if verify and matcher._index.files:  # what only confirms waits nowhere
            check_tables(matcher._index, arrays["first"])
    except _BROKEN as problem:
        reason = " ".join(str(problem).split())
        raise damaged(file, f"is damaged: what it holds does not fit together: {reason}") from None


def _layout() -> str:
    """A hash of what the columns of the tables are, so that no change of them can be forgotten here."""
    columns = {name: getattr(layout, name) for name in layout.__all__}
    known = sorted((name, value) for name, value in columns.items() if isinstance(value, int))
    known += [(kind.name, int(kind)) for kind in Kind]
    return hashlib.blake2b(repr(known).encode(), digest_size=16).hexdigest()


# tables


def _tables(index: Index) -> Arrays:
    index.file_all()
    arrays: Arrays = {"counts": index.counts, "keys": index.keys, "values": index.values}
    for name in _POOLS:
        pool: Pool = getattr(index, name)
        size = int(index.counts[_COUNTED[name]]) if name in _COUNTED else pool.size
        arrays[name] = pool.array[:size]
    arrays["free_slots"] = np.array(index._free_slots, np.int32)
    arrays["free_bounds"] = np.array(index._free_bounds, np.int32)
    arrays["free_spans"] = np.array(index._spans.free(), np.int32).reshape(-1, 2)
    return arrays


def _adopt(index: Index, arrays: Arrays) -> None:
    check_sizes(arrays)
    index.counts, index.keys, index.values = arrays["counts"], arrays["keys"], arrays["values"]
    for name in _POOLS:
        getattr(index, name).adopt(arrays[name])
    index._free_slots = arrays["free_slots"].tolist()
    index._free_bounds = arrays["free_bounds"].tolist()
    for start, length in arrays["free_spans"].tolist():
        index._spans.give(start, length)
    for number, (start, length, operator) in enumerate(arrays["needles"].tolist()):
        index._needle_numbers[operator, arrays["needle_bytes"][start : start + length].tobytes()] = number


# names


def _names(index: Index) -> dict[str, Any]:
    symbols = index.symbols
    return {
        "labels": labels_as_texts(symbols.label_names),
        "properties": symbols.property_names,
        "shapes": [[at, shape_as_json(shape, symbols.properties)] for shape, at in index.shapes.items()],
        "predicates": [predicate_as_json(expression) for expression in index.predicate_list],
        "numbers": {name: getattr(index, name) for name in _NUMBERS},
    }


def _restore_names(index: Index, directory: dict[str, Any]) -> None:
    index.symbols.restore(labels_from_texts(directory["labels"]), directory["properties"])
    for at, data in directory["shapes"]:
        shape = shape_from_json(data, directory["properties"])
        index.shapes[shape] = at
        index.shape_at[at] = shape
    index.predicate_list.extend(predicate_from_json(data) for data in directory["predicates"])
    index.predicates.update((expression, number) for number, expression in enumerate(index.predicate_list))
    for name in _NUMBERS:
        setattr(index, name, int(directory["numbers"][name]))


# owners: subscriptions by number


def _owners(matcher: OpsMatcher) -> Arrays:
    return {
        "owners": np.array(list(matcher._numbers.values()), np.int32),
        "first": np.array(matcher._first, np.int32),
        "free_owners": np.array(matcher._free, np.int32),
    }


def _restore_owners(matcher: OpsMatcher, directory: dict[str, Any], arrays: Arrays) -> None:
    ids, owners = directory["ids"], arrays["owners"].tolist()
    numbers = np.sort(np.concatenate((arrays["owners"], arrays["free_owners"])))
    if not np.array_equal(numbers, np.arange(len(arrays["first"]))):
        raise ValueError("ids are missing or used twice")
    matcher._first = array("i", arrays["first"].tobytes())
    matcher._free = arrays["free_owners"].tolist()
    matcher._numbers = dict(zip(ids, owners, strict=True))
    if len(matcher._numbers) != len(ids):
        raise ValueError("ids are missing or used twice")
    matcher._ids = [None] * len(matcher._first)
    for name, owner in matcher._numbers.items():
        matcher._ids[owner] = name
    matcher._matches = int(directory["matches"])
    matcher._warnings = {
        name: tuple(Notice(*fields) for fields in notices) for name, notices in directory["warnings"].items()
    }


def _notice(notice: Notice) -> list[str | int | None]:
    return [notice.message, notice.source, notice.line, notice.column, notice.text]
