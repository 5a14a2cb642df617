"""The names of functions: what a filter may call, with how many arguments, and what it may not.

Their meaning is in `operators`; the parsers need only the names.
"""

from __future__ import annotations

from typing import Final

from semantic_pubsub.vocab import XSD

__all__ = ["ARITIES", "CASTS", "REFUSED_FUNCTIONS"]

_MANY: Final = 1_000

ARITIES: Final[dict[str, tuple[int, int]]] = {
    "ABS": (1, 1),
    "BOUND": (1, 1),
    "CEIL": (1, 1),
    "COALESCE": (1, _MANY),
    "CONTAINS": (2, 2),
    "DATATYPE": (1, 1),
    "DAY": (1, 1),
    "FLOOR": (1, 1),
    "HOURS": (1, 1),
    "IF": (3, 3),
    "ISBLANK": (1, 1),
    "ISIRI": (1, 1),
    "ISLITERAL": (1, 1),
    "ISNUMERIC": (1, 1),
    "ISURI": (1, 1),
    "LANG": (1, 1),
    "LANGMATCHES": (2, 2),
    "LCASE": (1, 1),
    "MINUTES": (1, 1),
    "MONTH": (1, 1),
    "REGEX": (2, 3),
    "ROUND": (1, 1),
    "SAMETERM": (2, 2),
    "SECONDS": (1, 1),
    "STR": (1, 1),
    "STRENDS": (2, 2),
    "STRLEN": (1, 1),
    "STRSTARTS": (2, 2),
    "TIMEZONE": (1, 1),
    "TZ": (1, 1),
    "UCASE": (1, 1),
    "YEAR": (1, 1),
}
"""Least and most arguments of each built-in, by its name in capitals."""

CASTS: Final = frozenset(
    XSD + name
    for name in (
        "boolean",
        "date",
        "dateTime",
        "dayTimeDuration",
        "decimal",
        "double",
        "duration",
        "float",
        "integer",
        "string",
        "time",
        "yearMonthDuration",
    )
)
"""Datatypes that can be called as a function."""

_AGGREGATE: Final = "a subscription is about one event: aggregates have no place in it"
_CHANGING: Final = "its value would differ from call to call"
_MAKES_TERMS: Final = "filters test values, they do not make terms"

REFUSED_FUNCTIONS: Final[dict[str, str]] = {
    **dict.fromkeys(("AVG", "COUNT", "GROUP_CONCAT", "MAX", "MIN", "SAMPLE", "SUM"), _AGGREGATE),
    **dict.fromkeys(("NOW", "RAND", "STRUUID", "UUID"), _CHANGING),
    **dict.fromkeys(("BNODE", "IRI", "URI", "STRDT", "STRLANG"), _MAKES_TERMS),
    "EXISTS": "write the triples into the pattern itself",
}
"""SPARQL functions that are refused, and why."""
