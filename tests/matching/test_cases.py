"""Cases as data: `tests/cases/<source>/<case>/` with an event, subscriptions and what is expected of them.

`expected.json`: `matches` (the ids), and where given `bindings` (one of the solutions) and `solutions` (their number).
The ontology lies beside it, or is one that the project ships (`"ontology": "auction"`), or there is none.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semantic_pubsub import Event, Ontology, subscriptions_from
from tests.matching.test_contract import MATCHERS

CASES = Path(__file__).resolve().parent.parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/*/expected.json"))


@pytest.mark.parametrize("name", MATCHERS)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(CASES)))
def test_case(folder: Path, name: str, project: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    ontologies = [project / "ontology" / f"{expected['ontology']}.ttl"] if "ontology" in expected else []
    ontologies += folder.glob("ontology.*")
    matcher = MATCHERS[name](Ontology.load(*ontologies))
    matcher.add_all(subscriptions_from(folder))
    matches = {match.subscription_id: match for match in matcher.match(Event.load(folder / "event.ttl"))}
    assert sorted(matches) == sorted(expected["matches"])
    for subscription, bindings in expected.get("bindings", {}).items():
        solutions = [{variable: term.n3() for variable, term in s.items()} for s in matches[subscription].solutions()]
        assert bindings in solutions
    for subscription, number in expected.get("solutions", {}).items():
        assert len(list(matches[subscription].solutions())) == number
    event = Event.load(folder / "event.ttl")
    for subscription in matcher.ids():
        assert matcher.explain(event, subscription).matched == (subscription in matches)
