"""Events that nobody here wrote: schema.org's examples and SOSA's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rdflib

from semantic_pubsub import Event, EventError
from semantic_pubsub.events.formats import format_named
from semantic_pubsub.events.parser import Reading, read_graph
from tests.events.samples import read_all

SCHEMA_URLS = [f"{scheme}://schema.org{end}" for scheme in ("http", "https") for end in ("", "/")]


@pytest.fixture(scope="module")
def contexts(test_data: Path) -> dict[str, Path]:
    return dict.fromkeys(SCHEMA_URLS, test_data / "events" / "schemaorgcontext.jsonld")


@pytest.fixture(scope="module")
def examples(test_data: Path) -> list[str]:
    return (test_data / "events" / "schemaorg-examples.jsonl").read_text(encoding="utf-8").splitlines()


def asking(examples: list[str]) -> list[str]:
    """The documents whose context is schema.org's alone."""
    return [line for line in examples if any(line.startswith(f'{{"@context": "{url}"') for url in SCHEMA_URLS)]


def test_most_examples_of_schema_org_are_events(test_data: Path, contexts: dict[str, Path]) -> None:
    """Of 200 ten are no event: nine have several roots or none, one wants a context of somebody else."""
    path = test_data / "events" / "schemaorg-examples.jsonl"
    events, errors = read_all(path, contexts=contexts)
    assert (len(events), len(errors)) == (190, 10)
    assert all(error.startswith(f"{path}, line ") and len(error.splitlines()) == 1 for error in errors)
    assert sum("home" in error for error in errors) == 9
    assert sum("https://www.w3.org/ns/credentials/v2 is not given" in error for error in errors) == 1


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")
def test_triples_are_those_of_rdflib_with_the_context_inlined(examples: list[str], contexts: dict[str, Path]) -> None:
    """All but one are the same: what is no IRI ("US Grade Levels") rdflib takes for the base, and we leave it out."""
    context = json.loads(contexts["https://schema.org"].read_bytes())["@context"]
    reading = Reading(base="http://example.org/", contexts=contexts)
    differing = []
    for line in asking(examples):
        document = json.loads(line)
        ours = read_graph(line, format_named("json-ld"), reading).triples
        used = {"schema", "type", "id", *_words(document)}
        small = {key: value for key, value in context.items() if key in used or key.startswith("@")}
        inlined = json.dumps(_with_context(document, small))
        theirs = rdflib.Graph().parse(data=inlined, format="json-ld", publicID="http://example.org/")
        if _plain(Event.from_triples(ours, home=ours[0].subject).graph) != _plain(theirs):
            differing.append(document["name"])
    assert differing == ["Designing a treasure map"]


def _plain(graph: rdflib.Graph) -> list[list[str]]:
    """Triples without the names of blank nodes, without what no IRI can be, and numbers by their value."""
    return sorted([_term(term) for term in triple] for triple in graph if not any("{" in str(t) for t in triple))


def _term(term: rdflib.term.Node) -> str:
    if isinstance(term, rdflib.BNode):
        return "_:"
    number = isinstance(term, rdflib.Literal) and isinstance(term.value, int | float)
    return str(float(str(term))) if number and not isinstance(term.value, bool) else repr(term)  # type: ignore[attr-defined]


def _words(node: Any) -> set[str]:
    if isinstance(node, dict):
        return set(node).union(*map(_words, node.values()))
    if isinstance(node, list):
        return set().union(*map(_words, node))
    return {node} if isinstance(node, str) else set()


def _with_context(node: Any, context: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        return {
            k: context if k == "@context" and v in SCHEMA_URLS else _with_context(v, context) for k, v in node.items()
        }
    return [_with_context(v, context) for v in node] if isinstance(node, list) else node


def test_sosa_files_are_read_or_refused_in_one_line(test_data: Path) -> None:
    """Five of ten describe several things and name no home; one is no Turtle."""
    folder = test_data / "events" / "sosa"
    events, errors = read_all(folder)
    assert len(events) == 4
    assert sum("vertices that could be home" in error for error in errors) == 5
    (broken,) = (error for error in errors if "home" not in error)
    assert broken.startswith(f"{folder / 'dht22.ttl'}, line 114, column 18: A dot is expected at the end of statements")
    assert all(len(error.splitlines()) == 1 for error in errors)


def test_without_the_context_each_example_is_refused(examples: list[str]) -> None:
    lines = asking(examples)
    assert len(lines) > 150
    for line in lines:
        with pytest.raises(EventError, match=r"schema\.org/? is not given .* nothing is ever fetched"):
            Event.parse(line, "json-ld")
