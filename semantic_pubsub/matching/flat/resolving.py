"""Names of flat events and subscriptions looked up in an ontology: from here on everything is an IRI or a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from semantic_pubsub.errors import EventError, Notice, OntologyError, SubscriptionError, quoted
from semantic_pubsub.matching.flat.constraints import Between, Constraint, IsA, OneOf, bound_value, unlike
from semantic_pubsub.matching.flat.pairs import Conjunction, FlatEvent, FlatSubscription
from semantic_pubsub.matching.flat.paths import Path, parse_path
from semantic_pubsub.matching.flat.plain import ClassName, Iri, Known, Text, datatype_of
from semantic_pubsub.subscriptions.values import Value, value_of
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.paths import Key

__all__ = ["LiteralValue", "Pair", "PairValue", "named_iri", "pair_values", "pairs_of", "resolve_flat", "resolved_path"]

_STRING: Final = XSD + "string"
_LONGEST_NAME: Final = 2_000


class LiteralValue(NamedTuple):
    """A literal as the value of a pair: what it compares as, and its datatype."""

    value: Value
    datatype: str


PairValue = ClassName | Iri | LiteralValue


class Pair(NamedTuple):
    """⟨path, value⟩ of an event, with the value a class, an IRI or a literal."""

    path: Path
    value: PairValue


def resolve_flat(subscription: FlatSubscription, ontology: Ontology) -> FlatSubscription:
    """The subscription with IRIs for all names; a SubscriptionError for one that is unknown or ambiguous."""
    try:
        found = [_conjunction(alternative, ontology) for alternative in subscription.alternatives]
    except OntologyError as error:
        raise SubscriptionError(f"subscription {subscription.id!r}: {error.message}", hint=error.hint) from None
    return FlatSubscription.of_alternatives(found, subscription.id)


def _conjunction(whole: Conjunction, ontology: Ontology) -> Conjunction:
    constraints = []
    for key, asked in whole.constraints:
        path = parse_path(key, ontology)
        for iri in path if not isinstance(key, tuple) else ():
            if iri not in ontology.properties and ontology.knows(iri):
                raise OntologyError(
                    f"<{iri}> in {quoted(key)} is no property", hint="an attribute is a path of properties"
                )
        constraints.append((path, _constraint(asked, ontology)))
    return Conjunction(tuple(constraints), whole.exact, whole.distinct)


def _constraint(asked: Constraint, ontology: Ontology) -> Constraint:
    if isinstance(asked, IsA):
        return IsA(ontology.expand(asked.name, "class"))
    if isinstance(asked, OneOf):
        return OneOf(unlike(v for value in asked.values for v in _accepted(value, ontology)))
    if isinstance(asked, Between):
        low, high = (None if b is None else bound_value(b) for b in (asked.lower, asked.upper))
        return Between(low, high, asked.lower_open, asked.upper_open)
    return asked


def _accepted(value: Known, ontology: Ontology) -> tuple[object, ...]:
    """What equals a value: IRIs as `Iri`, other values as SPARQL compares them (NaN stays a literal)."""
    if isinstance(value, Text):
        iri = named_iri(value.text, ontology)
        return (value.text,) if iri is None else (value.text, Iri(iri))
    if isinstance(value, NamedNode):
        return (Iri(value.value),)
    if isinstance(value, Literal):
        inner = value_of(value)
        return (value if inner != inner else inner,)
    return (value,)


def named_iri(text: str, ontology: Ontology) -> str | None:
    """The IRI that a text names: a known local name, a name with a known prefix, or an absolute IRI."""
    return ontology.find(text) if len(text) <= _LONGEST_NAME else None


def pairs_of(event: FlatEvent, ontology: Ontology, *, strict: bool = False) -> tuple[list[Pair], list[Notice]]:
    """The pairs of an event. An attribute that the ontology does not know matches nothing and is noticed; with
    `strict` it is an EventError. One that is ambiguous always is."""
    pairs: list[Pair] = []
    notices: list[Notice] = []
    for key, value in event.items:
        try:
            path = resolved_path(key, ontology)
        except OntologyError as error:
            if strict or error.message.startswith("ambiguous"):
                raise EventError(
                    f"attribute {quoted(key)}: {error.message}", source=event.id, hint=error.hint
                ) from None
            hint = f" ({error.hint})" if error.hint else ""
            notices.append(Notice(f"attribute {quoted(key)} is left out: {error.message}{hint}", source=event.id))
            continue
        pairs.extend(Pair(path, one) for one in pair_values(value, ontology))
    return pairs, notices


def resolved_path(key: Key, ontology: Ontology) -> Path:
    """The properties of a key."""
    return parse_path(key, ontology)


def pair_values(value: Known, ontology: Ontology) -> tuple[PairValue, ...]:
    """What a value of a flat event is: a text may name an IRI and a class, an IRI may be a class."""
    if isinstance(value, ClassName | Iri):
        return (value,)
    if isinstance(value, NamedNode):
        return (Iri(value.value), ClassName(value.value))
    if isinstance(value, Text):
        text = LiteralValue(value.text, _STRING)
        iri = named_iri(value.text, ontology)
        return (text,) if iri is None else (text, Iri(iri), ClassName(iri))
    if isinstance(value, Literal):
        return (LiteralValue(value_of(value), value.datatype.value),)
    return (LiteralValue(value, datatype_of(value)),)
