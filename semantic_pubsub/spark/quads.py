"""A DataFrame of quads to a DataFrame of events: the triples of each graph as one N-Triples text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.spark.columns import field_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame

__all__ = ["gather_quads"]

_TERM = r'^(<|_:|")'


def gather_quads(
    columns: Sequence[str] = ("graph", "subject", "predicate", "object"), keep: Sequence[str] = ()
) -> Callable[[DataFrame], DataFrame]:
    """For `DataFrame.transform`: one row per graph with its name as `event_id` and its triples as `body` (format "nt").

    Terms are written as in N-Quads (`<iri>`, `_:b`, `"text"@en`); a bare value is taken for an IRI. `keep` passes the
    first value of further columns. Spark has to bring the quads of a graph together, which in a stream needs
    a watermark; events that come as one record each do without.
    """
    if len(columns) != 4:
        raise ValueError("columns must name graph, subject, predicate and object")
    graph, *statement = columns

    def transform(quads: DataFrame) -> DataFrame:
        from pyspark.sql import functions as f

        for name in (*columns, *keep):
            kind = field_of(quads.schema, name).dataType
            if name in columns and kind.typeName() != "string":
                raise SemanticPubSubError(f"the column {name!r} is {kind.simpleString()}", hint="expected string")
        line = f.concat_ws(" ", *(_term(f.col(f"`{name}`")) for name in statement), f.lit("."))
        event = f.regexp_replace(f.col(f"`{graph}`"), r"^<(.*)>$", "$1").alias("event_id")
        body = f.concat_ws("\n", f.collect_list(line)).alias("body")
        return quads.groupBy(event).agg(body, *(f.first(f"`{one}`").alias(one) for one in keep))

    return transform


def _term(column: Column) -> Column:
    """A term as N-Triples has it."""
    from pyspark.sql import functions as f

    return f.when(column.rlike(_TERM), column).otherwise(f.concat(f.lit("<"), column, f.lit(">")))
