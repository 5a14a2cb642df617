"""`semantic-pubsub spark`: folders in, tables out, a summary on stderr."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import FlatMatcher, Ontology, events_from, subscription_texts
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.spark.clusters import SPARK, environment

A = "http://example.org/auction#"
OFFERS = "http://offers.example/"


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
    table = run("spark", "match", *asked, "--output", tmp_path / "out", "--overwrite", "--format", "csv")
    assert table.code == 0
    assert rows(spark, tmp_path / "out", "csv") == expected


def test_under_spark_submit(
    spark: Any, auction_file: Path, project: Path, verified: FlatMatcher, tmp_path: Path
) -> None:
    events, subscriptions = project / "examples" / "events", project / "examples" / "subscriptions"
    asked = ["-o", auction_file, "-s", subscriptions, "-e", events, "--verify"]
    program = tmp_path / "program.py"
    program.write_text("from semantic_pubsub.cli import main\n\nmain()\n", encoding="utf-8")
    submit = [str(SPARK / "bin" / "spark-submit"), "--master", "local[1]", str(program)]
    command = [*submit, "spark", "match", *map(str, asked), "--output", str(tmp_path / "submitted")]
    said = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=600)
    assert said.returncode == 0, said.stderr[-3000:]
    assert "Traceback" not in said.stderr
    expected = sorted((event.id, name) for event in events_from(events) for name in verified.match_ids(event))
    assert rows(spark, tmp_path / "submitted") == expected


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
    assert strict.errors[0].endswith("(nothing was written; without --strict the rest is)")
    assert "mode=" not in strict.errors[0]
    assert not (tmp_path / "strict").exists()
    assert rows(spark, tmp_path / "out") == []


def test_strict_says_what_cannot_be_read(
    run: Run,
    spark: Any,  # noqa: ARG001
    auction_file: Path,
    project: Path,
    tmp_path: Path,
) -> None:
    (tmp_path / "e.nq").write_text(f"_:H <{A}title> <urn:b> <urn:g> .\nrubbish\n", encoding="utf-8")
    (tmp_path / "e.ttl").write_bytes(f'_:H <{A}title> "Caf\xe9" .'.encode("latin-1"))
    subscriptions, shapes = project / "examples" / "subscriptions", project / "shapes" / "auction.ttl"
    for command, file, reason in (
        (("match", "-o", auction_file, "-s", subscriptions), "e.nq", "line 2: 'rubbish' is no quad of a named graph"),
        (("flatten", "-o", auction_file), "e.ttl", "is not UTF-8"),
        (("validate", "--shapes", shapes), "e.ttl", "is not UTF-8"),
    ):
        done = run("spark", *command, "-e", tmp_path / file, "--output", tmp_path / "out", "--strict")
        assert done.code == 1
        assert f"{tmp_path / file}, line " in done.errors[0]
        assert reason in done.errors[0]
        assert "mode=" not in done.errors[0]
        assert not (tmp_path / "out").exists()


def test_contexts_are_those_of_the_local_commands(
    run: Run, spark: Any, auction_file: Path, project: Path, tmp_path: Path
) -> None:
    own = {"@context": A.rstrip("#"), "@id": "urn:e:1", "@type": "Selling", "target": {"@type": "NotebookPC"}}
    foreign = {"@context": OFFERS, "id": "urn:e:2", "kind": "Selling", "target": {"kind": "NotebookPC"}}
    file, asked, context = tmp_path / "e.jsonl", tmp_path / "computers.ops", tmp_path / "offers.jsonld"
    file.write_text("".join(json.dumps(one) + "\n" for one in (own, foreign)), encoding="utf-8")
    asked.write_text("(_:H, ?1, (Selling, target, Computer))", encoding="utf-8")
    context.write_text(json.dumps({"@context": {"@vocab": A, "id": "@id", "kind": "@type"}}), encoding="utf-8")
    events = ("-e", file, "--context", f"{OFFERS}={context}")
    local = run("match", "-o", auction_file, "-s", asked, *events, "--format", "json")
    expected = [(found["event"], found["subscription"]) for found in local.objects]
    assert expected == [("urn:e:1", "computers"), ("urn:e:2", "computers")]
    for command, shown in (
        (("match", "-o", auction_file, "-s", asked, "--verify"), expected),
        (("flatten", "-o", auction_file), ["urn:e:1", "urn:e:2"]),
        (("validate", "--shapes", project / "shapes" / "auction.ttl", "-o", auction_file), ["urn:e:1", "urn:e:2"]),
    ):
        out = tmp_path / command[0]
        done = run("spark", *command, *events, "--output", out)
        assert "0 bad records" in done.err
        found = rows(spark, out)
        assert (found if command[0] == "match" else [row[0] for row in found]) == shown
    missing = run("spark", "flatten", "-o", auction_file, "-e", file, "--context", f"{OFFERS}=none", "--output", "x")
    assert f"the JSON-LD context {OFFERS} cannot be read from none" in missing.errors[0]


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
    done = run("spark", "flatten", "-o", auction_file, "-e", events, "--output", tmp_path / "csv", "--format", "csv")
    assert done.code == 0
    (file,) = (tmp_path / "csv").glob("*.csv")
    with file.open(encoding="utf-8", newline="") as text:
        texts = {row["event_id"]: json.loads(row["pairs"]) for row in csv.DictReader(text)}
    lists = {name: [tuple(pair.get(field) for field in PAIR) for pair in pairs] for name, pairs in texts.items()}
    assert lists == {name: [tuple(pair) for pair in pairs] for name, pairs in found.items()}


PAIR = ("path", "kind", "value", "datatype")


def test_nothing_but_bad_records(run: Run, spark: Any, project: Path, tmp_path: Path) -> None:  # noqa: ARG001
    (tmp_path / "e.jsonl").write_text("nonsense\n", encoding="utf-8")
    shapes, out = project / "shapes" / "auction.ttl", tmp_path / "v"
    done = run("spark", "validate", "--shapes", shapes, "-e", tmp_path, "--output", out, "--format", "json")
    assert done.code == 1
    assert "1 event, 0 refused, 1 bad record, " in done.err


def test_what_was_there_stays_until_it_is_replaced(
    run: Run,
    spark: Any,  # noqa: ARG001
    auction_file: Path,
    project: Path,
    tmp_path: Path,
) -> None:
    out, events = tmp_path / "out", tmp_path / "out" / "events"
    events.mkdir(parents=True)
    (events / "e.jsonl").write_text("{}", encoding="utf-8")
    asked = ("-s", project / "examples/subscriptions", "--output", out, "--overwrite")
    held = run("spark", "match", "-o", auction_file, "-e", events, *asked)
    assert held.code == 1
    assert "holds the input" in held.errors[0]
    gone = run("spark", "match", "-o", tmp_path / "none.ttl", "-e", project / "examples/events", *asked)
    assert gone.code == 1
    assert (events / "e.jsonl").exists()
    done = run("spark", "match", "-o", auction_file, "-e", project / "examples/events", *asked)
    assert done.code == 0
    assert not events.exists()
    for command in (
        ("match", "-o", auction_file, "-e", project / "examples/events", *asked[:2]),
        ("generate", "-n", "1"),
    ):
        nowhere = run("spark", *command, "--output", "/proc/none")
        assert nowhere.errors[0].startswith("error: /proc/none: cannot be made: ")
    file = run("spark", "generate", "--output", auction_file, "--overwrite")
    assert file.code == 1
    assert "name a folder" in file.errors[0]


def test_no_such_folder(run: Run, auction_file: Path, project: Path, tmp_path: Path, spark: Any) -> None:  # noqa: ARG001
    arguments = ("-o", auction_file, "-s", project / "examples/subscriptions", "-e", tmp_path / "none")
    done = run("spark", "match", *arguments, "--output", tmp_path / "out")
    assert done.code == 1
    assert "no such file or folder" in done.errors[0]
