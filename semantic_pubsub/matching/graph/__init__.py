"""OPS: every graph pattern at once. Compiled patterns, one index over all of them, exact answers."""

from semantic_pubsub.matching.graph.matcher import OpsMatcher

__all__ = ["OpsMatcher"]
