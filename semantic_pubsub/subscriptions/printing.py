"""From algebra back to text that parses to the same algebra."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Arc,
    Call,
    ClassAsked,
    Constant,
    Expression,
    Filter,
    LocalName,
    Pattern,
    Reference,
    Variable,
    Vertex,
    references,
)
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import WELL_KNOWN_PREFIXES, XSD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["expression_text", "sparql_text", "statements_text"]

_SHORT: Final = {
    XSD + "integer": re.compile(r"[+-]?[0-9]+"),
    XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    XSD + "double": re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"),
    XSD + "boolean": re.compile(r"true|false"),
}
_PLAIN_LOCAL: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_PLAIN_PREFIX: Final = re.compile(r"(?:[A-Za-z](?:[A-Za-z0-9_-]*))?")
_STRENGTH: Final = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("=", "!=", "<", ">", "<=", ">=", "in", "not in"), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/"), 5),
}
_RELATION, _PRIMARY = 3, 7
_UNARY: Final = {"!": "!", "neg": "-", "pos": "+"}
_SPELLING: Final = {
    "ISBLANK": "isBlank",
    "ISIRI": "isIRI",
    "ISLITERAL": "isLiteral",
    "ISNUMERIC": "isNumeric",
    "ISURI": "isURI",
    "SAMETERM": "sameTerm",
}


def expression_text(expression: Expression, prefixes: Mapping[str, str] | None = None) -> str:
    """A filter expression as it would be written."""
    return _Writer(prefixes).expression(expression)


def sparql_text(
    alternatives: tuple[Pattern, ...], projection: tuple[str, ...] | None, prefixes: Mapping[str, str] | None = None
) -> str:
    """The query of these alternatives; `None` as projection stands for all variables, an empty one for ASK."""
    writer = _Writer(prefixes)
    if len(alternatives) == 1:
        body = _block(writer, alternatives[0], "  ")
    else:
        groups = [f"{{\n{_block(writer, pattern, '    ')}  }}" for pattern in alternatives]
        body = f"  {' UNION '.join(groups)}\n"
    names = "*" if projection is None else " ".join(f"?{name}" for name in projection)
    head = "ASK" if projection == () else f"SELECT {names} WHERE"
    return f"{writer.prologue(WELL_KNOWN_PREFIXES.keys() & ())}{head} {{\n{body}}}\n"


def statements_text(pattern: Pattern, prefixes: Mapping[str, str] | None = None) -> str:
    """The same pattern as statement patterns, in the order in which they are read back."""
    writer = _Writer(prefixes)
    lines = [writer.statement(*parts) for parts in _statements(pattern)]
    return writer.prologue(WELL_KNOWN_PREFIXES.keys()) + "".join(f"{line}\n" for line in lines)


class _Writer:
    """Terms and expressions as text; remembers which prefixes it used."""

    def __init__(self, prefixes: Mapping[str, str] | None) -> None:
        known = {**WELL_KNOWN_PREFIXES, **(prefixes or {})}
        self._namespaces = {iri: name for name, iri in known.items() if _PLAIN_PREFIX.fullmatch(name) and iri}
        self._used: dict[str, str] = {}

    def prologue(self, silent: object) -> str:
        """The PREFIX lines of what was written; those in `silent` only if they mean something unusual."""
        lines = []
        for name, iri in self._used.items():
            usual = WELL_KNOWN_PREFIXES.get(name) == iri
            if not (usual and name in silent):  # type: ignore[operator]
                lines.append(f"PREFIX {name}: <{iri}>\n")
        return "".join(lines)

    def name(self, name: NamedNode | LocalName) -> str:
        if isinstance(name, LocalName):
            return name.name
        iri = name.value
        cut = max(iri.rfind("#"), iri.rfind("/"), iri.rfind(":")) + 1
        prefix = self._namespaces.get(iri[:cut])
        if prefix is None or not _PLAIN_LOCAL.fullmatch(iri, cut):
            return f"<{iri}>"
        self._used[prefix] = iri[:cut]
        return f"{prefix}:{iri[cut:]}"

    def vertex(self, vertex: Vertex) -> str:
        if isinstance(vertex, Literal):
            return self.literal(vertex)
        if isinstance(vertex, NamedNode | LocalName):
            return self.name(vertex)
        return str(vertex)

    def literal(self, literal: Literal) -> str:
        quoted = str(Literal(literal.value))
        if literal.language:
            return f"{quoted}@{literal.language}"
        datatype = literal.datatype.value
        if datatype == XSD + "string":
            return quoted
        short = _SHORT.get(datatype)
        if short is not None and short.fullmatch(literal.value):
            return literal.value
        return f"{quoted}^^{self.name(literal.datatype)}"

    def expression(self, expression: Expression, weakest: int = 1) -> str:
        """The text, in parentheses if its operator is weaker than `weakest`."""
        if isinstance(expression, Reference):
            return f"?{expression.name}"
        if isinstance(expression, Constant):
            return self.vertex(expression.term)
        operator, arguments = expression.operator, expression.arguments
        strength = _STRENGTH.get(operator, _PRIMARY)
        if operator in _UNARY:
            strength = _PRIMARY - 1
            operand = self.expression(arguments[0], _PRIMARY)
            bare = isinstance(arguments[0], Reference | Call) or not operand[0].isdigit()
            text = _UNARY[operator] + (operand if bare and operand[0] not in "+-." else f"({operand})")
        elif operator in ("in", "not in"):
            members = ", ".join(self.expression(member) for member in arguments[1:])
            text = f"{self.expression(arguments[0], _RELATION + 1)} {operator.upper()} ({members})"
        elif strength == _PRIMARY:
            name = _SPELLING.get(operator, operator) if ":" not in operator else self.name(NamedNode(operator))
            text = f"{name}({', '.join(self.expression(argument) for argument in arguments)})"
        else:
            # Sums and products associate to the left; everything else keeps the parentheses it was given.
            left = strength if strength > _RELATION else strength + 1
            first = self.expression(arguments[0], left)
            text = f" {operator} ".join([first, *(self.expression(other, strength + 1) for other in arguments[1:])])
        return f"({text})" if strength < weakest else text

    def statement(
        self,
        arc: Arc,
        subject_class: ClassAsked | None,
        object_class: ClassAsked | None,
        condition: Filter | None,
    ) -> str:
        classes = [self.name(asked.name) if asked else "*" for asked in (subject_class, object_class)]
        meta = f"({classes[0]}, {self.name(arc.property)}, {classes[1]})"
        fourth = f", {self.expression(condition.expression)}" if condition else ""
        return f"({self.vertex(arc.subject)}, {self.vertex(arc.object)}, {meta}{fourth})"


def _block(writer: _Writer, pattern: Pattern, indent: str) -> str:
    """Arcs and classes, each in its own order, joined by `;` where the subject stays the same."""
    classes = list(reversed(pattern.classes))
    lines: list[str] = []
    last: Vertex | None = None

    def say(subject: Vertex, rest: str) -> None:
        nonlocal last
        if subject == last:
            lines[-1] += f" ;\n{indent}  {rest}"
        else:
            lines.append(f"{indent}{writer.vertex(subject)} {rest}")
        last = subject

    def say_classes(of: Vertex | None) -> None:
        while classes and (of is None or classes[-1].vertex == of):
            asked = classes.pop()
            say(asked.vertex, f"a {writer.name(asked.name)}")

    for arc in pattern.arcs:
        if arc.subject != last:
            say_classes(arc.subject)
        say(arc.subject, f"{writer.name(arc.property)} {writer.vertex(arc.object)}")
    say_classes(None)
    triples = "".join(f"{line} .\n" for line in lines)
    return triples + "".join(f"{indent}FILTER ({writer.expression(f.expression)})\n" for f in pattern.filters)


def _statements(pattern: Pattern) -> Iterator[tuple[Arc, ClassAsked | None, ClassAsked | None, Filter | None]]:
    """One statement per arc; more where a vertex has several classes or conditions have no place."""
    asked: dict[Vertex, list[ClassAsked]] = {}
    for one in pattern.classes:
        asked.setdefault(one.vertex, []).append(one)
    first = {vertex: classes[0] for vertex, classes in asked.items()}
    filters = list(reversed(pattern.filters))
    bound: set[str] = set()
    arc: Arc | None = None
    for arc in pattern.arcs:
        bound.update(end.name for end in (arc.subject, arc.object) if isinstance(end, Variable))
        fits = filters and bound.issuperset(references(filters[-1].expression))
        yield arc, first.get(arc.subject), first.get(arc.object), filters.pop() if fits else None
    extra = [one for classes in asked.values() for one in classes[1:]]
    if arc is None:  # only home, without any arc
        extra = list(pattern.classes)
    leading = {arc.object: arc for arc in pattern.arcs}
    for one in extra:
        condition = filters.pop() if filters else None
        if isinstance(one.vertex, Literal):  # no subject of rdf:type: its arc is said once more
            yield leading[one.vertex], None, one, condition
        else:
            yield _as_type(one), None, None, condition
    for condition in reversed(filters):
        again = arc or _as_type(ClassAsked(HOME, pattern.classes[0].name))
        yield again, None, None, condition


def _as_type(asked: ClassAsked) -> Arc:
    return Arc(asked.vertex, NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), asked.name)
