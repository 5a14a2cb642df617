"""Names as integers: the attributes, items and columns that subscriptions use, and what lies above an event's names."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from semantic_pubsub.matching.flat.constraints import Constraint, Exists, IsA, OneOf
from semantic_pubsub.matching.flat.labels import EXISTS, NUMBERS, Family, Interval, Label, labels_of, value_label
from semantic_pubsub.matching.flat.meaning import satisfies
from semantic_pubsub.matching.flat.plain import ClassName, Iri
from semantic_pubsub.subscriptions.values import to_double
from semantic_pubsub.vocab import OWL, RDF_TYPE, RESOURCE, THING

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.paths import Path
    from semantic_pubsub.matching.flat.resolving import LiteralValue, PairValue

__all__ = ["Group", "PathNode", "Vocabulary", "literal_label"]

_MOST_ARCS: Final = 100_000
_TOPS: Final = frozenset((OWL + "topObjectProperty", OWL + "topDataProperty"))


class Test(NamedTuple):
    """A constraint that is evaluated as it is defined, and the item that stands for it."""

    item: int
    asked: Constraint


class KnownArc(NamedTuple):
    """An event's property: whether it gives a type, the used properties that it is below, and the classes that its
    object and its subject have if nothing says which."""

    is_type: bool
    steps: tuple[str, ...]
    ranges: frozenset[str]
    domains: frozenset[str]


class Group:
    """The attributes under the same roots: their items by label, columns by family, and what needs evaluation."""

    __slots__ = ("classes", "columns", "has_points", "items", "number", "number_column", "sets", "tests")

    def __init__(self, number: int) -> None:
        self.number = number
        self.items: dict[Label, int] = {}
        self.classes: dict[str, int] = {}
        self.columns: dict[Family, int] = {}
        self.sets: dict[int, list[int]] = {}  # item -> items that stand for "one of several" with it among them
        self.tests: list[Test] = []
        self.has_points = False
        self.number_column = -1


class PathNode:
    """A step of the used attributes' paths."""

    __slots__ = ("attr", "children")

    def __init__(self) -> None:
        self.attr = -1
        self.children: dict[str, PathNode] = {}


class Vocabulary:
    """The numbers of attributes, items and columns; they are never taken back."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.names = 0
        """How many attributes, items and columns there are."""
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
        self.item(self.groups[0], ("always",))

    def sizes(self) -> tuple[int, int, int]:
        """How many attributes, items and columns there are."""
        return len(self.attr_group), len(self.item_labels), len(self.column_families)

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
            node = self.trie
            for step in path:
                node = node.children.setdefault(step, PathNode())
            node.attr = number
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
            return self.item(group, found[0])
        members = frozenset(self.item(group, label) for label in found)
        label = ("set", members, repr(asked))
        known = group.items.get(label)
        if known is None:
            known = self.item(group, label)
            self.originals[known] = asked
            for member in members:
                group.sets.setdefault(member, []).append(known)
        return known

    def item(self, group: Group, label: Label) -> int:
        """The number of a label in a group."""
        number = group.items.get(label)
        if number is None:
            number = group.items[label] = len(self.item_labels)
            self.names += 1
            self.item_labels.append((group.number, label))
            if label[0] == "class":
                group.classes[str(label[1])] = number
            elif label[0] == "point":
                group.has_points = True
        return number

    def _test(self, group: Group, asked: Constraint) -> int:
        label = ("test", repr(asked))
        known = group.items.get(label)
        if known is None:
            known = self.item(group, label)
            group.tests.append(Test(known, asked))
            self.originals[known] = asked
        return known

    def column(self, group: Group, family: Family) -> int:
        """The number of a family of numbers in a group."""
        number = group.columns.get(family)
        if number is None:
            number = group.columns[family] = len(self.column_families)
            self.names += 1
            self.column_families.append((group.number, family))
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
            case "test" | "set":
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

    def points_within(self, group: Group, lower: float, upper: float) -> list[int]:
        """The items of single numbers in a range, for a value that no double stands for."""
        found = [n for label, n in group.items.items() if label[0] == "point" and lower <= label[1] <= upper]  # type: ignore[operator]
        return found + [whole for item in found for whole in group.sets.get(item, ())]

    def tests_of(self, group: Group, value: PairValue) -> list[int]:
        """The tests of a group that a value satisfies."""
        return [test.item for test in group.tests if satisfies(value, test.asked, self.ontology)]


def literal_label(value: LiteralValue) -> Label | None:
    """The label of a literal's value."""
    inner = value.value
    if isinstance(inner, bool):
        return value_label(inner)
    if inner != inner:
        return ("nan", value.datatype)
    if isinstance(inner, float | int | Decimal):
        return ("point", to_double(inner) + 0.0)
    return value_label(inner)


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
