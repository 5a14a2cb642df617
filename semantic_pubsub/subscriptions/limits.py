"""How large a subscription may be; beyond these it is refused with a clear message."""

from __future__ import annotations

from typing import Final

__all__ = [
    "MAX_ALTERNATIVES",
    "MAX_EXPRESSION_DEPTH",
    "MAX_FILE_SIZE",
    "MAX_IN_LIST",
    "MAX_NESTING",
    "MAX_NUMBER_LENGTH",
    "MAX_TEXT_LENGTH",
]

MAX_TEXT_LENGTH: Final = 1_000_000
"""Characters of one subscription's text."""

MAX_FILE_SIZE: Final = 16_000_000
"""Bytes of one `.rq` or `.ops` file that are looked at; a longer one cannot hold a legal subscription."""

MAX_NESTING: Final = 48
"""Groups, brackets, parentheses and function calls inside each other (keeps the parser off the stack's end)."""

MAX_EXPRESSION_DEPTH: Final = 128
"""Height of an expression's tree; also counts the operators of a long sum."""

MAX_ALTERNATIVES: Final = 64
"""Patterns that nested groups and `UNION` may expand to."""

MAX_IN_LIST: Final = 10_000
"""Members of one `IN` list."""

MAX_NUMBER_LENGTH: Final = 1_000
"""Characters of a number, date or duration that is understood as a value; a longer one has no value."""
