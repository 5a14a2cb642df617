"""Statement patterns: `(subject, object, (Class, property, Class), condition)`, one vertex one id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.subscriptions.algebra import (
    HOME,
    Arc,
    Blank,
    ClassAsked,
    Filter,
    LocalName,
    Name,
    Pattern,
    Variable,
    Vertex,
)
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import OWL, RDF_TYPE, RDFS, RESOURCE, THING

if TYPE_CHECKING:
    from semantic_pubsub.subscriptions.syntax import Parser

__all__ = ["parse_statements"]

_CLASSES_OF_CLASSES: Final = {THING, RESOURCE, OWL + "Class", RDFS + "Class"}


def parse_statements(parser: Parser) -> Pattern:
    """The pattern of a text whose prologue was read."""
    parser.bare_names = True
    reader = _Statements(parser)
    while parser.kinds[parser.at] != "end":
        reader.statement()
        if parser.kinds[parser.at] in (",", ";", "."):
            raise parser.error("statements are not separated by a sign", hint="a new line or nothing will do")
    return reader.pattern()


class _Statements:
    """What was read so far. Repeated arcs, classes and conditions count once: a pattern is a set."""

    __slots__ = ("arcs", "classes", "filters", "parser")

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.arcs: dict[Arc, None] = {}
        self.classes: dict[Vertex, dict[ClassAsked, None]] = {HOME: {}}
        self.filters: dict[Filter, None] = {}

    def pattern(self) -> Pattern:
        """The pattern, its classes in the order of the vertices."""
        if not self.arcs and not any(self.classes.values()):
            raise self.parser.error(
                "no statement pattern found", hint="write for example (_:H, ?1, (Selling, target, Computer))"
            )
        arcs, filters = tuple(self.arcs), tuple(self.filters)
        order = Pattern(arcs).vertices()
        ranked = dict.fromkeys((*order, *self.classes))
        return Pattern(arcs, tuple(asked for vertex in ranked for asked in self.classes.get(vertex, ())), filters)

    def statement(self) -> None:
        """One `( ... )`."""
        parser = self.parser
        parser.expect("(", "'(' of a statement pattern")
        subject_at = parser.offsets[parser.at]
        subject = self._vertex()
        if isinstance(subject, Literal):
            raise parser.error("a literal cannot be the subject of a statement", subject_at)
        parser.expect(",")
        object_at = parser.offsets[parser.at]
        target = self._vertex()
        parser.expect(",")
        parser.expect("(", "'(' of (Class, property, Class)")
        subject_class = self._class()
        parser.expect(",")
        property_at = parser.offsets[parser.at]
        prop = self._property()
        parser.expect(",")
        object_class = self._class()
        parser.expect(")")
        self._ask(subject, subject_class)
        if isinstance(prop, NamedNode) and prop.value == RDF_TYPE:
            self._ask_type(subject, target, object_at, object_class)
        else:
            self.arcs.setdefault(Arc(subject, prop, target, property_at))
            self._ask(target, object_class)
        if parser.kinds[parser.at] == ",":
            parser.at += 1
            start = parser.offsets[parser.at]
            self.filters.setdefault(Filter(parser.condition(), start))
        parser.expect(")", "',' and a condition, or ')'")

    def _ask(self, vertex: Vertex, asked: tuple[Name, int] | None) -> None:
        if asked is not None:
            self.classes.setdefault(vertex, {}).setdefault(ClassAsked(vertex, *asked))

    def _ask_type(self, subject: Vertex, target: Vertex, start: int, its_class: tuple[Name, int] | None) -> None:
        """`(?1, Computer, (owl:Thing, rdf:type, *))` asks for a class, as the triple in SPARQL does."""
        if not isinstance(target, NamedNode | LocalName):
            raise self.parser.error(f"rdf:type needs a class as its object, not {target}", start)
        if its_class is not None and str(getattr(its_class[0], "value", "")) not in _CLASSES_OF_CLASSES:
            raise self.parser.error(
                "the class of a class cannot be asked for", its_class[1], hint="write * as the third member"
            )
        self._ask(subject, (target, start))

    def _vertex(self) -> Vertex:
        parser = self.parser
        kind, token = parser.kinds[parser.at], parser.texts[parser.at]
        if kind == "variable":
            parser.at += 1
            return Variable(token[1:])
        if kind == "blank":
            parser.at += 1
            return Blank(token[2:])
        literal = parser.literal()
        if literal is not None:
            return literal
        return self._name("a vertex: a variable, _:H, a name or a literal")

    def _class(self) -> tuple[Name, int] | None:
        """A class and where it stands; `*` asks for nothing."""
        parser = self.parser
        if parser.kinds[parser.at] == "*":
            parser.at += 1
            return None
        start = parser.offsets[parser.at]
        return self._name("a class (or * for any)"), start

    def _property(self) -> Name:
        parser = self.parser
        if parser.kinds[parser.at] == "variable":
            raise parser.error(
                f"a variable property ({parser.texts[parser.at]}) is not supported",
                hint="name the property; its sub-properties match too",
            )
        return self._name("a property")

    def _name(self, wanted: str) -> Name:
        parser = self.parser
        kind = parser.kinds[parser.at]
        if kind in ("iri", "name"):
            return parser.iri()
        if kind != "word":
            parser.unexpected(wanted)
        parser.at += 1
        return LocalName(parser.texts[parser.at - 1])
