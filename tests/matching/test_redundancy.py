"""Duplicates, covered and unsatisfiable ones among many subscriptions, found without comparing all with all."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import Ontology, Subscription, covers
from semantic_pubsub.matching import pattern_covering, redundancy
from semantic_pubsub.matching.covering import known_patterns
from semantic_pubsub.matching.redundancy import Redundancies, redundancies
from semantic_pubsub.subscriptions import unsatisfiable
from tests.generators import Asked, World, graphs, patterns, worlds

PREFIX = "PREFIX a: <http://example.org/auction#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


def found(auction: Ontology, **texts: str) -> Redundancies:
    given = [Subscription.parse(text if text[0] == "(" else PREFIX + text, id=name) for name, text in texts.items()]
    return redundancies(given, auction)


def test_a_duplicate_is_found_whatever_the_names_and_the_order(auction: Ontology) -> None:
    result = found(
        auction,
        one="SELECT ?x { _:H a:target ?x ; a a:Selling . ?x a a:Computer FILTER(isIRI(?x)) }",
        two="PREFIX b: <http://example.org/auction#> "
        "ASK { _:H a b:Selling ; b:target ?y FILTER(isIRI(?y)) ?y a b:Computer }",
        other="ASK { _:H a:target ?x . ?x a a:Book }",
    )
    assert result == ([["one", "two"]], {}, {}, [])


def test_those_that_cover_each_other_are_duplicates_too(auction: Ontology) -> None:
    result = found(
        auction,
        plain="ASK { _:H a:target ?x . ?x a a:Computer }",
        wordy="ASK { _:H a:target ?x , ?y . ?x a a:Computer . ?y a a:Computer }",
        special="ASK { _:H a:target ?x . ?x a a:DesktopPC }",
        constant="ASK { _:H a:seller a:Jim }",
        equal="ASK { _:H a:seller ?s FILTER(?s = a:Jim) }",
    )
    assert result.duplicates == [["plain", "wordy"], ["constant", "equal"]]
    assert result.covered == {"special": "plain"}


@pytest.mark.parametrize(
    ("general", "special"),
    [
        ("ASK { _:H a:price/rdf:value ?v FILTER(?v < 500) }", "ASK { _:H a:price/rdf:value ?v FILTER(?v < 400) }"),
        ("ASK { _:H a:price ?v FILTER(?v > 0 && ?v < 1) }", "ASK { _:H a:price ?v FILTER(?v >= 0.5 && ?v < 1) }"),
        ("ASK { _:H a:price ?v FILTER(?v > 5) }", "ASK { _:H a:price 7 }"),
        ("ASK { _:H a:price ?v FILTER(?v > 5) }", "ASK { _:H a:price ?w FILTER(?w IN (6, 7.5)) }"),
        ("ASK { _:H a:seller ?s }", "ASK { _:H a:seller ?s FILTER(?s = a:Jim) }"),
        ("(_:H, ?1, (Selling, target, Computer))", "(_:H, ?1, (Selling, target, DesktopPC))"),
        ("(_:H, ?1, (Selling, price, xsd:decimal))", "(_:H, ?1, (Selling, price, xsd:integer), ?1 > 5)"),
        (
            'ASK { _:H a:seller ?s FILTER(REGEX(?s, "x")) }',
            'ASK { _:H a:seller ?t ; a:price 5 FILTER(REGEX(?t, "x")) }',
        ),
        ("ASK { { _:H a:price ?x } UNION { _:H a:target ?x } }", "ASK { _:H a:target ?x ; a:price ?y }"),
        ("ASK { _:H a a:Selling }", "ASK { _:H a a:Selling ; a:target ?x }"),
    ],
)
def test_the_covering_one_is_among_the_candidates(auction: Ontology, general: str, special: str) -> None:
    result = found(auction, general=general, special=special, other="ASK { _:H a:weight 1 }")
    assert (result.duplicates, result.covered, result.undecided) == ([], {"special": "general"}, [])


def test_what_nothing_can_be_expected_to_match(auction: Ontology) -> None:
    result = found(
        auction,
        empty="ASK { _:H a:price/rdf:value ?v FILTER(?v < 1 && ?v > 2) }",
        half="ASK { { _:H a:price ?v FILTER(?v < 1 && ?v > 2) } UNION { _:H a:target ?x } }",
        unknown="ASK { _:H a:unheardOf ?v }",
    )
    assert list(result.unsatisfiable) == ["empty"]
    assert "never true" in result.unsatisfiable["empty"]


@pytest.mark.parametrize("filters", ["?v = 5 && ?v = 6", "?v IN (5, 6) && ?v > 7", '?v = 5 && ?v = "5"'])
def test_what_excludes_itself_is_not_said_to_be_covered_too(auction: Ontology, filters: str) -> None:
    cheap, never = (f"ASK {{ _:H a:price/rdf:value ?v FILTER({text}) }}" for text in ("?v < 400", filters))
    result = found(auction, cheap=cheap, never=never)
    assert (list(result.unsatisfiable), result.covered) == (["never"], {})
    one, other = (Subscription.parse(PREFIX + text) for text in (never, cheap))
    assert covers(Subscription.parse(PREFIX + "ASK { _:H a:target ?x }"), one, auction)
    assert not covers(one, other, auction)


def test_few_of_all_pairs_are_compared(auction: Ontology, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five hundred bands of prices: each is compared with those that hold both of its ends."""
    compared = 0
    right = pattern_covering.covers_pattern

    def counted(*arguments: object) -> bool:
        nonlocal compared
        compared += 1
        return right(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(redundancy, "covers_pattern", counted)
    texts = {f"s{n}": f"ASK {{ _:H a:price ?v FILTER(?v >= {n} && ?v < {n + 3 + n % 7}) }}" for n in range(500)}
    result = found(auction, **texts)
    assert len(result.covered) > 50
    assert compared < 5 * len(texts)


@st.composite
def some_patterns(draw: st.DrawFn) -> tuple[World, list[Asked]]:
    world, event = draw(worlds()), draw(graphs())
    return world, draw(st.lists(patterns(event, world), min_size=2, max_size=6))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(some_patterns())
def test_agrees_with_comparing_all_with_all(drawn: tuple[World, list[Asked]]) -> None:
    world, asked = drawn
    model = Ontology.load(rdflib.Graph().parse(data=world.text(), format="nt"))
    given = [Subscription.parse(one.sparql(), id=str(number)) for number, one in enumerate(asked)]
    result = redundancies(given, model)
    fine = [one for one in given if not all(known.is_never for known in known_patterns(one, model))]
    above = {one.id: {other.id for other in fine if other is not one and covers(other, one, model)} for one in fine}
    same = {one: {other for other in others if one in above[other]} for one, others in above.items()}
    assert set(result.unsatisfiable) == {one.id for one in given if unsatisfiable(one, model) is not None}
    assert {name for group in result.duplicates for name in group} == {name for name, others in same.items() if others}
    assert set(result.covered) == {name for name, others in above.items() if others - same[name]}
    assert all(wider in above[name] for name, wider in result.covered.items())
