"""The COMPME paper's tables and examples, and what ours does beyond them: exact answers, removal, moving ranges.

Tables 1 to 3 are known from what the text says of them; what it does not say is filled in.
"""

from __future__ import annotations

import random

import pytest

from benchmarks.workloads.sparse import Sparse
from semantic_pubsub import FlatEvent, FlatSubscription, at_least, at_most, between, equals, isa
from semantic_pubsub.matching.flat import compme_layout as to
from semantic_pubsub.matching.flat.compme import CompmeIndex
from semantic_pubsub.matching.flat.index import Asked, ScanIndex
from semantic_pubsub.matching.flat.resolving import pairs_of, resolve_flat
from tests.matching.flat.varied import ontology

ONTOLOGY = ontology()
CODE_OF_ALL = to.ALL_COLUMNS
LB, UB = 1, 1 << 31


def asked_of(**constraints: object) -> Asked:
    return resolve_flat(FlatSubscription(constraints), ONTOLOGY).alternatives[0].constraints  # type: ignore[return-value]


def found(index: CompmeIndex | ScanIndex, **values: object) -> set[int]:
    slots = index.match(pairs_of(FlatEvent(values), ONTOLOGY)[0]).tolist()
    assert len(slots) == len(set(slots))
    return set(slots)


def looked_at(index: CompmeIndex, **values: object) -> int:
    before = index.stats()["rows looked at"]
    index.match(pairs_of(FlatEvent(values), ONTOLOGY)[0])
    return int(index.stats()["rows looked at"]) - int(before)


def proposed(index: CompmeIndex, **values: object) -> int:
    before = index.stats()["candidates"]
    index.match(pairs_of(FlatEvent(values), ONTOLOGY)[0])
    return int(index.stats()["candidates"]) - int(before)


def columns(code: int) -> list[int]:
    return [column for column in range(32) if code >> column & 1]


# section 4.1: matrices by size


def test_table_1_is_grouped_by_size() -> None:
    index = CompmeIndex(ONTOLOGY)
    for constraints in (
        {"p": between(1, 7), "s": isa("A"), "other": at_most(30)},
        {"p": between(5, 9), "s": isa("B"), "other": at_least(10)},
        {"p": between(3, 200), "s": isa("C")},
        {"s": isa("Lone")},
        {"s": equals("L")},
        {"p": at_most(4)},
        {"other": between(1, 30)},
    ):
        index.add(asked_of(**constraints))
    assert index.matrices() == {1: 4, 2: 1, 3: 2}


def test_the_size_counts_attributes_not_constraints() -> None:
    """Two constraints on one attribute, and one on a sub-property, may be satisfied by a single pair."""
    index = CompmeIndex(ONTOLOGY)
    two = index.add(asked_of(p=[between(0, 20), between(10, 30)], top=at_least(0)))
    assert index.row(two).size == 1
    assert found(index, p=15) == {two}
    assert found(index, p=5) == set()


def test_larger_matrices_are_left_out() -> None:
    """An event with two attributes satisfies no subscription on three: that matrix is not looked at."""
    index = CompmeIndex(ONTOLOGY)
    for number in range(50):
        index.add(asked_of(p=equals(1), s=equals("x"), **{"s.p": equals(number)}))
    assert looked_at(index, p=1, s="x") == 0
    assert looked_at(index, p=1, s="x", **{"s.p": 7}) > 0


def test_columns_are_ranges_of_one_width() -> None:
    """Table 2 (1): [1, 7] covers the first column of [1, 200], [3, 200] all of them but LB and UB."""
    index = CompmeIndex(ONTOLOGY)
    whole = index.add(asked_of(p=between(1, 200)))
    narrow = index.add(asked_of(p=between(1, 7)))
    right = index.add(asked_of(p=between(120, 200)))
    assert columns(index.row(whole).pairs[0][1]) == list(range(1, 31))
    assert columns(index.row(narrow).pairs[0][1]) == [1]
    assert columns(index.row(right).pairs[0][1]) == list(range(18, 31))


# section 4.2: tuning granularity


def test_lb_and_ub() -> None:
    """Table 2 (3): A ≤ 4 is LB ≤ A ≤ 4."""
    index = CompmeIndex(ONTOLOGY)
    index.add(asked_of(p=between(1, 200)))
    most, least = index.add(asked_of(p=at_most(4))), index.add(asked_of(p=at_least(195)))
    assert index.row(most).pairs[0][1] & LB
    assert not index.row(most).pairs[0][1] & UB
    assert index.row(least).pairs[0][1] & UB
    assert found(index, p=float("-inf")) == {most}
    assert found(index, p=-5_000) == {most}
    assert found(index, p=1e300) == {least}
    assert found(index, p=float("inf")) == {least}


def test_crowded_columns_get_sub_columns() -> None:
    """Table 2 (2): who covers one column of many others' is told apart in sub-columns."""
    index = CompmeIndex(ONTOLOGY)
    index.add(asked_of(p=between(0, 1_000_000)))
    slots = [index.add(asked_of(p=between(n, n + 0.5))) for n in range(2_000)]
    assert found(index, p=1_234.25) == {0, slots[1_234]}
    assert proposed(index, p=1_234.25) <= to.CROWD
    nodes = index.tables[to.NODES].reshape(-1)[: int(index.tables[to.MARKS][to.N_NODES]) * to.NODE_WIDTH]
    assert max(nodes[to.NODE_DEPTH :: to.NODE_WIDTH]) >= 2


def test_equal_points_are_not_divided_for_ever() -> None:
    index = CompmeIndex(ONTOLOGY)
    slots = {index.add(asked_of(p=equals(5), s=equals(f"t{n}"))) for n in range(1_000)}
    assert found(index, p=5, s="t7") <= slots
    assert len(found(index, p=5, s="t7")) == 1
    assert int(index.tables[to.MARKS][to.N_NODES]) <= 4


def test_an_interval_over_a_divided_column_ends_in_a_part() -> None:
    """Two columns and a part: only who is in the divided column must be in the part."""
    index = CompmeIndex(ONTOLOGY)
    index.add(asked_of(p=between(0, 3_000)))
    for n in range(200):
        index.add(asked_of(p=between(n / 4, n / 4 + 0.1)))
    index.settle()
    across = index.add(asked_of(p=between(40, 250)))
    row = index.row(across)
    assert len(row.pairs) == 2
    assert row.pairs[1][0] % 2 != row.pairs[0][0] % 2  # a node has a word, and the next one is that of the part
    assert [across in found(index, p=value) for value in (39.5, 40, 120, 250, 251)] == [False, True, True, True, False]
    assert across in found(index, p=[10, 120])
    assert across not in found(index, p=[10, 900])


# section 4.3: pairs


def test_zeros_are_left_out() -> None:
    """A row has a pair for each predicate that lies in one word, whatever other words its attributes have."""
    index = CompmeIndex(ONTOLOGY)
    slots = [index.add(asked_of(s=equals(f"t{n}"), q=between(n, n + 1))) for n in range(500)]
    assert int(index.tables[to.MARKS][to.N_WORDS]) > 500 / 32
    assert max(len(index.row(slot).pairs) for slot in slots) <= 4
    assert all(code != 0 for slot in slots for _, code in index.row(slot).pairs)


def test_enumerated_values_have_a_column_each() -> None:
    """Attribute B of table 3: one column for each of five values."""
    index = CompmeIndex(ONTOLOGY)
    slots = {text: index.add(asked_of(s=equals(text))) for text in "LMNOP"}
    pairs = {text: index.row(slot).pairs[0] for text, slot in slots.items()}
    assert len({start for start, _ in pairs.values()}) == 1
    assert sorted(code for _, code in pairs.values()) == [1, 2, 4, 8, 16]
    assert found(index, s="L") == {slots["L"]}
    assert found(index, s=["L", "P"]) == {slots["L"], slots["P"]}


def test_an_empty_interval_covers_no_column() -> None:
    index = CompmeIndex(ONTOLOGY)
    slot = index.add(asked_of(p=between(3, 3, upper_open=True), s=equals("x")))
    assert index.row(slot).pairs[0][1] == 0
    assert found(index, p=3, s="x") == set()
    assert looked_at(index, p=3, s="x") == 0


def test_nothing_asked_is_every_event() -> None:
    index = CompmeIndex(ONTOLOGY)
    slot = index.add(())
    assert index.row(slot).pairs == ((0, CODE_OF_ALL),)
    assert found(index) == found(index, p=1) == {slot}


# section 4.4: merging


def test_table_3_a_covered_row_joins_the_other() -> None:
    """S5 is in the list of S7. The paper proposes both; ours refines."""
    index = CompmeIndex(ONTOLOGY)
    s7 = index.add(asked_of(p=between(0, 100)))
    s5 = index.add(asked_of(p=between(10, 90)))
    assert index.row(s5).slots == (s7, s5)
    assert index.row(s5).pairs == index.row(s7).pairs
    assert index.stats()["rows"] == 1
    assert [found(index, p=value) for value in (5, 50, 101)] == [{s7}, {s5, s7}, set()]


def test_much_narrower_rows_are_not_merged() -> None:
    index = CompmeIndex(ONTOLOGY)
    wide, narrow = index.add(asked_of(p=between(0, 100))), index.add(asked_of(p=between(10, 12)))
    assert index.row(narrow).slots == (narrow,)
    assert index.row(wide).slots == (wide,)


def test_equal_bits_are_looked_at_once() -> None:
    index = CompmeIndex(ONTOLOGY)
    slots = {index.add(asked_of(p=equals("x"), s=isa("A"))) for _ in range(3_000)}
    assert index.stats()["rows"] == 1
    assert looked_at(index, p="x", s="D") == 1
    assert found(index, p="x", s="D") == slots


def test_an_heir_takes_the_row() -> None:
    index = CompmeIndex(ONTOLOGY)
    first = index.add(asked_of(p=between(0, 100)))
    covered = index.add(asked_of(p=between(10, 90)))
    same = index.add(asked_of(p=between(0, 99.9)))
    assert index.row(covered).slots == (first, covered, same)
    index.remove(first)
    assert index.row(covered).slots == (same, covered)
    assert found(index, p=50) == {same, covered}
    index.remove(same)
    assert index.row(covered).slots == (covered,)
    assert found(index, p=95) == set()
    index.remove(covered)
    assert found(index, p=50) == set()
    assert index.stats()["rows"] == 0


def test_followers_leave_in_any_order() -> None:
    draw, index, scan = random.Random(5), CompmeIndex(ONTOLOGY), ScanIndex(ONTOLOGY)
    held = []
    for _ in range(400):
        asked = asked_of(p=between(draw.randrange(4), draw.randrange(96, 100)), s=isa(draw.choice("AAB")))
        held.append((index.add(asked), scan.add(asked)))
    assert int(index.stats()["rows"]) < 100
    draw.shuffle(held)
    while held:
        for mine, theirs in held[:23]:
            index.remove(mine)
            scan.remove(theirs)
        del held[:23]
        event = {"p": draw.choice([0, 2, 50, 97]), "s": draw.choice("AB")}
        right = found(scan, **event)
        assert found(index, **event) == {mine for mine, theirs in held if theirs in right}


# section 5: filter and refine


def test_the_example_of_section_5() -> None:
    """S2 is 5 ≤ A ≤ 9: A = 8 matches, A = 3 does not, and its bits tell."""
    index = CompmeIndex(ONTOLOGY)
    index.add(asked_of(p=between(0, 20)))
    s2 = index.add(asked_of(p=between(5, 9), s=equals("x")))
    assert s2 in found(index, p=8, s="x")
    checked = index.stats()["candidates"]
    assert s2 not in found(index, p=3, s="x")
    assert index.stats()["candidates"] == int(checked) + 1  # the wide one


def test_few_candidates_are_refined_in_vain() -> None:
    draw, index = random.Random(3), CompmeIndex(ONTOLOGY)
    for _ in range(4_000):
        low, other = draw.random(), draw.random()
        index.add(asked_of(p=between(low, low + 0.2), s=between(other, other + 0.2), **{"s.p": at_least(other)}))
    matches = sum(len(found(index, p=draw.random(), s=draw.random(), **{"s.p": draw.random()})) for _ in range(100))
    assert matches > 1_000
    assert int(index.stats()["candidates"]) < 1.6 * matches


@pytest.mark.parametrize("seed", range(3))
def test_many_bands_beside_the_scan(seed: int) -> None:
    """Divided columns, parts, several values, sub-properties, coming and going."""
    draw, index, scan = random.Random(seed), CompmeIndex(ONTOLOGY), ScanIndex(ONTOLOGY)
    held: list[tuple[int, int]] = []
    scale = (1.0, 1e-300, 1e290)[seed]
    for turn in range(4):
        for _ in range(1_000):
            low = draw.choice([draw.random(), draw.random() ** 9 - 1.0, draw.gauss(0, 100)]) * scale
            width = draw.choice([0.0, 1e-6, 0.01, 0.5, 30.0]) * scale
            path = draw.choice(["p", "q", "top", "s"])
            constraint = draw.choice([between(low, low + width), at_least(low), between(low, low + width, True, True)])
            more = {"s.p": at_most(low)} if draw.random() < 0.3 else {}
            try:
                asked = asked_of(**{path: constraint}, **more)
            except ValueError:
                continue
            held.append((index.add(asked), scan.add(asked)))
        draw.shuffle(held)
        for mine, theirs in held[: 300 * turn]:
            index.remove(mine)
            scan.remove(theirs)
        del held[: 300 * turn]
        for _ in range(12):
            numbers = [draw.choice([draw.random(), draw.random() - 1.0, draw.gauss(0, 100)]) * scale for _ in range(4)]
            values = {"p": numbers[:2], "q": numbers[1], "r": numbers[0], "s": numbers[2:], "s.p": numbers[3]}
            event = {key: values[key] for key in draw.sample(sorted(values), 3)}
            right = found(scan, **event)
            assert found(index, **event) == {mine for mine, theirs in held if theirs in right}


# 20,000 attributes


def test_sparse_sets_beside_the_scan() -> None:
    """Only rows under the event's own attributes are looked at, and few of them."""
    workload = Sparse(4)
    ontology = workload.ontology()
    index, scan = CompmeIndex(ontology), ScanIndex(ontology)
    for asked in workload.asked(6_000):
        assert index.add(asked) == scan.add(asked)
    matches = 0
    for event in workload.flat_events(60):
        pairs = pairs_of(event, ontology)[0]
        slots = sorted(index.match(pairs).tolist())
        assert slots == sorted(scan.match(pairs).tolist())
        matches += len(slots)
    assert matches >= 10
    assert int(index.stats()["rows looked at"]) < 60 * 10


# what moves


def test_ranges_follow_the_bounds() -> None:
    """A window of numbers that moves on, as times do: what is looked at does not grow with how far it has come."""
    index = CompmeIndex(ONTOLOGY)
    window: list[int] = []
    for number in range(20_000):
        window.append(index.add(asked_of(p=between(number, number + 3))))
        if len(window) > 1_000:
            index.remove(window.pop(0))
        if number % 1_000 == 999 and number > 2_000:
            assert len(found(index, p=number - 500)) == 4
            assert proposed(index, p=number - 500) <= 2 * to.CROWD
    assert int(index.tables[to.MARKS][to.N_NODES]) < 1_500


def test_memory_is_given_back() -> None:
    index, draw = CompmeIndex(ONTOLOGY), random.Random(2)
    made = [
        asked_of(p=between(low := draw.random(), low + 0.01), s=equals(f"t{draw.randrange(99)}")) for _ in range(3_000)
    ]
    lines = []
    for _ in range(8):
        slots = [index.add(one) for one in made]
        lines.append(int(index.tables[to.MARKS][to.N_LINES]))
        for slot in slots:
            index.remove(slot)
        assert index.stats()["rows"] == 0
        assert (index.tables[to.WORDS][to.WORD_SECTION :: to.WORD_WIDTH] == -1).all()
    assert lines[-1] <= 1.5 * lines[0]


def test_what_is_rare_is_learned_from_events() -> None:
    """Every event has s = often, few have p = seldom: rows go under the latter, and fewer are looked at."""
    index = CompmeIndex(ONTOLOGY)
    for number in range(300):
        index.add(asked_of(p=equals("seldom"), s=equals("often"), q=equals(number)))
    index.add(asked_of(s=equals("often")))
    for _ in range(200):
        found(index, p="never", s="often", q=-1)
    index.settle()
    assert looked_at(index, p="never", s="often", q=-1) == 1
