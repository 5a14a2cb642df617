"""From text to tokens: one regular expression for both syntaxes.

A token is three things in three parallel lists (kind, text, offset): cheaper than an object each, and the
parser mostly looks at one of them. For punctuation the kind is the sign itself. Line and column are worked
out from the offset when a message needs them.
"""

from __future__ import annotations

import re
from typing import Final

from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.subscriptions.limits import MAX_TEXT_LENGTH

__all__ = ["Tokens", "line_and_column", "place", "tokenize", "unescape_iri", "unescape_local", "unescape_string"]

# SPARQL 1.1, productions 164 to 168. The part above the Basic Multilingual Plane is there too.
_BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_VARIABLE = f"{_BASE}_0-9\u00b7\u0300-\u036f\u203f\u2040"
_NAME = f"{_VARIABLE}\\-"
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"

_PREFIX = f"[{_BASE}](?:\\.*+[{_NAME}])*+"
_LOCAL = f"(?:[{_BASE}_0-9:]|{_ESCAPED})(?:\\.*+(?:[{_NAME}:]|{_ESCAPED}))*+"

_KINDS: Final = {
    "iri": r"<[^\x00-\x20<>\"{}|^`]*+>",
    "variable": f"[?$][{_VARIABLE}]++",
    "blank": f"_:[{_BASE}_0-9](?:\\.*+[{_NAME}])*+",
    "name": f"(?:{_PREFIX})?:(?:{_LOCAL})?",
    "word": f"[{_BASE}_][{_NAME}]*+",
    "string": (
        r'"""(?:"{0,2}(?:[^"\\]|\\.))*+"""'
        r"|'''(?:'{0,2}(?:[^'\\]|\\.))*+'''"
        r'|"(?!"")[^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*+"'
        r"|'(?!'')[^'\\\n\r]*+(?:\\.[^'\\\n\r]*+)*+'"
    ),
    "double": r"(?:[0-9]++\.?[0-9]*+|\.[0-9]++)[eE][+-]?[0-9]++",
    "decimal": r"[0-9]*+\.[0-9]++",
    "integer": r"[0-9]++",
    "language": r"@[a-zA-Z]++(?:-[a-zA-Z0-9]++)*+",
    "sign": r"\^\^|&&|\|\||<=|>=|!=|<<|>>|\{\||\|\}|[{}()\[\].;,=<>+\-*/!^|?~]",
    "wrong": r".",
    "end": r"\Z",
}
_SKIPPED = r"[ \t\r\n]*+(?:#[^\r\n]*+[ \t\r\n]*+)*+"
_MASTER: Final = re.compile(_SKIPPED + "(?:" + "|".join(f"({rule})" for rule in _KINDS.values()) + ")", re.DOTALL)
_KIND_OF: Final = (None, *_KINDS)
_SIGN: Final = _KIND_OF.index("sign")

_STRING_ESCAPES: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)

Tokens = tuple[list[str], list[str], list[int]]


def tokenize(text: str, start: int = 0, source: str | None = None) -> Tokens:
    """Kinds, texts and offsets of all tokens from `start` on; the last one has the kind `end`."""
    if len(text) > MAX_TEXT_LENGTH:
        raise SubscriptionError(
            f"a subscription of {len(text):,} characters is longer than the {MAX_TEXT_LENGTH:,} allowed", source=source
        )
    kinds: list[str] = []
    texts: list[str] = []
    offsets: list[int] = []
    for match in _MASTER.finditer(text, start):
        index = match.lastindex or 0
        token = match[index]
        kinds.append(token if index == _SIGN else _KIND_OF[index] or "")
        texts.append(token)
        offsets.append(match.start(index))
        if not token:
            break
    return kinds, texts, offsets


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Both counted from 1, as editors do."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def place(text: str | None, offset: int) -> tuple[int | None, int | None]:
    """Line and column where they can be known (an algebra made by hand has no text)."""
    return (None, None) if text is None or offset < 0 else line_and_column(text, offset)


def unescape_string(token: str) -> str:
    """The value of a quoted string token; a ValueError names an escape that does not exist."""
    quotes = 3 if token[:3] in ('"""', "'''") else 1
    body = token[quotes:-quotes]
    return _ESCAPE.sub(_string_escape, body) if "\\" in body else body


def unescape_iri(body: str) -> str:
    r"""An IRI between angle brackets may hold `\u` escapes only."""
    return _ESCAPE.sub(_code_point, body) if "\\" in body else body


def unescape_local(local: str) -> str:
    """A prefixed name's escaped signs stand for themselves; `%41` stays as it is."""
    return re.sub(r"\\(.)", r"\1", local) if "\\" in local else local


def _string_escape(match: re.Match[str]) -> str:
    if match[3] is None:
        return _code_point(match)
    if match[3] not in _STRING_ESCAPES:
        raise ValueError(f"\\{match[3]} is no escape of a string")
    return _STRING_ESCAPES[match[3]]


def _code_point(match: re.Match[str]) -> str:
    number = int(match[1] or match[2] or "110000", 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise ValueError(f"{match[0]} stands for no character")
    return chr(number)
