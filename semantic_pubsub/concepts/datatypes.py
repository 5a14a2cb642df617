"""The datatypes of XML Schema and RDF, each below the one it is derived from."""

from __future__ import annotations

from typing import Final

from semantic_pubsub.vocab import LITERAL, OWL, RDF, XSD

__all__ = ["BUILTIN_DATATYPES", "DATATYPE_EDGES"]

_DERIVED: Final = {
    "anySimpleType": "anyAtomicType ENTITIES IDREFS NMTOKENS",
    "anyAtomicType": "anyURI base64Binary boolean date dateTime decimal double duration float gDay gMonth gMonthDay"
    " gYear gYearMonth hexBinary NOTATION QName string time",
    "dateTime": "dateTimeStamp",
    "decimal": "integer",
    "integer": "long nonNegativeInteger nonPositiveInteger",
    "long": "int",
    "int": "short",
    "short": "byte",
    "nonNegativeInteger": "positiveInteger unsignedLong",
    "unsignedLong": "unsignedInt",
    "unsignedInt": "unsignedShort",
    "unsignedShort": "unsignedByte",
    "nonPositiveInteger": "negativeInteger",
    "duration": "dayTimeDuration yearMonthDuration",
    "string": "normalizedString",
    "normalizedString": "token",
    "token": "language Name NMTOKEN",
    "Name": "NCName",
    "NCName": "ENTITY ID IDREF",
}

DATATYPE_EDGES: Final = (
    *((XSD + lower, XSD + upper) for upper, derived in _DERIVED.items() for lower in derived.split()),
    (XSD + "anySimpleType", LITERAL),
    (OWL + "real", LITERAL),
    (OWL + "rational", OWL + "real"),
    (XSD + "decimal", OWL + "rational"),
    (RDF + "PlainLiteral", LITERAL),
    (XSD + "string", RDF + "PlainLiteral"),
    (RDF + "langString", RDF + "PlainLiteral"),
    (RDF + "dirLangString", LITERAL),
    (RDF + "XMLLiteral", LITERAL),
    (RDF + "HTML", LITERAL),
    (RDF + "JSON", LITERAL),
)
"""(lower, upper) pairs; rdfs:Literal is above all."""

BUILTIN_DATATYPES: Final = frozenset(lower for lower, _ in DATATYPE_EDGES)
