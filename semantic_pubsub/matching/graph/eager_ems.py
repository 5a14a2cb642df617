"""The extended meta-statement array as the paper fills it: every valid meta-statement in advance.

Wang, Jin, Li: *Data model and matching algorithm in an ontology-based publish/subscribe system*, section 5.2, figure 4.
Valid is every (C, p, D) below a meta-statement that the ontology states. Items are sorted; each has the numbers of its
ancestors, and a list of patterns that wait for it (empty here). The hierarchies are multiplied out, so the array grows
with the product of three of them: `eager_size` counts that without building anything. The matcher does not use this
array; it makes an item when a pattern first needs one (see `kernels.ems`).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from semantic_pubsub.errors import OntologyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.concepts.hierarchy import Hierarchy

__all__ = ["EagerArray", "EagerSize", "Item", "eager_array", "eager_size"]

Item: TypeAlias = tuple[str, str, str]

_MAX_ITEMS: Final = 1_000_000


class EagerSize(NamedTuple):
    """How large the array would be: its items, and the entries of all ancestor lists together."""

    items: int
    ancestors: int


@dataclass(frozen=True, slots=True)
class EagerArray:
    """Sorted items and, for each, the numbers of its proper ancestors. Equivalent names count as one."""

    items: tuple[Item, ...]
    ancestors: tuple[tuple[int, ...], ...]

    def find(self, item: Item) -> int:
        """The number of an item by binary search; KeyError if it is not valid."""
        at = bisect_left(self.items, item)
        if at == len(self.items) or self.items[at] != item:
            raise KeyError(item)
        return at


def eager_size(ontology: Ontology) -> EagerSize:
    """Count items and ancestors; needs memory for the hierarchies only."""
    valid = _Valid(ontology)
    items = pairs = 0
    for prop, subjects, values in valid.blocks():
        items += len(subjects) * len(values)
        # Whatever lies below a valid meta-statement is valid: each is an ancestor of all below it, itself included.
        below_subjects = sum(len(valid.below_class(name)) for name in subjects)
        below_values = sum(len(valid.below_value(name)) for name in values)
        pairs += len(valid.below_property(prop)) * below_subjects * below_values
    return EagerSize(items, pairs - items)


def eager_array(ontology: Ontology, limit: int = _MAX_ITEMS) -> EagerArray:
    """Build the array; an OntologyError if it would have more items than the limit."""
    size = eager_size(ontology)
    if size.items > limit:
        raise OntologyError(
            f"the eager EMS array would have {size.items:,} items, more than {limit:,}",
            hint="OpsMatcher makes items on demand; eager_size() counts them without building",
        )
    valid = _Valid(ontology)
    items = sorted((c, prop, d) for prop, subjects, values in valid.blocks() for c in subjects for d in values)
    number = {item: at for at, item in enumerate(items)}
    ancestors: list[list[int]] = [[] for _ in items]
    for at, (c, prop, d) in enumerate(items):
        for p in valid.below_property(prop):
            for lower in valid.below_class(c):
                for value in valid.below_value(d):
                    ancestors[number[lower, p, value]].append(at)
    lists = (tuple(above for above in found if above != at) for at, found in enumerate(ancestors))
    return EagerArray(tuple(items), tuple(lists))


class _Valid:
    """Which meta-statements are valid, as blocks (property, subject classes, object classes) that do not overlap."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self.below_class: Callable[[str], frozenset[str]] = cache(lambda name: _below(ontology.classes, name))
        self.below_property: Callable[[str], frozenset[str]] = cache(lambda name: _below(ontology.properties, name))
        self.below_value: Callable[[str], frozenset[str]] = cache(self._below_value)

    def _below_value(self, name: str) -> frozenset[str]:
        datatypes = self._ontology.datatypes
        return _below(datatypes if name in datatypes else self._ontology.classes, name)

    def blocks(self) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
        """For each property, subject classes with the same valid object classes go together."""
        stated: dict[str, list[tuple[str, str]]] = {}
        for statement in self._ontology.meta_statements:
            for lower in self.below_property(str(statement.property)):
                stated.setdefault(lower, []).append((str(statement.subject_class), str(statement.object_class)))
        for prop, sides in stated.items():
            tops: dict[str, set[str]] = {}
            for c, d in sides:
                for subject in self.below_class(c):
                    tops.setdefault(subject, set()).add(d)
            together: dict[frozenset[str], set[str]] = {}
            for subject, found in tops.items():
                together.setdefault(frozenset(found), set()).add(subject)
            for above, subjects in together.items():
                yield prop, frozenset(subjects), frozenset().union(*(self.below_value(d) for d in above))


def _below(hierarchy: Hierarchy, name: str) -> frozenset[str]:
    """A concept and all below it, each by the first of its names."""
    if name not in hierarchy:
        return frozenset((name,))
    return frozenset(min(hierarchy.same(lower)) for lower in (name, *hierarchy.descendants(name)))
