"""What a SHACL validation found, as data, as plain words, as JSON and as an RDF graph."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import rdflib

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ValidationReport", "Violation"]


@dataclass(frozen=True, slots=True)
class Violation:
    """One result: which vertex, along which path, breaks which constraint of which shape, and why."""

    focus: rdflib.term.Node
    message: str
    path: str | None = None
    value: rdflib.term.Node | None = None
    severity: str = "Violation"
    constraint: str = ""
    shape: rdflib.term.Node | None = None
    focus_types: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f"{self._named_focus()} {self.path}" if self.path else self._named_focus()
        given = f" (given: {_shown(self.value)})" if self.value is not None and self.value != self.focus else ""
        mark = "" if self.severity == "Violation" else f"{self.severity.lower()}: "
        return f"{where}: {mark}{self.message}{given}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: every term as text, blank nodes as `_:label`."""
        return {
            "focus": _plain(self.focus),
            "focusTypes": list(self.focus_types),
            "path": self.path,
            "value": _plain(self.value),
            "message": self.message,
            "severity": self.severity,
            "constraint": self.constraint,
            "shape": _plain(self.shape),
        }

    def _named_focus(self) -> str:
        if isinstance(self.focus, rdflib.BNode):
            if str(self.focus) == "H":
                return "the event" if not self.focus_types else f"the event ({', '.join(self.focus_types)})"
            return _with_article(", ".join(self.focus_types)) if self.focus_types else f"_:{self.focus}"
        return _shown(self.focus)


class ValidationReport:
    """The verdict on one event: `conforms`, and a `Violation` for each result.

    `text` says it in plain words, `to_json()` for programs, `graph` as the SHACL report (made when asked for).
    """

    __slots__ = ("_graph", "_make_graph", "conforms", "event_id", "violations")

    def __init__(
        self,
        conforms: bool,
        violations: tuple[Violation, ...],
        make_graph: Callable[[], rdflib.Graph],
        event_id: str | None = None,
    ) -> None:
        self.conforms = conforms
        self.violations = violations
        self.event_id = event_id
        self._make_graph: Callable[[], rdflib.Graph] | None = make_graph
        self._graph: rdflib.Graph | None = None

    @property
    def graph(self) -> rdflib.Graph:
        """The report in SHACL's own vocabulary."""
        if self._graph is None and self._make_graph is not None:
            self._graph = self._make_graph()
            self._make_graph = None
        return self._graph if self._graph is not None else rdflib.Graph()

    @property
    def text(self) -> str:
        """One line for the verdict and one for each result."""
        name = f"Event {self.event_id}" if self.event_id else "The event"
        if not self.violations:
            return f"{name} is valid."
        verdict = "is valid, with remarks" if self.conforms else "is not valid"
        count = f"{len(self.violations)} problem{'s' if len(self.violations) > 1 else ''}"
        return "\n".join([f"{name} {verdict}: {count}.", *(f"  - {violation}" for violation in self.violations)])

    def to_json(self, indent: int | None = None) -> str:
        """`{"event": …, "conforms": …, "violations": […]}`."""
        content = {
            "event": self.event_id,
            "conforms": self.conforms,
            "violations": [violation.to_dict() for violation in self.violations],
        }
        return json.dumps(content, indent=indent, ensure_ascii=False)

    def __bool__(self) -> bool:
        return self.conforms

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<ValidationReport conforms={self.conforms}, {len(self.violations)} violations>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.conforms, self.violations, self.graph, self.event_id)


def _restored(
    conforms: bool, violations: tuple[Violation, ...], graph: rdflib.Graph, event_id: str | None
) -> ValidationReport:
    return ValidationReport(conforms, violations, lambda: graph, event_id)


def _with_article(noun: str) -> str:
    return f"{'an' if noun.startswith(tuple('AEIOaeio')) else 'a'} {noun}"


def _shown(term: rdflib.term.Node | None) -> str:
    if isinstance(term, rdflib.Literal):
        return f'"{term}"'
    if isinstance(term, rdflib.BNode):
        return f"_:{term}"
    return f"<{term}>"


def _plain(term: rdflib.term.Node | None) -> str | None:
    if term is None:
        return None
    return f"_:{term}" if isinstance(term, rdflib.BNode) else str(term)
