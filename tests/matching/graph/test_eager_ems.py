"""The EMS array filled in advance, as in the paper, against items made on demand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from rdflib import OWL, RDF, RDFS, Graph, URIRef

from semantic_pubsub import Event, Ontology, OntologyError, OpsMatcher
from semantic_pubsub.matching.graph.eager_ems import eager_array, eager_size
from tests.generators import World, worlds

EX = "http://example.org/"


def concept_trees(height: int) -> Ontology:
    """The CTPS paper's setting: class and property trees of width 2, one meta-statement between the roots."""
    graph = Graph()
    for kind, above, sort in (("C", RDFS.subClassOf, OWL.Class), ("p", RDFS.subPropertyOf, OWL.ObjectProperty)):
        size = 2 ** (height + 1)
        for number in range(1, size):
            graph.add((URIRef(f"{EX}{kind}{number}"), RDF.type, sort))
            if number > 1:
                graph.add((URIRef(f"{EX}{kind}{number}"), above, URIRef(f"{EX}{kind}{number // 2}")))
    graph.add((URIRef(EX + "p1"), RDFS.domain, URIRef(EX + "C1")))
    graph.add((URIRef(EX + "p1"), RDFS.range, URIRef(EX + "C1")))
    return Ontology.load(graph)


def on_demand(ontology: Ontology, height: int, subscriptions: int = 1000) -> int:
    """The items after so many subscriptions of six arcs, and an event that shows the deepest names."""
    matcher = OpsMatcher(ontology)
    names = 2 ** (height + 1) - 1
    step = 0
    for _ in range(subscriptions):
        arcs = []
        for arc in range(6):
            step += 1
            arcs.append(f"_:H <{EX}p{step * 7 % names + 1}> ?v{arc} . ?v{arc} a <{EX}C{step * 13 % names + 1}> .")
        matcher.add(f"ASK {{ _:H a <{EX}C{step % names + 1}> . {' '.join(arcs)} }}")
    event = "\n".join(f"_:H <{EX}p{names - n}> [ a <{EX}C{names - n}> ] ." for n in range(min(names, 6)))
    matcher.match_ids(Event.parse(event))
    return int(matcher.stats()["EMS items"])


@pytest.mark.parametrize("height", range(1, 7))
def test_the_eager_array_grows_with_the_cube(height: int) -> None:
    ontology = concept_trees(height)
    names = 2 ** (height + 1) - 1
    ways_up = sum((depth + 1) * 2**depth for depth in range(height + 1))
    size = eager_size(ontology)
    assert size.items == names**3
    assert size.ancestors == ways_up**3 - names**3


@pytest.mark.parametrize("height", [1, 3, 5])
def test_items_on_demand_grow_with_what_is_used(height: int) -> None:
    """At most one item for each requirement that a subscription has, however deep the hierarchies are."""
    assert on_demand(concept_trees(height), height, subscriptions=100) <= 100 * 13


def test_what_is_counted_is_what_is_built(project: Path) -> None:
    ontology = Ontology.load(project / "ontology" / "auction.ttl")
    array, size = eager_array(ontology), eager_size(ontology)
    assert len(array.items) == size.items
    assert sum(map(len, array.ancestors)) == size.ancestors
    assert list(array.items) == sorted(set(array.items))
    a = "http://example.org/auction#"
    item = array.find((a + "Selling", a + "target", a + "DesktopPC"))
    above = {array.items[number] for number in array.ancestors[item]}
    assert (a + "Trade", a + "target", a + "Product") in above
    assert array.items[item] not in above
    with pytest.raises(KeyError):
        array.find((a + "Book", a + "seller", a + "Book"))


def test_an_array_that_is_too_large_is_refused() -> None:
    with pytest.raises(OntologyError, match="250,047 items, more than 1,000"):
        eager_array(concept_trees(5), limit=1_000)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds())
def test_the_array_is_the_definition(world: World) -> None:
    """(C, p, D) is there iff it is below a stated one, and its ancestors are all those there that are above it."""
    ontology = Ontology.load(Graph().parse(data=world.text(), format="nt"))
    array = eager_array(ontology)
    assert eager_size(ontology) == (len(array.items), sum(map(len, array.ancestors)))
    for number, (c, p, d) in list(enumerate(array.items))[:40]:
        assert ontology.admits(c, p, d)
        subjects, properties = ontology.superclasses(c), ontology.superproperties(p)
        values = ontology.superdatatypes(d) if d in ontology.datatypes else ontology.superclasses(d)
        expected = {
            at
            for at, (c2, p2, d2) in enumerate(array.items)
            if at != number and c2 in subjects and p2 in properties and d2 in values
        }
        assert set(array.ancestors[number]) == expected
