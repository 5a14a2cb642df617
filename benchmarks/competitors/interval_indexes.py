"""The competitors on intervals by name."""

from __future__ import annotations

from typing import Final

from benchmarks.competitors.be_tree import BeTree
from benchmarks.competitors.contract import IntervalIndex
from benchmarks.competitors.counting import Counting
from benchmarks.competitors.opindex import OpIndex
from benchmarks.competitors.rein import Rein
from benchmarks.competitors.scan import Scan
from benchmarks.competitors.siena import Siena
from benchmarks.competitors.tama import Tama

__all__ = ["INTERVAL_INDEXES"]

INTERVAL_INDEXES: Final[dict[str, type[IntervalIndex]]] = {
    index.name: index for index in (BeTree, Counting, OpIndex, Rein, Scan, Siena, Tama)
}
