"""Cutting files into records: the same events as `events_from` reads, however the file is split."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Event, SemanticPubSubError, events_from
from semantic_pubsub.spark.records import Record, event_files, records_of, splits_of
from semantic_pubsub.spark.source import RdfEvents

A = "http://example.org/auction#"


def nquads(number: int) -> list[str]:
    return [
        f"_:H <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{A}Selling> <urn:e:{number}> .",
        f'_:H <{A}title> "offer <{number}> ."@en <urn:e:{number}> .',
        f'_:H <{A}price> "{number}"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e:{number}> .',
    ][: 1 + number % 3]


def records(path: Path, size: int = 1 << 30) -> list[Record]:
    return [record for split in splits_of(path, size) for record in records_of(split)]


def told(event: Event) -> list[str]:
    """What an event says, whatever its blank nodes are called."""
    return sorted(re.sub(r"_:\w+", "_:b", str(triple)) for triple in event.triples)


def as_events(found: list[Record]) -> list[tuple[str | None, list[str]]]:
    return [(r.event_id, told(Event.parse(r.body or "", r.format))) for r in found]


@pytest.mark.parametrize("size", [50, 97, 128, 333, 1000, 1 << 20])
def test_quads_at_every_split(tmp_path: Path, size: int) -> None:
    path = tmp_path / "many.nq"
    path.write_text("\n".join(line for n in range(40) for line in nquads(n)) + "\n", encoding="utf-8")
    expected = [(event.id, told(event)) for event in events_from(path)]
    assert as_events(records(path, size)) == expected
    assert len(expected) == 40


@pytest.mark.parametrize("size", [10, 64, 100, 777, 1 << 20])
def test_lines_at_every_split(tmp_path: Path, size: int) -> None:
    path = tmp_path / "many.jsonl"
    lines = [f'{{"@type": "{A}Selling", "{A}title": "{n}"}}' + ("\n" if n % 7 == 0 else "") for n in range(30)]
    lines[4] = f'{{"@id": "urn:x", "@type": "{A}Selling"}}'
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = [(event.id, told(event)) for event in events_from(path)]
    assert as_events(records(path, size)) == expected
    assert "urn:x" in dict(expected)


def test_a_packed_file_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "many.nq.gz"
    path.write_bytes(gzip.compress("\n".join(line for n in range(9) for line in nquads(n)).encode()))
    assert len(splits_of(path, 10)) == 1
    assert as_events(records(path)) == [(event.id, told(event)) for event in events_from(path)]


def test_the_default_graph_alone_is_one_event(tmp_path: Path) -> None:
    path = tmp_path / "one.nq"
    path.write_text(f'_:H <{A}title> "1"^^<urn:t> .\n_:H <{A}target> _:x .\n', encoding="utf-8")
    assert as_events(records(path)) == [(event.id, told(event)) for event in events_from(path)]


def test_broken_lines_spoil_what_they_are_in(tmp_path: Path) -> None:
    path = tmp_path / "broken.nq"
    one, two = nquads(2), nquads(5)
    path.write_text("\n".join([one[0], "nonsense", *one[1:], "rubbish", *two]), encoding="utf-8")
    spoilt, loose, good = records(path)
    assert spoilt.event_id == "urn:e:2"
    assert "nonsense" in (spoilt.body or "")
    assert loose.body is None
    assert "line 5: 'rubbish' is no quad" in (loose.problem or "")
    assert good.event_id == "urn:e:5"


@pytest.mark.parametrize("size", [30, 50, 99, 200, 431])
def test_broken_lines_at_every_split(tmp_path: Path, size: int) -> None:
    path = tmp_path / "broken.nq"
    lines = [line for n in range(20) for line in nquads(n)]
    for place in (3, 9, 10, 20, 33):
        lines.insert(place, f"rubbish {place}")
    path.write_text("\n".join(lines), encoding="utf-8")
    assert records(path, size) == records(path)
    assert sum(record.problem is not None for record in records(path)) >= 1


def test_a_graph_that_returns(tmp_path: Path) -> None:
    path = tmp_path / "returns.nq"
    path.write_text("\n".join([*nquads(1), *nquads(2), *nquads(1)]), encoding="utf-8")
    assert [record.problem is None for record in records(path)] == [True, True, False]


def test_every_file_of_the_examples(project: Path) -> None:
    folder = project / "examples" / "events"
    found = [record for file in event_files(folder) for record in records(file)]
    assert as_events(found) == [(event.id, told(event)) for event in events_from(folder)]


def test_a_file_that_is_gone_or_broken(tmp_path: Path) -> None:
    assert "no such file" in (records(tmp_path / "gone.ttl")[0].problem or "")
    (tmp_path / "broken.trig").write_text("<urn:g> { <urn:a> ", encoding="utf-8")
    assert records(tmp_path / "broken.trig")[-1].problem is not None


def test_the_source_reads_with_modes(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_text("\n".join([*nquads(1), "rubbish", *nquads(2)]), encoding="utf-8")
    (tmp_path / "_hidden.nq").write_text("rubbish", encoding="utf-8")
    reader = spark.read.format("rdf-events").option("splitBytes", "100")
    assert sorted(str(r.event_id) for r in reader.load(str(tmp_path)).collect()) == ["None", "urn:e:1", "urn:e:2"]
    dropped = reader.option("mode", "DROPMALFORMED").load(str(tmp_path))
    assert sorted(r.event_id for r in dropped.collect()) == ["urn:e:1", "urn:e:2"]
    with pytest.raises(Exception, match="rubbish"):
        reader.option("mode", "FAILFAST").load(str(tmp_path)).collect()


def test_an_empty_folder(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="without event files"):
        spark.read.format("rdf-events").load(str(tmp_path)).collect()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "needs a path"),
        ({"path": "s3a://bucket/events"}, "is on s3a, not in a folder"),
        ({"path": "hdfs:/events"}, "mounted on all hosts"),
        ({"path": "/x", "splitBytes": "64m"}, "splitBytes='64m' is no number"),
        ({"path": "/x", "maxFilesPerTrigger": "0"}, "maxFilesPerTrigger='0'"),
    ],
)
def test_options_that_will_not_do(options: dict[str, str], words: str) -> None:
    with pytest.raises(SemanticPubSubError, match=words):
        RdfEvents(options).reader(None)


@pytest.mark.parametrize("start", ["", "file:", "file://"])
def test_a_path_may_be_a_url(tmp_path: Path, start: str) -> None:
    (tmp_path / "a.nq").write_text("\n".join(nquads(1)), encoding="utf-8")
    (piece,) = RdfEvents({"path": f"{start}{tmp_path}"}).reader(None).partitions()
    assert [split.path for split in piece.splits] == [str(tmp_path / "a.nq")]  # type: ignore[attr-defined]
