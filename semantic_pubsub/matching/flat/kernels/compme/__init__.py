"""COMPME as machine code: rows of coded pairs, filed, merged, and ANDed with an event's bits."""

# ruff: noqa: E402 - what is outdated must go before numba looks for it

from pathlib import Path

from semantic_pubsub.matching.arrays import compiling

_HERE = Path(__file__).parent
_FLAT = _HERE.parent.parent
compiling.forget_the_outdated(
    _HERE, _FLAT / "layout.py", _FLAT / "compme_layout.py", _HERE.parent / "board.py"
)  # the board's functions become part of these kernels

from semantic_pubsub.matching.flat.kernels.compme.filing import (
    divide,
    enter_slot,
    file_waiting,
    finish_generation,
    forget_slot,
    move_slots,
)
from semantic_pubsub.matching.flat.kernels.compme.matching import match_event, match_events

__all__ = [
    "divide",
    "enter_slot",
    "file_waiting",
    "finish_generation",
    "forget_slot",
    "is_compiled",
    "match_event",
    "match_events",
    "move_slots",
]


def is_compiled() -> bool:
    """Whether the main kernel was compiled before; if not, the first match takes about half a minute."""
    return compiling.is_compiled(_HERE, "matching.match_event")
