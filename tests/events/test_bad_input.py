"""Bad input: one clear line that names the file, the line and what to do; what is beside it is still read."""

from __future__ import annotations

import gzip
import logging
from pathlib import Path

import pytest

from semantic_pubsub import Event, EventError
from semantic_pubsub.events import Limits
from tests.events.samples import read_all, write

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/"'
BOMB = """<?xml version="1.0"?>
<!DOCTYPE rdf [
<!ENTITY a "ha">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
]>
<rdf:RDF {rdf}><rdf:Description><e:p>&b;</e:p></rdf:Description></rdf:RDF>""".replace("{rdf}", RDF)
DEEP_XML = f"<rdf:RDF {RDF}>\n" + "<rdf:Description><e:p>\n" * 200 + "</e:p></rdf:Description>" * 200 + "</rdf:RDF>"
DEEP_JSON = '{"u:p":' * 5000 + "1" + "}" * 5000

# file name, content, how the line begins after the file's name
CASES = {
    "dot missing": ("a.ttl", "_:H <u:p> 1 .\n_:H <u:q> 2\n_:H <u:r> 3 .", ", line 3, column 1: A dot is expected"),
    "open string": ("a.ttl", '_:H <u:p> "x .', ", line 1, column 11: "),
    "unknown prefix": (
        "a.ttl",
        "\n_:H ex:p 1 .",
        ", line 2, column 5: The prefix ex: has not been declared (add @prefix ex: <http://…> .)",
    ),
    "known prefix": (
        "a.ttl",
        "_:H rdfs:label 'x' .",
        ", line 1, column 5: The prefix rdfs: has not been declared"
        " (add @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .)",
    ),
    "bad IRI": ("a.nt", "_:H <u p> <u:o> .", ", line 1, column 5: Invalid IRI"),
    "two homes": (
        "a.ttl",
        "<u:a> <u:p> 1 . <u:b> <u:p> 2 .",
        ": has 2 vertices that could be home: <u:a>, <u:b> (name",
    ),
    "no home": ("a.ttl", "<u:a> <u:p> <u:b> . <u:b> <u:p> <u:a> .", ": has no home vertex: every one has an incoming"),
    "empty": ("a.ttl", "", ": is empty (an event has at least one triple)"),
    "blank": ("a.jsonld", " \n\t", ": is empty (an event has at least one triple)"),
    "only comments": ("a.ttl", "# nothing\n", ": has no triples (an event says something about its home vertex"),
    "no triples": ("a.jsonld", "[]", ": has no triples (an event says something about its home vertex"),
    "binary": (
        "a.ttl",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        ": is a binary file, not RDF text (give a file in an RDF syntax)",
    ),
    "not UTF-8": (
        "a.ttl",
        '_:H <u:p> 1 .\n_:H <u:q> "Stück" .'.encode("latin-1"),
        ", line 2, column 14: is not UTF-8 (save the file as UTF-8)",
    ),
    "UTF-16": ("a.ttl", '_:H <u:q> "x" .'.encode("utf-16"), ": is a binary file, not RDF text"),
    "quoted triple": (
        "a.ttl",
        '_:H <u:p> "<<" .\n<< _:H <u:p> 1 >> <u:q> 2 .',
        ", line 2, column 1: has a quoted triple (RDF-star, RDF 1.2), which events cannot hold (say it with a vertex",
    ),
    "triple term": ("a.nt", "_:H <u:p> <<( <u:a> <u:b> <u:c> )>> .", ", line 1, column 11: has a quoted triple"),
    "annotation": ("a.ttl", "_:H <u:p> 1 {| <u:q> 2 |} .", ": has a quoted triple"),
    "triple in XML": (
        "a.rdf",
        f'<rdf:RDF {RDF} rdf:version="1.2"><rdf:Description rdf:nodeID="H"><rdf:type rdf:parseType="Triple">'
        '<rdf:Description rdf:about="u:a"><e:q>x</e:q></rdf:Description></rdf:type></rdf:Description></rdf:RDF>',
        ": has a quoted triple",
    ),
    "entities": (
        "a.rdf",
        BOMB,
        ", line 3: declares the XML entity 'a', which is refused in events (write the text out)",
    ),
    "deep XML": ("a.rdf", DEEP_XML, ", line 51: XML is nested deeper than 100 levels (link the parts by identifiers"),
    "deep JSON": ("a.jsonld", DEEP_JSON, ": JSON is nested deeper than 100 levels (link the parts by identifiers"),
    "open tag": ("a.rdf", f"<rdf:RDF {RDF}>\n<e:x>", ", line 2, column 6: not well-formed XML: no element found"),
    "XML prefix": (
        "a.rdf",
        f"<rdf:RDF {RDF}>\n<x:y/></rdf:RDF>",
        ", line 2, column 1: not well-formed XML: unbound prefix",
    ),
    "broken JSON": ("a.jsonld", '{"u:p": 1,\n oops}', ", line 2, column 2: "),
    "broken JSON with a context": ("a.jsonld", '{"@context": "u:c",\n oops}', ", line 2, column 2: is not JSON: "),
    "NaN": ("a.jsonld", '{"@context": "u:c", "x": NaN}', ": is not JSON: NaN is no JSON number"),
    "remote context": (
        "a.jsonld",
        '{"@context": "https://far.example/", "p": 1}',
        ": the JSON-LD context https://far.example/ is not given (say contexts={'https://far.example/': 'file.jsonld'}",
    ),
    "cut gzip": ("a.ttl.gz", gzip.compress(b"_:H <u:p> 1 ." * 9)[:-9], ": is no complete gzip file (pack it again)"),
    "no gzip": ("a.nq.gz", b"_:H <u:p> <u:o> <u:g> .", ": is no complete gzip file (pack it again)"),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    name, content, message = CASES[request.param]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path, f"{path}{message}"


def test_one_line_that_names_the_place(case: tuple[Path, str]) -> None:
    path, expected = case
    if path.name != "a.nq.gz":
        with pytest.raises(EventError) as caught:
            Event.load(path)
        assert str(caught.value).startswith(expected)
        assert caught.value.hint
        assert len(str(caught.value).splitlines()) == 1


def test_the_other_files_are_still_read(case: tuple[Path, str], caplog: pytest.LogCaptureFixture) -> None:
    path, expected = case
    caplog.set_level(logging.WARNING)
    write(path.parent / "0.ttl", "_:H <u:p> 1 .")
    write(path.parent / "z.ttl", "_:H <u:p> 1 .")
    events, errors = read_all(path.parent)
    assert [event.id for event in events] == ["0.ttl", "z.ttl"]
    assert len(errors) == 1
    assert errors[0].startswith(expected)
    assert not caplog.records


def test_text_without_a_file_names_the_given_source() -> None:
    with pytest.raises(EventError, match=r"^queue 7, line 1, column 11: "):
        Event.parse('_:H <u:p> "x .', source="queue 7")


def test_a_huge_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "huge.ttl"
    with path.open("wb") as file:
        file.truncate(40 * 1024 * 1024 * 1024)  # a sparse file: it takes no room
    with pytest.raises(EventError) as caught:
        Event.load(path)
    assert str(caught.value) == (
        f"{path}: is longer than 16,777,216 bytes (an event is a small graph; raise Limits.bytes if it is meant)"
    )


def test_a_packed_bomb_is_not_unpacked_to_its_end(tmp_path: Path) -> None:
    path = write(tmp_path / "bomb.ttl.gz", b" " * 50_000_000)
    with pytest.raises(EventError, match="is longer than 16,777,216 bytes"):
        Event.load(path)


def test_limits_can_be_set() -> None:
    text = " ".join(f"_:H <u:p> {n} ." for n in range(20))
    assert len(Event.parse(text, limits=Limits(triples=20, bytes=len(text)))) == 20
    with pytest.raises(EventError, match=r"has more than 19 triples \(an event is a small graph; raise Limits.triples"):
        Event.parse(text, limits=Limits(triples=19))
    with pytest.raises(EventError, match="is longer than 50 bytes"):
        Event.parse(text, limits=Limits(bytes=50))
    assert len(Event.parse('{"u:p":{"u:p":{"u:p":1}}}', "json-ld", limits=Limits(depth=3))) == 3
    with pytest.raises(EventError, match="JSON is nested deeper than 2 levels"):
        Event.parse('{"u:p":{"u:p":{"u:p":1}}}', "json-ld", limits=Limits(depth=2))


@pytest.mark.parametrize("name", ["bytes", "triples", "depth", "unpacked"])
def test_a_limit_is_at_least_one(name: str) -> None:
    with pytest.raises(ValueError, match=f"Limits.{name} must be at least 1"):
        Limits(**{name: 0})


def test_brackets_in_json_texts_are_no_depth() -> None:
    text = '{"@id": "_:H", "u:p": "' + "[{" * 500 + '\\"", "u:q": [[1], [2]]}'
    assert len(Event.parse(text, "json-ld", limits=Limits(depth=5))) == 3


def test_deep_json_beyond_pythons_stack_is_still_an_event_error() -> None:
    text = '{"@context": "u:c", "x":' * 1 + '{"x":' * 50_000 + "1" + "}" * 50_001
    with pytest.raises(EventError, match="nested too deep"):
        Event.parse(text, "json-ld", limits=Limits(depth=100_000), contexts={"u:c": {"x": "u:x"}})


SIGNS = ['"<<"', "'<<'", '"""<< " << """', "'''<<\n'''", '"\\"<<"', "<u:o> # <<\n", '"a\\\\" , "<<"']


@pytest.mark.parametrize("value", SIGNS)
def test_the_sign_of_a_quoted_triple_in_a_text_or_comment_is_fine(value: str) -> None:
    assert len(Event.parse(f"_:H <u:p> {value} .")) >= 1


@pytest.mark.parametrize("value", SIGNS)
def test_and_behind_it_the_sign_is_seen(value: str) -> None:
    with pytest.raises(EventError, match="has a quoted triple"):
        Event.parse(f"_:H <u:p> {value} . << _:H <u:p> 1 >> <u:q> 2 .")


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ("_:H <u:p> " + "<<( <u:a> <u:b> " * 300_000, "turtle"),
        ("_:H <u:p> " + "<<( <u:a> <u:b> " * 300_000, "nt"),
        ("[" * 2_000_000, "json-ld"),
        ('{"a":"' + '\\"' * 2_000_000 + "[" * 200, "json-ld"),
        ('["' + "a" * 4_000_000 + '",' + "[" * 50 + "]" * 49 + "{}" * 60, "json-ld"),
        ('<u:a> <u:b> "<<' + '\\"' * 2_000_000, "turtle"),
        ("<u:a> <u:b> <<" + '"""' + "\\'" * 1_000_000, "turtle"),
        ("_:H <u:p> " + "[ <u:p> " * 200_000, "turtle"),
        ("_:H <u:p> " + "( " * 200_000, "turtle"),
        ("{ " * 200_000, "n3"),
    ],
    ids=range(10),
)
def test_evil_texts_end(text: str, syntax: str) -> None:
    """Each of these would take the stack, the memory or the time of a reader without guards."""
    with pytest.raises(EventError) as caught:
        Event.parse(text, syntax)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("syntax", ["turtle", "nquads"])
def test_a_word_beyond_the_buffer_of_the_parser(tmp_path: Path, syntax: str) -> None:
    text = '_:H <u:p> "' + "x" * 17_000_000 + '" .'
    message = "holds a word that is too long for the parser"
    with pytest.raises(EventError, match=message):
        Event.parse(text, syntax, limits=Limits(bytes=20_000_000))
    _, errors = read_all(write(tmp_path / "e.nq", text), limits=Limits(bytes=20_000_000))
    assert [error.partition(" (")[0] for error in errors] == [f"{tmp_path / 'e.nq'}, line 1: {message}"]
