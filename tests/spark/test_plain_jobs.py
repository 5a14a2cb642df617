"""The plain Spark jobs that we are measured beside give the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.competitors.spark_joins import a4, constraints_frame, filed, filed_frame, held_frame, naive
from benchmarks.workloads.gem import Gem
from semantic_pubsub import FlatMatcher
from semantic_pubsub.spark import match_events


def test_the_same_rows(spark: Any) -> None:
    workload, number, events = Gem(rate=0.05), 150, 12
    matcher = FlatMatcher(workload.ontology())
    matcher.add_all(workload.flat_subscriptions(number))
    values = workload.events(events).astype(int).tolist()
    rows = [(n, dict(zip(workload.names, row, strict=True))) for n, row in enumerate(values)]
    ours = spark.createDataFrame(rows, "event_id long, pairs map<string,int>").transform(match_events(matcher))
    expected = sorted((row.event_id, int(row.subscription_id[1:])) for row in ours.collect())
    assert len(expected) > events
    asked, each, cardinality = workload.subscriptions(number), workload.predicates, workload.cardinality
    assert np.any(asked[1] == asked[2])
    pairs = [(n, a, v) for n, row in enumerate(values) for a, v in enumerate(row)]
    long = spark.createDataFrame(pairs, "event_id long, attribute int, value int").coalesce(1)
    arrays = spark.createDataFrame(list(enumerate(values)), "event_id long, v array<int>")
    for job in (
        a4(long, held_frame(spark, *asked, cardinality), each, cardinality),
        filed(arrays, filed_frame(spark, *asked), each, cardinality),
        naive(long, constraints_frame(spark, *asked), each),
    ):
        assert sorted(map(tuple, job.collect())) == expected
