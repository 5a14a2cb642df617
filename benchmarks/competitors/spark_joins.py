"""Plain Spark for the same work as flat matching of intervals: the best job that we know, and the obvious one.

Subscriptions are intervals on attributes, (sub, attribute, lower, upper, bit), events are pairs (event_id, attribute,
value). `A4`: a broadcast join with the constraints of an attribute, a bit for each constraint that holds, `bit_or` over
event and subscription, which needs no shuffle since events are partitioned by id, and a filter for complete masks.
`naive`: join, count the constraints that hold, compare with how many there are.
"""

from __future__ import annotations

from typing import Any

__all__ = ["a4", "constraints_frame", "naive"]


def constraints_frame(spark: Any, attributes: Any, lower: Any, upper: Any) -> Any:
    """The constraints of all subscriptions, one a row."""
    import numpy as np
    import pyarrow as pa

    number, each = attributes.shape
    table = pa.table(
        {
            "sub": np.repeat(np.arange(number, dtype=np.int32), each),
            "attribute": attributes.reshape(-1).astype(np.int16),
            "lower": lower.reshape(-1).astype(np.float64),
            "upper": upper.reshape(-1).astype(np.float64),
            "bit": np.tile((1 << np.arange(each)).astype(np.int32), number),
        }
    )
    return spark.createDataFrame(table)


def a4(pairs: Any, constraints: Any, each: int) -> Any:
    """(event_id, sub) of all matches: masks by `bit_or`."""
    from pyspark.sql import functions as f

    met = _met(pairs, constraints)
    masks = met.groupBy("event_id", "sub").agg(f.bit_or("bit").alias("mask"))
    return masks.where(f.col("mask") == (1 << each) - 1).select("event_id", "sub")


def naive(pairs: Any, constraints: Any, each: int) -> Any:
    """(event_id, sub) of all matches: a join, then a count of distinct constraints."""
    from pyspark.sql import functions as f

    condition = (pairs.attribute == constraints.attribute) & pairs.value.between(constraints.lower, constraints.upper)
    counted = pairs.join(constraints, condition).groupBy("event_id", "sub").agg(f.count_distinct("bit").alias("n"))
    return counted.where(f.col("n") == each).select("event_id", "sub")


def _met(pairs: Any, constraints: Any) -> Any:
    from pyspark.sql import functions as f

    small = f.broadcast(constraints)
    same = pairs.attribute == small.attribute
    return pairs.join(small, same & (pairs.value >= small.lower) & (pairs.value <= small.upper))
