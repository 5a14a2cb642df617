"""Generated worlds for agreement tests: small ontologies, events and patterns, in plain data.

Everything is drawn as data of this module's own (strings and tuples), printed as text for the product, and closed
and queried here without any code of the product. Cycles, self-loops, parallel arcs, several types, several parents,
equal literals and unused names all occur.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

EX = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
THING = OWL + "Thing"

CLASSES = [EX + name for name in "ABCDEF"]
PROPERTIES = [EX + name for name in ("p", "q", "r", "s")]
RESOURCES = ["_:H", "_:a", "_:b", f"<{EX}i>", f"<{EX}j>", "_:c"]
LITERALS = [
    f'"1"^^<{XSD}integer>',
    f'"2"^^<{XSD}integer>',
    f'"1.5"^^<{XSD}decimal>',
    '"x"',
    '"y"',
    '"x"@en',
    f'"true"^^<{XSD}boolean>',
]


@dataclass
class World:
    """An ontology as plain pairs."""

    subclasses: list[tuple[str, str]]
    subproperties: list[tuple[str, str]]
    domains: list[tuple[str, str]]
    ranges: list[tuple[str, str]]

    def text(self) -> str:
        """N-Triples."""
        lines = [f"<{c}> <{RDF_TYPE}> <{OWL}Class> ." for c in CLASSES]
        lines += [f"<{p}> <{RDF_TYPE}> <{RDF}Property> ." for p in PROPERTIES]
        lines += [f"<{a}> <{RDFS}subClassOf> <{b}> ." for a, b in self.subclasses]
        lines += [f"<{a}> <{RDFS}subPropertyOf> <{b}> ." for a, b in self.subproperties]
        lines += [f"<{p}> <{RDFS}domain> <{c}> ." for p, c in self.domains]
        lines += [f"<{p}> <{RDFS}range> <{c}> ." for p, c in self.ranges]
        return "\n".join(lines) + "\n"

    def above(self, name: str) -> set[str]:
        """Everything above or equal to a class or property."""
        found, edges = {name}, self.subclasses + self.subproperties
        while True:
            more = {b for a, b in edges if a in found} - found
            if not more:
                return found
            found |= more


@dataclass
class Graph:
    """An event as plain triples of N-Triples terms; `_:H` is home."""

    arcs: list[tuple[str, str, str]]
    types: list[tuple[str, str]]

    def text(self) -> str:
        lines = [f"{s} <{p}> {o} ." for s, p, o in self.arcs]
        lines += [f"{v} <{RDF_TYPE}> <{c}> ." for v, c in self.types]
        return "\n".join(lines) + "\n"

    def vertices(self) -> list[str]:
        found = dict.fromkeys(["_:H"])
        for s, _, o in self.arcs:
            found[s] = found[o] = None
        for v, _ in self.types:
            found[v] = None
        return list(found)

    def classes(self, world: World) -> dict[str, set[str]]:
        """The closed classes of each resource."""
        closed: dict[str, set[str]] = {}
        for v in self.vertices():
            if v.startswith('"'):
                continue
            own = {c for w, c in self.types if w == v}
            if not own:
                reached = {q for _, p, o in self.arcs if o == v for q in world.above(p)}
                leaving = {q for s, p, _ in self.arcs if s == v for q in world.above(p)}
                own = {c for q, c in world.ranges if q in reached} | {c for q, c in world.domains if q in leaving}
            closed[v] = {d for c in own for d in world.above(c)} | {THING}
        return closed

    def closed_arcs(self, world: World) -> set[tuple[str, str, str]]:
        return {(s, q, o) for s, p, o in self.arcs for q in world.above(p)}


@dataclass
class Asked:
    """A pattern as plain data: vertices are `_:H`, `?name`, `_:label` or constants in N-Triples form."""

    arcs: list[tuple[str, str, str]]
    classes: list[tuple[str, str]] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)

    def vertices(self) -> list[str]:
        found = dict.fromkeys(["_:H"])
        for s, _, o in self.arcs:
            found[s] = found[o] = None
        for v, _ in self.classes:
            found[v] = None
        return list(found)

    def sparql(self) -> str:
        return f"SELECT * WHERE {{\n{self.body()}\n}}"

    def body(self) -> str:
        lines = [f"  {s} <{p}> {o} ." for s, p, o in self.arcs]
        lines += [f"  {v} a <{c}> ." for v, c in self.classes]
        lines += [f"  FILTER({f})" for f in self.filters]
        return "\n".join(lines)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    pairs = st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES))
    prop_pairs = st.tuples(st.sampled_from(PROPERTIES), st.sampled_from(PROPERTIES))
    sides = st.tuples(st.sampled_from(PROPERTIES), st.sampled_from(CLASSES))
    return World(
        draw(st.lists(pairs, max_size=6)),
        draw(st.lists(prop_pairs, max_size=3)),
        draw(st.lists(sides, max_size=2)),
        draw(st.lists(sides, max_size=2)),
    )


@st.composite
def graphs(draw: st.DrawFn, resources_only: bool = False) -> Graph:
    objects = RESOURCES if resources_only else RESOURCES + LITERALS
    first = draw(
        st.lists(
            st.tuples(st.just("_:H"), st.sampled_from(PROPERTIES), st.sampled_from(objects)), min_size=1, max_size=3
        )
    )
    arcs = st.tuples(st.sampled_from(RESOURCES), st.sampled_from(PROPERTIES), st.sampled_from(objects))
    types = st.tuples(st.sampled_from(RESOURCES), st.sampled_from(CLASSES))
    return Graph(first + draw(st.lists(arcs, max_size=9)), draw(st.lists(types, max_size=6)))


FILTERS = [
    "?{0} = ?{1}",
    "?{0} != ?{1}",
    "?{0} < ?{1}",
    "!sameTerm(?{0}, ?{1})",
    "isIRI(?{0}) || ?{1} > 1",
    "?{0} >= 1.5",
    'STR(?{0}) = "x"',
    'LANG(?{0}) = "en"',
    "isBlank(?{0}) && !isBlank(?{1})",
    "?{0} + 1 > 2",
    'CONTAINS(?{0}, "x")',
    '?{0} IN (1, "y", <http://example.org/i>)',
]


@st.composite
def patterns(draw: st.DrawFn, event: Graph, world: World, filters: bool = True, constants: bool = True) -> Asked:
    """A walk through the event with names generalised and vertices renamed: matches about half of the time."""
    names: dict[str, str] = {"_:H": "_:H"}

    def rename(vertex: str) -> str:
        """The pattern's name for an event vertex; now and then a second name, or a constant."""
        if vertex == "_:H" and draw(st.integers(0, 9)):
            return "_:H"
        fresh = f"?v{len(names)}" if draw(st.integers(0, 4)) else f"_:n{len(names)}"
        if constants and not vertex.startswith("_:") and not draw(st.integers(0, 2)):
            fresh = vertex
        if vertex not in names or not draw(st.integers(0, 5)):
            names[vertex if vertex not in names else f"{vertex}#{len(names)}"] = fresh
            return fresh
        return names[vertex]

    arcs: list[tuple[str, str, str]] = []
    reached = {"_:H": "_:H"}
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.sampled_from(sorted(reached)))
        leaving = [(p, o) for s, p, o in event.arcs if s == reached[at]]
        if not leaving or at.startswith('"'):
            continue
        prop, value = draw(st.sampled_from(leaving))
        asked = draw(st.sampled_from(sorted(world.above(prop)) + PROPERTIES[:1]))
        name = rename(value)
        arcs.append((at, asked, name))
        if not value.startswith('"'):
            reached.setdefault(name, value)
    if not arcs:
        arcs.append(("_:H", draw(st.sampled_from(PROPERTIES)), "?v1"))
        reached["?v1"] = "_:a"
    classes = []
    known = event.classes(world)
    for vertex in sorted(reached):
        if not vertex.startswith('"') and draw(st.booleans()):
            fitting = sorted(known.get(reached[vertex], set())) + CLASSES[:2]
            classes.append((vertex, draw(st.sampled_from(fitting))))
    asked_filters = []
    variables = sorted({v[1:] for arc in arcs for v in (arc[0], arc[2]) if v.startswith("?")})
    if filters and variables and draw(st.booleans()):
        template = draw(st.sampled_from(FILTERS))
        asked_filters.append(template.format(draw(st.sampled_from(variables)), draw(st.sampled_from(variables))))
    return Asked(arcs, classes, asked_filters)


@dataclass
class Case:
    world: World
    event: Graph
    pattern: Asked


@st.composite
def cases(draw: st.DrawFn, filters: bool = True, constants: bool = True, resources_only: bool = False) -> Case:
    world = draw(worlds())
    event = draw(graphs(resources_only))
    return Case(world, event, draw(patterns(event, world, filters, constants)))
