"""Terms, names and expressions as people read them in explanations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from semantic_pubsub.subscriptions import expression_text
from semantic_pubsub.subscriptions.algebra import Blank, Expression, LocalName, Variable, Vertex
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Term
from semantic_pubsub.vocab import WELL_KNOWN_PREFIXES, XSD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.concepts import Ontology

__all__ = ["Words", "printable"]

_PLAIN = frozenset(XSD + name for name in ("string", "integer", "decimal", "double", "boolean"))

# What a parser calls a blank node without a label: nobody can look it up, so its beginning is enough.
_GENERATED = re.compile("[0-9a-f]{30,}")

# Characters that would break a line, a terminal or an XML document.
_CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff\\ufffe\\uffff]")
_LONGEST = 200


def printable(text: str) -> str:
    """A text with control characters written as escapes, so that it stays in its line and its document."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04X}", text)


class Words:
    """Writes terms with an ontology's names: `DesktopPC` where that is unambiguous, `units:dollar`, else the IRI."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._prefixes = {**WELL_KNOWN_PREFIXES, **ontology.prefixes}

    def iri(self, iri: str) -> str:
        """A name for an IRI: the local name of a concept of the ontology, a prefixed name, or the IRI itself."""
        spaces = [(prefix, space) for prefix, space in self._prefixes.items() if space and iri.startswith(space)]
        if not spaces:
            return f"<{iri}>"
        prefix, space = max(spaces, key=lambda pair: len(pair[1]))
        local = iri[len(space) :]
        if self._ontology.knows(iri) and prefix not in WELL_KNOWN_PREFIXES:
            return local
        return f"{prefix}:{local}"

    def term(self, term: Term) -> str:
        """A vertex of an event."""
        if isinstance(term, NamedNode):
            return self.iri(term.value)
        if isinstance(term, BlankNode):
            return f"_:{term.value[:6]}…" if _GENERATED.fullmatch(term.value) else f"_:{term.value}"
        return self._literal(term)

    def vertex(self, vertex: Vertex) -> str:
        """A vertex of a pattern."""
        if isinstance(vertex, Variable | Blank | LocalName):
            return str(vertex)
        return self.term(vertex)

    def expression(self, expression: Expression) -> str:
        """A filter as it would be written."""
        return expression_text(expression, self._prefixes)

    def values(self, values: Mapping[str, Term]) -> str:
        """`?3 = 450, ?4 = "x"`."""
        return ", ".join(f"?{name} = {self.term(term)}" for name, term in values.items())

    def _literal(self, literal: Literal) -> str:
        value = printable(literal.value[:_LONGEST]) + ("…" if len(literal.value) > _LONGEST else "")
        if literal.language:
            return f'"{value}"@{literal.language}'
        datatype = literal.datatype.value
        if datatype == XSD + "string":
            return f'"{value}"'
        return value if datatype in _PLAIN else f'"{value}"^^{self.iri(datatype)}'
