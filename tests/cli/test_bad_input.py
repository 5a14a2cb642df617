"""Bad input: one clear line that names the file and what to do, exit code 1, and the other inputs are processed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Done, Run

A = "PREFIX a: <http://example.org/auction#>\n"
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="http://example.org/auction#"'
ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">\n' for n in range(1, 12))
BOMB = (
    f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [\n<!ENTITY e0 "aaaaaaaaaa">\n{ENTITIES}]>\n'
    f"<rdf:RDF {RDF}><rdf:Description><a:name>&e11;</a:name></rdf:Description></rdf:RDF>"
)
DEEP = f"<rdf:RDF {RDF}>\n{'<rdf:Description><a:part>' * 5_000}{'</a:part></rdf:Description>' * 5_000}</rdf:RDF>"
REMOTE = json.dumps({"@context": "https://schema.org/", "@type": "Offer", "price": "1"})
BINARY = bytes(range(256)) * 16

# file name, content, what the line must say besides the file's name: place and remedy
EVENTS: list[tuple[str, str | bytes, tuple[str, ...]]] = [
    ("broken.ttl", "@prefix a: <urn:a:> .\n_:H a a:Selling ;\n  a:target [ .\n", ("line 3", "correct the text")),
    (
        "two-homes.ttl",
        "<urn:x> <urn:p> <urn:y> . <urn:z> <urn:p> <urn:y> .",
        ("<urn:x>, <urn:z>", "name one of them _:H"),
    ),
    ("no-home.ttl", "<urn:x> <urn:p> <urn:y> . <urn:y> <urn:p> <urn:x> .", ("no home vertex", "name one of them _:H")),
    ("huge.ttl", b"#" + b"x" * (17 * 1024 * 1024), ("16,777,216 bytes", "an event is a small graph")),
    ("huge.trig", b"#" + b"x" * (17 * 1024 * 1024), ("line 1", "an event is a small graph")),
    ("deep.rdf", DEEP, ("line 2", "nested deeper than 100 levels", "link the parts")),
    ("bomb.rdf", BOMB, ("line 3", "entity", "write the text out")),
    ("deep.jsonld", '{"a":' * 5_000 + "1" + "}" * 5_000, ("nested deeper than 100 levels", "link the parts")),
    ("remote.jsonld", REMOTE, ("https://schema.org/", "--context https://schema.org/=", "nothing is ever fetched")),
    ("prefix.ttl", "\n_:H a nope:Selling .", ("line 2", "nope:", "add @prefix nope:")),
    ("empty.ttl", "", ("is empty", "at least one triple")),
    ("binary.ttl", BINARY, ("is a binary file", "give a file in an RDF syntax")),
    ("ending.xyz", "_:H a <urn:C> .", (".xyz", "name the file .ttl")),
]
SUBSCRIPTIONS: list[tuple[str, str | bytes, tuple[str, ...]]] = [
    ("optional.rq", A + "SELECT * { _:H a:target ?x\nOPTIONAL { ?x a:size ?s } }", ("line 3", "OPTIONAL", "UNION")),
    ("count.rq", A + "SELECT (COUNT(?x) AS ?n) { _:H a:target ?x }", ("line 2", "list plain variables")),
    ("group.rq", A + "SELECT ?x { _:H a:target ?x }\nGROUP BY ?x", ("line 3", "GROUP BY", "about one event")),
    (
        "evil.rq",
        A + 'ASK { _:H a:target/a:title ?x\nFILTER(regex(?x, "(a+)+\\\\1$")) }',
        ("line 3", "no back-references"),
    ),
    ("big.rq", A + 'ASK { _:H a:target/a:title ?x\nFILTER(regex(?x, "((a{99}){99}){99}")) }', ("line 3", "RE2")),
    ("prefix.rq", "ASK { _:H\nnope:target ?x }", ("line 2", "nope:", "PREFIX nope:")),
    ("unknown.ops", "(_:H, ?1,\n(Seling, target, Computer))", ("line 2", "Seling", "did you mean Selling")),
    ("island.rq", A + "ASK { _:H a:target ?x .\n?y a:size ?z }", ("line 3", "?y", "lead an arc to it")),
    ("empty.rq", "", ("line 1", "SELECT or ASK")),
    ("binary.rq", BINARY, ("line 2", "save it as UTF-8")),
    ("huge.rq", b"#" + b"x" * (17 * 1024 * 1024), ("bytes", "a small text")),
    (
        "same.jsonl",
        '{"id": "big-disks", "pattern": "(_:H, ?1, (Selling, target, Book))"}',
        ("big-disks", "choose another id"),
    ),
    ("broken.jsonl", '\n{"id": "x", "pattern"', ("line 2", "not JSON")),
    ("keys.jsonl", '{"id": "x", "query": "ASK {}"}', ("line 1", '"pattern"')),
]
ONTOLOGIES: list[tuple[str, str | bytes, tuple[str, ...]]] = [
    ("broken.ttl", "<urn:a> a <urn:b> ;;\n <urn:c [", ("line 2", "not valid Turtle")),
    ("huge.ttl", b"#" + b"x" * (17 * 1024 * 1024), ("too long",)),
    ("bomb.owl", BOMB, ("line", "entities", "write the text out")),
    ("deep.owl", DEEP, ("line 2", "nested deeper than", "link the parts")),
    ("remote.jsonld", REMOTE, ("context", "never fetched")),
    ("empty.ttl", "", ("is empty",)),
    ("binary.ttl", BINARY, ("is a binary file", "give a file in an RDF syntax")),
]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def said_once(done: Done, path: Path, words: tuple[str, ...]) -> None:
    """Exactly one line for the bad input, and beside it only the summary."""
    assert done.code == 1
    assert len(done.errors) == 1, done.err
    assert all(word in done.errors[0] for word in (path.name, *words)), done.errors[0]
    assert len(done.err.splitlines()) <= 2, done.err


@pytest.mark.parametrize(("name", "content", "words"), EVENTS, ids=[name for name, *_ in EVENTS])
def test_events(
    run: Run, auction: Path, subscriptions: Path, events: Path, tmp_path: Path,
    name: str, content: str | bytes, words: tuple[str, ...],
) -> None:  # fmt: skip
    bad = write(tmp_path / name, content)
    done = run("match", "-o", auction, "-s", subscriptions, "-e", bad, events / "notebook.ttl", "--format", "json")
    said_once(done, bad, words)
    assert [o["subscription"] for o in done.objects] == ["big-disks", "cheap-computers"]


@pytest.mark.parametrize(("name", "content", "words"), SUBSCRIPTIONS, ids=[name for name, *_ in SUBSCRIPTIONS])
def test_subscriptions(
    run: Run, auction: Path, subscriptions: Path, events: Path, tmp_path: Path,
    name: str, content: str | bytes, words: tuple[str, ...],
) -> None:  # fmt: skip
    bad, good = write(tmp_path / name, content), (subscriptions / "big-disks.rq", subscriptions / "cheap-computers.ops")
    done = run("match", "-o", auction, "-s", good[0], bad, good[1], "-e", events / "notebook.ttl", "--format", "json")
    said_once(done, bad, words)
    assert [o["subscription"] for o in done.objects] == ["big-disks", "cheap-computers"]


@pytest.mark.parametrize(("name", "content", "words"), ONTOLOGIES, ids=[name for name, *_ in ONTOLOGIES])
def test_ontologies(run: Run, tmp_path: Path, name: str, content: str | bytes, words: tuple[str, ...]) -> None:
    bad = write(tmp_path / name, content)
    done = run("check", bad)
    said_once(done, bad, words)
    assert done.out == ""


def test_files_that_do_not_exist(run: Run, auction: Path, subscriptions: Path, events: Path, tmp_path: Path) -> None:
    none = tmp_path / "none"
    done = run(
        "match", "-o", auction, "-s", none.with_suffix(".rq"), subscriptions / "big-disks.rq",
        "-e", none.with_suffix(".ttl"), none.with_suffix(".trig"), none.with_suffix(".jsonl"), events / "notebook.ttl",
    )  # fmt: skip
    assert done.code == 1
    assert [line.partition(": no such file")[0].rpartition(".")[2] for line in done.errors] == [
        "rq",
        "ttl",
        "trig",
        "jsonl",
    ]
    assert "big-disks" in done.out
    said_once(run("check", none.with_suffix(".ttl")), none.with_suffix(".ttl"), ("no such file",))


def test_bad_lines_and_graphs_leave_the_others(run: Run, auction: Path, subscriptions: Path, tmp_path: Path) -> None:
    context = {"@vocab": "http://example.org/auction#"}
    good = {"@context": context, "@id": "urn:good", "party": {"telephoneNumber": "1"}}
    lines = [json.dumps(good), "{", json.dumps({"@context": "urn:c", "a": 1}), json.dumps({**good, "@id": "urn:too"})]
    write(tmp_path / "events.jsonl", "\n".join(lines))
    write(
        tmp_path / "events.nq",
        '_:H <http://example.org/auction#party> _:p <urn:g> .\nnonsense\n<urn:a> <urn:b> "c" .\n',
    )
    done = run("match", "-o", auction, "-s", subscriptions, "-e", tmp_path, "--format", "json")
    assert done.code == 1
    assert [o["event"] for o in done.objects] == ["urn:good", "urn:too"]
    assert ["events.jsonl, line 2" in done.errors[0], "events.jsonl, line 3" in done.errors[1]] == [True, True]
    assert any("events.nq, line 2" in line for line in done.errors)


def test_an_evil_expression_that_is_allowed_takes_linear_time(run: Run, auction: Path, tmp_path: Path) -> None:
    write(tmp_path / "evil.rq", A + 'ASK { _:H a:target/a:title ?x FILTER(regex(?x, "^(a+)+$")) }')
    title = "a" * 50_000 + "!"
    write(tmp_path / "event.ttl", f'@prefix a: <http://example.org/auction#> . _:H a:target [ a:title "{title}" ] .')
    done = run("match", "-o", auction, "-s", tmp_path / "evil.rq", "-e", tmp_path / "event.ttl", "--format", "json")
    assert (done.code, done.out) == (0, "")


def test_a_folder_that_cannot_be_used(run: Run, auction: Path, subscriptions: Path, tmp_path: Path) -> None:
    done = run("match", "-o", auction, "-s", subscriptions, "-e", tmp_path)
    said_once(done, tmp_path, ("folder without event files", ".ttl"))
    done = run("match", "-o", auction, "-s", tmp_path, "-e", auction.parent.parent / "examples/events/notebook.ttl")
    said_once(done, tmp_path, ("folder without subscriptions", ".rq"))
