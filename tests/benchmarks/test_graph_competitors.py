"""The peers give the right answer: a benchmark against something wrong would say nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from rdflib import Graph as RdfGraph

from benchmarks.competitors import AskLoop, Decomposition, PaperMatcher
from benchmarks.competitors.decomposition import TooManyInstancesError
from benchmarks.workloads import Bands, Sec6, Shop, Workload
from semantic_pubsub import Event, Ontology, ReferenceMatcher, Subscription
from tests.generators import Case, cases

some = settings(
    max_examples=250,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
WORKLOADS: list[Workload] = [Sec6(classes=3), Shop(rate=0.02), Bands(), Bands(kind="one-sided")]


@pytest.mark.parametrize("peer", [AskLoop, Decomposition, PaperMatcher])
@pytest.mark.parametrize("injective", [False, True], ids=["sparql", "injective"])
def test_a_peer_agrees_with_the_reference(
    peer: type[AskLoop] | type[Decomposition] | type[PaperMatcher], injective: bool
) -> None:
    @some
    @given(cases())
    def check(case: Case) -> None:
        # Home is an IRI for the ASK loop and a blank node for the others: a filter could tell.
        assume(peer is not AskLoop or not any("isIRI" in f or "isBlank" in f for f in case.pattern.filters))
        ontology = Ontology.load(RdfGraph().parse(data=case.world.text(), format="nt"))
        subscription = Subscription.parse(case.pattern.sparql(), id="s", injective=injective)
        event = Event.parse(case.event.text(), format="nt")
        reference, other = ReferenceMatcher(ontology), peer(ontology)
        reference.add(subscription)
        other.add_all([subscription])
        assert other.match_ids(other.prepare(event)) == reference.match_ids(event)  # type: ignore[arg-type]

    check()


@pytest.mark.parametrize("injective", [False, True], ids=["sparql", "injective"])
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: f"{w.name}-{getattr(w, 'kind', '')}")
def test_the_peers_agree_with_each_other_on_a_workload(workload: Workload, injective: bool) -> None:
    ontology = workload.ontology()
    number = 3_000 if isinstance(workload, Bands) else 300
    drawn = workload.subscriptions(number)
    subscriptions = [Subscription.parse(text, id=name, injective=injective) for name, text in drawn]
    ask, paper = AskLoop(ontology), PaperMatcher(ontology)
    ask.add_all(subscriptions)
    paper.add_all(subscriptions)
    found = 0
    for text in workload.events(6):
        event = Event.parse(text)
        expected = sorted(ask.match_ids(ask.prepare(event)))
        assert sorted(paper.match_ids(paper.prepare(event))) == expected
        found += len(expected)
    assert found


def test_the_paper_peer_finds_what_a_single_traversal_loses() -> None:
    """A derived pattern on a vertex whose arcs were passed before it was born."""
    ontology = Ontology.load(RdfGraph())
    paper = PaperMatcher(ontology)
    paper.add_all([Subscription.parse("ASK { _:H <urn:2> ?a . ?a <urn:4> ?b . ?b <urn:3> ?c }", id="late")])
    event = Event.parse("_:H <urn:1> _:b . _:H <urn:2> _:a . _:b <urn:3> _:c . _:a <urn:4> _:b .")
    assert paper.match_ids(paper.prepare(event)) == ["late"]


def test_the_paper_peer_counts_the_nodes_of_its_trees() -> None:
    """Root, two rectangles, a circle under each; the third pattern hangs on the first circle and has one, too."""
    paper = PaperMatcher(Ontology.load(RdfGraph()))
    paper.add_all([Subscription.parse("ASK { _:H <urn:1> ?a ; <urn:2> ?b . ?a <urn:3> ?c }", id="s")])
    event = Event.parse("_:H <urn:1> _:a ; <urn:2> _:b . _:a <urn:3> _:c .")
    assert paper.match_ids(paper.prepare(event)) == ["s"]
    assert paper.nodes_per_tree == 7


@pytest.mark.parametrize("injective", [False, True], ids=["sparql", "injective"])
def test_the_decomposition_shares_parts_and_finds_what_the_paper_peer_finds(injective: bool) -> None:
    workload = Sec6(classes=10)
    subscriptions = list(workload.parsed(12, injective=injective))
    paper, other, alone = (kind(workload.ontology()) for kind in (PaperMatcher, Decomposition, Decomposition))
    paper.add_all(subscriptions)
    other.add_all([*subscriptions, *(replace(s, id=f"{s.id} again") for s in subscriptions)])
    alone.add_all(subscriptions)
    assert len(other) == len(alone)
    found = 0
    for text in workload.events(40):
        event = Event.parse(text)
        expected = sorted(paper.match_ids(paper.prepare(event)))
        assert sorted(alone.match_ids(alone.prepare(event))) == expected
        assert sorted(other.match_ids(other.prepare(event))) == sorted([*expected, *(f"{n} again" for n in expected)])
        found += len(expected)
    assert found


def test_the_decomposition_says_when_there_are_too_many_instances() -> None:
    workload = Sec6(classes=2)
    small = Decomposition(workload.ontology(), limit=10)
    small.add_all(workload.parsed(3))
    (text,) = workload.events(1)
    with pytest.raises(TooManyInstancesError, match="more than 10 instances"):
        small.match_ids(small.prepare(Event.parse(text)))
