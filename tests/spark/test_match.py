"""`match_events` on every kind of input and output, and what it says to bad input."""

from __future__ import annotations

import datetime
import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rdflib import Literal, URIRef

from semantic_pubsub import (
    FlatEvent,
    FlatMatcher,
    FlatSubscription,
    Ontology,
    OpsMatcher,
    ReferenceMatcher,
    SemanticPubSubError,
    Subscription,
    at_least,
    between,
    equals,
    events_from,
    exists,
    isa,
    less_than,
    one_of,
)
from semantic_pubsub.events import Limits
from semantic_pubsub.matching.flat.indexes import INDEXES
from semantic_pubsub.spark import (
    CompiledIndex,
    compile_matcher,
    compile_subscriptions,
    flatten_events,
    gather_quads,
    match_events,
    validate_events,
)
from semantic_pubsub.spark.bundle import Handle, located

PAIRS = "event_id string, pairs array<struct<path:string,kind:string,value:string,datatype:string>>"
XSD = "http://www.w3.org/2001/XMLSchema#"
AUCTION = "http://example.org/auction#"
NOTEBOOK = f"@prefix a: <{AUCTION}> . _:H a a:Selling ; a:target _:n . _:n a a:NotebookPC ."


@pytest.fixture(scope="module")
def flat(auction: Ontology) -> FlatMatcher:
    matcher = FlatMatcher(auction)
    matcher.add(FlatSubscription({"target": isa("Computer"), "price.value": between(0, 400)}, id="cheap"))
    matcher.add(FlatSubscription({"target": isa("Product")}, id="product"))
    matcher.add(FlatSubscription({"title": equals("old")}, id="old"))
    return matcher


def pairs_of(frame: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=str)


def test_pairs(spark: Any, flat: FlatMatcher) -> None:
    rows = [
        ("a", [("target", "class", AUCTION + "DesktopPC", None), ("price.value", "literal", "350", XSD + "integer")]),
        ("b", [("target", None, "NotebookPC", None), ("price.value", "literal", "450.5", XSD + "decimal")]),
        ("c", [("title", "literal", "old", None)]),
        ("d", [("title", "literal", "old", "@en")]),
        ("e", []),
    ]
    frame = spark.createDataFrame(rows, PAIRS).transform(match_events(flat))
    assert frame.columns == ["event_id", "subscription_id"]
    assert pairs_of(frame) == [("a", "cheap"), ("a", "product"), ("b", "product"), ("c", "old")]


def test_maps(spark: Any, flat: FlatMatcher) -> None:
    rows = [(1, {"target": "DesktopPC", "title": "old"}), (2, {"target": None, "title": "new"}), (3, {})]
    frame = spark.createDataFrame(rows, "event_id long, pairs map<string,string>").transform(match_events(flat))
    assert pairs_of(frame) == [(1, "old"), (1, "product")]
    lists = spark.createDataFrame([(1, {"title": ["new", "old"]})], "event_id long, pairs map<string,array<string>>")
    assert pairs_of(lists.transform(match_events(flat))) == [(1, "old")]


def test_a_wide_table(spark: Any, auction: Ontology) -> None:
    matcher = FlatMatcher(auction)
    matcher.add(FlatSubscription({"target": isa("Computer"), "price.value": less_than(400)}, id="cheap"))
    matcher.add(FlatSubscription({"created": at_least(datetime.date(2024, 1, 1))}, id="new"))
    matcher.add(FlatSubscription({"title": equals("b")}, id="b"))
    schema = "event_id string, target string, price decimal(10,2), day date, titles array<string>, extra int"
    rows = [
        ("x", "DesktopPC", Decimal("350.00"), datetime.date(2023, 1, 1), ["a", "b"], 1),
        ("y", "DesktopPC", Decimal("450.00"), datetime.date(2024, 6, 1), [], 2),
        ("z", None, None, None, None, 3),
    ]
    columns = {"target": "target", "price": "price.value", "day": "created", "titles": "title"}
    frame = spark.createDataFrame(rows, schema).transform(match_events(matcher, columns=columns, keep=["extra"]))
    assert pairs_of(frame) == [("x", "b", 1), ("x", "cheap", 1), ("y", "new", 2)]
    local = [
        FlatEvent({"target": a, "price.value": b, "created": c, "title": d or None}, id=n) for n, a, b, c, d, _ in rows
    ]
    assert pairs_of(frame) == sorted((e.id, n, k) for k, e in enumerate(local, 1) for n in matcher.match_ids(e))


def test_nan_is_no_value(spark: Any, auction: Ontology) -> None:
    matcher = FlatMatcher(auction)
    matcher.add(FlatSubscription({"price.value": between(None, None)}, id="any"))
    frame = spark.createDataFrame([("a", float("nan")), ("b", 1.0)], "event_id string, v double")
    assert pairs_of(frame.transform(match_events(matcher, columns={"v": "price.value"}))) == [("b", "any")]


def test_files_give_the_local_rows(spark: Any, verified: FlatMatcher, project: Path) -> None:
    folder = project / "examples" / "events"
    frame = spark.read.format("rdf-events").load(str(folder))
    found = frame.transform(match_events(verified, text="body", format_column="format", verify=True))
    expected = sorted((e.id, name) for e in events_from(folder) for name in verified.match_ids(e))
    assert pairs_of(found) == expected
    assert len(expected) > 8


def test_arrays(spark: Any, verified: FlatMatcher) -> None:
    frame = spark.createDataFrame(
        [("n", NOTEBOOK), ("e", f"<urn:a> <{AUCTION}target> <urn:b> .")], "event_id string, t string"
    )
    both = frame.transform(match_events(ops_of(verified), text="t", output="arrays"))
    assert both.columns == ["event_id", "subscription_ids"]
    assert [(row.event_id, row.subscription_ids) for row in both.orderBy("event_id").collect()] == [
        ("e", []),
        ("n", ["computers"]),
    ]


def ops_of(matcher: FlatMatcher) -> OpsMatcher:
    made = OpsMatcher(matcher.ontology)
    made.add(Subscription.parse("(_:H, ?1, (Selling, target, Computer))", id="computers"))
    return made


def test_bindings(spark: Any, verified: FlatMatcher) -> None:
    frame = spark.createDataFrame([("n", NOTEBOOK)], "event_id string, t string")
    (row,) = frame.transform(match_events(ops_of(verified), text="t", bindings=True)).collect()
    assert row.asDict() == {"event_id": "n", "subscription_id": "computers", "bindings": {"1": "_:n"}}


def test_ids_of_the_events_themselves(spark: Any, verified: FlatMatcher) -> None:
    text = f"<urn:offer> a <{AUCTION}Selling> ; <{AUCTION}target> [ a <{AUCTION}NotebookPC> ] ."
    frame = spark.createDataFrame([(text,)], "t string")
    found = frame.transform(match_events(ops_of(verified), text="t", event_id=None))
    assert pairs_of(found) == [("urn:offer", "computers")]


def test_quads(spark: Any, verified: FlatMatcher) -> None:
    kind = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    rows = [
        ("urn:1", "_:H", kind, AUCTION + "Selling"),
        ("urn:1", "_:H", f"<{AUCTION}target>", "_:n"),
        ("<urn:2>", "_:H", kind, AUCTION + "Selling"),
        ("urn:1", "_:n", kind, AUCTION + "NotebookPC"),
    ]
    frame = spark.createDataFrame(rows, "graph string, subject string, predicate string, object string")
    assert pairs_of(frame.transform(match_events(ops_of(verified), quads=True))) == [("urn:1", "computers")]


def test_quads_with_columns_to_keep(spark: Any, verified: FlatMatcher) -> None:
    kind = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    rows = [("urn:1", "_:H", kind, AUCTION + "Selling", 7), ("urn:1", "_:H", AUCTION + "target", "_:n", 7)]
    rows.append(("urn:1", "_:n", kind, AUCTION + "NotebookPC", 7))
    frame = spark.createDataFrame(rows, "graph string, subject string, predicate string, object string, `a``b` int")
    matched = frame.transform(match_events(ops_of(verified), quads=True, keep=["a`b"]))
    assert pairs_of(matched) == [("urn:1", "computers", 7)]
    flattened = frame.transform(flatten_events(verified.ontology, quads=True, keep=["a`b"]))
    (row,) = flattened.collect()
    assert (row.event_id, row["a`b"]) == ("urn:1", 7)
    assert ("target", "class", AUCTION + "NotebookPC", None) in [tuple(pair) for pair in row.pairs]
    with pytest.raises(SemanticPubSubError, match="no column 'nothing'"):
        frame.transform(match_events(ops_of(verified), quads=True, keep=["nothing"]))


@pytest.mark.parametrize(
    "more",
    [{"text": "t"}, {"format": "nt"}, {"format_column": "f"}, {"event_id": "id"}, {"event_id": None}],
)
def test_quads_go_with_no_other_columns(auction: Ontology, verified: FlatMatcher, project: Path, more: Any) -> None:
    (name,) = more
    for make in (
        lambda: match_events(ops_of(verified), quads=True, **more),
        lambda: flatten_events(auction, quads=True, **more),
        lambda: validate_events(project / "shapes" / "auction.ttl", quads=True, **more),
    ):
        with pytest.raises(ValueError, match=f"quads=True excludes {name}"):
            make()
    with pytest.raises(ValueError, match="quads=True excludes pairs, columns"):
        match_events(ops_of(verified), quads=True, pairs="p", columns=["c"])
    with pytest.raises(ValueError, match="keep='body' is a column of the result"):
        gather_quads(keep=["body"])


def test_kept_columns_may_have_any_name_and_type(spark: Any, verified: FlatMatcher) -> None:
    frame = spark.createDataFrame(
        [("n", NOTEBOOK, (1, "y"))], "`i``d` string, `t.x` string, `k-``z` struct<`x-y`:int,b:string>"
    )
    asked: dict[str, Any] = {"event_id": "i`d", "text": "t.x", "keep": ["k-`z"]}
    for task in (match_events(ops_of(verified), **asked), flatten_events(verified.ontology, **asked)):
        found = frame.transform(task)
        assert found.schema["k-`z"] == frame.schema["k-`z"]
        (row,) = found.collect()
        assert (row["i`d"], tuple(row["k-`z"])) == ("n", (1, "y"))


# how texts are read

OFFERS = "http://offers.example/"
CONTEXT = {"@context": {"@vocab": AUCTION, "kind": "@type"}}
LINKED = f'{{"@context": "{OFFERS}", "kind": "Selling", "target": {{"kind": "NotebookPC"}}}}'


def test_contexts_and_limits(spark: Any, verified: FlatMatcher, project: Path, tmp_path: Path) -> None:
    (tmp_path / "context").write_text(json.dumps(CONTEXT), encoding="utf-8")
    rows = [("linked", LINKED, 1), ("long", LINKED + " " * 500, 2)]
    frame = spark.createDataFrame(rows, "event_id string, t string, n int")
    asked: dict[str, Any] = {"text": "t", "format": "json-ld", "limits": Limits(bytes=400)}
    asked["columnNameOfCorruptRecord"] = "bad"
    for given in (CONTEXT, tmp_path / "context"):
        matched = frame.transform(match_events(ops_of(verified), contexts={OFFERS: given}, **asked))
        found = {row.event_id: (row.subscription_id, row.bad_reason) for row in matched.collect()}
        assert found["linked"] == ("computers", None)
        assert "longer than 400 bytes" in str(found["long"][1])
    asked["contexts"] = {OFFERS: CONTEXT}
    shapes = project / "shapes" / "auction.ttl"
    for task, column in (
        (flatten_events(verified.ontology, **asked), "pairs"),
        (validate_events(shapes, verified.ontology, **asked), "conforms"),
    ):
        rows = {row["event_id"]: row for row in frame.transform(task).collect()}
        assert rows["linked"][column] is not None
        assert "longer than 400 bytes" in rows["long"]["bad_reason"]


def test_only_paths_that_are_asked_for_are_unfolded(spark: Any, auction: Ontology) -> None:
    frame = spark.createDataFrame([("n", NOTEBOOK + f' _:n <{AUCTION}title> "x" .')], "event_id string, t string")
    matcher = FlatMatcher(auction)
    matcher.add(FlatSubscription({"target": isa("Computer")}, id="s"))
    (some,) = frame.transform(flatten_events(auction, text="t", paths=matcher.paths)).collect()
    (every,) = frame.transform(flatten_events(auction, text="t")).collect()
    assert {pair.path for pair in some.pairs} == {"target"}
    assert {pair.path for pair in every.pairs} == {"", "target", "target.title"}


# bad records

BAD = [("good", NOTEBOOK), ("broken", "_:H a ."), ("none", None)]


def test_permissive(spark: Any, verified: FlatMatcher) -> None:
    frame = spark.createDataFrame(BAD, "event_id string, t string")
    found = frame.transform(match_events(ops_of(verified), text="t", columnNameOfCorruptRecord="_bad"))
    rows = {row.event_id: row for row in found.collect()}
    assert rows["good"].asDict() == {
        "event_id": "good",
        "subscription_id": "computers",
        "_bad": None,
        "_bad_reason": None,
    }
    assert rows["broken"]._bad == "_:H a ."
    assert rows["broken"].subscription_id is None
    assert "line 1" in rows["broken"]._bad_reason
    assert rows["none"]._bad_reason == "the event is null"
    plain = frame.transform(match_events(ops_of(verified), text="t"))
    assert pairs_of(plain) == [("broken", None), ("good", "computers"), ("none", None)]


def test_drop_and_fail(spark: Any, verified: FlatMatcher) -> None:
    frame = spark.createDataFrame(BAD, "event_id string, t string")
    kept = frame.transform(match_events(ops_of(verified), text="t", mode="DROPMALFORMED"))
    assert pairs_of(kept) == [("good", "computers")]
    with pytest.raises(Exception, match="the event broken is malformed"):
        frame.transform(match_events(ops_of(verified), text="t", mode="failfast")).collect()


def test_one_broken_record_of_many(spark: Any, verified: FlatMatcher) -> None:
    number = 1_000_000 if os.environ.get("SEMANTIC_PUBSUB_SOAK") else 4_000
    text = f"if(id = 777, '_:H a .', '{NOTEBOOK}')"
    frame = spark.range(0, number, 1, 2).selectExpr("id event_id", f"{text} t")
    found = frame.transform(match_events(ops_of(verified), text="t", columnNameOfCorruptRecord="bad"))
    counted = found.groupBy("bad", "bad_reason").agg({"*": "count", "event_id": "min"}).collect()
    (bad,) = [row for row in counted if row["bad"] is not None]
    assert (bad["bad"], bad["min(event_id)"]) == ("_:H a .", 777)
    assert "line 1" in bad["bad_reason"]
    assert sum(row["count(1)"] for row in counted) == number
    with pytest.raises(Exception, match="the event 777 is malformed"):
        frame.transform(match_events(ops_of(verified), text="t", mode="FAILFAST")).count()


def test_bad_pairs(spark: Any, flat: FlatMatcher) -> None:
    rows = [
        ("null", None),
        ("path", [(None, "literal", "1", None)]),
        ("kind", [("title", "txt", "1", None)]),
        ("iri", [("title", "iri", "no iri", None)]),
        ("good", [("title", "literal", "old", None)]),
    ]
    frame = spark.createDataFrame(rows, PAIRS)
    for output, column in (("rows", "subscription_id"), ("arrays", "subscription_ids")):
        task = match_events(flat, output=output, columnNameOfCorruptRecord="bad")  # type: ignore[arg-type]
        found = {row["event_id"]: row for row in frame.transform(task).collect()}
        assert found["good"][column] == ("old" if output == "rows" else ["old"])
        reasons = {name: row["bad_reason"] for name, row in found.items() if row[column] is None}
        assert set(reasons) == {"null", "path", "kind", "iri"}
        assert "kind 'txt'" in reasons["kind"]
        assert "without a path" in reasons["path"]


def test_an_event_of_50_mb(spark: Any, verified: FlatMatcher) -> None:
    big = NOTEBOOK + f'_:H <{AUCTION}title> "' + "x" * 50_000_000 + '" .'
    frame = spark.createDataFrame([("big", big), ("good", NOTEBOOK)], "event_id string, t string")
    found = frame.transform(match_events(ops_of(verified), text="t", columnNameOfCorruptRecord="bad"))
    rows = {row.event_id: row for row in found.collect()}
    assert rows["good"].subscription_id == "computers"
    assert "bytes" in rows["big"].bad_reason
    assert len(rows["big"].bad) < 2_000_000


# refusals before anything runs


def test_a_missing_column_and_a_wrong_type(spark: Any, flat: FlatMatcher) -> None:
    frame = spark.createDataFrame([("a", 1)], "event_id string, bodi int")
    with pytest.raises(SemanticPubSubError, match=r"no column 'body' \(did you mean bodi"):
        frame.transform(match_events(flat, text="body"))
    with pytest.raises(SemanticPubSubError, match="the column 'bodi' is int"):
        frame.transform(match_events(flat, text="bodi"))
    with pytest.raises(SemanticPubSubError, match="the column 'bodi' is int"):
        frame.transform(match_events(flat, pairs="bodi"))
    with pytest.raises(SemanticPubSubError, match="no column 'nothing'"):
        frame.transform(match_events(flat, columns=["bodi"], keep=["nothing"]))
    with pytest.raises(SemanticPubSubError, match=r"no column 'pairs' \(there are event_id, bodi; .* with text="):
        frame.transform(match_events(flat))
    with pytest.raises(SemanticPubSubError, match=r"no column 'event_id'.*or None for the ids in the texts"):
        frame.select("bodi").transform(match_events(flat, text="bodi"))
    with pytest.raises(SemanticPubSubError, match="two columns 'event_id'"):
        frame.transform(match_events(flat, columns=["bodi"], keep=["event_id"]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"text": "a", "pairs": "b"}, "pairs and text exclude each other"),
        ({"mode": "LAX"}, "PERMISSIVE"),
        ({"mode": "FAILFAST", "columnNameOfCorruptRecord": "x"}, "goes with mode='PERMISSIVE'"),
        ({"output": "sets"}, "rows, arrays"),
        ({"format": "nt"}, "name their column"),
        ({"columns": []}, "not empty"),
        ({"columns": ["a"], "event_id": None}, "name the column of ids"),
    ],
)
def test_wrong_arguments(flat: FlatMatcher, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        match_events(flat, **arguments)


def test_what_the_index_cannot_give(flat: FlatMatcher, verified: FlatMatcher, project: Path) -> None:
    with pytest.raises(SemanticPubSubError, match="compile it with verify=True"):
        match_events(flat, text="t", verify=True)
    with pytest.raises(SemanticPubSubError, match="unknown format 'yaml'"):
        match_events(flat, text="t", format="yaml")
    with pytest.raises(SemanticPubSubError, match="reads graphs"):
        match_events(ops_of(verified))
    with pytest.raises(SemanticPubSubError, match="no bindings"):
        match_events(flat, text="t", bindings=True)
    other = Ontology.load(project / "ontology" / "sensors.ttl")
    with pytest.raises(SemanticPubSubError, match="was compiled with the ontology"):
        match_events(flat, ontology=other)
    with pytest.raises(SemanticPubSubError, match="cannot be compiled"):
        match_events(ReferenceMatcher(flat.ontology))


# the index as files


def test_parts_give_the_same_rows(
    spark: Any, auction: Ontology, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [FlatSubscription({"price.value": less_than(n)}, id=f"s{n}") for n in range(20)]
    compiled = compile_subscriptions(auction, made, tmp_path, per_part=6)
    assert compiled.parts == (6, 6, 6, 2)
    assert len(CompiledIndex.load(tmp_path, auction)) == 20
    frame = spark.createDataFrame([(n, n) for n in range(25)], "event_id int, v int")
    expected = sorted(((n, f"s{m}") for n in range(25) for m in range(20) if n < m), key=str)
    together = frame.transform(match_events(tmp_path, columns={"v": "price.value"}))
    assert pairs_of(together) == expected
    assert pairs_of(frame.transform(match_events(tmp_path, columns={"v": "price.value"}, apart=True))) == expected
    arrays = frame.transform(match_events(compiled, columns={"v": "price.value"}, output="arrays"))
    assert {row.event_id: sorted(row.subscription_ids) for row in arrays.collect()} == {
        n: sorted(f"s{m}" for m in range(20) if n < m) for n in range(25)
    }
    with pytest.raises(SemanticPubSubError, match="say output='rows'"):
        frame.transform(match_events(compiled, columns={"v": "price.value"}, apart=True, output="arrays"))
    monkeypatch.setattr("semantic_pubsub.spark.match._TOGETHER", 1)  # what is too large is matched apart by itself
    with pytest.raises(SemanticPubSubError, match="parts that are matched apart"):
        frame.transform(match_events(compiled, columns={"v": "price.value"}, output="arrays"))


TARGET, PRICE, TITLE = "target", "price.value", "title"
DOLLAR = "http://example.org/units#dollar"
CONTRACT_EVENTS = [
    ("desktop", [(TARGET, "class", AUCTION + "DesktopPC", None), (PRICE, "literal", "350", XSD + "integer")]),
    ("several", [(PRICE, "literal", "5", XSD + "integer"), (PRICE, "literal", "9e2", XSD + "double")]),
    ("old", [(TITLE, "literal", "old", None), (TARGET, None, "NotebookPC", None)]),
    ("french", [(TITLE, "literal", "old", "@fr"), (TARGET, "class", AUCTION + "Book", None)]),
    ("nan", [(PRICE, "literal", "NaN", XSD + "double")]),
    ("dollars", [("price.currency", "iri", DOLLAR, None)]),
    ("phone", [("seller.cellPhoneNumber", "literal", "555-1", None)]),
    ("empty", []),
]
CONTRACT: dict[str, tuple[dict[str, Any], str]] = {
    "computer": ({TARGET: isa("Computer")}, "desktop old"),
    "cheap": ({PRICE: between(0, 400)}, "desktop several"),
    "both": ({PRICE: [between(0, 10), at_least(800)]}, "several"),
    "any": ({PRICE: between(None, None)}, "desktop several"),
    "cheap-computer": ({TARGET: isa("Computer"), PRICE: less_than(400)}, "desktop"),
    "old": ({TITLE: equals("old")}, "old"),
    "french": ({TITLE: equals(Literal("old", lang="fr"))}, "french"),
    "either": ({TITLE: one_of("old", "new")}, "old"),
    "title": ({TITLE: exists(), TARGET: exists()}, "old french"),
    "dollars": ({"price.currency": equals(URIRef(DOLLAR))}, "dollars"),
    "contact": ({"seller.contactInformation": equals("555-1")}, "phone"),
    "absent": ({"manufacture.name": exists()}, ""),
}
"""Subscriptions, and the events that satisfy each."""


@pytest.mark.parametrize("index", sorted(set(INDEXES) - {"scan"}))  # the oracle has no files to ship
def test_every_index(spark: Any, auction: Ontology, index: str) -> None:
    """What flat matching means, on events and subscriptions of every kind, in one job."""
    matcher = FlatMatcher(auction, index=index)
    matcher.add_all([FlatSubscription(asked, id=name) for name, (asked, _) in CONTRACT.items()])  # type: ignore[list-item]
    frame = spark.createDataFrame(CONTRACT_EVENTS, PAIRS).coalesce(1)
    found = pairs_of(frame.transform(match_events(matcher)))
    assert found == sorted(
        ((event, name) for name, (_, events) in CONTRACT.items() for event in events.split()), key=str
    )


def test_an_empty_set(spark: Any, auction: Ontology) -> None:
    frame = spark.createDataFrame([(1, 1)], "event_id int, v int")
    assert (
        pairs_of(frame.transform(match_events(compile_subscriptions(auction, []), columns={"v": "price.value"}))) == []
    )


@pytest.mark.parametrize("way", ["path", "artifact", "broadcast"])
def test_ways_of_the_files(spark: Any, flat: FlatMatcher, way: Any) -> None:
    frame = spark.createDataFrame([("a", "old")], "event_id string, title string")
    assert pairs_of(frame.transform(match_events(flat, columns=["title"], ship=way))) == [("a", "old")]


def test_artifacts_may_be_in_the_folder_of_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.SparkFiles.getRootDirectory", lambda: str(tmp_path))
    handle = Handle("d", ("d.ontology", "d.flat-0"), "artifact", "")
    for session, names in (("other", ["d.ontology"]), ("ours", handle.names)):
        (tmp_path / session).mkdir()
        for name in names:
            (tmp_path / session / name).write_text("", encoding="utf-8")
    assert located(handle) == tmp_path / "ours"
    (tmp_path / "ours" / "d.flat-0").unlink()
    with pytest.raises(SemanticPubSubError, match=r"d\.ontology: an executor does not see this file"):
        located(handle)


def test_a_folder_that_is_none(tmp_path: Path, flat: FlatMatcher) -> None:
    with pytest.raises(SemanticPubSubError, match="is no compiled subscription set"):
        match_events(tmp_path / "nothing")
    compile_matcher(flat, tmp_path)
    next(tmp_path.glob("*.flat-0")).unlink()
    with pytest.raises(SemanticPubSubError, match="lacks the file"):
        match_events(tmp_path)
    for broken, words in (("[1]", "cannot be read"), ('{"format": 1}', "is damaged"), ("{", "cannot be read")):
        (tmp_path / "manifest.json").write_text(broken, encoding="utf-8")
        with pytest.raises(SemanticPubSubError, match=words):
            match_events(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": 0}', encoding="utf-8")
    with pytest.raises(SemanticPubSubError, match="another version: its format is 0, this one reads 1"):
        match_events(tmp_path)


def test_many_results_come_in_slices(auction: Ontology, monkeypatch: pytest.MonkeyPatch) -> None:
    from semantic_pubsub.spark import decoding, matching

    monkeypatch.setattr(matching, "_MOST_RESULTS", 50)
    monkeypatch.setattr(matching, "_FIRST_SLICE", 3)
    matcher = FlatMatcher(auction)
    matcher.add_all([FlatSubscription({"price.value": less_than(n)}, id=f"s{n}") for n in range(20)])  # type: ignore[list-item]
    pairs = [("price.value", n) for n in range(20)]
    batch = decoding.FlatBatch(np.arange(21), np.arange(20, dtype=np.int32), pairs, {})
    slices = list(matching.match_flat([matching.Part(matcher)], batch))
    assert len(slices) > 3
    found = sorted((int(o), n) for s in slices for o, n in zip(s.owners, s.ids.to_pylist(), strict=True))
    assert found == sorted((n, f"s{m}") for n in range(20) for m in range(20) if n < m)


def test_event_ids_need_not_be_texts(spark: Any, flat: FlatMatcher) -> None:
    frame = spark.createDataFrame([(datetime.date(2024, 1, 1), "old")], "event_id date, title string")
    assert pairs_of(frame.transform(match_events(flat, columns=["title"]))) == [(datetime.date(2024, 1, 1), "old")]


def test_nothing_runs_before_it_is_asked_for(spark: Any, flat: FlatMatcher) -> None:
    def never(_: Any) -> Any:
        raise AssertionError("it ran")

    frame = spark.createDataFrame([("a", "old")], "event_id string, title string")
    frame.mapInArrow(never, "event_id string, title string").transform(match_events(flat, columns=["title"]))
