"""A DataFrame of quads to a DataFrame of events: the triples of each graph as one N-Triples text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.spark.columns import EventColumns, event_columns, field_of, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame

__all__ = ["QUADS", "gather_quads", "gathered", "refuse_beside_quads", "text_columns"]

QUADS: Final = EventColumns("text", "event_id", (("body", ""),), "nt")
"""Where the events of gathered quads stand."""
_TERM: Final = r'^(<|_:|")'


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
    taken = next((name for name in ("event_id", "body") if name in keep), None)
    if taken is not None:
        raise ValueError(f"keep={taken!r} is a column of the result: rename the one you have")
    graph, *statement = columns

    def transform(quads: DataFrame) -> DataFrame:
        from pyspark.sql import functions as f

        for name in (*columns, *keep):
            kind = field_of(quads.schema, name).dataType
            if name in columns and kind.typeName() != "string":
                raise SemanticPubSubError(f"the column {name!r} is {kind.simpleString()}", hint="expected string")
        line = f.concat_ws(" ", *(_term(f.col(quoted(name))) for name in statement), f.lit("."))
        event = f.regexp_replace(f.col(quoted(graph)), r"^<(.*)>$", "$1").alias("event_id")
        body = f.concat_ws("\n", f.collect_list(line)).alias("body")
        return quads.groupBy(event).agg(body, *(f.first(quoted(one)).alias(one) for one in keep))

    return transform


def gathered(quads: DataFrame, keep: Sequence[str]) -> DataFrame:
    """The events of quads with columns to keep; the id and the text of an event may be among them."""
    ours = (QUADS.event_id, QUADS.columns[0][0])
    return gather_quads(keep=[name for name in keep if name not in ours])(quads)


def text_columns(
    event_id: str | None, text: str | None, format_name: str | None, format_column: str | None, quads: bool
) -> EventColumns:
    """Where events stand that come as texts or as quads."""
    if quads:
        refuse_beside_quads(event_id, text=text, format=format_name, format_column=format_column)
        return QUADS
    if text is None:
        raise ValueError("name the column of texts with text=, or say quads=True")
    return event_columns(event_id, None, text, None, format_name, format_column)


def refuse_beside_quads(event_id: str | None, **others: Any) -> None:
    """Quads have columns of their own: whoever names others means something else."""
    asked = [name for name, value in others.items() if value is not None]
    if event_id != QUADS.event_id:
        asked.append("event_id")
    if asked:
        raise ValueError(
            f"quads=True excludes {', '.join(asked)}: for other columns say gather_quads() before, and text="
        )


def _term(column: Column) -> Column:
    """A term as N-Triples has it."""
    from pyspark.sql import functions as f

    return f.when(column.rlike(_TERM), column).otherwise(f.concat(f.lit("<"), column, f.lit(">")))
