"""Our own index: what is rare waits under its rarest predicate, the rest is in CTPS's bit rows.

A slot under a predicate costs a look (some nanoseconds) in those events that activate it; in the bit rows it costs a
bit of every row in all events. Which is less depends on how often events activate the predicate: that is measured.
"""

from __future__ import annotations

from typing import Final

from semantic_pubsub.matching.flat.array_index import ArrayIndex

__all__ = ["AutoIndex", "HybridIndex"]

_RARE: Final = 0.1  # one in 10 events: a look of 3 ns against a bit in 50 rows that do not stay in the cache
_RARE_IN_CACHE: Final = 0.008  # rows that stay in the cache are five times as fast
_USUAL: Final = 50  # attributes: with more of them there are more rows for an event to go through
_CACHE: Final = 4 << 20  # bytes of rows, with 32 values of each attribute


class HybridIndex(ArrayIndex):
    """Slots under rare predicates where they have one."""

    name = "hybrid"

    @property
    def rare(self) -> float:
        return _RARE


class AutoIndex(ArrayIndex):
    """As hybrid, but what is rare depends on what it holds: few subscriptions are best in the bit rows."""

    name = "auto"

    @property
    def rare(self) -> float:
        if not self._is_small():
            return _RARE
        return min(_RARE, _RARE_IN_CACHE * max(1.0, len(self.vocabulary.groups) / _USUAL))

    def _is_small(self) -> bool:
        return len(self) * max(1, len(self.vocabulary.groups)) * 4 <= _CACHE

    def stats(self) -> dict[str, int | float | str]:
        counts = super().stats()
        rows = "the bit rows stay in the cache" if self._is_small() else "the bit rows outgrow the cache"
        counts["chosen"] = "hybrid" if counts["under a predicate"] else "ctps"
        counts["because"] = f"{rows}: a predicate is waited under if less than {self.rare:.1%} of events have it"
        return counts
