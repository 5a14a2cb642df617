"""Which of many subscriptions are redundant: duplicates, covered ones, and those that nothing is expected to satisfy.

Not every pair is compared. A pattern is written as an event that just satisfies it (with numbers at the lower and at
the upper end of what it asks), and OPS says which patterns match both: whatever covers it is among them. Filters that
are no comparison with a number, and distinct vertices, are left out there, and judged when `covers` decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from semantic_pubsub.events import Event
from semantic_pubsub.matching.covering import known_patterns
from semantic_pubsub.matching.graph import OpsMatcher
from semantic_pubsub.matching.normal_form import normal_form
from semantic_pubsub.matching.pattern_covering import KnownPattern, covers_pattern
from semantic_pubsub.matching.pattern_events import event_texts, relaxed
from semantic_pubsub.subscriptions import Subscription, resolve, unsatisfiable
from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Arc,
    Blank,
    Call,
    ClassAsked,
    Expression,
    Filter,
    Pattern,
    Reference,
    Variable,
    Vertex,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.concepts import Ontology

__all__ = ["Redundancies", "redundancies"]

_MOST_COMPARED: Final = 256  # candidates that one subscription is compared with


class Redundancies(NamedTuple):
    """Ids: groups that mean the same; for each covered one another that covers it; for each that nothing is expected to
    satisfy the reason. `undecided` had more candidates than were looked at."""

    duplicates: list[list[str]]
    covered: dict[str, str]
    unsatisfiable: dict[str, str]
    undecided: list[str]


class _Kept:
    """A subscription that stands for all of its form."""

    def __init__(self, patterns: list[KnownPattern], ids: list[str]) -> None:
        self.patterns = patterns
        self.ids = ids


def redundancies(subscriptions: Iterable[Subscription], ontology: Ontology) -> Redundancies:
    """Look at subscriptions together. Those that certainly nothing satisfies are not compared with the others."""
    never: dict[str, str] = {}
    forms: dict[object, _Kept] = {}
    for subscription in subscriptions:
        patterns = known_patterns(subscription, ontology)
        reason = unsatisfiable(resolve(subscription, ontology), ontology)
        if reason is not None:
            never[subscription.id] = reason
        if all(one.is_never for one in patterns):
            continue  # covered by whatever there is
        form = frozenset((one.injective, _form(one.pattern)) for one in patterns)
        forms.setdefault(form, _Kept(patterns, [])).ids.append(subscription.id)
    kept = list(forms.values())
    proposed = _proposed(kept, ontology)
    same = _same(kept, proposed, ontology)
    covered, undecided = {}, []
    for number, one in enumerate(kept):
        candidates = sorted(other for other in proposed[number] if same[other] != same[number])
        wider = next((n for n in candidates[:_MOST_COMPARED] if _covers(kept[n], one, ontology)), None)
        if wider is not None:
            covered.update(dict.fromkeys(one.ids, kept[wider].ids[0]))
        elif len(candidates) > _MOST_COMPARED:
            undecided.extend(one.ids)
    groups: dict[int, list[str]] = {}
    for number, one in enumerate(kept):
        groups.setdefault(same[number], []).extend(one.ids)
    return Redundancies([ids for ids in groups.values() if len(ids) > 1], covered, never, undecided)


# the same form, whatever the names and the order


def _form(pattern: Pattern) -> Pattern:
    names: dict[Vertex, Vertex] = {HOME: HOME}
    for vertex in pattern.vertices():
        if isinstance(vertex, Variable | Blank) and vertex != HOME:
            names[vertex] = Variable(str(len(names)))
    renamed = Pattern(
        tuple(Arc(names.get(a.subject, a.subject), a.property, names.get(a.object, a.object)) for a in pattern.arcs),
        tuple(ClassAsked(names.get(c.vertex, c.vertex), c.name) for c in pattern.classes),
        tuple(Filter(_renamed(condition.expression, names)) for condition in pattern.filters),
    )
    return normal_form(renamed)


def _renamed(expression: Expression, names: dict[Vertex, Vertex]) -> Expression:
    if isinstance(expression, Reference):
        found = names.get(Variable(expression.name))
        return Reference(found.name) if isinstance(found, Variable) else Reference(f"unbound {expression.name}")
    if isinstance(expression, Call):
        return Call(expression.operator, tuple(_renamed(argument, names) for argument in expression.arguments))
    return expression


# who may cover whom


def _proposed(kept: Sequence[_Kept], ontology: Ontology) -> list[frozenset[int]]:
    """For each those that may cover it, itself among them."""
    matcher, owners = OpsMatcher(ontology), {}
    for number, one in enumerate(kept):
        for place, known in enumerate(one.patterns):
            name = matcher.add(Subscription(f"{number} {place}", (relaxed(known.pattern),)))
            owners[name] = number
    return [_candidates(one, matcher, owners, ontology) for one in kept]


def _candidates(one: _Kept, matcher: OpsMatcher, owners: dict[str, int], ontology: Ontology) -> frozenset[int]:
    """The subscriptions of which each alternative of this one satisfies some alternative."""
    texts = [text for known in one.patterns for text in event_texts(known, ontology)]
    found = (matcher.match_ids(Event.parse(text, format="nt")) for text in texts)
    return frozenset.intersection(*(frozenset(map(owners.__getitem__, names)) for names in found))


def _same(kept: Sequence[_Kept], proposed: Sequence[frozenset[int]], ontology: Ontology) -> list[int]:
    """For each the first that means the same: whatever may cover the one may cover the other."""
    first = list(range(len(kept)))
    alike: dict[frozenset[int], list[int]] = {}
    for number, candidates in enumerate(proposed):
        others = alike.setdefault(candidates, [])
        for other in others[:_MOST_COMPARED]:
            if _covers(kept[other], kept[number], ontology) and _covers(kept[number], kept[other], ontology):
                first[number] = other
                break
        else:
            others.append(number)
    return first


def _covers(general: _Kept, special: _Kept, ontology: Ontology) -> bool:
    return all(any(covers_pattern(one, asked, ontology) for one in general.patterns) for asked in special.patterns)
