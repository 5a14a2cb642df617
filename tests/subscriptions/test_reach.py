"""Every vertex of a pattern is tied to home."""

from __future__ import annotations

import pytest

from semantic_pubsub import Subscription, SubscriptionError

EX = "PREFIX ex: <http://example.org/>\n"


@pytest.mark.parametrize(
    "body",
    [
        "_:H ex:p ?x . ?x ex:q ?y . ?y ex:r _:H",
        "?y ex:r ?z . ?x ex:q ?y . _:H ex:p ?x",
        "_:H ex:p ?x . ?x ex:q ?x",
        "_:H a ex:C",
        "_:H ex:p ex:i . ex:i ex:q ?y . ?y a ex:C",
        "FILTER (true)",
    ],
)
def test_reached(body: str) -> None:
    Subscription.parse(f"{EX}ASK {{ {body} }}")


@pytest.mark.parametrize(
    ("body", "vertex", "column"),
    [
        ("?x ex:p ?y", r"\?x", 10),
        ("_:H ex:p ?x . ?y ex:q ?x", r"\?y", 24),
        ("_:H ex:p ?x . ?y a ex:C", r"\?y", 26),
        ("_:H ex:p ?x . ex:i ex:q ?x", "<http://example.org/i>", 26),
        ("_:H ex:p ?x . ?a ex:q ?b . ?b ex:q ?a", r"\?a", 24),
        ("_:H ex:p ?x . [] ex:q ?x", "_:b1", 24),
        ("_:h ex:p ?x", "_:h", 11),
    ],
)
def test_not_reached(body: str, vertex: str, column: int) -> None:
    with pytest.raises(SubscriptionError, match=f"the vertex {vertex} is not reached from _:H") as caught:
        Subscription.parse(f"{EX}ASK {{ {body} }}")
    assert (caught.value.line, caught.value.column) == (2, column)
    assert caught.value.hint is not None
