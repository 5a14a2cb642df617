"""What ours is measured against: an ASK loop, the OPS paper's own algorithm, and other parsers."""

from benchmarks.peers.ask import AskLoop, ask_text
from benchmarks.peers.paper import PaperMatcher
from benchmarks.peers.parsers import parse_turtle, parse_with_rdflib

__all__ = ["AskLoop", "PaperMatcher", "ask_text", "parse_turtle", "parse_with_rdflib"]
