"""What runs as machine code in the flat indexes: functions over their tables, compiled by numba.

They know numbers only. `match_event` is the whole way of one event; `filing` is how a slot gets into the tables.
"""

# ruff: noqa: E402 - what is outdated must go before numba looks for it

from pathlib import Path

from semantic_pubsub.matching.arrays import compiling

_HERE = Path(__file__).parent
compiling.forget_the_outdated(_HERE, _HERE.parent / "layout.py")

from semantic_pubsub.matching.flat.kernels.filing import (
    compact_rows,
    file_new_slot,
    file_slots,
    forget_cells,
    forget_closures,
    order_positions,
    rarest_rates,
    rehash,
    start_rows,
    unfile_slot,
)
from semantic_pubsub.matching.flat.kernels.match import match_event, match_events, scan_event
from semantic_pubsub.matching.flat.kernels.rows import gather_records, number_rows, rehash_rows

__all__ = [
    "compact_rows",
    "file_new_slot",
    "file_slots",
    "forget_cells",
    "forget_closures",
    "gather_records",
    "is_compiled",
    "match_event",
    "match_events",
    "number_rows",
    "order_positions",
    "rarest_rates",
    "rehash",
    "rehash_rows",
    "scan_event",
    "start_rows",
    "unfile_slot",
]


def is_compiled() -> bool:
    """Whether the main kernel was compiled before; if not, the first match takes about half a minute."""
    return compiling.is_compiled(_HERE, "match.match_event")
