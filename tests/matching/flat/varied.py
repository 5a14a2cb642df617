"""Generated flat subscriptions and events over a small ontology: several parents, every kind of value."""

from __future__ import annotations

import datetime
from decimal import Decimal

import rdflib
from hypothesis import strategies as st

from semantic_pubsub import Ontology
from semantic_pubsub.matching.flat.constraints import (
    Constraint,
    at_least,
    at_most,
    between,
    equals,
    exists,
    isa,
    less_than,
    more_than,
    one_of,
)
from semantic_pubsub.matching.flat.pairs import FlatEvent, FlatSubscription

ONTOLOGY_TEXT = """
@prefix : <http://example.org/flat#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:p rdfs:subPropertyOf :top . :q rdfs:subPropertyOf :top , :other . :r rdfs:subPropertyOf :p , :q .
:s a owl:ObjectProperty . :same owl:equivalentProperty :s .
:B rdfs:subClassOf :A . :C rdfs:subClassOf :A , :X . :D rdfs:subClassOf :B , :C . :E owl:equivalentClass :D .
:Lone a owl:Class . :thing a :A .
"""
STEPS = ("p", "q", "r", "top", "other", "s", "same")
CLASSES = ("A", "B", "C", "D", "E", "X", "Lone", "xsd:decimal", "xsd:string", "owl:Thing")
F = "http://example.org/flat#"


def ontology() -> Ontology:
    return Ontology.load(rdflib.Graph().parse(data=ONTOLOGY_TEXT, format="turtle"))


attributes = st.one_of(
    st.sampled_from(STEPS),
    st.builds("{}.{}".format, st.sampled_from(STEPS), st.sampled_from(("p", "top", "s"))),
    st.just(""),
)
numbers = st.one_of(
    st.integers(-4, 4),
    st.sampled_from([0.1, 0.5, -0.0, float("inf"), 1e300, 1e15, 2.5]),
    st.sampled_from(
        [Decimal("0.1"), Decimal("2.50"), Decimal("0.1000000000000000055511151231257827"), 10**20, -(10**20)]
    ),
    st.floats(allow_nan=False, width=16),
)
XSD = rdflib.XSD
others = st.one_of(
    st.sampled_from(["x", "y", "D", "Lone", "thing", "", "http://example.org/flat#thing"]),
    st.booleans(),
    st.sampled_from(
        [
            rdflib.URIRef(F + "thing"),
            rdflib.URIRef(F + "D"),
            rdflib.Literal("x", lang="en"),
            rdflib.Literal("0.1", datatype=XSD.float),
            rdflib.Literal("3", datatype=XSD.byte),
            rdflib.Literal("z", datatype=rdflib.URIRef("urn:unknown")),
            rdflib.Literal("007", datatype=XSD.integer, normalize=False),
            rdflib.Literal("bad", datatype=XSD.integer),
            rdflib.Literal("P1M", datatype=XSD.duration),
            rdflib.Literal("2024-02-01T12:00:00", datatype=XSD.dateTime),
            rdflib.Literal("2024-02-01T12:00:00.1Z", datatype=XSD.dateTime),
            rdflib.Literal("2024-02-01T13:00:00+01:00", datatype=XSD.dateTime, normalize=False),
            datetime.date(2024, 2, 1),
            datetime.date(2024, 2, 2),
            datetime.timedelta(days=30),
        ]
    ),
)
values = st.one_of(numbers, numbers, others)
events = st.builds(
    FlatEvent,
    st.dictionaries(
        attributes,
        st.one_of(
            values,
            st.lists(values, max_size=4),
            st.just(float("nan")),
            st.just(rdflib.Literal("NaN", datatype=XSD.float)),
        ),
        max_size=8,
    ),
)


@st.composite
def intervals(draw: st.DrawFn) -> Constraint:
    bounds = draw(
        st.one_of(
            st.tuples(numbers, numbers),
            st.tuples(st.sampled_from(["", "x", "z"]), st.sampled_from(["x", "y"])),
            st.tuples(st.booleans(), st.just(True)),
            st.tuples(
                st.sampled_from(
                    [rdflib.Literal("2024-02-01T11:59:59", datatype=XSD.dateTime), datetime.datetime(2024, 2, 1, 12)]
                ),
                st.sampled_from(
                    [
                        rdflib.Literal("2024-02-01T12:00:00.1", datatype=XSD.dateTime),
                        datetime.datetime(2024, 2, 3, tzinfo=datetime.UTC),
                    ]
                ),
            ),
        )
    )
    low, high = bounds
    if all(isinstance(b, int | float | Decimal) for b in bounds) and low > high:  # type: ignore[operator]
        low, high = high, low
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return at_least(low)
    if kind == 1:
        return at_most(high)
    if kind == 2:
        return more_than(low)
    if kind == 3:
        return less_than(high)
    try:
        return between(low, high, draw(st.booleans()), draw(st.booleans()))
    except Exception:
        return between(None, high)


constraints = st.one_of(
    st.builds(isa, st.sampled_from(CLASSES)),
    st.builds(equals, values),
    st.builds(one_of, st.lists(values, max_size=4)),
    intervals(),
    intervals(),
    st.just(exists()),
)
subscriptions = st.builds(
    FlatSubscription,
    st.dictionaries(attributes, st.one_of(constraints, st.lists(constraints, min_size=1, max_size=6)), max_size=4),
)
