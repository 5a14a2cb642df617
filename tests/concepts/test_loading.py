"""Files, folders and graphs in every syntax; imports and prefixes. Nothing is ever fetched."""

from __future__ import annotations

import gzip
import socket
from pathlib import Path

import pytest
import rdflib
from rdflib import OWL, RDF, RDFS

from semantic_pubsub import Ontology, OntologyError

EX = rdflib.Namespace("http://example.org/")
TURTLE = """\
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:B rdfs:subClassOf ex:A .
ex:p a owl:ObjectProperty ; rdfs:domain [ a owl:Class ; owl:unionOf ( ex:A ex:C ) ] ; rdfs:range ex:B .
"""


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may connect anywhere."""

    def refuse(*_args: object) -> None:
        pytest.fail("something was fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def graph() -> rdflib.Graph:
    return rdflib.Graph().parse(data=TURTLE, format="turtle")


def holds(ontology: Ontology) -> bool:
    return (
        ontology.is_a("B", "A")
        and set(ontology.classes) == {EX.A, EX.B}
        and {(s.subject_class, s.object_class) for s in ontology.meta_statements} == {(EX.A, EX.B), (EX.C, EX.B)}
    )


@pytest.mark.parametrize(
    ("ending", "syntax"),
    [
        (".ttl", "turtle"),
        (".nt", "nt"),
        (".rdf", "xml"),
        (".xml", "xml"),
        (".owl", "xml"),
        (".owl", "turtle"),
        (".owl", "json-ld"),
        (".jsonld", "json-ld"),
        (".json", "json-ld"),
        (".n3", "n3"),
        (".trig", "turtle"),
        (".nq", "nt"),
        (".unheard-of", "turtle"),
        ("", "xml"),
    ],
)
def test_every_syntax_by_its_ending_or_content(tmp_path: Path, graph: rdflib.Graph, ending: str, syntax: str) -> None:
    path = tmp_path / f"small{ending}"
    path.write_bytes(graph.serialize(format=syntax, encoding="utf-8"))
    ontology = Ontology.load(path)
    assert holds(ontology)
    assert ontology.triples == len(graph)
    assert ontology.sources == (str(path),)
    assert ontology.warnings == ()


@pytest.mark.parametrize("name", ["turtle", "text/turtle", "ttl", "n3", "text/turtle; charset=utf-8"])
def test_a_named_syntax_wins_over_the_ending(tmp_path: Path, name: str) -> None:
    path = tmp_path / "small.xml"
    path.write_text(TURTLE)
    assert holds(Ontology.load(path, format=name))


def test_an_unknown_syntax(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"unknown format 'turtel' \(did you mean turtle\?\)"):
        Ontology.load(tmp_path, format="turtel")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "small.ttl"
    path.write_text(TURTLE, encoding=encoding)
    assert holds(Ontology.load(path))


def test_an_rdflib_graph(graph: rdflib.Graph) -> None:
    ontology = Ontology.load(graph)
    assert holds(ontology)
    assert ontology.triples == len(graph)
    assert ontology.expand("ex:A") == str(EX.A)
    assert "brick" not in ontology.prefixes  # which rdflib binds by itself


def test_an_rdflib_dataset(graph: rdflib.Graph) -> None:
    dataset = rdflib.Dataset()
    dataset.graph(EX.named).parse(data=TURTLE, format="turtle")
    ontology = Ontology.load(dataset)
    assert holds(ontology)
    assert ontology.triples == len(graph)


def test_blank_nodes_of_two_sources_are_never_one(tmp_path: Path) -> None:
    graphs = []
    for name in "AB":
        graph = rdflib.Graph()
        graph.add((EX[name], RDFS.domain, rdflib.BNode("same")))
        graph.add((rdflib.BNode("same"), OWL.unionOf, EX["list" + name]))
        graph.add((EX["list" + name], RDF.first, EX["C" + name]))
        graphs.append(graph)
        (tmp_path / f"{name}.nt").write_text(graph.serialize(format="nt"))
    for ontology in (Ontology.load(*graphs), Ontology.load(tmp_path)):
        assert {(s.property, s.subject_class) for s in ontology.meta_statements} == {(EX.A, EX.CA), (EX.B, EX.CB)}


def test_the_names_of_graphs_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "small.trig"
    prefixes, statements = TURTLE[: TURTLE.index("ex:B")], TURTLE[TURTLE.index("ex:B") :]
    path.write_text(f"{prefixes} <http://x/graph> {{ {statements} }}")
    assert holds(Ontology.load(path))


def test_many_files_and_folders_are_one_ontology(tmp_path: Path, graph: rdflib.Graph) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "one.ttl").write_text(
        "<http://x/1> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://x/2> ."
    )
    (tmp_path / "deep" / "er" / "two.nt").write_text(
        "<http://x/2> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://x/3> ."
    )
    (tmp_path / "deep" / "notes.md").write_text("no ontology")
    ontology = Ontology.load(tmp_path / "deep", str(tmp_path / "deep" / "one.ttl"), graph)
    assert ontology.is_a("http://x/1", "http://x/3")
    assert holds(Ontology.load(graph))
    assert len(ontology.sources) == 3  # the file that is named twice is read once
    assert ontology.triples == len(graph) + 2


def test_a_folder_without_any(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("no ontology")
    with pytest.raises(OntologyError, match=r"holds no ontology file \(looked for \.ttl"):
        Ontology.load(tmp_path)


def test_no_source_at_all() -> None:
    ontology = Ontology.load()
    assert len(ontology.classes) == len(ontology.properties) == 0
    assert ontology.is_a("xsd:integer", "xsd:decimal")


def test_repeated_triples_count_once(tmp_path: Path) -> None:
    path = tmp_path / "twice.ttl"
    path.write_text(TURTLE + "ex:B rdfs:subClassOf ex:A . ex:B rdfs:subClassOf ex:A .")
    ontology = Ontology.load(path)
    assert ontology.triples == len(rdflib.Graph().parse(path))
    assert ontology.classes.pairs == 1


# imports and prefixes


def ontology_file(folder: Path, name: str, iri: str, imports: str = "") -> Path:
    path = folder / name
    stated = f" ; owl:imports {imports}" if imports else ""
    path.write_text(f"@prefix owl: <http://www.w3.org/2002/07/owl#> . <{iri}> a owl:Ontology{stated} .")
    return path


def test_an_import_among_the_given_files_is_resolved(tmp_path: Path) -> None:
    one = ontology_file(
        tmp_path, "one.ttl", "http://x/one", "<http://x/two>, <http://y/three#>, <http://z/dir/four.ttl>"
    )
    two = ontology_file(tmp_path, "two.ttl", "http://x/two#")
    three = ontology_file(tmp_path, "three.ttl", "http://y/three")
    four = ontology_file(tmp_path, "four.ttl", "http://somewhere/else")
    assert Ontology.load(one, two, three, four).warnings == ()


def test_an_import_by_version_or_relative_name(tmp_path: Path) -> None:
    one = ontology_file(tmp_path, "one.ttl", "http://x/one", "<http://x/two/1.0>, <two.ttl>")
    two = ontology_file(tmp_path, "two.ttl", "http://x/two")
    two.write_text(two.read_text() + " <http://x/two> owl:versionIRI <http://x/two/1.0> .")
    assert Ontology.load(tmp_path).warnings == ()
    assert len(Ontology.load(one).warnings) == 2


def test_a_missing_import_is_a_warning_that_names_it(tmp_path: Path) -> None:
    one = ontology_file(tmp_path, "one.ttl", "http://x/one", "<http://x/missing>")
    ontology_file(tmp_path, "missing.ttl", "http://x/missing")  # beside it, but not given
    (warning,) = Ontology.load(one).warnings
    assert warning.source == str(one)
    assert "imports <http://x/missing>, which is not among the given files" in str(warning)


def test_a_prefix_with_two_meanings_is_a_warning(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.ttl").write_text(
            f"@prefix ex: <http://{name}/> . ex:A a <http://www.w3.org/2002/07/owl#Class> ."
        )
    ontology = Ontology.load(tmp_path)
    assert ontology.expand("ex:A") == "http://a/A"
    (warning,) = ontology.warnings
    assert "prefix ex: stands for <http://b/> here, but for <http://a/> in an earlier source" in str(warning)


def test_a_file_that_states_nothing_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "comment.ttl"
    path.write_text("# nothing yet\n")
    assert [str(w) for w in Ontology.load(path).warnings] == [f"{path}: states nothing"]


def test_the_prefixes_of_rdf_xml_are_known(tmp_path: Path, graph: rdflib.Graph) -> None:
    path = tmp_path / "small.owl"
    path.write_bytes(graph.serialize(format="xml", encoding="utf-8"))
    assert Ontology.load(path).expand("owl:Class") == str(OWL.Class)
    assert Ontology.load(path).prefixes["rdf"] == str(RDF)


def test_what_is_only_quoted_in_n3_is_not_stated(tmp_path: Path) -> None:
    path = tmp_path / "rules.n3"
    path.write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://x/> .\n"
        ":A rdfs:subClassOf :B . { :B rdfs:subClassOf :C } => { :C rdfs:subClassOf :D } ."
    )
    assert set(Ontology.load(path).classes) == {rdflib.URIRef("http://x/A"), rdflib.URIRef("http://x/B")}


def test_a_compressed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.ttl.gz"
    path.write_bytes(gzip.compress(TURTLE.encode() * 9))
    with pytest.raises(OntologyError, match="is a binary file, not RDF text"):
        Ontology.load(path)
