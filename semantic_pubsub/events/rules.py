"""SHACL rules: triples that follow from an event, such as the years of experience from the year of graduation.

The queries are parsed once. A rule runs once per focus node, in the order of `sh:order`; what it adds is seen by
the rules after it. Asked to iterate, the rules of a shape run until they add nothing, up to a limit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from pyshacl.consts import SH_construct
from pyshacl.helper.expression_helper import nodes_from_node_expression
from pyshacl.helper.sparql_query_helper import SPARQLQueryHelper
from pyshacl.rules import gather_rules
from pyshacl.rules.triple import TripleRule
from rdflib import Literal, URIRef, Variable
from rdflib.paths import Path
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.parserutils import CompValue

from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.errors import OntologyError
from semantic_pubsub.events.shapes import shape_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyshacl.pytypes import SHACLExecutor
    from rdflib.graph import Graph
    from rdflib.plugins.sparql.sparql import Query
    from rdflib.term import Node

    from semantic_pubsub.events.examination import Examination
    from semantic_pubsub.events.prepared import PreparedShape
    from semantic_pubsub.events.shapes import PreparedShapes

__all__ = ["Rules"]

_ROUNDS: Final = 100
_MOST: Final = 100_000


class Rules:
    """All rules of some shapes, prepared; falsy where there are none."""

    def __init__(self, shapes: PreparedShapes, executor: SHACLExecutor) -> None:
        self._origin = shapes.origin
        self._rounds = _ROUNDS if executor.iterate_rules else 1
        try:
            gathered: dict[Any, Any] = dict(gather_rules(executor, shapes))
            ordered = sorted(gathered.items(), key=lambda pair: pair[0].order)
            self._rules = [
                (shape, [_prepared(rule) for rule in sorted(rules, key=lambda r: r.order) if not rule.deactivated])
                for shape, rules in ordered
            ]
        except Exception as error:  # a rule may be wrong in as many ways as SPARQL has
            raise shape_problem(error, self._origin) from None

    def __bool__(self) -> bool:
        return bool(self._rules)

    @property
    def read_hierarchy(self) -> bool:
        """Whether a rule may look at `rdfs:subClassOf`."""
        return any(rule.reads_hierarchy for _, rules in self._rules for rule in rules)

    def apply(self, examination: Examination) -> dict[tuple[Node, Node, Node], None]:
        """Add what follows from the event, and tell it."""
        derived: dict[tuple[Node, Node, Node], None] = {}
        for shape, rules in self._rules:
            self._apply(shape, rules, examination, derived)
        return derived

    def _apply(
        self,
        shape: PreparedShape,
        rules: list[_Rule],
        examination: Examination,
        derived: dict[tuple[Node, Node, Node], None],
    ) -> None:
        for _ in range(self._rounds):
            before = len(derived)
            for rule in rules:
                fresh = dict.fromkeys(rule.derive(examination.graph, examination.nodes(shape)))
                examination.add(fresh)
                derived.update(fresh)
                if len(derived) > _MOST:
                    raise self._endless(shape, f"more than {_MOST:,} triples")
            if len(derived) == before or self._rounds == 1:
                return
        raise self._endless(shape, f"triples after {self._rounds} rounds still")

    def _endless(self, shape: PreparedShape, what: str) -> OntologyError:
        return OntologyError(
            f"the rules of shape {local_name(str(shape.node))} add {what}",
            source=self._origin,
            hint="let a rule stop by itself",
        )


class _Rule(ABC):
    """A rule of pyshacl's: its conditions are asked there, its triples are made here."""

    reads_hierarchy = True

    def __init__(self, rule: Any) -> None:
        self._rule = rule

    def derive(self, graph: Graph, nodes: list[Node]) -> list[tuple[Node, Node, Node]]:
        """The triples that follow for these focus nodes and are not there yet."""
        if not nodes:
            return []
        applicable = self._rule.filter_conditions(nodes, graph)
        return [t for node in applicable for t in self.triples(graph, node) if _is_triple(t) and t not in graph]

    @abstractmethod
    def triples(self, graph: Graph, node: Node) -> Iterable[tuple[Any, Any, Any]]:
        """What the rule says of one focus node."""


class _Construct(_Rule):
    def __init__(self, rule: Any) -> None:
        super().__init__(rule)
        helper: Any = SPARQLQueryHelper(rule.shape, rule.node, None)  # type: ignore[no-untyped-call]
        helper.collect_prefixes()
        self._queries: list[tuple[Query, bool]] = []
        for text in sorted(map(str, rule.shape.sg.objects(rule.node, SH_construct))):
            query = prepareQuery(helper.apply_prefixes(text))
            if query.algebra.name != "ConstructQuery":
                raise ValueError("the query of a rule must be a CONSTRUCT")
            self._queries.append((query, helper.bind_this_regex.search(text) is not None))
        self.reads_hierarchy = any(_reads_hierarchy(query) for query, _ in self._queries)

    def triples(self, graph: Graph, node: Node) -> Iterator[tuple[Any, Any, Any]]:
        for query, binds_this in self._queries:
            result = graph.query(query, initBindings={"this": node} if binds_this else {})  # type: ignore[dict-item]
            yield from result.graph or ()


class _Triples(_Rule):
    reads_hierarchy = False  # an expression that does so names rdfs:subClassOf in the shapes

    def triples(self, graph: Graph, node: Node) -> Iterable[tuple[Any, Any, Any]]:
        rule = self._rule
        s, p, o = (nodes_from_node_expression(each, node, graph, rule.shape.sg) for each in (rule.s, rule.p, rule.o))
        return product(s, p, o)


def _prepared(rule: Any) -> _Rule:
    return _Triples(rule) if isinstance(rule, TripleRule) else _Construct(rule)


def _is_triple(statement: tuple[Any, Any, Any]) -> bool:
    """As SPARQL says: what is no triple of RDF is left out."""
    subject, predicate, value = statement
    return not isinstance(subject, Literal) and isinstance(predicate, URIRef) and value is not None


def _reads_hierarchy(query: Query) -> bool:
    waiting: list[Any] = [query.algebra]
    while waiting:
        part = waiting.pop()
        if isinstance(part, CompValue):
            # A pattern's triples are triples; in a template they are written one after the other.
            predicates = [term for each in part.get("triples") or () for term in list(each)[1::3]]
            if any(isinstance(p, Variable | Path) or str(p).endswith("subClassOf") for p in predicates):
                return True
            waiting.extend(part.values())
        elif isinstance(part, list | tuple | set):
            waiting.extend(part)
    return False
