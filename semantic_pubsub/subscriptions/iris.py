"""Relative IRIs against a base, as RFC 3986 section 5.2 has it."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_absolute", "resolve_iri"]

# RFC 3986, appendix B: scheme, authority, path, query, fragment.
_PARTS: Final = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.\-]*):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def is_absolute(iri: str) -> bool:
    """Whether the text starts with a scheme."""
    return _SCHEME.match(iri) is not None


def resolve_iri(base: str, reference: str) -> str:
    """The IRI that `reference` means where `base` is the base IRI."""
    scheme, authority, path, query, fragment = _split(reference)
    if scheme is not None:
        return reference
    base_scheme, base_authority, base_path, base_query, _ = _split(base)
    if authority is None:
        authority = base_authority
        if not path:
            path, query = base_path, query or base_query
        else:
            path = _without_dots(path if path.startswith("/") else _merged(base_authority, base_path, path))
    else:
        path = _without_dots(path)
    host = "" if authority is None else f"//{authority}"
    return f"{base_scheme}:{host}{path}{query or ''}{fragment or ''}"


def _split(iri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    match = _PARTS.fullmatch(iri)
    if match is None:  # the expression matches every text
        raise ValueError(iri)
    return match[1], match[2], match[3], match[4], match[5]


def _merged(authority: str | None, base_path: str, path: str) -> str:
    if authority is not None and not base_path:
        return "/" + path
    return base_path[: base_path.rfind("/") + 1] + path


def _without_dots(path: str) -> str:
    kept: list[str] = []
    steps = path.split("/")
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        if step == "..":
            if len(kept) > 1 or (kept and kept[0]):
                kept.pop()
        elif step != ".":
            kept.append(step)
            continue
        if last:
            kept.append("")
    return "/".join(kept)
