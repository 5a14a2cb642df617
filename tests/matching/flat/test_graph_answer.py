"""`FlatMatcher` on graphs: with `verify` the graph answer, without it what the pairs say, which is never less."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import Graph as RdfGraph

from semantic_pubsub import (
    Event,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Ontology,
    ReferenceMatcher,
    Subscription,
    equals,
    flatten,
    isa,
    lower,
)
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.matching.flat.meaning import matches
from semantic_pubsub.matching.flat.resolving import pairs_of
from tests.generators import worlds
from tests.matching.flat.tabled import TABLED
from tests.matching.graph.test_ops_agreement import conditioned, valued_graphs

some = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)

PREFIX = "PREFIX : <http://example.org/>\n"
ONTOLOGY = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Car a owl:Class ; rdfs:subClassOf :Vehicle . :Bike a owl:Class ; rdfs:subClassOf :Vehicle .
:item a owl:ObjectProperty . :gift rdfs:subPropertyOf :item . :maker a owl:ObjectProperty ; rdfs:range :Company .
:colour a owl:DatatypeProperty . :price a owl:DatatypeProperty . :weight a owl:DatatypeProperty .
"""


def turtle(text: str) -> Ontology:
    return Ontology.load(RdfGraph().parse(data=text, format="turtle"))


SHOP = turtle(ONTOLOGY)


def event(text: str) -> Event:
    return Event.parse("@prefix : <http://example.org/> .\n" + text)


def subscription(text: str, injective: bool | None = None) -> Subscription:
    return Subscription.parse(PREFIX + text, id="s", injective=injective)


# generated cases


@pytest.mark.parametrize("index", TABLED)
def test_agrees_with_the_reference_matcher(index: str) -> None:
    @some
    @given(st.data())
    def check(data: st.DataObject) -> None:
        world = data.draw(worlds())
        events = data.draw(st.lists(valued_graphs(), min_size=1, max_size=3))
        ontology = Ontology.load(RdfGraph().parse(data=world.text(), format="nt"))
        verified, pairs_only = FlatMatcher(ontology, index, verify=True), FlatMatcher(ontology, index)
        reference = ReferenceMatcher(ontology)
        standing: dict[str, Subscription] = {}
        for step, graph in enumerate(events):
            for number in range(data.draw(st.integers(1, 6))):
                asked = data.draw(conditioned(data.draw(st.sampled_from(events)), world))
                text = asked.sparql()
                if data.draw(st.integers(0, 5)) == 0:
                    other = data.draw(conditioned(graph, world)).body().replace("_:n", "_:m")
                    text = f"SELECT * WHERE {{ {{ {asked.body()} }} UNION {{ {other} }} }}"
                made = Subscription.parse(text, id=f"{step}-{number}", injective=data.draw(st.booleans()))
                standing[made.id] = made
                for matcher in (verified, pairs_only, reference):
                    matcher.add(made)
            for name in data.draw(st.sets(st.sampled_from(sorted(standing)), max_size=2)):
                del standing[name]
                for matcher in (verified, pairs_only, reference):
                    matcher.remove(name)
            for shown in events:
                parsed = Event.parse(shown.text(), format="nt")
                right = set(reference.match_ids(parsed))
                found = verified.match_ids(parsed)
                assert len(found) == len(set(found))
                assert set(found) == right
                flat = pairs_only.match_ids(parsed)
                assert len(flat) == len(set(flat))
                assert right <= set(flat)
                pairs, _ = pairs_of(flatten(parsed, ontology, pairs_only.paths), ontology)
                assert set(flat) == {
                    name for name, one in standing.items() if matches(pairs, lower(one, ontology), ontology)
                }
        assert sorted(verified.ids()) == sorted(pairs_only.ids()) == sorted(reference.ids())

    check()


# each construct: event, pattern, whether injective, the graph answer, the flat answer

OFFER = '_:H :item [ a :Car ; :colour "red" ], [ a :Bike ; :colour "blue" ] .'
CAR = '_:H :item _:c ; :price 10 . _:c a :Car ; :colour "red" ; :weight 10 .'
CONSTRUCTS: dict[str, tuple[str, str, bool, bool, bool]] = {
    "a blue car among a red car and a blue bike": (
        OFFER,
        'ASK { _:H :item [ a :Car ; :colour "blue" ] }',
        False,
        False,
        True,
    ),
    "a red car among both": (OFFER, 'ASK { _:H :item [ a :Car ; :colour "red" ] }', False, True, True),
    "a regex that holds": (CAR, 'ASK { _:H :item/:colour ?c FILTER regex(?c, "^R", "i") }', False, True, True),
    "a regex that does not": (CAR, 'ASK { _:H :item/:colour ?c FILTER regex(?c, "^b") }', False, False, True),
    "or, one side true": (CAR, "ASK { _:H :price ?p FILTER(?p < 5 || ?p = 10) }", False, True, True),
    "or, no side true": (CAR, "ASK { _:H :price ?p FILTER(?p < 5 || ?p > 20) }", False, False, True),
    "unequal": (CAR, "ASK { _:H :price ?p FILTER(?p != 11) }", False, True, True),
    "not unequal": (CAR, "ASK { _:H :price ?p FILTER(?p != 10.0) }", False, False, True),
    "two variables equal": (
        CAR,
        "ASK { _:H :price ?p ; :item/:weight ?w FILTER(?p = ?w) }",
        False,
        True,
        True,
    ),
    "two variables not less": (
        CAR,
        "ASK { _:H :price ?p ; :item/:weight ?w FILTER(?p < ?w) }",
        False,
        False,
        True,
    ),
    "union, the second": (CAR, "ASK { { _:H :item [ a :Bike ] } UNION { _:H :price ?p } }", False, True, True),
    "union, neither": (
        CAR,
        "ASK { { _:H :item [ a :Bike ] } UNION { _:H :price ?p FILTER(?p > 10) } }",
        False,
        False,
        False,
    ),
    "union with one doubtful alternative": (
        OFFER,
        'ASK { { _:H :item [ a :Car ; :colour "blue" ] } UNION { _:H :item [ a :Bike ; :colour "blue" ] } }',
        False,
        True,
        True,
    ),
    "a cycle": ("_:H :item _:c . _:c :item _:H .", "ASK { _:H :item ?x . ?x :item _:H }", False, True, True),
    "a cycle that does not close": (
        "_:H :item _:c . _:c :item _:d . _:d :item _:c .",
        "ASK { _:H :item ?x . ?x :item _:H }",
        False,
        False,
        True,
    ),
    "a self-loop": ("_:H :item _:H .", "ASK { _:H :item _:H }", False, True, True),
    "no self-loop": ("_:H :item _:c . _:c :item _:d .", "ASK { _:H :item ?x . ?x :item ?x }", False, False, True),
    "parallel arcs": ("_:H :item _:c ; :maker _:c .", "ASK { _:H :item ?x ; :maker ?x }", False, True, True),
    "no parallel arcs": ("_:H :item _:c ; :maker _:d .", "ASK { _:H :item ?x ; :maker ?x }", False, False, True),
    "a sub-property": ("_:H :gift [ a :Car ] .", "ASK { _:H :item [ a :Vehicle ] }", False, True, True),
    "a super-property": ("_:H :item [ a :Car ] .", "ASK { _:H :gift [ a :Vehicle ] }", False, False, False),
    "an untyped vertex takes the range": ("_:H :maker _:m .", "ASK { _:H :maker [ a :Company ] }", False, True, True),
    "a typed vertex does not": ("_:H :maker [ a :Car ] .", "ASK { _:H :maker [ a :Company ] }", False, False, False),
    "a language string": ('_:H :colour "x"@en .', 'ASK { _:H :colour "x"@en }', False, True, True),
    "another language": ('_:H :colour "x"@en .', 'ASK { _:H :colour "x"@de }', False, False, False),
    "a text for a language string": ('_:H :colour "x"@en .', 'ASK { _:H :colour "x" }', False, False, False),
    "a text is no language string": (
        '_:H :colour "x" .',
        'ASK { _:H :colour ?c FILTER(?c = "x"@en) }',
        False,
        False,
        False,
    ),
    "an equal number is another term": ("_:H :price 10.0 .", "ASK { _:H :price 10 }", False, False, True),
    "an equal number in a filter": ("_:H :price 10.0 .", "ASK { _:H :price ?p FILTER(?p = 10) }", False, True, True),
    "two variables, one vertex": ("_:H :item _:c .", "ASK { _:H :item ?x ; :item ?y }", False, True, True),
    "two variables, one vertex, injective": ("_:H :item _:c .", "ASK { _:H :item ?x ; :item ?y }", True, False, True),
    "two variables, two vertices, injective": (
        "_:H :item _:c , _:d .",
        "ASK { _:H :item ?x ; :item ?y }",
        True,
        True,
        True,
    ),
    "two paths, one vertex, injective": (
        "_:H :item _:c ; :maker _:c .",
        "ASK { _:H :item ?x ; :maker ?y }",
        True,
        False,
        True,
    ),
    "home is a vertex, injective": ("_:H :item _:H .", "ASK { _:H :item ?x }", True, False, True),
    "equal literals, injective": (
        "_:H :price 10 ; :weight 10 .",
        "ASK { _:H :price ?x ; :weight ?y }",
        True,
        True,
        True,
    ),
    "equal literals are one vertex": (
        "_:H :price 10 ; :weight 10 .",
        "ASK { _:H :price ?x ; :weight ?x }",
        False,
        True,
        True,
    ),
    "equal values are two": (
        "_:H :price 10 ; :weight 10.0 .",
        "ASK { _:H :price ?x ; :weight ?x }",
        False,
        False,
        True,
    ),
    "NaN in the pattern": (
        '_:H :price "NaN"^^<http://www.w3.org/2001/XMLSchema#double> .',
        'ASK { _:H :price "NaN"^^<http://www.w3.org/2001/XMLSchema#double> }',
        False,
        True,
        True,
    ),
    "NaN in a filter": (
        '_:H :price "NaN"^^<http://www.w3.org/2001/XMLSchema#double> .',
        'ASK { _:H :price ?p FILTER(?p = "NaN"^^<http://www.w3.org/2001/XMLSchema#double>) }',
        False,
        False,
        False,
    ),
}


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("name", CONSTRUCTS)
def test_construct(name: str, index: str) -> None:
    shown, pattern, injective, graph_answer, flat_answer = CONSTRUCTS[name]
    asked, parsed = subscription(pattern, injective), event(shown)
    reference = ReferenceMatcher(SHOP)
    verified, pairs_only = FlatMatcher(SHOP, index, verify=True), FlatMatcher(SHOP, index)
    for matcher in (reference, verified, pairs_only):
        matcher.add(asked)
    assert bool(reference.match_ids(parsed)) == graph_answer
    assert bool(verified.match_ids(parsed)) == graph_answer
    assert bool(pairs_only.match_ids(parsed)) == flat_answer
    assert verified.explain(parsed, "s").matched == graph_answer
    assert pairs_only.explain(parsed, "s").matched == flat_answer


# when the graph is looked at

TREE = 'ASK { _:H :item ?x . ?x a :Car ; :colour ?c FILTER(?c = "red") }'


def verified_count(shown: str, pattern: str, injective: bool = False) -> tuple[bool, int]:
    matcher = FlatMatcher(SHOP, "ctps", verify=True)
    matcher.add(subscription(pattern, injective))
    found = matcher.match_ids(event(shown))
    return bool(found), int(matcher.stats()["verified"])


def test_a_tree_with_single_values_is_not_verified() -> None:
    assert verified_count(CAR, TREE) == (True, 0)
    assert verified_count(CAR, TREE, injective=True) == (True, 0)


def test_a_path_to_two_vertices_is_verified() -> None:
    assert verified_count(OFFER, TREE) == (True, 1)
    assert verified_count(OFFER, TREE.replace("red", "blue")) == (False, 1)


def test_a_sub_property_may_make_a_second_vertex() -> None:
    two = '_:H :item [ a :Car ] ; :gift [ a :Bike ; :colour "red" ] .'
    assert verified_count(two, TREE) == (False, 1)


def test_a_vertex_on_two_paths_is_verified_only_where_vertices_must_differ() -> None:
    shown, pattern = "_:H :item _:c ; :maker _:c .", "ASK { _:H :item ?x ; :maker ?y }"
    assert verified_count(shown, pattern) == (True, 0)
    assert verified_count(shown, pattern, injective=True) == (False, 1)
    assert verified_count("_:H :item _:c ; :maker _:d .", pattern, injective=True) == (True, 0)


@pytest.mark.parametrize(
    "pattern",
    [
        'ASK { _:H :item/:colour ?c FILTER regex(?c, "r") }',
        "ASK { _:H :item ?x . _:H :item ?y . ?x :colour ?c . ?y :colour ?c }",
        "ASK { _:H :price 10 }",
        "ASK { _:H :price ?p FILTER(?p != 1) }",
    ],
)
def test_what_pairs_cannot_say_is_verified(pattern: str) -> None:
    assert verified_count(CAR, pattern) == (True, 1)


def test_counts() -> None:
    matcher = FlatMatcher(SHOP, "hybrid", verify=True)
    matcher.add(Subscription.parse(PREFIX + TREE, id="red"))
    matcher.add(Subscription.parse(PREFIX + TREE.replace("red", "blue"), id="blue"))
    matcher.add(Subscription.parse(PREFIX + TREE.replace("red", "green"), id="green"))
    assert matcher.match_ids(event(OFFER)) == ["red"]
    assert matcher.match_ids(event(CAR)) == ["red"]
    stats = matcher.stats()
    assert {name: stats[name] for name in ("events", "candidates", "verified", "matches", "subscriptions")} == {
        "events": 2,
        "candidates": 3,
        "verified": 2,
        "matches": 2,
        "subscriptions": 3,
    }


def test_only_a_verified_match_has_bindings() -> None:
    verified, pairs_only = FlatMatcher(SHOP, verify=True), FlatMatcher(SHOP)
    for matcher in (verified, pairs_only):
        matcher.add(subscription("SELECT ?c { _:H :item/:colour ?c }"))
    (match,), (plain,) = verified.match(event(CAR)), pairs_only.match(event(CAR))
    assert {name: str(term) for name, term in match.bindings.items()} == {"c": "red"}
    assert plain.bindings == {}


@pytest.mark.parametrize("index", INDEXES)
def test_flat_and_graph_subscriptions_beside_each_other(index: str) -> None:
    matcher = FlatMatcher(SHOP, index, verify=True)
    matcher.add(Subscription.parse(PREFIX + TREE, id="red car"))
    matcher.add(FlatSubscription({"item": isa("Car"), "item.colour": equals("blue")}, id="pairs"))
    assert sorted(matcher.match_ids(event(OFFER))) == ["pairs", "red car"]
    assert matcher.match_ids(event(CAR)) == ["red car"]
    assert sorted(match.subscription_id for match in matcher.match(event(OFFER))) == ["pairs", "red car"]
    flat = FlatEvent({"item": ["Car", "Bike"], "item.colour": ["red", "blue"]})
    assert sorted(matcher.match_ids(flat)) == ["pairs", "red car"]
    matcher.remove("red car")
    assert matcher.match_ids(event(OFFER)) == ["pairs"]


def test_auto_lets_ops_propose_for_graphs_and_says_so() -> None:
    matcher = FlatMatcher(SHOP, verify=True)
    matcher.add(Subscription.parse(PREFIX + TREE, id="red"))
    assert matcher.match_ids(event(CAR)) == ["red"]
    stats = matcher.stats()
    assert str(stats["RDF events"]).startswith("ops")
    assert (stats["candidates"], stats["verified"], stats["matches"]) == (1, 1, 1)
