"""W3C SPARQL 1.0 evaluation tests whose query is a basic graph pattern with filters.

Each is rooted without changing its meaning: the event's home gets an arc `any` to every node of the data, the pattern
an arc `any` from `_:H` to every one of its vertices. Judged is "has a solution", as the expected file says.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
from rdflib.namespace import RDF

from semantic_pubsub import Event, Ontology, Subscription, SubscriptionError
from semantic_pubsub.subscriptions.algebra import HOME, Arc
from semantic_pubsub.subscriptions.sparql import parse_sparql
from semantic_pubsub.subscriptions.syntax import Parser
from semantic_pubsub.terms import BlankNode, NamedNode, Triple
from tests.matching.test_contract import MATCHERS

ANY = NamedNode("http://example.org/any")
BASE = "http://example.org/w3c/"
RESULT_SET = rdflib.Namespace("http://www.w3.org/2001/sw/DataAccess/tests/result-set#")

# Every test that is not answered as expected, with its reason. The rest must agree.
DIFFERENT: dict[str, str] = {}

# The tests that use what a subscription cannot use: query by query, and what the refusal names.
_VARIABLE_PROPERTY = """
basic: base-prefix-1 base-prefix-2 list-1 list-2 list-3 list-4 prefix-name-1 quotes-1 quotes-2 quotes-3 quotes-4
basic: term-1 term-2 term-4 term-5 term-6 term-7 term-8 term-9 var-1 var-2
distinct: distinct-1 no-distinct-1
expr-builtin: q-langMatches-1 q-langMatches-2 q-langMatches-3 q-langMatches-4 q-langMatches-de-de
graph: graph-01
reduced: reduced-2
triple-match: dawg-tp-01 dawg-tp-03
"""
REFUSED = {
    **{
        f"{folder}/{name}.rq": "a variable property"
        for folder, _, names in (line.partition(": ") for line in _VARIABLE_PROPERTY.strip().splitlines())
        for name in names.split()
    },
    "basic/term-3.rq": "a variable class",
    **dict.fromkeys((f"dataset/dataset-{number}.rq" for number in ("01", "02", "05")), "FROM"),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    import os

    folder = os.environ.get("SEMANTIC_PUBSUB_TEST_DATA")
    if "case" in metafunc.fixturenames:
        manifest = Path(folder) / "sparql-tests" / "manifest.json" if folder else None
        cases = json.loads(manifest.read_text()) if manifest else [{"query": "none"}]
        metafunc.parametrize("case", cases, ids=lambda case: str(case["query"]))


def rooted(text: str) -> Subscription:
    """The query with an arc from home to each vertex; the product's parser, without its check for rootedness."""
    parser = Parser(f"BASE <{BASE}>\n{text}")
    parser.prologue()
    projection, alternatives = parse_sparql(parser)
    patterns = []
    for pattern in alternatives:
        arcs = tuple(Arc(HOME, ANY, vertex) for vertex in pattern.vertices() if vertex != HOME)
        patterns.append(replace(pattern, arcs=arcs + pattern.arcs))
    return Subscription("w3c", tuple(patterns), projection=projection)


def event_of(folder: Path, files: list[str]) -> Event:
    """All data as one event whose home leads to every node."""
    home = BlankNode("H")
    triples = [
        Triple(q.subject, q.predicate, q.object)
        for name in files
        for q in ox.parse(path=str(folder / name), base_iri=BASE)
    ]
    nodes = dict.fromkeys(term for triple in triples for term in (triple.subject, triple.object))
    return Event.from_triples([*(Triple(home, ANY, node) for node in nodes), *triples, Triple(home, ANY, home)])


def has_solution(path: Path) -> bool:
    """What the expected file says, in either of the two formats in use."""
    if path.suffix == ".srx":
        results = ox.parse_query_results(path.read_bytes(), format=ox.QueryResultsFormat.XML)
        return bool(results) if isinstance(results, ox.QueryBoolean) else any(True for _ in results)
    graph = rdflib.Graph().parse(path)
    boolean = next(graph.objects(predicate=RESULT_SET.boolean), None)
    if boolean is not None:
        return bool(boolean.toPython())
    return (None, RESULT_SET.solution, None) in graph and (None, RDF.type, RESULT_SET.ResultSet) in graph


def test_has_a_solution_as_expected(case: dict[str, object], test_data: Path) -> None:
    folder = test_data / "sparql-tests"
    name = str(case["query"])
    text = (folder / name).read_text(encoding="utf-8")
    if name in REFUSED:
        with pytest.raises(SubscriptionError, match=f"{REFUSED[name]}.* is not supported"):
            rooted(text)
        return
    subscription = rooted(text)
    event = event_of(folder, [str(file) for file in case["data"]])  # type: ignore[attr-defined]
    expected = has_solution(folder / str(case["result"]))
    for made in MATCHERS.values():
        matcher = made(Ontology.load())
        matcher.add(subscription)
        answered = matcher.match_ids(event) == ["w3c"]
        if name in DIFFERENT:
            assert answered != expected, f"{name} now agrees: take it off the list"
        else:
            assert answered == expected
