"""A saved matcher, loaded again, is the same matcher."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import Graph as RdfGraph

from benchmarks.workloads import Shop
from semantic_pubsub import Event, Matcher, Ontology, OpsMatcher, ReferenceMatcher, SemanticPubSubError, Subscription
from semantic_pubsub.matching.arrays.pools import Pool
from semantic_pubsub.matching.fingerprint import fingerprint
from tests.generators import graphs, worlds
from tests.matching.graph.test_ops_agreement import answers, conditioned, valued_graphs
from tests.matching.graph.varied import EVENT, EX, ONTOLOGY, TEXTS, turtle, varied


@pytest.fixture
def ontology() -> Ontology:
    return turtle(ONTOLOGY)


@pytest.fixture
def matcher(ontology: Ontology) -> OpsMatcher:
    return varied(ontology)


@pytest.fixture
def event() -> Event:
    return Event.parse(EVENT, format="turtle")


@pytest.fixture
def saved(matcher: OpsMatcher, tmp_path: Path) -> Path:
    path = tmp_path / "subscriptions.ops"
    matcher.save(path)
    return path


def patterns_of(matcher: OpsMatcher) -> dict[str, list[Any]]:
    return {name: matcher._patterns(owner) for name, owner in matcher._numbers.items()}


# the same matcher


@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(st.data())
def test_a_loaded_matcher_answers_as_before_and_goes_on(data: st.DataObject) -> None:
    world = data.draw(worlds())
    events = data.draw(st.lists(valued_graphs(), min_size=1, max_size=2))
    ontology = Ontology.load(RdfGraph().parse(data=world.text(), format="nt"))
    ops, reference = OpsMatcher(ontology), ReferenceMatcher(ontology)

    def change(step: int) -> None:
        for number in range(data.draw(st.integers(1, 5))):
            asked = data.draw(conditioned(data.draw(st.sampled_from(events)), world))
            text = asked.sparql()
            if data.draw(st.integers(0, 3)) == 0:
                other = data.draw(conditioned(data.draw(graphs()), world))
                text = f"SELECT * WHERE {{ {{ {asked.body()} }} UNION {{ {other.body().replace('_:n', '_:m')} }} }}"
            subscription = Subscription.parse(text, id=f"{step}-{number}", injective=data.draw(st.booleans()))
            ops.add(subscription)
            reference.add(subscription)
        for name in data.draw(st.sets(st.sampled_from(sorted(reference.ids())), max_size=2)):
            ops.remove(name)
            reference.remove(name)

    with tempfile.TemporaryDirectory() as folder:
        for step in range(2):
            change(step)
            path, again = Path(folder, f"{step}"), Path(folder, "again")
            ops.save(path)
            before = patterns_of(ops)
            ops = OpsMatcher.load(path, ontology, verify=True)
            assert patterns_of(ops) == before
            ops.save(again)
            assert again.read_bytes() == path.read_bytes()
            compare(ops, reference, [Event.parse(graph.text(), format="nt") for graph in events])
        change(2)
        compare(ops, reference, [Event.parse(graph.text(), format="nt") for graph in events])


def compare(ops: OpsMatcher, reference: Matcher, events: list[Event]) -> None:
    assert ops.ids() == reference.ids()
    for event in events:
        expected = answers(reference, event)
        assert sorted(ops.match_ids(event)) == sorted(expected)
        assert answers(ops, event) == expected


def test_everything_is_kept(matcher: OpsMatcher, saved: Path, ontology: Ontology, event: Event) -> None:
    loaded = OpsMatcher.load(saved, ontology, verify=True)
    assert loaded.ids() == matcher.ids()
    assert len(loaded) == len(TEXTS) + 1
    assert loaded.warnings == matcher.warnings
    assert "doubtful" in loaded.warnings
    assert loaded.stats() == matcher.stats()
    assert patterns_of(loaded) == patterns_of(matcher)
    expected = answers(matcher, event)
    assert expected.keys() >= {"class", "ask", "band", "text", "clash", "joint", "union", "statements"}
    assert answers(loaded, event) == expected


def test_saving_changes_nothing(matcher: OpsMatcher, saved: Path, event: Event) -> None:
    before, patterns = matcher.stats(), patterns_of(matcher)
    bytes_before = saved.read_bytes()
    matcher.save(saved)
    assert saved.read_bytes() == bytes_before
    assert matcher.stats() == before
    assert patterns_of(matcher) == patterns
    matcher.remove("class")
    assert "class" not in matcher.match_ids(event)


def test_an_empty_matcher_can_be_kept(ontology: Ontology, tmp_path: Path, event: Event) -> None:
    OpsMatcher(ontology).save(tmp_path / "none")
    loaded = OpsMatcher.load(tmp_path / "none", ontology, verify=True)
    assert loaded.match_ids(event) == []
    loaded.add(Subscription.parse(TEXTS["text"], id="text", prefixes={"": EX}))
    assert loaded.match_ids(event) == ["text"]


def test_a_subclass_and_a_budget_are_kept_to(saved: Path, ontology: Ontology, event: Event) -> None:
    class Own(OpsMatcher):
        pass

    loaded = Own.load(str(saved), ontology, budget=1_000_000)
    assert type(loaded) is Own
    assert "class" in loaded.match_ids(event)
    assert loaded.undecided == ()


def test_what_was_learned_of_events_is_kept(
    matcher: OpsMatcher, ontology: Ontology, event: Event, tmp_path: Path
) -> None:
    for _ in range(70):  # beyond the first review of where slots wait
        matcher.match_ids(event)
    matcher.save(tmp_path / "file")
    loaded = OpsMatcher.load(tmp_path / "file", ontology, verify=True)
    assert loaded.stats() == matcher.stats()
    assert loaded.stats()["events"] == 70
    assert sorted(loaded.match_ids(event)) == sorted(matcher.match_ids(event))
    assert loaded.stats() == matcher.stats()


# growing


def test_a_loaded_matcher_grows(saved: Path, ontology: Ontology, event: Event) -> None:
    loaded = OpsMatcher.load(saved, ontology)
    before = sorted(loaded.match_ids(event))
    for number in range(3000):  # more than one enlargement of every table
        text = f'ASK {{ _:H <{EX}p{number % 300}> ?p . FILTER(?p < {number} || ?p = "{number}") }}'
        loaded.add(Subscription.parse(text, id=f"n{number}"))
    assert sorted(loaded.match_ids(event)) == before
    found = loaded.match_ids(Event.parse(f'_:H <{EX}p7> "1207" .', format="nt"))
    assert found == ["n1207"]
    for name in before:
        loaded.remove(name)
    assert loaded.match_ids(event) == []


def test_many_added_at_once_before_and_after(tmp_path: Path) -> None:
    shop = Shop(rate=0.02)
    ontology, texts = shop.ontology(), list(shop.subscriptions(600))
    events = [Event.parse(text, format="turtle") for text in shop.events(8)]
    ops, reference = OpsMatcher(ontology), ReferenceMatcher(ontology)
    reference.add_all(texts)
    ops.add_all(texts[:200])
    ops.add_all(Subscription.parse(text, id=name) for name, text in texts[200:300])
    ops.save(tmp_path / "half")
    ops = OpsMatcher.load(tmp_path / "half", ontology, verify=True)
    ops.add_all(texts[300:])
    expected = [sorted(reference.match_ids(event)) for event in events]
    assert sum(map(len, expected)) > 20
    assert [sorted(ops.match_ids(event)) for event in events] == expected


@pytest.mark.parametrize("width", [1, 3])
def test_adopted_rows_survive_growing(width: int) -> None:
    shape = (5, width) if width > 1 else (5,)
    rows = np.arange(5 * width, dtype=np.int32).reshape(shape)
    pool = Pool(np.int32, width)
    pool.adopt(rows)
    assert pool.take(100_000) == 5
    assert pool.array[:5].tolist() == rows.tolist()
    assert pool.take(1_000_000) == 100_005
    assert pool.array[:5].tolist() == rows.tolist()
    pool.array[0] = 9
    assert rows.reshape(-1)[0] == 0


def test_rows_survive_growing_while_somebody_looks() -> None:
    pool = Pool(np.int32)
    for _ in range(4):  # a table with a view on it cannot be enlarged in place
        view = pool.array
        pool.take(50_000)
        pool.array[:3] = (1, 2, 3)
        del view
    held = [pool.array]
    for _ in range(3):
        pool.take(len(pool.array))
        held.append(pool.array)
        assert pool.array[:3].tolist() == [1, 2, 3]


def test_rows_of_another_kind_are_not_adopted() -> None:
    with pytest.raises(ValueError, match="int64"):
        Pool(np.int32).adopt(np.zeros(3, np.int64))


# one file, many readers


def test_two_loads_do_not_disturb_each_other(saved: Path, ontology: Ontology, event: Event) -> None:
    content = saved.read_bytes()
    one, other = OpsMatcher.load(saved, ontology), OpsMatcher.load(saved, ontology)
    before = sorted(other.match_ids(event))
    for name in one.ids():
        one.remove(name)
    one.add(Subscription.parse("ASK { _:H <http://example.org/price> 12 }", id="only"))
    assert one.match_ids(event) == ["only"]
    assert sorted(other.match_ids(event)) == before
    assert saved.read_bytes() == content
    assert sorted(OpsMatcher.load(saved, ontology, verify=True).match_ids(event)) == before


def test_a_file_is_replaced_as_a_whole(saved: Path, ontology: Ontology, event: Event) -> None:
    loaded = OpsMatcher.load(saved, ontology)
    before = sorted(loaded.match_ids(event))
    OpsMatcher(ontology).save(saved)  # under the feet of the other
    assert sorted(loaded.match_ids(event)) == before
    assert len(OpsMatcher.load(saved, ontology)) == 0
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_failure_leaves_the_old_file(matcher: OpsMatcher, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = saved.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(SemanticPubSubError, match=r"subscriptions.ops: cannot be written: No space left"):
        matcher.save(saved)
    assert saved.read_bytes() == content
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_link_stays_a_link(matcher: OpsMatcher, saved: Path, ontology: Ontology) -> None:
    link = saved.with_name("link")
    link.symlink_to(saved)
    matcher.remove("class")
    matcher.save(link)
    assert link.is_symlink()
    assert "class" not in OpsMatcher.load(saved, ontology)


def test_a_folder_that_is_not_there(matcher: OpsMatcher, tmp_path: Path) -> None:
    with pytest.raises(SemanticPubSubError, match=r"nowhere.file: cannot be written: No such file.* \(name a file"):
        matcher.save(tmp_path / "nowhere" / "file")


# the ontology


def test_another_ontology_is_refused(saved: Path) -> None:
    other = turtle(ONTOLOGY.replace("rdfs:subClassOf :Computer", "rdfs:subClassOf :Maker"))
    with pytest.raises(SemanticPubSubError, match=r"subscriptions.ops: was saved with another ontology: .* \(load it"):
        OpsMatcher.load(saved, other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (":Notebook a owl:Class ; rdfs:subClassOf :Computer", ":Notebook a owl:Class"),
        ("rdfs:subPropertyOf :part", "rdfs:subPropertyOf :target"),
        ("rdfs:domain :Computer", "rdfs:domain :Notebook"),
        ("rdfs:range :Maker", "rdfs:range :Computer"),
        (":Maker a owl:Class .", ":Maker a owl:Class . :More a owl:Class ."),
        (":name a owl:DatatypeProperty .", ":name a owl:DatatypeProperty . :short a rdfs:Datatype ."),
    ],
)
def test_what_matters_for_matching_is_in_the_fingerprint(old: str, new: str) -> None:
    assert old in ONTOLOGY
    assert fingerprint(turtle(ONTOLOGY.replace(old, new))) != fingerprint(turtle(ONTOLOGY))


def test_what_does_not_matter_is_not(ontology: Ontology) -> None:
    lines = [
        line for line in RdfGraph().parse(data=ONTOLOGY, format="turtle").serialize(format="nt").splitlines() if line
    ]
    lines.append(f"<{EX}Notebook> <http://www.w3.org/2000/01/rdf-schema#label> 'a label' .".replace("'", '"'))
    for order in (sorted(lines), sorted(lines, reverse=True)):
        again = Ontology.load(RdfGraph().parse(data="\n".join(order), format="nt"))
        assert fingerprint(again) == fingerprint(ontology)


def test_the_fingerprint_is_the_same_in_every_process(ontology: Ontology, tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(ONTOLOGY, encoding="utf-8")
    code = (
        "import sys; from semantic_pubsub import Ontology; from semantic_pubsub.matching.fingerprint import "
        "fingerprint; print(fingerprint(Ontology.load(sys.argv[1])))"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "o.ttl")],
            capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert done.stdout.strip() == fingerprint(ontology)
