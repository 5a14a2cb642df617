"""What ours is measured against, in the benches only.

On graphs: an ASK loop, the OPS paper's own algorithm, the decomposition algorithm that it compares with. On concept
trees: G-ToPSS and MIC. On intervals: `INTERVAL_INDEXES`. Beside these, other parsers and plain Spark.
"""

from benchmarks.competitors.ask import AskLoop, ask_text
from benchmarks.competitors.decomposition import Decomposition
from benchmarks.competitors.paper import PaperMatcher
from benchmarks.competitors.parsers import parse_turtle, parse_with_rdflib

__all__ = ["AskLoop", "Decomposition", "PaperMatcher", "ask_text", "parse_turtle", "parse_with_rdflib"]
