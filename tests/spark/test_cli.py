"""`semantic-pubsub spark`: folders in, tables out, a summary on stderr."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import FlatMatcher, Ontology, events_from, subscription_texts
from tests.cli.conftest import Run
from tests.cli.conftest import logging_as_it_was as logging_as_it_was
from tests.cli.conftest import run as run
from tests.spark.clusters import SPARK, environment

A = "http://example.org/auction#"


@pytest.fixture(scope="session")
def auction_file(project: Path) -> Path:
    return project / "ontology" / "auction.ttl"


def rows(spark: Any, folder: Path, form: str = "parquet") -> list[tuple[Any, ...]]:
    frame = spark.read.format(form).option("header", "true").load(str(folder))
    return sorted(tuple(row) for row in frame.collect())


def test_generate_then_match(run: Run, spark: Any, auction_file: Path, tmp_path: Path) -> None:
    market = tmp_path / "market"
    made = run("spark", "generate", "--output", market, "--number", "600", "--asking", "30", "--files", "3")
    assert made.code == 0
    assert made.err.startswith("600 events, 30 subscriptions: ")
    asked = ("-o", auction_file, "-s", market / "subscriptions.jsonl", "-e", market / "events")
    done = run("spark", "match", *asked, "--output", tmp_path / "out", "--verify")
    assert done.code == 0
    matcher = FlatMatcher(Ontology.load(auction_file), verify=True)
    matcher.add_all(subscription_texts(market / "subscriptions.jsonl"))
    expected = sorted((e.id, name) for e in events_from(market / "events") for name in matcher.match_ids(e))
    assert rows(spark, tmp_path / "out") == expected
    assert len(expected) > 50
    assert done.err.startswith(f"600 events, {len(expected)} matches, 0 bad records, ")
    assert done.out == ""
    again = run("spark", "match", *asked, "--output", tmp_path / "out")
    assert again.code == 1
    assert "is there already" in again.errors[0]
    csv = run("spark", "match", *asked, "--output", tmp_path / "out", "--overwrite", "--format", "csv")
    assert csv.code == 0
    assert rows(spark, tmp_path / "out", "csv") == expected


def test_under_spark_submit(run: Run, spark: Any, auction_file: Path, tmp_path: Path) -> None:
    market = tmp_path / "market"
    run("spark", "generate", "--output", market, "--number", "60", "--asking", "10", "--files", "1")
    asked = ["-o", auction_file, "-s", market / "subscriptions.jsonl", "-e", market / "events"]
    done = run("spark", "match", *asked, "--output", tmp_path / "plain")
    assert done.code == 0
    program = tmp_path / "program.py"
    program.write_text("from semantic_pubsub.cli import main\n\nmain()\n", encoding="utf-8")
    submit = [str(SPARK / "bin" / "spark-submit"), "--master", "local[1]", str(program)]
    command = [*submit, "spark", "match", *map(str, asked), "--output", str(tmp_path / "submitted")]
    said = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=170)
    assert said.returncode == 0, said.stderr[-3000:]
    assert rows(spark, tmp_path / "submitted") == rows(spark, tmp_path / "plain") != []


def test_the_same_seed_gives_the_same_set(run: Run, spark: Any, tmp_path: Path) -> None:  # noqa: ARG001
    for name, files in (("one", "1"), ("two", "4")):
        run("spark", "generate", "--output", tmp_path / name, "-n", "40", "--files", files, "--format", "nq")
    first, second = (
        sorted(line for file in (tmp_path / name / "events").iterdir() for line in events_of(file))
        for name in ("one", "two")
    )
    assert first == second
    assert len(first) == 40


def events_of(file: Path) -> list[str]:
    return [f"{event.id} {len(event)}" for event in events_from(file)]


def test_bad_records_are_told_and_counted(
    run: Run, spark: Any, auction_file: Path, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "e.jsonl").write_text(f'{{"@type": "{A}Selling"}}\nnonsense\n', encoding="utf-8")
    arguments = ("-o", auction_file, "-s", project / "examples/subscriptions", "-e", tmp_path / "e.jsonl")
    done = run("spark", "match", *arguments, "--output", tmp_path / "out")
    assert done.code == 1
    assert "1 bad record, one of them: e.jsonl:2: " in done.errors[0]
    assert "2 events, 0 matches, 1 bad record, " in done.err
    strict = run("spark", "match", *arguments, "--output", tmp_path / "strict", "--strict")
    assert strict.code == 1
    assert "the event e.jsonl:2 is malformed" in strict.errors[0]
    assert rows(spark, tmp_path / "out") == []


def test_flatten_and_validate(run: Run, spark: Any, auction_file: Path, project: Path, tmp_path: Path) -> None:
    events = project / "examples" / "events"
    done = run("spark", "flatten", "-o", auction_file, "-e", events, "--output", tmp_path / "pairs")
    assert done.code == 0
    found = dict(rows(spark, tmp_path / "pairs"))
    assert ("target", "class", A + "NotebookPC", None) in [tuple(pair) for pair in found["notebook.ttl"]]
    done = run(
        "spark",
        "validate",
        "--shapes",
        project / "shapes/auction.ttl",
        "-o",
        auction_file,
        "-e",
        events,
        "--output",
        tmp_path / "v",
    )
    assert done.code == 1
    assert "11 events, 1 refused, 0 bad records" in done.err
    verdicts = {row[0]: row[1] for row in rows(spark, tmp_path / "v")}
    assert [name for name, conforms in verdicts.items() if not conforms] == ["refused.ttl"]
    wrong = run("spark", "flatten", "-o", auction_file, "-e", events, "--output", tmp_path / "x", "--format", "csv")
    assert wrong.code == 2


def test_no_such_folder(run: Run, auction_file: Path, project: Path, tmp_path: Path, spark: Any) -> None:  # noqa: ARG001
    arguments = ("-o", auction_file, "-s", project / "examples/subscriptions", "-e", tmp_path / "none")
    done = run("spark", "match", *arguments, "--output", tmp_path / "out")
    assert done.code == 1
    assert "no such file or folder" in done.errors[0]
