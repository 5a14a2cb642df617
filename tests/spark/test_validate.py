"""`validate_events`: the verdicts of the local validator, beside the columns that were there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Event, EventValidator, Ontology, SemanticPubSubError
from semantic_pubsub.spark import validate_events

A = "http://example.org/auction#"
REFUSED = f"@prefix a: <{A}> . _:H a a:Selling ."


@pytest.fixture(scope="module")
def shapes(project: Path) -> Path:
    return project / "shapes" / "auction.ttl"


def test_verdicts_and_violations(spark: Any, auction: Ontology, shapes: Path, project: Path) -> None:
    good = (project / "examples" / "events" / "notebook.ttl").read_text(encoding="utf-8")
    rows = [(1, good, "x"), (2, REFUSED, "y"), (3, "_:H a .", "z"), (4, None, None)]
    frame = spark.createDataFrame(rows, "event_id int, t string, more string")
    task = validate_events(shapes, auction, text="t", columnNameOfCorruptRecord="bad")
    checked = frame.transform(task)
    assert sorted(checked.columns) == ["bad", "bad_reason", "conforms", "event_id", "more", "t", "violations"]
    found = {row.event_id: row for row in checked.collect()}
    local = EventValidator(shapes, auction)
    for number, text in ((1, good), (2, REFUSED)):
        report = local.validate(Event.parse(text))
        assert found[number].conforms == report.conforms
        assert sorted(v.message for v in found[number].violations) == sorted(
            str(v.to_dict()["message"]) for v in report.violations
        )
    assert [found[number].conforms for number in (1, 2, 3, 4)] == [True, False, None, None]
    assert found[2].violations
    assert found[2].more == "y"
    assert "line 1" in found[3].bad_reason
    assert found[4].bad_reason == "the event is null"


def test_warnings_may_be_allowed(spark: Any, tmp_path: Path) -> None:
    shapes = tmp_path / "shapes.ttl"
    shapes.write_text(
        f"@prefix sh: <http://www.w3.org/ns/shacl#> . [] a sh:NodeShape ; sh:targetClass <{A}Selling> ;"
        f" sh:property [ sh:path <{A}title> ; sh:minCount 1 ; sh:severity sh:Warning ] .",
        encoding="utf-8",
    )
    frame = spark.createDataFrame([(1, REFUSED)], "event_id int, t string")
    for allowed in (True, False):
        (row,) = frame.transform(validate_events(shapes, text="t", allow_warnings=allowed, keep=[])).collect()
        assert row.conforms is allowed
        assert [violation.severity for violation in row.violations] == ["Warning"]


def test_quads_and_columns_of_any_name(spark: Any, auction: Ontology, shapes: Path) -> None:
    kind = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    rows = [("urn:1", "_:H", kind, A + "Selling", (1, "y"))]
    types = "graph string, subject string, predicate string, object string, `k-``z` struct<`x-y`:int,b:string>"
    frame = spark.createDataFrame(rows, types)
    checked = frame.transform(validate_events(shapes, auction, quads=True, keep=["k-`z"]))
    assert checked.columns == ["event_id", "conforms", "violations", "k-`z"]
    assert checked.schema["k-`z"] == frame.schema["k-`z"]
    (row,) = checked.collect()
    assert (row.event_id, row.conforms, tuple(row["k-`z"])) == ("urn:1", False, (1, "y"))


def test_what_is_missing_is_said_before_anything_runs(spark: Any, shapes: Path) -> None:
    with pytest.raises(ValueError, match="name the column of texts"):
        validate_events(shapes)
    frame = spark.createDataFrame([(1, REFUSED)], "event_id int, t string")
    with pytest.raises(SemanticPubSubError, match="no column 'body'"):
        frame.transform(validate_events(shapes, text="body"))
    with pytest.raises(SemanticPubSubError, match="two columns 'event_id'"):
        frame.transform(validate_events(shapes, text="t", columnNameOfCorruptRecord="event_id"))
