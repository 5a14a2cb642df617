"""Values, labels and constraints as JSON, and back: what a saved index knows its numbers by."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from semantic_pubsub.matching.flat.constraints import Between, Constraint, OneOf
from semantic_pubsub.matching.flat.plain import Iri
from semantic_pubsub.subscriptions.temporal import Duration, Moment
from semantic_pubsub.subscriptions.values import Float, LanguageText, value_of
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import XSD

__all__ = ["constraint_from", "constraint_json", "label_from", "label_json"]


def _value_json(value: object) -> list[Any] | None:  # noqa: C901 - one line for each kind of value
    match value:
        case None:
            return None
        case bool():
            return ["bool", value]
        case int():
            return ["int", str(value)]
        case Decimal():
            return ["decimal", str(value)]
        case Float():
            return ["float", float(value).hex()]
        case float():
            return ["double", value.hex()]
        case str():
            return ["text", value]
        case Iri():
            return ["iri", value.iri]
        case LanguageText():
            return ["language", value.text, value.language]
        case Moment():
            return ["moment", value.kind, value.lexical]
        case Duration():
            return ["duration", value.kind, value.months, str(value.seconds)]
        case Literal():
            return ["literal", value.value, value.datatype.value]
    raise TypeError(f"{value!r} cannot be kept")


def _value_from(data: list[Any] | None) -> Any:
    if data is None:
        return None
    kind, *parts = data
    match kind:
        case "bool":
            return bool(parts[0])
        case "text":
            return str(parts[0])
        case "moment":
            return value_of(Literal(parts[1], datatype=NamedNode(XSD + parts[0])))
        case "duration":
            return Duration(int(parts[1]), _seconds(parts[2]), parts[0])
        case "literal":
            return Literal(parts[0], datatype=NamedNode(parts[1]))
        case "float":
            return Float(float.fromhex(parts[0]))
        case "double":
            return float.fromhex(parts[0])
    return {"int": int, "decimal": Decimal, "iri": Iri, "language": LanguageText}[kind](*parts)


def constraint_json(asked: Constraint) -> list[Any]:
    """A constraint whose values cannot be told from numbers: a set of values, or an interval."""
    if isinstance(asked, OneOf):
        return ["one_of", [_value_json(value) for value in asked.values]]
    if isinstance(asked, Between):
        return ["between", _value_json(asked.lower), _value_json(asked.upper), asked.lower_open, asked.upper_open]
    raise TypeError(f"{asked!r} is kept by its label")


def constraint_from(data: list[Any]) -> Constraint:
    """The constraint that `constraint_json` wrote."""
    if data[0] == "one_of":
        return OneOf(tuple(_value_from(value) for value in data[1]))
    return Between(_value_from(data[1]), _value_from(data[2]), bool(data[3]), bool(data[4]))


def _seconds(text: str) -> int | Fraction:
    seconds = Fraction(text)
    return int(seconds) if seconds.denominator == 1 else seconds


def label_json(label: tuple[Any, ...]) -> list[Any]:
    """A label; sets of items as sorted lists."""
    match label[0]:
        case "value" if label[1] == "Duration":
            return ["value", "Duration", [label[2][0], str(label[2][1])]]
        case "value":
            return ["value", label[1], _value_json(label[2])]
        case "moment":
            return ["moment", label[1], label[2], str(label[3])]
        case "point":
            return ["point", float(label[1]).hex()]
        case "set":
            return ["set", sorted(label[1]), label[2]]
    return list(label)


def label_from(data: list[Any]) -> tuple[Any, ...]:
    """The label that `label_json` wrote."""
    match data[0]:
        case "value" if data[1] == "Duration":
            return ("value", "Duration", (int(data[2][0]), _seconds(data[2][1])))
        case "moment":
            return ("moment", data[1], bool(data[2]), _seconds(data[3]))
        case "value":
            return ("value", data[1], _value_from(data[2]))
        case "point":
            return ("point", float.fromhex(data[1]))
        case "set":
            return ("set", frozenset(data[1]), data[2])
    return tuple(data)
