"""Whether one flat subscription covers another: whatever satisfies the special one satisfies the general one.

Each constraint of an event's conjunction is satisfied by some one pair, independently of the others. So a conjunction
covers another exactly if each of its constraints is implied by a single one of the other's (or the other can never be
satisfied). Where whether a constraint implies another cannot be decided, because numbers of different types compare in
different precision or moments may lack a time zone, the answer is no.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from semantic_pubsub.matching.flat.constraints import Between, Constraint, Exists, IsA, OneOf
from semantic_pubsub.matching.flat.hmacd_names import is_below_class
from semantic_pubsub.matching.flat.meaning import is_below
from semantic_pubsub.matching.flat.plain import Iri
from semantic_pubsub.subscriptions.temporal import Moment
from semantic_pubsub.subscriptions.values import NUMERIC_TYPES, Float, compare, to_double, value_of
from semantic_pubsub.vocab import LITERAL, XSD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.index import Asked

__all__ = ["covers_asked", "implies", "is_never"]

_EXACT: Final = frozenset((int, Decimal))
_DATATYPES: Final = {str: XSD + "string", bool: XSD + "boolean"}


def covers_asked(general: Asked, special: Asked, ontology: Ontology) -> bool:
    """Whether every event that satisfies all of the special constraints satisfies all of the general ones."""
    if any(is_never(asked) for _, asked in special):
        return True
    return all(
        any(is_below(low, path, ontology) and implies(one, asked, ontology) for low, one in special)
        for path, asked in general
    )


def is_never(asked: Constraint) -> bool:
    """Whether it is certain that no value satisfies a constraint."""
    if isinstance(asked, OneOf):
        return not asked.values
    if not isinstance(asked, Between) or asked.lower is None or asked.upper is None:
        return False
    low, high = asked.lower, asked.upper
    if type(low) in NUMERIC_TYPES and type(high) in NUMERIC_TYPES:
        if _coarse(low) > _coarse(high):
            return True  # apart in the coarsest type, so apart in all
        if type(low) is not type(high) and not {type(low), type(high)} <= _EXACT:
            return False
    order = compare(low, high)  # type: ignore[arg-type]
    return order is not None and order >= 0 and (asked.lower_open or asked.upper_open)


def implies(special: Constraint, general: Constraint, ontology: Ontology) -> bool:
    """Whether it is certain that every value that satisfies one constraint satisfies the other."""
    if isinstance(general, Exists) or special == general or is_never(special):
        return True
    if isinstance(general, IsA):
        return _is_of_class(special, general.name, ontology)
    if isinstance(special, OneOf):
        return all(_value_satisfies(value, general) for value in special.values)
    if isinstance(special, Between):
        if isinstance(general, Between):
            return _is_within(special, general)
        return _is_point(special) and _value_satisfies(special.lower, general)
    return False


def _is_of_class(special: Constraint, name: str, ontology: Ontology) -> bool:
    """Whether what satisfies a constraint is of a class: below another class, or of the datatype of its values."""
    if isinstance(special, IsA):
        return is_below_class(special.name, name, ontology)
    values: Sequence[object] = ()
    if isinstance(special, OneOf):
        values = special.values
    elif isinstance(special, Between):
        values = [bound for bound in (special.lower, special.upper) if bound is not None]
    if not values or any(isinstance(value, Iri) for value in values):
        return False
    if name == LITERAL:
        return True
    datatypes = {_DATATYPES.get(type(value)) for value in values}
    return all(datatype is not None and name in ontology.superdatatypes(datatype) for datatype in datatypes)


def _value_satisfies(value: object, general: Constraint) -> bool:
    """Whether whatever equals a value satisfies a constraint."""
    if isinstance(general, OneOf):
        return any(_is_same(value, other) for other in general.values)
    if isinstance(general, Between) and not isinstance(value, Iri):
        inner = value_of(value)  # type: ignore[arg-type]
        return inner == inner and _is_within(Between(value, value), general)  # type: ignore[arg-type]
    return False


def _is_same(one: object, other: object) -> bool:
    """Whether whatever equals the one equals the other: numbers only if they compare in one precision."""
    kinds = {type(one), type(other)}
    return one == other and (len(kinds) == 1 or kinds <= _EXACT)


def _is_point(asked: Between) -> bool:
    """Whether an interval holds what equals its bound, and nothing else."""
    low, high = asked.lower, asked.upper
    is_closed = not asked.lower_open and not asked.upper_open
    return is_closed and type(low) in (*NUMERIC_TYPES, str, bool) and type(low) is type(high) and low == high


def _is_within(special: Between, general: Between) -> bool:
    return _is_inside(special.lower, special.lower_open, general.lower, general.lower_open, 1) and _is_inside(
        special.upper, special.upper_open, general.upper, general.upper_open, -1
    )


def _is_inside(bound: object, is_open: bool, outer: object, outer_open: bool, sign: int) -> bool:
    """Whether what is on the inner side of one bound is on the inner side of the other. `sign` is 1 for lower bounds.

    Bounds of one type round alike, so their order holds in whatever type they are compared with a value. Others must
    be apart in the coarsest type; so must a closed bound and an open one, which might round to the same.
    """
    if outer is None:
        # The type of the missing bound is that of the other: numbers stay numbers.
        return True
    if bound is None:
        return False
    if type(bound) in NUMERIC_TYPES and type(outer) in NUMERIC_TYPES:
        return _is_number_inside(bound, is_open, outer, outer_open, sign)
    if isinstance(bound, Moment) and isinstance(outer, Moment) and (bound.zone is None) != (outer.zone is None):
        return False
    order = compare(bound, outer)  # type: ignore[arg-type]
    return order is not None and (order == sign or (order == 0 and (is_open or not outer_open)))


def _is_number_inside(bound: object, is_open: bool, outer: object, outer_open: bool, sign: int) -> bool:
    alike = type(bound) is type(outer) or {type(bound), type(outer)} <= _EXACT
    if alike and (is_open or not outer_open):
        order = compare(bound, outer)  # type: ignore[arg-type]
        return order is not None and order in (0, sign)
    return compare(_coarse(bound), _coarse(outer)) == sign


def _coarse(number: object) -> Float:
    return Float(to_double(number))  # type: ignore[arg-type]
