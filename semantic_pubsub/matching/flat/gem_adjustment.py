"""The global adjustment: what all subscriptions together say of each axis, and the order that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.kernels.gem_tree import dispersion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from semantic_pubsub.matching.flat.tables import Tables

__all__ = ["Adjustment"]

Numbers = npt.NDArray[np.int64]


class _Axis(NamedTuple):
    number: int
    slots: Numbers
    """Those that have a predicate on it; one with several is there as often."""
    weight: float


class Adjustment:
    """The axes in the order of the sum of count and dispersion, the least first, and the slots in the order in which to
    file them anew: each at the first of its axes."""

    def __init__(self, tables: Tables) -> None:
        slots = tables[at.SLOTS][: int(tables[at.COUNTS][at.N_SLOTS]) * at.SLOT_WIDTH].reshape(-1, at.SLOT_WIDTH)
        live = np.flatnonzero(slots[:, at.SLOT_COUNT] != at.FREE)
        counts = slots[live, at.SLOT_COUNT].astype(np.int64)
        owners = np.repeat(np.arange(len(live)), counts)
        ends = np.cumsum(counts)
        within = np.arange(len(owners)) - np.repeat(ends - counts, counts)
        preds = tables[at.SPANS][slots[live, at.SLOT_START][owners] + within].astype(np.int64)
        axes = _axes_of(tables, preds)
        self.axes = sorted(_measured(tables, axes, preds, live[owners]), key=lambda axis: (axis.weight, axis.number))
        """The axes, in order."""
        places = {axis.number: place for place, axis in enumerate(self.axes)}
        firsts = np.full(len(live), len(places))
        known, which = np.unique(axes, return_inverse=True)
        np.minimum.at(firsts, owners, np.array([places[axis] for axis in known.tolist()], np.int64)[which])
        self.slots: Numbers = live[np.argsort(firsts, kind="stable")]
        """The slots, in order."""


def _axes_of(tables: Tables, preds: Numbers) -> Numbers:
    views = tables[at.PRED_VIEW][preds].astype(np.int64)
    what, attrs = (tables[at.VIEWS][views * at.VIEW_WIDTH + column] for column in (at.VIEW_WHAT, at.VIEW_ATTR))
    return np.where(what < 0, views, ~attrs.astype(np.int64))


def _measured(tables: Tables, axes: Numbers, preds: Numbers, slots: Numbers) -> Iterator[_Axis]:
    """Each axis, the slots on it, and n + d."""
    order = np.argsort(axes, kind="stable")
    numbers, starts = np.unique(axes[order], return_index=True)
    parts = (np.split(array[order], starts[1:]) for array in (preds, slots))
    for axis, own, owners in zip(numbers.tolist(), *parts, strict=True):
        if axis >= 0:
            spread = dispersion(tables.addresses.array, own)
        else:
            spread = float(np.unique(own, return_counts=True)[1].std())
        yield _Axis(axis, owners, len(own) + spread)
