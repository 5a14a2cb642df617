"""`check`: counts, hierarchies, drawings, what a reasoner adds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from semantic_pubsub import Ontology
from tests.cli.conftest import Run

MERGED = """
@prefix e: <http://example.org/e#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Car owl:equivalentClass e:Automobile . e:Taxi rdfs:subClassOf e:Automobile . e:X1 rdfs:subClassOf e:Car .
e:X1 rdfs:label "Roadster [open]" .
"""


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    path = tmp_path / "merged.ttl"
    path.write_text(MERGED, encoding="utf-8")
    return path


def test_the_table(run: Run, auction: Path) -> None:
    done = run("check", auction)
    assert done.code == 0
    model = Ontology.load(auction)
    rows = {cells[1].strip(): cells[2].strip() for line in done.out.splitlines() if len(cells := line.split("│")) == 4}
    assert rows["classes"] == str(len(list(model.classes)))
    assert rows["meta-statements"] == str(len(model.meta_statements))
    assert done.err == ""


def test_json(run: Run, auction: Path) -> None:
    (data,) = run("check", auction, "--format", "json").objects
    assert data["classes"] == len(list(Ontology.load(auction).classes))
    assert data["deepest_class"] == 3
    assert data["warnings"] == []
    assert "inferred" not in data


def test_several_files_and_the_option(run: Run, project: Path, auction: Path) -> None:
    sensors = project / "ontology" / "sensors.ttl"
    by_argument = run("check", auction, sensors, "--format", "json")
    by_option = run("check", "--ontology", auction, sensors, "--format", "json")
    folder = run("check", project / "ontology", "--format", "json")
    assert by_argument.objects == by_option.objects == folder.objects
    assert by_argument.objects[0]["classes"] > run("check", auction, "--format", "json").objects[0]["classes"]


def test_the_tree(run: Run, auction: Path) -> None:
    lines = run("check", auction, "--tree").out.splitlines()
    assert "│   ├── Computer" in lines
    assert "│   │   ├── DesktopPC" in lines
    assert "│   │   └── EBook" in lines, "unfolded under its first parent"
    assert "│       ├── EBook …" in lines, "and only mentioned under the second"
    assert "│       ├── cellPhoneNumber" in lines
    assert not any("XMLSchema" in line or "Thing" in line for line in lines)


def test_the_tree_below_one_name(run: Run, auction: Path) -> None:
    out = run("check", auction, "--tree", "--root", "auction:Computer").out
    assert out.endswith("Computer\n├── DesktopPC\n└── NotebookPC\n")


def test_equivalent_concepts_stand_together(run: Run, merged: Path) -> None:
    out = run("check", merged, "--tree").out
    assert "classes\n└── Automobile = Car\n    ├── Taxi\n    └── X1  Roadster [open]\n" in out


def test_the_drawing(run: Run, auction: Path, tmp_path: Path) -> None:
    target = tmp_path / "auction.svg"
    done = run("check", auction, "--draw", target)
    assert done.code == 0
    assert done.err == f"drawn: {target}\n"
    drawn = ElementTree.parse(target).getroot()
    space = "{http://www.w3.org/2000/svg}"
    names = [text.text for text in drawn.iter(f"{space}text")]
    model = Ontology.load(auction)
    assert len(names) == len(set(names)) == len(list(model.classes)), "each class once"
    parents = sum(len(model.parents(c)) for c in model.classes)
    tops = sum(str(p).endswith("#Thing") for c in model.classes for p in model.parents(c))
    assert len(list(drawn.iter(f"{space}path"))) == parents - tops, "each step once"
    places = [(float(text.get("x", "0")), text.get("y")) for text in drawn.iter(f"{space}text")]
    assert len(set(places)) == len(places)
    assert max(x for x, _ in places) < float(drawn.get("width", "0"))


def test_names_in_a_drawing_are_escaped(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "signs.ttl"
    source.write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        '<urn:a> rdfs:subClassOf <urn:b&c> ; rdfs:label "1 < 2" .',
        encoding="utf-8",
    )
    run("check", source, "--draw", tmp_path / "signs.svg")
    texts = [e.text or "" for e in ElementTree.parse(tmp_path / "signs.svg").iter() if e.tag.endswith("text")]
    assert texts == ["<urn:b&c>", "<urn:a>  1 < 2"]


def test_a_drawing_that_cannot_be_written(run: Run, auction: Path, tmp_path: Path) -> None:
    done = run("check", auction, "--draw", tmp_path / "nowhere" / "x.svg")
    assert done.code == 1
    assert len(done.errors) == 1
    assert "nowhere" in done.errors[0]


def test_an_unknown_root(run: Run, auction: Path) -> None:
    done = run("check", auction, "--tree", "--root", "Computr")
    assert done.code == 1
    assert done.errors == ["error: unknown name 'Computr' (did you mean Computer, ComputerPart?)"]


def test_warnings_are_told(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "importing.ttl"
    source.write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . <urn:o> a owl:Ontology ; owl:imports <urn:elsewhere> .",
        encoding="utf-8",
    )
    done = run("check", source, "--format", "json")
    assert done.code == 0
    assert done.err.startswith("warning: ")
    assert "urn:elsewhere" in done.err
    assert len(done.objects[0]["warnings"]) == 1


def test_what_the_reasoner_infers(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("owlready2")
    if shutil.which("java") is None:
        pytest.skip("there is no java command")
    source = tmp_path / "inferring.ttl"
    source.write_text(
        """@prefix e: <http://example.org/e#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        e:A a owl:Class ; owl:equivalentClass [ owl:intersectionOf ( e:B e:C ) ] . e:B a owl:Class . e:C a owl:Class .
        e:N a owl:Class ; rdfs:subClassOf owl:Nothing .""",
        encoding="utf-8",
    )
    done = run("check", source, "--reasoner", "hermit", "--inferred", "--format", "json")
    (data,) = done.objects
    pairs = {tuple(name.rpartition("#")[2] for name in pair) for pair in data["inferred"]}
    assert {("A", "B"), ("A", "C")} == pairs
    assert data["unsatisfiable"] == ["http://example.org/e#N"]
    shown = run("check", source, "--reasoner", "hermit", "--inferred").out
    assert "A ⊑ B" in shown
    assert "nothing can be a member of: N" in shown


@pytest.fixture
def redundant(tmp_path: Path) -> Path:
    path = tmp_path / "many.jsonl"
    prefix = "PREFIX a: <http://example.org/auction#> "
    patterns = {
        "one": "ASK { _:H a:target ?x . ?x a a:Computer }",
        "same": "SELECT ?y { _:H a:target ?y . ?y a a:Computer }",
        "narrow": "ASK { _:H a:target ?x . ?x a a:DesktopPC }",
        "never": "ASK { _:H a:price ?v FILTER(?v < 1 && ?v > 2) }",
    }
    lines = [json.dumps({"id": name, "pattern": prefix + text}) for name, text in patterns.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_redundant_subscriptions(run: Run, auction: Path, redundant: Path) -> None:
    done = run("check", auction, "--subscriptions", redundant)
    assert done.code == 0
    assert "4 subscriptions: 1 group of duplicates, 1 covered, 1 unsatisfiable" in done.out
    rows = [[cell.strip() for cell in line.split("│")[1:4]] for line in done.out.splitlines() if line.count("│") == 4]
    assert ["same", "a duplicate of", "one"] in rows
    assert ["narrow", "covered by", "one"] in rows


def test_redundant_subscriptions_as_json(run: Run, auction: Path, redundant: Path) -> None:
    (data,) = run("check", auction, "-s", redundant, "--format", "json").objects
    assert data["subscriptions"] == 4
    assert data["duplicates"] == [["one", "same"]]
    assert data["covered"] == {"narrow": "one"}
    assert list(data["unsatisfiable_subscriptions"]) == ["never"]


def test_bad_subscriptions_are_told_and_the_rest_is_checked(run: Run, auction: Path, tmp_path: Path) -> None:
    source = tmp_path / "some.jsonl"
    lines = [
        {"id": "a", "pattern": "(_:H, ?1, (Selling, target, Computer))"},
        {"id": "a", "pattern": "(_:H, ?1, (Selling, target, Book))"},
        {"id": "b", "pattern": "(_:H, ?1, (Selling, target, Compuuter))"},
        {"id": "c", "pattern": "(_:H, ?1, "},
    ]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = run("check", auction, "--subscriptions", source, "--format", "json")
    assert done.code == 1
    assert len(done.errors) == 3
    assert done.objects[0]["subscriptions"] == 1
