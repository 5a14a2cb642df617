"""Names as integers: the attributes, items and columns that subscriptions use, and what lies above an event's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat.constraints import Between, Constraint, Exists, IsA, OneOf
from semantic_pubsub.matching.flat.groups import Group, KnownArc, PathNode
from semantic_pubsub.matching.flat.labels import (
    EXISTS,
    NUMBERS,
    Family,
    Interval,
    Label,
    labels_of,
    plain_number,
    value_label,
)
from semantic_pubsub.matching.flat.meaning import satisfies
from semantic_pubsub.matching.flat.plain import ClassName, Iri
from semantic_pubsub.subscriptions.values import Float
from semantic_pubsub.vocab import OWL, RDF_TYPE, RESOURCE, THING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.labels import Measured
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.matching.flat.resolving import LiteralValue, PairValue

__all__ = ["Group", "PathNode", "Vocabulary", "literal_label"]

_MOST_ARCS: Final = 100_000
_SETS: Final = frozenset(("set", "point"))  # points are members of sets
_RENAMED: Final = _SETS | {"value", "iri", "moment", "test"}  # whatever else there is few of
_ORDERED: Final = frozenset(("set", "class", "exists"))  # what may be above another item
_TOPS: Final = frozenset((OWL + "topObjectProperty", OWL + "topDataProperty"))


class Vocabulary:
    """The numbers of attributes, items and columns, and how many predicates use each.

    The number of an item that nobody uses is given to the next new one of its group: whatever an index keeps by that
    number has no slots then. Other names that nobody uses go when an index is built anew; until then events are not
    asked for them.
    """

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.names = 0
        """Counts what makes events' names mean something else: new attributes, items and columns, or some come back."""
        self.live = 0
        """How many attributes, items and columns somebody uses."""
        self.free = 0
        """How many items may stand for something else."""
        self.renames_sets = True
        """Whether sets and their members may, too: not where it is kept which of them are below which."""
        self.attr_uses: list[int] = []
        self.item_uses: list[int] = []
        self.column_uses: list[int] = []
        self.groups: list[Group] = []
        self.attrs: dict[Path, int] = {}
        self.attr_group: list[int] = []
        self.attr_paths: list[Path] = [()]
        self.item_labels: list[tuple[int, Label]] = []
        self.column_families: list[tuple[int, Family]] = []
        self.originals: dict[int, Constraint] = {}  # of items that are tests or stand for several labels
        self._group_of_roots: dict[Path, Group] = {}
        self._roots: dict[str, str] = {}
        self.trie = PathNode()
        self._steps: set[str] = set()
        self._arcs: dict[str, KnownArc] = {}
        self._reserve()

    def _reserve(self) -> None:
        """Number 0 of groups, attributes and items is what every event has (`layout.ALWAYS`)."""
        self.groups.append(Group(0))
        self.attr_group.append(0)
        self.attr_uses.append(0)
        self.item(self.groups[0], ("always",))

    def sizes(self) -> tuple[int, int, int]:
        """How many attributes, items and columns there are."""
        return len(self.attr_group), len(self.item_labels), len(self.column_families)

    @property
    def unused(self) -> int:
        """How many attributes, items and columns nobody uses or can use again."""
        return sum(self.sizes()) - self.live - self.free

    def paths(self) -> list[Path]:
        """The attributes that somebody uses."""
        return [path for path, number in self.attrs.items() if self.attr_uses[number]]

    # who uses what

    def hold(self, attr: int, what: int) -> None:
        """Somebody asks for an attribute's item (or ~column)."""
        self.attr_uses[attr] += 1
        if self.attr_uses[attr] == 1:
            self.live += 1
            self._enter(attr)
        if what >= 0:
            self._hold_item(what)
            return
        self.column_uses[~what] += 1
        self.live += self.column_uses[~what] == 1

    def _hold_item(self, item: int) -> None:
        self.item_uses[item] += 1
        if self.item_uses[item] > 1:
            return
        self.live += 1
        group_number, label = self.item_labels[item]
        group = self.groups[group_number]
        self._keep(group, item)
        if label[0] == "test":
            group.tests.add(item, self.originals[item])
            self.names += 1
        elif label[0] == "point":
            group.points += 1
            self.names += group.points == 1
        elif label[0] == "set":
            for member in label[1]:  # type: ignore[attr-defined]
                self._hold_item(member)

    def drop(self, attr: int, what: int) -> None:
        """Somebody asks for an attribute's item (or ~column) no longer."""
        self.attr_uses[attr] -= 1
        if not self.attr_uses[attr]:
            self.live -= 1
            self._leave(self.attr_paths[attr])
        if what >= 0:
            self._drop_item(what)
            return
        self.column_uses[~what] -= 1
        self.live -= self.column_uses[~what] == 0

    def _drop_item(self, item: int) -> None:
        self.item_uses[item] -= 1
        if self.item_uses[item]:
            return
        self.live -= 1
        group_number, label = self.item_labels[item]
        group = self.groups[group_number]
        if label[0] == "test":
            group.tests.remove(item)
        elif label[0] == "point":
            group.points -= 1
        elif label[0] == "set":
            self._drop_set(group, item, label)
        if label[0] in _RENAMED and item not in group.sets and (self.renames_sets or label[0] not in _SETS):
            group.free[item] = None
            self.free += 1

    def _drop_set(self, group: Group, item: int, label: Label) -> None:
        for member in label[1]:  # type: ignore[attr-defined]
            if self.renames_sets:
                wholes = group.sets[member]
                del wholes[item]
                if not wholes:
                    del group.sets[member]
            self._drop_item(member)
        if self.renames_sets:
            self._unname(group, item)

    def _unname(self, group: Group, item: int) -> None:
        """From now on the item stands for nothing."""
        _, label = self.item_labels[item]
        if group.items.get(label) == item:
            del group.items[label]
        self.originals.pop(item, None)
        self.item_labels[item] = group.number, ("gone", item)

    def _keep(self, group: Group, item: int) -> None:
        """It stands for what it does: somebody asks for that."""
        if item in group.free:
            del group.free[item]
            self.free -= 1

    def unused_attrs(self) -> list[int]:
        """The attributes that nobody uses."""
        return [number for number, uses in enumerate(self.attr_uses) if not uses]

    def unused_items(self) -> list[int]:
        """The items that nobody uses."""
        return [number for number, uses in enumerate(self.item_uses) if not uses]

    def use_all_but(self, attrs: Iterable[int], items: Iterable[int]) -> None:
        """Names that were loaded are used, but for these: how often does not matter, for nothing is removed."""
        for attr in sorted(set(range(1, len(self.attr_group))) - set(attrs)):
            self.attr_uses[attr] = 1
            self._enter(attr)
        for item in sorted(set(range(1, len(self.item_labels))) - set(items)):
            self._hold_item(item)

    def _enter(self, attr: int) -> None:
        """Events unfold the path of an attribute from now on."""
        if not attr:
            return  # what every event has
        self.names += 1
        node = self.trie
        for step in self.attr_paths[attr]:
            node = node.children.setdefault(step, PathNode())
        node.attr = attr

    def _leave(self, path: Path) -> None:
        """Events unfold it no more."""
        nodes = [self.trie]
        for step in path:
            nodes.append(nodes[-1].children[step])
        nodes.pop().attr = -1
        for node, step in zip(reversed(nodes), reversed(path), strict=True):
            child = node.children[step]
            if child.children or child.attr >= 0:
                return
            del node.children[step]

    # what subscriptions use

    def attr(self, path: Path) -> int:
        """The number of an attribute."""
        number = self.attrs.get(path)
        if number is None:
            roots = tuple(map(self._root, path))
            group = self._group_of_roots.get(roots)
            if group is None:
                group = self._group_of_roots[roots] = Group(len(self.groups))
                self.groups.append(group)
            number = self.attrs[path] = len(self.attr_group)
            self.names += 1
            self.attr_paths.append(path)
            self.attr_group.append(group.number)
            self.attr_uses.append(0)
            if not self._steps.issuperset(path):
                self._steps.update(path)
                self._arcs.clear()
        return number

    def _root(self, prop: str) -> str:
        """root(p) of the paper: the top of its concept tree; of several tops the one with the smallest IRI."""
        root = self._roots.get(prop)
        if root is None:
            above = self.ontology.superproperties
            candidates = (above(prop) - _TOPS) or {prop}
            root = self._roots[prop] = min(candidates, key=lambda p: (len(above(p) - _TOPS), p))
        return root

    def wanted(self, group: Group, asked: Constraint) -> int | Interval:
        """The item (or the interval) that stands for a constraint in a group."""
        found = labels_of(asked)
        if isinstance(found, Interval):
            return found
        if found is None:
            return self._test(group, asked)
        if len(found) == 1:
            item = self.item(group, found[0])
            if found[0][0] == "moment":
                self.originals.setdefault(item, asked)
            return item
        members = frozenset(self.item(group, label) for label in found)
        label = ("set", members, _as_written(asked))
        known = group.items.get(label)
        if known is None:
            known = self.item(group, label)
            self.originals[known] = asked
            for member in members:
                group.sets.setdefault(member, {})[known] = None
        return known

    def item(self, group: Group, label: Label) -> int:
        """The number of a label in a group."""
        number = group.items.get(label)
        if number is not None:
            self._keep(group, number)
            return number
        if group.free and (self.renames_sets or label[0] not in _ORDERED):
            number, _ = group.free.popitem()
            self.free -= 1
            self._unname(group, number)
            self.item_labels[number] = group.number, label
        else:
            number = len(self.item_labels)
            self.item_labels.append((group.number, label))
            self.item_uses.append(0)
        group.items[label] = number
        self.names += 1
        if label[0] == "class":
            group.classes[str(label[1])] = number
        return number

    def _test(self, group: Group, asked: Constraint) -> int:
        label = ("test", _as_written(asked))
        known = group.items.get(label)
        if known is None:
            known = self.item(group, label)
            self.originals[known] = asked
        return known

    def column(self, group: Group, family: Family) -> int:
        """The number of a family of numbers in a group."""
        number = group.columns.get(family)
        if number is None:
            number = group.columns[family] = len(self.column_families)
            self.names += 1
            self.column_families.append((group.number, family))
            self.column_uses.append(0)
            if family == NUMBERS:
                group.number_column = number
        return number

    # back to constraints

    def constraint(self, item: int) -> Constraint:
        """The constraint that an item stands for."""
        _, label = self.item_labels[item]
        match label[0]:
            case "exists":
                return Exists()
            case "never":
                return OneOf(())
            case "class":
                return IsA(str(label[1]))
            case "test" | "set" | "moment":
                return self.originals[item]
        return OneOf((_value_of_label(label),))  # type: ignore[arg-type]

    # what events show

    def arc(self, prop: str) -> KnownArc:
        """What matters of an event's property."""
        known = self._arcs.get(prop)
        if known is None:
            ontology, above = self.ontology, self.ontology.superproperties(prop)
            if prop == RDF_TYPE:
                known = KnownArc(True, (), frozenset(), frozenset())
            else:
                known = KnownArc(
                    RDF_TYPE in above,
                    tuple(sorted(above & self._steps)),
                    frozenset(c for name in above for c in ontology.ranges(name)),
                    frozenset(c for name in above for c in ontology.domains(name)),
                )
            if len(self._arcs) < _MOST_ARCS:  # whoever sends ever new properties fills no memory
                self._arcs[prop] = known
        return known

    def attrs_above(self, path: Path) -> dict[int, list[int]]:
        """The used attributes that are not below a path's own, by group."""
        nodes = [self.trie]
        for step in path:
            above = self.ontology.superproperties(step)
            nodes = [child for node in nodes for child in _children(node, above)]
            if not nodes:
                return {}
        found: dict[int, list[int]] = {}
        for node in nodes:
            if node.attr >= 0:
                found.setdefault(self.attr_group[node.attr], []).append(node.attr)
        return found

    def items_of(self, group: Group, value: PairValue) -> list[int]:
        """The items of a group that a value satisfies, tests left out."""
        items = group.items
        found = [items[EXISTS]] if EXISTS in items else []
        if isinstance(value, ClassName):
            above = self.ontology.superclasses(value.iri)
            found += [n for c, n in group.classes.items() if c in above or c in (THING, RESOURCE)]
        elif isinstance(value, Iri):
            found += _known(items, ("iri", value.iri))
        else:
            if group.classes:
                datatypes = self.ontology.superdatatypes(value.datatype)
                found += [n for c, n in group.classes.items() if c in datatypes]
            found += _known(items, literal_label(value))
        if group.sets:
            found += [whole for item in tuple(found) for whole in group.sets.get(item, ())]
        return found

    def sets_near(self, group: Group, value: PairValue, place: Measured) -> list[int]:
        """The items of several values that a number satisfies which no double stands for."""
        items, ends = group.items, (place.lower, place.upper)
        if math.nextafter(math.nextafter(place.lower, math.inf), math.inf) >= place.upper:
            numbers = {*ends, place.number, math.nextafter(place.lower, math.inf)}
            near = [items[label] for number in numbers if (label := ("point", number + 0.0)) in items]
        else:
            near = [n for label, n in items.items() if label[0] == "point" and ends[0] <= label[1] <= ends[1]]  # type: ignore[operator]
        wholes = dict.fromkeys(whole for item in near for whole in group.sets.get(item, ()))
        return [one for one in wholes if self.item_uses[one] and satisfies(value, self.originals[one], self.ontology)]


def literal_label(value: LiteralValue) -> Label | None:
    """The label of a literal's value."""
    inner = value.value
    if isinstance(inner, bool):
        return value_label(inner)
    if inner != inner:
        return ("nan", value.datatype)
    number = plain_number(inner)
    if number is not None:
        return ("point", number + 0.0)
    return value_label(inner)


def _as_written(asked: Constraint) -> str:
    """A constraint as a text that no other one has. A number of 32 bits is written like a double, so it says so."""
    values: tuple[object, ...] = asked.values if isinstance(asked, OneOf) else ()
    if isinstance(asked, Between):
        values = asked.lower, asked.upper
    singles = [n for n, value in enumerate(values) if type(value) is Float]
    return f"{asked!r} {singles}" if singles else repr(asked)


def _known(items: dict[Label, int], label: Label | None) -> list[int]:
    number = None if label is None else items.get(label)
    return [] if number is None else [number]


def _children(node: PathNode, above: frozenset[str]) -> list[PathNode]:
    children = node.children
    if len(children) < len(above):
        return [child for step, child in children.items() if step in above]
    return [children[step] for step in above if step in children]


def _value_of_label(label: Label) -> object:
    from semantic_pubsub.subscriptions.temporal import Duration
    from semantic_pubsub.terms import Literal, NamedNode

    match label[0]:
        case "iri":
            return Iri(str(label[1]))
        case "point":
            return label[1]
        case "nan":
            return Literal("NaN", datatype=NamedNode(str(label[1])))
    if label[1] == "Duration":
        return Duration(*label[2])  # type: ignore[misc]
    return label[2]
