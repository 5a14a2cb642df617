"""TriG and N-Quads as streams: one event per named graph, in constant memory, with the line of every error."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from semantic_pubsub import Event, EventError, events_from
from semantic_pubsub.events import Limits
from semantic_pubsub.terms import BlankNode
from tests.events.samples import read_all, write

PREFIX = "@prefix : <http://example.org/> .\n"
EX = "http://example.org/"


def quad(graph: str, value: str = "<u:o>", subject: str = "_:H") -> str:
    return f"{subject} <u:p> {value} {graph} .\n"


def ids(events: list[Event]) -> list[str | None]:
    return [event.id for event in events]


def test_each_graph_is_an_event_with_its_own_blank_nodes(tmp_path: Path) -> None:
    text = PREFIX + ":e1 { _:H :to _:x . _:x :size 1 }\n:e2 { _:H :to _:x . _:x :size 2 }\nGRAPH :e3 { [] :size 3 }\n"
    first, second, third = events_from(write(tmp_path / "e.trig", text))
    assert ids([first, second, third]) == [EX + "e1", EX + "e2", EX + "e3"]
    assert first.home == second.home == BlankNode("H")
    assert [len(event) for event in (first, second, third)] == [2, 2, 1]
    assert first != second
    assert first.prefixes[""] == EX
    assert first.warnings == ()


def test_graphs_with_blank_names_take_the_line_as_id(tmp_path: Path) -> None:
    text = PREFIX + "_:g1 { _:H :p 1 }\n[] {\n _:H :p 2 }\n"
    assert ids(list(events_from(write(tmp_path / "e.trig", text)))) == ["e.trig:2", "e.trig:4"]


def test_quads_of_a_graph_stand_together(tmp_path: Path) -> None:
    path = write(tmp_path / "e.nq", quad("<u:1>") + quad("<u:1>", "<u:o2>") + quad("<u:2>"))
    assert [len(event) for event in events_from(path)] == [2, 1]


def test_a_graph_that_returns_is_an_error_at_its_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "e.nq", quad("<u:1>") + quad("<u:2>") + "# a comment\n" + quad("<u:1>", "1") + quad("<u:3>")
    )
    path.write_text(path.read_text().replace(" 1 <", ' "1" <'))
    events, errors = read_all(path)
    assert ids(events) == ["u:1", "u:2", "u:3"]
    assert errors == [
        f"{path}, line 4: the graph <u:1> returns after its event was read (keep the quads of a graph together)"
    ]


def test_a_graph_that_returns_in_trig(tmp_path: Path) -> None:
    path = write(tmp_path / "e.trig", PREFIX + ":a { _:H :p 1 }\n:b { _:H :p 1 }\n\n:a { _:H :q 2 }\n")
    events, errors = read_all(path)
    assert ids(events) == [EX + "a", EX + "b"]
    assert errors == [
        f"{path}, line 5: the graph <http://example.org/a> returns after its event was read"
        " (keep the quads of a graph together)"
    ]


@pytest.mark.parametrize(("name", "text"), [("e.trig", PREFIX + "_:H :p 1 ; :q 2 ."), ("e.nq", quad("") * 2)])
def test_triples_without_a_graph_are_one_event_if_they_are_all(tmp_path: Path, name: str, text: str) -> None:
    (event,) = events_from(write(tmp_path / name, text))
    assert event.id == name


@pytest.mark.parametrize(
    ("text", "line", "good"),
    [
        (quad("") + quad("<u:1>") + quad("<u:2>"), 1, ["u:1", "u:2"]),
        (quad("<u:1>") + quad("") + quad("") + quad("<u:2>"), 2, ["u:1", "u:2"]),
        (quad("<u:1>") + quad("<u:2>") + quad(""), 3, ["u:1", "u:2"]),
    ],
    ids=["before", "between", "after"],
)
def test_triples_beside_graphs_are_an_error(tmp_path: Path, text: str, line: int, good: list[str]) -> None:
    path = write(tmp_path / "e.nq", text)
    events, errors = read_all(path)
    assert sorted(ids(events)) == good  # type: ignore[type-var]
    assert errors == [
        f"{path}, line {line}: a triple outside the named graphs"
        " (in a file with several events each triple belongs to an event's graph)"
    ]


@pytest.mark.parametrize(
    ("broken", "good"),
    [
        ("junk\n", ["u:1", "u:2", "u:3"]),
        ('_:H <u:p> "open <u:2> .\n', ["u:1", "u:3"]),
        ("_:H <u p> <u:o> <u:1> .\n", ["u:2", "u:3"]),
        ("<<( _:a <u:p> <u:o> )>> <u:p> <u:o> <u:2> .\n", ["u:1", "u:3"]),
    ],
    ids=["no graph in it", "of the next event", "of the event before", "triple term"],
)
def test_a_broken_line_spoils_only_its_event(tmp_path: Path, broken: str, good: list[str]) -> None:
    path = write(tmp_path / "e.nq", quad("<u:1>") + broken + quad("<u:2>") + quad("<u:3>"))
    events, errors = read_all(path)
    assert ids(events) == good
    (error,) = errors
    assert error.startswith(f"{path}, line 2")
    assert ("is left out" in error) == (len(good) == 2)


def test_a_broken_line_inside_an_event_spoils_it(tmp_path: Path) -> None:
    path = write(tmp_path / "e.nq", quad("<u:1>") + "junk\n" + quad("<u:1>", "<u:x>") + quad("<u:2>"))
    events, errors = read_all(path)
    assert ids(events) == ["u:2"]
    assert len(errors) == 1
    assert "the event <u:1> is left out" in errors[0]


def test_many_broken_lines(tmp_path: Path) -> None:
    text = "".join(quad(f"<u:{n}>") + f"junk {n}\n" for n in range(50))
    events, errors = read_all(write(tmp_path / "e.nq", text))
    assert len(events) == 50
    assert [error.partition(":")[0].rpartition("line ")[2].split(",")[0] for error in errors] == [
        str(2 * n + 2) for n in range(50)
    ]


def test_a_bad_event_names_its_first_line(tmp_path: Path) -> None:
    two_homes = quad("<u:1>", subject="<u:a>") + quad("<u:1>", subject="<u:b>")
    path = write(tmp_path / "e.nq", quad("<u:0>") + two_homes + quad("<u:2>"))
    events, errors = read_all(path)
    assert ids(events) == ["u:0", "u:2"]
    assert errors[0].startswith(f"{path}, line 2: ")
    assert "has 2 vertices that could be home: <u:a>, <u:b>" in errors[0]


@pytest.mark.parametrize(
    ("tail", "line"),
    [
        (":b {\n _:H :p 1 .\n :q }", 5),
        (":b { _:H :p }", 3),
        ("}", 3),
        (":b { _:H unknown:p 1 }", 3),
        (":b {\n _:H :p '}' . '", 4),
    ],
)
def test_broken_trig_gives_the_events_before_it(tmp_path: Path, tail: str, line: int) -> None:
    path = write(tmp_path / "e.trig", PREFIX + ":a { _:H :p 1 }\n" + tail)
    events, errors = read_all(path)
    assert ids(events) == [EX + "a"]
    assert errors[0].startswith(f"{path}, line {line}, column")
    assert "the file is not read beyond it" in errors[0]


@pytest.mark.parametrize(
    "text",
    [
        ":a { _:H :p 1 .\n _:H :q oops }\n",
        ":a { _:H :p 1 . _:H :q oops }\n",
        ":z { _:H :p 1 } :a { _:H :p '}' . # }\n _:H :q oops }\n",
        ":a {\n _:H :p 1 . _:H :q 2 {| :r oops |} }\n",
    ],
)
def test_an_event_that_broken_trig_cuts_is_left_out(tmp_path: Path, text: str) -> None:
    events, errors = read_all(write(tmp_path / "e.trig", PREFIX + text))
    assert EX + "a" not in ids(events)
    assert len(errors) == 1
    assert "the event <http://example.org/a> is left out" in errors[0]


@pytest.mark.parametrize("name", ["e.trig", "e.nq"])
@pytest.mark.parametrize("text", ["", "\n\n", "# only words\n"])
def test_a_file_without_an_event(tmp_path: Path, name: str, text: str) -> None:
    path = write(tmp_path / name, text)
    assert read_all(path) == ([], [f"{path}: has no event in it (write one graph per event)"])


def test_a_big_event_is_refused_and_the_next_is_read(tmp_path: Path) -> None:
    big = "".join(quad("<u:1>", f"<u:o{n}>") for n in range(100))
    path = write(tmp_path / "e.nq", big + quad("<u:2>"))
    for limits in (Limits(triples=50), Limits(bytes=500)):
        events, errors = read_all(path, limits=limits)
        assert ids(events) == ["u:2"]
        assert errors[0].startswith(f"{path}, line 1: the event <u:1> has more than {limits.triples:,} triples")


def test_big_triples_without_a_graph_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "e.nq", "".join(quad("", f"<u:o{n}>") for n in range(100)))
    _, errors = read_all(path, limits=Limits(triples=50))
    assert errors == [
        f"{path}, line 1: has more than 50 triples (an event is a small graph; raise Limits.triples if it is meant)"
    ]


def test_what_holds_no_triple_is_not_kept_for_ever(tmp_path: Path) -> None:
    path = write(tmp_path / "e.nq", quad("<u:1>") + "# words\n" * 1000 + quad("<u:2>"))
    _, errors = read_all(path, limits=Limits(bytes=2000))
    assert errors == [f"{path}, line 252: has 2,000 bytes without a triple (take them out, or raise Limits.bytes)"]


def test_a_packed_file_may_not_unpack_without_end(tmp_path: Path) -> None:
    path = write(tmp_path / "e.nq.gz", "".join(quad(f"<u:{n}>") for n in range(1000)))
    events, errors = read_all(path, limits=Limits(unpacked=1000))
    assert 10 < len(events) < 100
    assert len(errors) == 1
    assert "unpacks to more than 1,000 bytes (raise Limits.unpacked if it is meant)" in errors[0]


def test_a_cut_packed_file_gives_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "e.nq.gz"
    whole = gzip.compress("".join(quad(f"<u:{n}>") for n in range(50_000)).encode())
    path.write_bytes(whole[: len(whole) // 2])
    events, errors = read_all(path)
    assert 10_000 < len(events) < 40_000
    assert errors == [f"{path}: is no complete gzip file (pack it again)"]


@pytest.mark.parametrize("name", ["e.nq", "e.trig"])
def test_bytes_that_are_no_text(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, b"\x7fELF\0\0\0\n\0")
    assert read_all(path) == ([], [f"{path}: is a binary file, not RDF text (give a file in an RDF syntax)"])


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = write(tmp_path / "e.nq", quad("<u:1>").encode() + '_:H <u:p> "é" <u:2> .\n'.encode("latin-1"))
    events, errors = read_all(path)
    assert ids(events) == ["u:1"]
    assert errors[0].startswith(f"{path}, line 2")
    assert "save the text as UTF-8" in errors[0]


def test_deep_triple_terms_do_not_reach_the_parser(tmp_path: Path) -> None:
    deep = "_:H <u:p> " + "<<( _:a <u:p> " * 200_000 + "_:b" + " )>>" * 200_000 + " <u:1> .\n"
    path = write(tmp_path / "e.nq", deep + quad("<u:2>"))
    events, errors = read_all(path)
    assert ids(events) == ["u:2"]
    assert len(errors) == 1
    assert "quoted triple" in errors[0]


def generated(path: Path, events: int) -> Path:
    with path.open("w") as file:
        for n in range(events):
            if path.suffix == ".jsonl":
                file.write(f'{{"@id": "http://example.org/events/{n}", "u:p": [1, 2, 3, 4, 5, 6, 7, 8, {n}]}}\n')
            elif path.suffix == ".nq":
                file.writelines(quad(f"<http://example.org/events/{n}>", f"<u:o{o}>") for o in range(8))
            else:
                file.write(f"<http://example.org/events/{n}> {{ _:H <u:p> 1, 2, 3, 4, 5, 6, 7, 8 . }}\n")
    return path


def drained(events: Iterator[Event]) -> int:
    tracemalloc.start()
    try:
        assert sum(1 for _ in events) > 0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["e.nq", "e.trig", "e.jsonl"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str) -> None:
    """Ten times as many events: only the table of the names that were seen grows, by 16 to 32 bytes a name."""
    small = drained(events_from(generated(tmp_path / name, 300)))
    large = drained(events_from(generated(tmp_path / name, 3000)))
    assert large < small + 3000 * 64
    assert large < 1_000_000


def test_a_name_is_noticed_again_among_very_many(tmp_path: Path) -> None:
    path = tmp_path / "e.nq"
    with path.open("w") as file:
        file.writelines(quad(f"<u:{n}>") for n in range(5000))
        file.write(quad("<u:7>"))
    with pytest.raises(EventError, match=r"line 5001: the graph <u:7> returns"):
        list(events_from(path))
