"""Loading many texts: forms that are parsed once must give what parsing each would give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.workloads import Shop
from semantic_pubsub import (
    Event,
    Ontology,
    OpsMatcher,
    ReferenceMatcher,
    SemanticPubSubError,
    Subscription,
    SubscriptionError,
    subscription_texts,
)

A = "PREFIX a: <http://example.org/auction#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"
OFFERS = [
    """@prefix a: <http://example.org/auction#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
    _:H a a:Selling ; a:target _:t ; a:price _:p ; a:seller <http://example.org/i> .
    _:t a a:NotebookPC ; a:title "a fine machine" ; a:manufacture <http://example.org/j> .
    _:p a a:MoneyValue ; rdf:value 400.0 ; a:currency <http://example.org/units#dollar> .""",
    """@prefix a: <http://example.org/auction#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
    _:H a a:Selling ; a:target _:t ; a:price _:p ; a:seller <http://example.org/j> .
    _:t a a:Book ; a:title "fine" ; a:manufacture <http://example.org/j> .
    _:p a a:MoneyValue ; rdf:value "4e2"^^<http://www.w3.org/2001/XMLSchema#double> .""",
]
FORMS = [
    "SELECT ?t {{ _:H a:target ?t . ?t a {cls} }}",
    "SELECT ?v {{ _:H a:price/rdf:value ?v FILTER(?v < {number}) }}",
    "SELECT ?v {{ _:H a:price/rdf:value ?v FILTER(?v >= {number} && ?v <= {other}) }}",
    "SELECT ?v {{ _:H a:price/rdf:value ?v FILTER(?v > {number} && ?v > {other}) }}",
    "SELECT ?v {{ _:H a:price/rdf:value ?v FILTER({number} <= ?v) FILTER(?v != {other}) }}",
    "SELECT * {{ _:H a:target ?t . ?t a:title ?n FILTER(CONTAINS(?n, {text})) FILTER(?n != {text}) }}",
    "SELECT * {{ _:H a:target/a:title {text} }}",
    "SELECT * {{ _:H a:seller {iri} . _:H a:target/a:manufacture {iri2} }}",
    "SELECT * {{ _:H a:seller ?s . _:H a:target/a:manufacture ?m FILTER(?s = {iri} && ?m = {iri2}) }}",
    "ASK {{ {{ _:H a:target [ a {cls} ] }} UNION {{ _:H a:price/rdf:value ?v FILTER(?v = {number}) }} }}",
    "SELECT * {{ _:H a:price/rdf:value ?v ; a:target/a:title ?n FILTER(?v > {number} || ?n = {text}) }}",
]
VALUES = {
    "cls": ["a:Computer", "a:Book", "a:Product", "<http://example.org/auction#NotebookPC>", "a:Nobody"],
    "number": ["399", "400", "400.0", "400.00", "4e2", "-1", "9007199254740993", "399.999999999999999999"],
    "other": ["400", "401.5", "1e3", "-5"],
    "text": ['"fine"', "'a fine machine'", '"machine"', '"fine"@en', '"f\\u0069ne"', '""'],
    "iri": ["<http://example.org/i>", "<http://example.org/j>", "a:i"],
    "iri2": ["<http://example.org/j>", "<http://example.org/i>"],
}


@pytest.fixture(scope="module")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_forms_give_what_parsing_gives(auction: Ontology, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(FORMS))
    words = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in VALUES.items()})
    pairs = [
        (str(number), A + form.format(**draw))
        for number, draw in enumerate(data.draw(st.lists(words, min_size=2, max_size=8)))
    ]
    bulk, single = OpsMatcher(auction), ReferenceMatcher(auction)
    bulk.add_all(pairs)
    for name, text in pairs:
        single.add(Subscription.parse(text, id=name))
    assert bulk.warnings == single.warnings
    for offer in OFFERS:
        event = Event.parse(offer)
        assert sorted(bulk.match_ids(event)) == sorted(single.match_ids(event))
        ours = {m.subscription_id: [sorted(s.items()) for s in m.solutions()] for m in bulk.match(event)}
        theirs = {m.subscription_id: [sorted(s.items()) for s in m.solutions()] for m in single.match(event)}
        assert {name: sorted(found) for name, found in ours.items()} == {n: sorted(f) for n, f in theirs.items()}


def test_a_workload_of_few_forms_is_parsed_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop()
    parsed = 0
    original = Subscription.parse

    def counted(*arguments: object, **named: object) -> Subscription:
        nonlocal parsed
        parsed += 1
        return original(*arguments, **named)  # type: ignore[arg-type]

    matcher, plain = OpsMatcher(shop.ontology()), OpsMatcher(shop.ontology())
    pairs = list(shop.subscriptions(3_000))
    plain.add_all(original(text, id=name) for name, text in pairs)
    monkeypatch.setattr(Subscription, "parse", counted)
    matcher.add_all(pairs)
    assert parsed < 400
    for text in shop.events(60):
        assert sorted(matcher.match_text(text)) == sorted(plain.match_text(text))


def test_what_was_loaded_in_bulk_can_be_removed(auction: Ontology) -> None:
    matcher = OpsMatcher(auction)
    text = A + "SELECT ?t {{ _:H a:target ?t . ?t a {} }}"
    matcher.add_all((f"{n}", text.format(("a:Computer", "a:Book", "a:Product")[n % 3])) for n in range(300))
    for n in range(0, 300, 2):
        matcher.remove(str(n))
    expected = {str(n) for n in range(1, 300, 2) if n % 3 != 1}
    assert set(matcher.match_ids(Event.parse(OFFERS[0]))) == expected


def test_a_bad_text_among_many(auction: Ontology) -> None:
    matcher = OpsMatcher(auction)
    text = A + "SELECT ?t {{ _:H a:target ?t . ?t a {} }}"
    pairs = [("1", text.format("a:Book")), ("2", "SELECT"), ("1", text.format("a:Book")), ("3", text.format("a:MP3"))]
    errors: list[SemanticPubSubError] = []
    assert matcher.add_all(pairs, on_error=errors.append) == ["1", "3"]
    assert len(errors) == 2
    with pytest.raises(SubscriptionError):
        matcher.add_all([("4", text.format("a:Book")), ("5", text.format("a:EBook")), ("6", "SELECT")])
    assert sorted(matcher.ids()) == ["1", "3"]
    assert matcher.match_ids(Event.parse(OFFERS[1])) == ["1"]


def test_nothing_is_left_when_the_source_breaks(auction: Ontology) -> None:
    text = A + "SELECT ?t {{ _:H a:target ?t . ?t a {} }}"

    def broken() -> Iterator[tuple[str, str]]:
        for number in range(20):
            yield str(number), text.format("a:Book")
        raise OSError("the disk is gone")

    matcher = OpsMatcher(auction)
    with pytest.raises(OSError, match="gone"):
        matcher.add_all(broken())
    assert len(matcher) == 0
    assert matcher.match_ids(Event.parse(OFFERS[1])) == []


def test_from_files(auction: Ontology, project: Path) -> None:
    matcher = OpsMatcher(auction)
    matcher.add_all(subscription_texts(project / "examples" / "subscriptions"))
    assert "cheap-computers" in matcher
    assert len(matcher) == 5
