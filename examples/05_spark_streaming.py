"""Streaming on Spark: each event once, over crashes and restarts, with subscriptions that change in between."""

import tempfile
from pathlib import Path

from semantic_pubsub import FlatMatcher, FlatSubscription, Ontology, equals, isa
from semantic_pubsub.spark import IndexVersions, match_events, quiet_session

root = Path(__file__).resolve().parent
ontology = Ontology.load(root.parent / "ontology" / "auction.ttl")
place = Path(tempfile.mkdtemp())
(place / "in").mkdir()

versions = IndexVersions(place / "sets")  # a folder that all executors see
matcher = FlatMatcher(ontology)
matcher.add(FlatSubscription({"target": isa("Computer")}, id="computers"))
versions.publish(matcher)

spark = quiet_session("local[2]")
lines = spark.readStream.text(str(place / "in"))
matches = lines.transform(match_events(versions, event_id=None, text="value", format="json-ld"))


def arrive(name: str, number: int, kind: str) -> None:
    """A file with one event; it appears when it is complete."""
    context = '"@context": {"@vocab": "http://example.org/auction#"}'
    event = f'{{{context}, "@id": "urn:offer:{number}", "target": {{"@type": "{kind}", "title": "Dune"}}}}\n'
    (place / f".{name}").write_text(event, encoding="utf-8")
    (place / f".{name}").rename(place / "in" / name)


def catch_up() -> None:
    """Run until all files are done. The checkpoint and the Parquet sink together make each row appear exactly once."""
    query = matches.writeStream.format("parquet").option("checkpointLocation", str(place / "checkpoint"))
    query.trigger(availableNow=True).start(str(place / "out")).awaitTermination()


arrive("1.jsonl", 1, "DesktopPC")
catch_up()
matcher.add(FlatSubscription({"target.title": equals("Dune")}, id="dune"))
versions.publish(matcher)  # taken up with the next batch
arrive("2.jsonl", 2, "Book")
catch_up()

for row in spark.read.parquet(str(place / "out")).orderBy("event_id").collect():
    print(row.event_id, row.subscription_id)
spark.stop()

# prints: urn:offer:1 computers
# prints: urn:offer:2 dune
