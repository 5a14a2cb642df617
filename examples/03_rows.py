"""Rows instead of graphs: the same ontology, no RDF in sight, and why a row does or does not match.

python examples/03_rows.py
"""

from __future__ import annotations

from pathlib import Path

from semantic_pubsub import FlatEvent, FlatMatcher, FlatSubscription, Ontology, between, equals, exists, isa

HERE = Path(__file__).resolve().parent

matcher = FlatMatcher(Ontology.load(HERE.parent / "ontology" / "auction.ttl"))
matcher.add(FlatSubscription({"target": isa("Computer"), "price.value": between(0, 400)}, id="cheap-computers"))
matcher.add(FlatSubscription({"target": isa("Book"), "price.currency": equals("units:dollar")}, id="books-for-dollars"))
matcher.add(FlatSubscription({"seller.contactInformation": exists()}, id="somebody-to-ask"))

rows = [
    {"target": "NotebookPC", "price.value": 349.90, "seller.cellPhoneNumber": "123456"},
    {"target": "EBook", "price.value": 12, "price.currency": "units:dollar"},
    {"target": "DesktopPC", "price.value": 450},
]
for number, row in enumerate(rows):
    print(row["target"], sorted(matcher.match_ids(FlatEvent(row, id=f"row {number}"))))
# prints: NotebookPC ['cheap-computers', 'somebody-to-ask']
# prints: EBook ['books-for-dollars']
# prints: DesktopPC []

explanation = matcher.explain(FlatEvent(rows[2], id="row 2"), "cheap-computers")
print(explanation)
# prints: event row 2 does not match cheap-computers
# prints:   ✓ target isa(Computer): target is a DesktopPC ⊑ Computer
# prints:   ✗ price.value between [0, 400]: price.value is 450
assert not explanation.matched
