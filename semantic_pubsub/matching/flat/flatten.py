"""From an event graph to pairs ⟨path, value⟩ (CTPS, section 3.2).

For each walk of properties from home the vertex at its end gives one pair per class, its IRI if it has one, or its
literal. Home's own path is empty. Only walks below a wanted path are unfolded, so cyclic graphs end; without wanted
paths a walk does not come to a vertex twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.errors import EventError
from semantic_pubsub.events.closure import ClosedEvent, EventArc, close
from semantic_pubsub.matching.flat.pairs import FlatEvent
from semantic_pubsub.matching.flat.paths import MOST_STEPS
from semantic_pubsub.matching.flat.plain import ClassName, Iri, Known
from semantic_pubsub.terms import Literal, NamedNode, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.matching.flat.paths import Path

__all__ = ["MOST_PAIRS", "flatten"]

MOST_PAIRS: Final = 1_000_000
_HINT: Final = "unfold only the paths that subscriptions use, or split the event"


def flatten(event: Event, ontology: Ontology, paths: Iterable[Path] | None = None) -> FlatEvent:
    """The pairs of an event; with `paths` (tuples of IRIs, see `FlatMatcher.paths`) only those below one of them."""
    closed = close(event, ontology)
    leaving: dict[Term, list[EventArc]] = {}
    for arc in closed.arcs:
        leaving.setdefault(arc.subject, []).append(arc)
    if paths is None:
        walks = _simple_walks(closed.home, leaving)
    else:
        walks = _wanted_walks(closed.home, leaving, frozenset(paths))
    items: dict[tuple[Path, type, Known], None] = {}
    source = event.id or event.source
    for number, (path, vertex) in enumerate(walks):
        if paths is None and len(path) > MOST_STEPS:
            raise EventError(f"a path of more than {MOST_STEPS} steps", source=source, hint=_HINT)
        for value in _values(vertex, closed):
            items[path, type(value), value] = None
        if max(number, len(items)) > MOST_PAIRS:
            raise EventError(f"more than {MOST_PAIRS:,} pairs", source=source, hint=_HINT)
    return FlatEvent.of_items(((path, value) for path, _, value in items), id=event.id)


def _values(vertex: Term, closed: ClosedEvent) -> Iterator[Known]:
    if isinstance(vertex, Literal):
        yield vertex
        return
    for name in closed.classes[vertex]:
        yield ClassName(name)
    if isinstance(vertex, NamedNode):
        yield Iri(vertex.value)


def _simple_walks(home: Term, leaving: dict[Term, list[EventArc]]) -> Iterator[tuple[Path, Term]]:
    """Every walk that comes to no vertex twice."""
    waiting: list[tuple[Path, Term, frozenset[Term]]] = [((), home, frozenset((home,)))]
    while waiting:
        path, vertex, passed = waiting.pop()
        yield path, vertex
        waiting.extend(
            ((*path, arc.property), arc.object, passed | {arc.object})
            for arc in reversed(leaving.get(vertex, ()))
            if arc.object not in passed
        )


def _wanted_walks(
    home: Term, leaving: dict[Term, list[EventArc]], wanted: frozenset[Path]
) -> Iterator[tuple[Path, Term]]:
    """Every walk that is below a wanted path; vertices may repeat, each walk ends with its path."""
    reached: dict[tuple[Path, Term], set[Path]] = {((), home): set(wanted)}
    while reached:
        following: dict[tuple[Path, Term], set[Path]] = {}
        for (path, vertex), targets in reached.items():
            depth = len(path)
            if any(len(target) == depth for target in targets):
                yield path, vertex
            longer = [target for target in targets if len(target) > depth]
            for arc in leaving.get(vertex, ()) if longer else ():
                below = [target for target in longer if target[depth] in arc.properties]
                if below:
                    following.setdefault(((*path, arc.property), arc.object), set()).update(below)
        reached = following
