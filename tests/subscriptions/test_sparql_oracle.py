"""What our SPARQL parser accepts, another one accepts too; what is drawn by SPARQL's grammar, ours accepts."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.plugins.sparql.parser import parseQuery

from semantic_pubsub import Subscription, SubscriptionError
from tests.subscriptions.texts import queries, text_of

_OTHERS = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ".",
    ";",
    ",",
    "/",
    "a",
    "UNION",
    "FILTER",
    "?x",
    "ex:p",
    '"s"',
    "!",
    "*",
    "<",
    "&&",
]


def accepts(text: str) -> bool:
    try:
        Subscription.parse(text, syntax="sparql")
    except SubscriptionError:
        return False
    return True


@settings(max_examples=150, deadline=None)
@given(queries())
def test_drawn_queries_are_accepted_by_both(tokens: list[str]) -> None:
    text = text_of(tokens)
    Subscription.parse(text)
    parseQuery(text)


@settings(max_examples=300, deadline=None)
@given(queries(), st.randoms(use_true_random=False))
def test_what_we_accept_of_damaged_queries_is_sparql(tokens: list[str], draw: random.Random) -> None:
    damaged = list(tokens)
    for _ in range(draw.randint(1, 2)):
        at = draw.randrange(10, len(damaged))
        damaged[at : at + draw.randint(0, 1)] = draw.choice([[], [draw.choice(_OTHERS)], [draw.choice(tokens)]])
    text = text_of(damaged)
    if accepts(text):
        parseQuery(text)  # an error of the other parser fails the test


@settings(max_examples=100, deadline=None)
@given(queries())
def test_white_space_and_comments_mean_nothing(tokens: list[str]) -> None:
    spaced = "\n# a comment { ] \" '\n".join(tokens)
    assert Subscription.parse(spaced, id="s") == Subscription.parse(text_of(tokens), id="s")
