"""Event files and folders: ids, endings, packed files, and going on after a bad one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from semantic_pubsub import Event, EventError, events_from
from semantic_pubsub.events import Limits
from semantic_pubsub.terms import BlankNode, NamedNode
from tests.events.samples import TEXTS, read_all, write

ENDINGS = {
    ".ttl": "turtle",
    ".nt": "nt",
    ".rdf": "xml",
    ".owl": "xml",
    ".xml": "xml",
    ".jsonld": "json-ld",
    ".json": "json-ld",
    ".n3": "n3",
    ".trig": "trig",
    ".nq": "nquads",
    ".nquads": "nquads",
}
LINE = '{"@id": "%s", "http://example.org/p": 1}\n'


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(("ending", "syntax"), ENDINGS.items())
def test_the_ending_tells_the_syntax(tmp_path: Path, ending: str, syntax: str, packed: str) -> None:
    path = write(tmp_path / f"Offer{ending.upper()}{packed}", TEXTS[syntax])
    expected = "http://example.org/e1" if syntax in ("trig", "nquads") else path.name
    event = Event.load(path)
    assert event == Event.parse(TEXTS[syntax], syntax)
    assert (event.id, event.source) == (expected, str(path))
    (streamed,) = events_from(path)
    assert (streamed, streamed.id, streamed.source) == (event, expected, str(path))


def test_a_caller_may_say_format_id_and_source(tmp_path: Path) -> None:
    path = write(tmp_path / "offer", TEXTS["nt"])
    event = Event.load(str(path), "nt", id="mine", source="queue", home="_:t")
    assert (event.id, event.source, event.home) == ("mine", "queue", BlankNode("t"))
    (streamed,) = events_from(str(path), format="application/n-triples")
    assert streamed.id == "offer"


def test_other_endings_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "offer.docx", "")
    with pytest.raises(EventError, match=r"offer\.docx: the ending '\.docx' tells no RDF syntax \(say format='turtle'"):
        Event.load(path)
    with pytest.raises(EventError, match=r"offer: the name has no ending that tells the syntax"):
        Event.load(write(tmp_path / "offer", ""))


def test_a_file_of_lines_is_no_single_event(tmp_path: Path) -> None:
    path = write(tmp_path / "offers.jsonl", LINE % "u:1")
    with pytest.raises(EventError, match=r"offers\.jsonl: holds one event per line \(read it with events_from\)"):
        Event.load(path)


@pytest.mark.parametrize("name", ["e.jsonl", "e.ndjson", "e.jsonl.gz"])
def test_one_json_document_a_line(tmp_path: Path, name: str) -> None:
    lines = [
        LINE % "http://example.org/1",
        "\n",
        '{"http://example.org/p": 1}\n',
        '{"@id": "u:graph", "@graph": {"@id": "_:H", "http://example.org/p": 1}}\n',
        '{"@id": "u:graph", "@graph": {"@id": "u:home", "http://example.org/p": 1}}',
    ]
    path = write(tmp_path / name, "".join(lines))
    events = list(events_from(path))
    assert [event.id for event in events] == ["http://example.org/1", f"{name}:3", "u:graph", "u:home"]
    assert events[0].home == NamedNode("http://example.org/1")
    assert {event.source for event in events} == {str(path)}


def test_lines_by_the_name_of_the_format(tmp_path: Path) -> None:
    path = write(tmp_path / "events.txt", LINE % "u:1" + LINE % "u:2")
    assert [event.id for event in events_from(path, format="jsonl")] == ["u:1", "u:2"]


def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    lines = [LINE % "u:1", "{broken\n", '{"@context": "http://far.example/c", "p": 1}\n', "[]\n", LINE % "u:5"]
    path = write(tmp_path / "e.jsonl", "".join(lines))
    events, errors = read_all(path)
    assert [event.id for event in events] == ["u:1", "u:5"]
    places = [f"{path}, line 2, column 2", f"{path}, line 3", f"{path}, line 4"]
    assert [error.partition(": ")[0] for error in errors] == places
    assert "http://far.example/c is not given" in errors[1]
    assert "nothing is ever fetched" in errors[1]


def test_without_on_error_the_first_bad_one_is_raised(tmp_path: Path) -> None:
    stream = events_from(write(tmp_path / "e.jsonl", LINE % "u:1" + "{\n"))
    assert next(stream).id == "u:1"
    with pytest.raises(EventError, match="line 2"):
        next(stream)


def test_a_long_line_is_refused_and_the_next_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "e.jsonl", LINE % ("u:" + "x" * 300_000) + LINE % "u:2")
    events, errors = read_all(path, limits=Limits(bytes=1000))
    assert [event.id for event in events] == ["u:2"]
    assert errors == [
        f"{path}, line 1: the line is longer than 1,000 bytes"
        " (an event is a small graph; raise Limits.bytes if it is meant)"
    ]


def test_a_folder_stands_for_its_files(tmp_path: Path) -> None:
    write(tmp_path / "b.ttl", "_:H <u:p> 1 .")
    write(tmp_path / "a.jsonl", LINE % "u:1" + LINE % "u:2")
    write(tmp_path / "c.nq.gz", "_:H <u:p> <u:o> <u:g1> .\n_:H <u:p> <u:o> <u:g2> .\n")
    write(tmp_path / "README.md", "not an event")
    write(tmp_path / ".hidden.ttl", "not an event")
    (tmp_path / "folder.ttl").mkdir()
    assert [event.id for event in events_from(tmp_path)] == ["u:1", "u:2", "b.ttl", "u:g1", "u:g2"]


def test_a_bad_file_in_a_folder_stops_nothing(tmp_path: Path) -> None:
    write(tmp_path / "1.ttl", "_:H <u:p> .")
    write(tmp_path / "2.trig", "<u:g> { _:H <u:p> 1 ")
    write(tmp_path / "3.ttl", b"\x89PNG\0\0")
    write(tmp_path / "4.nt.gz", TEXTS["nt"])
    (tmp_path / "5.ttl.gz").write_bytes(gzip.compress(TEXTS["turtle"].encode())[:-12])
    write(tmp_path / "6.ttl", TEXTS["turtle"])
    events, errors = read_all(tmp_path)
    assert [event.id for event in events] == ["4.nt.gz", "6.ttl"]
    assert [Path(error.partition(",")[0].partition(": ")[0]).name for error in errors] == [
        "1.ttl",
        "2.trig",
        "3.ttl",
        "5.ttl.gz",
    ]


def test_a_folder_without_events(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "")
    with pytest.raises(EventError, match=r"is a folder without event files \(known endings are \.json, \.jsonl"):
        list(events_from(tmp_path))
    with pytest.raises(EventError, match=r": is a folder \(read it with events_from\)"):
        Event.load(tmp_path, "turtle")


@pytest.mark.parametrize("name", ["none.ttl", "none.nq", "none.jsonl", "none.ttl.gz", "none"])
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(EventError) as caught:
        list(events_from(tmp_path / name))
    assert str(caught.value) == f"{tmp_path / name}: no such file (check the name)"
    if name.endswith((".ttl", ".nq", ".gz")):
        with pytest.raises(EventError, match=r": no such file \(check the name\)"):
            Event.load(tmp_path / name)


def test_strict_reaches_every_reader(tmp_path: Path) -> None:
    lost = "_:H <u:p> <u:o> {0} .\n<u:lost> <u:p> <u:o> {0} .\n"
    write(tmp_path / "1.nt", lost.format(""))
    write(tmp_path / "2.nq", lost.format("<u:g>"))
    write(tmp_path / "3.jsonl", '[{"@id": "_:H", "u:p": 1}, {"@id": "u:lost", "u:p": 1}]')
    events, errors = read_all(tmp_path)
    assert [len(event.warnings) for event in events] == [1, 1, 1]
    assert errors == []
    events, errors = read_all(tmp_path, strict=True)
    assert events == []
    assert [error.count("does not reach: <u:lost>") for error in errors] == [1, 1, 1]
