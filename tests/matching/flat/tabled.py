"""The names of the flat indexes on tables: those that can be saved and asked with arrays."""

from __future__ import annotations

from typing import Final

from semantic_pubsub.matching.flat.indexes import INDEXES

__all__ = ["TABLED"]

TABLED: Final = tuple(name for name in INDEXES if name != "scan")
