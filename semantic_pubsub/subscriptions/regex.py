"""XPath regular expressions on RE2: linear time whatever the expression and the text.

RE2 reads almost XPath's syntax; what it reads differently is translated first: `\\d`, `\\w`, `\\s` mean
Unicode's digits, all but punctuation and separators, and XML's four white spaces.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import re2

from semantic_pubsub.subscriptions.algebra import Constant, Expression
from semantic_pubsub.terms import Literal
from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["check_pattern", "compile_regex"]

_MAX_PATTERN: Final = 10_000
_FLAGS: Final = frozenset("imsxq")
# What stands for an escape outside of brackets; inside, the brackets around it fall away.
_ESCAPES: Final = {
    "d": r"[\p{Nd}]",
    "D": r"[\P{Nd}]",
    "w": r"[\p{L}\p{M}\p{N}\p{S}]",
    "W": r"[\p{P}\p{Z}\p{C}]",
    "s": r"[ \t\n\r]",
    "S": r"[^ \t\n\r]",
}
# Where one of these occurs, the pattern is looked at piece by piece.
_SPECIAL: Final = re.compile(r"\\|-\[|\(\?")
_FOREIGN_GROUP: Final = re.compile(r"\(\?(?!:)")
_COMPILE: Final[Any] = re2.compile  # the library has no type information
_PIECE: Final = re.compile(r"\\(.?)|([\[\] \t\n\r])|[^\\\[\] \t\n\r]+", re.DOTALL)


def check_pattern(arguments: Sequence[Expression]) -> None:
    """A ValueError if pattern (and flags) are constants that can never be used."""
    texts = [_simple_text(argument) for argument in arguments]
    if texts[0] is not None and (len(texts) == 1 or texts[1] is not None):
        compile_regex(texts[0], texts[1] if len(texts) > 1 else None)


@lru_cache(maxsize=4096)
def compile_regex(pattern: str, flags: str | None = None) -> Any:
    """A compiled expression with `search`; a ValueError for one that RE2 cannot run."""
    given = set(flags or "")
    if not given <= _FLAGS:
        raise ValueError(f"unknown flag {''.join(sorted(given - _FLAGS))!r} (known: i, m, s, x, q)")
    if len(pattern) > _MAX_PATTERN:
        raise ValueError(f"longer than {_MAX_PATTERN:,} characters")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.case_sensitive = "i" not in given
    options.dot_nl = "s" in given
    if "q" in given:
        options.literal = True
    else:
        pattern = _translate(pattern, "x" in given)
        if "m" in given:
            pattern = f"(?m:{pattern})"
    try:
        return _COMPILE(pattern, options)
    except re2.error as problem:
        reason = problem.args[0] if problem.args else problem
        raise ValueError(reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)) from None


def _simple_text(argument: Expression) -> str | None:
    term = argument.term if isinstance(argument, Constant) else None
    if isinstance(term, Literal) and not term.language and term.datatype.value == XSD + "string":
        return term.value
    return None


def _translate(pattern: str, extended: bool) -> str:
    """XPath's escapes in RE2's words; with the flag `x`, white space outside of brackets is dropped."""
    if not extended and _SPECIAL.search(pattern) is None:
        return pattern
    out: list[str] = []
    brackets = 0
    for piece in _PIECE.finditer(pattern):
        escape, sign = piece[1], piece[2]
        if escape in _ESCAPES:
            wanted = _ESCAPES[escape]
            if brackets and escape == "S":
                raise ValueError(r"\S inside brackets is not supported")
            out.append(wanted[1:-1] if brackets else wanted)
        elif escape in ("A", "z", "Z", "b", "B", "Q", "E", "C"):
            raise ValueError(f"\\{escape} is no escape of XPath's regular expressions")
        elif sign is None:
            if not brackets and _FOREIGN_GROUP.search(piece[0]):
                raise ValueError("groups of the form (?...) are no part of XPath's regular expressions")
            out.append(piece[0])
        elif sign == "[":
            if brackets and out[-1].endswith("-"):
                raise ValueError("subtraction of character classes is not supported")
            brackets += 1
            out.append(sign)
        elif sign == "]":
            brackets = max(0, brackets - 1)
            out.append(sign)
        elif brackets or not extended:
            out.append(sign)
    return "".join(out)
