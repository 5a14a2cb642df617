"""HMACD as its paper has it: definitions 2 to 4, subscribing and unsubscribing (1.3), algorithms 1 and 2.

Besides: nodes and lists are given back, and what is looked at is counted.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from semantic_pubsub import FlatEvent, FlatSubscription, at_least, at_most, between, equals, exists, isa, one_of
from semantic_pubsub.matching.flat import hmacd_layout as own
from semantic_pubsub.matching.flat import layout as at
from semantic_pubsub.matching.flat.hmacd import HmacdIndex
from semantic_pubsub.matching.flat.implication import covers_asked
from semantic_pubsub.matching.flat.index import Asked, ScanIndex
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from tests.matching.flat.varied import ontology

ONTOLOGY = ontology()


class Poset(HmacdIndex):
    """With limits that nothing passes here: a plain poset."""

    free_roots = siblings = deepest = 10_000


def asked_of(constraints: dict[str, object]) -> Asked:
    return resolve_flat(FlatSubscription(constraints), ONTOLOGY).alternatives[0].constraints  # type: ignore[return-value]


def answers(index: HmacdIndex, values: dict[str, object]) -> set[int]:
    return set(index.match(pairs_of(FlatEvent(values), ONTOLOGY)[0]).tolist())


def nodes_of(index: HmacdIndex) -> np.ndarray:
    count = int(index.tables[own.COVER_COUNTS][own.N_NODES])
    return index.tables[own.NODES][: count * own.NODE_WIDTH].reshape(count, own.NODE_WIDTH)


def node_of(index: HmacdIndex, slot: int) -> dict[str, int]:
    """Where a slot is: its node's row, and the slot of its parent."""
    nodes = nodes_of(index)
    node = int(index.tables[at.SLOTS][slot * at.SLOT_WIDTH + at.SLOT_BUCKET])
    row = nodes[node]
    parent = int(row[own.NODE_PARENT])
    return {
        "node": node,
        "parent": int(nodes[parent, own.NODE_MEMBER]) if parent > 0 else -1,
        "children": int(row[own.NODE_CHILDREN]),
        "indexed": int(row[own.NODE_SHELF]) != own.IN_POSET,
    }


def counts(index: HmacdIndex, *names: str) -> list[int]:
    stats = index.stats()
    return [int(stats[name]) for name in names]


# definition 2


@pytest.mark.parametrize(
    ("general", "special"),
    [
        ({"p": between(0, 10)}, {"p": between(2, 3)}),
        ({"p": at_least(1)}, {"p": equals(7), "s": exists()}),
        ({"s": isa("A")}, {"s": isa("D")}),
        ({"top": isa("X"), "s": at_most(1)}, {"p": isa("D"), "s": between(0, 1)}),
        ({"s": one_of("x", "y", "z")}, {"s": one_of("y", "x")}),
        ({"s": one_of("x", "y")}, {"s": equals("x")}),
        ({"s": exists()}, {"s": between("a", "b")}),
        ({}, {"s": exists()}),
    ],
)
def test_definition_2_covering(general: dict[str, object], special: dict[str, object]) -> None:
    index = HmacdIndex(ONTOLOGY)
    wide, narrow = index.add(asked_of(general)), index.add(asked_of(special))
    assert index.covers(wide, narrow)
    assert not index.covers(narrow, wide)
    assert node_of(index, narrow)["parent"] == wide


def test_definition_2_never_says_more_than_is_true() -> None:
    index, draw = HmacdIndex(ONTOLOGY), random.Random(4)
    kinds = [between(0, 5), between(1, 3), at_least(2), isa("A"), isa("D"), exists(), equals("x"), one_of("x", "y")]
    made = [
        asked_of({key: draw.choice(kinds) for key in draw.sample(["p", "q", "r", "top", "s"], draw.randrange(3))})
        for _ in range(80)
    ]
    slots = [index.add(asked) for asked in made]
    seen = 0
    for one, asked in zip(slots, made, strict=True):
        for other, others in zip(slots, made, strict=True):
            if index.covers(one, other):
                assert covers_asked(asked, others, ONTOLOGY)
                seen += 1
    assert seen > 200


# section 1.3: subscribing


def test_step_1_into_the_poset() -> None:
    """Whatever the order of arrival: each below the closest that covers it."""
    widths = [100, 50, 25, 10, 5]
    for seed in range(5):
        index, order = Poset(ONTOLOGY), random.Random(seed).sample(widths, len(widths))
        slots = {width: index.add(asked_of({"s": between(0, width)})) for width in order}
        assert [node_of(index, slots[width])["parent"] for width in widths] == [
            -1,
            *(slots[width] for width in widths[:-1]),
        ]
        assert answers(index, {"s": 20}) == {slots[100], slots[50], slots[25]}


def test_step_2_free_roots_beyond_the_limit_move_to_the_index() -> None:
    index = HmacdIndex(ONTOLOGY)
    slots = [index.add(asked_of({"s": between(2 * n, 2 * n + 1)})) for n in range(20)]
    assert [node_of(index, slot)["indexed"] for slot in slots] == [n >= index.free_roots for n in range(20)]
    assert counts(index, "free roots", "in the index") == [index.free_roots, 20 - index.free_roots]
    assert answers(index, {"s": [3, 30]}) == {slots[1], slots[15]}


def test_step_3_sibling_leaves_beyond_the_limit_move_to_the_index() -> None:
    index = HmacdIndex(ONTOLOGY)
    parent = index.add(asked_of({"s": between(0, 100)}))
    slots = [index.add(asked_of({"s": between(2 * n, 2 * n + 1)})) for n in range(10)]
    assert [node_of(index, slot)["indexed"] for slot in slots] == [n >= index.siblings for n in range(10)]
    assert node_of(index, parent)["children"] == index.siblings
    assert answers(index, {"s": 9}) == {parent, slots[4]}


def test_equal_subscriptions_share_a_node_in_both_structures() -> None:
    index = HmacdIndex(ONTOLOGY)
    asked = [asked_of({"s": between(2 * n, 2 * n + 1), "p": isa("A")}) for n in range(20)]
    first = [index.add(one) for one in asked]
    again = [index.add(tuple(reversed(one))) for one in asked]
    assert counts(index, "nodes", "slots") == [20, 40]
    assert answers(index, {"s": 39, "p": "D"}) == {first[19], again[19]}
    index.remove(first[19])
    assert answers(index, {"s": 39, "p": "D"}) == {again[19]}
    assert answers(index, {"s": 1, "p": "D"}) == {first[0], again[0]}


# section 1.3: unsubscribing


def test_what_was_below_is_then_below_what_was_above() -> None:
    index = Poset(ONTOLOGY)
    top, middle, low = (index.add(asked_of({"s": between(0, width)})) for width in (9, 6, 3))
    index.remove(middle)
    assert node_of(index, low)["parent"] == top
    index.remove(top)
    assert node_of(index, low)["parent"] == -1
    assert answers(index, {"s": 2}) == {low}


def test_orphans_beyond_the_limits_move_to_the_index() -> None:
    index = HmacdIndex(ONTOLOGY)
    parent = index.add(asked_of({"s": between(0, 100)}))
    children = [index.add(asked_of({"s": between(n, n + 1)})) for n in range(index.siblings)]
    roots = [index.add(asked_of({"p": between(2 * n, 2 * n + 1)})) for n in range(index.free_roots)]
    assert [node_of(index, child)["parent"] for child in children] == [parent] * index.siblings
    index.remove(parent)
    assert [node_of(index, child)["indexed"] for child in children] == [True] * index.siblings
    assert answers(index, {"s": 1, "p": 3}) == {*children, roots[1]}


def test_nodes_come_back_into_the_poset() -> None:
    """When what covers them came after them, and there is a place."""
    index = HmacdIndex(ONTOLOGY)
    for n in range(index.free_roots):
        index.add(asked_of({"p": between(2 * n, 2 * n + 1)}))
    late = index.add(asked_of({"s": between(3, 4)}))
    index.add(asked_of({"s": between(3, 3.5)}))
    assert node_of(index, late)["indexed"]
    cover = index.add(asked_of({"s": between(0, 50)}))
    for slot in range(index.free_roots):
        index.remove(slot)
    again = index.add(asked_of({"s": between(0, 100)})) if node_of(index, cover)["indexed"] else cover
    index.settle()
    assert not node_of(index, late)["indexed"]
    assert late in answers(index, {"s": 3.5})
    assert again in answers(index, {"s": 3.5})


def test_a_node_of_the_index_keeps_its_children() -> None:
    """The roof is full of roots with children when another such root comes from below one that goes."""
    index = HmacdIndex(ONTOLOGY)
    top = index.add(asked_of({"p": between(0, 100)}))
    pairs = [
        (
            index.add(asked_of({"p": between(10 * n, 10 * n + 5)})),
            index.add(asked_of({"p": between(10 * n, 10 * n + 1)})),
        )
        for n in range(2)
    ]
    for n in range(4 * index.free_roots - 1):
        index.add(asked_of({"s": between(10 * n, 10 * n + 5)}))
        index.add(asked_of({"s": between(10 * n, 10 * n + 1)}))
    index.remove(top)
    assert sorted(node_of(index, upper)["indexed"] for upper, _ in pairs) == [False, True]
    for n, (upper, lower) in enumerate(pairs):
        assert node_of(index, lower)["parent"] == upper
        assert answers(index, {"p": 10 * n + 1}) == {upper, lower}
        assert answers(index, {"p": 10 * n + 4}) == {upper}


def test_everything_is_given_back() -> None:
    index, draw = HmacdIndex(ONTOLOGY), random.Random(8)
    for _ in range(3):
        slots = []
        for _ in range(2_000):
            low = draw.randrange(300)
            kinds = {"s": between(low, low + draw.randrange(20)), "p": equals(draw.randrange(400)), "q": isa("A")}
            slots.append(index.add(asked_of({key: kinds[key] for key in draw.sample(sorted(kinds), 2)})))
        draw.shuffle(slots)
        for slot in slots:
            index.remove(slot)
        assert counts(index, "nodes", "in the poset", "in the index", "roots", "free roots") == [0, 0, 0, 0, 0]
        tables = index.tables[own.COVER_COUNTS]
        assert int(tables[own.N_POINTS]) == 0
        assert (index.tables[own.VIEW_SHELF] == -1).all()
    assert int(tables[own.N_NODES]) <= 2_001


# section 1.4


def test_algorithm_1_what_is_below_a_root_that_fails_is_not_looked_at() -> None:
    index = Poset(ONTOLOGY)
    for root in range(4):
        index.add(asked_of({"p": between(10 * root, 10 * root + 9)}))
        for n in range(50):
            index.add(asked_of({"p": between(10 * root, 10 * root + 9), "s": between(n, n + 1)}))
    before = counts(index, "looked at in the poset")[0]
    assert len(answers(index, {"p": 25, "s": 7.5})) == 2
    assert counts(index, "looked at in the poset")[0] - before == 4 + 50
    assert len(answers(index, {"p": 99, "s": 7.5})) == 0
    assert counts(index, "looked at in the poset")[0] - before == 4 + 50 + 4


def test_algorithm_2_only_what_its_rarest_predicates_admit_gets_into_the_bucket() -> None:
    index = HmacdIndex(ONTOLOGY)
    for n in range(1_000):
        index.add(asked_of({"s": between(n, n + 2), "p": between(0, 990), "q": isa("A")}))
    assert counts(index, "in the index")[0] > 900
    index.settle()  # the first were filed before the range of values was known
    for name, found in (("A", 3), ("X", 0)):  # the second predicate fails: nothing more gets in
        event = index.encode_flat(FlatEvent({"s": 500, "p": 5, "q": name}))
        assert len(index.match_encoded(event)) == found
        assert counts(index, "in the bucket")[0] == 3


def test_algorithm_2_the_bucket_is_a_set() -> None:
    """Two values of one attribute that satisfy the same predicate find a subscription once."""
    index = HmacdIndex(ONTOLOGY)
    slots = [index.add(asked_of({"s": between(n, n + 10)})) for n in range(30)]
    found = index.match(pairs_of(FlatEvent({"s": [5, 6, 7], "p": "x"}), ONTOLOGY)[0]).tolist()
    assert sorted(found) == slots[:8]
    whole = index.add(asked_of({}))  # nothing is asked: neither is there anything to check twice
    found = index.match(pairs_of(FlatEvent({"s": [5, 6, 7], "p": "x"}), ONTOLOGY)[0]).tolist()
    assert sorted(found) == [*slots[:8], whole]


def test_the_tree_is_kept_in_order_while_thousands_come_and_go() -> None:
    """Blocks are split, shrink and go; lists of single numbers, and bounds without an end."""
    index, scan, draw = HmacdIndex(ONTOLOGY), ScanIndex(ONTOLOGY), random.Random(2)
    held: list[tuple[int, int]] = []
    for turn in range(6):
        for _ in range(1_500):
            low = draw.choice([draw.randrange(1_000), draw.random() * 1_000])
            kind = draw.randrange(4)
            asked = asked_of(
                {"s": [between(low, low + draw.randrange(40)), at_least(low), at_most(low), equals(low)][kind]}
            )
            held.append((index.add(asked), scan.add(asked)))
        draw.shuffle(held)
        for mine, theirs in held[: 500 + 300 * (turn % 4)]:
            index.remove(mine)
            scan.remove(theirs)
        del held[: 500 + 300 * (turn % 4)]
        for value in (-1, 0, 999.5, float("inf"), *(draw.randrange(1_000) for _ in range(4))):
            pairs = pairs_of(FlatEvent({"s": value}), ONTOLOGY)[0]
            right = set(scan.match(pairs).tolist())
            assert set(index.match(pairs).tolist()) == {mine for mine, theirs in held if theirs in right}
