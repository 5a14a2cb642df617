"""Seeded workloads, shared by the benchmarks and the agreement tests; the same seed gives the same texts."""

from benchmarks.workloads.bands import Bands
from benchmarks.workloads.base import Workload, load_ontology
from benchmarks.workloads.sec6 import Sec6
from benchmarks.workloads.shapes import shape_of, shapes
from benchmarks.workloads.shop import Shop
from benchmarks.workloads.traps import Trap, traps

__all__ = ["Bands", "Sec6", "Shop", "Trap", "Workload", "load_ontology", "shape_of", "shapes", "traps"]
