"""How much of an untrusted input is read before it is refused."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one event (and on one compressed file); beyond them reading ends with an `EventError`.

    An event is a small graph. The defaults are far above any real one and far below what hurts:
    pyoxigraph needs quadratic time and memory for deep JSON, and never ends on deep RDF/XML.
    """

    bytes: int = 16 * 1024 * 1024
    triples: int = 100_000
    depth: int = 100
    """Nesting of JSON values or XML elements."""
    unpacked: int = 4 * 1024 * 1024 * 1024
    """Bytes that one `.gz` file may unpack to; each event in it is still held to the bounds above."""

    def __post_init__(self) -> None:
        for name in ("bytes", "triples", "depth", "unpacked"):
            if getattr(self, name) < 1:
                raise ValueError(f"Limits.{name} must be at least 1")


DEFAULT_LIMITS = Limits()
