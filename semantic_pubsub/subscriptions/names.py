"""Bare names turned into IRIs: what the statement-pattern syntax leaves to the ontology."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from semantic_pubsub.errors import OntologyError, SubscriptionError
from semantic_pubsub.subscriptions.algebra import (
    Arc,
    Call,
    ClassAsked,
    Constant,
    Expression,
    Filter,
    LocalName,
    Pattern,
    Vertex,
)
from semantic_pubsub.subscriptions.tokens import place
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.concepts.names import Kind
    from semantic_pubsub.subscriptions.algebra import Name
    from semantic_pubsub.subscriptions.model import Subscription

__all__ = ["resolve"]


def resolve(subscription: Subscription, ontology: Ontology) -> Subscription:
    """The subscription with an IRI for every bare name; the same object where it has none.

    A name that the ontology does not know, or knows twice, is a SubscriptionError that lists what may be meant.
    """
    if subscription.syntax != "statements" and subscription.text is not None:
        return subscription  # the SPARQL parser never makes bare names
    if not any(map(_has_bare_names, subscription.alternatives)):
        return subscription
    resolver = _Resolver(subscription, ontology)
    alternatives = tuple(map(resolver.pattern, subscription.alternatives))
    return replace(subscription, alternatives=alternatives) if resolver.found else subscription


def _has_bare_names(pattern: Pattern) -> bool:
    """Whether anything is left to look up."""
    names: list[object] = [asked.name for asked in pattern.classes]
    for arc in pattern.arcs:
        names += (arc.subject, arc.property, arc.object)
    waiting: list[Expression] = [condition.expression for condition in pattern.filters]
    while waiting:
        expression = waiting.pop()
        if isinstance(expression, Constant):
            names.append(expression.term)
        elif isinstance(expression, Call):
            waiting.extend(expression.arguments)
    return any(isinstance(name, LocalName) for name in names)


class _Resolver:
    """Looks up the bare names of one subscription."""

    def __init__(self, subscription: Subscription, ontology: Ontology) -> None:
        self.subscription = subscription
        self.ontology = ontology
        self.found = False

    def pattern(self, pattern: Pattern) -> Pattern:
        return Pattern(
            tuple(dict.fromkeys(map(self._arc, pattern.arcs))),
            tuple(dict.fromkeys(map(self._asked, pattern.classes))),
            tuple(Filter(self._expression(f.expression, f.offset), f.offset) for f in pattern.filters),
        )

    def _arc(self, arc: Arc) -> Arc:
        subject, target = self._vertex(arc.subject, arc.offset), self._vertex(arc.object, arc.offset)
        return Arc(subject, self._name(arc.property, "property", arc.offset), target, arc.offset)

    def _asked(self, asked: ClassAsked) -> ClassAsked:
        name = self._name(asked.name, "class", asked.offset)
        return ClassAsked(self._vertex(asked.vertex, asked.offset), name, asked.offset)

    def _vertex(self, vertex: Vertex, offset: int) -> Vertex:
        return self._name(vertex, None, offset) if isinstance(vertex, LocalName) else vertex

    def _expression(self, expression: Expression, offset: int) -> Expression:
        if isinstance(expression, Constant) and isinstance(expression.term, LocalName):
            return Constant(self._name(expression.term, None, offset))
        if isinstance(expression, Call):
            arguments = tuple(self._expression(argument, offset) for argument in expression.arguments)
            return Call(expression.operator, arguments)
        return expression

    def _name(self, name: Name, kind: Kind | None, offset: int) -> NamedNode:
        if isinstance(name, NamedNode):
            return name
        self.found = True
        try:
            return NamedNode(self.ontology.expand(name.name, kind))
        except OntologyError as error:
            line, column = place(self.subscription.text, offset)
            raise SubscriptionError(
                error.message, source=self.subscription.source, line=line, column=column, hint=error.hint
            ) from None
