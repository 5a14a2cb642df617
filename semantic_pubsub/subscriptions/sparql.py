"""The SPARQL subset: recursive descent from tokens to alternatives of patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from semantic_pubsub.subscriptions.algebra import HOME, Arc, Blank, ClassAsked, Filter, Pattern, Variable, Vertex
from semantic_pubsub.subscriptions.groups import Part, joined, scoped, separated, united
from semantic_pubsub.subscriptions.refusals import MODIFIERS, NOT_TRIPLES, QUERY_FORMS
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import LITERAL, RDF, RDF_TYPE, RDFS, XSD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semantic_pubsub.subscriptions.syntax import Parser

__all__ = ["parse_sparql"]

_TYPE: Final = NamedNode(RDF_TYPE)
_FIRST: Final = NamedNode(RDF + "first")
_REST: Final = NamedNode(RDF + "rest")
_NIL: Final = NamedNode(RDF + "nil")
_SUBCLASS: Final = NamedNode(RDFS + "subClassOf")
_DATATYPES: Final = {
    RDF + name for name in ("langString", "dirLangString", "HTML", "XMLLiteral", "JSON", "PlainLiteral")
}
_ENDS: Final = frozenset(("}", "{", "end"))

Step = tuple[NamedNode, int]


def parse_sparql(parser: Parser) -> tuple[tuple[str, ...] | None, tuple[Pattern, ...]]:
    """Projection and alternatives of a query whose prologue was read; `None` stands for all variables."""
    projection = _projection(parser)
    query = _Query(parser)
    if parser.keyword() == "WHERE":
        parser.at += 1
    if parser.keyword() == "FROM":
        raise parser.error("FROM is not supported", hint="a subscription is asked of the event it is matched with")
    if parser.kinds[parser.at] != "{":
        parser.unexpected("'{'")
    parts = query.group()
    _nothing_follows(parser)
    if len(parts) > 1:
        parts = separated(parts, query.labels.keys())
    return projection, tuple(part.pattern() for part in parts)


def _projection(parser: Parser) -> tuple[str, ...] | None:
    form = parser.keyword()
    if form == "ASK":
        parser.at += 1
        return ()
    if form != "SELECT":
        if form in QUERY_FORMS:
            raise parser.error(f"{form} is not supported", hint=QUERY_FORMS[form])
        parser.unexpected("SELECT or ASK")
    parser.at += 1
    if parser.keyword() in ("DISTINCT", "REDUCED"):
        parser.at += 1
    if parser.kinds[parser.at] == "*":
        parser.at += 1
        return None
    names: list[str] = []
    while parser.kinds[parser.at] == "variable":
        names.append(parser.texts[parser.at][1:])
        parser.at += 1
    if parser.kinds[parser.at] == "(":
        raise parser.error("an expression in SELECT is not supported", hint="list plain variables")
    if not names:
        parser.unexpected("variables or '*'")
    return tuple(dict.fromkeys(names))


def _nothing_follows(parser: Parser) -> None:
    word = parser.keyword()
    if word in MODIFIERS:
        name, hint = MODIFIERS[word]
        raise parser.error(f"{name} is not supported", hint=hint)
    if parser.kinds[parser.at] != "end":
        parser.unexpected("the end of the query")


class _Query:
    """The state of one parse: the arcs of the current basic graph pattern, labels and their scopes."""

    __slots__ = ("arcs", "classes", "fresh", "labels", "parser", "scope", "scopes", "taken", "variables")

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.arcs: list[Arc] = []
        self.classes: list[ClassAsked] = []
        self.variables: dict[str, Variable] = {}
        self.labels: dict[str, int] = {}  # blank label -> the basic graph pattern that used it
        self.scope = 0
        self.scopes = 0
        self.fresh = 0
        self.taken: set[str] = set()

    # Groups

    def group(self) -> list[Part]:
        """`{ ... }` as alternatives."""
        parser = self.parser
        parser.enter()
        parser.at += 1
        self._new_scope()
        outer = self.arcs, self.classes
        self.arcs, self.classes = [], []
        elements: list[list[Part]] = []
        filters: list[Filter] = []
        while True:
            kind = parser.kinds[parser.at]
            if kind == "}":
                break
            if kind == "{":
                self._close_triples(elements)
                elements.append(self._union())
                self._new_scope()
            elif kind == "word" and self._is_keyword(filters):
                pass
            else:
                self._triples()
                continue
            if parser.kinds[parser.at] == ".":
                parser.at += 1
        parser.at += 1
        parser.depth -= 1
        self._close_triples(elements)
        self.arcs, self.classes = outer
        nested = parser.depth > 0 or len(elements) > 1
        parts = joined(elements, parser)
        return scoped(parts, filters) if nested or filters else parts

    def _close_triples(self, elements: list[list[Part]]) -> None:
        if self.arcs or self.classes:
            elements.append([Part(tuple(self.arcs), tuple(self.classes))])
            self.arcs, self.classes = [], []

    def _new_scope(self) -> None:
        self.scopes += 1
        self.scope = self.scopes

    def _union(self) -> list[Part]:
        parser = self.parser
        branches = [self._branch()]
        while parser.keyword() == "UNION":
            parser.at += 1
            if parser.kinds[parser.at] != "{":
                parser.unexpected("'{'")
            branches.append(self._branch())
        return united(branches, parser)

    def _branch(self) -> list[Part]:
        parser = self.parser
        if parser.kinds[parser.at + 1] == "word" and parser.texts[parser.at + 1].upper() == "SELECT":
            parser.at += 1
            raise parser.error("a sub-select is not supported", hint="write its pattern into the query itself")
        return self.group()

    def _is_keyword(self, filters: list[Filter]) -> bool:
        """Read a FILTER, refuse other keywords; False if the word begins a triple."""
        parser = self.parser
        word = parser.keyword()
        if word == "FILTER":
            start = parser.offsets[parser.at]
            parser.at += 1
            self._refuse_bare_condition()
            filters.append(Filter(parser.constraint(), start))
            return True
        if word in NOT_TRIPLES:
            name, hint = NOT_TRIPLES[word]
            raise parser.error(f"{name} is not supported", hint=hint)
        return False

    def _refuse_bare_condition(self) -> None:
        parser = self.parser
        kind = parser.kinds[parser.at]
        if kind == "(":
            return
        if kind == "word" and parser.keyword() in ("NOT", "EXISTS"):
            name = "NOT EXISTS" if parser.keyword() == "NOT" else "EXISTS"
            raise parser.error(f"{name} is not supported", hint="patterns can only ask for what is there")
        if kind not in ("word", "iri", "name") or parser.kinds[parser.at + 1] != "(":
            raise parser.error("a condition must be in parentheses or a function call", hint="FILTER ( ... )")

    # Triples

    def _triples(self) -> None:
        """One subject with its property list, up to and including the dot."""
        parser = self.parser
        kind = parser.kinds[parser.at]
        if kind == "[":
            subject: Vertex = self._fresh_blank()
            parser.at += 1
            empty = parser.kinds[parser.at] == "]"
            self._rest_of_brackets(subject)
            if empty or parser.kinds[parser.at] not in (".", *_ENDS):
                self._property_list(subject)
        elif kind == "(":
            subject = self._collection()
            if parser.kinds[parser.at] not in (".", *_ENDS):
                self._property_list(subject)
        else:
            start = parser.offsets[parser.at]
            subject = self._vertex()
            if isinstance(subject, Literal):
                raise parser.error("a literal cannot be the subject of a triple", start)
            self._property_list(subject)
        kind = parser.kinds[parser.at]
        if kind == ".":
            parser.at += 1
        elif kind not in _ENDS and parser.keyword() not in NOT_TRIPLES and parser.keyword() != "FILTER":
            parser.unexpected("'.', ';', ',' or '}'")

    def _property_list(self, subject: Vertex) -> None:
        parser = self.parser
        kinds = parser.kinds
        while True:
            steps = self._verb()
            self._object(subject, steps)
            while kinds[parser.at] == ",":
                parser.at += 1
                self._object(subject, steps)
            if kinds[parser.at] != ";":
                return
            while kinds[parser.at] == ";":
                parser.at += 1
            if kinds[parser.at] in (".", "}", "]", "{", "end") or parser.keyword() in ("FILTER", *NOT_TRIPLES):
                return

    def _verb(self) -> list[Step]:
        parser = self.parser
        if parser.kinds[parser.at] == "variable":
            name = parser.texts[parser.at]
            raise parser.error(
                f"a variable property ({name}) is not supported",
                hint="name the property; its sub-properties match too",
            )
        return self._path([])

    def _path(self, steps: list[Step]) -> list[Step]:
        """A sequence of properties; everything else that a path may hold is refused by name."""
        parser = self.parser
        while True:
            kind = parser.kinds[parser.at]
            start = parser.offsets[parser.at]
            if kind == "word" and parser.texts[parser.at] == "a":
                parser.at += 1
                steps.append((_TYPE, start))
            elif kind == "(":
                parser.at += 1
                parser.enter()
                self._path(steps)
                parser.expect(")")
                parser.depth -= 1
            elif kind == "^":
                raise parser.error("an inverse path (^) is not supported", hint="arcs are followed from _:H outwards")
            elif kind == "!":
                raise parser.error("a negated property set (!) is not supported", hint="name the property")
            elif kind in ("iri", "name"):
                steps.append((parser.iri(), start))
            else:
                parser.unexpected("a property")
            if parser.kinds[parser.at] in ("*", "+", "?") and not parser.at_signed_number():
                self._refuse_repetition(steps)
            if parser.kinds[parser.at] == "|":
                raise parser.error("an alternative path (|) is not supported", hint="write a UNION of two patterns")
            if parser.kinds[parser.at] != "/":
                return steps
            parser.at += 1

    def _refuse_repetition(self, steps: list[Step]) -> NoReturn:
        sign = self.parser.texts[self.parser.at]
        hint = "write out the lengths that are wanted as a UNION of sequences"
        if steps[-1][0] == _SUBCLASS:
            hint = "write just 'a': sub-classes match anyway"
        raise self.parser.error(f"a repeated path ({sign}) is not supported", hint=hint)

    def _object(self, subject: Vertex, steps: list[Step]) -> None:
        parser = self.parser
        kind = parser.kinds[parser.at]
        start = parser.offsets[parser.at]
        if kind == "[":
            inner = self._fresh_blank()
            parser.at += 1
            self._connect(subject, steps, inner, start)
            self._rest_of_brackets(inner)
        elif kind == "(":
            self._collection(subject, steps, start)
        else:
            self._connect(subject, steps, self._vertex(), start)
        if parser.kinds[parser.at] in ("{|", "~"):
            parser.unexpected("'.'")

    def _rest_of_brackets(self, subject: Vertex) -> None:
        parser = self.parser
        if parser.kinds[parser.at] != "]":
            parser.enter()
            self._property_list(subject)
            parser.depth -= 1
        parser.expect("]")

    def _collection(self, subject: Vertex | None = None, steps: Sequence[Step] = (), start: int = -1) -> Vertex:
        """`( a b )`: a chain of rdf:first and rdf:rest, led to from `subject` if there is one."""
        parser = self.parser
        parser.at += 1
        empty = parser.kinds[parser.at] == ")"
        head: Vertex = _NIL if empty else self._fresh_blank()
        if subject is not None:
            self._connect(subject, steps, head, start)
        parser.enter()
        cell = head
        while parser.kinds[parser.at] != ")":
            place = parser.offsets[parser.at]
            self._object(cell, [(_FIRST, place)])
            rest: Vertex = _NIL if parser.kinds[parser.at] == ")" else self._fresh_blank()
            self.arcs.append(Arc(cell, _REST, rest, place))
            cell = rest
        parser.depth -= 1
        parser.at += 1
        return head

    def _connect(self, subject: Vertex, steps: Sequence[Step], target: Vertex, start: int) -> None:
        """Arcs along a sequence path; its inner vertices are blank."""
        for prop, place in steps[:-1]:
            if prop == _TYPE:
                raise self.parser.error("a variable class (a path through 'a') is not supported", place, "name a class")
            inner = self._fresh_blank()
            self.arcs.append(Arc(subject, prop, inner, place))
            subject = inner
        prop, place = steps[-1]
        if prop == _TYPE:
            self.classes.append(ClassAsked(subject, self._class(target, start), start))
        else:
            self.arcs.append(Arc(subject, prop, target, place))

    def _class(self, target: Vertex, start: int) -> NamedNode:
        if not isinstance(target, NamedNode):
            kind = {Variable: "a variable class", Blank: "a blank class"}.get(type(target), "a literal as class")
            raise self.parser.error(f"{kind} ({target}) is not supported", start, "name a class; its sub-classes match")
        iri = target.value
        if iri.startswith(XSD) or iri in _DATATYPES:
            raise self.parser.error(
                f"'a' with a datatype (<{iri}>) is not supported",
                start,
                f"use DATATYPE(): FILTER (DATATYPE(?v) = <{iri}>)",
            )
        if iri == LITERAL:
            raise self.parser.error("'a' with rdfs:Literal is not supported", start, "use FILTER (isLiteral(?v))")
        return target

    # Vertices

    def _vertex(self) -> Vertex:
        parser = self.parser
        kind = parser.kinds[parser.at]
        if kind == "variable":
            token = parser.texts[parser.at]
            parser.at += 1
            known = self.variables.get(token)
            if known is None:
                known = self.variables[token] = Variable(token[1:])
            return known
        if kind in ("name", "iri"):
            return parser.iri()
        if kind == "blank":
            return self._blank()
        literal = parser.literal()
        if literal is None:
            parser.unexpected("a variable, IRI, literal or blank node")
        return literal

    def _blank(self) -> Blank:
        parser = self.parser
        label = parser.texts[parser.at][2:]
        if label == "H":
            parser.at += 1
            return HOME
        if self.labels.setdefault(label, self.scope) != self.scope:
            raise parser.error(
                f"the blank node _:{label} is used in two groups",
                hint="its scope is one basic graph pattern: use a variable",
            )
        parser.at += 1
        return Blank(label)

    def _fresh_blank(self) -> Blank:
        if not self.fresh:
            # Labels that come later in the text are taken too.
            parser = self.parser
            tokens = zip(parser.kinds, parser.texts, strict=True)
            self.taken = {token[2:] for kind, token in tokens if kind == "blank"}
        while True:
            self.fresh += 1
            label = f"b{self.fresh}"
            if label not in self.taken:
                self.labels[label] = self.scope
                return Blank(label)
