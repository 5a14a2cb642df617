"""Batch matching on Spark: a folder of events against subscriptions, with the graph answer, as a table."""

from pathlib import Path

from semantic_pubsub import Ontology, subscription_texts
from semantic_pubsub.spark import compile_subscriptions, match_events, quiet_session, register

root = Path(__file__).resolve().parent
ontology = Ontology.load(root.parent / "ontology" / "auction.ttl")

# Compiled once; executors map the files into memory. Give a folder to keep them.
compiled = compile_subscriptions(ontology, subscription_texts(root / "subscriptions"), verify=True)

spark = quiet_session("local[2]")
register(spark)  # the data source rdf-events
events = spark.read.format("rdf-events").load(str(root / "events"))
matches = events.transform(match_events(compiled, text="body", format_column="format"))

for row in matches.where("event_id like 'n%'").orderBy("subscription_id").collect():
    print(row.event_id, row.subscription_id)
print(matches.count())
spark.stop()

# prints: notebook.ttl big-disks
# prints: notebook.ttl cheap-computers
# prints: 11
