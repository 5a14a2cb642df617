"""Flat matching as it is defined, and nothing else.

An event matches a conjunction if and only if each constraint ⟨a, c⟩ is satisfied by some one pair ⟨b, v⟩ with b ⊑ a,
step by step, and v ⊨ c. So a constraint on an absent attribute fails, and several values do not spoil each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.matching.flat.constraints import Between, Constraint, Exists, IsA, OneOf
from semantic_pubsub.matching.flat.plain import ClassName, Iri
from semantic_pubsub.matching.flat.resolving import LiteralValue, Pair, PairValue
from semantic_pubsub.subscriptions.values import compare, equal, value_of
from semantic_pubsub.terms import Literal
from semantic_pubsub.vocab import RESOURCE, THING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.pairs import Conjunction, FlatSubscription
    from semantic_pubsub.matching.flat.paths import Path

__all__ = ["is_below", "matches", "satisfies", "witness"]


def matches(pairs: Sequence[Pair], subscription: FlatSubscription, ontology: Ontology) -> bool:
    """Whether the pairs satisfy one of the alternatives of a resolved subscription."""
    return any(_holds(pairs, alternative, ontology) for alternative in subscription.alternatives)


def _holds(pairs: Sequence[Pair], whole: Conjunction, ontology: Ontology) -> bool:
    return all(witness(pairs, path, asked, ontology) is not None for path, asked in whole.constraints)  # type: ignore[arg-type]


def witness(pairs: Sequence[Pair], path: Path, asked: Constraint, ontology: Ontology) -> Pair | None:
    """A pair that satisfies a constraint."""
    for pair in pairs:
        if is_below(pair.path, path, ontology) and satisfies(pair.value, asked, ontology):
            return pair
    return None


def is_below(lower: Path, upper: Path, ontology: Ontology) -> bool:
    """b ⊑ a: as many steps, each property below the other's."""
    return len(lower) == len(upper) and all(
        one == other or other in ontology.superproperties(one) for one, other in zip(lower, upper, strict=True)
    )


def satisfies(value: PairValue, asked: Constraint, ontology: Ontology) -> bool:
    """v ⊨ c."""
    match asked:
        case Exists():
            return True
        case IsA(name):
            if isinstance(value, ClassName):
                return name in (THING, RESOURCE) or name in ontology.superclasses(value.iri)
            return isinstance(value, LiteralValue) and name in ontology.superdatatypes(value.datatype)
        case OneOf(values):
            return any(_is_equal(value, wanted) for wanted in values)
        case Between():
            return isinstance(value, LiteralValue) and _is_between(value, asked)
    raise TypeError(f"{asked!r} is no constraint")


def _is_equal(value: PairValue, wanted: object) -> bool:
    if isinstance(wanted, Iri):
        return value == wanted and isinstance(value, Iri)
    if not isinstance(value, LiteralValue):
        return False
    if isinstance(wanted, Literal) and value_of(wanted) != value_of(wanted):  # a pattern's NaN: the same term
        return value.value != value.value and value.datatype == wanted.datatype.value
    return equal(value.value, wanted) is True  # type: ignore[arg-type]


def _is_between(value: LiteralValue, asked: Between) -> bool:
    inner = value.value
    if inner != inner:
        return False
    if asked.lower is not None:
        order = compare(inner, asked.lower)  # type: ignore[arg-type]
        if order is None or order < 0 or (order == 0 and asked.lower_open):
            return False
    if asked.upper is not None:
        order = compare(inner, asked.upper)  # type: ignore[arg-type]
        if order is None or order > 0 or (order == 0 and asked.upper_open):
            return False
    return True
