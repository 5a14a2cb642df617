"""What every matcher promises, asked through Spark: each call is a job."""

from __future__ import annotations

from typing import Any

import pytest
from rdflib.util import from_n3

from semantic_pubsub import Event, FlatMatcher, Match, Matcher, Ontology, OpsMatcher
from semantic_pubsub.spark import match_events
from tests.matching.test_contract import (  # noqa: F401 - tests are run where they are found
    test_a_bulk_load_goes_on_where_errors_are_taken,
    test_a_failed_bulk_load_changes_nothing,
    test_add_and_remove,
    test_an_id_is_made_where_none_is_given,
    test_an_id_is_taken_once,
    test_many_events_in_their_order,
    test_matches_by_meaning_and_binds,
    test_remove_of_an_unknown_id,
    test_semantics_can_be_chosen,
    test_union_is_one_subscription,
    test_what_nothing_can_satisfy_is_a_warning,
)


class ThroughSpark:
    """A matcher that asks Spark who matches, and whatever it holds for everything else."""

    def __init__(self, inner: Matcher, session: Any) -> None:
        self._inner, self._session = inner, session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __len__(self) -> int:
        return len(self._inner)

    def __contains__(self, name: object) -> bool:
        return name in self._inner

    def match_ids(self, event: Event) -> list[str]:
        return self.match_many([event])[0]

    def match(self, event: Event) -> list[Match]:
        frame = self._session.createDataFrame([(0, event.to_text("nt"))], "event_id int, t string")
        found = frame.transform(match_events(self._inner, text="t", format="nt", bindings=True)).collect()
        bound = [(row.subscription_id, {name: from_n3(term) for name, term in row.bindings.items()}) for row in found]
        return [Match(name, lambda terms=terms: iter((terms,))) for name, terms in bound]

    def match_many(self, events: list[Event]) -> list[list[str]]:
        rows = [(number, event.to_text("nt")) for number, event in enumerate(events)]
        frame = self._session.createDataFrame(rows, "event_id int, t string")
        found = frame.transform(match_events(self._inner, text="t", format="nt", output="arrays")).collect()
        return [row.subscription_ids for row in sorted(found)]


@pytest.fixture(params=["flat", "ops"])
def matcher(request: pytest.FixtureRequest, auction: Ontology, spark: Any) -> ThroughSpark:
    made = FlatMatcher(auction, verify=True) if request.param == "flat" else OpsMatcher(auction)
    return ThroughSpark(made, spark)
