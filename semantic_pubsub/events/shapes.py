"""SHACL shapes from files, folders and rdflib graphs: read and checked once."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import rdflib
from pyshacl.errors import ReportableRuntimeError
from pyshacl.shapes_graph import ShapesGraph
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.stores.memory import SimpleMemory

from semantic_pubsub.concepts.guards import DEFAULT_LIMITS
from semantic_pubsub.concepts.loader import load
from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.errors import OntologyError
from semantic_pubsub.events.graphs import add_triples
from semantic_pubsub.events.prepared import PreparedShape
from semantic_pubsub.vocab import SH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from semantic_pubsub.errors import Notice

__all__ = ["PreparedShapes", "ShapesSource", "shape_problem"]

ShapesSource: TypeAlias = "str | os.PathLike[str] | rdflib.Graph | Iterable[str | os.PathLike[str] | rdflib.Graph]"

QUERIES: Final = tuple(rdflib.URIRef(SH + name) for name in ("select", "ask", "construct"))
_LOGGER: Final = logging.getLogger("pyshacl")


class PreparedShapes(ShapesGraph):
    """All shapes of some sources, each ready to run; shared by threads, since nothing changes any more."""

    def __init__(self, source: ShapesSource) -> None:
        graph, self.names, self.notices = _read(source)
        self._prepared: dict[Any, PreparedShape] = {}
        super().__init__(graph, False, _LOGGER)
        try:
            _check_queries(graph)
            self._prepare()
        except (ReportableRuntimeError, RuntimeError, ValueError) as error:
            raise shape_problem(error, self.origin) from None
        if not self._prepared:
            raise OntologyError("holds no SHACL shape", source=self.origin, hint="give a file with sh:NodeShape in it")

    @property
    def origin(self) -> str | None:
        """The files that the shapes come from."""
        return ", ".join(self.names) or None

    @property
    def shapes(self) -> Iterable[PreparedShape]:
        return self._prepared.values()

    def lookup_shape_from_node(self, node: Any) -> PreparedShape:
        return self._prepared[node]

    def _prepare(self) -> None:
        for found in ShapesGraph.shapes.fget(self):  # type: ignore[attr-defined]
            self._prepared[found.node] = PreparedShape(
                self, found.node, p=found.is_property_shape, path=found.path(), logger=_LOGGER
            )
        for shape in self._prepared.values():
            try:
                shape.prepare()
            except ReportableRuntimeError as error:
                raise shape_problem(error, self.origin, shape.node) from None


def shape_problem(error: Exception, source: str | None, node: object = None) -> OntologyError:
    """pyshacl's complaint on a shape in one line."""
    message = " ".join(str(getattr(error, "message", None) or error).split()).rstrip(".")
    where = "a shape" if node is None or isinstance(node, rdflib.BNode) else f"shape {local_name(str(node))}"
    return OntologyError(f"{where} is not valid SHACL: {message}", source=source, hint="correct the shape")


def _read(source: ShapesSource) -> tuple[rdflib.Graph, tuple[str, ...], tuple[Notice, ...]]:
    """One graph of our own with all shapes in it, the files' names, and what deserves a look."""
    one = isinstance(source, str | os.PathLike | rdflib.Graph)
    sources: list[Any] = [source] if one else list(source)  # type: ignore[arg-type]
    graph = rdflib.Graph(SimpleMemory(), bind_namespaces="core")
    loaded = load([s for s in sources if not isinstance(s, rdflib.Graph)], None, DEFAULT_LIMITS, keep_triples=True)
    for prefix, namespace in loaded.prefixes.items():
        graph.bind(prefix, namespace)
    add_triples(graph, loaded.triples or ())
    for given in (s for s in sources if isinstance(s, rdflib.Graph)):
        for prefix, iri in given.namespaces():
            graph.bind(prefix, iri, override=False)
        for statement in given.triples((None, None, None)):
            graph.add(statement)
    return graph, tuple(loaded.sources), tuple(loaded.warnings)


def _check_queries(graph: rdflib.Graph) -> None:
    """Refuse a query that cannot be read, or that would ask the network."""
    for predicate in QUERIES:
        for text in graph.objects(None, predicate):
            kind = f"sh:{local_name(str(predicate))}"
            try:
                parsed = parseQuery(str(text))
            except Exception as error:
                first = str(error).partition("\n")[0]
                raise ValueError(f"its {kind} is no SPARQL query ({first})") from None
            names = {part.name for part in _parts(parsed)}
            if names & {"ServiceGraphPattern", "DatasetClause"}:
                raise ValueError(f"its {kind} asks other sources (SERVICE or FROM), and nothing is ever fetched")


def _parts(tree: Any) -> Iterator[CompValue]:
    """Every named part of a parsed query."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, CompValue):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list | tuple) or type(part).__name__ in ("ParseResults", "plist"):
            waiting.extend(part)
