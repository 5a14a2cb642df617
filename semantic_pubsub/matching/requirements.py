"""What a pattern asks, requirement by requirement, judged under a (partial) mapping and put into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from semantic_pubsub.matching.definition import iri_of, outward
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import (
    Arc,
    Call,
    ClassAsked,
    Constant,
    Expression,
    Pattern,
    Reference,
    Variable,
    Vertex,
    references,
)
from semantic_pubsub.terms import Literal, NamedNode, Term

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from semantic_pubsub.events.closure import ClosedEvent
    from semantic_pubsub.matching.words import Words

__all__ = ["Finding", "Judge", "findings"]

_COMPARISONS = frozenset(("=", "!=", "<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class Finding:
    """One requirement of a pattern, whether the event satisfies it, and why or why not.

    `step` is the hierarchy step (`NotebookPC ⊑ Computer`) or the comparison (`349.90 < 400`) that made it hold.
    """

    kind: OneOf["arc", "class", "constant", "filter", "distinct"]
    requirement: str
    satisfied: bool
    because: str
    step: str | None = None

    def to_json(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {
            "kind": self.kind,
            "requirement": self.requirement,
            "satisfied": self.satisfied,
            "because": self.because,
            "step": self.step,
        }


def findings(
    pattern: Pattern, event: ClosedEvent, mapping: Mapping[Vertex, Term], injective: bool, words: Words
) -> tuple[Finding, ...]:
    """Judge every requirement of the pattern under the mapping, outward from home, filters last."""
    judge = Judge(event, mapping, words)
    found: list[Finding] = []
    for vertex in outward(pattern):
        found.extend(judge.arc(arc) for arc in pattern.arcs if arc.object == vertex)
        if vertex in mapping:
            found.extend(judge.constant(vertex))
            found.extend(judge.asked(asked) for asked in pattern.classes if asked.vertex == vertex)
    found.extend(judge.condition(condition.expression) for condition in pattern.filters)
    if injective:
        found.extend(judge.shared_images())
    return tuple(found)


class Judge:
    """Says of each requirement whether it holds under a mapping, and why."""

    def __init__(self, event: ClosedEvent, mapping: Mapping[Vertex, Term], words: Words) -> None:
        self.event = event
        self.mapping = mapping
        self.words = words

    def arc(self, arc: Arc) -> Finding:
        """The event's statement for a pattern arc, or what the subject has instead."""
        words, prop = self.words, iri_of(arc.property)
        asked = f"{words.vertex(arc.subject)} {words.iri(prop)} {words.vertex(arc.object)}"
        subject, value = self.mapping.get(arc.subject), self.mapping.get(arc.object)
        if subject is None:
            return Finding("arc", asked, False, f"nothing was found for {words.vertex(arc.subject)}")
        leaving = [a for a in self.event.arcs if a.subject == subject]
        for stated in leaving:
            if stated.object == value and prop in stated.properties:
                step = None if stated.property == prop else f"{words.iri(stated.property)} ⊑ {words.iri(prop)}"
                own = f"{words.term(subject)} {words.iri(stated.property)} {words.term(stated.object)}"
                return Finding("arc", asked, True, own if step is None else f"{own}, {step}", step)
        if value is not None and any(prop in a.properties for a in leaving):
            return Finding(
                "arc", asked, False, f"{words.iri(prop)} of {words.term(subject)} does not lead to {words.term(value)}"
            )
        has = ", ".join(dict.fromkeys(words.iri(a.property) for a in leaving)) or "no arcs"
        return Finding("arc", asked, False, f"no {words.iri(prop)} on {words.term(subject)} (it has {has})")

    def asked(self, asked: ClassAsked) -> Finding:
        """The step in the hierarchy from one of the image's own classes, or which classes it has instead."""
        words, name, image = self.words, iri_of(asked.name), self.mapping[asked.vertex]
        requirement = f"{words.vertex(asked.vertex)} is a {words.iri(name)}"
        own = self.event.classes[image]
        if name in self.event.closed_classes[image]:
            below = next((c for c in own if name in self.event.above(image, c)), own[0])
            step = None if below == name else f"{words.iri(below)} ⊑ {words.iri(name)}"
            return Finding("class", requirement, True, f"{words.term(image)} is a {step or words.iri(name)}", step)
        instead = ", ".join(words.iri(c) for c in own)
        return Finding(
            "class", requirement, False, f"{words.term(image)} is a {instead}, {words.iri(name)} was asked for"
        )

    def constant(self, vertex: Vertex) -> Iterator[Finding]:
        """Whether a constant stands where the pattern wants it."""
        if isinstance(vertex, NamedNode | Literal):
            asked, image = self.words.vertex(vertex), self.words.term(self.mapping[vertex])
            same = vertex == self.mapping[vertex]
            yield Finding("constant", asked, same, "found" if same else f"found {image}, {asked} was asked for")

    def condition(self, expression: Expression) -> Finding:
        """A filter with the values it was tried on."""
        requirement = self.words.expression(expression)
        values = {v.name: term for v, term in self.mapping.items() if isinstance(v, Variable)}
        used = {name: values[name] for name in references(expression) if name in values}
        missing = [f"?{name}" for name in dict.fromkeys(references(expression)) if name not in values]
        if compile_filter(expression)(values):
            shown = self.words.values(used)
            return Finding("filter", requirement, True, shown or "always true", self._compared(expression, values))
        if missing:
            return Finding("filter", requirement, False, f"nothing was found for {', '.join(missing)}")
        if not compile_filter(Call("!", (expression,)))(values):
            return Finding("filter", requirement, False, f"is an error for {self.words.values(used)}")
        compared = self._compared(expression, values, "is not ")
        return Finding("filter", requirement, False, compared or self._false(used))

    def _false(self, used: Mapping[str, Term]) -> str:
        return f"false for {self.words.values(used)}" if used else "never true"

    def _compared(self, expression: Expression, values: Mapping[str, Term], negation: str = "") -> str | None:
        """`349.90 < 400` or `450 is not < 400` for a comparison with plain sides."""
        if not isinstance(expression, Call) or expression.operator not in _COMPARISONS:
            return None
        sides = []
        for argument in expression.arguments:
            if isinstance(argument, Reference) and argument.name in values:
                sides.append(self.words.term(values[argument.name]))
            elif isinstance(argument, Constant):
                sides.append(self.words.vertex(argument.term))
            else:
                return None
        return f"{sides[0]} {negation}{expression.operator} {sides[1]}"

    def shared_images(self) -> Iterator[Finding]:
        """Two vertices with one resource as image, where each needs its own."""
        taken: dict[Term, Vertex] = {}
        for vertex, image in self.mapping.items():
            if isinstance(image, Literal):
                continue
            first = taken.setdefault(image, vertex)
            if first != vertex:
                one, other = sorted((self.words.vertex(first), self.words.vertex(vertex)))
                yield Finding(
                    "distinct",
                    f"{one} and {other} are different",
                    False,
                    f"{one} and {other} would both be {self.words.term(image)}",
                )
