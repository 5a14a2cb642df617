"""pyshacl's shapes with their constraints built once, and results that cost nothing but the facts.

pyshacl builds every constraint anew for every focus node, and describes each result in a text that it keeps for
ever (by the graph's address in memory, so that a later graph can be given an earlier one's words). Here a shape
keeps its constraints, and a result is its triples; words are found in `violations`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from pyshacl.constraints import CONSTRAINT_PARAMETERS_MAP
from pyshacl.constraints.advanced import ExpressionConstraint, SH_expression
from pyshacl.consts import (
    SH_focusNode,
    SH_Info,
    SH_resultMessage,
    SH_resultPath,
    SH_resultSeverity,
    SH_sourceConstraint,
    SH_sourceConstraintComponent,
    SH_sourceShape,
    SH_target,
    SH_ValidationResult,
    SH_value,
    SH_Warning,
)
from pyshacl.errors import ConstraintLoadWarning, ReportableRuntimeError
from pyshacl.shape import Shape
from rdflib import BNode, Literal, URIRef
from rdflib.namespace import RDF
from rdflib.term import IdentifiedNode

from semantic_pubsub.events.words import default_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyshacl.pytypes import SHACLExecutor
    from rdflib.graph import Graph

__all__ = ["PreparedShape", "Result"]

Node: TypeAlias = "IdentifiedNode | Literal"
Result: TypeAlias = tuple[str, BNode, list[tuple[Any, Any, Any]]]
"""pyshacl's form: a text (always empty here), the result's node, its triples (an object may be (graph, node))."""

_COMPONENTS = {**CONSTRAINT_PARAMETERS_MAP, SH_expression: ExpressionConstraint}
_PLACEHOLDER = re.compile(r"\{[?$](\w+)\}")


class PreparedShape(Shape):
    """A shape that is ready to run; it holds nothing of an event, so threads may share it."""

    __slots__ = ("constraints", "has_own_target")

    def prepare(self) -> None:
        """Build the constraints; after this nothing of the shape changes any more."""
        self._advanced = True
        self.constraints = tuple(_constraints(self))
        self.has_own_target = (self.node, SH_target, None) in self.sg.graph
        """Whether a query or the like finds the focus nodes, and not a class, property or name."""

    def targets(self) -> tuple[list[Node], ...]:
        """What the shape declares: nodes, classes, implicit classes, properties by object and by subject."""
        return tuple(list(found) for found in self.target())  # type: ignore[no-untyped-call]

    def own_focus_nodes(self, graph: Graph) -> list[Node]:
        """The focus nodes that all its targets find in a graph, by pyshacl's own search."""
        return list(self.focus_nodes(graph))  # type: ignore[no-untyped-call]

    def validate(
        self,
        executor: SHACLExecutor,
        target_graph: Graph,
        focus: Any = None,
        _evaluation_path: list[Any] | None = None,
    ) -> tuple[bool, list[Result]]:
        """pyshacl's verdict on some focus nodes; with none given, on those that the shape's targets find."""
        if self.deactivated:
            return True, []
        nodes = self._nodes(target_graph, focus)
        if not nodes:
            return True, []
        path = [] if _evaluation_path is None else _evaluation_path
        if len(path) // 2 >= executor.max_validation_depth:
            raise ReportableRuntimeError(f"shapes are nested deeper than {executor.max_validation_depth} levels")
        values = self.value_nodes(target_graph, nodes)
        allowed = _allowed(executor)
        path.append(self)
        conforms = True
        results: list[Result] = []
        for constraint in self.constraints:
            holds, found = constraint.evaluate(executor, target_graph, values, [*path, constraint])
            if not holds:
                conforms = conforms and self._is_allowed(allowed, found)
            results.extend(found)
        return conforms, results

    def value_nodes(self, target_graph: Graph, focus: Any, *args: Any, **kwargs: Any) -> Any:
        """The nodes that each focus node's path leads to; most paths are one property."""
        path = self._path
        if isinstance(path, URIRef):
            return {node: set(target_graph.objects(node, path)) for node in focus}
        return super().value_nodes(target_graph, focus, *args, **kwargs)

    def _nodes(self, graph: Graph, focus: Any) -> list[Node]:
        if focus is None:
            return self.own_focus_nodes(graph)
        return [focus] if isinstance(focus, IdentifiedNode | Literal) else list(focus)

    def _is_allowed(self, allowed: frozenset[URIRef], results: list[Result]) -> bool:
        """Whether results of an allowed severity are all that is wrong."""
        if not allowed:
            return False
        if self.severity in allowed:
            return True
        severities = (o for _, node, triples in results for s, p, o in triples if s == node and p == SH_resultSeverity)
        return all(severity in allowed for severity in severities)


@cache
def _severities(infos: bool, warnings: bool) -> frozenset[URIRef]:
    return frozenset([SH_Info] * (infos or warnings) + [SH_Warning] * warnings)


def _allowed(executor: SHACLExecutor) -> frozenset[URIRef]:
    return _severities(executor.allow_infos, executor.allow_warnings)


def _constraints(shape: Any) -> Iterator[Any]:
    kinds = dict.fromkeys(_COMPONENTS[p] for p, _ in shape.sg.predicate_objects(shape.node) if p in _COMPONENTS)
    for kind in kinds:
        try:
            yield _reporting(kind)(shape)
        except ConstraintLoadWarning:  # says nothing on this kind of shape, and is passed over
            continue
    for custom in shape.find_custom_constraints():
        made = custom.make_validator_for_shape(shape)
        made.__class__ = _reporting(made.__class__)
        yield made


class _Reporting:
    """Mixed into pyshacl's constraints: how a result is written down."""

    __slots__ = ()

    def make_v_result(
        self: Any,
        datagraph: Graph,
        focus_node: Node,
        value_node: Node | None = None,
        result_path: Node | None = None,
        constraint_component: URIRef | None = None,
        source_constraint: Node | None = None,
        extra_messages: Iterable[Any] | None = None,
        bound_vars: Any = None,
    ) -> Result:
        shape: Any = self.shape
        shapes = shape.sg.graph
        component = constraint_component or self.shacl_constraint_component
        path = shape.path() if result_path is None else result_path
        node = BNode()
        triples: list[tuple[Any, Any, Any]] = [
            (node, RDF.type, SH_ValidationResult),
            (node, SH_sourceConstraintComponent, (shapes, component)),
            (node, SH_sourceShape, (shapes, shape.node)),
            (node, SH_resultSeverity, shape.severity),
            (node, SH_focusNode, (datagraph, focus_node)),
        ]
        if value_node is not None:
            triples.append((node, SH_value, (datagraph, value_node)))
        if path is not None:
            triples.append((node, SH_resultPath, (shapes, path)))
        if source_constraint is not None:
            triples.append((node, SH_sourceConstraint, (shapes, source_constraint)))
        messages = dict.fromkeys([*(extra_messages or ()), *shape.message])
        if not messages:
            triples.append((node, SH_resultMessage, Literal(default_message(shapes, shape.node, component))))
        triples.extend((node, SH_resultMessage, _filled(message, bound_vars)) for message in messages)
        return "", node, triples


@cache
def _reporting(kind: Any) -> Any:
    """The same kind of constraint with our way of writing results down."""
    return type(kind.__name__, (_Reporting, kind), {"__slots__": ()})


def _filled(message: Any, bound: Any) -> Any:
    """A message of a SPARQL constraint with what the query found in place of `{?name}`."""
    if bound is None or not isinstance(message, Literal):
        return message
    if isinstance(bound, dict):
        values = dict(bound)
    else:
        values = dict(zip(("this", "path", "value"), bound, strict=False))
        values.update(bound[3] if len(bound) > 3 else {})
    given = {name: str(value) for name, value in values.items() if value is not None}
    return Literal(_PLACEHOLDER.sub(lambda found: given.get(found[1], found[0]), str(message)))
