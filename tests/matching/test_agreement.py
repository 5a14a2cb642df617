"""The reference matcher against two engines that know nothing of it."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import event as note
from rdflib import Graph as RdfGraph

from semantic_pubsub import Event, Ontology, ReferenceMatcher, Subscription
from semantic_pubsub.terms import from_rdflib
from tests.engines import isomorphic_solutions, sparql_solutions
from tests.generators import Case, cases

many = settings(
    max_examples=1_000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def ontology_of(case: Case) -> Ontology:
    return Ontology.load(RdfGraph().parse(data=case.world.text(), format="nt"))


def our_solutions(case: Case, injective: bool) -> set[frozenset[tuple[str, str]]]:
    matcher = ReferenceMatcher(ontology_of(case))
    matcher.add(Subscription.parse(case.pattern.sparql(), id="s", injective=injective))
    event = Event.parse(case.event.text(), format="nt")
    return {
        frozenset((name, str(from_rdflib(term))) for name, term in solution.items())
        for match in matcher.match(event)
        for solution in match.solutions()
    }


@pytest.mark.parametrize("injective", [False, True], ids=["sparql", "injective"])
def test_all_solutions_agree_with_a_sparql_engine(injective: bool) -> None:
    @many
    @given(cases())
    def check(case: Case) -> None:
        expected = sparql_solutions(case, injective)
        note("matches" if expected else "does not match")
        assert our_solutions(case, injective) == expected

    check()


@many
@given(cases(filters=False, constants=False, resources_only=True))
def test_structure_agrees_with_a_monomorphism_search(case: Case) -> None:
    expected = {
        frozenset((name[1:], image) for name, image in mapping.items() if name.startswith("?"))
        for mapping in isomorphic_solutions(case)
    }
    note("matches" if expected else "does not match")
    assert our_solutions(case, injective=True) == expected


def test_the_judges_can_tell_a_difference() -> None:
    """A guard against generators that never match or always do."""
    outcomes = []

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(cases())
    def collect(case: Case) -> None:
        outcomes.append(bool(sparql_solutions(case, injective=False)))

    collect()
    assert 0.2 < sum(outcomes) / len(outcomes) < 0.95


def test_literal_forms_in_generators_are_canonical() -> None:
    """pyoxigraph's store canonicalises numbers, so the comparison needs canonical ones."""
    from tests.generators import LITERALS

    store = ox.Store()
    text = "".join(f"<urn:s> <urn:p{i}> {literal} .\n" for i, literal in enumerate(LITERALS))
    store.extend(ox.parse(text, format=ox.RdfFormat.N_TRIPLES))
    assert {str(quad.object) for quad in store} == {
        str(q.object) for q in ox.parse(text, format=ox.RdfFormat.N_TRIPLES)
    }
