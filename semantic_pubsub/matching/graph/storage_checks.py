"""Whether tables from a file fit together: the kernels trust every number that they find in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from semantic_pubsub.matching.graph import layout
from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.matching.graph.shapes import Shape, shape_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from semantic_pubsub.matching.graph.index import Index

__all__ = ["check_sizes", "check_tables"]


def check_sizes(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Whether the lengths are those that the counters tell; cheap enough to be done always."""
    counts, keys = arrays["counts"], arrays["keys"]
    _must(counts.shape == (layout.COUNT_WIDTH,) and counts.dtype == np.int64, "counters")
    for name, column in (
        ("nodes", layout.COUNT_NODES),
        ("items", layout.COUNT_ITEMS),
        ("orders", layout.COUNT_ITEMS),
        ("segments", layout.COUNT_SEGMENTS),
        ("rows", layout.COUNT_ROWS),
    ):
        _must(len(arrays[name]) == counts[column], f"how many {name} there are")
    _must(keys.ndim == 1 and keys.dtype == np.int64 and arrays["values"].dtype == np.int32, "the hash table")
    _must(keys.shape == arrays["values"].shape and len(keys) > 0 and len(keys) & (len(keys) - 1) == 0, "the hash table")
    _must(0 <= 2 * counts[layout.COUNT_HASHED] <= len(keys), "the hash table")
    _must(len(arrays["bounds"]) == len(arrays["ends"]), "bounds of intervals")


def check_tables(index: Index, first: npt.NDArray[Any]) -> None:
    """Whether every number that leads into another table leads to a place that is there, and every chain ends.

    `first` holds the first slot of each owner.
    """
    _check_items(index)
    _check_waiting(index)
    _check_slots(index, first)
    _check_free(index)
    _check_shapes(index)
    _check_parameters(index)


def _check_items(index: Index) -> None:
    nodes, items, counts = index.nodes.array, index.items.array, index.counts
    _must(len(nodes) > 0, "home")
    _within(nodes[:, layout.NODE_PARENT], -1, len(nodes), "parents of nodes")
    _ends(nodes[:, layout.NODE_PARENT], "parents of nodes")
    for column in (layout.NODE_UP, layout.NODE_DOWN, layout.NODE_VALUES):
        _within(nodes[:, column], -1, index.items.size, "chains of items")
    if index.items.size:
        _within(items[:, layout.ITEM_NODE], 0, len(nodes), "nodes of items")
        _within(items[:, layout.ITEM_HEAD], -1, index.segments.size, "waiting lists")
        _within(items[:, layout.ITEM_NEXT], -1, len(items), "chains of items")
        _ends(items[:, layout.ITEM_NEXT], "chains of items")
    used = index.keys >= 0
    _must(int(used.sum()) == counts[layout.COUNT_HASHED], "the hash table")
    children = used & (index.keys >> 31 & 1 == 1)
    _within(index.values[children], 0, len(nodes), "the hash table")
    _within(index.values[used & ~children], 0, index.items.size, "the hash table")
    _within(counts[layout.COUNT_FREE :], -1, index.segments.size, "free segments")


def _check_waiting(index: Index) -> None:
    if not index.segments.size:
        return
    segments, rows = index.segments.array.astype(np.int64), index.rows.array
    start, capacity = segments[:, layout.SEGMENT_START], segments[:, layout.SEGMENT_CAPACITY]
    _within(capacity, 1, layout.LARGEST_SEGMENT + 1, "waiting lists")
    _within(start, 0, len(rows), "waiting lists")
    _within(start + capacity, 0, len(rows) + 1, "waiting lists")
    _must(bool((segments[:, layout.SEGMENT_COUNT] <= capacity).all()), "waiting lists")
    _within(segments[:, layout.SEGMENT_COUNT], 0, layout.LARGEST_SEGMENT + 1, "waiting lists")
    _within(segments[:, layout.SEGMENT_NEXT], -1, len(segments), "waiting lists")
    _ends(segments[:, layout.SEGMENT_NEXT], "waiting lists")
    _within(rows[:, 0], 0, index.slots.size, "rows")
    _within(rows[:, 1:], 0, index.items.size, "rows")


def _check_slots(index: Index, first: npt.NDArray[Any]) -> None:
    slots = index.slots.array[: index.slots.size]
    _within(first, -1, len(slots), "slots of owners")
    _within(slots[:, layout.SLOT_OWNER], -1, len(first), "owners of slots")
    _within(slots[:, layout.SLOT_ROW], -1, index.rows.size, "rows of slots")
    _within(slots[:, layout.SLOT_ITEM], -1, index.items.size, "items of slots")
    _within(slots[:, layout.SLOT_NEXT], -1, len(slots), "chains of slots")
    _ends(slots[:, layout.SLOT_NEXT], "chains of slots")
    live = np.flatnonzero(slots[:, layout.SLOT_OWNER] >= 0)
    _within(slots[live, layout.SLOT_ITEM], 0, index.items.size, "items of slots")
    row = slots[live, layout.SLOT_ROW]
    _within(row, 0, index.rows.size, "rows of slots")
    _must(not len(live) or np.array_equal(index.rows.array[row, 0], live), "rows of slots")
    waiting = index.items.array[: index.items.size, layout.ITEM_WAITING]
    _must(int(waiting.sum()) == len(live), "how many slots wait")


def _check_free(index: Index) -> None:
    owner = index.slots.array[: index.slots.size, layout.SLOT_OWNER]
    free = np.array(index._free_slots, np.int64)
    _within(free, 0, len(owner), "free slots")
    _must(
        bool((owner[free] == -1).all()) and int((owner == -1).sum()) == len(np.unique(free)) == len(free), "free slots"
    )
    _within(np.array(index._free_bounds, np.int64), 0, index.bounds.size, "free bounds")
    spans = np.array(index._spans.free(), np.int64).reshape(-1, 2)
    _within(spans[:, 0], 0, index.parameters.size, "free parameters")
    _within(spans.sum(axis=1), 0, index.parameters.size + 1, "free parameters")
    _must(index._refiled >= 0 and index._refile_until <= len(owner), "the place of the review")


def _check_shapes(index: Index) -> None:
    """The shapes in the table are those that the directory tells, made again."""
    nodes, numbers = index.nodes.array.tolist(), index.symbols.properties
    places = {(node[layout.NODE_PARENT], node[layout.NODE_PROPERTY]): at for at, node in enumerate(nodes)}
    for shape, at in index.shapes.items():
        _check_shape(shape)
        told = shape_numbers(shape, numbers.__getitem__, lambda node, prop: places[node, prop])
        _must(at >= 0 and index.shape_table.array[at : at + len(told)].tolist() == told, "shapes")
        _must(len(shape.vertices) <= index._largest, "shapes")


def _check_shape(shape: Shape) -> None:
    size = len(shape.vertices)
    _must(len(shape.tree) == size - 1, "shapes")
    _must(all(0 <= parent < number for number, (parent, _) in enumerate(shape.tree, 1)), "shapes")
    _must(all(0 <= one < size and 0 <= other < size for one, _, other in shape.chords), "shapes")
    _must(all(0 <= vertex < size for vertex, _ in shape.tests), "shapes")


def _check_parameters(index: Index) -> None:
    slots = index.slots.array[: index.slots.size]
    slots = slots[slots[:, layout.SLOT_OWNER] >= 0]
    slots = slots[np.argsort(slots[:, layout.SLOT_SHAPE], kind="stable")]
    shapes, first = np.unique(slots[:, layout.SLOT_SHAPE], return_index=True)
    parameters = index.parameters.array[: index.parameters.size]
    most = {
        Kind.CLASS: len(index.symbols.label_names),
        Kind.CONSTANT: len(index.symbols.label_names),
        Kind.INTERVAL: index.bounds.size,
        Kind.TEXT: index.needles.size,
        Kind.PREDICATE: len(index.predicate_list),
    }
    for at, group in zip(shapes.tolist(), np.split(slots, first[1:]), strict=False):
        starts = group[:, layout.SLOT_PARAMETERS].astype(np.int64)
        _within(starts, 0, max(1, len(parameters)), "parameters")
        for number, (_, kind) in enumerate(index.shape_at[at].tests):
            _within(parameters[starts + number], 0, most[kind], "parameters")
    needles = index.needles.array[: index.needles.size].astype(np.int64)
    _within(needles[:, 0] + needles[:, 1], 0, index.needle_bytes.size + 1, "texts")
    _within(needles[:, :2], 0, index.needle_bytes.size + 1, "texts")
    _within(needles[:, 2], 0, 3, "texts")


def _within(numbers: npt.NDArray[Any], least: int, end: int, what: str) -> None:
    if numbers.size:
        _must(least <= int(numbers.min()) and int(numbers.max()) < end, what)


def _ends(following: npt.NDArray[Any], what: str) -> None:
    """No chain comes back to itself: after n steps, taken by doubling, each has come to its end."""
    end = len(following)
    steps = np.append(np.where(following < 0, end, following), end)
    for _ in range(end.bit_length()):
        steps = steps[steps]
    _must(bool((steps == end).all()), what)


def _must(fits: bool | np.bool_, what: str) -> None:
    if not fits:
        raise ValueError(what)
