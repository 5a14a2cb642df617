"""Subscribe, publish, match: three subscriptions of different kinds, and who gets which event.

python examples/01_match.py
"""

from __future__ import annotations

from pathlib import Path

from semantic_pubsub import Event, Ontology, OpsMatcher, Subscription

HERE = Path(__file__).resolve().parent

PREFIXES = """
PREFIX auction: <http://example.org/auction#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
"""

ontology = Ontology.load(HERE.parent / "ontology" / "auction.ttl")
matcher = OpsMatcher(ontology)

# By class, as a statement pattern: a notebook is a computer.
matcher.add(Subscription.parse("(_:H, ?1, (Selling, target, Computer))", id="computers"))

# By property, in SPARQL: a cell phone number is a telephone number.
phone = "SELECT ?number { _:H auction:seller/auction:telephoneNumber ?number }"
matcher.add(Subscription.parse(PREFIXES + phone, id="phone"))

# By value: prices are compared as SPARQL compares them.
cheap = "SELECT ?amount { _:H auction:price/rdf:value ?amount FILTER(?amount < 400) }"
matcher.add(Subscription.parse(PREFIXES + cheap, id="cheap"))

for name in ("notebook", "john-desktop"):
    event = Event.load(HERE / "events" / f"{name}.ttl")
    for match in sorted(matcher.match(event), key=lambda match: match.subscription_id):
        shown = {variable: str(term) for variable, term in match.bindings.items() if variable != "1"}
        print(name, match.subscription_id, shown)

# prints: notebook cheap {'amount': '349.90'}
# prints: notebook computers {}
# prints: john-desktop computers {}
# prints: john-desktop phone {'number': '123456789'}
