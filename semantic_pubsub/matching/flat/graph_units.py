"""Event graphs and graph patterns in base units: a vertex with a number and a unit has the number in the base unit.

In a pattern the unit is a constant; then the vertex's numbers are converted, and what the filters compare with
its variables. A variable that a filter computes with, or that also stands for something else, keeps its unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat.units import Conversion, converted
from semantic_pubsub.subscriptions.algebra import Arc, Call, Constant, Expression, Pattern, Reference, Variable, Vertex
from semantic_pubsub.terms import Literal, NamedNode, Term, Triple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from semantic_pubsub.matching.flat.quantities import Notify, Quantities

__all__ = ["pattern_in_base_units", "triples_in_base_units"]

_COMPARISONS: Final = frozenset(("=", "!=", "<", "<=", ">", ">=", "in", "not in"))
_INDIFFERENT: Final = frozenset(("BOUND", "ISLITERAL", "ISNUMERIC", "ISIRI", "ISURI", "ISBLANK"))


@dataclass(slots=True)
class _Quantity:
    """Where the numbers and the units of one vertex are."""

    where: str
    values: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)
    conversion: Conversion | None = None


def _quantities(
    arcs: Sequence[tuple[object, object, object]], quantities: Quantities, notify: Notify
) -> list[_Quantity]:
    """The vertices with a unit that can be converted and nothing but numbers and variables as values."""
    found: dict[tuple[object, str], _Quantity] = {}
    for at, (subject, prop, _) in enumerate(arcs):
        role = quantities.role(prop.value) if isinstance(prop, NamedNode) else None
        if role is not None:
            quantity = found.setdefault((subject, role.bundle), _Quantity(str(subject)))
            (quantity.values if role.holds == "value" else quantity.units).append(at)
    convertible = []
    for quantity in found.values():
        quantity.units = [at for at in quantity.units if isinstance(arcs[at][2], NamedNode | Literal)]
        terms = dict.fromkeys(arcs[at][2] for at in quantity.units)
        conversion = quantity.conversion = quantities.conversion(terms, quantity.where, notify)
        if conversion is None:
            continue
        constants = [arcs[at][2] for at in quantity.values if isinstance(arcs[at][2], NamedNode | Literal)]
        if all(converted(constant, conversion) is not None for constant in constants):
            convertible.append(quantity)
        else:
            notify(f"{quantity.where}: a value is no number, so its unit stays as it is")
    return convertible


def triples_in_base_units(triples: Sequence[Triple], quantities: Quantities, notify: Notify) -> tuple[Triple, ...]:
    """The triples of an event with every quantity that can be converted in its base unit."""
    arcs = [(t.subject, t.predicate, t.object) for t in triples]
    found = list(triples)
    for quantity in _quantities(arcs, quantities, notify):
        conversion = quantity.conversion
        if conversion is None:
            continue
        for at in quantity.values:
            number = converted(triples[at].object, conversion)
            if number is not None:
                found[at] = _with_object(triples[at], number)
        for at in quantity.units:
            found[at] = _with_object(triples[at], NamedNode(conversion.base))
    return tuple(dict.fromkeys(found))


def _with_object(triple: Triple, value: Term) -> Triple:
    return Triple(triple.subject, triple.predicate, value)


def pattern_in_base_units(pattern: Pattern, quantities: Quantities, notify: Notify) -> Pattern:
    """The pattern with every quantity of a constant unit in its base unit."""
    arcs = [(arc.subject, arc.property, arc.object) for arc in pattern.arcs]
    convertible = _quantities(arcs, quantities, notify)
    while (spoilt := _spoilt(convertible, pattern)) is not None:
        quantity, variable = spoilt
        notify(f"{quantity.where}: ?{variable} is also used otherwise, so its unit stays as it is")
        convertible.remove(quantity)
    if not convertible:
        return pattern
    found = list(pattern.arcs)
    for quantity in convertible:
        for at in (*quantity.values, *quantity.units):
            found[at] = _arc(pattern.arcs[at], quantity, at in quantity.units)
    meant = {name: conversion for name, conversion, _ in _variables(convertible, pattern)}
    filters = tuple(replace(f, expression=_expression(f.expression, meant)) for f in pattern.filters)
    return replace(pattern, arcs=tuple(dict.fromkeys(found)), filters=filters)


def _arc(arc: Arc, quantity: _Quantity, is_unit: bool) -> Arc:
    conversion = quantity.conversion
    if conversion is None:
        return arc
    target: Vertex = arc.object
    if is_unit:
        target = NamedNode(conversion.base)
    elif isinstance(target, Literal):
        target = converted(target, conversion)
    return replace(arc, object=target)


def _variables(convertible: list[_Quantity], pattern: Pattern) -> Iterator[tuple[str, Conversion, _Quantity]]:
    """The variables that stand for numbers with a unit."""
    for quantity in convertible:
        for at in quantity.values:
            target = pattern.arcs[at].object
            if isinstance(target, Variable) and quantity.conversion is not None:
                yield target.name, quantity.conversion, quantity


def _spoilt(convertible: list[_Quantity], pattern: Pattern) -> tuple[_Quantity, str] | None:
    """A quantity that cannot be converted after all, and the variable that prevents it."""
    meant: dict[str, Conversion] = {}
    inside = {at for quantity in convertible for at in quantity.values}
    elsewhere = {v for at, arc in enumerate(pattern.arcs) if at not in inside for v in (arc.subject, arc.object)}
    for name, conversion, quantity in _variables(convertible, pattern):
        if meant.setdefault(name, conversion) != conversion or Variable(name) in elsewhere:
            return quantity, name
    refused = {name for f in pattern.filters for name in _refused(f.expression, meant)}
    return next(((quantity, name) for name, _, quantity in _variables(convertible, pattern) if name in refused), None)


def _refused(expression: Expression, meant: dict[str, Conversion]) -> Iterator[str]:
    """The converted variables that an expression uses in another way than comparing them."""
    if isinstance(expression, Reference):
        if expression.name in meant:
            yield expression.name
    elif isinstance(expression, Call) and not _is_harmless(expression, meant):
        for argument in expression.arguments:
            yield from _refused(argument, meant)


def _is_harmless(call: Call, meant: dict[str, Conversion]) -> bool:
    return call.operator in _INDIFFERENT or _is_convertible(call, meant)


def _is_convertible(call: Call, meant: dict[str, Conversion]) -> bool:
    """Whether a call compares variables of one base unit with each other or with numbers."""
    names = [a.name for a in call.arguments if isinstance(a, Reference)]
    if call.operator not in _COMPARISONS or not names or any(name not in meant for name in names):
        return False
    conversion = meant[names[0]]
    if any(meant[name].base != conversion.base for name in names):
        return False
    constants = [a for a in call.arguments if isinstance(a, Constant)]
    return len(names) + len(constants) == len(call.arguments) and all(
        converted(constant.term, conversion) is not None for constant in constants
    )


def _expression(expression: Expression, meant: dict[str, Conversion]) -> Expression:
    """An expression with the constants of convertible comparisons in base units."""
    if not isinstance(expression, Call):
        return expression
    if not _is_convertible(expression, meant):
        return Call(expression.operator, tuple(_expression(argument, meant) for argument in expression.arguments))
    conversion = next(meant[a.name] for a in expression.arguments if isinstance(a, Reference))
    return Call(
        expression.operator,
        tuple(Constant(converted(a.term, conversion)) if isinstance(a, Constant) else a for a in expression.arguments),
    )
