"""What the names of an index are kept in: groups of attributes, steps of paths, properties of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from semantic_pubsub.matching.flat.ranked import Tests

if TYPE_CHECKING:
    from semantic_pubsub.matching.flat.labels import Family, Label

__all__ = ["Group", "KnownArc", "PathNode"]


class KnownArc(NamedTuple):
    """An event's property: whether it gives a type, the used properties that it is below, and the classes that its
    object and its subject have if nothing says which."""

    is_type: bool
    steps: tuple[str, ...]
    ranges: frozenset[str]
    domains: frozenset[str]


class Group:
    """The attributes under the same roots: their items by label, columns by family, and what needs evaluation."""

    __slots__ = ("classes", "columns", "free", "items", "number", "number_column", "points", "sets", "tests")

    def __init__(self, number: int) -> None:
        self.number = number
        self.items: dict[Label, int] = {}
        self.classes: dict[str, int] = {}
        self.columns: dict[Family, int] = {}
        self.free: dict[int, None] = {}  # items that nobody uses and that may stand for something else
        self.sets: dict[int, dict[int, None]] = {}  # item -> items that stand for "one of several" with it among them
        self.tests = Tests()
        self.points = 0
        """How many single numbers are asked for among others."""
        self.number_column = -1


class PathNode:
    """A step of the used attributes' paths."""

    __slots__ = ("attr", "children")

    def __init__(self) -> None:
        self.attr = -1
        self.children: dict[str, PathNode] = {}
