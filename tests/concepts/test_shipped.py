"""The example ontologies say what the papers' figures show."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDFS, Graph, URIRef

from semantic_pubsub import MetaStatement, Ontology
from semantic_pubsub.shipped import shipped


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


@pytest.fixture(scope="module")
def sensors(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "sensors.ttl")


# Wang, Jin, Li, figure 2(a); Zhang et al., figure 1(a)
@pytest.mark.parametrize(
    "edge",
    [
        "Computer Product",
        "DigitalProduct Product",
        "Book Product",
        "DesktopPC Computer",
        "NotebookPC Computer",
        "EBook DigitalProduct",
        "EBook Book",
        "MP3 DigitalProduct",
        # figure 2(b); figure 1(b)
        "telephoneNumber contactInformation",
        "postalAddress contactInformation",
        "email contactInformation",
        "homePhoneNumber telephoneNumber",
        "cellPhoneNumber telephoneNumber",
    ],
)
def test_the_trees_of_the_figures(auction: Ontology, edge: str) -> None:
    lower, upper = edge.split()
    assert auction.expand(upper) in {str(parent) for parent in auction.parents(lower)}


# Wang, Jin, Li, section 3.2
@pytest.mark.parametrize(
    "statement",
    [
        "Selling seller Customer",
        "Selling target Product",
        "Product manufacture Company",
        "Customer name xsd:string",
        # sections 3.1 and 4, figures 1 and 3: what the event and the subscription use
        "Selling target Computer",
        "Selling price MoneyValue",
        "MoneyValue currency units:Currency",
        "MoneyValue rdf:value xsd:decimal",
        "Customer cellPhoneNumber xsd:string",
        "Computer hardDisk HardDisk",
        "HardDisk manufacture Company",
        "HardDisk size SizeValue",
        "SizeValue rdf:value xsd:decimal",
        "SizeValue units units:DataSizeUnit",
        "Company name xsd:string",
    ],
)
def test_the_meta_statements_of_the_papers(auction: Ontology, statement: str) -> None:
    subject, prop, value = statement.split()
    assert auction.admits(subject, prop, value)


@pytest.mark.parametrize(
    "statement", ["Product seller Customer", "Selling target Customer", "Customer rdf:value xsd:decimal"]
)
def test_what_the_auction_does_not_admit(auction: Ontology, statement: str) -> None:
    subject, prop, value = statement.split()
    assert not auction.admits(subject, prop, value)


def test_independent_concepts_have_no_hierarchy(auction: Ontology) -> None:
    assert auction.descendants("MoneyValue") == frozenset()
    assert {str(name) for name in auction.parents("MoneyValue")} == {auction.expand("owl:Thing")}


def test_one_thing_has_several_names(auction: Ontology) -> None:
    """Zhang et al., section 4: "Desktop PC" and its Chinese word mean the same."""
    assert "台式机" in auction.synonyms("DesktopPC")
    assert "laptop PC" in auction.synonyms("NotebookPC")


def test_units_are_individuals(auction: Ontology) -> None:
    for name in ("units:dollar", "units:G"):
        assert auction.knows(auction.expand(name))
        assert auction.expand(name) in {str(unit) for unit in auction.individuals}


def test_sensors(sensors: Ontology) -> None:
    assert sensors.is_a("SmokeAlarm", "sosa:Observation")
    assert sensors.is_a("Thermohygrometer", "Hygrometer")
    assert sensors.is_a("sosa:madeBySensor", "madeBy")
    assert sensors.admits("FireAlarm", "sosa:madeBySensor", "SmokeDetector")
    assert sensors.admits("sosa:Observation", "sosa:hasFeatureOfInterest", "ServerRoom")
    assert sensors.disjoint(sensors.expand("AirTemperature"), sensors.expand("Humidity"))
    quantity, unit = sensors.expand("QuantityValue"), sensors.expand("Unit")
    unit_of = MetaStatement(*map(URIRef, (quantity, sensors.expand("unit"), unit)))
    assert unit_of in sensors.meta_statements


@pytest.mark.parametrize("name", ["auction", "sensors"])
def test_every_concept_has_a_label(project: Path, name: str) -> None:
    path = project / "ontology" / f"{name}.ttl"
    ontology, graph = Ontology.load(path), Graph().parse(path)
    own = [iri for h in (ontology.classes, ontology.properties) for iri in h if "example.org" in iri]
    assert len(own) > 30
    assert [iri for iri in own if (iri, RDFS.label, None) not in graph] == []


def test_what_is_shipped_is_found(project: Path) -> None:
    assert shipped("ontology/auction.ttl").samefile(project / "ontology" / "auction.ttl")
    with pytest.raises(FileNotFoundError, match="no/such is not part of this installation"):
        shipped("no/such")
