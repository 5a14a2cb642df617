"""What HermiT adds, and what is said when it cannot."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import URIRef

from semantic_pubsub import Ontology, OntologyError
from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.concepts.reasoner import run_hermit

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")
PIZZA = "https://raw.githubusercontent.com/owlcs/pizza-ontology/refs/heads/master/pizza.owl#"
Turtle = Callable[..., Ontology]


@needs_java
def test_pizza(test_data: Path) -> None:
    path = test_data / "ontologies" / "pizza.owl"
    stated, reasoned = Ontology.load(path), Ontology.load(path, reasoner="hermit")
    assert len(reasoned.asserted) == 305
    assert len(reasoned.inferred) == 195
    assert not reasoned.asserted & reasoned.inferred
    assert reasoned.unsatisfiable == {URIRef(PIZZA + "IceCream"), URIRef(PIZZA + "CheeseyVegetableTopping")}
    assert not stated.is_a("Margherita", "VegetarianPizza")
    assert reasoned.is_a("Margherita", "VegetarianPizza")
    assert (URIRef(PIZZA + "Margherita"), URIRef(PIZZA + "VegetarianPizza")) in reasoned.inferred
    # What cannot exist keeps the place that was stated.
    assert reasoned.is_a("IceCream", "Food")
    assert not reasoned.is_a("IceCream", "Pizza")
    assert stated.inferred == frozenset()
    assert stated.unsatisfiable == frozenset()


@needs_java
def test_univ_bench(test_data: Path) -> None:
    ontology = Ontology.load(test_data / "ontologies" / "univ-bench.owl", reasoner="hermit")
    assert len(ontology.asserted) == 55
    assert len(ontology.inferred) == 21
    assert ontology.is_a("Chair", "Professor")


@needs_java
def test_an_inconsistent_ontology(test_data: Path) -> None:
    path = test_data / "ontologies" / "univ-bench-inconsistent-copy.owl"
    with pytest.raises(
        OntologyError, match=r"univ-bench-inconsistent-copy\.owl: is inconsistent: .*without a reasoner"
    ):
        Ontology.load(path, reasoner="hermit")
    assert len(Ontology.load(path).classes) == 43


@needs_java
@pytest.mark.parametrize("name", ["activitystreams2.ttl", "foaf.ttl", "prov.ttl", "sosa-ssn-2023.nt", "time.ttl"])
def test_real_ontologies(test_data: Path, name: str) -> None:
    path = test_data / "ontologies" / name
    stated, reasoned = Ontology.load(path), Ontology.load(path, reasoner="hermit")
    assert set(stated.classes.subsumptions()) <= set(reasoned.classes.subsumptions())
    assert set(stated.properties.subsumptions()) <= set(reasoned.properties.subsumptions())
    written = path.read_text(encoding="utf-8")
    for before, after in ((stated.classes, reasoned.classes), (stated.properties, reasoned.properties)):
        assert all(local_name(str(name)) in written for name in set(after) - set(before))


@needs_java
@pytest.mark.parametrize("name", ["auction.ttl", "sensors.ttl"])
def test_the_example_ontologies_hold_together(project: Path, name: str) -> None:
    ontology = Ontology.load(project / "ontology" / name, reasoner="hermit")
    assert ontology.unsatisfiable == frozenset()
    assert ontology.inferred == frozenset()
    assert ontology.warnings == ()


@needs_java
def test_definitions_make_an_order(turtle: Turtle) -> None:
    text = """
        :p a owl:ObjectProperty . :q a owl:ObjectProperty ; owl:inverseOf :i . :p owl:inverseOf :j .
        :i a owl:ObjectProperty ; rdfs:subPropertyOf :j . :j a owl:ObjectProperty .
        :A a owl:Class . :B a owl:Class . :D a owl:Class ; rdfs:subClassOf :A, :B .
        :C a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :A :B ) ] .
        :E a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :B :A ) ] .
    """
    reasoned = turtle(text, reasoner="hermit")
    assert reasoned.is_a("C", "A")
    assert reasoned.is_a("D", "C")
    assert reasoned.is_a("C", "E")
    assert reasoned.is_a("E", "C")
    assert reasoned.is_a("q", "p")
    assert not turtle(text).is_a("C", "A")


@needs_java
def test_what_equals_the_top_is_above_every_class(turtle: Turtle) -> None:
    ontology = turtle(
        ":A a owl:Class . :B a owl:Class ."
        ":All a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:unionOf ( :A :NotA ) ] ."
        ":NotA a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:complementOf :A ] .",
        reasoner="hermit",
    )
    assert ontology.is_a("B", "All")
    assert ontology.is_a("owl:Thing", "All")


@needs_java
def test_properties_that_nothing_can_have_are_named_and_stay_apart(turtle: Turtle) -> None:
    text = ":A a owl:Class ; owl:disjointWith :B . :B a owl:Class ." + "".join(
        f":{name} a owl:ObjectProperty ; rdfs:domain :A, :B ." for name in "pqrstu"
    )
    ontology = turtle(text, reasoner="hermit")
    assert not ontology.is_a("p", "q")
    (warning,) = ontology.warnings
    assert "<http://example.org/p>" in str(warning)
    assert str(warning).endswith("and 1 more")


@needs_java
def test_blank_properties_do_not_become_names(turtle: Turtle) -> None:
    ontology = turtle(
        ":p a owl:ObjectProperty . :q a owl:ObjectProperty . :r a owl:ObjectProperty ; rdfs:subPropertyOf _:b ."
        "_:b a owl:ObjectProperty ; rdfs:subPropertyOf :q .",
        reasoner="hermit",
    )
    assert sorted(ontology.expand(str(name)) for name in ontology.properties) == [
        f"http://example.org/{n}" for n in "pqr"
    ]
    assert ontology.is_a("r", "q")


@needs_java
def test_imports_are_not_fetched(turtle: Turtle) -> None:
    text = "<http://example.org/o> a owl:Ontology ; owl:imports <http://127.0.0.1:9/never> . :A a owl:Class ."
    ontology = turtle(text, reasoner="hermit")
    assert "imports <http://127.0.0.1:9/never>" in str(ontology.warnings[0])


@needs_java
def test_a_time_limit(turtle: Turtle) -> None:
    with pytest.raises(
        OntologyError, match=r"small\.ttl: the reasoner was stopped after 0\.01 seconds \(raise reasoner_"
    ):
        turtle(":A a owl:Class .", reasoner="hermit", reasoner_timeout=0.01)


def test_without_java(turtle: Turtle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OntologyError, match=r"needs Java, and there is no java command \(install Java 17 or later"):
        turtle(":A a owl:Class .", reasoner="hermit")
    assert turtle(":A a owl:Class .").is_a("A", "owl:Thing")


def fake_java(folder: Path, script: str) -> None:
    java = folder / "java"
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'Exception in thread \"main\" some.Problem: odd' >&2; exit 1", "the reasoner failed: some.Problem: odd"),
        ("echo 'java.lang.OutOfMemoryError: heap' >&2; exit 1", "the reasoner ran out of memory"),
        ("exit 3", "the reasoner failed: it ended with code 3"),
    ],
)
def test_a_reasoner_that_fails(
    turtle: Turtle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, message: str
) -> None:
    fake_java(tmp_path, script)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OntologyError, match=message) as caught:
        turtle(":A a owl:Class .", reasoner="hermit")
    assert "\n" not in str(caught.value)
    assert "load it without a reasoner" in str(caught.value)


def test_a_java_that_cannot_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "java").write_bytes(b"\x00broken")
    (tmp_path / "java").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OntologyError, match="the reasoner could not be started"):
        run_hermit([], 10)


def test_without_owlready2(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path, "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(
        OntologyError, match=r"HermiT is not installed \(install the extra: pip install 'semantic-pubsub"
    ):
        run_hermit([], 10)
