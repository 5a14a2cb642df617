"""Random shapes, hierarchies and events over a small vocabulary, and pyshacl's own answer to them."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from typing import Any

import pyshacl
import rdflib
from rdflib.namespace import SH

from semantic_pubsub.events import Event, ValidationReport
from semantic_pubsub.events.graphs import without_literal_warnings

PREFIXES = """
@prefix : <http://t.example/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
RESULT = (
    SH.focusNode,
    SH.resultPath,
    SH.value,
    SH.sourceConstraintComponent,
    SH.resultSeverity,
    SH.sourceShape,
    SH.sourceConstraint,
)
CLASSES = [f":C{n}" for n in range(7)]
PROPERTIES = [f":p{n}" for n in range(4)]
NAMES = [":x", ":y", ":z"]
LITERALS = ["1", "2", "3.5", '"one"', '"two"@en', '"zwei"@de', '"2024-01-01"^^xsd:date', '"bad"^^xsd:integer', "true"]
PATHS = [
    *PROPERTIES,
    "[ sh:alternativePath ( :p0 :p1 ) ]",
    "[ sh:inversePath :p2 ]",
    "( :p0 :p1 )",
    "[ sh:zeroOrMorePath :p2 ]",
    "[ sh:oneOrMorePath :p2 ]",
    "[ sh:zeroOrOnePath :p3 ]",
]
QUERY = '[ sh:select "SELECT $this ?value WHERE { $this <http://t.example/p0> ?value . FILTER (isLiteral(?value)) }" ]'
CLIMB = (
    '[ sh:message "no {?value}" ; sh:select "SELECT $this ?value WHERE { $this a ?value . '
    '?value <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://t.example/C0> }" ]'
)


def turtle_graph(text: str) -> rdflib.Graph:
    """A graph of our prefixes and the text."""
    with without_literal_warnings():
        return rdflib.Graph().parse(data=PREFIXES + text, format="turtle")


def plain(event: Event, shapes: rdflib.Graph, ontology: rdflib.Graph | None = None, **options: Any) -> Any:
    """What pyshacl says when it is called the plain way: (conforms, results, report graph)."""
    with warnings.catch_warnings(), without_literal_warnings():
        warnings.simplefilter("ignore")
        conforms, graph, _ = pyshacl.validate(
            _copy(event.graph),
            shacl_graph=_copy(shapes),
            ont_graph=ontology,
            advanced=True,
            max_validation_depth=200,
            **options,
        )
    assert isinstance(graph, rdflib.Graph)
    return conforms, results(graph), graph


def results(graph: rdflib.Graph) -> Counter[tuple[Any, ...]]:
    """The results of a report graph, as something to compare; nested ones count, too."""
    return Counter(
        tuple(graph.value(result, predicate) for predicate in RESULT)
        for result in graph.subjects(rdflib.RDF.type, SH.ValidationResult)
    )


def ours(report: ValidationReport) -> tuple[bool, Counter[tuple[Any, ...]]]:
    """A report of ours in the form of `plain`."""
    return report.conforms, results(report.graph)


def _copy(graph: rdflib.Graph) -> rdflib.Graph:
    copied = rdflib.Graph()
    for statement in graph:
        copied.add(statement)
    return copied


def random_hierarchy(rng: random.Random, cycles: bool = True) -> str:
    """Classes below classes, several parents and now and then a cycle."""
    lines = [f"{name} a owl:Class ." for name in CLASSES]
    for _ in range(rng.randint(0, 8)):
        lower, upper = sorted(rng.sample(range(len(CLASSES)), 2), reverse=rng.random() < 0.9 or not cycles)
        lines.append(f":C{lower} rdfs:subClassOf :C{upper} .")
    return "\n".join(lines)


def random_shapes(rng: random.Random) -> str:
    """One to five shapes with targets of every kind."""
    return "\n".join(_shape(rng, f":S{n}") for n in range(rng.randint(1, 5)))


def random_event(rng: random.Random) -> Event:
    """A connected event of up to 25 triples, home first."""
    nodes = ["_:H", "_:a", "_:b", "_:c", *NAMES]
    lines = [f"_:H :p0 {rng.choice(nodes[1:] + LITERALS)} ."]
    for _ in range(rng.randint(3, 25)):
        subject = rng.choice(nodes)
        if rng.random() < 0.35:
            lines.append(f"{subject} a {rng.choice(CLASSES)} .")
        else:
            lines.append(f"{subject} {rng.choice(PROPERTIES)} {rng.choice(nodes + LITERALS)} .")
    if rng.random() < 0.1:
        lines.append(f"{rng.choice(CLASSES)} rdfs:subClassOf {rng.choice(CLASSES)} .")
    return Event.parse(PREFIXES + "\n".join(lines), home="_:H")


def _shape(rng: random.Random, name: str) -> str:
    parts = [f"{name} a sh:NodeShape"]
    targets = [
        f"sh:targetClass {rng.choice(CLASSES)}",
        f"sh:targetSubjectsOf {rng.choice(PROPERTIES)}",
        f"sh:targetObjectsOf {rng.choice(PROPERTIES)}",
        f"sh:targetNode {rng.choice(NAMES)}",
        'sh:target [ a sh:SPARQLTarget ; sh:select "SELECT ?this WHERE { ?this <http://t.example/p1> ?o }" ]',
    ]
    parts += rng.sample(targets, k=rng.choice([1, 1, 1, 2]))
    parts += rng.sample(_node_constraints(rng), rng.randint(0, 2))
    parts += [f"sh:property {_property(rng)}" for _ in range(rng.randint(0, 3))]
    parts += rng.choice([[], [], [], ["sh:deactivated true"], ["sh:severity sh:Warning"], ['sh:message "no"@en']])
    return " ;\n  ".join(parts) + " ."


def _node_constraints(rng: random.Random) -> list[str]:
    return [
        f"sh:class {rng.choice(CLASSES)}",
        f"sh:nodeKind sh:{rng.choice(['IRI', 'BlankNodeOrIRI', 'Literal'])}",
        f"sh:not [ sh:class {rng.choice(CLASSES)} ]",
        f"sh:or ( [ sh:class {rng.choice(CLASSES)} ] [ sh:property {_property(rng)} ] )",
        f"sh:and ( [ sh:nodeKind sh:BlankNode ] [ sh:class {rng.choice(CLASSES)} ] )",
        f"sh:xone ( [ sh:class {rng.choice(CLASSES)} ] [ sh:class {rng.choice(CLASSES)} ] )",
        "sh:closed true ; sh:ignoredProperties ( rdf:type :p1 )",
        f"sh:sparql {rng.choice([QUERY, CLIMB])}",
        "sh:node :S0",
    ]


def _property(rng: random.Random) -> str:
    constraints = [
        f"sh:minCount {rng.randint(0, 2)}",
        f"sh:maxCount {rng.randint(0, 2)}",
        f"sh:class {rng.choice(CLASSES)}",
        "sh:datatype xsd:integer",
        "sh:nodeKind sh:Literal",
        f"sh:in ( {' '.join(rng.sample(NAMES + LITERALS, 4))} )",
        f"sh:hasValue {rng.choice(NAMES + LITERALS)}",
        'sh:pattern "^[a-z]+$"',
        "sh:minInclusive 2",
        "sh:maxExclusive 3",
        "sh:minLength 3",
        "sh:maxLength 3",
        'sh:languageIn ( "en" )',
        "sh:uniqueLang true",
        f"sh:equals {rng.choice(PROPERTIES)}",
        f"sh:disjoint {rng.choice(PROPERTIES)}",
        "sh:node :S0",
        "sh:or ( [ sh:datatype xsd:integer ] [ sh:datatype xsd:decimal ] )",
        f"sh:qualifiedValueShape [ sh:class {rng.choice(CLASSES)} ] ; sh:qualifiedMinCount 1",
        "sh:severity sh:Info",
    ]
    return f"[ sh:path {rng.choice(PATHS)} ; {' ; '.join(rng.sample(constraints, rng.randint(1, 3)))} ]"
