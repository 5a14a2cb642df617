"""Which of the syntaxes on offer an `Accept` header asks for, and what a `Content-Type` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.http.problems import ProblemError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

__all__ = ["JSON", "RDF_SYNTAXES", "TEXT", "choose", "media_type"]

JSON: Final = "application/json"
TEXT: Final = "text/plain"
RDF_SYNTAXES: Final = {
    "text/turtle": "turtle",
    "application/n-triples": "nt",
    "application/ld+json": "json-ld",
    "application/rdf+xml": "xml",
}
"""Media types of one graph, with rdflib's names for them."""


def choose(request: Request, offered: Sequence[str]) -> str:
    """The offer that the client likes best, the first among equals; a 406 if it accepts none."""
    header = ",".join(request.headers.getlist("accept")) or "*/*"
    wanted = [_weighed(part) for part in header.split(",") if part.strip()]
    best, best_weight = None, 0.0
    for offer in offered:
        matching = [(rank, weight) for pattern, weight in wanted if (rank := _rank(pattern, offer)) is not None]
        weight = max(matching)[1] if matching else 0.0  # the most specific range decides
        if weight > best_weight:
            best, best_weight = offer, weight
    if best is None:
        raise ProblemError(406, "not-acceptable", f"there is nothing for Accept: {header[:200]}", hint=_hint(offered))
    return best


def media_type(request: Request, offered: Sequence[str]) -> str:
    """The body's media type, if it is one of those on offer; else a 415."""
    given = request.headers.get("content-type", "")
    plain, *parameters = (part.strip().lower() for part in given.split(";"))
    if plain not in offered:
        said = f"cannot read {given[:100]!r}" if given else "the request says no Content-Type"
        raise ProblemError(
            415, "unsupported-media-type", said, hint=_hint(offered), headers={"accept": ", ".join(offered)}
        )
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name == "charset" and value.strip('"') not in ("utf-8", "utf8", "us-ascii"):
            raise ProblemError(415, "unsupported-media-type", f"cannot read {parameter[:60]}", hint="send UTF-8")
    return plain


def _hint(offered: Sequence[str]) -> str:
    return f"use one of: {', '.join(offered)}"


def _weighed(part: str) -> tuple[str, float]:
    pattern, *parameters = (word.strip().lower() for word in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name == "q":
            try:
                return pattern, min(1.0, max(0.0, float(value)))
            except ValueError:
                return pattern, 0.0
    return pattern, 1.0


def _rank(pattern: str, offer: str) -> int | None:
    """How specific a range is that covers the offer."""
    if pattern == offer:
        return 2
    if pattern.endswith("/*") and offer.startswith(pattern[:-1]):
        return 1
    return 0 if pattern == "*/*" else None
