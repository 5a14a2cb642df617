"""The two kinds of nodes of a matching tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.terms import Term

__all__ = ["Circle", "Node", "Rectangle"]


class Circle:
    """A partial mapping, accepted when every statement pattern below it is."""

    __slots__ = ("checked", "children", "mapping", "number", "parent", "unchecked_children", "vertex", "waiting")

    def __init__(self, number: int, vertex: int, mapping: Mapping[int, Term], parent: Rectangle | None) -> None:
        self.number = number
        self.vertex = vertex
        """The pattern vertex that was matched last."""
        self.mapping = mapping
        self.parent = parent
        self.children: list[Rectangle] = []
        self.checked = False
        self.unchecked_children = 0
        self.waiting = True
        """Whether its statement patterns are still to be derived; stays so only in a tree that was cut."""


class Rectangle:
    """A statement pattern, its subject (and whatever else is known) replaced by values; one solution is enough."""

    __slots__ = ("checked", "children", "number", "object", "parent", "property", "subject", "waiting")

    def __init__(self, number: int, arc: tuple[int, str, int], parent: Circle) -> None:
        self.number = number
        self.subject, self.property, self.object = arc
        self.parent = parent
        self.children: list[Circle] = []
        self.checked = False
        self.waiting = True
        """Whether arcs of the event are still to be tried; stays so only in a tree that was cut."""


Node: TypeAlias = Circle | Rectangle
