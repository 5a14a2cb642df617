"""The subscription side of the OPS paper's algorithm: statement patterns and the array of meta-statements (EMS)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from semantic_pubsub import Subscription
from semantic_pubsub.events.closure import ClosedEvent
from semantic_pubsub.matching.definition import iri_of
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import HOME, Expression, Pattern, Variable, references
from semantic_pubsub.terms import Literal, NamedNode, Term

__all__ = ["ANY", "EmsArray", "StatementPattern", "SubscriptionGraph", "graphs_of"]

ANY = ""
"""In place of a class: the pattern asks for none."""

MetaStatement: TypeAlias = tuple[str, str, str]
Condition: TypeAlias = Callable[[Mapping[str, Term]], bool]


class EmsArray:
    """The EMS array (section 5.2): meta-statements with their ancestors.

    Filled on demand with what patterns use; the paper's eager array of everything valid would not fit into memory
    for a deep hierarchy. A dict finds an item where the paper searches a sorted array: the same item, sooner.
    """

    def __init__(self) -> None:
        self._numbers: dict[MetaStatement, int] = {}
        self._by_property: defaultdict[str, list[tuple[str, str, int]]] = defaultdict(list)
        self._ancestors: dict[tuple[tuple[str, ...], str, tuple[str, ...]], tuple[int, ...]] = {}

    def number(self, meta: MetaStatement) -> int:
        """The item of a pattern's meta-statement, made if there is none."""
        known = self._numbers.get(meta)
        if known is None:
            known = self._numbers[meta] = len(self._numbers)
            self._by_property[meta[1]].append((meta[0], meta[2], known))
            self._ancestors.clear()
        return known

    def ancestors(self, event: ClosedEvent, subject: Term, prop: str, value: Term) -> tuple[int, ...]:
        """The items above the typed statements of an arc (one for each pair of classes, here all in one)."""
        key = event.classes[subject], prop, event.classes[value]
        found = self._ancestors.get(key)
        if found is None:
            above, below = event.closed_classes[subject] | {ANY}, event.closed_classes[value] | {ANY}
            candidates = (c for p in event.ontology.superproperties(prop) for c in self._by_property.get(p, ()))
            found = self._ancestors[key] = tuple(n for sc, oc, n in candidates if sc in above and oc in below)
        return found

    def __len__(self) -> int:
        return len(self._numbers)


@dataclass(frozen=True, slots=True)
class Test:
    """What a pattern asks of its object beyond the meta-statement: a filter function, and further classes."""

    expressions: tuple[tuple[str, Expression], ...]
    classes: frozenset[str]
    conditions: tuple[tuple[str, Condition], ...] = field(compare=False)

    def holds(self, image: Term, event: ClosedEvent) -> bool:
        return self.classes <= event.closed_classes[image] and all(c({name: image}) for name, c in self.conditions)


@dataclass(frozen=True, slots=True)
class StatementPattern:
    """(subject, object, EMS(item), filter): vertices are numbers in their subscription graph, home is 0."""

    subject: int
    object: int
    item: int
    constant: Term | None
    test: Test | None


@dataclass(frozen=True, slots=True, eq=False)
class SubscriptionGraph:
    """One alternative of a subscription: for each vertex the statement patterns that leave it."""

    id: str
    injective: bool
    leaving: tuple[tuple[StatementPattern, ...], ...]
    home_classes: frozenset[str]
    names: Mapping[str, int]
    late: tuple[Condition, ...]


def graphs_of(subscription: Subscription, array: EmsArray) -> Iterable[SubscriptionGraph]:
    """Compile a resolved subscription; an alternative with a filter that is always false is left out."""
    for pattern in subscription.alternatives:
        bound = frozenset(pattern.variables())
        free = [f.expression for f in pattern.filters if not bound.intersection(references(f.expression))]
        if all(compile_filter(expression)({}) for expression in free):
            yield _graph(subscription, pattern, array)


def _graph(subscription: Subscription, pattern: Pattern, array: EmsArray) -> SubscriptionGraph:
    numbers = {vertex: number for number, vertex in enumerate(pattern.vertices())}
    bound = frozenset(pattern.variables())
    asked: dict[object, list[str]] = {vertex: [] for vertex in numbers}
    for item in pattern.classes:
        asked[item.vertex].append(iri_of(item.name))
    single: defaultdict[str, list[Expression]] = defaultdict(list)
    late: list[Condition] = []
    for condition in pattern.filters:
        used = bound.intersection(references(condition.expression))
        if len(used) == 1:
            single[next(iter(used))].append(condition.expression)
        elif used:
            late.append(compile_filter(condition.expression))
    leaving: list[list[StatementPattern]] = [[] for _ in numbers]
    for arc in pattern.arcs:
        first, second = (next(iter(asked[v]), ANY) for v in (arc.subject, arc.object))
        constant = arc.object if isinstance(arc.object, NamedNode | Literal) else None
        name = arc.object.name if isinstance(arc.object, Variable) else ""
        test = _test(name, single.get(name, []), asked[arc.object][1:])
        number = array.number((first, iri_of(arc.property), second))
        made = StatementPattern(numbers[arc.subject], numbers[arc.object], number, constant, test)
        leaving[made.subject].append(made)
    names = {vertex.name: number for vertex, number in numbers.items() if isinstance(vertex, Variable)}
    return SubscriptionGraph(
        subscription.id,
        subscription.injective,
        tuple(map(tuple, leaving)),
        frozenset(asked[HOME]),
        names,
        tuple(late),
    )


def _test(name: str, expressions: list[Expression], classes: list[str]) -> Test | None:
    if not expressions and not classes:
        return None
    conditions = tuple((name, compile_filter(expression)) for expression in expressions)
    return Test(tuple((name, e) for e in expressions), frozenset(classes), conditions)
