"""The workloads are what they say they are: benchmarks and agreement tests rest on them."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from benchmarks.competitors import AskLoop
from benchmarks.workloads import Bands, Sec6, Shop, Trap, Workload, shape_of, shapes, traps
from semantic_pubsub import Event, OntologyError, ReferenceMatcher, Subscription
from semantic_pubsub.subscriptions.algebra import HOME

ALL: list[Workload] = [Sec6(), Sec6(classes=2), Shop(), Shop(rate=0.00015), Bands(), Bands(kind="one-sided")]


def name_of(workload: Workload) -> str:
    return "-".join(str(value) for value in vars(workload).values() if isinstance(value, str | int | float))


def rate(workload: Workload, subscriptions: int, events: int) -> float:
    """The share of pairs that match, told by a SPARQL engine."""
    ask = AskLoop(workload.ontology())
    ask.add_all(Subscription.parse(text, id=name) for name, text in workload.subscriptions(subscriptions))
    found = sum(len(ask.match_ids(ask.prepare(Event.parse(text)))) for text in workload.events(events))
    return found / (subscriptions * events)


@pytest.mark.parametrize("workload", ALL, ids=name_of)
def test_a_seed_gives_the_same_texts_and_another_does_not(workload: Workload) -> None:
    again, other = type(workload)(**_options(workload)), type(workload)(**{**_options(workload), "seed": 8})
    assert list(workload.subscriptions(50)) == list(again.subscriptions(50))
    assert list(workload.events(10)) == list(again.events(10))
    assert list(workload.subscriptions(50)) != list(other.subscriptions(50))
    assert list(workload.events(10)) != list(other.events(10))


def _options(workload: Workload) -> dict[str, object]:
    known = ("seed", "classes", "rate", "kind")
    return {key: getattr(workload, key) for key in known if hasattr(workload, key)}


@pytest.mark.parametrize("workload", ALL, ids=name_of)
def test_a_longer_run_begins_like_a_shorter_one(workload: Workload) -> None:
    assert list(workload.subscriptions(60))[:20] == list(workload.subscriptions(20))
    assert [name for name, _ in workload.subscriptions(3)] == ["s0", "s1", "s2"]


@pytest.mark.parametrize("workload", ALL, ids=name_of)
def test_every_text_is_accepted_without_a_warning(workload: Workload) -> None:
    matcher = ReferenceMatcher(workload.ontology())
    for name, text in workload.subscriptions(200):
        matcher.add(Subscription.parse(text, id=name))
    assert not matcher.warnings
    for text in workload.events(20):
        assert not Event.parse(text, strict=True).warnings


@pytest.mark.parametrize("classes", [2, 10, 20])
def test_sec6_has_the_sizes_of_the_paper(classes: int) -> None:
    workload = Sec6(classes=classes)
    ontology = workload.ontology()
    assert {len(set(pair)) for pair in workload.properties} == {2}
    assert len(workload.properties) == classes
    assert all(ontology.expand(f"C{c}") for c in range(classes))
    with pytest.raises(OntologyError):
        ontology.expand(f"C{classes}", "class")
    for _, text in workload.subscriptions(200):
        (pattern,) = Subscription.parse(text).alternatives
        assert len(pattern.vertices()) == 10
        assert len(set(pattern.arcs)) == 11
        assert sorted(str(a.vertex) for a in pattern.classes) == sorted(map(str, pattern.vertices()))
        _only_own_properties(workload, {str(a.vertex): a.name.value for a in pattern.classes}, pattern.arcs)
    for text in workload.events(30):
        triples = Event.parse(text).triples
        arcs = [t for t in triples if not t.predicate.value.endswith("#type")]
        assert len(arcs) == 55
        assert len(triples) - len(arcs) == 50
        types = {str(t.subject): t.object.value for t in triples if t.predicate.value.endswith("#type")}
        assert len(types) == 50
        for arc in arcs:
            number = int(types[str(arc.subject)].rpartition("#C")[2])
            assert int(arc.predicate.value.rpartition("#p")[2]) in workload.properties[number]


def _only_own_properties(workload: Sec6, classes: dict[str, str], arcs: tuple) -> None:  # type: ignore[type-arg]
    for arc in arcs:
        number = int(classes[str(arc.subject)].rpartition("#C")[2])
        assert int(arc.property.value.rpartition("#p")[2]) in workload.properties[number]


def test_sec6_without_texts_is_the_same() -> None:
    workload = Sec6()
    expected = [Subscription.parse(text, id=name) for name, text in workload.subscriptions(100)]
    made = list(workload.parsed(100))
    assert [(s.id, s.alternatives, s.injective) for s in made] == [
        (s.id, s.alternatives, s.injective) for s in expected
    ]
    assert all(s.injective for s in workload.parsed(3, injective=True))


@pytest.mark.parametrize(("classes", "low", "high"), [(2, 0.15, 0.32), (10, 0.02, 0.05), (20, 0.007, 0.025)])
def test_sec6_matches_as_often_as_the_paper_says(classes: int, low: float, high: float) -> None:
    assert low < rate(Sec6(classes=classes), 300, 30) < high


def test_subscriptions_are_mostly_different() -> None:
    assert len({text for _, text in Sec6().subscriptions(5_000)}) > 4_000
    assert len({text for _, text in Shop().subscriptions(5_000)}) > 4_900


def test_the_shop_has_its_hierarchies() -> None:
    ontology = Shop().ontology()
    classes = [name for name in ontology.classes if "shop#" in name]
    properties = [name for name in ontology.properties if "shop#" in name]
    assert 180 <= len(classes) <= 220
    assert 36 <= len(properties) <= 44
    assert max(ontology.depth(name) for name in classes) >= 3
    assert max(ontology.depth(name) for name in properties) == 2
    assert any(len(ontology.parents(name)) > 1 for name in classes)


def test_offers_and_subscriptions_of_the_shop_have_their_sizes() -> None:
    workload = Shop()
    sizes = [len(Event.parse(text)) for text in workload.events(300)]
    assert min(sizes) >= 15
    assert max(sizes) <= 40
    assert max(sizes) - min(sizes) >= 15
    assert len(workload.templates) <= 50
    arcs = set()
    for _, text in workload.subscriptions(300):
        (pattern,) = Subscription.parse(text).alternatives
        assert pattern.filters
        assert any(a.vertex != HOME for a in pattern.classes)
        arcs.add(len(pattern.arcs))
    assert arcs == {3, 4, 5, 6}


def test_subscriptions_of_the_shop_come_from_few_templates() -> None:
    names = re.compile(r'"[^"]*"|\b\d+(?:\.\d+)?\b|:\w+')
    skeletons = {names.sub("_", text) for _, text in Shop().subscriptions(3_000)}
    assert 10 < len(skeletons) <= 50
    texts = "".join(text for _, text in Shop().subscriptions(500))
    assert all(word in texts for word in ("CONTAINS", "STRSTARTS", "FILTER(?price <", "?brand = ", "&&"))


@pytest.mark.parametrize(("asked", "low", "high"), [(0.003, 0.001, 0.004), (0.001, 0.0004, 0.0016)])
def test_the_shop_matches_about_as_often_as_asked(asked: float, low: float, high: float) -> None:
    assert low < rate(Shop(rate=asked), 2_000, 25) < high


@pytest.mark.parametrize("kind", ["two-sided", "one-sided"])
def test_bands_match_what_their_limits_say(kind: str) -> None:
    workload = Bands(kind=kind)  # type: ignore[arg-type]
    number = 5_000
    ask = AskLoop(workload.ontology())
    ask.add_all(Subscription.parse(text, id=name) for name, text in workload.subscriptions(number))
    limits = list(islice(workload.limits(), number))
    found = 0
    for text in workload.events(4):
        event = Event.parse(text)
        price = next(float(t.object.value) for t in event.triples if t.predicate.value.endswith("#price"))
        expected = {f"s{i}" for i, (low, high) in enumerate(limits) if (low is None or low <= price) and price < high}
        assert set(ask.match_ids(ask.prepare(event))) == expected
        found += len(expected)
    assert 0 < found < 0.005 * 4 * number


def test_bands_differ_in_their_numbers_only() -> None:
    for kind in ("two-sided", "one-sided"):
        texts = {text for _, text in Bands(kind=kind).subscriptions(500)}  # type: ignore[arg-type]
        assert len(texts) > 490
        assert len({re.sub(r"\d+\.\d+", "_", text) for text in texts}) == 1


def test_traps_are_impossible_by_a_search_that_is_not_trapped() -> None:
    """Networkx would not come back either: the reasons are looked up in the event."""
    by_name = {trap.name: trap for trap in traps()}
    assert set(by_name) == {"twins", "star", "ring"}
    twins = Event.parse(by_name["twins"].event)
    assert sum(t.predicate.value.endswith("#p") for t in twins.triples) == 11
    assert by_name["twins"].impossible.count(":p ?") == 12
    star = Event.parse(by_name["star"].event)
    by_property = [{t.subject for t in star.triples if t.predicate.value.endswith(f"#{p}")} for p in "qr"]
    assert all(by_property)
    assert not by_property[0] & by_property[1]
    assert by_name["star"].impossible.count(":p ?") == 40
    follows = {t.subject: t.object for t in Event.parse(by_name["ring"].event).triples if t.predicate.value[-1] == "q"}
    assert all(follows[follows[follows[v]]] != v for v in follows)
    assert all(follows[follows[follows[follows[v]]]] == v for v in follows)


@pytest.mark.parametrize("trap", list(traps()), ids=lambda trap: f"{trap.name}-{trap.injective}")
def test_every_statement_of_a_trap_can_be_satisfied_alone(trap: Trap) -> None:
    ask = AskLoop(trap.ontology())
    store = ask.prepare(Event.parse(trap.event))
    (pattern,) = Subscription.parse(trap.impossible).alternatives
    for arc in pattern.arcs:
        subject = "<urn:home>" if arc.subject == HOME else str(arc.subject)
        assert store.query(f"ASK {{ {subject} <{arc.property.value}> {arc.object} }}")


def test_shapes_are_all_different() -> None:
    texts = list(shapes(150))
    assert len({shape_of(text) for text in texts}) == 150
    assert texts == list(shapes(150))
    assert texts != list(shapes(150, seed=8))
    for text in texts:
        Subscription.parse(text)
