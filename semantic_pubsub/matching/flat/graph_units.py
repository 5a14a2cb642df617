"""Event graphs and graph patterns in base units: a vertex with a number and a unit has the number in the base unit.

In a pattern the unit is a constant, or a variable that a filter equates with one. Then the vertex's numbers are
converted, and what the filters compare with its variables. A variable that a filter computes with, or that also stands
for something else, keeps its unit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat.conversions import Conversion, converted
from semantic_pubsub.subscriptions.algebra import (
    Arc,
    Call,
    Constant,
    Expression,
    LocalName,
    Pattern,
    Reference,
    Variable,
    Vertex,
    references,
)
from semantic_pubsub.subscriptions.bounds import conjuncts
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
    conversion: Conversion
    values: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)


def _quantities(
    arcs: Sequence[tuple[object, object, object]], quantities: Quantities, notify: Notify
) -> list[_Quantity]:
    """The vertices with a unit that can be converted and nothing but numbers and variables as values."""
    places: dict[tuple[object, str], tuple[list[int], list[int]]] = {}
    for at, (subject, prop, target) in enumerate(arcs):
        role = quantities.role(prop.value) if isinstance(prop, NamedNode) else None
        if role is not None:
            values, units = places.setdefault((subject, role.bundle), ([], []))
            if role.holds == "value":
                values.append(at)
            elif isinstance(target, NamedNode | Literal):
                units.append(at)
    found = []
    for (subject, _), (values, units) in places.items():
        conversion = quantities.conversion(dict.fromkeys(arcs[at][2] for at in units), str(subject), notify)
        if conversion is None:
            continue
        constants = [arcs[at][2] for at in values if isinstance(arcs[at][2], NamedNode | Literal)]
        if all(converted(constant, conversion) is not None for constant in constants):
            found.append(_Quantity(str(subject), conversion, values, units))
        else:
            notify(f"{subject}: a value is no number that can be converted, so its unit stays as it is")
    return found


# events


def triples_in_base_units(triples: Sequence[Triple], quantities: Quantities, notify: Notify) -> tuple[Triple, ...]:
    """The triples of an event with every quantity that can be converted in its base unit."""
    arcs = [(t.subject, t.predicate, t.object) for t in triples]
    found = list(triples)
    for quantity in _quantities(arcs, quantities, notify):
        for at in quantity.values:
            number = converted(triples[at].object, quantity.conversion)
            if number is not None:  # a blank node is none
                found[at] = _with_object(triples[at], number)
        for at in quantity.units:
            found[at] = _with_object(triples[at], NamedNode(quantity.conversion.base))
    return tuple(dict.fromkeys(found))


def _with_object(triple: Triple, value: Term) -> Triple:
    return Triple(triple.subject, triple.predicate, value)


# patterns


def pattern_in_base_units(pattern: Pattern, quantities: Quantities, notify: Notify) -> Pattern:
    """The pattern with every quantity of a constant unit in its base unit."""
    units = _units_of_variables(pattern, quantities, notify)
    arcs = [(arc.subject, arc.property, units.get(arc.object, arc.object)) for arc in pattern.arcs]
    convertible = _quantities(arcs, quantities, notify)
    while (spoilt := _spoilt(convertible, pattern)) is not None:
        quantity, variable = spoilt
        notify(f"{quantity.where}: ?{variable} is also used otherwise, so its unit stays as it is")
        convertible.remove(quantity)
    if not convertible:
        return pattern
    found = list(pattern.arcs)
    bases: dict[str, str] = {}
    for quantity in convertible:
        for at in quantity.values:
            found[at] = _converted_arc(pattern.arcs[at], quantity.conversion)
        for at in quantity.units:
            unit, base = pattern.arcs[at].object, quantity.conversion.base
            if isinstance(unit, Variable):
                bases[unit.name] = base
            else:
                found[at] = replace(pattern.arcs[at], object=NamedNode(base))
    meant = {name: quantity.conversion for name, quantity in _variables(convertible, pattern)}
    filters = tuple(replace(f, expression=_expression(f.expression, meant, bases)) for f in pattern.filters)
    return replace(pattern, arcs=tuple(dict.fromkeys(found)), filters=filters)


def _converted_arc(arc: Arc, conversion: Conversion) -> Arc:
    return replace(arc, object=converted(arc.object, conversion)) if isinstance(arc.object, Literal) else arc


def _units_of_variables(pattern: Pattern, quantities: Quantities, notify: Notify) -> dict[Vertex, Vertex]:
    """The unit that a filter `?unit = …` asks for, where that is all that the pattern says of the variable."""
    holders = (a for a in pattern.arcs if isinstance(a.property, NamedNode) and isinstance(a.object, Variable))
    names = [a.object.name for a in holders if (role := quantities.role(a.property.value)) and role.holds == "unit"]  # type: ignore[union-attr]
    used = Counter(name for f in pattern.filters for name in references(f.expression))
    arcs = Counter(v.name for a in pattern.arcs for v in (a.subject, a.object) if isinstance(v, Variable))
    equated = dict(pair for f in pattern.filters for part in conjuncts(f.expression) for pair in _equated(part))
    found: dict[Vertex, Vertex] = {}
    for name in dict.fromkeys(names):
        if used[name] == 1 and arcs[name] == 1 and name in equated:
            found[Variable(name)] = equated[name]
        elif used[name]:
            notify(f"?{name}: only ?{name} = … is understood of a unit; all others are compared as they are")
    return found


def _equated(part: Expression) -> Iterator[tuple[str, NamedNode | Literal]]:
    """The variable and the constant of `?unit = constant`."""
    if isinstance(part, Call) and part.operator in ("=", "in") and len(part.arguments) == 2:
        one, other = part.arguments
        for left, right in ((one, other), (other, one)):
            if isinstance(left, Reference) and isinstance(right, Constant) and not isinstance(right.term, LocalName):
                yield left.name, right.term


def _variables(convertible: list[_Quantity], pattern: Pattern) -> Iterator[tuple[str, _Quantity]]:
    """The variables that stand for numbers with a unit."""
    for quantity in convertible:
        for at in quantity.values:
            target = pattern.arcs[at].object
            if isinstance(target, Variable):
                yield target.name, quantity


def _spoilt(convertible: list[_Quantity], pattern: Pattern) -> tuple[_Quantity, str] | None:
    """A quantity that cannot be converted after all, and the variable that prevents it."""
    meant: dict[str, Conversion] = {}
    inside = {at for quantity in convertible for at in quantity.values}
    elsewhere = {v for at, arc in enumerate(pattern.arcs) if at not in inside for v in (arc.subject, arc.object)}
    for name, quantity in _variables(convertible, pattern):
        if meant.setdefault(name, quantity.conversion) != quantity.conversion or Variable(name) in elsewhere:
            return quantity, name
    refused = {name for f in pattern.filters for name in _refused(f.expression, meant)}
    return next(((quantity, name) for name, quantity in _variables(convertible, pattern) if name in refused), None)


def _refused(expression: Expression, meant: dict[str, Conversion]) -> Iterator[str]:
    """The converted variables that an expression uses in another way than comparing them."""
    if isinstance(expression, Reference):
        if expression.name in meant:
            yield expression.name
    elif isinstance(expression, Call) and expression.operator not in _INDIFFERENT and not _compared(expression, meant):
        for argument in expression.arguments:
            yield from _refused(argument, meant)


def _compared(call: Call, meant: dict[str, Conversion]) -> Conversion | None:
    """How the constants of a call are converted that compares variables of one base unit with each other or with
    numbers in one unit; None for any other call."""
    names = [a.name for a in call.arguments if isinstance(a, Reference)]
    constants = [a.term for a in call.arguments if isinstance(a, Constant)]
    if call.operator not in _COMPARISONS or not names or any(name not in meant for name in names):
        return None
    conversions = {meant[name] for name in names}
    conversion = meant[names[0]]
    if len({one.base for one in conversions}) > 1 or (constants and len(conversions) > 1):
        return None
    if len(names) + len(constants) < len(call.arguments) or any(converted(c, conversion) is None for c in constants):
        return None
    return conversion


def _expression(expression: Expression, meant: dict[str, Conversion], bases: dict[str, str]) -> Expression:
    """An expression with the constants of convertible comparisons in base units, and base units for their units."""
    if not isinstance(expression, Call):
        return expression
    arguments = expression.arguments
    conversion = _compared(expression, meant)
    base = next((bases[a.name] for a in arguments if isinstance(a, Reference) and a.name in bases), None)
    if conversion is not None:
        arguments = tuple(Constant(converted(a.term, conversion)) if isinstance(a, Constant) else a for a in arguments)
    elif base is not None:
        arguments = tuple(Constant(NamedNode(base)) if isinstance(a, Constant) else a for a in arguments)
    else:
        arguments = tuple(_expression(argument, meant, bases) for argument in arguments)
    return Call(expression.operator, arguments)
