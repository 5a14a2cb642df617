"""A matcher with subscriptions of every kind, for the tests of saving and loading."""

from __future__ import annotations

from rdflib import Graph as RdfGraph

from semantic_pubsub import Ontology, OpsMatcher, Subscription

EX = "http://example.org/"
ONTOLOGY = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Computer a owl:Class . :Notebook a owl:Class ; rdfs:subClassOf :Computer .
:Maker a owl:Class .
:part a owl:ObjectProperty . :disk a owl:ObjectProperty ; rdfs:subPropertyOf :part .
:madeBy a owl:ObjectProperty ; rdfs:domain :Computer ; rdfs:range :Maker .
:price a owl:DatatypeProperty . :name a owl:DatatypeProperty . :target a owl:ObjectProperty .
"""
TEXTS = {
    "class": "SELECT * WHERE { _:H :target ?c . ?c a :Computer }",
    "ask": "ASK { _:H :target [ :madeBy [ a :Maker ] ] }",
    "band": "SELECT ?c WHERE { _:H :target ?c ; :price ?p . FILTER(?p > 10.50 && ?p <= 2e3) }",
    "text": 'SELECT ?n WHERE { _:H :target [ :name ?n ] . FILTER(CONTAINS(?n, "ö✓") && regex(?n, "x|y", "i")) }',
    "clash": "SELECT ?v0 WHERE { _:H :price ?v0 . FILTER(?v0 + 1 > 3 || !BOUND(?v1)) }",
    "joint": "SELECT * WHERE { _:H :target ?a ; :part ?b . FILTER(!sameTerm(?a, ?b)) FILTER(?a != ?b || ?a = ?v0) }",
    "literal": 'ASK { _:H :target [ :name "a\\"\\n\\\\b"@en-GB ; :price "007"^^<http://example.org/t> ] }',
    "constant": "ASK { _:H :target <http://example.org/Computer> . }",
    "union": "SELECT * WHERE { { _:H :price ?p } UNION { _:H :part ?q . ?q :part ?q } UNION { _:H :name ?p } }",
    "never": "ASK { _:H :price ?p . FILTER(1 > 2) }",
    "doubtful": "ASK { _:H :target [ a <http://example.org/Unknown> ] }",
    "ids may hold \n anything \ud800 at all": "ASK { _:H :disk _:x . _:x :part _:H }",
}
EVENT = """
@prefix : <http://example.org/> .
_:H :target _:n ; :price 12 ; :disk _:d . _:n a :Notebook ; :madeBy _:m ; :name "X ö✓" . _:d :disk _:d .
"""
STATEMENTS = "(_:H, ?c, (*, target, Computer))\n(_:H, ?p, (*, price, *), ?p < 100)\n"


def turtle(text: str) -> Ontology:
    return Ontology.load(RdfGraph().parse(data=text, format="turtle"))


def varied(ontology: Ontology) -> OpsMatcher:
    """All of `TEXTS`, half of them injective, and a place that was used and is free."""
    made = OpsMatcher(ontology)
    for name, text in TEXTS.items():
        made.add(Subscription.parse(text, id=name, prefixes={"": EX}, injective=len(name) % 2 == 0))
    made.add(Subscription.parse(STATEMENTS, id="statements", syntax="statements"))
    made.add(Subscription.parse(TEXTS["band"], id="removed", prefixes={"": EX}))
    made.remove("removed")
    return made
