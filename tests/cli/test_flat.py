"""`flatten`, the flat algorithms of `match` and `explain`, and what `bench` accepts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from semantic_pubsub import Event, Ontology, flatten
from semantic_pubsub.matching.flat.indexes import INDEXES
from tests.cli.conftest import Run

A = "http://example.org/auction#"
XSD = "http://www.w3.org/2001/XMLSchema#"
EVENT = """
@prefix a: <http://example.org/auction#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
_:H a a:Selling ; a:title "PC [bold]"@en ; a:price [ a a:MoneyValue ; rdf:value 10 ] .
"""
PAIRS = [
    ("", "class", A + "Selling", None, None),
    ("title", "literal", "PC [bold]", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en"),
    ("price", "class", A + "MoneyValue", None, None),
    ("price.value", "literal", "10", XSD + "integer", None),
]
FIELDS = ("path", "kind", "value", "datatype", "language")


@pytest.fixture
def offer(tmp_path: Path) -> Path:
    path = tmp_path / "offer.ttl"
    path.write_text(EVENT, encoding="utf-8")
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.ttl"
    path.write_text("_:H a", encoding="utf-8")
    return path


def test_flatten_as_json(run: Run, auction: Path, offer: Path) -> None:
    done = run("flatten", "-o", auction, "-e", offer, "--format", "json")
    assert (done.code, done.err) == (0, "1 event, 4 pairs\n")
    assert {tuple(o[name] for name in FIELDS) for o in done.objects} == set(PAIRS)
    assert {o["event"] for o in done.objects} == {"offer.ttl"}


def test_flatten_as_a_table(run: Run, auction: Path, offer: Path) -> None:
    done = run("flatten", "-o", auction, "-e", offer)
    assert done.code == 0
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in done.out.splitlines() if "│" in line]
    assert ["offer.ttl", "_:H", "class", "Selling"] in rows
    assert ["", "title", "literal", '"PC [bold]"@en'] in rows
    assert ["", "price.value", "literal", "10"] in rows


def test_flatten_as_parquet(run: Run, auction: Path, offer: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "pairs.parquet"
    done = run("flatten", "-o", auction, "-e", offer, offer, "--format", "parquet", "--output", target)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"2 events, 8 pairs: {target}\n"
    rows = parquet.read_table(target).to_pylist()
    assert [row["event_id"] for row in rows] == ["offer.ttl", "offer.ttl"]
    assert {tuple(pair[name] for name in FIELDS) for pair in rows[0]["pairs"]} == set(PAIRS)


def test_flatten_agrees_with_python(run: Run, auction: Path, events: Path) -> None:
    done = run("flatten", "-o", auction, "-e", events / "notebook.ttl", "--format", "json")
    assert len(done.objects) == len(flatten(Event.load(events / "notebook.ttl"), Ontology.load(auction)))


def test_flatten_only_what_subscriptions_use(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    arguments = ("flatten", "-o", auction, "-e", events / "notebook.ttl", "--format", "json")
    done = run(*arguments, "-s", subscriptions / "cheap-computers.ops")
    assert {o["path"] for o in done.objects} == {"", "target", "price", "price.value", "price.currency"}
    assert len(run(*arguments).objects) > len(done.objects)


def test_flatten_into_a_file(run: Run, auction: Path, offer: Path, tmp_path: Path) -> None:
    for form in ("json", "table"):
        target = tmp_path / f"pairs.{form}"
        done = run("flatten", "-o", auction, "-e", offer, "--format", form, "--output", target)
        assert (done.code, done.out) == (0, "")
        assert "price.value" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["json", "table", "parquet"])
def test_flatten_what_cannot_be_written(run: Run, auction: Path, offer: Path, form: str) -> None:
    done = run("flatten", "-o", auction, "-e", offer, "--format", form, "--output", "/nowhere/at/all")
    assert (done.code, done.out) == (1, "")
    assert len(done.errors) == 1
    assert "cannot be written" in done.errors[0]


def test_flatten_bad_input_leaves_the_rest(run: Run, auction: Path, offer: Path, broken: Path) -> None:
    arguments = ("flatten", "-o", auction, "-e", broken, offer, "--format", "json")
    done, strict = run(*arguments), run(*arguments, "--strict")
    assert (done.code, strict.code) == (1, 1)
    assert len(done.errors) == len(strict.errors) == 1
    assert "broken.ttl" in done.errors[0]
    assert (len(done.objects), len(strict.objects)) == (4, 0)
    assert done.err.endswith("1 event, 4 pairs, 1 bad input\n")


ALGORITHMS = tuple(INDEXES)
PREFIX = "PREFIX a: <http://example.org/auction#>\n"
PATTERN = PREFIX + ('SELECT ?n { _:H a:target [ a a:Computer ; a:title ?n ] FILTER(?n = "red") }')
TWO = """@prefix a: <http://example.org/auction#> .
_:H a:target [ a a:DesktopPC ; a:title "blue" ], [ a a:EBook ; a:title "red" ] ."""


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_pairs_or_the_graph_decide(run: Run, auction: Path, tmp_path: Path, algorithm: str) -> None:
    (tmp_path / "red.rq").write_text(PATTERN, encoding="utf-8")
    (tmp_path / "two.ttl").write_text(TWO, encoding="utf-8")
    arguments = ("-o", auction, "-s", tmp_path / "red.rq", "-e", tmp_path / "two.ttl", "--algorithm", algorithm)
    done = run("match", *arguments, "--format", "json")
    assert done.code == 0
    assert done.objects == [{"event": "two.ttl", "subscription": "red", "bindings": {}}]
    assert run("match", *arguments, "--verify", "--format", "json").objects == []
    why = run("explain", *arguments)
    assert why.code == 0
    assert why.out.startswith("event two.ttl matches red\n")
    assert "✓ target isa(Computer): target is a DesktopPC ⊑ Computer" in why.out
    why_not = run("explain", *arguments, "--verify", "--format", "json")
    assert json.loads(why_not.out)["matched"] is False


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_verified_is_what_ops_says(run: Run, auction: Path, subscriptions: Path, events: Path, algorithm: str) -> None:
    arguments = ("match", "-o", auction, "-s", subscriptions, "-e", events, "--format", "json")
    ops, verified = run(*arguments), run(*arguments, "--algorithm", algorithm, "--verify")
    for mine, theirs in zip(verified.objects, ops.objects, strict=True):
        assert (mine["event"], mine["subscription"]) == (theirs["event"], theirs["subscription"])
        assert list(mine["bindings"]) == list(theirs["bindings"])  # blank nodes have new labels in each run
    assert verified.err.splitlines()[-1] == ops.err.splitlines()[-1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_bad_input_leaves_the_rest(
    run: Run, auction: Path, subscriptions: Path, events: Path, broken: Path, tmp_path: Path, algorithm: str
) -> None:
    (tmp_path / "bad.ops").write_text("(_:H, ?1, (Seling, target, Computer))", encoding="utf-8")
    done = run(
        "match", "-o", auction, "-s", tmp_path / "bad.ops", subscriptions / "cheap-computers.ops",
        "-e", broken, events / "notebook.ttl", "--algorithm", algorithm, "--format", "json",
    )  # fmt: skip
    assert done.code == 1
    assert [o["subscription"] for o in done.objects] == ["cheap-computers"]
    assert len(done.errors) == 2
    assert "did you mean Selling" in done.errors[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("flatten",), "Missing option"),
        (("flatten", "-o", "{o}"), "Missing option"),
        (("flatten", "-o", "{o}", "-e", "{e}", "--format", "xml"), "xml"),
        (("flatten", "-o", "{o}", "-e", "{e}", "--format", "parquet"), "name a file with --output"),
        (("match", "-o", "{o}", "-s", "{s}", "-e", "{e}", "--algorithm", "ctp"), "is not one of: ops"),
        (("match", "-o", "{o}", "-s", "{s}", "-e", "{e}", "--verify"), "ops gives the graph answer anyway"),
        (("explain", "-o", "{o}", "-s", "{s}", "-e", "{e}", "--algorithm", "ctps", "--tree"), "or add --verify"),
        (("bench", "flt"), "did you mean flat?"),
        (("bench", "flat", "--nonsense"), "--nonsense"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage(
    run: Run, auction: Path, subscriptions: Path, events: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = run(*(a.format(o=auction, s=subscriptions, e=events) for a in arguments))
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.replace("│", " ").split())


@pytest.mark.parametrize("command", ["flatten", "bench"])
def test_help(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"Example: semantic-pubsub {command}" in done.out


def test_bench_passes_scenarios_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []

    def called_with(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        called.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", called_with)
    assert run("bench", "indexes", "--quick", "--scenarios", "hmacd-1").code == 0
    assert [command[1:] for command in called] == [
        ["-m", "benchmarks.run", "indexes", "--quick", "--scenarios=hmacd-1"]
    ]
