"""Ontologies that nobody here wrote, counted a second time with SPARQL and networkx and no code of the product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import pytest
from pyoxigraph import NamedNode, RdfFormat, Store

from semantic_pubsub import Ontology

FILES = [
    "Brick-1.5.ttl",
    "activitystreams-context.jsonld",
    "activitystreams2.ttl",
    "dbpedia.ttl",
    "foaf.ttl",
    "goodrelations.ttl",
    "hp.nt",
    "pizza.owl",
    "prov.ttl",
    "qudt-schema.ttl",
    "qudt-units.ttl",
    "saref3.ttl",
    "schemaorg-current-http.ttl",
    "sosa-ssn-2023.nt",
    "time.ttl",
    "univ-bench-inconsistent-copy.owl",
    "univ-bench.owl",
]
SYNTAX = {".ttl": RdfFormat.TURTLE, ".nt": RdfFormat.N_TRIPLES, ".owl": RdfFormat.RDF_XML, ".jsonld": RdfFormat.JSON_LD}
PREFIXES = """
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX sh: <http://www.w3.org/ns/shacl#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX s: <http://schema.org/>
"""
CLASSES = """SELECT DISTINCT ?c {
  { VALUES ?kind { owl:Class rdfs:Class } ?c a ?kind } UNION
  { ?c rdfs:subClassOf|owl:equivalentClass ?x } UNION { ?x rdfs:subClassOf|owl:equivalentClass ?c } UNION
  { ?p rdfs:domain|rdfs:range ?c }
  FILTER isIRI(?c) }"""
PROPERTIES = """SELECT DISTINCT ?p {
  { VALUES ?kind { rdf:Property owl:ObjectProperty owl:DatatypeProperty owl:AnnotationProperty owl:OntologyProperty
      owl:FunctionalProperty owl:InverseFunctionalProperty owl:TransitiveProperty owl:SymmetricProperty
      owl:AsymmetricProperty owl:ReflexiveProperty owl:IrreflexiveProperty owl:DeprecatedProperty } ?p a ?kind } UNION
  { ?p rdfs:subPropertyOf|owl:equivalentProperty ?x } UNION { ?x rdfs:subPropertyOf|owl:equivalentProperty ?p } UNION
  { ?p rdfs:domain|rdfs:range|s:domainIncludes|s:rangeIncludes ?x } UNION { ?x owl:onProperty|sh:path ?p }
  FILTER isIRI(?p) }"""
DATATYPES = """SELECT DISTINCT ?d {
  { ?d a rdfs:Datatype } UNION { ?x sh:datatype ?d } UNION { ?p a owl:DatatypeProperty ; rdfs:range ?d }
  FILTER NOT EXISTS { ?d a owl:Class } FILTER NOT EXISTS { ?d a rdfs:Class } FILTER isIRI(?d) }"""
CLASS_ORDER = "SELECT DISTINCT ?a ?b { ?a rdfs:subClassOf|owl:equivalentClass|^owl:equivalentClass ?b }"
PROPERTY_ORDER = "SELECT DISTINCT ?a ?b { ?a rdfs:subPropertyOf|owl:equivalentProperty|^owl:equivalentProperty ?b }"
TOPS = {"http://www.w3.org/2002/07/owl#Thing", "http://www.w3.org/2000/01/rdf-schema#Resource"}
LITERALS = (
    "http://www.w3.org/2001/XMLSchema#",
    "http://www.w3.org/2000/01/rdf-schema#Literal",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral",
)

Pairs = set[tuple[str, str]]


@dataclass
class Counted:
    """What SPARQL finds in a file."""

    triples: int
    classes: set[str]
    properties: set[str]
    class_pairs: Pairs
    property_pairs: Pairs


def rows(store: Store, query: str) -> Iterator[tuple[str, ...]]:
    """The rows of a query that hold IRIs only."""
    for row in store.query(PREFIXES + query):
        if all(isinstance(term, NamedNode) for term in row):
            yield tuple(term.value for term in row)


def closed(edges: set[tuple[str, str]]) -> Pairs:
    graph: nx.DiGraph[str] = nx.DiGraph(edges)
    return {(lower, upper) for lower in graph for upper in nx.descendants(graph, lower) if lower != upper}


def count(path: Path) -> Counted:
    store = Store()
    store.load(path=str(path), format=SYNTAX[path.suffix], base_iri=path.as_uri())
    order = {(a, b) for a, b in rows(store, CLASS_ORDER)}
    graph: nx.DiGraph[str] = nx.DiGraph(order)
    data = {name for (name,) in rows(store, DATATYPES)} - TOPS
    data |= {name for name in graph if name.startswith(LITERALS)}
    data |= {lower for name in data & set(graph) for lower in nx.ancestors(graph, name)}
    left_out = data | TOPS
    classes = {name for (name,) in rows(store, CLASSES) if not name.startswith(LITERALS)} - left_out
    pairs = closed({(a, b) for a, b in order if a not in left_out and b not in left_out})
    properties = {name for (name,) in rows(store, PROPERTIES)}
    return Counted(len(store), classes, properties, pairs, closed(set(rows(store, PROPERTY_ORDER))))  # type: ignore[arg-type]


def test_every_file_is_counted(test_data: Path) -> None:
    assert sorted(path.name for path in (test_data / "ontologies").iterdir()) == sorted(FILES)


@pytest.mark.parametrize("name", FILES)
def test_counts_agree(test_data: Path, name: str) -> None:
    path = test_data / "ontologies" / name
    ontology, counted = Ontology.load(path), count(path)
    assert ontology.triples == counted.triples
    assert set(map(str, ontology.classes)) == counted.classes
    assert set(map(str, ontology.properties)) == counted.properties
    assert set(ontology.classes.subsumptions()) == counted.class_pairs
    assert ontology.classes.pairs == len(counted.class_pairs)
    assert set(ontology.properties.subsumptions()) == counted.property_pairs
    assert ontology.properties.pairs == len(counted.property_pairs)


def test_a_large_ontology(test_data: Path) -> None:
    ontology = Ontology.load(test_data / "ontologies" / "hp.nt")
    assert len(ontology.classes) == 19_034
    assert sum(len(ontology.parents(name)) > 1 for name in ontology.classes) == 3_627
    assert max(ontology.depth(name) for name in ontology.classes) == 16


def test_all_of_them_together(test_data: Path) -> None:
    """Imports among them are resolved; blank nodes and equal names do not get in each other's way."""
    ontology = Ontology.load(test_data / "ontologies")
    assert len(ontology.sources) == len(FILES)
    assert ontology.is_a("http://schema.org/Hotel", "http://schema.org/Organization")
    assert ontology.is_a("http://dbpedia.org/ontology/Hotel", "http://dbpedia.org/ontology/Place")
    missing = " ".join(map(str, ontology.warnings))
    assert "imports <http://www.w3.org/2006/time>" not in missing
    assert "imports <http://data.ashrae.org/bacnet>" in missing


def test_schema_org_both_ways_to_write_it(test_data: Path) -> None:
    ontology = Ontology.load(test_data / "ontologies" / "schemaorg-current-http.ttl")
    assert ontology.admits("schema:Hotel", "schema:priceRange", "schema:Text")
    assert ontology.compatible("schema:Hotel", "schema:priceRange", "xsd:string")
    assert not ontology.compatible("schema:Hotel", "schema:priceRange", "schema:Person")
    with pytest.raises(Exception, match="did you mean Hotel"):
        ontology.expand("Hotell")


@pytest.mark.parametrize(
    "name", [name for name in FILES if name not in {"hp.nt", "qudt-units.ttl", "activitystreams-context.jsonld"}]
)
def test_every_ontology_gives_meta_statements(test_data: Path, name: str) -> None:
    ontology = Ontology.load(test_data / "ontologies" / name)
    statements, properties = ontology.meta_statements, set(ontology.properties)
    assert len(statements) >= 30
    assert all(s.property in properties for s in statements)
    assert all(ontology.admits(*statement) for statement in statements[:200])
