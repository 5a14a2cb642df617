"""Checks in front of the parser: what would crash it, starve it, or be no RDF text at all.

Measured on pyoxigraph 0.5: triple terms nested 100,000 deep overflow its stack and kill the process, RDF/XML
nested 100,000 deep does not end, JSON nested 1,000 deep takes 200 MB, and entities expand without a bound.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.parsers import expat

from pyoxigraph import RdfFormat

from semantic_pubsub.errors import EventError

if TYPE_CHECKING:
    from semantic_pubsub.events.limits import Limits

__all__ = ["QUOTED_TRIPLE", "check_text", "closes_its_graph", "decode", "json_depth_exceeds", "not_text", "position"]

QUOTED_TRIPLE: Final = "has a quoted triple (RDF-star, RDF 1.2), which events cannot hold"

_TURTLE_LIKE: Final = {RdfFormat.TURTLE, RdfFormat.N_TRIPLES, RdfFormat.TRIG, RdfFormat.N_QUADS, RdfFormat.N3}

# What may hold `<<` without meaning it, longest form first; then the sign itself. A string that does not end
# takes the rest, and nothing is tried twice (`++`, `*+`): any text is scanned in linear time.
_TURTLE_TOKEN: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:""")?'
    r"|'''(?:[^'\\]++|\\.|'(?!''))*+(?:''')?"
    r'|"(?:[^"\\\n\r]++|\\.)*+"?'
    r"|'(?:[^'\\\n\r]++|\\.)*+'?"
    r"|\\."
    r"|<[^<>\"{}|^`\x00-\x20]*+>"
    r"|\#[^\n\r]*"
    r"|(?P<quoted><<)"
    r"|\{\||\|\}"
    r"|(?P<brace>[{}])",
    re.DOTALL,
)
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|(?P<open>[\[{])|(?P<close>[\]}])', re.DOTALL)


def decode(data: str | bytes, limits: Limits, source: str | None = None) -> str:
    """The text of an input, or an error where it is too long, not text, or not UTF-8."""
    if len(data) > limits.bytes:
        raise EventError(
            f"is longer than {limits.bytes:,} bytes",
            source=source,
            hint="an event is a small graph; raise Limits.bytes if it is meant",
        )
    if isinstance(data, str):
        text = data
        if not text.isascii():
            _refuse_lone_surrogates(text, source)
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _not_utf8(data, error, source) from None
    if "\0" in text:
        raise not_text(source)
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise EventError("is empty", source=source, hint="an event has at least one triple")
    return text


def not_text(source: str | None = None) -> EventError:
    return EventError("is a binary file, not RDF text", source=source, hint="give a file in an RDF syntax")


def check_text(text: str, syntax: RdfFormat, limits: Limits, source: str | None = None) -> None:
    """Refuse, with its place, what pyoxigraph must not see."""
    if syntax in _TURTLE_LIKE:
        if "<<" in text:
            _refuse_quoted_triples(text, source)
    elif syntax == RdfFormat.RDF_XML:
        _check_xml(text, limits, source)
    elif json_depth_exceeds(text, limits.depth):
        raise _too_deep("JSON", limits, source)


def json_depth_exceeds(text: str, depth: int) -> bool:
    """Whether JSON values are nested deeper than `depth`; counts brackets before it looks closer."""
    if text.count("{") + text.count("[") <= depth:
        return False
    now = 0
    for token in _JSON_TOKEN.finditer(text):
        if token["open"]:
            now += 1
            if now > depth:
                return True
        elif token["close"]:
            now -= 1
    return False


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of an offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def closes_its_graph(text: str, after: int) -> bool:
    """Whether a piece of TriG closes the graph whose last quad stands in its first `after` characters.

    Graphs do not nest, so any brace behind them tells that it is closed; within them only the last brace counts.
    """
    braces = [token for token in _TURTLE_TOKEN.finditer(text) if token["brace"]]
    return bool(braces) and (braces[-1].start() >= after or braces[-1]["brace"] == "}")


def _refuse_quoted_triples(text: str, source: str | None) -> None:
    for token in _TURTLE_TOKEN.finditer(text):
        if token["quoted"]:
            line, column = position(text, token.start())
            raise EventError(
                QUOTED_TRIPLE,
                source=source,
                line=line,
                column=column,
                hint="say it with a vertex of its own",
            )


def _check_xml(text: str, limits: Limits, source: str | None) -> None:
    """Well-formedness with line numbers, depth, and no entity declarations."""
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    depth = 0

    def start(_name: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.depth:
            raise _too_deep("XML", limits, source, parser.CurrentLineNumber)

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(name: str, *_rest: object) -> None:
        raise EventError(
            f"declares the XML entity {name!r}, which is refused in events",
            source=source,
            line=parser.CurrentLineNumber,
            hint="write the text out",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        hint = "declare the prefix with xmlns:" if "prefix" in reason else "correct the XML"
        raise EventError(
            f"not well-formed XML: {reason}", source=source, line=error.lineno, column=error.offset + 1, hint=hint
        ) from None


def _refuse_lone_surrogates(text: str, source: str | None) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        line, column = position(text, error.start)
        hint = "decode the bytes as UTF-8"
        raise EventError("has half a character", source=source, line=line, column=column, hint=hint) from None


def _too_deep(what: str, limits: Limits, source: str | None, line: int | None = None) -> EventError:
    return EventError(
        f"{what} is nested deeper than {limits.depth} levels",
        source=source,
        line=line,
        hint="link the parts by identifiers, or raise Limits.depth if it is meant",
    )


def _not_utf8(data: bytes, error: UnicodeDecodeError, source: str | None) -> EventError:
    if b"\0" in data:
        return not_text(source)
    line = data.count(b"\n", 0, error.start) + 1
    column = error.start - data.rfind(b"\n", 0, error.start)
    return EventError("is not UTF-8", source=source, line=line, column=column, hint="save the file as UTF-8")
