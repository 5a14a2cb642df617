"""Check events before they are matched, and ask why one did not match.

python examples/02_validate_and_explain.py
"""

from __future__ import annotations

from pathlib import Path

from semantic_pubsub import Event, EventValidator, Ontology, OpsMatcher, Subscription

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent

ontology = Ontology.load(PROJECT / "ontology" / "auction.ttl")
validator = EventValidator([PROJECT / "shapes" / "auction.ttl"], ontology)
matcher = OpsMatcher(ontology)
matcher.add(Subscription.load(HERE / "subscriptions" / "cheap-computers.ops"))

for name in ("refused", "jinling-wang-desktop"):
    event = Event.load(HERE / "events" / f"{name}.ttl")
    report = validator.validate(event)
    if not report.conforms:
        print(name, "is refused:", len(report.violations), "problems")
        continue
    explanation = matcher.explain(event, "cheap-computers")
    print(name, "matches" if explanation.matched else "does not match")
    for miss in explanation.misses():
        print(miss.requirement, "|", miss.because)

# prints: refused is refused: 4 problems
# prints: jinling-wang-desktop does not match
# prints: ?3 < 400.00 | 450.00 is not < 400.00
