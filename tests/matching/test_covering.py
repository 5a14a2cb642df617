"""`covers` is never wrong when it says yes, and says yes where it should."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import (
    Event,
    FlatSubscription,
    Ontology,
    ReferenceMatcher,
    Subscription,
    SubscriptionError,
    at_least,
    at_most,
    between,
    covers,
    equals,
    exists,
    isa,
    less_than,
    more_than,
    one_of,
)
from semantic_pubsub.matching.flat.index import ScanIndex
from semantic_pubsub.matching.flat.meaning import satisfies
from semantic_pubsub.matching.flat.pairs import FlatEvent
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from tests.generators import Asked, Case, World, cases, graphs, patterns
from tests.matching.flat.varied import constraints, events, ontology, subscriptions, values

FLAT = ontology()
PREFIX = "PREFIX a: <http://example.org/auction#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"
slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


def flat(asked: dict[str, object]) -> FlatSubscription:
    return FlatSubscription(asked, id="s")


# flat: a yes is certain


@settings(max_examples=600, deadline=None, suppress_health_check=slow)
@given(constraints, constraints, st.lists(values, max_size=12))
def test_an_implied_constraint_holds_of_every_value(one: object, other: object, shown: list[object]) -> None:
    general, special = flat({"p": one}), flat({"p": other})
    if not covers(general, special, FLAT):
        return
    asked = [resolve_flat(each, FLAT).alternatives[0].constraints[0][1] for each in (general, special)]
    for _, value in pairs_of(FlatEvent({"p": shown}), FLAT)[0]:
        assert satisfies(value, asked[0], FLAT) or not satisfies(value, asked[1], FLAT)


@settings(max_examples=400, deadline=None, suppress_health_check=slow)
@given(subscriptions, subscriptions, st.lists(events, min_size=1, max_size=5))
def test_what_matches_the_covered_matches_the_covering(
    general: FlatSubscription, special: FlatSubscription, shown: list[FlatEvent]
) -> None:
    if not covers(general, special, FLAT):
        return
    scan = ScanIndex(FLAT)
    wide, narrow = (scan.add(resolve_flat(one, FLAT).alternatives[0].constraints) for one in (general, special))  # type: ignore[arg-type]
    for event in shown:
        found = scan.match(pairs_of(event, FLAT)[0]).tolist()
        assert narrow not in found or wide in found


XSD = rdflib.XSD


@pytest.mark.parametrize(
    ("general", "special"),
    [
        ({}, {"p": exists()}),
        ({"p": exists()}, {"p": isa("Lone")}),
        ({"p": isa("A")}, {"p": isa("D")}),
        ({"top": isa("X"), "s": at_least(1)}, {"r": isa("E"), "same": equals(3), "p": exists()}),
        ({"p": between(0, 10)}, {"p": between(0, 10, True, True)}),
        ({"p": more_than(0)}, {"p": at_least(1)}),
        ({"p": at_most(2)}, {"p": one_of(1, 2, 0.5)}),
        ({"p": one_of("x", "y", "z")}, {"p": one_of("z", "x")}),
        ({"p": one_of(1, 2)}, {"p": between(2, 2)}),
        ({"p": at_least("a")}, {"p": between("b", "c")}),
        ({"p": less_than(1)}, {"p": between(3, 3, True, False)}),
        ({"p": [at_least(1), at_most(5)]}, {"p": between(2, 3)}),
        (
            {"p": at_most(rdflib.Literal("2024-02-01", datatype=XSD.date))},
            {"p": equals(rdflib.Literal("2023-02-01", datatype=XSD.date))},
        ),
    ],
)
def test_flat_covers(general: dict[str, object], special: dict[str, object]) -> None:
    assert covers(flat(general), flat(special), FLAT)


@pytest.mark.parametrize(
    ("general", "special"),
    [
        ({"p": exists()}, {}),
        ({"p": isa("D")}, {"p": isa("A")}),
        ({"p": isa("A")}, {"top": isa("A")}),
        ({"p": between(0, 10, True)}, {"p": between(0, 10)}),
        ({"p": between(2, 3)}, {"p": [at_least(2), at_most(3)]}),  # two values, one for each
        ({"p": one_of("x")}, {"p": one_of("z", "x")}),
        ({"p": at_least(0)}, {"p": at_least("a")}),
        ({"p.s": exists()}, {"p": exists(), "s": exists()}),
        ({"p": at_least(rdflib.Literal("0.1", datatype=XSD.decimal))}, {"p": at_least(0.1)}),  # decimals round to 0.1
    ],
)
def test_flat_does_not_cover(general: dict[str, object], special: dict[str, object]) -> None:
    assert not covers(flat(general), flat(special), FLAT)


# graph: a yes is certain


def subscription(asked: Asked, injective: bool, name: str) -> Subscription:
    return Subscription.parse(asked.sparql(), id=name, injective=injective)


def ontology_of(world: World) -> Ontology:
    return Ontology.load(rdflib.Graph().parse(data=world.text(), format="nt"))


@st.composite
def weakened(draw: st.DrawFn, asked: Asked, world: World) -> Asked:
    """A pattern with some of its requirements left out or made weaker, and other names."""
    arcs = [(s, draw(st.sampled_from(sorted(world.above(p)))), o) for s, p, o in asked.arcs]
    reached, kept = {"_:H"}, []
    for s, p, o in arcs:
        if s in reached and (not kept or draw(st.integers(0, 3))):
            kept.append((s, p, o))
            reached.add(o)
    classes = [(v, draw(st.sampled_from(sorted(world.above(c))))) for v, c in asked.classes if v in reached]
    kept_classes = [one for one in classes if draw(st.booleans())]
    filters = [f for f in asked.filters if all(f"?{n}" in reached for n in map("v{}".format, range(9)) if f"?{n}" in f)]
    return Asked(kept or arcs[:1], kept_classes if kept else [], filters if kept and draw(st.booleans()) else [])


@st.composite
def related(draw: st.DrawFn) -> tuple[Case, Asked, list[object]]:
    case = draw(cases())
    general = draw(st.one_of(weakened(case.pattern, case.world), patterns(case.event, case.world)))
    return case, general, [case.event, *draw(st.lists(graphs(), max_size=3))]


@settings(max_examples=400, deadline=None, suppress_health_check=slow)
@given(related(), st.booleans(), st.booleans())
def test_a_covering_pattern_misses_nothing(
    drawn: tuple[Case, Asked, list[object]], injective: bool, general_injective: bool
) -> None:
    case, asked, shown = drawn
    model = ontology_of(case.world)
    general, special = (
        subscription(asked, general_injective, "general"),
        subscription(case.pattern, injective, "special"),
    )
    if not covers(general, special, model):
        return
    matcher = ReferenceMatcher(model)
    matcher.add(general)
    matcher.add(special)
    for graph in shown:
        found = matcher.match_ids(Event.parse(graph.text(), format="nt", home=None))  # type: ignore[attr-defined]
        assert "special" not in found or "general" in found


@settings(max_examples=100, deadline=None, suppress_health_check=slow)
@given(cases(), st.data())
def test_a_weaker_pattern_covers(case: Case, data: st.DataObject) -> None:
    """Without filters and distinct vertices nothing is left undecided."""
    bare = Asked(case.pattern.arcs, case.pattern.classes)
    general = subscription(data.draw(weakened(bare, case.world)), False, "general")
    assert covers(general, subscription(bare, False, "special"), ontology_of(case.world))


GENERAL = "SELECT * WHERE { _:H a:target ?x . ?x a a:Computer }"


@pytest.mark.parametrize(
    ("general", "special", "right"),
    [
        (GENERAL, "SELECT * WHERE { _:H a:target ?y . ?y a a:DesktopPC ; a:hardDisk ?d }", True),
        (GENERAL, "SELECT * WHERE { _:H a:target ?y . ?y a a:Book }", False),
        (
            "ASK { _:H a:price/rdf:value ?v FILTER(?v < 500) }",
            "ASK { _:H a:price ?p . ?p rdf:value ?w FILTER(300 <= ?w && 400 >= ?w) }",
            True,
        ),
        (
            "ASK { _:H a:price/rdf:value ?v FILTER(?v < 500) }",
            "ASK { _:H a:price ?p . ?p rdf:value ?w FILTER(?w <= 500) }",
            False,
        ),
        ("ASK { _:H a:price ?v FILTER(?v > 5) }", "ASK { _:H a:price 7 }", True),
        ("ASK { _:H a:price ?v FILTER(?v > 5) }", "ASK { _:H a:price 5 }", False),
        ("ASK { _:H a:price ?v FILTER(BOUND(?v)) }", "ASK { _:H a:price 5 }", True),
        ("ASK { _:H a:seller a:Jim }", "ASK { _:H a:seller ?s FILTER(?s = a:Jim) }", True),
        ("ASK { _:H a:target ?x ; a:target ?y }", "ASK { _:H a:target ?x }", True),
        ("ASK { { _:H a:target ?x } UNION { _:H a:price ?x } }", "ASK { _:H a:price 5 }", True),
        ("ASK { _:H a:price ?x }", "ASK { { _:H a:target ?x } UNION { _:H a:price ?x } }", False),
        (
            'ASK { _:H a:seller ?s FILTER(CONTAINS(?s, "x")) }',
            'ASK { _:H a:seller ?t ; a:price 5 FILTER(CONTAINS(?t, "x")) }',
            True,
        ),
        ("ASK { _:H a:price ?v FILTER(?v < ?w) }", "ASK { _:H a:price ?v ; a:target ?w FILTER(?v < ?w) }", False),
    ],
)
def test_graph_patterns(auction: Ontology, general: str, special: str, right: bool) -> None:
    wide, narrow = (Subscription.parse(PREFIX + text) for text in (general, special))
    assert covers(wide, narrow, auction) is right


def test_distinct_vertices_must_stay_distinct(auction: Ontology) -> None:
    two = "(_:H, ?1, (Selling, target, Computer)) (_:H, ?2, (Selling, target, Computer))"
    one = "(_:H, ?1, (Selling, target, Computer))"
    pair, single = (Subscription.parse(text) for text in (two, one))
    assert covers(single, pair, auction)
    assert not covers(pair, single, auction)
    assert covers(Subscription.parse(two, injective=False), single, auction)
    assert not covers(pair, Subscription.parse(two, injective=False), auction)


def test_two_kinds_cannot_be_compared(auction: Ontology) -> None:
    with pytest.raises(SubscriptionError, match="Subscription and FlatSubscription cannot be compared"):
        covers(Subscription.parse(PREFIX + GENERAL), FlatSubscription({}), auction)
