"""An array index as arrays and a directory of names, for files that are mapped into memory and for other processes.

A loaded index is read-only: what it writes while matching stays in the memory of its process.
"""

from __future__ import annotations

import hashlib
from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.codec import constraint_from, constraint_json, label_from, label_json
from semantic_pubsub.matching.flat.constraints import Between

if TYPE_CHECKING:
    import numpy.typing as npt

    from semantic_pubsub.matching.flat.slot_index import SlotIndex

__all__ = ["layout_hash", "restore", "state_of"]

Arrays = dict[str, "npt.NDArray[Any]"]


def state_of(index: SlotIndex) -> tuple[dict[str, Any], Arrays]:
    """Names as JSON, tables as arrays."""
    index.encoder.forget()  # what is above the names of events is found again
    words = index.vocabulary
    directory = {
        "layout": layout_hash(index),
        "index": index.name,
        "attrs": [list(path) for path in words.attrs],
        "unused": [words.unused_attrs(), words.unused_items()],
        "items": [[group, label_json(label)] for group, label in words.item_labels],
        "columns": [[group, list(family)] for group, family in words.column_families],
        "originals": {str(item): constraint_json(asked) for item, asked in words.originals.items()},
        "moments": {str(pred): constraint_json(asked) for pred, asked in index.predicates.moments.items()},
        "live": len(index),
        "places": index.room.places,
        "spans": index.spans.size,
        "events": index.events,
    }
    arrays: Arrays = {f"table{table}": _used(index, table) for table in index.tables.kept}
    arrays["forms"] = np.array(index.predicates.forms, np.uint8)
    return directory, arrays


def _used(index: SlotIndex, table: int) -> npt.NDArray[Any]:
    """A table as far as it is used; all 64-bit words as signed ones."""
    counts, whole = index.tables[at.COUNTS], index.tables[table]
    lengths = {
        **dict.fromkeys((at.PRED_LOWER, at.PRED_UPPER, at.PRED_VIEW), len(index.predicates.forms)),
        at.VIEWS: at.VIEW_WIDTH * int(counts[at.N_VIEWS]),
        at.SLOTS: at.SLOT_WIDTH * int(counts[at.N_SLOTS]),
        at.SPANS: index.spans.size,
        at.ROWS: at.ROW_WIDTH * int(counts[at.N_ROWS]),
        at.FIRSTS: int(counts[at.N_ROWS]),
        at.CHUNKS: at.CHUNK_WORDS * int(counts[at.N_CHUNKS]),
    }
    used = whole[: max(1, lengths.get(table, len(whole)))]
    return used.view(np.int64) if used.dtype == np.uint64 else used


def restore(index: SlotIndex, directory: dict[str, Any], arrays: Arrays) -> None:
    """Fill a new index; from then on it is read-only."""
    if directory.get("layout") != layout_hash(index):
        raise SemanticPubSubError(
            "was saved by a version that arranges its tables differently",
            hint="add the subscriptions to a new matcher and save that",
        )
    _restore_names(index, directory)
    index.room.places = int(directory["places"])
    for table in index.tables.kept:
        kept = arrays[f"table{table}"]
        kind = index.tables[table].dtype
        index.tables.adopt(table, kept.view(kind) if kept.dtype != kind else kept)
    index.predicates.forms = array("B", arrays["forms"].tobytes())
    index.predicates.moments = {int(pred): _between(data) for pred, data in directory["moments"].items()}
    index._live = int(directory["live"])
    index.spans.size = int(directory["spans"])
    index.events = int(directory["events"])
    index.read_only = True
    index.room.make_names()
    index.tables.reserve(at.OUT, int(index.tables[at.COUNTS][at.N_SLOTS]) + at.SLACK)
    index.tables.reserve(at.SIGHT, int(index.tables[at.COUNTS][at.N_VIEWS]))
    index.restored()
    index.show_always()


def _restore_names(index: SlotIndex, directory: dict[str, Any]) -> None:
    words = index.vocabulary
    for path in directory["attrs"]:
        words.attr(tuple(path))
    for number, (group, data) in enumerate(directory["items"]):
        label = label_from(data)
        own = words.groups[group]
        if words.item(own, label) != number:
            raise SemanticPubSubError("is damaged: a name is there twice")
        if str(number) in directory["originals"]:
            words.originals[number] = constraint_from(directory["originals"][str(number)])
        if label[0] == "set":
            for member in label[1]:
                own.sets.setdefault(member, {})[number] = None
    for group, (kind, zoned) in directory["columns"]:
        words.column(words.groups[group], (kind, bool(zoned)))
    words.use_all_but(*directory["unused"])


def _between(data: list[Any]) -> Between:
    asked = constraint_from(data)
    if not isinstance(asked, Between):
        raise SemanticPubSubError("is damaged: an interval is none")
    return asked


def layout_hash(index: SlotIndex) -> str:
    """A hash of what the tables and their columns are, so that no change of them can be forgotten here."""
    known = sorted((name, value) for name, value in vars(at).items() if name.isupper() and isinstance(value, int))
    own = [(np.dtype(kind.dtype).str, *kind[1:]) for kind in index.own_tables]
    return hashlib.blake2b(repr((known, own, index.layout_version)).encode(), digest_size=16).hexdigest()
