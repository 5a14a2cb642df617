"""JSON-LD contexts by URL: answered from what the caller gives, never fetched."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
import rdflib

from semantic_pubsub import Event, EventError, Ontology, events_from
from semantic_pubsub.events.contexts import with_contexts
from semantic_pubsub.terms import BlankNode, Literal, NamedNode
from tests.events.samples import read_all, write

URL = "http://far.example/context"
EX = "http://example.org/"
CONTEXT = {
    "ex": EX,
    "id": "@id",
    "type": "@type",
    "name": "ex:name",
    "target": {"@id": "ex:target", "@type": "@id"},
    "price": {"@id": "ex:price", "@type": "http://www.w3.org/2001/XMLSchema#decimal"},
    "Offer": "ex:Offer",
    "unused": "http://unused.example/",
}
DOCUMENT = {"@context": URL, "id": "_:H", "type": "Offer", "name": "chair", "price": "1.50", "target": "ex:t"}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to open a socket or to look up a host fails the test."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)


def parse(document: object, **how: Any) -> Event:
    return Event.parse(json.dumps(document), "json-ld", **how)


def values(event: Event) -> dict[str, str]:
    return {triple.predicate.value.rpartition("/")[2]: triple.object.value for triple in event.triples}


def inlined(document: object, context: object) -> Any:
    return json.loads(with_contexts(json.dumps(document), {URL: context}, None, "http://base.example/"))["@context"]


@pytest.mark.parametrize("wrapped", [CONTEXT, {"@context": CONTEXT}, {"@context": [CONTEXT]}])
@pytest.mark.parametrize("how", ["mapping", "file", "text path"])
def test_a_context_from_what_the_caller_gives(tmp_path: Path, how: str, wrapped: dict[str, Any]) -> None:
    given: object = wrapped
    if how != "mapping":
        path = write(tmp_path / "c.jsonld", json.dumps(wrapped))
        given = path if how == "file" else str(path)
    event = parse(DOCUMENT, contexts={URL: given})
    assert event.home == BlankNode("H")
    assert {str(t) for t in event.triples} == {
        f"_:H <{EX}target> <{EX}t>",
        f'_:H <{EX}name> "chair"',
        f'_:H <{EX}price> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>',
        f"_:H <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{EX}Offer>",
    }


def test_only_the_terms_that_are_used_are_inlined() -> None:
    assert inlined({"@context": URL, "id": "_:H", "name": "x"}, CONTEXT) == {
        "id": "@id",
        "name": "ex:name",
        "ex": EX,
    }


def test_keywords_of_a_context_are_kept_but_not_its_base() -> None:
    context = {"@vocab": EX, "@language": "de", "@version": 1.1, "@base": "http://wrong.example/", "unused": "u:x"}
    document = {"@context": URL, "@id": "h", "name": "Stuhl", "@base": "a key like any other"}
    assert inlined(document, context) == {"@vocab": EX, "@language": "de", "@version": 1.1}
    del document["@base"]
    event = parse(document, contexts={URL: context}, base="http://right.example/")
    assert event.home == NamedNode("http://right.example/h")
    assert event.triples[0].object == Literal("Stuhl", language="de")


def test_a_context_in_a_list_and_below_a_node() -> None:
    document = {
        "@context": [URL, {"own": "ex:own"}],
        "id": "_:H",
        "own": {"@context": ["http://far.example/other"], "inner": 1},
    }
    event = parse(document, contexts={URL: CONTEXT, "http://far.example/other": {"inner": "ex:inner"}})
    assert {t.predicate.value for t in event.triples} == {EX + "own", EX + "inner"}


def test_contexts_may_refer_to_each_other() -> None:
    contexts = {
        URL: {"@context": ["other", {"b": "ex:b"}]},
        "http://far.example/other": {"@context": {"ex": EX, "a": "ex:a"}},
    }
    event = parse({"@context": URL, "@id": "_:H", "a": 1, "b": 2}, contexts=contexts)
    assert values(event) == {"a": "1", "b": "2"}


def test_a_context_may_be_imported() -> None:
    document = {
        "@context": {"@version": 1.1, "@import": URL, "name": "ex:title"},
        "id": "_:H",
        "name": "x",
        "price": "1",
    }
    assert values(parse(document, contexts={URL: CONTEXT})) == {"title": "x", "price": "1"}


def test_a_term_may_bring_a_context_of_its_own() -> None:
    context = {
        "ex": EX,
        "part": {"@id": "ex:part", "@context": {"size": "ex:size"}},
        "box": {"@id": "ex:box", "@context": "http://far.example/other"},
    }
    document = {"@context": URL, "@id": "_:H", "part": {"size": 1}, "box": {"weight": 2}}
    event = parse(document, contexts={URL: context, "http://far.example/other": {"weight": EX + "weight"}})
    assert {t.predicate.value for t in event.triples} == {EX + name for name in ("part", "size", "box", "weight")}


def test_a_relative_context_is_found_by_the_base() -> None:
    document = {**DOCUMENT, "@context": "context"}
    assert len(parse(document, contexts={URL: CONTEXT}, base="http://far.example/x")) == 4


def test_the_context_that_an_ontology_gives() -> None:
    text = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Offer a owl:Class . :target a owl:ObjectProperty . :price a owl:DatatypeProperty ; rdfs:range xsd:decimal ."""
    ontology = Ontology.load(rdflib.Graph().parse(data=text))
    document = {"@context": URL, "@id": "_:H", "@type": "Offer", "price": "1.50", "target": EX + "t"}
    expected = {
        f"_:H <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{EX}Offer>",
        f"_:H <{EX}target> <{EX}t>",
        f'_:H <{EX}price> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>',
    }
    for how in ({"ontology": ontology}, {"contexts": {URL: ontology}}):
        assert {str(t) for t in parse(document, **how).triples} == expected
    given = parse(document, ontology=ontology, contexts={URL: {"@vocab": "u:"}})
    assert {t.predicate.value for t in given.triples} >= {"u:price", "u:target"}


REMOTE = [
    {"@context": URL, "p": 1},
    {"@context": [{"x": "u:x"}, URL], "p": 1},
    {"@context": {"@version": 1.1, "@import": URL}, "p": 1},
    {"u:p": {"@context": URL, "p": 1}},
    {"@context": {"p": {"@id": "u:p", "@context": URL}}, "p": {"q": 1}},
]


@pytest.mark.parametrize("document", REMOTE, ids=["plain", "in a list", "imported", "below", "in a term"])
def test_a_context_that_is_not_given_is_refused(document: object) -> None:
    with pytest.raises(EventError) as caught:
        parse(document)
    message = str(caught.value)
    assert message.startswith(f"the JSON-LD context {URL} is not given (say contexts={{'{URL}': 'file.jsonld'}}")
    assert message.endswith("; nothing is ever fetched)")


def test_a_key_in_disguise_is_refused_as_well() -> None:
    with pytest.raises(EventError, match=r"give the context with contexts=\{url: file\}; nothing is ever fetched"):
        Event.parse('{"\\u0040context": "http://far.example/context", "p": 1}', "json-ld")


def test_a_near_miss_is_named() -> None:
    with pytest.raises(EventError, match=r"did you mean http://far\.example/context\?"):
        parse({**DOCUMENT, "@context": URL + "/"}, contexts={URL: CONTEXT})


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        ({URL: {"@context": URL}}, f"the JSON-LD context {URL} includes itself (break the circle)"),
        ({URL: {"@context": ["u:b"]}, "u:b": {"@context": URL}}, f"the JSON-LD context {URL} includes itself"),
        ({URL: "missing.jsonld"}, f"the JSON-LD context {URL} cannot be read from missing.jsonld: No such file"),
    ],
    ids=["itself", "in a circle", "no file"],
)
def test_bad_contexts(contexts: dict[str, Any], message: str) -> None:
    with pytest.raises(EventError) as caught:
        parse(DOCUMENT, contexts=contexts)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n"a": }', "c.jsonld, line 2: is not a JSON-LD context: not JSON (correct the file)"),
        ('"text"', "c.jsonld: is not a JSON-LD context (give an object with @context)"),
        ("[" * 100_000, "c.jsonld: is not a JSON-LD context: not JSON (correct the file)"),
        ("\0\xff", "c.jsonld, line 1: is not a JSON-LD context: not JSON (correct the file)"),
    ],
)
def test_a_bad_context_file_names_itself(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "c.jsonld", text)
    events = write(tmp_path / "e.jsonl", json.dumps(DOCUMENT) + '\n{"@id": "u:2", "u:p": 1}\n')
    good, errors = read_all(events, contexts={URL: path})
    assert [event.id for event in good] == ["u:2"]
    assert errors == [f"{tmp_path}/{message}"]


def test_a_context_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonld", json.dumps({"name": "u:first"}))
    document = {"@context": URL, "@id": "_:H", "name": 1}
    assert parse(document, contexts={URL: path}).triples[0].predicate.value == "u:first"
    write(path, json.dumps({"name": "u:second!"}))
    assert parse(document, contexts={URL: path}).triples[0].predicate.value == "u:second!"


def test_too_many_contexts() -> None:
    contexts = {f"u:{n}": {} for n in range(60)}
    with pytest.raises(EventError, match="refers to more than 50 JSON-LD contexts by URL"):
        parse({"@context": list(contexts), "u:p": 1}, contexts=contexts)


def test_files_of_lines_take_contexts(tmp_path: Path) -> None:
    path = write(tmp_path / "e.jsonl", (json.dumps({**DOCUMENT, "id": "ex:h"}) + "\n") * 2)
    assert [event.id for event in events_from(path, contexts={URL: CONTEXT})] == [EX + "h"] * 2


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(EventError, match=r"holds a number that is out of range \(write it as a string"):
        Event.parse('{"@context": "u:c", "x": 1e999}', "json-ld", contexts={"u:c": {"x": "u:x"}})
