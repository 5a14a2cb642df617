"""Which attributes and items are below which, as a set of pairs that the covering tests look into."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from semantic_pubsub.matching.flat import hmacd_layout as own
from semantic_pubsub.matching.flat.meaning import is_below

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.labels import Label
    from semantic_pubsub.matching.flat.tables import Tables
    from semantic_pubsub.matching.flat.vocabulary import Group, Vocabulary

__all__ = ["NameOrder", "is_below_class"]

_ATTRS: Final = 1 << 62
_MOST_COMPARED: Final = 2_000  # a new name is compared with so many of its group; what is not, covers less
_MOST_SETS: Final = 200


class NameOrder:
    """Keeps the pairs (lower, upper) of all names that subscriptions use; equal names are not written down."""

    def __init__(self, vocabulary: Vocabulary, tables: Tables) -> None:
        self.vocabulary = vocabulary
        self.tables = tables
        self.pairs: set[int] = set()
        self._attrs, self._items = 1, 1  # number 0 of both is what every event has
        self._members: dict[int, list[int]] = {}
        self._names = vocabulary.names

    def learn(self) -> None:
        """Put what is new into order."""
        words = self.vocabulary
        if words.names == self._names:
            return
        self._names = words.names
        known = len(self.pairs)
        for attr in range(self._attrs, len(words.attr_paths)):
            self.pairs.update(_ATTRS | low << 31 | high for low, high in self._attr_pairs(attr))
        self._attrs = len(words.attr_paths)
        items = len(words.item_labels)
        self.tables.reserve(own.ITEM_EXISTS, items)
        for item in range(self._items, items):
            group, label = words.item_labels[item]
            self.tables[own.ITEM_EXISTS][item] = label[0] == "exists"
            self.pairs.update(low << 31 | high for low, high in self._item_pairs(words.groups[group], item, label))
        self._items = items
        if len(self.pairs) != known:
            self._write()

    def _attr_pairs(self, attr: int) -> Iterator[tuple[int, int]]:
        words = self.vocabulary
        group, path = words.attr_group[attr], words.attr_paths[attr]
        others = self._members.setdefault(group, [])
        yield from ((attr, above) for above in words.attrs_above(path).get(group, ()) if above != attr)
        if len(others) <= _MOST_COMPARED:
            ontology = words.ontology
            yield from ((other, attr) for other in others if is_below(words.attr_paths[other], path, ontology))
        others.append(attr)

    def _item_pairs(self, group: Group, item: int, label: Label) -> Iterator[tuple[int, int]]:
        if label[0] == "class" and len(group.classes) <= _MOST_COMPARED:
            ontology, name = self.vocabulary.ontology, str(label[1])
            for other, number in group.classes.items():
                if number != item and is_below_class(name, other, ontology):
                    yield item, number
                if number != item and is_below_class(other, name, ontology):
                    yield number, item
        elif label[0] == "set":
            members: frozenset[int] = label[1]  # type: ignore[assignment]
            yield from ((member, item) for member in members)
            near = {number for member in members for number in islice(group.sets.get(member, ()), _MOST_SETS)} - {item}
            for number in near:
                others: frozenset[int] = self.vocabulary.item_labels[number][1][1]  # type: ignore[assignment]
                if members <= others:
                    yield item, number
                if others <= members:
                    yield number, item

    def _write(self) -> None:
        """The pairs as a table of hashes, at most half full."""
        size = 64
        while size < 2 * len(self.pairs) + 2:
            size *= 2
        keys, mask = [-1] * size, size - 1
        for key in self.pairs:
            at = (key * 11400714819323198485 & 0xFFFFFFFFFFFFFFFF) >> 24 & mask
            while keys[at] >= 0:
                at = (at + 1) & mask
            keys[at] = key
        self.tables.put(own.IMPLIED, np.array(keys, np.int64))


def is_below_class(lower: str, upper: str, ontology: Ontology) -> bool:
    """Whether whatever is of one class (or datatype) is of the other, a resource as well as a literal: so owl:Thing,
    which no literal is, is above no class, and a name that is both class and datatype is below itself only."""
    if lower == upper:
        return True
    if lower in ontology.classes and lower in ontology.datatypes:
        return False
    return upper in ontology.superclasses(lower) and upper in ontology.superdatatypes(lower)
