"""Which shapes an event calls for: by class, by property, by name."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from semantic_pubsub.events.prepared import PreparedShape
    from semantic_pubsub.events.superclasses import Superclasses

__all__ = ["Targets"]

_REMEMBERED: Final = 8192


class Targets:
    """The target declarations of all shapes, turned round: from what an event may hold to the shapes."""

    def __init__(self, shapes: Iterable[PreparedShape], superclasses: Superclasses) -> None:
        self.superclasses = superclasses
        self.subjects_of: dict[str, list[PreparedShape]] = {}
        self.objects_of: dict[str, list[PreparedShape]] = {}
        self.nodes: list[tuple[PreparedShape, Node]] = []
        """SHACL looks at a target node whether the event names it or not."""
        self.own: list[PreparedShape] = []
        """Shapes whose targets only a query finds."""
        self._by_class: dict[str, list[PreparedShape]] = {}
        for shape in shapes:
            self._add(shape)
        self.of_type = lru_cache(_REMEMBERED)(self._of_type)
        """The shapes for whatever is of a class, by its name; remembered."""

    def _add(self, shape: PreparedShape) -> None:
        nodes, classes, implicit, objects_of, subjects_of = shape.targets()
        for name in {*map(str, classes), *map(str, implicit)}:
            self._by_class.setdefault(name, []).append(shape)
        for prop in subjects_of:
            self.subjects_of.setdefault(str(prop), []).append(shape)
        for prop in objects_of:
            self.objects_of.setdefault(str(prop), []).append(shape)
        self.nodes.extend((shape, node) for node in nodes)
        if shape.has_own_target:
            self.own.append(shape)

    def of_types(self, names: Iterable[str]) -> tuple[PreparedShape, ...]:
        """The shapes that target one of these classes."""
        return tuple(dict.fromkeys(shape for name in names for shape in self._by_class.get(name, ())))

    def _of_type(self, name: str) -> tuple[PreparedShape, ...]:
        return self.of_types(sorted(self.superclasses.above(name)))
