"""`validate`: verdicts in plain words and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture(scope="session")
def shapes(project: Path) -> Path:
    return project / "shapes" / "auction.ttl"


def test_the_table(run: Run, shapes: Path, auction: Path, events: Path) -> None:
    done = run("validate", "--shapes", shapes, "--ontology", auction, "--events", events)
    assert done.code == 1, "an event that is refused counts as bad input"
    assert "The seller is missing: somebody has to sell it." in done.out
    assert "The amount cannot be below zero." in done.out
    assert done.err == "11 events: 10 valid, 1 refused\n"


def test_json(run: Run, shapes: Path, auction: Path, events: Path) -> None:
    done = run("validate", "--shapes", shapes, "--ontology", auction, "--events", events, "--format", "json")
    assert done.code == 1
    assert all(list(o) == ["event", "conforms", "violations"] for o in done.objects)
    assert [o["event"] for o in done.objects if not o["conforms"]] == ["refused.ttl"]
    (refused,) = [o for o in done.objects if not o["conforms"]]
    assert "The seller is missing: somebody has to sell it." in [v["message"] for v in refused["violations"]]
    assert {o["event"]: o["violations"] for o in done.objects}["notebook.ttl"] == []


def test_all_is_well(run: Run, shapes: Path, auction: Path, events: Path) -> None:
    done = run("validate", "--shapes", shapes, "--ontology", auction, "--events", events / "market.trig")
    assert done.code == 0
    assert done.err == "3 events: 3 valid, 0 refused\n"


def test_only_an_ontology_knows_sub_classes(run: Run, shapes: Path, auction: Path, events: Path) -> None:
    arguments = ("validate", "--shapes", shapes, "--events", events / "notebook.ttl", "--format", "json")
    without = run(*arguments)
    assert without.code == 1
    assert "The seller must be a customer: a person or a dealer." in [
        v["message"] for v in without.objects[0]["violations"]
    ]
    assert run(*arguments, "--ontology", auction).code == 0


def test_strict_stops_at_the_first(run: Run, shapes: Path, auction: Path, events: Path) -> None:
    arguments = ("validate", "--shapes", shapes, "--ontology", auction, "--format", "json", "--strict", "--events")
    done = run(*arguments, events / "refused.ttl", events / "notebook.ttl")
    assert done.code == 1
    assert [o["event"] for o in done.objects] == ["refused.ttl"]
    assert len(done.errors) == 1
    assert "refused.ttl" in done.errors[0]


def test_shapes_that_cannot_be_read(run: Run, tmp_path: Path, events: Path) -> None:
    broken = tmp_path / "shapes.ttl"
    broken.write_text(
        "@prefix sh: <http://www.w3.org/ns/shacl#> .\n[] a sh:NodeShape ; sh:property [ .\n", encoding="utf-8"
    )
    for path in (broken, tmp_path / "none.ttl"):
        done = run("validate", "--shapes", path, "--events", events / "notebook.ttl")
        assert done.code == 1
        assert len(done.errors) == 1
        assert str(path) in done.errors[0]


def test_unreadable_events_are_told_and_the_rest_is_validated(
    run: Run, shapes: Path, auction: Path, events: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.ttl"
    broken.write_text("_:H a", encoding="utf-8")
    done = run(
        "validate", "--shapes", shapes, "-o", auction, "--events", broken, events / "notebook.ttl", "--format", "json"
    )
    assert done.code == 1
    assert [o["event"] for o in done.objects] == ["notebook.ttl"]
    assert len(done.errors) == 1
    assert done.err.endswith("1 event: 1 valid, 0 refused, 1 unreadable\n")
