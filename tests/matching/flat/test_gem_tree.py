"""The GEM-Tree paper's figures and algorithms, through the tree as it stands, and how much of it an event looks at."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from benchmarks.workloads.gem import Gem
from semantic_pubsub import (
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Ontology,
    SemanticPubSubError,
    at_least,
    at_most,
    between,
    equals,
    exists,
    isa,
    less_than,
    more_than,
)
from semantic_pubsub.matching.flat import gem_layout as gt
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.gem_adjustment import Adjustment
from semantic_pubsub.matching.flat.gem_tree import GemTreeIndex
from semantic_pubsub.matching.flat.gem_view import ForkView, NodeView
from semantic_pubsub.matching.flat.index import Asked, ScanIndex
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from tests.matching.flat.varied import ontology

ONTOLOGY = ontology()
EX = "http://example.org/flat#"
FULL = gt.CAPACITY


def asked_of(constraints: dict[str, object], names: Ontology = ONTOLOGY) -> Asked:
    return resolve_flat(FlatSubscription(constraints), names).alternatives[0].constraints  # type: ignore[return-value]


def filled(*asked: dict[str, object]) -> tuple[GemTreeIndex, list[int]]:
    index = GemTreeIndex(ONTOLOGY)
    return index, [index.add(asked_of(one)) for one in asked]


def found(index: GemTreeIndex, values: dict[str, object]) -> set[int]:
    slots = index.match(pairs_of(FlatEvent(values), index.ontology)[0]).tolist()
    assert len(slots) == len(set(slots))
    return set(slots)


def looked_at(index: GemTreeIndex, values: dict[str, object]) -> int:
    """How many slots an event looks at."""
    before = int(index.stats()["slots looked at"])
    found(index, values)
    return int(index.stats()["slots looked at"]) - before


def below(node: NodeView) -> list[int]:
    return [*node.slots, *(slot for fork in node.forks for child in fork.cells.values() for slot in below(child))]


def forks_in(node: NodeView) -> list[ForkView]:
    return [own for fork in node.forks for own in (fork, *(f for c in fork.cells.values() for f in forks_in(c)))]


def box(fork: ForkView, number: float) -> int:
    return int(np.searchsorted(fork.cuts, number, side="right"))


BOXES = [(low, high) for low in range(8) for high in range(low, 8)]
"""One interval for each cell of figure 2(a), with cuts at 0, 1 … 7."""


# figures 1 and 2


def test_figure_1_nodes_and_forks_in_turn() -> None:
    draw = random.Random(3)
    index, slots = filled(
        *({key: equals(draw.randrange(9)) for key in draw.sample(["p", "s", "other", "q"], 3)} for _ in range(3_000))
    )
    root = index.tree()
    assert sorted(below(root)) == sorted(slots)
    assert {fork.path for fork in root.forks} <= set(index.vocabulary.attrs)
    assert len(root.forks) == len({fork.path for fork in root.forks}) > 1
    assert any(fork.path != child.path for fork in root.forks for c in fork.cells.values() for child in c.forks)
    assert all(len(node.slots) <= node.capacity for fork in forks_in(root) for node in fork.cells.values())


def test_figure_2a_the_cell_of_an_interval() -> None:
    """Its column is the box of the lower end, its row that of the upper one; below the diagonal there is nothing."""
    index, slots = filled(*({"p": between(low, high)} for low, high in BOXES * 12))
    (fork,) = index.tree().forks
    assert 3 <= len(fork.cuts) <= gt.N_CUTS
    for (row, column), node in fork.cells.items():
        assert 0 <= column <= row < gt.BOXES
        for slot in below(node):
            low, high = BOXES[slots.index(slot) % len(BOXES)]
            assert (box(fork, low), box(fork, high)) == (column, row)


@pytest.mark.parametrize("value", [-1.0, 0.0, 0.5, 3.0, 6.5, 7.0, 99.0])
def test_figure_2b_matched_intersected_and_skipped(value: float) -> None:
    """C lies wholly to one side of both lines; A' and B' are crossed by one; into A and B nobody looks."""
    index, slots = filled(*({"p": between(low, high)} for low, high in BOXES * 12))
    (fork,) = index.tree().forks
    assert not any(node.forks for node in fork.cells.values())
    at_box = box(fork, value)
    sure = [node for (row, column), node in fork.cells.items() if column < at_box < row]
    crossed = [n for (row, column), n in fork.cells.items() if column <= at_box <= row and at_box in (row, column)]
    before = index.stats()
    matched = found(index, {"p": value})
    after = index.stats()
    assert int(after["cells matched fully"]) - int(before["cells matched fully"]) == len(sure)
    assert int(after["cells intersected"]) - int(before["cells intersected"]) == len(crossed)
    looked = int(after["slots looked at"]) - int(before["slots looked at"])
    assert looked == sum(len(node.slots) for node in (*sure, *crossed, index.tree()))
    assert {slot for node in sure for slot in node.slots} <= matched
    right = {slot for slot, (low, high) in zip(slots, BOXES * 12, strict=True) if low <= value <= high}
    assert matched == right


# algorithms 1 and 2


def test_algorithm_1_a_bucket_holds_its_capacity() -> None:
    index, slots = filled(*({"p": equals(number)} for number in range(FULL)))
    assert index.tree() == NodeView(tuple(slots), FULL, ())
    index.add(asked_of({"p": equals(FULL)}))
    root = index.tree()
    assert root.slots == ()
    assert [fork.path for fork in root.forks] == [(EX + "p",)]


def test_algorithm_2_the_most_popular_attribute_splits() -> None:
    """Those that ask for it move, the others stay."""
    some = [{"p": equals(n % 9)} if n % 3 else {"s": equals(n % 9)} for n in range(FULL + 1)]
    index, slots = filled(*some)
    (fork,) = index.tree().forks
    assert fork.path == (EX + "p",)
    assert set(index.tree().slots) == {slot for slot, one in zip(slots, some, strict=True) if "s" in one}


def test_the_threshold_keeps_rare_attributes_together() -> None:
    """Where no attribute is popular enough, the capacity grows."""
    many = Ontology.load(_with_properties(FULL))
    index = GemTreeIndex(many)
    per_attribute = gt.LEAST - 1
    for number in range(FULL * per_attribute):
        index.add(asked_of({f"urn:many:p{number % FULL}": equals(number)}, many))
    root = index.tree()
    assert root.forks == ()
    assert root.capacity >= len(root.slots) == FULL * per_attribute
    index.add(asked_of({"urn:many:p0": equals(-1)}, many))
    for number in range(root.capacity):
        index.add(asked_of({"urn:many:p1": equals(number)}, many))
    assert (("urn:many:p1",)) in [fork.path for fork in index.tree().forks]


def _with_properties(count: int) -> object:
    from rdflib import Graph

    text = "".join(f"<urn:many:p{n}> a <http://www.w3.org/2002/07/owl#DatatypeProperty> .\n" for n in range(count))
    return Graph().parse(data=text, format="turtle")


def test_the_rank_prefers_what_events_rarely_show() -> None:
    """The same cell of two attributes: events often lie in the one, never in the other."""
    equal = [{key: equals(number % 16)} for number in range(6 * FULL) for key in ("p", "s")]
    index, _ = filled(*equal)
    for _ in range(400):
        found(index, {"p": 3, "s": 12})
    both = index.add(asked_of({"p": equals(3), "s": equals(3)}))
    places = {fork.path: [below(node) for node in fork.cells.values()] for fork in index.tree().forks}
    assert any(both in slots for slots in places[(EX + "s",)])
    ranks = {fork.path: fork.rank for fork in index.tree().forks}
    assert all(rank > 0.0 for rank in ranks.values())
    assert found(index, {"p": 3, "s": 3}) >= {both}


def test_a_slot_waits_for_a_better_fork_than_there_is() -> None:
    """A wide interval is no reason to go where an equality could be waited for; who has no better goes there."""
    wide = [{"p": between(n % 3, 20 + n % 3)} for n in range(FULL + 1)]
    index, _ = filled(*({"p": equals(n % 24)} for n in range(2 * FULL)), *wide)
    for number in range(60):
        found(index, {"p": number % 24, "s": number % 24})
    waiting = index.add(asked_of({"p": between(0, 22), "s": equals(5)}))
    assert waiting in index.tree().slots
    going = index.add(asked_of({"p": between(0, 22)}))
    assert going not in index.tree().slots


# algorithms 3 and 4


def test_only_what_the_event_has_can_match() -> None:
    """Unequal attributes: an event may have more than a subscription, never fewer."""
    every = [{"p": equals(n % 20), "s": between(n % 7, 9)} if n % 2 else {"p": equals(n % 20)} for n in range(500)]
    index, slots = filled(*every, {})
    single = {slot for slot, one in zip(slots, [*every, {}], strict=True) if one.keys() <= {"p"}}
    assert found(index, {"p": 4, "s": 99}) == {s for s in single if not every[s : s + 1] or every[s]["p"] == equals(4)}
    assert found(index, {}) == {slots[-1]}
    assert found(index, {"s": 5}) == {slots[-1]}


def test_open_ends_at_the_very_cuts() -> None:
    kinds = [between, lambda x, y: between(x, y, lower_open=True), lambda x, y: between(x, y, upper_open=True)]
    asked = [kinds[n % 3](n % 10, n % 10 + 2) for n in range(3 * FULL)]
    asked += [more_than(n % 10) for n in range(FULL)] + [less_than(n % 10) for n in range(FULL)]
    asked += [at_least(n % 10) for n in range(FULL)] + [at_most(n % 10) for n in range(FULL)]
    asked += [between(3, 3, lower_open=True), between(3, 3, upper_open=True)]  # match nothing
    index, slots = filled(*({"p": one} for one in asked))
    assert index.tree().forks
    for value in [-math.inf, -1, 0, 1, 2, 2.5, 3, math.nextafter(3, 4), 9, 11, 12, math.inf, math.nan]:
        right = {
            slot
            for slot, one in zip(slots, asked, strict=True)
            if (one.lower is None or (one.lower < value if one.lower_open else one.lower <= value))
            and (one.upper is None or (value < one.upper if one.upper_open else value <= one.upper))
        }
        assert found(index, {"p": float(value)}) == right


def test_several_values_reach_the_cells_of_each_once() -> None:
    index, slots = filled(*({"p": between(low, high)} for low, high in BOXES * 12))
    for values in ([0, 7], [2, 2.5], [3], [1, 4, 6], [-5, 99]):
        right = {s for s, (low, high) in zip(slots, BOXES * 12, strict=True) if any(low <= v <= high for v in values)}
        assert found(index, {"p": values}) == right


def test_several_constraints_on_one_attribute() -> None:
    """Each has to hold, of some one value; the tree parts by one of them."""
    asked = [{"p": [between(n % 8, n % 8 + 1), between(20 + n % 8, 22 + n % 8)]} for n in range(4 * FULL)]
    index, slots = filled(*asked)
    assert index.tree().forks
    assert found(index, {"p": 3}) == set()
    assert found(index, {"p": [3, 24]}) == {slot for n, slot in enumerate(slots) if n % 8 in (2, 3)}


# what the paper does not have


def test_values_below_a_property_reach_the_attributes_above_it() -> None:
    index, slots = filled(*({"top" if n < 10 * FULL else "q": equals(n % 40)} for n in range(11 * FULL)))
    above = {slot for slot in slots[: 10 * FULL] if slot % 40 == 7}
    assert slots == list(range(11 * FULL))
    assert found(index, {"q": 7}) == above | {slot for slot in slots[10 * FULL :] if slot % 40 == 7}
    assert found(index, {"p": 7}) == found(index, {"top": 7}) == above
    assert found(index, {"p": [41, 7], "q": 42}) == above


def test_items_are_cells_by_themselves() -> None:
    """Five thousand texts, and classes beside them: an event looks at its own."""
    index, slots = filled(
        *({"s": equals(f"t{n}")} for n in range(5_000)), *({"s": isa("ABCD"[n % 4])} for n in range(400))
    )
    (fork,) = index.tree().forks
    assert fork.cuts == ()
    assert len(fork.cells) >= 5_000
    assert found(index, {"s": "t77"}) == {slots[77]}
    assert looked_at(index, {"s": "t77"}) < 100
    assert looked_at(index, {"s": "unheard"}) < 100
    assert found(index, {"s": "A"}) >= {slots[5_000]}
    for slot in slots[:5_000]:
        index.remove(slot)
    assert sum(len(fork.cells) for fork in index.tree().forks) <= 4


def test_texts_beyond_words_meet_by_existence() -> None:
    index, slots = filled(*({"s": exists(), "p": equals(n)} for n in range(3 * FULL)))
    assert found(index, {"s": "anything", "p": 12}) == {slots[12]}
    assert found(index, {"p": 12}) == set()


def test_ranges_that_nobody_knew_of() -> None:
    """Numbers of any size, ever larger ones, and ten thousand near one point: an event looks at few."""
    draw = random.Random(9)
    numbers = [draw.uniform(-1e9, 1e9) for _ in range(3_000)] + [1e6 + n for n in range(3_000)]
    numbers += [5 + n / 10_000 for n in range(10_000)]
    index, slots = filled(*({"p": between(number, number + 1e-5)} for number in numbers))
    for n in (0, 1_000, 2_999, 3_000, 4_500, 5_999, 6_000, 11_000, 15_999):
        assert slots[n] in found(index, {"p": numbers[n]})
        assert looked_at(index, {"p": numbers[n]}) < 400


def test_many_attributes_are_not_walked() -> None:
    """Each event has two of two hundred attributes."""
    many = Ontology.load(_with_properties(200))
    index = GemTreeIndex(many)
    asked = [asked_of({f"urn:many:p{n % 200}": equals(n // 200 % 16)}, many) for n in range(8_000)]
    for n in range(50):
        index.add(asked[n])
        found(index, {f"urn:many:p{n}": n % 16})
    slots = [*range(50), *map(index.add, asked[50:])]
    values = {"urn:many:p3": 5, "urn:many:p77": 1}
    assert found(index, values) == {s for n, s in enumerate(slots) if (n % 200, n // 200 % 16) in ((3, 5), (77, 1))}
    assert looked_at(index, values) < 250


def test_thousands_of_forks_at_once() -> None:
    """No attribute is popular enough until all are: then the root gets more forks than there was room for."""
    many = Ontology.load(_with_properties(4_000))
    index = GemTreeIndex(many)
    for n in range(37_000):
        index.add(((("urn:many:p" + str(n % 4_000),), equals(n // 4_000)),))
    root = index.tree()
    assert len(root.forks) > 3_990
    assert found(index, {"urn:many:p17": 3, "urn:many:p3999": 0}) == {3 * 4_000 + 17, 3_999}


# coming and going


def test_what_is_empty_is_given_back() -> None:
    index = GemTreeIndex(ONTOLOGY)
    sizes = []
    for _ in range(4):
        slots = [index.add(asked_of({"p": equals(n % 50), "s": equals(f"t{n % 90}")})) for n in range(3_000)]
        sizes.append(index.memory())
        random.Random(1).shuffle(slots)
        for slot in slots:
            index.remove(slot)
        own = index.tables[gt.OWN]
        assert index.tree().forks == ()
        assert (int(own[gt.N_NODES]), int(own[gt.N_LINKS])) == (1, 0)
        assert (index.tables[gt.LINK_KEYS] == -1).all()
    assert max(sizes[1:]) < 1.2 * sizes[0]


def test_links_are_found_after_others_went() -> None:
    """Thousands of them in one table, taken out in any order."""
    draw = random.Random(4)
    index, slots = filled(*({"s": equals(f"t{n}")} for n in range(4_000)))
    gone = set(draw.sample(range(4_000), 3_000))
    for n in gone:
        index.remove(slots[n])
    for n in draw.sample(range(4_000), 300):
        assert found(index, {"s": f"t{n}"}) == (set() if n in gone else {slots[n]})


def test_a_node_has_one_fork_on_an_axis() -> None:
    """Also where events change what is wished for, while slots come and go."""
    draw = random.Random(8)
    index, scan, held = GemTreeIndex(ONTOLOGY), ScanIndex(ONTOLOGY), {}
    for turn in range(40):
        for _ in range(150):
            low = draw.randrange(30)
            kinds = {
                key: between(low, low + draw.choice((0, 0, 5, 25))) for key in draw.sample(["p", "q", "s", "other"], 2)
            }
            slot = index.add(asked_of(kinds))
            held[slot] = scan.add(asked_of(kinds))
        for slot in draw.sample(sorted(held), 60):
            index.remove(slot)
            scan.remove(held.pop(slot))
        for _ in range(10):
            crowded = turn % 4 * 8
            values = {"p": crowded, "s": draw.randrange(30), "other": [draw.randrange(crowded + 1), turn]}
            right = set(scan.match(pairs_of(FlatEvent(values), ONTOLOGY)[0]).tolist())
            assert found(index, values) == {slot for slot, theirs in held.items() if theirs in right}
        _check_forks(index.tree())
    assert sorted(below(index.tree())) == sorted(held)


def _check_forks(node: NodeView) -> None:
    names = [(fork.path, bool(fork.cuts)) for fork in node.forks]
    assert len(names) == len(set(names))
    for fork in node.forks:
        assert fork.cells
        for child in fork.cells.values():
            assert child.held
            _check_forks(child)


# the global adjustment


def gem(number: int, values: str = "uniform") -> tuple[GemTreeIndex, list[FlatEvent], ScanIndex]:
    workload = Gem(values=values)  # type: ignore[arg-type]
    names = workload.ontology()
    index, scan = GemTreeIndex(names), ScanIndex(names)
    for subscription in workload.flat_subscriptions(number):
        asked = resolve_flat(subscription, names).alternatives[0].constraints
        index.add(asked)  # type: ignore[arg-type]
        if len(scan) < 2_000:
            scan.add(asked)  # type: ignore[arg-type]
    return index, list(workload.flat_events(60)), scan


def total_looked_at(index: GemTreeIndex, events: list[FlatEvent]) -> float:
    before = int(index.stats()["slots looked at"])
    for event in events:
        index.match_encoded(index.encode_flat(event))
    return (int(index.stats()["slots looked at"]) - before) / len(events)


def test_rebalance_keeps_the_answers() -> None:
    index, events, scan = gem(2_000)
    before = [found(index, dict(event.items)) for event in events[:20]]
    index.rebalance()
    assert sorted(below(index.tree())) == list(range(2_000))
    assert [found(index, dict(event.items)) for event in events[:20]] == before
    assert before[0] == set(scan.match(pairs_of(events[0], index.ontology)[0]).tolist())
    index.remove(5)
    assert index.add(index.asked(6)) == 5


def test_rebalance_follows_count_and_dispersion() -> None:
    """n and d of the paper: few and spread first, many and crowded last."""
    asked: list[dict[str, object]] = [{"s": equals(n % 100)} for n in range(300)]
    asked += [{"p": equals(n % 2)} for n in range(300)] + [{"q": equals(1)} for _ in range(100)]
    index, _ = filled(*asked)
    adjustment = Adjustment(index.tables)
    paths = [index.asked(int(axis.slots[0]))[0][0] for axis in adjustment.axes]
    assert paths == [(EX + "q",), (EX + "s",), (EX + "p",)]
    assert [len(axis.slots) for axis in adjustment.axes] == [100, 300, 300]
    cells = np.zeros(gt.TRIANGLE)
    cells[0] = 100
    assert adjustment.axes[0].weight == pytest.approx(100 + cells.std())
    order = adjustment.slots.tolist()
    assert order[:100] == list(range(600, 700))


def test_rebalance_mends_what_came_in_an_unlucky_order() -> None:
    """Before any event was seen, and the most crowded values first."""
    workload = Gem(values="zipf")
    names = workload.ontology()
    index = GemTreeIndex(names)
    for one in sorted(workload.flat_subscriptions(4_000), key=repr):
        index.add(resolve_flat(one, names).alternatives[0].constraints)  # type: ignore[arg-type]
    events = list(workload.flat_events(60))
    before = total_looked_at(index, events)
    index.rebalance()
    assert total_looked_at(index, events) < 0.97 * before


def test_a_matcher_rebalances_its_tree_and_no_other_index() -> None:
    workload = Gem(values="zipf")
    names, events = workload.ontology(), list(workload.flat_events(20))
    matcher, other = FlatMatcher(names, "gem-tree"), FlatMatcher(names, "ctps")
    for one in sorted(workload.flat_subscriptions(1_000), key=repr):
        matcher.add(one)
        other.add(one)
    before, found = str(matcher._index.tree()), [set(matcher.match_ids(event)) for event in events]  # type: ignore[attr-defined]
    matcher.rebalance()
    other.rebalance()
    assert str(matcher._index.tree()) != before  # type: ignore[attr-defined]
    assert [set(matcher.match_ids(event)) for event in events] == found
    assert [set(other.match_ids(event)) for event in events] == found


def test_a_tree_looks_at_a_fraction() -> None:
    """The paper's sizes: 50 attributes, 32 values, 7 predicates."""
    index, events, _ = gem(10_000)
    assert total_looked_at(index, events) < 0.3 * 10_000


def test_a_loaded_tree_is_not_rebalanced(tmp_path: Path) -> None:
    matcher = FlatMatcher(ONTOLOGY, "gem-tree")
    for number in range(3 * FULL):
        matcher.add(FlatSubscription({"p": equals(number)}, id=str(number)))
    matcher.save(tmp_path / "saved")
    again = FlatMatcher.load(tmp_path / "saved", ONTOLOGY)
    assert isinstance(again._index, GemTreeIndex)
    with pytest.raises(SemanticPubSubError, match="read-only"):
        again.rebalance()
    assert str(again._index.tree()) == str(matcher._index.tree())  # type: ignore[attr-defined]
    assert again.match_ids(FlatEvent({"p": 7})) == ["7"]


def test_the_tree_prints_itself() -> None:
    index, _ = filled(*({"p": equals(number)} for number in range(FULL + 1)))
    text = str(index.tree())
    assert text.startswith(f"0 of {FULL}\n  {EX}p, rank ")
    assert "(0, 0):" in text
    assert int(index.tables[at.COUNTS][at.N_SLOTS]) == FULL + 1
