"""What the OPS matcher promises beyond the contract: any size, threads, budgets, memory, counts of work."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from benchmarks.workloads import Bands, Sec6, Shop, Trap, Workload, traps
from semantic_pubsub import Event, EventError, Ontology, OpsMatcher, ReferenceMatcher, Subscription
from semantic_pubsub.matching.graph import layout

P = "PREFIX : <http://example.org/>\n"


@pytest.fixture(scope="module")
def plain() -> Ontology:
    return Ontology.load()


@pytest.mark.parametrize("injective", [False, True], ids=["sparql", "injective"])
@pytest.mark.parametrize("workload", [Shop(rate=0.02), Sec6(), Bands()], ids=lambda w: f"{w.name}")
def test_agrees_with_the_reference_on_the_workloads(workload: Workload, injective: bool) -> None:
    ontology = workload.ontology()
    ops, reference = OpsMatcher(ontology), ReferenceMatcher(ontology)
    for name, text in workload.subscriptions(80):
        subscription = Subscription.parse(text, id=name, injective=injective)
        ops.add(subscription)
        reference.add(subscription)
    found = 0
    for text in workload.events(6):
        event = Event.parse(text)
        expected = sorted(reference.match_ids(event))
        assert sorted(ops.match_ids(event)) == expected
        assert sorted(ops.match_text(text)) == expected
        found += len(expected)
    assert found


def test_work_grows_with_what_matches_and_not_with_what_waits() -> None:
    bands = Bands()
    scanned = []
    for size in (1_000, 8_000):
        matcher = OpsMatcher(bands.ontology())
        matcher.add_all(bands.subscriptions(size))
        events = list(bands.events(20))
        matches = sum(len(matcher.match_text(text)) for text in events)
        scanned.append(matcher.stats()["rows scanned"] / max(1, matches))  # type: ignore[operator]
    assert scanned[1] < 2 * scanned[0]
    assert scanned[1] < 12


@pytest.mark.parametrize("leaves", [10, 100, 1_000, 20_000])
def test_events_of_any_size(plain: Ontology, leaves: int) -> None:
    matcher = OpsMatcher(plain)
    matcher.add(Subscription.parse(P + "SELECT ?x { _:H :p ?x . ?x :q ?v FILTER(?v = 7) }", id="seven"))
    matcher.add(Subscription.parse(P + "SELECT ?x { _:H :p ?x . ?x :q ?v FILTER(?v < 0) }", id="negative"))
    matcher.add(Subscription.parse(P + "SELECT * { _:H :p ?x, ?y . ?x :next ?y . ?y :next ?z }", id="chain"))
    lines = [f"_:H :p _:n{i} . _:n{i} :q {i} ; :next _:n{i + 1} ." for i in range(leaves)]
    event = Event.parse("@prefix : <http://example.org/> .\n" + "\n".join(lines))
    assert sorted(matcher.match_ids(event)) == ["chain", "seven"]


@pytest.mark.parametrize("trap", list(traps()), ids=lambda t: f"{t.name}-{'injective' if t.injective else 'sparql'}")
def test_hard_patterns_end(trap: Trap) -> None:
    matcher = OpsMatcher(trap.ontology())
    matcher.add(Subscription.parse(trap.impossible, id="impossible", injective=trap.injective))
    matcher.add(Subscription.parse(trap.possible, id="possible", injective=trap.injective))
    assert matcher.match_text(trap.event) == ["possible"]
    assert matcher.stats()["search steps"] < 10_000  # type: ignore[operator]


def clique(size: int, of: int) -> tuple[str, str]:
    """A clique asked of a graph that has all but one arc of it, everything reached from home."""
    pattern = [f"_:H :p ?v{i} ." for i in range(size)]
    pattern += [f"?v{i} :q ?v{j} ." for i in range(size) for j in range(size) if i != j]
    draw = random.Random(5)
    event = [f"_:H :p _:n{i} ." for i in range(of)]
    event += [f"_:n{i} :q _:n{j} ." for i in range(of) for j in range(of) if i != j and draw.random() < 0.7]
    return P + "ASK { " + " ".join(pattern) + " }", "@prefix : <http://example.org/> .\n" + "\n".join(event)


def test_a_budget_is_reported_and_never_a_wrong_answer(plain: Ontology) -> None:
    pattern, event = clique(9, 40)
    easy = Subscription.parse(P + "ASK { _:H :p ?x }", id="easy")
    matcher = OpsMatcher(plain, budget=3)
    matcher.add(Subscription.parse(pattern, id="clique", injective=True))
    matcher.add(easy)
    assert matcher.match_text(event) == ["easy"]
    assert matcher.undecided == ("clique",)
    assert matcher.match_text("@prefix : <http://example.org/> . _:H :p 1 .") == ["easy"]
    assert matcher.undecided == ()


def test_a_budget_holds_for_filters_over_several_variables(plain: Ontology) -> None:
    arms = " ".join(f"_:H :p ?v{i} ." for i in range(8))
    event = "@prefix : <http://example.org/> .\n" + "\n".join(f"_:H :p {i} ." for i in range(30))
    matcher = OpsMatcher(plain, budget=1_000)
    matcher.add(Subscription.parse(P + f"ASK {{ {arms} FILTER(?v0 + ?v7 > 100) }}", id="hard"))
    assert matcher.match_text(event) == []
    assert matcher.undecided == ("hard",)


def test_a_budget_holds_for_filters_that_are_long(plain: Ontology) -> None:
    """Evaluating them counts, on one variable and on several; those of others are evaluated all the same."""
    event = "@prefix : <http://example.org/> .\n" + "\n".join(f'_:H :p "{i}" .' for i in range(100))
    long = " || ".join(f'REGEX(?v, "^x{i}$")' for i in range(50))
    joint = " || ".join(f'CONTAINS(?v, "x") && ?v = ?w && STRLEN(?w) = {i}' for i in range(50))
    short = 'REGEX(?v, "^9[0-9]$")'
    matcher = OpsMatcher(plain, budget=1_000)
    for name, text in {
        "long": f"{{ _:H :p ?v FILTER({long}) }}",
        "several": f"{{ _:H :p ?v FILTER({long.replace('x', 'y')}) FILTER({short}) }}",
        "joint": f"{{ _:H :p ?v, ?w FILTER({joint}) }}",
        "short": f"{{ _:H :p ?v FILTER({short}) }}",
        "short and false": '{ _:H :p ?v FILTER(REGEX(?v, "^z$")) }',
        "either": f"{{ {{ _:H :p ?v FILTER({long}) }} UNION {{ _:H :p ?v FILTER({short}) }} }}",
    }.items():
        matcher.add(Subscription.parse(f"{P} ASK {text}", id=name))
    assert sorted(matcher.match_text(event)) == ["either", "short"]
    assert sorted(matcher.undecided) == ["joint", "long", "several"]
    small = '@prefix : <http://example.org/> . _:H :p "x7", "94" .'
    assert sorted(matcher.match_text(small)) == ["either", "joint", "long", "short"]
    assert matcher.undecided == ()
    large = f'@prefix : <http://example.org/> . _:H :p "94", "{"z" * 300_000}" .'
    assert matcher.match_text(large) == []
    assert set(matcher.undecided) >= {"long", "short"}
    unbounded = OpsMatcher(plain)
    unbounded.add(Subscription.parse(f"{P} ASK {{ _:H :p ?v FILTER({long.replace('x49', '42')}) }}", id="long"))
    assert unbounded.match_text(event) == ["long"]


def test_patterns_may_be_long(plain: Ontology) -> None:
    arcs = " ".join(f"?v{i} :p ?v{i + 1} ." for i in range(1_500))
    event = "@prefix : <http://example.org/> .\n" + "\n".join(f"_:n{i} :p _:n{i + 1} ." for i in range(1_500))
    matcher = OpsMatcher(plain)
    matcher.add(Subscription.parse(P + f"SELECT * {{ _:H :p ?v0 . {arcs} FILTER(!sameTerm(?v0, ?v1500)) }}", id="long"))
    (match,) = matcher.match(Event.parse(event + "\n_:H :p _:n0 ."))
    assert len(match.bindings) == 1_501


def test_threads_see_a_consistent_index(project: Path) -> None:
    ontology = Ontology.load(project / "ontology" / "auction.ttl")
    matcher = OpsMatcher(ontology)
    text = "PREFIX a: <http://example.org/auction#>\nSELECT ?x { _:H a:target ?x . ?x a a:Computer }"
    matcher.add(Subscription.parse(text, id="always"))
    event = Event.load(project / "examples" / "events" / "notebook.ttl")
    stop = threading.Event()
    wrong: list[object] = []

    def change(name: str) -> None:
        while not stop.is_set():
            matcher.add(Subscription.parse(text, id=name))
            matcher.remove(name)

    def match() -> None:
        for _ in range(400):
            found = matcher.match(event)
            names = [match.subscription_id for match in found]
            if "always" not in names or len(set(names)) != len(names) or not set(names) <= {"always", "a", "b"}:
                wrong.append(names)
            wrong.extend(m for m in found if "x" not in m.bindings)

    changers = [threading.Thread(target=change, args=(name,)) for name in "ab"]
    matchers = [threading.Thread(target=match) for _ in range(2)]
    for thread in (*changers, *matchers):
        thread.start()
    for thread in matchers:
        thread.join()
    stop.set()
    for thread in changers:
        thread.join()
    assert wrong == []
    assert matcher.ids() == ["always"]


def test_bindings_outlive_the_subscription(plain: Ontology) -> None:
    matcher = OpsMatcher(plain)
    matcher.add(Subscription.parse(P + "SELECT ?x { _:H :p ?x }", id="s"))
    (match,) = matcher.match(Event.parse("@prefix : <http://example.org/> . _:H :p 1 ."))
    matcher.remove("s")
    matcher.add(Subscription.parse(P + "SELECT ?y { _:H :q ?y }", id="t"))
    assert [str(term) for term in match.bindings.values()] == ["1"]


def test_memory_is_reused() -> None:
    shop = Shop()
    matcher = OpsMatcher(shop.ontology())
    pairs = list(shop.subscriptions(500))
    sizes = []
    for _ in range(4):
        matcher.add_all(pairs)
        for name, _ in pairs:
            matcher.remove(name)
        index = matcher._index
        sizes.append(
            (
                int(index.counts[layout.COUNT_ROWS]),
                int(index.counts[layout.COUNT_ITEMS]),
                index.slots.size,
                index.parameters.size,
                index.bounds.size,
                len(matcher._ids),
            )
        )
    assert sizes[1] == sizes[2] == sizes[3]


def test_a_quoted_triple_is_refused(plain: Ontology) -> None:
    matcher = OpsMatcher(plain)
    matcher.add(Subscription.parse(P + "ASK { _:H :p ?x }", id="s"))
    with pytest.raises(EventError, match="quoted triple"):
        matcher.match_text("@prefix : <http://example.org/> . _:H :p <<( :a :b :c )>> .")
