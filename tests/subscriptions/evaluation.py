"""Expressions evaluated by the product and by pyoxigraph, both from text."""

from __future__ import annotations

import pyoxigraph as ox

from semantic_pubsub import Subscription
from semantic_pubsub.subscriptions import compile_filter

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIX = f"PREFIX xsd: <{XSD}>\n"
_EXACT = {XSD + "string", XSD + "boolean"}


def holds(condition: str, **bound: ox.NamedNode | ox.BlankNode | ox.Literal) -> bool:
    """Whether the product finds the condition true of these variables."""
    subscription = Subscription.parse(f"{PREFIX}ASK {{ _:H a <urn:c> FILTER ({condition}) }}")
    return compile_filter(subscription.alternatives[0].filters[0].expression)(bound)


def truth(condition: str) -> bool | None:
    """True, False, or None for an error: what SPARQL's logic with three values can tell apart."""
    if holds(condition):
        return True
    return False if holds(f"!({condition})") else None


def is_error(expression: str) -> bool:
    """Whether the product finds that the expression has no value."""
    return holds(f"sameTerm(COALESCE({expression}, <urn:error>), <urn:error>)")


def is_term(expression: str, term: ox.NamedNode | ox.Literal) -> bool:
    """Whether the expression has this value, of this datatype and language; numbers may be spelled otherwise."""
    exact = not isinstance(term, ox.Literal) or bool(term.language) or term.datatype.value in _EXACT
    if exact:
        return holds(f"sameTerm({expression}, {term})")
    same_type = holds(f"sameTerm(DATATYPE({expression}), {term.datatype})")
    if term.value == "NaN":
        return same_type and holds(f'STR({expression}) = "NaN"')
    return same_type and holds(f"({expression}) = {term}")


def answer_of_oxigraph(expression: str) -> ox.NamedNode | ox.Literal | None:
    """The other engine's value; None for an error."""
    (solution,) = ox.Store().query(f"{PREFIX}SELECT ?x {{ BIND(({expression}) AS ?x) }}")
    return solution["x"]
