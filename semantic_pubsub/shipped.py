"""Where the examples (ontologies, shapes, events, subscriptions) lie: in a checkout, or in the installed package."""

from __future__ import annotations

from pathlib import Path

__all__ = ["shipped"]


def shipped(name: str) -> Path:
    """The path of something that comes with the project, such as `ontology/auction.ttl`."""
    package = Path(__file__).resolve().parent
    for root in (package / "_shipped", package.parent):
        if (root / name).exists():
            return root / name
    raise FileNotFoundError(f"{name} is not part of this installation")
