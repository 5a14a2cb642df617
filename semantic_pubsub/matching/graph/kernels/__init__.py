"""What runs as machine code: functions over the index's tables, compiled by numba.

They know numbers only. `match` is the whole way of one event; `filing` is how a pattern gets into the tables.
"""

from semantic_pubsub.matching.graph.kernels.compiling import is_compiled
from semantic_pubsub.matching.graph.kernels.ems import add_child, rehash
from semantic_pubsub.matching.graph.kernels.filing import file_slots, release_slot
from semantic_pubsub.matching.graph.kernels.lexing import lex
from semantic_pubsub.matching.graph.kernels.match import match
from semantic_pubsub.matching.graph.kernels.names import insert_name, regrow

__all__ = ["add_child", "file_slots", "insert_name", "is_compiled", "lex", "match", "regrow", "rehash", "release_slot"]
