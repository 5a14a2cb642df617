"""What people do today: one SPARQL ASK for each subscription, on a pyoxigraph store that holds the event closed upward.

The store is made before the clock starts (closing the event, and filling the store, would come on top), and so are the
query texts; pyoxigraph has no prepared queries, so a text is parsed and planned each time it is asked. Home is an IRI
in store and query. With the injective semantics a pair of vertices that may be one resource costs one `!sameTerm`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import pyoxigraph as ox

from semantic_pubsub import Event, Ontology, Subscription
from semantic_pubsub.events.closure import close
from semantic_pubsub.subscriptions import expression_text, resolve
from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Blank,
    Call,
    Constant,
    Expression,
    Pattern,
    Reference,
    Variable,
    Vertex,
)
from semantic_pubsub.terms import Literal, NamedNode, Term
from semantic_pubsub.vocab import RDF_TYPE

__all__ = ["AskLoop", "ask_text"]

_HOME = NamedNode("urn:home")
_TYPE = NamedNode(RDF_TYPE)
_ORDERED = frozenset(("=", "<", "<=", ">", ">="))
_OF_STRINGS = frozenset(("CONTAINS", "STRSTARTS", "STRENDS", "REGEX"))


class AskLoop:
    """Subscriptions as ASK texts, asked one after the other."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.queries: list[tuple[str, str]] = []

    def add_all(self, subscriptions: Iterable[Subscription]) -> None:
        self.queries += [(s.id, ask_text(resolve(s, self.ontology))) for s in subscriptions]

    def prepare(self, event: Event) -> ox.Store:
        """The store to ask: every arc with every super-property, every resource with every superclass."""
        closed = close(event, self.ontology)

        def named(term: Term) -> Term:
            return _HOME if term == closed.home else term

        quads = [
            ox.Quad(named(arc.subject), NamedNode(prop), named(arc.object))  # type: ignore[arg-type]
            for arc in closed.arcs
            for prop in arc.properties
        ]
        for vertex, classes in closed.closed_classes.items():
            if not isinstance(vertex, Literal):
                quads += [ox.Quad(named(vertex), _TYPE, NamedNode(name)) for name in classes]  # type: ignore[arg-type]
        store = ox.Store()
        store.extend(quads)
        return store

    def match_ids(self, store: ox.Store, queries: Sequence[tuple[str, str]] | None = None) -> list[str]:
        """The ids whose ASK is true; of all subscriptions, or of the given ones."""
        ask = store.query
        return [name for name, text in (self.queries if queries is None else queries) if ask(text)]


def ask_text(subscription: Subscription) -> str:
    """An ASK that is true on the closed event if and only if the subscription matches."""
    groups = [_group(pattern, subscription.injective) for pattern in subscription.alternatives]
    return f"ASK {{{groups[0]}}}" if len(groups) == 1 else "ASK {{" + "} UNION {".join(groups) + "}}"


def _group(pattern: Pattern, injective: bool) -> str:
    parts = [f"{_text(a.vertex)} a {_name(a.name)}." for a in pattern.classes]
    parts += [f"{_text(a.subject)} {_name(a.property)} {_text(a.object)}." for a in pattern.arcs]
    parts += [f"FILTER({expression_text(f.expression)})" for f in pattern.filters]
    if injective:
        parts += _distinct(pattern)
    return " ".join(parts)


def _text(vertex: Vertex) -> str:
    if vertex == HOME:
        return str(_HOME)
    if isinstance(vertex, Blank):
        return f"?blank_{''.join(c if c.isalnum() else f'_{ord(c)}_' for c in vertex.label)}"
    return str(vertex)


def _name(name: object) -> str:
    return f"<{name.value}>" if isinstance(name, NamedNode) else str(name)


def _distinct(pattern: Pattern) -> list[str]:
    """One test for each pair of vertices that could share a resource, the cheapest that is right."""
    literals = {v.name for v in _surely_literals(pattern)}
    resources = {HOME} | {a.vertex for a in pattern.classes} | {a.subject for a in pattern.arcs}
    tests = []
    for one, other in combinations(pattern.vertices(), 2):
        if any(isinstance(v, Literal) or (isinstance(v, Variable) and v.name in literals) for v in (one, other)):
            continue
        if isinstance(one, NamedNode) and isinstance(other, NamedNode):
            continue
        test = f"!sameTerm({_text(one)}, {_text(other)})"
        if not any(v in resources or isinstance(v, NamedNode) for v in (one, other)):
            test = f"isLiteral({_text(one)}) || {test}"
        tests.append(f"FILTER({test})")
    return tests


def _surely_literals(pattern: Pattern) -> Iterable[Variable]:
    """Variables that a filter lets be nothing but a literal: whoever writes a query knows that a price is one."""
    for condition in pattern.filters:
        for conjunct in _conjuncts(condition.expression):
            if (
                isinstance(conjunct, Call)
                and _asks_for_literal(conjunct)
                and isinstance(conjunct.arguments[0], Reference)
            ):
                yield Variable(conjunct.arguments[0].name)


def _conjuncts(expression: Expression) -> Iterable[Expression]:
    if isinstance(expression, Call) and expression.operator == "&&":
        for argument in expression.arguments:
            yield from _conjuncts(argument)
    else:
        yield expression


def _asks_for_literal(call: Call) -> bool:
    if call.operator in _OF_STRINGS:
        return True
    second = call.arguments[1] if len(call.arguments) == 2 else None
    return call.operator in _ORDERED and isinstance(second, Constant) and isinstance(second.term, Literal)
