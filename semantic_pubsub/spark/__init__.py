"""The same subscriptions, the same answers, at cluster scale: flatten, validate and match events in PySpark.

events.transform(match_events(matcher, text="body", format="json-ld"))

Everything takes a DataFrame and gives a DataFrame, lazily, in batch and in streams, classic and with Spark Connect.
"""

from __future__ import annotations

from semantic_pubsub.spark.compiled import CompiledIndex, compile_matcher, compile_subscriptions
from semantic_pubsub.spark.flatten import flatten_events
from semantic_pubsub.spark.match import match_events
from semantic_pubsub.spark.quads import gather_quads
from semantic_pubsub.spark.session import quiet_session
from semantic_pubsub.spark.source import register
from semantic_pubsub.spark.validate import validate_events
from semantic_pubsub.spark.versions import IndexVersions

__all__ = [
    "CompiledIndex",
    "IndexVersions",
    "compile_matcher",
    "compile_subscriptions",
    "flatten_events",
    "gather_quads",
    "match_events",
    "quiet_session",
    "register",
    "validate_events",
]
