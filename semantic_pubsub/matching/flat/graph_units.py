"""Event graphs and graph patterns in base units: a vertex with a number and a unit has the number in the base unit.

In a pattern the unit is a constant, or a variable that a filter equates with one. Then the vertex's numbers are
converted, and what the filters compare with its variables. A variable that a filter computes with, or that also stands
for something else, keeps its unit.

A unit beside which nothing is known as a value stays in an event, and gets the one name of the unit that is written,
which is what a pattern asks for: no number is converted, so it must not become the base unit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from semantic_pubsub.matching.flat.conversions import Conversion, converted
from semantic_pubsub.subscriptions.algebra import (
    Arc,
    Blank,
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
from semantic_pubsub.subscriptions.values import NUMERIC_TYPES, value_of
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Term, Triple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from semantic_pubsub.matching.flat.quantities import Notify, Quantities

__all__ = ["pattern_in_base_units", "triples_in_base_units"]

_AnyArc: TypeAlias = tuple[object, object, object]

_COMPARISONS: Final = frozenset(("=", "!=", "<", "<=", ">", ">=", "in", "not in"))
_INDIFFERENT: Final = frozenset(("BOUND", "ISLITERAL", "ISNUMERIC", "ISIRI", "ISURI", "ISBLANK"))


@dataclass(frozen=True, slots=True)
class _Place:
    """A vertex with a unit, and the arcs to its values and units."""

    vertex: object
    values: tuple[int, ...]
    units: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Quantity:
    """A place whose numbers can be converted."""

    place: _Place
    conversion: Conversion


def _places(arcs: Sequence[_AnyArc], quantities: Quantities) -> tuple[list[_Place], list[_Place]]:
    """The vertices with a constant unit: those with values, and those without."""
    found: dict[tuple[object, str], tuple[list[int], list[int]]] = {}
    subjects = {subject for subject, _, _ in arcs}
    for at, (subject, prop, target) in enumerate(arcs):
        role = quantities.role(prop.value) if isinstance(prop, NamedNode) else None
        if role is not None:
            values, units = found.setdefault((subject, role.bundle), ([], []))
            if role.holds == "value" and not _is_thing(target, subjects):
                values.append(at)
            elif role.holds == "unit" and isinstance(target, NamedNode | Literal):
                units.append(at)
    places = [_Place(vertex, tuple(values), tuple(units)) for (vertex, _), (values, units) in found.items() if units]
    return [place for place in places if place.values], [place for place in places if not place.values]


def _is_thing(target: object, subjects: set[object]) -> bool:
    """Whether what a value property leads to is no number: in a pattern a blank node with arcs of its own."""
    return isinstance(target, BlankNode) or (isinstance(target, Blank) and target in subjects)


def _quantities(
    arcs: Sequence[_AnyArc], places: Iterable[_Place], quantities: Quantities, notify: Notify
) -> list[_Quantity]:
    """The places with a unit that can be converted and nothing but numbers and variables as values."""
    found = []
    for place in places:
        terms = dict.fromkeys(arcs[at][2] for at in place.units)
        conversion = quantities.conversion(terms, str(place.vertex), notify)
        if conversion is None:
            continue
        constants = [arcs[at][2] for at in place.values if isinstance(arcs[at][2], NamedNode | Literal)]
        if all(converted(constant, conversion) is not None for constant in constants):
            found.append(_Quantity(place, conversion))
        else:
            notify(f"{place.vertex}: a value is no number that can be converted, so its unit stays as it is")
    return found


# events


def triples_in_base_units(triples: Sequence[Triple], quantities: Quantities, notify: Notify) -> tuple[Triple, ...]:
    """The triples of an event with every quantity that can be converted in its base unit."""
    arcs = [(t.subject, t.predicate, t.object) for t in triples]
    whole, bare = _places(arcs, quantities)
    found = list(triples)
    for quantity in _quantities(arcs, whole, quantities, notify):
        for at in quantity.place.values:
            found[at] = _with_object(triples[at], converted(triples[at].object, quantity.conversion))
        for at in quantity.place.units:
            found[at] = _with_object(triples[at], NamedNode(quantity.conversion.base))
    for place in bare:
        for at in place.units:
            meant = quantities.unconverted((triples[at].object,), str(place.vertex), notify)
            found += (_with_object(triples[at], NamedNode(one.name)) for one in meant)
    return tuple(dict.fromkeys(found))


def _with_object(triple: Triple, value: Term) -> Triple:
    return Triple(triple.subject, triple.predicate, value)


# patterns


def pattern_in_base_units(pattern: Pattern, quantities: Quantities, notify: Notify, most: int = 1) -> list[Pattern]:
    """The pattern with every quantity of a constant unit in its base unit; at most so many alternatives of it, where
    nothing but a unit is asked of a vertex."""
    units = _units_of_variables(pattern, quantities, notify)
    arcs = [(arc.subject, arc.property, units.get(arc.object, arc.object)) for arc in pattern.arcs]
    whole, bare = _places(arcs, quantities)
    convertible = _quantities(arcs, whole, quantities, notify)
    while (spoilt := _spoilt(convertible, pattern)) is not None:
        quantity, variable = spoilt
        notify(f"{quantity.place.vertex}: ?{variable} is also used otherwise, so its unit stays as it is")
        convertible.remove(quantity)
    bases = {at: quantity.conversion.base for quantity in convertible for at in quantity.place.units}
    choices: list[dict[int, str]] = [{}]
    for place in bare:
        ways = _ways(place, arcs, pattern, quantities, notify)
        if len(choices) * len(ways) > most:
            notify(f"{place.vertex}: more than {most} alternatives of units, so no quantity that was converted answers")
            ways = ways[:1]
        choices = [{**one, **way} for one in choices for way in ways]
    return [_rewritten(pattern, convertible, {**bases, **named}) for named in choices]


def _ways(
    place: _Place, arcs: Sequence[_AnyArc], pattern: Pattern, quantities: Quantities, notify: Notify
) -> list[dict[int, str]]:
    """What may take the place of the units of a vertex of which no value is asked: their one name.

    Where nothing but a unit is asked, a quantity of its kind answers too, whose unit is the base unit by now. Beside a
    number it must not: that number would be compared with one that was converted.
    """
    more = {arc.subject for arc in pattern.arcs} | {asked.vertex for asked in pattern.classes}
    free = [at for at in place.units if pattern.arcs[at].object not in more]  # a unit with arcs of its own stays
    meant = {at: quantities.unconverted((arcs[at][2],), str(place.vertex), notify) for at in free}
    names = {at: one.name for at, found in meant.items() for one in found}
    bases = {at: one.base for at, found in meant.items() for one in found}
    return [names] if names == bases or _has_numbers(place, pattern) else [names, bases]


def _has_numbers(place: _Place, pattern: Pattern) -> bool:
    """Whether a pattern may ask for a number at a vertex: a constant, or a variable of which it says more."""
    filtered = {name for f in pattern.filters for name in references(f.expression)}
    places = Counter(arc.object for arc in pattern.arcs)
    for at, arc in enumerate(pattern.arcs):
        target = arc.object
        if arc.subject != place.vertex or at in place.units:
            continue
        if isinstance(target, Literal) and type(value_of(target)) in NUMERIC_TYPES:
            return True
        if isinstance(target, Variable) and (target.name in filtered or places[target] > 1):
            return True
    return False


def _rewritten(pattern: Pattern, convertible: Sequence[_Quantity], names: dict[int, str]) -> Pattern:
    """The pattern with converted numbers, and with names for the units of some arcs."""
    found = list(pattern.arcs)
    bases: dict[str, str] = {}
    for quantity in convertible:
        for at in quantity.place.values:
            found[at] = _converted_arc(pattern.arcs[at], quantity.conversion)
    for at, name in names.items():
        unit = pattern.arcs[at].object
        if isinstance(unit, Variable):
            bases[unit.name] = name
        else:
            found[at] = replace(pattern.arcs[at], object=NamedNode(name))
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


def _variables(convertible: Sequence[_Quantity], pattern: Pattern) -> Iterator[tuple[str, _Quantity]]:
    """The variables that stand for numbers with a unit."""
    for quantity in convertible:
        for at in quantity.place.values:
            target = pattern.arcs[at].object
            if isinstance(target, Variable):
                yield target.name, quantity


def _spoilt(convertible: list[_Quantity], pattern: Pattern) -> tuple[_Quantity, str] | None:
    """A quantity that cannot be converted after all, and the variable that prevents it."""
    meant: dict[str, Conversion] = {}
    inside = {at for quantity in convertible for at in quantity.place.values}
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
