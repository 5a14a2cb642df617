"""Two engines that know nothing of the product, as independent judges of graph matching.

`sparql_solutions` asks pyoxigraph on the event closed upward, `isomorphic_solutions` asks networkx for monomorphisms.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

import networkx as nx
import pyoxigraph as ox
from networkx.algorithms.isomorphism import DiGraphMatcher

from tests.generators import RDF_TYPE, Asked, Case, Graph, World

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = "urn:home"


def closed_store(event: Graph, world: World) -> ox.Store:
    """The closed event with an IRI in place of home."""
    lines = [f"{s} <{p}> {o} ." for s, p, o in event.closed_arcs(world)]
    lines += [f"{v} <{RDF_TYPE}> <{c}> ." for v, cs in event.classes(world).items() for c in cs]
    text = "\n".join(lines).replace("_:H ", f"<{HOME}> ")
    store = ox.Store()
    store.extend(ox.parse(text, format=ox.RdfFormat.N_TRIPLES))
    return store


def sparql_solutions(case: Case, injective: bool) -> set[frozenset[tuple[str, str]]]:
    """Every solution as {(variable, term)}, blank labels of the pattern as variables dropped from the answer."""
    store = closed_store(case.event, case.world)
    query = _query(case.pattern, injective)
    found = set()
    for solution in store.query(query):
        pairs = ((name, solution[name]) for name in _visible(case.pattern))
        found.add(frozenset((name, "_:H" if str(term) == f"<{HOME}>" else str(term)) for name, term in pairs))
    return found


def _visible(pattern: Asked) -> list[str]:
    return [v[1:] for v in pattern.vertices() if v.startswith("?")]


def _query(pattern: Asked, injective: bool) -> str:
    hidden = {v: f"?hidden_{v[2:]}" for v in pattern.vertices() if v.startswith("_:") and v != "_:H"}
    hidden["_:H"] = f"<{HOME}>"

    def name(vertex: str) -> str:
        return hidden.get(vertex, vertex)

    lines = [f"{name(s)} <{p}> {name(o)} ." for s, p, o in pattern.arcs]
    lines += [f"{name(v)} <{RDF_TYPE}> <{c}> ." for v, c in pattern.classes]
    lines += [f"FILTER({_about_home(condition)})" for condition in pattern.filters]
    if injective:
        for a, b in combinations(pattern.vertices(), 2):
            if not (a.startswith('"') or b.startswith('"')):
                lines.append(f"FILTER(isLiteral({name(a)}) || !sameTerm({name(a)}, {name(b)}))")
    return "SELECT * WHERE {\n" + "\n".join(lines) + "\n}"


def _about_home(condition: str) -> str:
    """Home is a blank node of the event, although the engine knows it by an IRI."""
    condition = re.sub(r"isIRI\((\?\w+)\)", rf"(isIRI(\1) && !sameTerm(\1, <{HOME}>))", condition)
    return re.sub(r"isBlank\((\?\w+)\)", rf"(isBlank(\1) || sameTerm(\1, <{HOME}>))", condition)


def isomorphic_solutions(case: Case) -> Iterator[dict[str, str]]:
    """Injective mappings from pattern to event vertices; for cases without literals, constants and filters."""
    event, pattern = nx.DiGraph(), nx.DiGraph()
    classes = case.event.classes(case.world)
    for vertex in case.event.vertices():
        event.add_node(vertex, home=vertex == "_:H", classes=classes[vertex])
    for s, p, o in case.event.closed_arcs(case.world):
        if not event.has_edge(s, o):
            event.add_edge(s, o, properties=set())
        event.edges[s, o]["properties"].add(p)
    for vertex in case.pattern.vertices():
        asked = {c for v, c in case.pattern.classes if v == vertex}
        pattern.add_node(vertex, home=vertex == "_:H", classes=asked)
    for s, p, o in case.pattern.arcs:
        if not pattern.has_edge(s, o):
            pattern.add_edge(s, o, properties=set())
        pattern.edges[s, o]["properties"].add(p)
    matcher = DiGraphMatcher(
        event,
        pattern,
        node_match=lambda e, p: (e["home"] or not p["home"]) and p["classes"] <= e["classes"],
        edge_match=lambda e, p: p["properties"] <= e["properties"],
    )
    for mapping in matcher.subgraph_monomorphisms_iter():
        yield {wanted: found for found, wanted in mapping.items()}
