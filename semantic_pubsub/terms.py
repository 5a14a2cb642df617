"""RDF terms inside the package, and the border to rdflib.

Inside, terms are pyoxigraph's: immutable, hashable, picklable, made by its parser at no further cost,
with lexical forms kept as written ("007" stays "007"). Users see rdflib's terms; the conversion is here
and nowhere else.
"""

from __future__ import annotations

from typing import TypeAlias

import rdflib
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

__all__ = ["BlankNode", "Literal", "NamedNode", "Resource", "Term", "Triple", "from_rdflib", "to_rdflib"]

Resource: TypeAlias = NamedNode | BlankNode
Term: TypeAlias = NamedNode | BlankNode | Literal

_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"


def to_rdflib(term: Term) -> rdflib.URIRef | rdflib.BNode | rdflib.Literal:
    """The same term for users of rdflib; literals keep their lexical form."""
    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, BlankNode):
        return rdflib.BNode(term.value)
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    datatype = term.datatype.value
    if datatype == _XSD_STRING:
        return rdflib.Literal(term.value)
    return rdflib.Literal(term.value, datatype=rdflib.URIRef(datatype), normalize=False)


def from_rdflib(term: object) -> Term:
    """The inner form of an rdflib term; a TypeError or ValueError for what is no term of RDF."""
    if isinstance(term, rdflib.URIRef):
        return NamedNode(str(term))
    if isinstance(term, rdflib.BNode):
        return BlankNode(str(term))
    if isinstance(term, rdflib.Literal):
        if term.language:
            return Literal(str(term), language=term.language)
        if term.datatype is not None:
            return Literal(str(term), datatype=NamedNode(str(term.datatype)))
        return Literal(str(term))
    raise TypeError(f"{term!r} is not an IRI, blank node or literal")
