"""Reading shapes: several sources, and what is wrong with them in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from semantic_pubsub import Event, EventValidator, OntologyError
from tests.events import shacl_cases as cases

GOOD = ":S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; sh:minCount 1 ] ."
ALSO = ":T a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p1 ; sh:minCount 1 ] ."
LACKING = "_:H a :C0 ; :p9 1 ."


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(cases.PREFIXES + text, encoding="utf-8")
    return path


def problems(validator: EventValidator) -> list[str | None]:
    return [each.path for each in validator.validate(Event.parse(cases.PREFIXES + LACKING)).violations]


def test_files_folders_and_graphs_together(tmp_path: Path) -> None:
    first, second = written(tmp_path, "a.ttl", GOOD), written(tmp_path, "b.ttl", ALSO)
    assert problems(EventValidator(str(first))) == ["p0"]
    assert problems(EventValidator(tmp_path)) == ["p0", "p1"]
    assert problems(EventValidator([first, second, tmp_path])) == ["p0", "p1"]
    assert problems(EventValidator([cases.turtle_graph(GOOD), second])) == ["p0", "p1"]


def test_a_graph_is_copied_and_may_change_afterwards() -> None:
    graph = cases.turtle_graph(GOOD)
    before = set(graph)
    ready = EventValidator(graph)
    assert set(graph) == before
    graph.remove((None, None, None))
    assert problems(ready) == ["p0"]


def test_imports_are_never_fetched_but_told(tmp_path: Path) -> None:
    path = written(tmp_path, "a.ttl", GOOD + "<> a owl:Ontology ; owl:imports <http://t.example/more> .")
    [notice] = EventValidator(path).warnings
    assert "http://t.example/more" in str(notice)
    assert str(path) in str(notice)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":S a sh:NodeShape ;; sh:targetClass .", r"shapes\.ttl, line 8, column \d+: is not valid"),
        ("", r"shapes\.ttl: holds no SHACL shape"),
        (":S a sh:NodeShape ; sh:property [ sh:minCount 1 ] .", r"shapes\.ttl: .*not valid SHACL"),
        (
            ":S a sh:NodeShape ; sh:targetClass :C0 ; sh:property [ sh:path :p0 ; sh:minCount 1, 2 ] .",
            r"shapes\.ttl: .*not valid SHACL: .*minCount",
        ),
        (":S a sh:NodeShape ; sh:datatype :a, :b .", r"shapes\.ttl: shape S is not valid SHACL: .*datatype"),
        (
            ':S a sh:NodeShape ; sh:targetClass :C0 ; sh:sparql [ sh:select "SELECT WHERE" ] .',
            r"shapes\.ttl: .*sh:select is no SPARQL query",
        ),
        (
            ':S a sh:NodeShape ; sh:rule [ a sh:SPARQLRule ; sh:construct "CONSTRUCT { $this nope:p 1 } WHERE {}" ] .',
            r"shapes\.ttl: .*not valid SHACL: .*nope",
        ),
        (
            ':S a sh:NodeShape ; sh:rule [ a sh:SPARQLRule ; sh:construct "ASK {}" ] .',
            r"shapes\.ttl: .*must be a CONSTRUCT",
        ),
        (
            ":S a sh:NodeShape ; sh:rule [ a sh:TripleRule ; sh:subject sh:this ] .",
            r"shapes\.ttl: .*not valid SHACL: .*sh:predicate",
        ),
        (
            ':S a sh:NodeShape ; sh:rule [ a sh:SPARQLRule ; sh:construct "CONSTRUCT { $this <urn:p> ?o } WHERE '
            '{ SERVICE <http://t.example/> { ?s <urn:p> ?o } }" ] .',
            r"shapes\.ttl: .*nothing is ever fetched",
        ),
        (
            ':S a sh:NodeShape ; sh:targetClass :C0 ; sh:sparql [ sh:select "SELECT $this FROM <http://t.example/> '
            'WHERE { $this <urn:p> ?o }" ] .',
            r"shapes\.ttl: .*nothing is ever fetched",
        ),
    ],
)
def test_a_bad_file_is_one_clear_line(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, "shapes.ttl", text)
    with pytest.raises(OntologyError, match=said) as caught:
        EventValidator(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    written(tmp_path, "auction.ttl", GOOD)
    with pytest.raises(OntologyError, match=r"auktion\.ttl: no such file or folder .*auction\.ttl"):
        EventValidator(tmp_path / "auktion.ttl")
