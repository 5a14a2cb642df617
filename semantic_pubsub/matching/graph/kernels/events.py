"""The event under the index: sets of its vertices along the paths that patterns use.

Section 5.3 of the paper turns every arc into typed-statements and looks each up in the EMS array with its ancestors.
Here the ancestors come first: an arc counts for every property above its own that some pattern uses, a vertex for
every such class above its own. Then the set {home} is pushed down the tree of paths.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semantic_pubsub.matching.arrays.bits import find, lowest_bit, spot
from semantic_pubsub.matching.arrays.compiling import inner
from semantic_pubsub.matching.graph.kernels.ems import child_key
from semantic_pubsub.matching.graph.layout import IS_LITERAL, IS_TYPED, NODE_CHILDREN, Marks, Tables, View

__all__ = [
    "ARCS",
    "AT_ARCS",
    "AT_CONSTANTS",
    "AT_FLAGS",
    "AT_TEXTS",
    "AT_TYPES",
    "HEADER",
    "TOP_ROW",
    "TYPES",
    "VERTICES",
    "arcs_of",
    "grown",
    "labels_of",
    "leads_to",
    "push",
    "row_of",
    "tree_row_of",
    "union_of",
]

# The head of an encoded event: sizes, then where the parts begin.
VERTICES, ARCS, TYPES, AT_ARCS, AT_TYPES, AT_FLAGS, AT_CONSTANTS, AT_TEXTS, TOP_ROW = range(9)
HEADER = 9

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@inner
def grown(array: Any, needed: int) -> Any:
    if needed <= len(array):
        return array
    larger = np.zeros(max(needed, 2 * len(array)), array.dtype)
    for k in range(len(array)):  # a loop compiles in a tenth of the time that a slice takes
        larger[k] = array[k]
    return larger


@inner
def row_of(prop: int, vertex: int, v: View, m: Marks) -> int:
    """Which row of `targets` holds where a property leads from an event vertex; -1: nowhere."""
    if m.properties[spot(prop), 0] != v.epoch:
        return np.int64(-1)
    return tree_row_of(prop, vertex, v, m)


@inner
def tree_row_of(prop: int, vertex: int, v: View, m: Marks) -> int:
    """The same for a property that the event is known to have: the path of a vertex with candidates leads over it."""
    cell = np.int64(m.properties[spot(prop), 1]) * v.size + vertex
    return cell if v.words == 1 else np.int64(v.adjacency[spot(cell)])


@inner
def leads_to(prop: int, subject: int, value: int, v: View, m: Marks) -> bool:
    """Whether the event has an arc between two vertices with this property or one below it."""
    row = row_of(prop, subject, v, m)
    if row < 0:
        return False
    return (v.targets[spot(row * v.words + (value >> 6))] >> np.uint64(value & 63)) & _ONE != _ZERO


# Classes and constants of vertices. `state` counts the labels seen and the links made.


@inner
def _add_label(label: int, vertex: int, words: int, epoch: int, m: Marks, masks: Any, links: Any, state: Any) -> Any:
    """Put a vertex into a label's set, and the label into the vertex's chain of (label, next) links."""
    if m.labels[spot(label), 0] != epoch:
        m.labels[spot(label), 0] = epoch
        m.labels[spot(label), 1] = state[0]
        state[0] += 1
        masks = grown(masks, state[0] * words)
    cell = np.int64(m.labels[spot(label), 1]) * words + (vertex >> 6)
    bit = _ONE << np.uint64(vertex & 63)
    if not masks[spot(cell)] & bit:
        masks[spot(cell)] |= bit
        links = grown(links, 2 * state[1] + 2)
        links[spot(2 * state[1])] = label
        links[spot(2 * state[1] + 1)] = state[spot(2 + vertex)]
        state[spot(2 + vertex)] = state[1]
        state[1] += 1
    return masks, links


@inner
def _add_row(
    row: int, vertex: int, words: int, epoch: int, closure: Any, m: Marks, masks: Any, links: Any, state: Any
) -> Any:
    """Give a vertex all labels of a row of the closure table."""
    for k in range(closure[spot(row)]):
        masks, links = _add_label(closure[spot(row + 1 + k)], vertex, words, epoch, m, masks, links, state)
    return masks, links


@inner
def labels_of(event: Any, words: int, epoch: int, closure: Any, m: Marks, state: Any) -> Any:
    """Sets of vertices per label, and for each vertex the chain of its labels."""
    vertices, flags = event[VERTICES], event[AT_FLAGS]
    masks = np.zeros(64 * words, np.uint64)
    links = np.zeros(8 * vertices, np.int64)
    for vertex in range(vertices):
        state[spot(2 + vertex)] = -1
    at = event[AT_TYPES]
    for k in range(event[TYPES]):
        vertex, row = event[spot(at + 2 * k)], event[spot(at + 2 * k + 1)]
        masks, links = _add_row(row, vertex, words, epoch, closure, m, masks, links, state)
    at = event[AT_ARCS]
    for k in range(event[ARCS]):
        subject, row, value = event[spot(at + 3 * k)], event[spot(at + 3 * k + 1)], event[spot(at + 3 * k + 2)]
        ranges = row + 1 + closure[spot(row)]
        if not event[spot(flags + value)] & (IS_LITERAL | IS_TYPED):
            masks, links = _add_row(ranges, value, words, epoch, closure, m, masks, links, state)
        if not event[spot(flags + subject)] & IS_TYPED:
            domains = ranges + 1 + closure[spot(ranges)]
            masks, links = _add_row(domains, subject, words, epoch, closure, m, masks, links, state)
    at = event[AT_CONSTANTS]
    for vertex in range(vertices):
        if not event[spot(flags + vertex)] & (IS_LITERAL | IS_TYPED):
            masks, links = _add_row(event[TOP_ROW], vertex, words, epoch, closure, m, masks, links, state)
        if event[spot(at + vertex)] >= 0:
            masks, links = _add_label(event[spot(at + vertex)], vertex, words, epoch, m, masks, links, state)
    return masks, links


# Arcs


@inner
def arcs_of(event: Any, words: int, epoch: int, closure: Any, m: Marks, relevant: Any) -> Any:
    """For each used property and vertex the set of vertices that it leads to: (row numbers, rows of masks).

    The sets of a small event are single words, one for each property and vertex. Those of a larger one have rows
    only where there is something in them, and only for the vertices that some path of a pattern reaches.
    """
    size = np.int64(event[VERTICES])
    props = _number_properties(event, epoch, closure, m)
    if words == 1:
        adjacency = np.empty(1, np.int32)
        targets = np.zeros(props * size + 1, np.uint64)
    else:
        adjacency = np.full(props * size + 1, -1, np.int32)
        targets = np.zeros(_number_rows(event, closure, m, relevant, adjacency) * words + 1, np.uint64)
    at = event[AT_ARCS]
    for k in range(event[ARCS]):
        subject, row, value = event[spot(at + 3 * k)], event[spot(at + 3 * k + 1)], event[spot(at + 3 * k + 2)]
        for i in range(closure[spot(row)]):
            cell = np.int64(m.properties[spot(closure[spot(row + 1 + i)]), 1]) * size + subject
            if words > 1:
                cell = np.int64(adjacency[spot(cell)])
            if cell >= 0:
                targets[spot(cell * words + (value >> 6))] |= _ONE << np.uint64(value & 63)
    return adjacency, targets


@inner
def _number_rows(event: Any, closure: Any, m: Marks, relevant: Any, adjacency: Any) -> int:
    """Give each used property of each relevant vertex a row; how many there are."""
    size, at = np.int64(event[VERTICES]), event[AT_ARCS]
    count = 0
    for k in range(event[ARCS]):
        subject, row = event[spot(at + 3 * k)], event[spot(at + 3 * k + 1)]
        if not (relevant[spot(subject >> 6)] >> np.uint64(subject & 63)) & _ONE:
            continue
        for i in range(closure[spot(row)]):
            cell = np.int64(m.properties[spot(closure[spot(row + 1 + i)]), 1]) * size + subject
            if adjacency[spot(cell)] < 0:
                adjacency[spot(cell)] = count
                count += 1
    return count


@inner
def union_of(masks: Any, count: int, words: int) -> Any:
    """All vertices that are in one of so many sets."""
    found = np.zeros(words, np.uint64)
    for k in range(count):
        for w in range(words):
            found[spot(w)] |= masks[spot(k * words + w)]
    return found


@inner
def _number_properties(event: Any, epoch: int, closure: Any, m: Marks) -> int:
    """Give every used property above one of the event's a number; how many there are."""
    at = event[AT_ARCS]
    props = 0
    for k in range(event[ARCS]):
        row = event[spot(at + 3 * k + 1)]
        for i in range(closure[spot(row)]):
            prop = closure[spot(row + 1 + i)]
            if m.properties[spot(prop), 0] != epoch:
                m.properties[spot(prop), 0] = epoch
                m.properties[spot(prop), 1] = props
                props += 1
    return props


@inner
def _leaving(event: Any) -> Any:
    """Arc numbers sorted by subject, and where each subject's begin."""
    vertices, arcs, at = event[VERTICES], event[ARCS], event[AT_ARCS]
    first = np.zeros(vertices + 2, np.int32)
    for k in range(arcs):
        first[spot(event[spot(at + 3 * k)] + 2)] += 1
    for vertex in range(vertices + 1):
        first[spot(vertex + 1)] += first[spot(vertex)]
    order = np.empty(arcs, np.int32)
    for k in range(arcs):
        subject = event[spot(at + 3 * k)] + 1
        order[spot(first[spot(subject)])] = k
        first[spot(subject)] += 1
    return first, order


@inner
def push(event: Any, words: int, epoch: int, closure: Any, t: Tables, m: Marks) -> Any:
    """Vertex sets of all path nodes that the event reaches: their number, the nodes breadth first, the masks."""
    first, order = _leaving(event)
    at = event[AT_ARCS]
    reached = np.zeros(64, np.int64)
    masks = np.zeros(64 * words, np.uint64)
    masks[0] = _ONE
    m.nodes[0, 0] = epoch
    m.nodes[0, 1] = 0
    count = 1
    current = -1
    while current + 1 < count:
        current += 1
        node = reached[spot(current)]
        onward = np.uint64(t.nodes[spot(node), NODE_CHILDREN])
        if not onward:
            continue
        for w in range(words):
            left = masks[spot(current * words + w)]
            while left:
                vertex = (w << 6) + lowest_bit(left)
                left &= left - _ONE
                for k in range(first[spot(vertex)], first[spot(vertex + 1)]):
                    row, value = event[spot(at + 3 * order[spot(k)] + 1)], event[spot(at + 3 * order[spot(k)] + 2)]
                    for i in range(closure[spot(row)]):
                        prop = np.int64(closure[spot(row + 1 + i)])
                        if not (onward >> np.uint64(prop & 63)) & _ONE:
                            continue
                        child = find(t.keys, t.values, child_key(node, prop))
                        if child < 0:
                            continue
                        if m.nodes[spot(child), 0] != epoch:
                            m.nodes[spot(child), 0] = epoch
                            m.nodes[spot(child), 1] = count
                            count += 1
                            reached = grown(reached, count)
                            masks = grown(masks, count * words)
                            reached[spot(count - 1)] = child
                        masks[spot(np.int64(m.nodes[spot(child), 1]) * words + (value >> 6))] |= _ONE << np.uint64(
                            value & 63
                        )
    return count, reached, masks
