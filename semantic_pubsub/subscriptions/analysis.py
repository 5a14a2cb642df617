"""What an ontology has to say about a subscription: names it does not know, patterns that nothing can satisfy.

All of it is advice. A subscription is added whatever is found here, and matches if the definition says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from semantic_pubsub.errors import Notice
from semantic_pubsub.subscriptions.advice import Advice
from semantic_pubsub.subscriptions.algebra import Call, Expression, Reference, Variable, Vertex, references
from semantic_pubsub.subscriptions.bounds import Asked, Clashes, asked_of, conjuncts, impossible
from semantic_pubsub.subscriptions.filters import compile_filter
from semantic_pubsub.subscriptions.printing import expression_text
from semantic_pubsub.subscriptions.tokens import place
from semantic_pubsub.terms import Literal, NamedNode

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.subscriptions.algebra import Arc, Name, Pattern
    from semantic_pubsub.subscriptions.model import Subscription

__all__ = ["analyse", "unsatisfiable"]

Finding: TypeAlias = tuple[int, str]
"""Where in the text, and what."""

_UNKNOWN: Final = "unknown "
_LONGEST_QUOTE: Final = 100
_ANYTHING: Final = (None,)


def analyse(subscription: Subscription, ontology: Ontology) -> tuple[Notice, ...]:
    """Warnings about a subscription whose bare names were resolved, in the order of its text."""
    advice, clashes = Advice(ontology), Clashes()
    found: dict[Finding, list[int]] = {}
    for number, pattern in enumerate(subscription.alternatives, 1):
        for finding in _PatternCheck(pattern, advice, clashes).findings():
            numbers = found.setdefault(finding, [])
            if number not in numbers:
                numbers.append(number)
    unbound = _never_bound(subscription)
    if not found and not unbound:
        return ()
    total = len(subscription.alternatives)
    notices = [
        _notice(subscription, offset, message + _which(alternatives, total))
        for (offset, message), alternatives in sorted(found.items())
    ]
    return (*notices, *(_notice(subscription, -1, message) for message in unbound))


def unsatisfiable(subscription: Subscription, ontology: Ontology) -> str | None:
    """Why no event is expected to match a subscription whose bare names were resolved; None if one may. A name that the
    ontology does not know is no reason: an event may have it, too."""
    advice, clashes = Advice(ontology), Clashes()
    reasons: dict[str, None] = {}
    for pattern in subscription.alternatives:
        findings = _PatternCheck(pattern, advice, clashes).findings()
        found = [message for _, message in findings if not message.startswith(_UNKNOWN)]
        if not found:
            return None
        reasons[found[0]] = None
    return "; ".join(reasons)


def _which(alternatives: list[int], total: int) -> str:
    """Which alternatives of a UNION are meant, unless all are."""
    if len(alternatives) == total:
        return ""
    several = "s" if len(alternatives) > 1 else ""
    return f" (in alternative{several} {', '.join(map(str, alternatives))} of {total})"


def _notice(subscription: Subscription, offset: int, message: str) -> Notice:
    line, column = place(subscription.text, offset)
    quote = None
    if line is not None and subscription.text is not None:
        quote = subscription.text.split("\n")[line - 1].strip()
        if len(quote) > _LONGEST_QUOTE:
            quote = quote[: _LONGEST_QUOTE - 3] + "..."
    return Notice(message, subscription.source, line, column, quote)


def _never_bound(subscription: Subscription) -> list[str]:
    if not subscription.projection:
        return []
    bound = {name for pattern in subscription.alternatives for name in pattern.variables()}
    return [f"?{name} is selected, but no pattern binds it" for name in subscription.projection if name not in bound]


class _PatternCheck:
    """One alternative, looked at once: classes first, then arcs, then conditions."""

    __slots__ = ("advice", "clashes", "classes", "found", "leading", "pattern")

    def __init__(self, pattern: Pattern, advice: Advice, clashes: Clashes) -> None:
        self.pattern = pattern
        self.advice = advice
        self.clashes = clashes
        self.found: list[Finding] = []
        self.classes: dict[Vertex, list[Name]] = {}
        self.leading: dict[Vertex, list[Name]] = {}  # the properties that lead to each vertex

    def findings(self) -> list[Finding]:
        self._check_classes()
        self._check_arcs()
        if self.pattern.filters:
            self._check_filters()
        return self.found

    def _check_classes(self) -> None:
        for asked in self.pattern.classes:
            vertex, name = asked.vertex, asked.name
            message = self.advice.of_class(name)
            if message is None and isinstance(vertex, NamedNode | Literal):
                message = self.advice.of_constant(vertex, name)
            if message is not None:
                self.found.append((asked.offset, message))
            others = self.classes.setdefault(vertex, [])
            for other in others:
                message = self.advice.of_both(other, name)
                if message is not None:
                    self.found.append((asked.offset, f"{message}, and {vertex} must be"))
            others.append(name)

    def _check_arcs(self) -> None:
        for arc in self.pattern.arcs:
            message = self.advice.of_property(arc.property) or self._of_statement(arc)
            if message is not None:
                self.found.append((arc.offset, message))
            self.leading.setdefault(arc.object, []).append(arc.property)

    def _of_statement(self, arc: Arc) -> str | None:
        """About the first combination of classes that the ontology does not admit."""
        target, of_statement = arc.object, self.advice.of_statement
        values = (target.datatype,) if isinstance(target, Literal) else self.classes.get(target, _ANYTHING)
        for subject in self.classes.get(arc.subject, _ANYTHING):
            for value in values:
                message = of_statement(subject, arc.property, value)
                if message is not None:
                    return message
        return None

    def _check_filters(self) -> None:
        bound = set(self.pattern.variables())
        self.clashes.begin()
        for condition in self.pattern.filters:
            for part in conjuncts(condition.expression):
                message = self._of_condition(part, bound)
                if message is not None:
                    self.found.append((condition.offset, f"{expression_text(part)} is never true: {message}"))

    def _of_condition(self, part: Expression, bound: set[str]) -> str | None:
        """Why a conjunct cannot be true, by itself or beside those before it on the same variable."""
        compared = asked_of(part)
        if compared is None:
            return _of_other_condition(part, bound)
        name, now = compared
        if name not in bound:
            return f"the pattern does not bind ?{name}"
        other = self.clashes.find(name, now)
        message = impossible(now) or self._of_range(Variable(name), now)
        if message is None and other is not None:
            return f"it excludes {expression_text(other.expression)}"
        return message

    def _of_range(self, vertex: Vertex, asked: Asked) -> str | None:
        """About values that no property leading to the variable has."""
        for prop in self.leading.get(vertex, ()):
            messages = {self.advice.of_value(prop, value) for value in asked.values}
            if None not in messages:
                return min(filter(None, messages), default=None)
        return None


def _of_other_condition(part: Expression, bound: set[str]) -> str | None:
    names = list(references(part))
    if not names:
        return None if compile_filter(part)({}) else "it does not depend on the event"
    missing = [name for name in names if name not in bound]
    if missing and _is_error(part, bound):
        return f"the pattern does not bind ?{missing[0]}"
    return None


def _is_error(expression: Expression, bound: set[str]) -> bool:
    """Whether unbound variables make the expression an error whatever the others are."""
    if isinstance(expression, Reference):
        return expression.name not in bound
    if not isinstance(expression, Call) or expression.operator == "BOUND":
        return False
    if expression.operator in ("in", "not in", "IF"):
        return _is_error(expression.arguments[0], bound)
    errors = (_is_error(argument, bound) for argument in expression.arguments)
    return all(errors) if expression.operator in ("&&", "||", "COALESCE") else any(errors)
