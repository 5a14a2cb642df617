"""Our own index: what is rare waits under its rarest predicate, the rest is in CTPS's bit rows.

A slot under a predicate costs a look (some nanoseconds) in those events that activate it; in the bit rows it costs a
bit of every row in all events. Which is less depends on how often events activate the predicate: that is measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.array_index import ArrayIndex
from semantic_pubsub.matching.flat.kernels import rarest_rates

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["AutoIndex", "HybridIndex"]

_AT_FIRST: Final = 0.008
_SAMPLE: Final = 512
# What things cost, in nanoseconds, measured on the workloads of the benchmarks; what counts are their ratios.
_BIT: Final = 0.0035  # a slot in one group of the bit rows
_BIT_BEYOND_CACHE: Final = 0.005
_CACHE: Final = 8 << 20  # bytes of rows, with 32 values of each attribute
_ITEMS: Final = 7  # a group of texts, classes or truth values costs as much as so many groups of numbers
_ROW: Final = 10.0  # to look at a row of one chunk, however few slots are in it
_CHECK: Final = 15.0  # a slot that a cell leaves open
_LOOK: Final = 3.0  # a row of a bucket
_WAKE: Final = 20.0  # to look for the buckets of a pair
_SHOW: Final = 45.0  # to write down what there is to see of a pair, done where many rows are looked at
_MANY: Final = 32


class HybridIndex(ArrayIndex):
    """Slots under rare predicates where they have one. What is rare is worked out from a sample of what it holds, and
    from the events: the bound that makes an event cheapest."""

    name = "hybrid"
    choices: ClassVar[tuple[float, ...]] = (0.004, 0.008, 0.015, 0.03, 0.06, 0.1, 0.2)

    def _start(self) -> None:
        self._open_share = 0.0
        self._judged = self._checked = 0
        super()._start()

    def _choose_rare(self) -> float:
        if not self._live:
            return _AT_FIRST
        self._learn_open_share()
        rates = self._sample()
        # Of bounds that the sample sees no difference between, the highest: what lies between them is a handful of
        # slots, and a handful in the bit rows costs a look at a row for every attribute there is.
        return min(self.choices, key=lambda rare: (self._cost(rates, rare), -rare))

    def _learn_open_share(self) -> None:
        """How many of the slots in the bit rows an event leaves open, as far as there are some."""
        counts = self.tables[at.COUNTS]
        events, in_bits = int(counts[at.N_EVENTS]) - self._judged, int(counts[at.N_IN_BITS])
        if events >= 32 and 4 * in_bits >= self._live:
            self._open_share = (int(counts[at.N_CHECKED]) - self._checked) / events / in_bits
        self._judged, self._checked = int(counts[at.N_EVENTS]), int(counts[at.N_CHECKED])

    def _sample(self) -> npt.NDArray[np.float64]:
        """How often events activate the rarest predicate of some slots; 2 where none can be waited under."""
        slots = int(self.tables[at.COUNTS][at.N_SLOTS])
        which = np.unique(np.linspace(0, slots - 1, _SAMPLE).astype(np.int64))
        which = which[self.tables[at.SLOTS][which * at.SLOT_WIDTH + at.SLOT_COUNT] != at.FREE]
        rates = np.zeros(len(which))
        rarest_rates(self._addresses, which, rates)
        return rates

    def _cost(self, rates: npt.NDArray[np.float64], rare: float) -> float:
        """Nanoseconds of an event, about, if what is less frequent than that waits under its predicate."""
        waiting = rates < rare
        each = self._live / max(1, len(rates))
        looks = each * float(rates[waiting].sum())
        records = self._records()
        cost = each * int((~waiting).sum()) * self._bit_cost(records) + looks * _LOOK
        if not waiting.all():
            cost += len(self.vocabulary.groups) * _ROW
        if waiting.any():
            cost += records * (_WAKE + (_SHOW if looks >= _MANY else 0.0))
        return cost

    def _bit_cost(self, records: float) -> float:
        """Nanoseconds that a slot in the bit rows costs an event."""
        groups = self.vocabulary.groups
        of_items = sum(not group.columns for group in groups)
        rows = len(groups) + (_ITEMS - 1) * min(of_items, records)
        per_row = _BIT_BEYOND_CACHE if self._outgrows_cache() else _BIT
        return rows * per_row + _CHECK * self._open_share

    def _records(self) -> float:
        """Pairs of an event that matter."""
        counts = self.tables[at.COUNTS]
        if counts[at.N_EVENTS]:
            return float(counts[at.N_RECORDS] / counts[at.N_EVENTS])
        return min(64.0, len(self.vocabulary.groups))

    def _outgrows_cache(self) -> bool:
        return self._live * len(self.vocabulary.groups) * 4 > _CACHE


class AutoIndex(HybridIndex):
    """As hybrid, but where all are best in the bit rows, nothing is rare: then it is CTPS."""

    name = "auto"
    choices = (0.0, *HybridIndex.choices)

    def stats(self) -> dict[str, int | float | str]:
        counts = super().stats()
        waiting, bound = bool(counts["under a predicate"]), f"that less than {self.rare:.1%} of events have"
        counts["chosen"] = "hybrid" if waiting else "ctps"
        if waiting:
            why = f"to wait under a predicate {bound} is cheaper than the bit rows"
        elif self.rare:
            why = f"there is no predicate {bound}, so all are in the bit rows"
        else:
            why = "the bit rows cost less than to look for predicates to wait under"
        counts["because"] = why
        return counts
