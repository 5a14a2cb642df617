"""Flat events and subscriptions in base units: ⟨size.value, 500⟩ ⟨size.units, MB⟩ becomes bits on both sides.

A value and a unit belong together where their paths differ in the last step only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from semantic_pubsub.errors import OntologyError
from semantic_pubsub.matching.flat.constraints import Between, Constraint, OneOf, unlike
from semantic_pubsub.matching.flat.paths import Key, Path, parse_path
from semantic_pubsub.matching.flat.plain import Iri, Known
from semantic_pubsub.matching.flat.quantities import Notify, Quantities, is_unit_term
from semantic_pubsub.matching.flat.units import Conversion, converted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from semantic_pubsub.concepts import Ontology

__all__ = ["constraints_in_base_units", "items_in_base_units"]


@dataclass(slots=True)
class _Group:
    """Where in a sequence the values and units of one path are."""

    key: Key
    values: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)


def items_in_base_units(
    items: Sequence[tuple[Key, Known]], quantities: Quantities, ontology: Ontology, notify: Notify
) -> list[tuple[Key, Known]]:
    """The pairs of an event with every quantity that can be converted in its base unit."""
    found: list[tuple[Key, Known] | None] = list(items)
    for group in _groups([key for key, _ in items], quantities, ontology):
        units = [at for at in group.units if is_unit_term(items[at][1])]
        conversion = quantities.conversion((items[at][1] for at in units), _where(group), notify)
        if conversion is None:
            continue
        numbers = {at: converted(items[at][1], conversion) for at in group.values}
        if None in numbers.values():
            notify(f"{_where(group)}: a value is no number, so its unit stays as it is")
            continue
        for at, number in numbers.items():
            found[at] = items[at][0], number
        for at in units:
            found[at] = (items[at][0], Iri(conversion.base)) if at == units[0] else None
    return [item for item in found if item is not None]


def constraints_in_base_units(
    constraints: Sequence[tuple[Key, Constraint]], quantities: Quantities, ontology: Ontology, notify: Notify
) -> tuple[tuple[Key, Constraint], ...]:
    """The constraints of a conjunction; those on a value are converted where one unit is asked for beside it."""
    found = list(constraints)
    for group in _groups([key for key, _ in constraints], quantities, ontology):
        units = [at for at in group.units if isinstance(constraints[at][1], OneOf)]
        terms = [term for at in units for term in constraints[at][1].values if is_unit_term(term)]  # type: ignore[attr-defined]
        conversion = quantities.conversion(terms, _where(group), notify)
        if conversion is None:
            continue
        asked = {at: _converted(constraints[at][1], conversion) for at in group.values}
        if None in asked.values():
            notify(f"{_where(group)}: what is asked of the value is no number, so its unit stays as it is")
            continue
        for at, constraint in asked.items():
            found[at] = constraints[at][0], constraint  # type: ignore[assignment]
        for at in units:
            found[at] = constraints[at][0], OneOf((Iri(conversion.base),))
    return tuple(found)


def _groups(keys: Sequence[Key], quantities: Quantities, ontology: Ontology) -> Iterable[_Group]:
    """The quantities among attributes that say a unit."""
    groups: dict[tuple[Path, str], _Group] = {}
    for at, key in enumerate(keys):
        path = _path(key, ontology)
        role = quantities.role(path[-1]) if path else None
        if role is None:
            continue
        group = groups.setdefault((path[:-1], role.bundle), _Group(key))
        (group.values if role.holds == "value" else group.units).append(at)
        if role.holds == "unit":
            group.key = key
    return [group for group in groups.values() if group.units]


def _path(key: Key, ontology: Ontology) -> Path:
    try:
        return parse_path(key, ontology)
    except OntologyError:
        return ()  # whoever resolves it says what is wrong


def _where(group: _Group) -> str:
    return f"attribute {group.key!r}"


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
