"""What both syntaxes share: a cursor over tokens, the prologue, names, literals and filter expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from semantic_pubsub.errors import SubscriptionError, did_you_mean
from semantic_pubsub.subscriptions.algebra import Call, Constant, Expression, LocalName, Reference
from semantic_pubsub.subscriptions.functions import ARITIES, CASTS, REFUSED_FUNCTIONS
from semantic_pubsub.subscriptions.iris import is_absolute, resolve_iri
from semantic_pubsub.subscriptions.limits import MAX_EXPRESSION_DEPTH, MAX_IN_LIST, MAX_NESTING
from semantic_pubsub.subscriptions.regex import check_pattern
from semantic_pubsub.subscriptions.tokens import (
    line_and_column,
    tokenize,
    unescape_iri,
    unescape_local,
    unescape_string,
)
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import WELL_KNOWN_PREFIXES, XSD

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Parser"]

_NUMBERS: Final = {kind: NamedNode(XSD + kind) for kind in ("integer", "decimal", "double")}
_BOOLEAN: Final = NamedNode(XSD + "boolean")
_PRECEDENCE: Final = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("=", "!=", "<", ">", "<=", ">="), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/"), 5),
}
_RELATIONAL: Final = 3


class Parser:
    """A cursor over the tokens of one subscription text."""

    __slots__ = ("at", "bare_names", "base", "depth", "kinds", "offsets", "prefixes", "source", "text", "texts")

    def __init__(self, text: str, prefixes: Mapping[str, str] | None = None, source: str | None = None) -> None:
        self.text = text
        self.source = source
        if not text.isascii():
            self._refuse_lone_surrogates()
        self.kinds, self.texts, self.offsets = tokenize(text, source=source)
        self.at = 0
        self.depth = 0
        self.prefixes = dict(WELL_KNOWN_PREFIXES)
        if prefixes:
            self.prefixes.update(prefixes)
        self.base: str | None = None
        self.bare_names = False

    # Messages

    def error(self, message: str, offset: int | None = None, hint: str | None = None) -> SubscriptionError:
        """An error at `offset`, or at the current token."""
        line, column = line_and_column(self.text, self.offsets[self.at] if offset is None else offset)
        return SubscriptionError(message, source=self.source, line=line, column=column, hint=hint)

    def unexpected(self, wanted: str) -> NoReturn:
        """Refuse the current token, saying what was expected in its place."""
        kind, found = self.kinds[self.at], self.texts[self.at]
        if kind == "wrong" and found in "\"'":
            raise self.error("a string is not closed", hint=f"end it with {found} on the same line")
        if kind in ("<<", "{|", "~"):
            raise self.error("RDF-star (triple terms) is not supported", hint="use plain triples")
        if kind == "end":
            raise self.error(f"the text ends where {wanted} is expected")
        shown = found if len(found) <= 60 else found[:57] + "..."
        raise self.error(f"found {shown!r} where {wanted} is expected")

    def expect(self, kind: str, wanted: str | None = None) -> None:
        """Step over a token of this kind."""
        if self.kinds[self.at] != kind:
            self.unexpected(wanted or f"'{kind}'")
        self.at += 1

    def keyword(self) -> str:
        """The current token in capitals if it is a word, else nothing."""
        return self.texts[self.at].upper() if self.kinds[self.at] == "word" else ""

    def enter(self) -> None:
        """One level deeper; the caller leaves with `self.depth -= 1`."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.error(f"nested more than {MAX_NESTING} deep", hint="write a flatter pattern or condition")

    def _refuse_lone_surrogates(self) -> None:
        try:
            self.text.encode()
        except UnicodeEncodeError as problem:
            line, column = line_and_column(self.text, problem.start)
            raise SubscriptionError(
                "half of a surrogate pair is no character", source=self.source, line=line, column=column
            ) from None

    # Prologue and names

    def prologue(self) -> None:
        """`PREFIX` and `BASE` lines."""
        while True:
            word = self.keyword()
            if word == "PREFIX":
                self.at += 1
                self._prefix_line()
            elif word == "BASE":
                self.at += 1
                if self.kinds[self.at] != "iri":
                    self.unexpected("the base IRI in angle brackets")
                self.base = self.iri().value
            elif self.kinds[self.at] == "language" and self.texts[self.at].lower() in ("@prefix", "@base"):
                word = self.texts[self.at][1:].upper()
                raise self.error(f"'@{word.lower()}' is Turtle's", hint=f"write {word} without '@' and final dot")
            else:
                return

    def _prefix_line(self) -> None:
        token = self.texts[self.at]
        if self.kinds[self.at] != "name" or token[-1] != ":" or token.count(":") > 1:
            self.unexpected("a prefix with its colon")
        self.at += 1
        if self.kinds[self.at] != "iri":
            self.unexpected("the prefix's IRI in angle brackets")
        self.prefixes[token[:-1]] = self._iri_text()
        self.at += 1

    def iri(self) -> NamedNode:
        """Step over `<IRI>` or a prefixed name."""
        kind = self.kinds[self.at]
        if kind == "name":
            prefix, _, local = self.texts[self.at].partition(":")
            namespace = self.prefixes.get(prefix)
            if namespace is None:
                self._unknown_prefix(prefix)
            text = namespace + (unescape_local(local) if "\\" in local else local)
        elif kind == "iri":
            text = self._iri_text()
        else:
            self.unexpected("an IRI")
        try:
            node = NamedNode(text)
        except ValueError as problem:
            raise self.error(f"<{text}> is no IRI: {problem}") from None
        self.at += 1
        return node

    def _unknown_prefix(self, prefix: str) -> NoReturn:
        guess = did_you_mean(prefix, self.prefixes)
        hint = f"{guess} Or add a line PREFIX {prefix}: <...>" if guess else f"add a line PREFIX {prefix}: <...>"
        raise self.error(f"unknown prefix '{prefix}:'", hint=hint)

    def _iri_text(self) -> str:
        body = self.texts[self.at][1:-1]
        try:
            body = unescape_iri(body)
        except ValueError as problem:
            raise self.error(str(problem)) from None
        if is_absolute(body):
            return body
        if self.base is None:
            raise self.error(f"<{body}> is relative", hint="write the whole IRI, or a BASE line first")
        return resolve_iri(self.base, body)

    # Literals

    def literal(self) -> Literal | None:
        """Step over a literal of any form, or return None and stay."""
        kind, token = self.kinds[self.at], self.texts[self.at]
        if kind == "string":
            return self._string()
        if kind in _NUMBERS:
            self.at += 1
            return Literal(token, datatype=_NUMBERS[kind])
        if self.at_signed_number():
            self.at += 2
            return Literal(token + self.texts[self.at - 1], datatype=_NUMBERS[self.kinds[self.at - 1]])
        if kind == "word" and token.lower() in ("true", "false"):
            self.at += 1
            return Literal(token.lower(), datatype=_BOOLEAN)
        return None

    def at_signed_number(self) -> bool:
        """Whether a number follows its sign at once: in SPARQL that is one token."""
        if self.kinds[self.at] not in ("+", "-"):
            return False
        adjacent = self.offsets[self.at + 1] == self.offsets[self.at] + 1
        return adjacent and self.kinds[self.at + 1] in _NUMBERS

    def _string(self) -> Literal:
        start = self.offsets[self.at]
        try:
            value = unescape_string(self.texts[self.at])
            self.at += 1
            if self.kinds[self.at] == "language":
                self.at += 1
                return Literal(value, language=self.texts[self.at - 1][1:])
            if self.kinds[self.at] == "^^":
                self.at += 1
                return Literal(value, datatype=self.iri())
        except ValueError as problem:
            raise self.error(str(problem), start) from None
        return Literal(value)

    # Expressions

    def condition(self) -> Expression:
        """A whole filter expression, with its limits checked."""
        start = self.offsets[self.at]
        return self._checked(self.expression(), start)

    def constraint(self) -> Expression:
        """What follows FILTER in SPARQL: an expression in parentheses or one call, and nothing beyond it."""
        start = self.offsets[self.at]
        return self._checked(self._primary(), start)

    def _checked(self, expression: Expression, start: int) -> Expression:
        if isinstance(expression, Call) and _deeper_than(expression, MAX_EXPRESSION_DEPTH):
            raise self.error(f"an expression more than {MAX_EXPRESSION_DEPTH} operators deep", start)
        return expression

    def expression(self, weakest: int = 1) -> Expression:
        """Precedence climbing over binary operators at least as strong as `weakest`."""
        left = self._unary()
        while True:
            operator = self.kinds[self.at]
            if operator == "iri":  # an operand cannot follow an operand: this is `?a<?b && ?c>?d`
                operator = self._split_less_than()
            elif operator == "word":
                if weakest > _RELATIONAL or self.keyword() not in ("IN", "NOT"):
                    return left
                left = self._membership(left)
                self._no_second_relation()
                continue
            strength = _PRECEDENCE.get(operator, 0)
            if strength < weakest:
                return left
            self.at += 1
            right = self.expression(strength + 1)
            if strength < _RELATIONAL:
                left = Call(operator, self._chain(operator, strength, left, right))
            else:
                left = Call(operator, (left, right))
                if strength == _RELATIONAL:
                    self._no_second_relation()

    def _chain(self, operator: str, strength: int, left: Expression, right: Expression) -> tuple[Expression, ...]:
        """`a && b && c` is one operator with three arguments: long conjunctions stay flat."""
        if self.kinds[self.at] != operator:
            return (left, right)
        members = [left, right]
        while self.kinds[self.at] == operator:
            self.at += 1
            members.append(self.expression(strength + 1))
        return tuple(members)

    def _no_second_relation(self) -> None:
        if _PRECEDENCE.get(self.kinds[self.at]) == _RELATIONAL or self.keyword() in ("IN", "NOT"):
            raise self.error("comparisons cannot be chained", hint="join two comparisons by &&")

    def _split_less_than(self) -> str:
        offset = self.offsets[self.at]
        sign = "<=" if self.texts[self.at].startswith("<=") else "<"
        kinds, texts, offsets = tokenize(self.text, offset + len(sign), self.source)
        self.kinds[self.at :] = [sign, *kinds]
        self.texts[self.at :] = [sign, *texts]
        self.offsets[self.at :] = [offset, *offsets]
        return sign

    def _membership(self, left: Expression) -> Expression:
        operator = "in"
        if self.keyword() == "NOT":
            self.at += 1
            operator = "not in"
            if self.keyword() == "EXISTS":
                raise self.error("NOT EXISTS is not supported", hint="patterns can only ask for what is there")
            if self.keyword() != "IN":
                self.unexpected("IN")
        self.at += 1
        self.expect("(")
        start = self.offsets[self.at]
        members = self._arguments()
        if len(members) > MAX_IN_LIST:
            raise self.error(f"an IN list of {len(members):,} members; {MAX_IN_LIST:,} are allowed", start)
        return Call(operator, (left, *members))

    def _arguments(self) -> list[Expression]:
        """The rest of a list in parentheses, after its opening one."""
        self.enter()
        found: list[Expression] = []
        if self.kinds[self.at] != ")":
            found.append(self.expression())
            while self.kinds[self.at] == ",":
                self.at += 1
                found.append(self.expression())
        self.expect(")", "',' or ')'")
        self.depth -= 1
        return found

    def _unary(self) -> Expression:
        kind = self.kinds[self.at]
        if kind == "!":
            self.at += 1
            return Call("!", (self._primary(),))
        if kind in ("-", "+"):
            number = self.literal()
            if number is not None:
                return Constant(number)
            self.at += 1
            return Call("neg" if kind == "-" else "pos", (self._primary(),))
        return self._primary()

    def _primary(self) -> Expression:
        kind = self.kinds[self.at]
        if kind == "variable":
            self.at += 1
            return Reference(self.texts[self.at - 1][1:])
        if kind == "(":
            self.at += 1
            self.enter()
            inner = self.expression()
            self.expect(")")
            self.depth -= 1
            return inner
        literal = self.literal()
        if literal is not None:
            return Constant(literal)
        if kind in ("iri", "name"):
            return self._iri_or_cast()
        if kind == "word":
            return self._built_in()
        return self.unexpected("a value")

    def _iri_or_cast(self) -> Expression:
        start = self.offsets[self.at]
        iri = self.iri()
        if self.kinds[self.at] != "(":
            return Constant(iri)
        if iri.value not in CASTS:
            known = ", ".join(f"xsd:{cast.removeprefix(XSD)}" for cast in sorted(CASTS))
            raise self.error(f"unknown function <{iri.value}>", start, hint=f"casts are {known}")
        self.at += 1
        arguments = self._arguments()
        if len(arguments) != 1:
            raise self.error(f"a cast takes one argument, not {len(arguments)}", start)
        return Call(iri.value, tuple(arguments))

    def _built_in(self) -> Expression:
        start = self.offsets[self.at]
        name = self.keyword()
        if name == "NOT" or name in REFUSED_FUNCTIONS:
            reason = REFUSED_FUNCTIONS.get(name, "patterns can only ask for what is there")
            raise self.error(f"{'NOT EXISTS' if name == 'NOT' else name} is not supported", hint=reason)
        if self.kinds[self.at + 1] != "(":
            if not self.bare_names:
                self.unexpected("a value")
            self.at += 1
            return Constant(LocalName(self.texts[self.at - 1]))
        arity = ARITIES.get(name)
        if arity is None:
            hint = did_you_mean(name, ARITIES) or "functions are listed in the language's page"
            raise self.error(f"unknown function {self.texts[self.at]}", hint=hint)
        self.at += 2
        arguments = self._arguments()
        least, most = arity
        if not least <= len(arguments) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise self.error(f"{name} takes {wanted} arguments, not {len(arguments)}", start)
        self._check_call(name, arguments, start)
        return Call(name, tuple(arguments))

    def _check_call(self, name: str, arguments: list[Expression], start: int) -> None:
        if name == "BOUND" and not isinstance(arguments[0], Reference):
            raise self.error("BOUND takes a variable", start)
        if name == "REGEX":
            try:
                check_pattern(arguments[1:])
            except ValueError as problem:
                hint = "expressions are matched in linear time by RE2's rules: no back-references, no look-around"
                raise self.error(f"a regular expression that cannot be used: {problem}", start, hint) from None


def _deeper_than(expression: Expression, limit: int) -> bool:
    waiting: list[tuple[Expression, int]] = [(expression, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > limit:
            return True
        if isinstance(node, Call):
            waiting.extend((argument, depth + 1) for argument in node.arguments)
    return False
