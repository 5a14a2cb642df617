"""Words of SPARQL that a subscription cannot use: what to call them, and what to write instead."""

from __future__ import annotations

from typing import Final

__all__ = ["MODIFIERS", "NOT_TRIPLES", "QUERY_FORMS"]

_UPDATE: Final = "a subscription reads events, it changes nothing"

QUERY_FORMS: Final[dict[str, str]] = {
    "CONSTRUCT": "use SELECT; the event itself is delivered",
    "DESCRIBE": "use SELECT; the event itself is delivered",
    **dict.fromkeys(("ADD", "CLEAR", "COPY", "CREATE", "DELETE", "DROP", "INSERT", "LOAD", "MOVE", "WITH"), _UPDATE),
}
"""First words of queries and updates."""

_ONLY_PRESENT: Final = "patterns can only ask for what is there"

NOT_TRIPLES: Final[dict[str, tuple[str, str]]] = {
    "BIND": ("BIND", "put the expression into the FILTER that needs it"),
    "EXISTS": ("EXISTS", "write the triples into the pattern itself"),
    "GRAPH": ("GRAPH", "an event is one graph"),
    "LATERAL": ("LATERAL", "write its pattern into the query itself"),
    "MINUS": ("MINUS", _ONLY_PRESENT),
    "NOT": ("NOT EXISTS", _ONLY_PRESENT),
    "OPTIONAL": ("OPTIONAL", "leave it out, or write a UNION of the pattern with it and without it"),
    "SERVICE": ("SERVICE", "a subscription asks the event only"),
    "VALUES": ("VALUES", "use FILTER (?v IN (...))"),
}
"""Words that begin an element of a group."""

_ONE_EVENT: Final = "a subscription is about one event, not about a table of results"

MODIFIERS: Final[dict[str, tuple[str, str]]] = {
    "GROUP": ("GROUP BY", _ONE_EVENT),
    "HAVING": ("HAVING", _ONE_EVENT),
    "LIMIT": ("LIMIT", _ONE_EVENT),
    "OFFSET": ("OFFSET", _ONE_EVENT),
    "ORDER": ("ORDER BY", _ONE_EVENT),
    "VALUES": ("VALUES", "use FILTER (?v IN (...))"),
}
"""Words that may follow the pattern of a query."""
