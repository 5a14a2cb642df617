"""Is every vertex of a pattern tied to home?"""

from __future__ import annotations

from semantic_pubsub.subscriptions.algebra import HOME, Pattern, Vertex

__all__ = ["unreached"]


def unreached(pattern: Pattern) -> tuple[Vertex, int] | None:
    """A vertex that `_:H` does not reach along the arcs, with its place in the text, or None."""
    reached: set[Vertex] = {HOME}
    in_order = True
    for arc in pattern.arcs:  # most texts are written from home outwards: one pass is enough
        if arc.subject in reached:
            reached.add(arc.object)
        else:
            in_order = False
    if not in_order:
        _search(pattern, reached)
    for arc in pattern.arcs:
        if arc.subject not in reached:
            return arc.subject, arc.offset
    for asked in pattern.classes:
        if asked.vertex not in reached:
            return asked.vertex, asked.offset
    return None


def _search(pattern: Pattern, reached: set[Vertex]) -> None:
    outgoing: dict[Vertex, list[Vertex]] = {}
    for arc in pattern.arcs:
        outgoing.setdefault(arc.subject, []).append(arc.object)
    waiting = list(reached)
    while waiting:
        for vertex in outgoing.get(waiting.pop(), ()):
            if vertex not in reached:
                reached.add(vertex)
                waiting.append(vertex)
