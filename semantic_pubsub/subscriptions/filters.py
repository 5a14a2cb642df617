"""Filters compiled to closures: from a mapping of variable names to terms, to true or false.

An error (a comparison that makes no sense, an unbound variable) is `None` inside and false outside. SPARQL's
logic with three values decides where an error may be outvoted: `true || error` is true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.subscriptions.algebra import Call, Constant, Expression, LocalName, Reference
from semantic_pubsub.subscriptions.operators import OPERATORS, Operand, Operator
from semantic_pubsub.subscriptions.values import effective_boolean_value, equal, value_of
from semantic_pubsub.terms import NamedNode, Term

__all__ = ["compile_filter"]

Solution: TypeAlias = Mapping[str, Term]
Evaluator: TypeAlias = Callable[[Solution], "Operand | None"]


def compile_filter(expression: Expression) -> Callable[[Solution], bool]:
    """A fast test of the expression; it never raises."""
    evaluate = _compiled(expression)

    def holds(solution: Solution) -> bool:
        answer = evaluate(solution)
        if answer is True or answer is False or answer is None:
            return answer is True
        return effective_boolean_value(answer) is True

    return holds


def _compiled(expression: Expression) -> Evaluator:
    if isinstance(expression, Reference):
        name = expression.name
        return lambda solution: solution.get(name)
    if isinstance(expression, Constant):
        return _constant(expression)
    special = _SPECIAL.get(expression.operator)
    if special is not None:
        return special(expression)
    operator = OPERATORS.get(expression.operator)
    if operator is None:
        raise SubscriptionError(f"unknown function {expression.operator}")
    return _applied(operator, [_compiled(argument) for argument in expression.arguments])


def _constant(expression: Constant) -> Evaluator:
    term = expression.term
    if isinstance(term, LocalName):
        raise SubscriptionError(f"the name {term} was not looked up", hint="resolve() the subscription first")
    return lambda _: term


def _as_value(expression: Expression) -> Evaluator:
    """Like `_compiled`, with a constant's value worked out once; for operators that look at values only."""
    if isinstance(expression, Constant) and not isinstance(expression.term, LocalName):
        value = value_of(expression.term)
        return lambda _: value
    return _compiled(expression)


def _applied(operator: Operator, arguments: list[Evaluator]) -> Evaluator:
    if len(arguments) == 1:
        (single,) = arguments

        def of_one(solution: Solution) -> Operand | None:
            operand = single(solution)
            return None if operand is None else operator(operand)

        return of_one
    if len(arguments) == 2:
        first, second = arguments

        def of_two(solution: Solution) -> Operand | None:
            one = first(solution)
            if one is None:
                return None
            other = second(solution)
            return None if other is None else operator(one, other)

        return of_two

    def of_many(solution: Solution) -> Operand | None:
        operands = [argument(solution) for argument in arguments]
        return None if any(operand is None for operand in operands) else operator(*operands)

    return of_many


def _on_values(call: Call) -> Evaluator:
    return _applied(OPERATORS[call.operator], [_as_value(argument) for argument in call.arguments])


def _truths(call: Call) -> list[Evaluator]:
    return [_compiled(argument) for argument in call.arguments]


def _truth(operand: Operand | None) -> bool | None:
    if operand is True or operand is False or operand is None:
        return operand
    return effective_boolean_value(operand)


def _junction(decisive: bool) -> Callable[[Call], Evaluator]:
    """`&&` (false decides) and `||` (true decides): an error counts only if nothing decides."""

    def compile_call(call: Call) -> Evaluator:
        members = _truths(call)

        def evaluate(solution: Solution) -> bool | None:
            answer: bool | None = not decisive
            for member in members:
                truth = _truth(member(solution))
                if truth is decisive:
                    return decisive
                if truth is None:
                    answer = None
            return answer

        return evaluate

    return compile_call


def _membership(negated: bool) -> Callable[[Call], Evaluator]:
    """`IN`: some member is equal; an error of one is outvoted by another that is equal."""

    def compile_call(call: Call) -> Evaluator:
        left = _as_value(call.arguments[0])
        names = _all_iris(call.arguments[1:])
        members = [_as_value(argument) for argument in call.arguments[1:]]

        def evaluate(solution: Solution) -> bool | None:
            operand = left(solution)
            if operand is None:
                return None
            if names is not None:
                return (operand in names) is not negated
            value = value_of(operand)
            answer: bool | None = negated
            for member in members:
                other = member(solution)
                same = None if other is None else equal(value, value_of(other))
                if same:
                    return not negated
                if same is None:
                    answer = None
            return answer

        return evaluate

    return compile_call


def _all_iris(members: tuple[Expression, ...]) -> frozenset[object] | None:
    """A list of IRIs only is a set: an IRI equals itself and nothing else."""
    terms = [member.term if isinstance(member, Constant) else None for member in members]
    return frozenset(terms) if members and all(isinstance(term, NamedNode) for term in terms) else None


def _bound(call: Call) -> Evaluator:
    (argument,) = call.arguments
    if not isinstance(argument, Reference):
        raise SubscriptionError("BOUND takes a variable")
    name = argument.name
    return lambda solution: solution.get(name) is not None


def _if(call: Call) -> Evaluator:
    condition, then, otherwise = map(_compiled, call.arguments)

    def evaluate(solution: Solution) -> Operand | None:
        truth = _truth(condition(solution))
        if truth is None:
            return None
        return then(solution) if truth else otherwise(solution)

    return evaluate


def _coalesce(call: Call) -> Evaluator:
    members = _truths(call)

    def evaluate(solution: Solution) -> Operand | None:
        answers = (member(solution) for member in members)
        return next((answer for answer in answers if answer is not None), None)

    return evaluate


_VALUE_OPERATORS: Final = (
    "=",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "CONTAINS",
    "STRSTARTS",
    "STRENDS",
    "REGEX",
)

_SPECIAL: Final[dict[str, Callable[[Call], Evaluator]]] = {
    "&&": _junction(decisive=False),
    "||": _junction(decisive=True),
    "in": _membership(negated=False),
    "not in": _membership(negated=True),
    "BOUND": _bound,
    "IF": _if,
    "COALESCE": _coalesce,
    **dict.fromkeys(_VALUE_OPERATORS, _on_values),
}
"""Operators with rules of their own about their arguments, and those that look at values only."""
