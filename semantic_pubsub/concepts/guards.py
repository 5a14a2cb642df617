"""Checks in front of the parser, for files that nobody vouches for.

Measured on pyoxigraph 0.5: it needs quadratic time for deeply nested RDF/XML and JSON-LD, expands XML entities
without a bound, and deeply nested triple terms end the process. What it must not see is refused here.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.parsers import expat

from pyoxigraph import RdfFormat

from semantic_pubsub.errors import OntologyError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DEFAULT_LIMITS", "OntologyLimits", "check", "read_bytes"]


@dataclass(frozen=True, slots=True)
class OntologyLimits:
    """Bounds on one ontology file; beyond them reading ends with an `OntologyError`."""

    bytes: int = 1024 * 1024 * 1024
    """Size of the file, and of what its XML entities may make of it."""
    depth: int = 200
    """Nesting of XML elements, JSON values or triple terms."""


DEFAULT_LIMITS: Final = OntologyLimits()

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_JSON_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|(?P<open>[\[{])|(?P<close>[\]}])', re.DOTALL)
# What may hold `<<` without meaning it, then the signs themselves.
_TURTLE_TOKEN: Final = re.compile(
    rb'"""(?:[^"\\]|\\.|"(?!""))*+"""'
    rb"|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    rb'|"(?:[^"\\\n\r]|\\.)*+"'
    rb"|'(?:[^'\\\n\r]|\\.)*+'"
    rb"|\\."
    rb"|<[^<>\"{}|^`\x00-\x20]*+>"
    rb"|\#[^\n\r]*+"
    rb"|(?P<open><<)|(?P<close>>>)",
    re.DOTALL,
)
_LONGEST_ENTITY: Final = 65_536
_ENTITY_DEPTH: Final = 20
_REFERENCE: Final = re.compile(r"&([^#;\s][^;\s]*);")


def read_bytes(path: Path, limits: OntologyLimits) -> bytes:
    """The file's bytes as UTF-8 without a byte-order mark, or one clear error."""
    source = str(path)
    try:
        size = path.stat().st_size
        if size > limits.bytes:
            raise OntologyError(
                f"is {size:,} bytes long, the limit is {limits.bytes:,}",
                source=source,
                hint="raise OntologyLimits.bytes if it is meant",
            )
        data = path.read_bytes()
    except OSError as error:
        raise OntologyError(f"cannot be read: {error.strerror or error}", source=source) from None
    if data.startswith(_UTF_16):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        raise OntologyError("is a binary file, not RDF text", source=source, hint="give a file in an RDF syntax")
    if not data.strip():
        raise OntologyError("is empty", source=source, hint="give a file that states something")
    return data


def check(data: bytes, syntax: RdfFormat, limits: OntologyLimits, source: str) -> dict[str, str]:
    """Refuse what the parser must not see; gives the prefixes of RDF/XML, which the parser does not tell."""
    if syntax == RdfFormat.RDF_XML:
        return _XmlCheck(limits, source).run(data)
    if syntax == RdfFormat.JSON_LD:
        _check_nesting(data, _JSON_TOKEN, b"{[", limits, source, "JSON")
    elif b"<<" in data:
        _check_nesting(data, _TURTLE_TOKEN, b"<", limits, source, "triple terms")
    return {}


def _check_nesting(
    data: bytes, token: re.Pattern[bytes], signs: bytes, limits: OntologyLimits, source: str, what: str
) -> None:
    if sum(data.count(sign) for sign in signs) <= limits.depth:
        return
    depth = 0
    for found in token.finditer(data):
        if found["open"]:
            depth += 1
            if depth > limits.depth:
                raise _too_deep(what, limits, source, data.count(b"\n", 0, found.start()) + 1)
        elif found["close"]:
            depth -= 1


class _XmlCheck:
    """One pass of expat: well-formed (with a line number), not too deep, entities harmless."""

    def __init__(self, limits: OntologyLimits, source: str) -> None:
        self.limits = limits
        self.source = source
        self.depth = 0
        self.longest = 0
        self.prefixes: dict[str, str] = {}
        self.entities: dict[str, str] = {}
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.EntityDeclHandler = self._entity
        self.parser.EndDoctypeDeclHandler = self._measure

    def run(self, data: bytes) -> dict[str, str]:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise OntologyError(
                f"not well-formed XML: {reason}", source=self.source, line=error.lineno, column=error.offset + 1
            ) from None
        except ValueError as error:  # an encoding that Python does not know
            raise OntologyError(f"cannot be read: {error}", source=self.source, hint="save it as UTF-8") from None
        if data.count(b"&") * self.longest > self.limits.bytes:
            raise self._expands()
        return self.prefixes

    def _start(self, _name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > self.limits.depth:
            raise _too_deep("XML", self.limits, self.source, self.parser.CurrentLineNumber)
        for key, value in attributes.items():
            if key.startswith("xmlns"):
                self.prefixes.setdefault(key[6:], value)

    def _end(self, _name: str) -> None:
        self.depth -= 1

    def _entity(self, name: str, parameter: bool, value: str | None, *_rest: object) -> None:
        if parameter or value is None:
            raise OntologyError(
                f"refers to the external XML entity {name!r}, which is never fetched",
                source=self.source,
                line=self.parser.CurrentLineNumber,
                hint="write its text into the file",
            )
        self.entities.setdefault(name, value)  # as in XML, the first one counts

    def _measure(self) -> None:
        """How long entities become; one may use another that is declared after it, so all must be known."""
        lengths = {name: len(value) for name, value in self.entities.items()}
        uses = {name: _REFERENCE.findall(value) for name, value in self.entities.items()}
        for _ in range(_ENTITY_DEPTH):
            self.longest = max(lengths.values(), default=0)
            if self.longest > _LONGEST_ENTITY:
                break
            grown = {
                n: len(self.entities[n]) + sum(lengths.get(other, 0) for other in used) for n, used in uses.items()
            }
            if grown == lengths:
                return
            lengths = grown
        raise self._expands()

    def _expands(self) -> OntologyError:
        return OntologyError(
            "its XML entities expand without measure",
            source=self.source,
            line=self.parser.CurrentLineNumber,
            hint="write the text out",
        )


def _too_deep(what: str, limits: OntologyLimits, source: str, line: int) -> OntologyError:
    return OntologyError(
        f"{what} nested deeper than {limits.depth} levels",
        source=source,
        line=line,
        hint="link the parts by names, or raise OntologyLimits.depth if it is meant",
    )
