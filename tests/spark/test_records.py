"""Cutting files into records: the same events as `events_from` reads, however the file is split."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Event, EventError, SemanticPubSubError, events_from
from semantic_pubsub.events import Limits
from semantic_pubsub.spark.generate import event_text
from semantic_pubsub.spark.line_ids import id_of_line
from semantic_pubsub.spark.lines import numbered_lines
from semantic_pubsub.spark.record import Record, Split
from semantic_pubsub.spark.records import event_files, records_of, splits_of
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
    for name in ("cut.nq", "cut.jsonl"):  # gone after it was divided
        (tmp_path / name).write_text("\n".join(nquads(1) * 9), encoding="utf-8")
        splits = splits_of(tmp_path / name, 200)
        (tmp_path / name).unlink()
        found = [record for split in splits for record in records_of(split)]
        assert len(found) == len(splits) > 3
        assert all("no such file" in (record.problem or "") for record in found)
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


def read_locally(path: Path, **how: Any) -> tuple[list[tuple[str | None, list[str]]], list[EventError]]:
    """The events that are read without Spark, and what is told of the others."""
    problems: list[EventError] = []
    return [(event.id, told(event)) for event in events_from(path, on_error=problems.append, **how)], problems


COMMENTED = [
    '_:H <urn:a> "1" <urn:g1> . # see <http://x>',
    '_:H <urn:a> "1" <urn:g2> . # <urn:c> .',
    '_:H <urn:a> "1" <urn:g3> . # "quoted',
    "# _:H <urn:a> <urn:b> <urn:g9> .",
    '_:H<urn:a>"a # \\" <urn:x> ."@en<urn:g4>.#',
    '_:H <urn:a> "1"^^<urn:t#u> <urn:\\u0067\\u0035> .',
    '_:H <urn:b> "2" <urn:g5> .',
    "_:H <urn:a> _:b.c <urn:g6> .",
    '_:H <urn:a> "1" _:g7 . # blank',
]


@pytest.mark.parametrize("size", [10, 60, 100, 1 << 20])
def test_comments_and_escapes_do_not_hide_the_graph(tmp_path: Path, size: int) -> None:
    path = tmp_path / "commented.nq"
    path.write_text("\n".join(COMMENTED) + "\n", encoding="utf-8")
    expected, problems = read_locally(path)
    assert not problems
    assert as_events(records(path, size)) == expected
    assert [name for name, _ in expected] == [*(f"urn:g{n}" for n in range(1, 7)), "commented.nq:9"]


def test_a_datatype_behind_a_space_is_no_graph(tmp_path: Path) -> None:
    path = tmp_path / "triples.nq"
    path.write_text('_:H <urn:a> "1"^^ <urn:t> .\n_:H <urn:a> "x" @en .\n', encoding="utf-8")
    assert as_events(records(path)) == read_locally(path)[0]


@pytest.mark.parametrize("size", [20, 1 << 20])
def test_a_triple_between_quads_spoils_nothing_but_itself(tmp_path: Path, size: int) -> None:
    path = tmp_path / "outside.nq"
    path.write_text("\n".join([nquads(2)[0], '_:H <urn:a> "1" .', *nquads(2)[1:], *nquads(4)]), encoding="utf-8")
    found = records(path, size)
    assert as_events([record for record in found if record.body]) == read_locally(path)[0]
    assert [record.source for record in found if record.problem] == ["outside.nq:2"]


LATIN = f'{{"@id": "urn:l", "@type": "{A}Selling", "{A}title": "Caf\xe9"}}\n'.encode("latin-1")


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonld", "a.nq", "a.ttl"])
def test_what_is_not_utf_8_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    statement = f'_:H <{A}title> "Caf\xe9"'
    text = {"a.nq": f"{statement} <urn:g> .\n", "a.ttl": f"{statement} ."}.get(name, LATIN.decode("latin-1"))
    path.write_bytes(text.encode("latin-1"))
    (found,) = records(path)
    assert found.body is None
    assert "is not UTF-8" in (found.problem or "")
    assert len(read_locally(path)[1]) == 1


NUL_LINES = {
    "a.jsonl": [f'{{"@id": "urn:e:{n}", "@type": "{A}Selling", "{A}title": "x"}}' for n in range(9)],
    "a.nq": [line for n in range(9) for line in nquads(n)],
}


@pytest.mark.parametrize("name", list(NUL_LINES))
@pytest.mark.parametrize("size", [50, 300, 1 << 20])
def test_a_nul_spoils_one_record(tmp_path: Path, name: str, size: int) -> None:
    lines = [*NUL_LINES[name]]
    broken = next(n for n, line in enumerate(lines) if "urn:e:4" in line)
    lines[broken] = lines[broken].replace("#", "#\0", 1)
    path = tmp_path / name
    path.write_text("\n".join(lines), encoding="utf-8")
    found = records(path, size)
    good = as_events([record for record in found if record.body])
    (bad,) = [record for record in found if record.problem]
    assert [event_id for event_id, _ in good] == [f"urn:e:{n}" for n in range(9) if n != 4]
    assert f"{name}, line {broken + 1}: " in (bad.problem or "")
    expected, problems = read_locally(path)
    assert good == expected
    assert [problem.line for problem in problems] == [broken + 1]


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.nq.gz", "a.ttl.gz"])
def test_a_damaged_packed_file_is_a_bad_record(tmp_path: Path, name: str) -> None:
    packed = bytearray(gzip.compress("\n".join(line for n in range(2000) for line in nquads(n)).encode()))
    packed[len(packed) // 2 : len(packed) // 2 + 64] = bytes(64)
    (tmp_path / name).write_bytes(packed)
    found = records(tmp_path / name)
    assert "is no complete gzip file" in (found[-1].problem or "")


def test_a_packed_file_that_grows_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semantic_pubsub.spark.lines.DEFAULT_LIMITS", Limits(unpacked=1_000))
    (tmp_path / "a.nq.gz").write_bytes(gzip.compress("\n".join(nquads(1) * 100).encode()))
    assert "unpacks to more than 1,000 bytes" in (records(tmp_path / "a.nq.gz")[-1].problem or "")


def test_an_event_that_is_too_big_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semantic_pubsub.spark.quad_records.DEFAULT_LIMITS", Limits(bytes=300))
    (tmp_path / "a.nq").write_text("\n".join([*nquads(1) * 9, *nquads(3)]), encoding="utf-8")
    big, good = records(tmp_path / "a.nq")
    assert "urn:e:1 is longer than 300 bytes" in (big.problem or "")
    assert good.event_id == "urn:e:3"


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The places of all lines of N-Quads that are read from now on."""
    places: list[int] = []

    def reading(path: Path, split: Split) -> Any:
        for found in numbered_lines(path, split):
            places.append(found[0])
            yield found

    monkeypatch.setattr("semantic_pubsub.spark.quad_records.numbered_lines", reading)
    return places


def test_a_large_default_graph_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = counted(monkeypatch)
    path = tmp_path / "a.nq"
    path.write_text("".join(f'_:H <urn:a> "{n}" .\n# {n}\n' for n in range(1000)), encoding="utf-8")
    splits = splits_of(path, 1000)
    found = [record for split in splits for record in records_of(split)]
    assert [record.source for record in found] == [f"a.nq:{2 * n + 1}" for n in range(1000)]
    assert len(splits) > 20
    assert len(places) < 2000 + len(splits)  # one line beyond the end of each


def test_an_event_is_given_up_where_strange_lines_do_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semantic_pubsub.spark.quad_records.DEFAULT_LIMITS", Limits(triples=10))
    path = tmp_path / "a.nq"
    stray = [f'_:H <urn:a> "{n}" .' for n in range(200)]
    path.write_text("\n".join([*nquads(2), *stray, *nquads(4)]), encoding="utf-8")
    whole = records(path)
    assert [record.event_id for record in whole if record.body] == ["urn:e:2", "urn:e:4"]
    assert [record.source for record in whole if record.problem] == [f"a.nq:{n + 4}" for n in range(200)]
    places = counted(monkeypatch)
    first = next(records_of(splits_of(path, 400)[0]))
    assert first == whole[0]
    assert len(places) == 3 + 10 + 1
    assert [record for record in records(path, 400) if record.body] == [whole[0], whole[-1]]


def test_a_line_that_is_too_long_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("lines", "quad_records"):
        monkeypatch.setattr(f"semantic_pubsub.spark.{module}.DEFAULT_LIMITS", Limits(bytes=500))
    path = tmp_path / "a.nq"
    path.write_text("\n".join([*nquads(2), f'_:H <urn:a> "{"x" * 999}" .', *nquads(4)]), encoding="utf-8")
    for size in (100, 250, 700, 1 << 20):
        assert [record.source for record in records(path, size) if record.problem] == ["a.nq:4"]


def test_a_byte_order_mark_moves_no_border(tmp_path: Path) -> None:
    path = tmp_path / "marked.nq"
    path.write_text("\ufeff" + "\n".join(line for n in range(9) for line in nquads(n)), encoding="utf-8")
    expected = read_locally(path)[0]
    assert len(expected) == 9
    for size in range(60, 140):
        assert as_events(records(path, size)) == expected


# ids in JSON-LD

OFFERS = "http://offers.example/"
CONTEXT = {"@context": {"id": "@id", "title": f"{A}title", "see": {"@id": f"{A}see", "@type": "@id"}}}


@pytest.mark.parametrize(
    "line",
    [
        '{"@id": "urn:x", "urn:p": {"urn:q": 1}}',
        '{"@id": "http://x/a.b/c", "urn:p": {"@id": "urn:y", "urn:q": 1}}',
        '{"@id": "http://x/a/../b", "urn:p": 1}',
        '{"@id": "x:y", "@context": {"x": "urn:long:"}, "urn:p": 1}',
        '{"@id": "x:y", "@context": {"z": "urn:long:", "id": "@id"}, "z:p": {"id": "z:a", "z:p": "x"}}',
        '{"@id": "rel", "urn:p": 1}',
        '{"@id": "urn:g", "@graph": [{"@id": "urn:home", "urn:p": 1}]}',
        '{"@id": "urn:g", "@graph": [{"urn:p": 1}]}',
        '{"@id": "urn:x", "@reverse": {"urn:p": {"@id": "urn:home"}}}',
        '{"@id": "urn:x", "urn:p": {"@id": "_:H", "urn:q": 1}}',
        '{"@id": "urn:x", "\\u0040reverse": {"urn:p": {"@id": "urn:home"}}}',
        '{"@id": "urn:x", "@context": {"is": {"@reverse": "urn:p"}}, "is": {"@id": "urn:home"}}',
        '{"@id": "urn:x", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type": {"@id": "urn:home", "urn:p": 1}}',
        '{"@id": "urn:x", "urn:p": {"@id": "urn:y", "urn:q": {"@id": "urn:x"}}}',
        '{"urn:p": {"@id": "urn:y", "urn:q": 1}}',
        '{"\\u0040id": "urn:x", "urn:p": 1}',
        '{"@context": {"@base": "http://b/"}, "@id": "urn:b", "p": {"@type": "urn:T"}}',
        '{"@context": {"q": "urn:q"}, "@id": "urn:b", "q": [{"p": [{"@id": "urn:y", "urn:r": 1}]}]}',
        '{"@context": {"@vocab": "urn:v:", "p": null}, "@id": "urn:b", "p": {"@type": "urn:T"}}',
        '{"@context": {"p": {"@id": null}}, "@id": "urn:b", "p": {"@type": "urn:T"}}',
        '{"@context": {"p": {"@type": "@id"}}, "@id": "urn:b", "p": {"@type": "urn:T"}}',
        '{"@context": {"@vocab": null}, "@id": "urn:b", "p": {"@type": "urn:T"}}',
        '{"@context": {"q": "urn:q"}, "@id": "urn:b", "q": {"@type": "urn:T"}}',
        '[{"@id": "urn:x", "urn:p": 1}]',
        '{"@id": 5}',
        '{"@id": "urn:x"',
        f'{{"@context": "{OFFERS}", "id": "urn:x", "title": "Dune"}}',
        f'{{"@context": ["{OFFERS}", {{"urn": "urn:far:"}}], "id": "urn:x", "title": "Dune"}}',
    ],
)
def test_ids_are_those_of_local_reading(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    (split,) = splits_of(path, 1 << 30)
    (found,) = records_of(split, {OFFERS: CONTEXT})
    expected, problems = read_locally(path, contexts={OFFERS: CONTEXT})
    assert [found.event_id] == [name for name, _ in expected] or problems
    assert found.body == line


def test_an_id_on_top_of_a_tree_costs_no_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semantic_pubsub.spark.line_ids.read_graph", None)
    for contexts in (None, {OFFERS: CONTEXT}):  # no document here refers to one
        assert id_of_line(event_text(1, 5), contexts) == "urn:event:1:5"
        assert id_of_line('{"urn:p": 1}', contexts) is None
    assert id_of_line('{"@context": {"@vocab": "urn:v:"}, "@id": "urn:b", "p": {"q": [{"r": 1}]}}') == "urn:b"


def test_a_graph_in_a_document_with_a_context(spark: Any, tmp_path: Path) -> None:
    document = f'{{"@context": "{OFFERS}", "id": "urn:g", "@graph": [{{"title": "Dune"}}]}}'
    (tmp_path / "a.jsonld").write_text(document, encoding="utf-8")
    (tmp_path / "b.jsonl").write_text(f'{{"@context": "{OFFERS}", "id": "urn:b", "title": "Dune"}}', encoding="utf-8")
    reader = spark.read.format("rdf-events")
    plain = reader.load(str(tmp_path)).collect()
    assert [(row.event_id, row.problem) for row in plain] == [("a.jsonld", None), ("b.jsonl:1", None)]
    (tmp_path / "context").write_text(json.dumps(CONTEXT), encoding="utf-8")
    for given in (CONTEXT, str(tmp_path / "context")):
        found = reader.option("contexts", json.dumps({OFFERS: given})).load(str(tmp_path)).collect()
        assert sorted(row.event_id for row in found) == ["urn:b", "urn:g"]


def test_the_list_of_a_stream_survives_a_crash_and_strange_names(tmp_path: Path) -> None:
    for name in ("a.nq", "b\u2028c.nq", "d\u00e9.nq"):
        (tmp_path / name).write_text("", encoding="utf-8")
    log = tmp_path / ".rdf-events.log"
    log.write_bytes("a.nq\nd\u00e9".encode()[:-1])  # half a letter of the last name
    for _ in range(2):
        assert RdfEvents({"path": str(tmp_path)}).streamReader(None).latestOffset({"files": 0}, None) == {"files": 3}  # type: ignore[call-arg, arg-type]
    assert log.read_text(encoding="utf-8") == "a.nq\nb\u2028c.nq\nd\u00e9.nq\n"


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
        ({"path": "/x", "contexts": "[1]"}, "contexts is no JSON object"),
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
