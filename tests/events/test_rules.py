"""SHACL rules: what follows from an event."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from semantic_pubsub import Event, EventValidator, Ontology, OntologyError
from semantic_pubsub.terms import Literal, NamedNode
from tests.events import shacl_cases as cases

EXPERIENCE = NamedNode("http://example.org/auction#professionalExperience")
DECLARED = '<http://t.example/> a owl:Ontology ; sh:declare [ sh:prefix "t" ; sh:namespace "http://t.example/" ] .'


def event(text: str) -> Event:
    return Event.parse(cases.PREFIXES + text, home="_:H", id="e")


def rule(construct: str, more: str = "") -> str:
    return (
        f'sh:rule [ a sh:SPARQLRule ; sh:prefixes <http://t.example/> ; {more} sh:construct "CONSTRUCT {construct}" ]'
    )


def shape(*rules: str, name: str = ":S", target: str = ":C0", more: str = "") -> str:
    return f"{DECLARED}\n{name} a sh:NodeShape ; sh:targetClass {target} ; {more} {' ; '.join(rules)} ."


def derived(shapes: str, text: str, ontology: str | None = None, **options: bool) -> set[str]:
    """What rules add to an event, in short."""
    model = Ontology.load(cases.turtle_graph(ontology)) if ontology is not None else None
    given = event(text)
    enriched = EventValidator(cases.turtle_graph(shapes), model, **options).enrich(given)
    added = set(enriched.triples) - set(given.triples)
    assert enriched.triples[: len(given)] == given.triples
    return {" ".join(str(term) for term in triple).replace("http://t.example/", ":") for triple in added}


def test_experience_is_this_year_less_the_year_of_graduation(project: Path) -> None:
    ready = EventValidator(project / "shapes" / "auction.ttl", Ontology.load(project / "ontology" / "auction.ttl"))
    given = Event.load(project / "examples" / "events" / "jinling-wang-desktop.ttl")
    years = {str(datetime.datetime.now(datetime.UTC).year - 2005)}
    enriched = ready.check(given)
    years.add(str(datetime.datetime.now(datetime.UTC).year - 2005))  # the year may end while we look
    [value] = [triple.object for triple in enriched.triples if triple.predicate == EXPERIENCE]
    assert isinstance(value, Literal)
    assert value.value in years
    assert len(given) == len(enriched) - 1
    assert (enriched.id, enriched.home, enriched.source) == (given.id, given.home, given.source)
    assert ready.enrich(enriched) is enriched  # stated already


def test_an_event_that_nothing_follows_from_stays_itself() -> None:
    given = event("_:H a :C1 ; :p0 1 .")
    assert EventValidator(cases.turtle_graph(shape(rule("{ $this t:p1 2 } WHERE {}")))).enrich(given) is given


def test_rules_respect_sub_classes() -> None:
    shapes = shape(rule("{ $this t:p1 2 } WHERE {}"))
    assert derived(shapes, "_:H a :C1 ; :p0 1 .") == set()
    assert derived(shapes, "_:H a :C1 ; :p0 1 .", ":C1 rdfs:subClassOf :C0 .") == {
        '_:H <:p1> "2"^^<http://www.w3.org/2001/XMLSchema#integer>'
    }


def test_a_triple_rule_takes_its_parts_from_expressions() -> None:
    text = "sh:rule [ a sh:TripleRule ; sh:subject sh:this ; sh:predicate :p1 ; sh:object [ sh:path :p0 ] ]"
    assert derived(shape(text), "_:H a :C0 ; :p0 :x, :y .") == {"_:H <:p1> <:x>", "_:H <:p1> <:y>"}


def test_a_condition_and_a_deactivated_rule() -> None:
    condition = "sh:condition [ sh:property [ sh:path :p0 ; sh:minCount 1 ] ] ;"
    conditional = rule("{ $this t:p1 t:yes } WHERE {}", condition)
    off = rule("{ $this t:p1 t:never } WHERE {}", "sh:deactivated true ;")
    assert derived(shape(conditional, off), "_:H a :C0 ; :p2 :x . :x a :C0 ; :p0 1 .") == {"<:x> <:p1> <:yes>"}


def test_rules_run_in_their_order_and_see_what_came_before() -> None:
    second = rule("{ $this t:p2 ?o } WHERE { $this t:p1 ?o }", "sh:order 2 ;")
    first = rule("{ $this t:p1 ?o } WHERE { $this t:p0 ?o }", "sh:order 1 ;")
    assert derived(shape(second, first), "_:H a :C0 ; :p0 :x .") == {"_:H <:p1> <:x>", "_:H <:p2> <:x>"}


def test_a_derived_type_calls_for_further_rules_and_shapes() -> None:
    shapes = shape(rule("{ $this a t:C1 } WHERE { $this t:p0 ?o }"), more="sh:order 1 ;") + shape(
        rule("{ $this t:p2 t:x } WHERE {}"), name=":T", target=":C2", more="sh:order 2 ;"
    )
    shapes += ":U a sh:NodeShape ; sh:targetClass :C2 ; sh:property [ sh:path :p3 ; sh:minCount 1 ] ."
    order = ":C1 rdfs:subClassOf :C2 ."
    assert derived(shapes, "_:H a :C0 ; :p0 1 .", order) >= {"_:H <:p2> <:x>"}
    ready = EventValidator(cases.turtle_graph(shapes), Ontology.load(cases.turtle_graph(order)))
    assert [each.path for each in ready.validate(event("_:H a :C0 ; :p0 1 .")).violations] == ["p3"]


def test_pyshacl_validates_with_the_same_derived_triples() -> None:
    shapes = cases.turtle_graph(
        shape(rule("{ $this t:p1 ?n } WHERE { $this t:p0 ?o . BIND (?o + 1 AS ?n) }"))
        + ":U a sh:NodeShape ; sh:targetSubjectsOf :p1 ; sh:property [ sh:path :p1 ; sh:maxInclusive 3 ] ."
    )
    ready = EventValidator(shapes)
    for number in range(5):
        given = event(f"_:H a :C0 ; :p0 {number} .")
        assert cases.ours(ready.validate(given)) == cases.plain(given, shapes)[:2]


def test_iterating_ends_when_nothing_is_new_or_at_a_limit() -> None:
    transitive = shape(rule("{ $this t:p1 ?c } WHERE { $this t:p1 ?b . ?b t:p1 ?c }"))
    chain = "_:H a :C0 ; :p1 :a . :a :p1 :b . :b :p1 :c . :c :p1 :d ."
    assert derived(transitive, chain) == {"_:H <:p1> <:b>"}
    assert derived(transitive, chain, iterate_rules=True) == {"_:H <:p1> <:b>", "_:H <:p1> <:c>", "_:H <:p1> <:d>"}
    endless = shape(rule("{ $this t:p1 ?n } WHERE { $this t:p1 ?o . BIND (?o + 1 AS ?n) }"))
    with pytest.raises(OntologyError, match="rules of shape S add triples after 100 rounds still"):
        derived(endless, "_:H a :C0 ; :p1 1 .", iterate_rules=True)


def test_what_is_no_triple_is_left_out() -> None:
    assert derived(shape(rule("{ ?o t:p1 $this } WHERE { $this t:p0 ?o }")), "_:H a :C0 ; :p0 1, :x .") == {
        "<:x> <:p1> _:H"
    }
