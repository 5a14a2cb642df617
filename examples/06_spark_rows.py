"""Relational rows on Spark, no RDF: a column per attribute, and the ontology still knows what is a computer."""

from pathlib import Path

from semantic_pubsub import FlatMatcher, FlatSubscription, Ontology, isa, less_than
from semantic_pubsub.spark import match_events, quiet_session

root = Path(__file__).resolve().parent
matcher = FlatMatcher(Ontology.load(root.parent / "ontology" / "auction.ttl"))
matcher.add(FlatSubscription({"target": isa("Computer"), "price.value": less_than(400)}, id="cheap-computers"))
matcher.add(FlatSubscription({"target": isa("Product")}, id="anything"))

spark = quiet_session("local[2]")
offers = spark.createDataFrame(
    [(1, "DesktopPC", 350.0, "Ann"), (2, "EBook", 9.5, "Ben"), (3, "NotebookPC", 900.0, "Cem"), (4, None, 5.0, "Dee")],
    "offer long, kind string, price double, seller string",
)
columns = {"kind": "target", "price": "price.value"}
matches = offers.transform(match_events(matcher, event_id="offer", columns=columns, output="arrays", keep=["seller"]))
for row in matches.orderBy("offer").collect():
    print(row.offer, row.seller, sorted(row.subscription_ids))
spark.stop()

# prints: 1 Ann ['anything', 'cheap-computers']
# prints: 2 Ben ['anything']
# prints: 3 Cem ['anything']
# prints: 4 Dee []
