"""SPARQL texts of which no two have the same shape: what a parser gets when subscribers write by hand."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from benchmarks.parsing import query

__all__ = ["shape_of", "shapes"]

_PREFIX_LINE = re.compile(r"PREFIX.*\n")
_CONSTANT = re.compile(r'"[^"]*"(?:@\w+|\^\^\S+)?|<[^>]*>|\b\d+(?:\.\d+)?\b|\b\w+:\w+')


def shapes(number: int, seed: int = 7) -> Iterator[str]:
    """Texts that differ in more than their constants and names."""
    draw = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < number:
        text = query(draw)
        shape = shape_of(text)
        if shape not in seen:
            seen.add(shape)
            yield text


def shape_of(text: str) -> str:
    """The text with its constants and names taken out, and without its prefixes."""
    return _CONSTANT.sub("_", _PREFIX_LINE.sub("", text))
