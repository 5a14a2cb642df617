"""Ontologies, events and subscriptions with names and units, and units whose size is written down here once more."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import rdflib
from hypothesis import strategies as st

from semantic_pubsub import (
    Event,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Normalizer,
    Ontology,
    ReferenceMatcher,
    Subscription,
)
from semantic_pubsub.matching.flat.constraints import (
    Constraint,
    at_least,
    at_most,
    equals,
    less_than,
    more_than,
)

AUCTION = Path(__file__).resolve().parents[3] / "ontology" / "auction.ttl"
PREFIXES = """
PREFIX : <http://example.org/auction#>
PREFIX u: <http://example.org/units#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX unit: <http://qudt.org/vocab/unit/>
PREFIX schema: <http://schema.org/>
PREFIX ex: <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""
TURTLE_PREFIXES = """
@prefix : <http://example.org/auction#> . @prefix u: <http://example.org/units#> . @prefix ex: <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix qudt: <http://qudt.org/schema/qudt/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix unit: <http://qudt.org/vocab/unit/> .
@prefix schema: <http://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
MEASURES = """
ex:level a owl:ObjectProperty . ex:limit a owl:ObjectProperty .
qudt:numericValue a owl:DatatypeProperty . qudt:unit a owl:ObjectProperty .
ex:weight a owl:DatatypeProperty . ex:weightUnit a owl:DatatypeProperty .
ex:width a owl:DatatypeProperty . ex:widthUnit a owl:DatatypeProperty .
"""


def auction() -> Ontology:
    return Ontology.load(AUCTION)


def ontology_of(turtle: str) -> Ontology:
    return Ontology.load(rdflib.Graph().parse(data=TURTLE_PREFIXES + turtle, format="turtle"))


def event_of(turtle: str) -> Event:
    return Event.parse(TURTLE_PREFIXES + turtle, id="e")


def sparql(where: str) -> Subscription:
    return Subscription.parse(f"{PREFIXES} SELECT * WHERE {{ {where} }}", id="s")


def statements(text: str, injective: bool | None = None) -> Subscription:
    return Subscription.parse(PREFIXES + text, id="s", injective=injective)


def graph_match(normalizer: Normalizer, subscription: Subscription, event: Event) -> bool:
    """By the definition itself, on what the normalizer wrote."""
    matcher = ReferenceMatcher(normalizer.ontology)
    matcher.add(normalizer.subscription(subscription))
    return matcher.match_ids(normalizer.event(event)) == ["s"]


def flat_match(normalizer: Normalizer | None, ontology: Ontology, asked: dict[str, object], values: object) -> bool:
    """By the definition of flat matching, through a matcher that knows the normalizer."""
    matcher = FlatMatcher(ontology, index="scan", normalizer=normalizer)
    matcher.add(FlatSubscription(asked, id="s"))
    return matcher.match_ids(FlatEvent(values) if isinstance(values, dict) else values) == ["s"]  # type: ignore[arg-type]


# units, with what they are worth in the first one of their kind: (number + offset) · factor

SIZES = {
    "bit": Fraction(1),
    "B": Fraction(8),
    "kB": Fraction(8_000),
    "MB": Fraction(8_000_000),
    "GBy": Fraction(8 * 10**9),
    "TB": Fraction(8 * 10**12),
    "KiB": Fraction(8 * 1024),
    "MiB": Fraction(8 * 1024**2),
    "Gibit": Fraction(1024**3),
}
LENGTHS = {
    "m": Fraction(1),
    "km": Fraction(1000),
    "um": Fraction(1, 10**6),
    "[in_i]": Fraction(254, 10_000),
    "ft": Fraction(3048, 10_000),
}
SPEEDS = {
    "m/s": Fraction(1),
    "km/h": Fraction(1000, 3600),
    "m.min-1": Fraction(1, 60),
    "mph": Fraction(1609344, 3600000),
}
TEMPERATURES = {
    "K": (Fraction(1), Fraction(0)),
    "Cel": (Fraction(1), Fraction("273.15")),
    "°F": (Fraction(5, 9), Fraction("459.67")),
    "[degR]": (Fraction(5, 9), Fraction(0)),
}
KINDS: tuple[dict[str, tuple[Fraction, Fraction]], ...] = (
    *({code: (factor, Fraction(0)) for code, factor in kind.items()} for kind in (SIZES, LENGTHS, SPEEDS)),
    TEMPERATURES,
)
COMPARISONS: dict[str, tuple[Callable[[object, object], bool], Callable[[object], Constraint]]] = {
    "=": (operator.eq, equals),
    "<": (operator.lt, less_than),
    "<=": (operator.le, at_most),
    ">": (operator.gt, more_than),
    ">=": (operator.ge, at_least),
}


def worth(number: Decimal | int, unit: tuple[Fraction, Fraction]) -> Fraction:
    factor, offset = unit
    return (Fraction(number) + offset) * factor


numbers = st.one_of(
    st.integers(-3_000, 3_000),
    st.sampled_from([1024, 2**40, 10**25, -40, 212, 32, 0]),
    st.decimals(min_value=-5_000, max_value=5_000, places=2),
    st.sampled_from([Decimal("1.024"), Decimal("0.000001"), Decimal("273.15"), Decimal("1000000000000000.000001")]),
)


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[str, Decimal | int, str, str, Decimal | int, bool]:
    """An event's number and unit, an operator, a subscription's number and unit, and whether it holds.

    Every third subscription asks for exactly the number of the event.
    """
    kind = draw(st.sampled_from(KINDS))
    unit, asked_unit = draw(st.sampled_from(sorted(kind))), draw(st.sampled_from(sorted(kind)))
    number, asked = draw(numbers), draw(numbers)
    if draw(st.integers(0, 2)) == 0:
        factor, offset = kind[asked_unit]
        same = worth(number, kind[unit]) / factor - offset
        if all(same.denominator % prime for prime in (3, 7, 11, 13, 127, 381)) and same.denominator < 10**12:
            exact = Decimal(same.numerator) / Decimal(same.denominator)
            asked = exact if Fraction(exact) == same else asked
    sign = draw(st.sampled_from(sorted(COMPARISONS)))
    holds = COMPARISONS[sign][0](worth(number, kind[unit]), worth(asked, kind[asked_unit]))
    return sign, number, unit, asked_unit, asked, holds
