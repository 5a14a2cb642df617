"""Tables that grow, shrink and are used again: many slots in one place, many places, all gone and back."""

from __future__ import annotations

import random
from decimal import Decimal

import numpy as np
import pytest

from semantic_pubsub import (
    Event,
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Ontology,
    at_least,
    between,
    equals,
    exists,
    isa,
    one_of,
)
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.array_index import ArrayIndex
from semantic_pubsub.matching.flat.compme import CompmeIndex
from semantic_pubsub.matching.flat.ctps import CtpsIndex
from semantic_pubsub.matching.flat.gem_tree import GemTreeIndex
from semantic_pubsub.matching.flat.hmacd import HmacdIndex
from semantic_pubsub.matching.flat.hybrid import AutoIndex, HybridIndex
from semantic_pubsub.matching.flat.index import Asked, ScanIndex
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from semantic_pubsub.matching.flat.slot_index import SlotIndex
from tests.matching.flat.tabled import TABLED
from tests.matching.flat.varied import STEPS, ontology

ONTOLOGY = ontology()
KINDS = [CtpsIndex, HybridIndex, AutoIndex, CompmeIndex, HmacdIndex, GemTreeIndex]


def asked_of(constraints: dict[str, object]) -> Asked:
    return resolve_flat(FlatSubscription(constraints), ONTOLOGY).alternatives[0].constraints  # type: ignore[return-value]


def answers(index: SlotIndex, values: dict[str, object]) -> set[int]:
    return set(index.match(pairs_of(FlatEvent(values), ONTOLOGY)[0]).tolist())


@pytest.mark.parametrize("kind", KINDS)
def test_all_wait_in_one_place(kind: type[SlotIndex]) -> None:
    index = kind(ONTOLOGY)
    same = asked_of({"p": equals("x"), "s": between(1, 2)})
    slots = [index.add(same) for _ in range(30_000)]
    for _ in range(70):  # enough events for a review
        assert len(answers(index, {"p": "y", "s": 1})) == 0
    assert answers(index, {"p": "x", "s": 1}) == set(slots)
    for slot in slots[5:]:
        index.remove(slot)
    assert answers(index, {"p": "x", "s": 2}) == set(slots[:5])
    assert len(index) == 5


@pytest.mark.parametrize("kind", KINDS)
def test_memory_is_used_again(kind: type[SlotIndex]) -> None:
    """Ten times as many subscriptions come and go as ever stand: the tables do not grow with them."""
    index, draw = kind(ONTOLOGY), random.Random(5)
    made = [
        asked_of({"p": equals(f"t{draw.randrange(200)}"), "q": between(n % 97, n % 97 + 5), "s": isa("A")})
        for n in range(3_000)
    ]
    event = {"p": "t7", "q": 50, "s": "D"}
    sizes = []
    for _ in range(10):
        slots = [index.add(one) for one in made]
        answers(index, event)
        sizes.append(index.memory())
        for slot in slots:
            index.remove(slot)
    assert max(sizes[2:]) < 1.2 * sizes[1]
    assert len(index) == 0
    assert int(index.tables[at.COUNTS][at.N_SLOTS]) == 3_000


def unique(turn: int, n: int) -> dict[str, object]:
    """What nobody else asks for: a text, one of several, an interval of texts, and a path now and then."""
    name = f"{turn}-{n}"
    return {
        "p": equals(name),
        "q": one_of(f"{name}a", f"{name}b", n),
        "s": between(f"{name}a", f"{name}b"),
        f"{STEPS[n % 7]}.{STEPS[n // 7 % 7]}.{STEPS[(turn + n) % 7]}": exists(),
    }


def named(index: SlotIndex) -> int:
    return sum(index.vocabulary.sizes()) + sum(len(group.tests) for group in index.vocabulary.groups)


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_nobody_uses_go(kind: type[SlotIndex]) -> None:
    """Ever new names, few at a time: what an index holds, and what it asks events for, does not grow with them."""
    index, scan = kind(ONTOLOGY), ScanIndex(ONTOLOGY)
    kept = {"p": equals("kept"), "q": one_of("kept", 7), "top.p": at_least(Decimal("0.10000000000000000000001"))}
    slots = {index.add(asked_of(kept)): scan.add(asked_of(kept))}
    sizes = []
    for turn in range(14):
        mine = [index.add(asked_of(unique(turn, n))) for n in range(400)]
        name = f"{turn}-17"
        shown = {"p": name, "q": f"{name}b", "s": f"{name}aa", "same.q.other": 1, "s.q.p": 1, "r.q.r": 1}
        asked = asked_of(unique(turn, 17))
        shown[".".join(step.rpartition("#")[2] for step in asked[-1][0])] = 1
        assert answers(index, shown) == {mine[17]}
        for slot in mine:
            index.remove(slot)
        assert answers(index, shown) == set()
        assert answers(index, {"p": "kept", "q": 7, "r.p": 0.5}) == set(slots)
        assert set(index.paths()) == set(scan.paths())
        sizes.append((named(index), index.memory()))
    assert bool(index.rebuilt) is isinstance(index, HmacdIndex)  # it keeps an order of names, so they cannot change
    assert max(size for size, _ in sizes) < (2 * 4_096 if index.rebuilt else 400) + 8 * 400
    assert max(memory for _, memory in sizes[7:]) <= 1.1 * max(memory for _, memory in sizes[:7])
    assert dict(index.asked(next(iter(slots)))) == dict(scan.asked(next(iter(slots.values()))))


@pytest.mark.parametrize("index", TABLED)
def test_a_path_is_asked_for_as_long_as_somebody_uses_it(index: str) -> None:
    matcher = FlatMatcher(ONTOLOGY, index)
    for name in ("one", "two"):
        for step in STEPS:
            matcher.add(FlatSubscription({f"p.{step}.q": exists()}, id=f"{name} {step}"))
    used = len(matcher.paths)
    for step in STEPS:
        matcher.remove(f"one {step}")
    assert len(matcher.paths) == used
    for step in STEPS[1:]:
        matcher.remove(f"two {step}")
    assert [len(path) for path in matcher.paths] == [3]
    matcher.remove(f"two {STEPS[0]}")
    assert matcher.paths == ()
    event = Event.parse("@prefix : <http://example.org/flat#> . _:H :p [ :p [ :q 1 ] ] .")
    assert matcher.match_ids(event) == []
    matcher.add(FlatSubscription({"p": exists()}, id="short"))
    matcher.add(FlatSubscription({"p.p.q": exists()}, id="again"))
    assert sorted(matcher.match_ids(event)) == ["again", "short"]


@pytest.mark.parametrize("index", TABLED)
def test_what_came_back_counts_for_events_that_were_known(index: str) -> None:
    """Tests, points and paths that nobody used for a while, and columns of a table that were looked at meanwhile."""
    matcher = FlatMatcher(ONTOLOGY, index)
    asked = {"p": one_of(1, "x"), "q": between("a", "c"), "top": at_least(Decimal("1.00000000000000000001"))}
    table = {"p": [1, 0], "q": ["b", "d"], "r": [1.5, 0.5]}
    matcher.add(FlatSubscription({"s": exists(), "p": exists()}, id="other"))
    for _ in range(3):
        for key, one in asked.items():
            assert np.diff(matcher.match_columns(table, 2)[0]).tolist() == [0, 0]
            assert matcher.match_ids(FlatEvent({"p": 1, "q": "b", "r": 1.5})) == []
            matcher.add(FlatSubscription({key: one}, id=key))
            assert np.diff(matcher.match_columns(table, 2)[0]).tolist() == [1, 0]
            assert matcher.match_ids(FlatEvent({"p": 1, "q": "b", "r": 1.5})) == [key]
            assert matcher.match_ids(FlatEvent({"p": 0, "q": "d", "r": 0.5})) == []
            matcher.remove(key)


@pytest.mark.parametrize("kind", KINDS)
def test_coming_and_going_beside_the_scan(kind: type[SlotIndex]) -> None:
    """Thousands in between, so that chunks, buckets and places are filled, emptied, moved and reviewed."""
    index, scan, draw = kind(ONTOLOGY), ScanIndex(ONTOLOGY), random.Random(11)
    held: list[tuple[int, int]] = []
    for turn in range(12):
        for _ in range(900):
            number = draw.randrange(40)
            constraints: dict[str, object] = {"q": between(number, number + draw.randrange(12))}
            if draw.random() < 0.6:
                constraints["p"] = equals(f"t{draw.randrange(30)}")
            if draw.random() < 0.3:
                constraints["s"] = [isa(draw.choice("ABCD")), between(0, draw.randrange(9))][: draw.randrange(1, 3)]
            asked = asked_of(constraints)
            held.append((index.add(asked), scan.add(asked)))
        draw.shuffle(held)
        for mine, theirs in held[: 300 + 100 * (turn % 5)]:
            index.remove(mine)
            scan.remove(theirs)
        del held[: 300 + 100 * (turn % 5)]
        for _ in range(8):
            values = {"p": f"t{draw.randrange(30)}", "q": draw.randrange(50), "s": [draw.choice("ABCDX"), 3]}
            pairs = pairs_of(FlatEvent(values), ONTOLOGY)[0]
            right = set(scan.match(pairs).tolist())
            assert set(index.match(pairs).tolist()) == {mine for mine, theirs in held if theirs in right}


def test_gaps_between_buckets_are_closed() -> None:
    index = HybridIndex(ONTOLOGY)
    asked = [asked_of({"p": equals(f"t{n}")}) for n in range(40)]
    slots = [(index.add(asked[n % 40]), n % 40) for n in range(40_000)]
    for _ in range(70):
        answers(index, {"p": "none"})
    index.settle()
    slots += [(index.add(asked[n % 40]), n % 40) for n in range(20_000)]
    used = len(index) - int(index.tables[at.COUNTS][at.N_IN_BITS])
    assert used > 0
    assert int(index.tables[at.COUNTS][at.N_ROWS]) <= 2 * used + 2 * 16_384
    assert answers(index, {"p": "t3"}) == {slot for slot, which in slots if which == 3}


@pytest.mark.parametrize("index", TABLED)
def test_a_loaded_index_stays_right_however_many_events_come(index: str, tmp_path: object) -> None:
    """It goes on combining rows for what events show."""
    draw = random.Random(3)
    matcher = FlatMatcher(ONTOLOGY, index)
    for number in range(400):
        low = draw.randrange(60)
        kinds = {"p": equals(f"t{number % 50}"), "q": between(low, low + 9), "s": isa(draw.choice("ABCX"))}
        chosen = draw.sample(sorted(kinds), draw.randrange(1, 4))
        matcher.add(FlatSubscription({key: kinds[key] for key in chosen}, id=str(number)))
    matcher.save(f"{tmp_path}/saved")
    loaded = FlatMatcher.load(f"{tmp_path}/saved", ONTOLOGY)
    shown = [
        FlatEvent({"p": f"t{draw.randrange(50)}", "q": draw.randrange(70), "s": draw.choice("ABCDX")})
        for _ in range(600)
    ]
    found = [sorted(loaded.match_ids(event)) for event in shown]
    assert found == [sorted(matcher.match_ids(event)) for event in shown]
    assert sum(map(len, found)) > 1_000


def test_a_graph_of_many_vertices(project: object) -> None:
    auction = Ontology.load(f"{project}/ontology/auction.ttl")
    matcher, scan = FlatMatcher(auction), FlatMatcher(auction, "scan")
    query = "PREFIX a: <http://example.org/auction#>\nASK {{ _:H a:target/a:hardDisk/a:size {size} }}"
    for each in (matcher, scan):
        for size in range(0, 400, 7):
            each.add(f"{query.format(size=size)}")
    arcs = " ".join(f"_:H a:target _:t{n} . _:t{n} a:hardDisk _:d{n} . _:d{n} a:size {n} ." for n in range(200))
    event = Event.parse("@prefix a: <http://example.org/auction#> . " + arcs)
    assert len(matcher.match_ids(event)) == len(scan.match_ids(event)) == len(range(0, 200, 7))


class _AnyRare(ArrayIndex):
    """What is rare is set from outside."""

    name = "any rare"

    def _choose_rare(self) -> float:
        return self.rare


def test_most_move_out_of_the_bit_rows_and_back() -> None:
    index, scan, draw = _AnyRare(ONTOLOGY), ScanIndex(ONTOLOGY), random.Random(12)
    for _ in range(9_000):  # three chunks of positions
        low = draw.randrange(5_000)
        asked = asked_of({"q": between(low, low + draw.choice((2, 2, 2, 4_000)))})
        assert index.add(asked) == scan.add(asked)

    def compare() -> None:
        for _ in range(60):
            pairs = pairs_of(FlatEvent({"q": draw.randrange(6_000)}), ONTOLOGY)[0]
            assert set(index.match(pairs).tolist()) == set(scan.match(pairs).tolist())

    counts = index.tables[at.COUNTS]
    for rare, fewest, most in ((0.0, 9_000, 9_000), (0.1, 1_000, 4_000), (0.0, 9_000, 9_000), (0.2, 1_000, 4_000)):
        index.rare = rare
        compare()
        index.settle()
        assert fewest <= int(counts[at.N_IN_BITS]) <= most
        assert 2 * int(counts[at.N_FREE_CHUNKS]) <= int(counts[at.N_CHUNKS])  # what became free was gathered
        compare()
