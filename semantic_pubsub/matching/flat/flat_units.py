"""Flat events and subscriptions in base units: ⟨size.value, 500⟩ ⟨size.units, MB⟩ becomes bits on both sides.

A value and a unit belong together where their paths differ in the last step only. A unit beside which nothing is known
as a value stays, and gets the one name of the unit that is written: no number is converted, so it must not become the
base unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from semantic_pubsub.errors import OntologyError
from semantic_pubsub.matching.flat.constraints import Between, Constraint, OneOf, unlike
from semantic_pubsub.matching.flat.conversions import Conversion, converted
from semantic_pubsub.matching.flat.paths import Key, Path, steps_of
from semantic_pubsub.matching.flat.plain import Iri, Known
from semantic_pubsub.matching.flat.quantities import Notify, Quantities, is_unit_term
from semantic_pubsub.subscriptions.limits import MAX_ALTERNATIVES
from semantic_pubsub.subscriptions.values import NUMERIC_TYPES, value_of
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.concepts import Ontology

__all__ = ["constraints_in_base_units", "items_in_base_units"]

Constraints: TypeAlias = tuple[tuple[Key, Constraint], ...]


@dataclass(slots=True)
class _Group:
    """Where in a sequence the values, the units and the other attributes of one path are."""

    key: Key
    values: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        return f"attribute {self.key!r}"


def items_in_base_units(
    items: Sequence[tuple[Key, Known]], quantities: Quantities, ontology: Ontology, notify: Notify
) -> list[tuple[Key, Known]]:
    """The pairs of an event with every quantity that can be converted in its base unit."""
    found: list[tuple[Key, Known] | None] = list(items)
    named: list[tuple[Key, Known]] = []
    for group in _groups([key for key, _ in items], quantities, ontology):
        units = [at for at in group.units if is_unit_term(items[at][1])]
        if not group.values:
            for at in units:
                meant = quantities.unconverted((items[at][1],), str(group), notify)
                named += ((items[at][0], Iri(one.name)) for one in meant)
            continue
        conversion = quantities.conversion((items[at][1] for at in units), str(group), notify)
        if conversion is None:
            continue
        numbers = {at: converted(items[at][1], conversion) for at in group.values}
        if None in numbers.values():
            notify(f"{group}: a value is no number that can be converted, so its unit stays as it is")
            continue
        for at, number in numbers.items():
            found[at] = items[at][0], number
        for at in units:
            found[at] = (items[at][0], Iri(conversion.base)) if at == units[0] else None
    return [item for item in found if item is not None] + named


def constraints_in_base_units(
    constraints: Constraints, quantities: Quantities, ontology: Ontology, notify: Notify
) -> list[Constraints]:
    """The constraints of a conjunction; those on a value are converted where a unit is asked for beside it.

    Where one of several units is asked for, there is an alternative for each, since each has its own numbers.
    """
    found = [constraints]
    for group in _groups([key for key, _ in constraints], quantities, ontology):
        choices = _choices(constraints, group, quantities, notify)
        if len(found) * len(choices) > MAX_ALTERNATIVES:
            notify(f"{group}: more than {MAX_ALTERNATIVES} alternatives of units, so its unit stays as it is")
        elif choices:
            found = [_replaced(one, choice) for one in found for choice in choices]
    return found


def _choices(
    constraints: Constraints, group: _Group, quantities: Quantities, notify: Notify
) -> list[dict[int, Constraint]]:
    """What takes the place of a group's constraints, one choice for each unit; none where all stay."""
    asked = {at: one.values for at in group.units if isinstance(one := constraints[at][1], OneOf)}
    if not group.values:
        return [_named(constraints, group, asked, quantities, notify)]
    terms: list[object] = [term for values in asked.values() for term in values]
    if len(asked) == 1:
        by_meaning = quantities.conversions(terms, str(group), notify)
    else:  # several constraints at once: they must agree
        by_meaning = {quantities.conversion(terms, str(group), notify): terms}
    choices: list[dict[int, Constraint]] = []
    for conversion, same in by_meaning.items():
        values = None if conversion is None else _values(constraints, group, conversion, notify)
        if conversion is not None and values is not None:
            choices.append({**dict.fromkeys(asked, OneOf((Iri(conversion.base),))), **values})
        elif len(by_meaning) > 1:
            choices.append(dict.fromkeys(asked, OneOf(tuple(same))))  # type: ignore[arg-type]
    return choices


def _named(
    constraints: Constraints,
    group: _Group,
    asked: dict[int, tuple[Known, ...]],
    quantities: Quantities,
    notify: Notify,
) -> dict[int, Constraint]:
    """The units that are asked for, as they are written and under their one name.

    Where nothing but a unit is asked of a thing, a quantity of its kind answers too, whose unit is the base unit by
    now. Beside a number it must not: that number would be compared with one that was converted.
    """
    alone = not any(_asks_for_number(constraints[at][1]) for at in group.others)
    found: dict[int, Constraint] = {}
    for at, terms in asked.items():
        meant = quantities.unconverted(terms, str(group), notify)
        names = [name for one in meant for name in ((one.name, one.base) if alone else (one.name,))]
        found[at] = OneOf(unlike((*terms, *map(Iri, names))))
    return found


def _asks_for_number(asked: Constraint) -> bool:
    if not isinstance(asked, Between | OneOf):
        return False
    values = asked.values if isinstance(asked, OneOf) else (asked.lower, asked.upper)
    return any(type(value_of(value)) in NUMERIC_TYPES for value in values)  # type: ignore[arg-type]


def _values(
    constraints: Constraints, group: _Group, conversion: Conversion, notify: Notify
) -> dict[int, Constraint] | None:
    """What is asked of a group's values, converted; None, with a notice, where it is about no numbers."""
    found = {at: _converted(constraints[at][1], conversion) for at in group.values}
    if None in found.values():
        notify(f"{group}: what is asked of the value is no number that can be converted, so its unit stays as it is")
        return None
    return {at: one for at, one in found.items() if one is not None}


def _replaced(constraints: Constraints, choice: dict[int, Constraint]) -> Constraints:
    return tuple((key, choice.get(at, asked)) for at, (key, asked) in enumerate(constraints))


def _groups(keys: Sequence[Key], quantities: Quantities, ontology: Ontology) -> Iterable[_Group]:
    """The quantities among attributes that say a unit."""
    groups: dict[tuple[Path, str], _Group] = {}
    others: dict[Path, list[int]] = {}
    for at, key in enumerate(keys):
        path = _path(key, ontology)
        role = quantities.role(path[-1]) if path else None
        if role is None:
            if path:
                others.setdefault(path[:-1], []).append(at)
            continue
        group = groups.setdefault((path[:-1], role.bundle), _Group(key))
        (group.values if role.holds == "value" else group.units).append(at)
        if role.holds == "unit":
            group.key = key
    for (vertex, _), group in groups.items():
        group.others = others.get(vertex, [])
    return [group for group in groups.values() if group.units]


def _path(key: Key, ontology: Ontology) -> Path:
    """The properties of a key; none where one is unknown, which whoever resolves it says."""
    try:
        steps = steps_of(key, ontology)
    except OntologyError:
        return ()
    found = [step.value if isinstance(step, NamedNode) else ontology.find(str(step), "property") for step in steps]
    return tuple(iri for iri in found if iri is not None) if None not in found else ()


def _converted(asked: Constraint, conversion: Conversion) -> Constraint | None:
    """A constraint on numbers in the base unit; None if it is about something else. isa and exists stay."""
    if isinstance(asked, OneOf):
        numbers = [converted(value, conversion) for value in asked.values]
        return None if None in numbers else OneOf(unlike(numbers))
    if isinstance(asked, Between):
        low, high = (_bound(bound, conversion) for bound in (asked.lower, asked.upper))
        if (low is None) != (asked.lower is None) or (high is None) != (asked.upper is None):
            return None
        return replace(asked, lower=low, upper=high)
    return asked


def _bound(bound: Known | None, conversion: Conversion) -> Any:
    return None if bound is None else converted(bound, conversion)
