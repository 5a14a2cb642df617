"""Events against SHACL shapes, on pyshacl, with everything prepared that does not depend on the event.

pyshacl parses and reads its shapes for every call. Here the shapes are read once, only those whose target
occurs in the event are run, and instead of a whole ontology the event is given the superclasses of its own classes.
Verdicts and results are pyshacl's.
"""

from __future__ import annotations

import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from pyshacl.errors import ReportableRuntimeError, ShapeRecursionWarning
from pyshacl.functions import apply_functions, gather_functions, unapply_functions
from pyshacl.pytypes import SHACLExecutor
from pyshacl.target import apply_target_types, gather_target_types
from pyshacl.validator import Validator
from rdflib import RDFS, URIRef

from semantic_pubsub.errors import EventError, SemanticPubSubError, ValidationError
from semantic_pubsub.events.examination import EventGraph, Examination
from semantic_pubsub.events.graphs import without_literal_warnings
from semantic_pubsub.events.report import ValidationReport
from semantic_pubsub.events.rules import Rules
from semantic_pubsub.events.shapes import QUERIES, PreparedShapes, ShapesSource, shape_problem
from semantic_pubsub.events.superclasses import Superclasses
from semantic_pubsub.events.targets import Targets
from semantic_pubsub.events.violations import violations
from semantic_pubsub.terms import Triple, from_rdflib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.errors import Notice
    from semantic_pubsub.events.model import Event
    from semantic_pubsub.events.prepared import Result

__all__ = ["EventValidator"]

_DEEPEST: Final = 200  # shapes inside shapes; pyshacl's own limit of 15 is too low for schema.org's
_SHOWN: Final = 3
_functions: Final = threading.RLock()


class EventValidator:
    """Validates events against SHACL shapes, and derives what their rules say.

    `shapes` is a file, a folder, an rdflib graph, or several of these. With an ontology `sh:class` and
    `sh:targetClass` respect its sub-classes. Any severity refuses an event, as SHACL says, unless
    `allow_warnings` is set: then warnings and infos are remarks only. A validator may be shared by threads.
    """

    def __init__(
        self,
        shapes: ShapesSource,
        ontology: Ontology | None = None,
        *,
        allow_warnings: bool = False,
        iterate_rules: bool = False,
    ) -> None:
        with without_literal_warnings():
            self._shapes = PreparedShapes(shapes)
            self._executor = SHACLExecutor(
                advanced_mode=True,
                allow_warnings=allow_warnings,
                iterate_rules=iterate_rules,
                max_validation_depth=_DEEPEST,
            )
            try:
                apply_target_types(gather_target_types(self._shapes))
                self._functions = gather_functions(self._executor, self._shapes)
            except (ReportableRuntimeError, RuntimeError, TypeError, Warning) as error:
                raise shape_problem(error, self._shapes.origin) from None
            self._rules = Rules(self._shapes, self._executor)
            self._targets = Targets(self._shapes.shapes, self._superclasses(ontology))

    def __len__(self) -> int:
        """How many shapes there are, the shapes inside shapes included."""
        return len(list(self._shapes.shapes))

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What deserves a look in the shapes' files, such as imports that are missing."""
        return self._shapes.notices

    def validate(self, event: Event) -> ValidationReport:
        """Examine an event, with what the rules derive."""
        return self._examine(event)[1]

    def check(self, event: Event) -> Event:
        """The event with what the rules derive; a `ValidationError` with the report if it does not conform."""
        enriched, report = self._examine(event)
        if report.conforms:
            return enriched
        shown = [str(violation) for violation in report.violations[:_SHOWN]]
        more = [f"{len(report.violations) - _SHOWN} more"] if len(report.violations) > _SHOWN else []
        raise ValidationError(f"is not valid: {'; '.join([*shown, *more])}", report=report, source=_name(event))

    def enrich(self, event: Event) -> Event:
        """The event with what the rules derive, valid or not."""
        if not self._rules:
            return event
        with self._examining(event):
            examination = Examination(event, self._targets)
            return _with_derived(event, self._rules.apply(examination))

    def _examine(self, event: Event) -> tuple[Event, ValidationReport]:
        with self._examining(event):
            examination = Examination(event, self._targets)
            derived = self._rules.apply(examination)
            conforms, results = self._run(examination)
            found = violations(results, examination, self._shapes.graph)

        def make_graph() -> Any:
            with without_literal_warnings():
                return Validator.create_validation_report(self._shapes, conforms, results)[0]

        return _with_derived(event, derived), ValidationReport(conforms, found, make_graph, event.id)

    def _run(self, examination: Examination) -> tuple[bool, list[Result]]:
        conforms = True
        results: list[Result] = []
        for shape in examination.shapes():
            nodes = examination.nodes(shape)
            if nodes:
                holds, found = shape.validate(self._executor, examination.graph, nodes)
                conforms = conforms and holds
                results.extend(found)
        return conforms, results

    def _superclasses(self, ontology: Ontology | None) -> Superclasses:
        graph = self._shapes.graph
        queries = any((None, predicate, None) in graph for predicate in QUERIES[:2])
        stepwise = queries or self._rules.read_hierarchy or (None, None, RDFS.subClassOf) in graph
        named = frozenset(str(term) for statement in graph for term in statement if isinstance(term, URIRef))
        return Superclasses(ontology, named, stepwise)

    @contextmanager
    def _examining(self, event: Event) -> Iterator[None]:
        """What holds while pyshacl works: no chatter, SPARQL functions known, its errors in our words."""
        _without_recursion_warnings()
        try:
            with without_literal_warnings():
                if not self._functions:
                    yield
                    return
                with _functions:  # rdflib knows functions by name for the whole process
                    graph: Any = EventGraph()
                    apply_functions(self._executor, self._functions, graph)
                    try:
                        yield
                    finally:
                        unapply_functions(self._functions, graph)
        except SemanticPubSubError:
            raise
        except RecursionError:
            raise EventError(
                "is nested too deeply for its shapes", source=_name(event), hint="flatten the event or the shapes"
            ) from None
        except Exception as error:
            # pyshacl reports by RuntimeError and others, rdflib's SPARQL by whatever went wrong in a query.
            message = " ".join(str(error).split()) or type(error).__name__
            raise EventError(
                f"cannot be validated: {message}", source=_name(event), hint="check the shapes' queries and nesting"
            ) from error


def _with_derived(event: Event, derived: Any) -> Event:
    if not derived:
        return event
    added = sorted((Triple(*map(from_rdflib, statement)) for statement in derived), key=str)  # type: ignore[arg-type]
    return type(event)((*event.triples, *added), event.home, id=event.id, source=event.source, prefixes=event.prefixes)


def _name(event: Event) -> str | None:
    return event.source or event.id


def _without_recursion_warnings() -> None:
    """Shapes that refer to themselves are normal (schema.org's do); pyshacl warns at each of them, each time."""
    first = warnings.filters[0] if warnings.filters else None
    if first is None or first[0] != "ignore" or first[2] is not ShapeRecursionWarning:
        warnings.simplefilter("ignore", ShapeRecursionWarning)
