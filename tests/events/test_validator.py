"""The validator: pyshacl's verdicts and results, in plain words, and its rules."""

from __future__ import annotations

import json
import logging
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import rdflib
from pyshacl.rdfutil.stringify import stringify_blank_node
from rdflib.namespace import SH

from semantic_pubsub import Event, EventValidator, Ontology, ValidationError, events_from
from semantic_pubsub.errors import EventError
from tests.events import shacl_cases as cases

CONTEXTS = ["https://schema.org", "http://schema.org", "https://schema.org/", "http://schema.org/"]


def event(text: str) -> Event:
    return Event.parse(cases.PREFIXES + text, home="_:H", id="e")


def validator(text: str, ontology: str | None = None, **options: bool) -> EventValidator:
    model = Ontology.load(cases.turtle_graph(ontology)) if ontology is not None else None
    return EventValidator(cases.turtle_graph(text), model, **options)


@pytest.fixture(scope="module")
def auction(project: Path) -> EventValidator:
    return EventValidator(project / "shapes" / "auction.ttl", Ontology.load(project / "ontology" / "auction.ttl"))


# what a report says


def test_a_refused_event_is_told_why_in_plain_words(auction: EventValidator, project: Path) -> None:
    report = auction.validate(Event.load(project / "examples" / "events" / "refused.ttl"))
    assert not report
    assert report.text.splitlines() == [
        "Event refused.ttl is not valid: 4 problems.",
        "  - the event (Selling) seller: The seller is missing: somebody has to sell it.",
        '  - a NotebookPC used: Second-hand or not: say true or false. (given: "perhaps")',
        "  - a MoneyValue currency: An amount of money needs one currency: units:dollar, units:euro or units:yuan. "
        "(given: <http://example.org/units#shells>)",
        '  - a MoneyValue value: The amount cannot be below zero. (given: "-20")',
    ]


def test_a_report_is_json_and_a_graph(auction: EventValidator, project: Path) -> None:
    report = auction.validate(Event.load(project / "examples" / "events" / "refused.ttl"))
    told = json.loads(report.to_json())
    assert (told["event"], told["conforms"], len(told["violations"])) == ("refused.ttl", False, 4)
    assert told["violations"][0]["constraint"] == "MinCountConstraintComponent"
    assert told["violations"][0]["focusTypes"] == ["Selling"]
    assert told["violations"][0]["shape"] == "http://example.org/auction/shapes#Selling"
    assert len(list(report.graph.objects(None, SH.result))) == 4
    assert list(report.graph.objects(None, SH.conforms)) == [rdflib.Literal(False)]
    again = pickle.loads(pickle.dumps(report))
    assert again.violations == report.violations
    assert set(again.graph) == set(report.graph)


def test_without_a_message_the_constraint_is_put_in_words() -> None:
    shapes = """
    :S a sh:NodeShape ; sh:targetClass :C0 ; sh:property
      [ sh:path :p0 ; sh:minCount 2 ] , [ sh:path [ sh:alternativePath ( :p1 :p2 ) ] ; sh:in ( :x 7 ) ] ,
      [ sh:path ( :p3 [ sh:inversePath :p0 ] ) ; sh:node :T ] .
    :T a sh:NodeShape ; sh:class :C9 ; sh:message "Kein C9."@de, "Not a C9."@en ."""
    found = validator(shapes).validate(event("_:H a :C0 ; :p1 8 ; :p0 _:a ; :p3 _:a .")).violations
    assert [str(each) for each in found] == [
        "the event (C0) p0: has fewer values than 2",
        'the event (C0) p1 or p2: must be one of x, 7 (given: "8")',
        "the event (C0) p3/inverse of p0: must conform to T (Not a C9.)",
    ]


def test_the_message_of_a_query_is_filled_in_whatever_the_event_says() -> None:
    shapes = r"""
    :S a sh:NodeShape ; sh:targetClass :C0 ; sh:sparql [ sh:message "found {?value}, not {$other}" ;
      sh:select "SELECT $this ?value WHERE { $this <http://t.example/p0> ?value }" ] ."""
    found = validator(shapes).validate(event(r'_:H a :C0 ; :p0 "\\d \\g<1>" .')).violations
    assert [each.message for each in found] == [r"found \d \g<1>, not {$other}"]


def test_warnings_refuse_as_in_shacl_unless_they_are_allowed() -> None:
    shapes = """
    :S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; sh:minCount 1 ; sh:severity sh:Warning ] ."""
    subject = event("_:H a :C0 ; :p1 1 .")
    assert not validator(shapes).validate(subject)
    report = validator(shapes, allow_warnings=True).validate(subject)
    assert report.conforms
    assert report.text.splitlines() == [
        "Event e is valid, with remarks: 1 problem.",
        "  - the event (C0) p0: warning: has fewer values than 1",
    ]


# the same as pyshacl


@pytest.mark.parametrize(("name", "folder"), [("auction", "."), ("sensors", "sensors")])
def test_the_examples_get_pyshacls_verdicts(project: Path, name: str, folder: str) -> None:
    shapes = rdflib.Graph().parse(project / "shapes" / f"{name}.ttl")
    ontology = rdflib.Graph().parse(project / "ontology" / f"{name}.ttl")
    ready = EventValidator(shapes, Ontology.load(ontology))
    for each in events_from(project / "examples" / "events" / folder):
        assert cases.ours(ready.validate(each)) == cases.plain(each, shapes, ontology)[:2], each.id


@pytest.mark.parametrize("seed", range(80))
def test_random_shapes_and_events_get_pyshacls_results(seed: int) -> None:
    rng = random.Random(seed)
    text = cases.random_shapes(rng)
    # A cycle merges classes; a query that walks step by step would see the difference.
    ontology = cases.turtle_graph(cases.random_hierarchy(rng, cycles="subClassOf" not in text))
    shapes, lenient = cases.turtle_graph(text), rng.random() < 0.2
    ready = EventValidator(shapes, Ontology.load(ontology), allow_warnings=lenient)
    for each in [cases.random_event(rng) for _ in range(3)]:
        conforms, results, _ = cases.plain(each, shapes, ontology, allow_warnings=lenient)
        assert cases.ours(ready.validate(each)) == (conforms, results), f"{text}\n{each.to_text()}"


def test_schema_orgs_shapes_and_examples(test_data: Path) -> None:
    shapes = rdflib.Graph().parse(test_data / "shapes" / "schemaorg-shapes.ttl")
    ontology = rdflib.Graph().parse(test_data / "ontologies" / "schemaorg-current-http.ttl")
    ready = EventValidator(shapes, Ontology.load(ontology))
    hierarchy = rdflib.Graph()  # all that matters of it here, and forty times smaller
    for statement in ontology.triples((None, rdflib.RDFS.subClassOf, None)):
        hierarchy.add(statement)
    bad: list[EventError] = []
    contexts = dict.fromkeys(CONTEXTS, test_data / "events" / "schemaorgcontext.jsonld")
    found = list(events_from(test_data / "events" / "schemaorg-examples.jsonl", contexts=contexts, on_error=bad.append))
    assert len(found) > 150
    verdicts = {ready.validate(each).conforms for each in found}
    assert verdicts == {True, False}
    for each in found[::24]:
        assert cases.ours(ready.validate(each)) == cases.plain(each, shapes, hierarchy)[:2], each.id


def test_sosas_own_examples(test_data: Path, project: Path) -> None:
    shapes = rdflib.Graph().parse(project / "shapes" / "sensors.ttl")
    ontology = rdflib.Graph().parse(test_data / "ontologies" / "sosa-ssn-2023.nt")
    ready = EventValidator(shapes, Ontology.load(ontology))
    hierarchy = rdflib.Graph()
    for statement in ontology.triples((None, rdflib.RDFS.subClassOf, None)):
        hierarchy.add(statement)
    bad: list[EventError] = []
    compared = 0
    for each in events_from(test_data / "events" / "sosa", on_error=bad.append):
        assert cases.ours(ready.validate(each)) == cases.plain(each, shapes, hierarchy)[:2], each.id
        compared += 1
    assert compared >= 4


# targets and the ontology


def test_only_the_shapes_that_an_event_calls_for_are_run(auction: EventValidator) -> None:
    # An event without any class of the auction breaks none of its shapes.
    assert auction.validate(event("_:H a :C0 ; :p0 1 .")).conforms


def test_sub_classes_are_respected() -> None:
    shapes = ":S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; sh:class :C3 ; sh:minCount 1 ] ."
    order = (
        ":C1 rdfs:subClassOf :C0 . :C2 owl:equivalentClass :C1 . :C4 rdfs:subClassOf :C5 . :C5 rdfs:subClassOf :C3 ."
    )
    right, wrong = event("_:H a :C2 ; :p0 [ a :C4 ] ."), event("_:H a :C2 ; :p0 [ a :C6 ] .")
    assert validator(shapes).validate(wrong).conforms  # a C2 is nothing to the shape
    ready = validator(shapes, order)
    assert ready.validate(right).conforms
    assert [each.constraint for each in ready.validate(wrong).violations] == ["ClassConstraintComponent"]


def test_an_event_may_state_sub_classes_itself() -> None:
    shapes = ":S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; sh:minCount 1 ] ."
    mine = event("_:H a :Mine ; :p1 _:a . :Mine rdfs:subClassOf :C2 .")
    assert len(validator(shapes, ":C2 rdfs:subClassOf :C1 . :C1 rdfs:subClassOf :C0 .").validate(mine).violations) == 1


def test_the_ontologys_individuals_have_their_types_but_are_not_examined() -> None:
    shapes = """
    :S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; sh:class :Unit ] .
    :U a sh:NodeShape ; sh:targetClass :Unit ; sh:property [ sh:path :p1 ; sh:minCount 1 ] ."""
    ready = validator(shapes, ":Currency rdfs:subClassOf :Unit . :euro a :Currency, owl:NamedIndividual .")
    assert ready.validate(event("_:H a :C0 ; :p0 :euro .")).conforms
    assert not ready.validate(event("_:H a :C0 ; :p0 :franc .")).conforms
    assert not ready.validate(event("_:H a :C0 ; :p0 _:a . _:a a :Currency .")).conforms


def test_every_class_is_below_owl_thing() -> None:
    shapes = ":S a sh:NodeShape ; sh:targetClass owl:Thing ; sh:property [ sh:path :p0 ; sh:class owl:Thing ] ."
    ready = validator(shapes, ":C0 a owl:Class .")
    assert ready.validate(event("_:H a :C0 ; :p0 [ a :C0 ] .")).conforms
    assert not ready.validate(event("_:H a :C0 ; :p0 [ :p1 1 ] .")).conforms


def test_a_class_that_is_a_shape_targets_its_members_and_a_target_node_is_always_looked_at() -> None:
    shapes = """
    :C0 a sh:NodeShape, rdfs:Class ; sh:property [ sh:path :p0 ; sh:minCount 1 ] .
    :S a sh:NodeShape ; sh:targetNode :x ; sh:property [ sh:path :p1 ; sh:minCount 1 ] ."""
    found = validator(shapes).validate(event("_:H a :C0 ; :p2 1 .")).violations
    assert {str(each.focus) for each in found} == {"H", "http://t.example/x"}


def test_functions_of_the_shapes_can_be_called() -> None:
    shapes = """
    <http://t.example/> a owl:Ontology ; sh:declare [ sh:prefix "t" ; sh:namespace "http://t.example/"^^xsd:anyURI ] .
    :double a sh:SPARQLFunction ; sh:parameter [ sh:path :n ; sh:datatype xsd:integer ] ;
      sh:returnType xsd:integer ; sh:select "SELECT ($n * 2 AS ?r) WHERE {}" .
    :S a sh:NodeShape ; sh:targetClass :C0 ; sh:sparql [ sh:prefixes <http://t.example/> ;
      sh:select "SELECT $this ?value WHERE { $this t:p0 ?value . FILTER (t:double(?value) > 10) }" ] ."""
    ready = validator(shapes)
    for _ in range(2):
        assert ready.validate(event("_:H a :C0 ; :p0 5 .")).conforms
        assert not ready.validate(event("_:H a :C0 ; :p0 6 .")).conforms


def test_constraints_of_ones_own_and_expressions_are_pyshacls() -> None:
    shapes = cases.turtle_graph("""
    :AtMost a sh:ConstraintComponent ; sh:parameter [ sh:path :atMost ] ;
      sh:validator [ a sh:SPARQLAskValidator ; sh:message "{$value} is above {$atMost}" ;
        sh:ask "ASK { FILTER ($value <= $atMost) }" ] .
    :S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; :atMost 3 ] ;
      sh:expression [ sh:path :p1 ] .""")
    ready = EventValidator(shapes)
    for text in ("_:H a :C0 ; :p0 3, 4 .", "_:H a :C0 ; :p0 1 ; :p1 true ."):
        given = event(text)
        assert cases.ours(ready.validate(given)) == cases.plain(given, shapes)[:2]
    messages = [each.message for each in ready.validate(event("_:H a :C0 ; :p0 3, 4 ; :p1 true .")).violations]
    assert messages == ["4 is above 3"]


# nested shapes


def test_shapes_may_be_nested_far_deeper_than_pyshacls_limit() -> None:
    shapes = ":S0 sh:targetClass :C0 ." + "".join(
        f":S{n} a sh:NodeShape ; sh:property [ sh:path :p0 ; sh:node :S{n + 1} ] ." for n in range(40)
    )
    shapes += ":S40 a sh:NodeShape ; sh:property [ sh:path :p1 ; sh:minCount 1 ] ."
    chain = "_:H a :C0 ; :p0 _:n1 ." + "".join(f"_:n{n} :p0 _:n{n + 1} ." for n in range(1, 40))
    ready = validator(shapes)
    assert not ready.validate(event(chain)).conforms
    assert ready.validate(event(chain + "_:n40 :p1 1 .")).conforms


def test_too_deep_a_nesting_is_one_clear_error() -> None:
    shapes = ":S0 sh:targetClass :C0 ." + "".join(
        f":S{n} a sh:NodeShape ; sh:property [ sh:path :p0 ; sh:node :S{n + 1} ] ." for n in range(300)
    )
    shapes += ":S300 a sh:NodeShape ."
    chain = "_:H a :C0 ; :p0 _:n1 ." + "".join(f"_:n{n} :p0 _:n{n + 1} ." for n in range(1, 300))
    with pytest.raises(EventError, match=r"^e: .*nested .*deep") as caught:
        validator(shapes).validate(event(chain))
    assert "\n" not in str(caught.value)


def test_shapes_that_refer_to_themselves_make_no_noise() -> None:
    # Warnings are errors in these tests.
    shapes = ":S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; sh:node :S ] ."
    assert validator(shapes).validate(event("_:H a :C0 ; :p0 _:a . _:a :p0 _:H .")).conforms


def test_ill_typed_literals_are_judged_and_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    shapes = ":S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; sh:datatype xsd:integer ] ."
    with caplog.at_level(logging.DEBUG, "rdflib"):
        report = validator(shapes).validate(event('_:H a :C0 ; :p0 "many"^^xsd:integer .'))
        assert len(report.graph) > 0
    assert [each.constraint for each in report.violations] == ["DatatypeConstraintComponent"]
    assert caplog.records == []


# shared and unchanged


def test_a_validator_is_not_changed_by_its_events(auction: EventValidator, project: Path) -> None:
    before = set(auction._shapes.graph), len(stringify_blank_node.dict_cache)
    for each in events_from(project / "examples" / "events"):
        triples = each.triples
        assert auction.validate(each).graph is not None
        assert each.triples == triples
    assert (set(auction._shapes.graph), len(stringify_blank_node.dict_cache)) == before


def test_threads_may_share_a_validator() -> None:
    rng = random.Random(5)
    ontology = cases.turtle_graph(cases.random_hierarchy(rng))
    shapes = cases.turtle_graph("".join(cases.random_shapes(rng).replace(":S", f":S{n}x") for n in range(3)))
    ready = EventValidator(shapes, Ontology.load(ontology))
    found = [cases.random_event(rng) for _ in range(60)]
    other = EventValidator(shapes, Ontology.load(ontology))
    alone = [other.validate(each).violations for each in found]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda each: ready.validate(each).violations, found))
    assert together == alone
    assert any(alone)


# check


def test_check_lets_a_valid_event_through_and_refuses_another(project: Path) -> None:
    ready = EventValidator([project / "shapes"], Ontology.load(project / "ontology"))
    notebook = Event.load(project / "examples" / "events" / "notebook.ttl")
    assert ready.check(notebook) is notebook  # nothing to derive: nobody graduated
    with pytest.raises(ValidationError) as caught:
        ready.check(Event.load(project / "examples" / "events" / "refused.ttl"))
    assert len(caught.value.report.violations) == 4
    said = str(caught.value)
    source = project / "examples" / "events" / "refused.ttl"
    assert said.startswith(f"{source}: is not valid: the event (Selling) seller: ")
    assert said.endswith("; 1 more")
    assert "\n" not in said
