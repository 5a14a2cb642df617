"""`Subscription`: what a subscriber registers, from text of either syntax to the algebra and back."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.subscriptions.limits import MAX_FILE_SIZE
from semantic_pubsub.subscriptions.printing import sparql_text, statements_text
from semantic_pubsub.subscriptions.reach import unreached
from semantic_pubsub.subscriptions.refusals import QUERY_FORMS
from semantic_pubsub.subscriptions.sparql import parse_sparql
from semantic_pubsub.subscriptions.statements import parse_statements
from semantic_pubsub.subscriptions.syntax import Parser
from semantic_pubsub.subscriptions.tokens import line_and_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.subscriptions.algebra import Pattern

__all__ = ["SYNTAX_OF_ENDING", "Subscription", "Syntax", "read_text", "syntax_of"]

Syntax = Literal["sparql", "statements"]

SYNTAX_OF_ENDING: Final[dict[str, Syntax]] = {".rq": "sparql", ".ops": "statements"}
"""File endings and the syntax they stand for."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """Alternatives (`UNION`) of graph patterns under one id.

    `injective` asks that distinct vertices match distinct resources. `projection` names the variables that a
    match binds: None for all of them, empty for `ASK`. Two subscriptions are equal if they mean the same;
    the text that one came from does not count.
    """

    id: str
    alternatives: tuple[Pattern, ...]
    injective: bool = False
    projection: tuple[str, ...] | None = None
    text: str | None = field(default=None, compare=False, repr=False)
    source: str | None = field(default=None, compare=False, repr=False)
    syntax: Syntax = field(default="sparql", compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise SubscriptionError("an id must be a text that is not empty", source=self.source)

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        id: str | None = None,  # noqa: A002 - the name users know it by
        injective: bool | None = None,
        syntax: Syntax | None = None,
        prefixes: Mapping[str, str] | None = None,
        source: str | None = None,
    ) -> Subscription:
        """The subscription that `text` says, in SPARQL or in statement patterns (detected unless given).

        `prefixes` are known in addition to rdf, rdfs, owl, xsd and those that the text declares. Without
        `injective` statement patterns are injective and SPARQL is not, as each is defined.
        """
        parser = Parser(text, prefixes, source)
        parser.prologue()
        syntax = _detected(parser) if syntax is None else _known(syntax)
        projection: tuple[str, ...] | None = None
        if syntax == "sparql":
            projection, alternatives = parse_sparql(parser)
        else:
            alternatives = (parse_statements(parser),)
        for pattern in alternatives:
            _check_rooted(pattern, text, source)
        return cls(
            id=uuid.uuid4().hex if id is None else id,
            alternatives=alternatives,
            injective=syntax == "statements" if injective is None else injective,
            projection=projection,
            text=text,
            source=source,
            syntax=syntax,
        )

    @classmethod
    def load(
        cls, path: str | Path, *, injective: bool | None = None, prefixes: Mapping[str, str] | None = None
    ) -> Subscription:
        """The subscription in a `.rq` (SPARQL) or `.ops` (statement patterns) file; its stem is the id."""
        path = Path(path)
        syntax = syntax_of(path)
        text = read_text(path)
        return cls.parse(text, id=path.stem, injective=injective, syntax=syntax, prefixes=prefixes, source=str(path))

    def __str__(self) -> str:
        """Text that parses to the same alternatives and projection, in the syntax it was written in."""
        prefixes = self._own_prefixes()
        if self.syntax == "statements" and len(self.alternatives) == 1:
            return statements_text(self.alternatives[0], prefixes)
        return sparql_text(self.alternatives, self.projection, prefixes)

    def _own_prefixes(self) -> Mapping[str, str] | None:
        if self.text is None:
            return None
        parser = Parser(self.text)
        parser.prologue()
        return parser.prefixes


def syntax_of(path: Path) -> Syntax:
    """The syntax of a file of one subscription, by its ending."""
    syntax = SYNTAX_OF_ENDING.get(path.suffix.lower())
    if syntax is None:
        hint = "use subscriptions_from() for it" if path.suffix.lower() == ".jsonl" else "endings are .rq and .ops"
        raise SubscriptionError("not a file of one subscription", source=str(path), hint=hint)
    return syntax


def read_text(path: Path) -> str:
    """A file's text; a SubscriptionError with one clear line for whatever prevents it."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_SIZE + 1)
    except FileNotFoundError:
        raise SubscriptionError("no such file", source=str(path), hint="check the name") from None
    except OSError as problem:
        raise SubscriptionError(f"cannot be read: {problem.strerror or problem}", source=str(path)) from None
    if len(data) > MAX_FILE_SIZE:
        hint = "a subscription is a small text; many of them go into a .jsonl file"
        raise SubscriptionError(f"larger than {MAX_FILE_SIZE:,} bytes", source=str(path), hint=hint)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise SubscriptionError("not a text in UTF-8", source=str(path), line=line, hint="save it as UTF-8") from None


def _detected(parser: Parser) -> Syntax:
    if parser.kinds[parser.at] == "(":
        return "statements"
    word = parser.keyword()
    if word in ("SELECT", "ASK") or word in QUERY_FORMS:
        return "sparql"
    if parser.kinds[parser.at] == "end":
        raise parser.error("the subscription is empty", hint="write a SPARQL query or statement patterns")
    return parser.unexpected("SELECT, ASK or '(' of a statement pattern")


def _known(syntax: Syntax) -> Syntax:
    if syntax not in ("sparql", "statements"):
        raise SubscriptionError(f"unknown syntax {syntax!r}", hint="'sparql' or 'statements'")
    return syntax


def _check_rooted(pattern: Pattern, text: str, source: str | None) -> None:
    found = unreached(pattern)
    if found is None:
        return
    vertex, offset = found
    line, column = line_and_column(text, offset)
    raise SubscriptionError(
        f"the vertex {vertex} is not reached from _:H along the arcs",
        source=source,
        line=line,
        column=column,
        hint="lead an arc to it, from _:H or from a vertex that _:H reaches",
    )
