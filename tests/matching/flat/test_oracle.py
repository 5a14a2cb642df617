"""Everything flat against the independent oracle: values, flattening, lowering, every index, graphs and mappings."""

from __future__ import annotations

import datetime
import itertools
from dataclasses import replace
from decimal import Decimal

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import (
    Event,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Ontology,
    ReferenceMatcher,
    Subscription,
    SubscriptionError,
    flatten,
    lower,
)
from semantic_pubsub.matching.flat import constraints as product
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.plain import ClassName, Iri, Text
from tests.generators import OWL, PROPERTIES, RDF_TYPE, RDFS, XSD, Asked, Graph, World, worlds
from tests.matching.flat import lowered, oracle, varied
from tests.matching.graph.test_ops_agreement import VALUES, conditioned, valued_graphs

quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]

# mappings: names and values of `varied`, read from its ontology's triples

TRIPLES = rdflib.Graph().parse(data=varied.ONTOLOGY_TEXT, format="turtle")


def edges(below: str, same: str) -> tuple[tuple[str, str], ...]:
    stated = [(str(s), str(o)) for s, o in TRIPLES.subject_objects(rdflib.URIRef(RDFS + below))]
    equal = [(str(s), str(o)) for s, o in TRIPLES.subject_objects(rdflib.URIRef(OWL + same))]
    return tuple(stated + equal + [(o, s) for s, o in equal])


NAMES = oracle.Names(edges("subClassOf", "equivalentClass"), edges("subPropertyOf", "equivalentProperty"))
KNOWN = {str(t).partition("#")[2]: str(t) for triple in TRIPLES for t in triple if str(t).startswith(varied.F)}
ONTOLOGY = varied.ontology()


def path(key: str) -> oracle.Path:
    return tuple(varied.F + step for step in key.split(".")) if key else ()


def named(text: str) -> str | None:
    return text if text.startswith("http://") else KNOWN.get(text)


def literal(value: object) -> ox.Literal:
    if isinstance(value, ox.Literal):
        return value
    if isinstance(value, Text):
        return ox.Literal(value.text)
    if isinstance(value, bool):
        return ox.Literal(str(value).lower(), datatype=ox.NamedNode(XSD + "boolean"))
    if isinstance(value, int):
        return ox.Literal(str(value), datatype=ox.NamedNode(XSD + "integer"))
    if isinstance(value, Decimal):
        return ox.Literal(f"{value:f}", datatype=ox.NamedNode(XSD + "decimal"))
    assert isinstance(value, float)
    text = repr(value).replace("inf", "INF").replace("nan", "NaN")
    return ox.Literal(text, datatype=ox.NamedNode(XSD + "double"))


def event_values(value: object) -> list[oracle.Value]:
    if isinstance(value, ox.NamedNode):
        return [("iri", value.value), ("class", value.value)]
    found: list[oracle.Value] = [("literal", literal(value))]
    iri = named(value.text) if isinstance(value, Text) else None
    return found if iri is None else [*found, ("iri", iri), ("class", iri)]


def wanted(asked: object) -> oracle.Constraint:
    match asked:
        case product.IsA(name):
            prefixes = {"xsd:": XSD, "owl:": OWL}
            prefix = name[:4]
            return oracle.Isa(prefixes[prefix] + name[4:] if prefix in prefixes else KNOWN[name])
        case product.OneOf(values):
            terms: list[object] = []
            for value in values:
                terms.append(value if isinstance(value, ox.NamedNode) else literal(value))
                if isinstance(value, Text) and named(value.text):
                    terms.append(ox.NamedNode(str(named(value.text))))
            return oracle.OneOf(tuple(terms))
        case product.Between(low, high, low_open, high_open):
            parts = [] if low is None else [(">" if low_open else ">=", literal(low))]
            parts += [] if high is None else [("<" if high_open else "<=", literal(high))]
            return oracle.Compared(tuple(parts))
    return oracle.Exists()


def right_answer(event: FlatEvent, asked: FlatSubscription) -> bool:
    pairs = [(path(str(key)), value) for key, known in event.items for value in event_values(known)]
    (whole,) = asked.alternatives
    return NAMES.matches(pairs, [(path(str(key)), wanted(one)) for key, one in whole.constraints])


@pytest.mark.parametrize("index", INDEXES)
@settings(max_examples=300, deadline=None, suppress_health_check=quiet)
@given(
    st.lists(
        st.tuples(
            st.lists(varied.subscriptions, min_size=1, max_size=8),
            st.sets(st.integers(0, 12), max_size=3),
            st.lists(varied.events, min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=2,
    )
)
def test_mappings(index: str, rounds: list[tuple[list[FlatSubscription], set[int], list[FlatEvent]]]) -> None:
    matcher = FlatMatcher(ONTOLOGY, index)
    held: list[FlatSubscription] = []
    for added, removed, shown in rounds:
        for one in added:
            matcher.add(one)
            held.append(one)
        for place in sorted(removed, reverse=True):
            if place < len(held):
                matcher.remove(held.pop(place).id)
        for event in shown:
            found = matcher.match_ids(event)
            assert len(found) == len(set(found))
            assert set(found) == {one.id for one in held if right_answer(event, one)}
            for one in held[:2]:
                assert matcher.explain(event, one.id).matched == (one.id in found)


# values


CONSTANTS = [oracle.term(text) for text in VALUES if not text.startswith("<")]
FURTHER = [
    ("3", "byte"),
    ("300", "byte"),
    ("007", "integer"),
    ("-INF", "float"),
    ("16777217", "float"),
    ("2024-05-01T12:00:00", "dateTime"),
    ("2024-05-01T14:00:00+02:00", "dateTime"),
    ("2024-05-02T03:00:00Z", "dateTime"),
    ("2024-05-01Z", "date"),
    ("12:00:00", "time"),
    ("24:00:00", "time"),
    ("P1M", "duration"),
    ("P30D", "duration"),
    ("P1M", "yearMonthDuration"),
    ("P30D", "dayTimeDuration"),
    ("PT720H", "dayTimeDuration"),
    ("1", "boolean"),
    ("false", "boolean"),
    ("2024", "gYear"),
]
CONSTANTS += [ox.Literal(text, datatype=ox.NamedNode(XSD + kind)) for text, kind in FURTHER]


SIGNS = {
    "=": product.equals,
    "<": product.less_than,
    "<=": product.at_most,
    ">": product.more_than,
    ">=": product.at_least,
}


def open_sides(bound: ox.Literal, sign: str) -> bool:
    """An infinity is a side without a bound: nothing to compare with."""
    return bound.value.endswith("INF") and sign != "="


@pytest.mark.parametrize("value", CONSTANTS, ids=str)
def test_values_compare_as_in_sparql(value: ox.Literal) -> None:
    matcher, right = FlatMatcher(ONTOLOGY), set()
    for bound, (sign, make) in itertools.product(CONSTANTS, SIGNS.items()):
        if open_sides(bound, sign):
            continue
        holds = oracle.holds(value, sign, bound)
        try:
            name = matcher.add(FlatSubscription({"p": make(bound)}, id=f"{sign} {bound}"))
        except SubscriptionError:  # NaN, and what has no order, is refused
            assert not holds
            continue
        if holds:
            right.add(name)
    assert set(matcher.match_ids(FlatEvent({"p": value}))) == right


# graphs


@st.composite
def typed_worlds(draw: st.DrawFn) -> World:
    """Now and then a property is below rdf:type."""
    world = draw(worlds())
    if not draw(st.integers(0, 3)):
        world.subproperties.append((draw(st.sampled_from(PROPERTIES)), RDF_TYPE))
    return world


def loaded(world: World) -> Ontology:
    return Ontology.load(rdflib.Graph().parse(data=world.text(), format="nt"))


def plain(event: FlatEvent) -> set[tuple[object, oracle.Value]]:
    kinds = {ClassName: "class", Iri: "iri"}
    return {(p, (kinds[type(v)], v.iri) if isinstance(v, ClassName | Iri) else ("literal", v)) for p, v in event.items}


steps = st.lists(st.sampled_from(PROPERTIES), max_size=3).map(tuple)


@settings(max_examples=300, deadline=None, suppress_health_check=quiet)
@given(typed_worlds(), valued_graphs(), st.lists(steps, max_size=5))
def test_flattening(world: World, graph: Graph, wanted_paths: list[oracle.Path]) -> None:
    event, ontology = Event.parse(graph.text(), format="nt"), loaded(world)
    assert plain(flatten(event, ontology)) == oracle.pairs(graph, world)
    assert plain(flatten(event, ontology, wanted_paths)) == oracle.pairs(graph, world, wanted_paths)


@pytest.mark.parametrize("index", INDEXES)
@settings(max_examples=250, deadline=None, suppress_health_check=quiet)
@given(st.data())
def test_graphs(index: str, data: st.DataObject) -> None:
    world = data.draw(typed_worlds())
    graph = data.draw(valued_graphs())
    ontology, event = loaded(world), Event.parse(graph.text(), format="nt")
    askable = replace(world, subproperties=[edge for edge in world.subproperties if edge[1] != RDF_TYPE])
    matcher, reference = FlatMatcher(ontology, index), ReferenceMatcher(ontology)
    right: dict[str, tuple[bool, bool]] = {}
    for number in range(data.draw(st.integers(1, 4))):
        one = data.draw(conditioned(graph, askable))
        alternatives, text = [one], one.sparql()
        if not data.draw(st.integers(0, 3)):
            other = data.draw(conditioned(graph, askable))
            alternatives.append(other)
            text = f"SELECT * WHERE {{ {{ {one.body()} }} UNION {{ {other.body().replace('_:n', '_:m')} }} }}"
        made = Subscription.parse(text, id=str(number), injective=data.draw(st.booleans()))
        matcher.add(made)
        reference.add(made)
        flat = lower(made, ontology)
        assert len(flat.alternatives) == len(alternatives)
        for mine, theirs in zip(alternatives, flat.alternatives, strict=True):
            assert {p for p, _ in theirs.constraints} == {p for p, _ in lowered.constraints(mine)}
        right[made.id] = (
            any(flat_answer(graph, world, asked) for asked in alternatives),
            all(map(lowered.is_plain, alternatives)),
        )
    found = set(matcher.match_ids(event))
    for name, (matches, exactly) in right.items():
        assert (name in found) >= matches, "never stronger"
        if exactly:
            assert (name in found) == matches
    assert set(reference.match_ids(event)) <= {name for name, (matches, _) in right.items() if matches}


def flat_answer(graph: Graph, world: World, asked: Asked) -> bool:
    constraints = lowered.constraints(asked)
    pairs = oracle.pairs(graph, world, [p for p, _ in constraints])
    return oracle.names_of(world).matches(pairs, constraints)


# lowering, by example


A, X = "http://example.org/", "PREFIX : <http://example.org/>\n"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("_:H :p ?x FILTER(?x > 1 && ?x < 2.5)", {"p between (1, 2.5)"}),
        ("_:H :p ?x FILTER(?x > 1) FILTER(?x >= 1.5) FILTER(9 >= ?x)", {"p between [1.5, 9]"}),
        ("_:H :p ?x FILTER(?x < 3 && 3 >= ?x)", {"p between (…, 3)"}),
        ("_:H :p ?x FILTER(?x = 1 || ?x = 2)", {"p exists()"}),
        ("_:H :p ?x FILTER(?x != 1)", {"p exists()"}),
        ("_:H :p true ; :p ?x FILTER(?x = 1)", {"p equals(True)", "p equals(1)"}),
        ('_:H :p ?x FILTER(?x IN (1, "y"))', {"p one_of(1, y)"}),
        ("_:H :p ?x . ?x :q ?y . _:H :q ?y", {"p exists()", "p.q exists()", "q exists()"}),
        ("_:H :q ?x ; :p ?x . ?x :r 1", {"q exists()", "p exists()", "p.r equals(1)"}),
        ("_:H a :A ; :p [ a :B , :A ]", {" isa(A)", "p isa(A)", "p isa(B)"}),
        ("_:H :p <http://example.org/i> . <http://example.org/i> :q ?x", {"p equals(<i>)", "p.q exists()"}),
    ],
)
def test_lowering(pattern: str, expected: set[str]) -> None:
    world = World([], [], [], [])
    (whole,) = lower(Subscription.parse(f"{X}ASK {{ {pattern} }}"), loaded(world)).alternatives
    shown = {f"{'.'.join(str(s) for s in p)} {c}".replace(A, "") for p, c in whole.constraints}
    assert shown == expected


def test_the_judge_knows_what_everybody_knows() -> None:
    one, half, text = (oracle.term(t) for t in ("1", "1.5", '"1"'))
    assert oracle.holds(one, "=", oracle.term("1.0"))
    assert oracle.holds(one, "<", half)
    assert not oracle.holds(one, "=", text)
    assert oracle.holds(oracle.term("false"), "<", oracle.term("true"))
    assert not oracle.holds(oracle.term('"x"'), "=", oracle.term('"x"@en'))
    day = datetime.date(2024, 2, 1).isoformat()
    assert oracle.holds(oracle.term(f'"{day}"^^<{XSD}date>'), "<", oracle.term(f'"2024-02-02"^^<{XSD}date>'))
