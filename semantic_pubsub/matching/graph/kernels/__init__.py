"""What runs as machine code: functions over the index's tables, compiled by numba.

They know numbers only. `match` is the whole way of one event; `filing` is how a pattern gets into the tables.
"""

# ruff: noqa: E402 - what is outdated must go before numba looks for it

from pathlib import Path

from semantic_pubsub.matching.arrays import compiling

_HERE = Path(__file__).parent
compiling.forget_the_outdated(_HERE, _HERE.parent / "layout.py", _HERE.parent / "compiled.py")

from semantic_pubsub.matching.graph.kernels.ems import add_child, rehash
from semantic_pubsub.matching.graph.kernels.filing import file_slots, release_slot
from semantic_pubsub.matching.graph.kernels.homes import find_home
from semantic_pubsub.matching.graph.kernels.lexing import lex
from semantic_pubsub.matching.graph.kernels.match import match
from semantic_pubsub.matching.graph.kernels.names import insert_name, regrow

__all__ = [
    "add_child",
    "file_slots",
    "find_home",
    "insert_name",
    "is_compiled",
    "lex",
    "match",
    "regrow",
    "rehash",
    "release_slot",
]


def is_compiled() -> bool:
    """Whether the main kernel was compiled before; if not, the first match takes about half a minute."""
    return compiling.is_compiled(_HERE, "match.match")
