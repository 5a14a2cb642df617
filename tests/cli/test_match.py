"""`match` and `explain`: who gets what, as a table and as JSON, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semantic_pubsub import Event, Ontology, ReferenceMatcher, events_from, subscriptions_from
from tests.cli.conftest import Run

EVENT = """
@prefix a: <http://example.org/auction#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
_:H a a:Selling ; a:seller _:s ; a:target _:t . _:s a a:Person ; a:cellPhoneNumber "1 [bold]2[/x]" . _:t a a:DesktopPC .
"""


@pytest.fixture
def offer(tmp_path: Path) -> Path:
    path = tmp_path / "offer.ttl"
    path.write_text(EVENT, encoding="utf-8")
    return path


def test_json_lines_are_exactly_so(run: Run, auction: Path, subscriptions: Path, offer: Path) -> None:
    done = run("match", "--ontology", auction, "--subscriptions", subscriptions, "--events", offer, "--format", "json")
    assert done.code == 0
    assert done.out == (
        '{"event": "offer.ttl", "subscription": "reachable-by-phone", "bindings": {"number": "\\"1 [bold]2[/x]\\""}}\n'
    )
    assert done.err == "1 event, 5 subscriptions, 1 match\n"


def test_json_agrees_with_the_python_interface(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    done = run("match", "--ontology", auction, "--subscriptions", subscriptions, "--events", events, "--format", "json")
    matcher = ReferenceMatcher(Ontology.load(auction))
    matcher.add_all(subscriptions_from(subscriptions))
    expected = [(event.id, name) for event in events_from(events) for name in sorted(matcher.match_ids(event))]
    assert [(o["event"], o["subscription"]) for o in done.objects] == expected
    assert len(expected) >= 8
    assert all(list(o) == ["event", "subscription", "bindings"] for o in done.objects)


def test_the_table(run: Run, auction: Path, subscriptions: Path, offer: Path) -> None:
    done = run("match", "--ontology", auction, "--subscriptions", subscriptions, "--events", offer)
    assert done.code == 0
    assert '│ offer.ttl │ reachable-by-phone │ ?number = "1 [bold]2[/x]" │' in done.out


def test_nothing_matches(run: Run, auction: Path, subscriptions: Path, project: Path) -> None:
    done = run(
        "match", "-o", auction, "-s", subscriptions / "big-disks.rq", "-e", project / "examples/events/john-desktop.ttl"
    )
    assert done.code == 0
    assert done.out == ""
    assert done.err == "1 event, 1 subscription, 0 matches\n"


def test_options_take_several_values(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    rq, ops = subscriptions / "big-disks.rq", subscriptions / "cheap-computers.ops"
    one, two = events / "notebook.ttl", events / "john-desktop.ttl"
    in_a_row = run("match", "--ontology", auction, "--subscriptions", rq, ops, "--events", one, two, "--format", "json")
    repeated = run("match", "-o", auction, "-s", rq, "-s", ops, "-e", one, "-e", two, "--format", "json")
    assert [(o["event"], o["subscription"]) for o in in_a_row.objects] == [
        ("notebook.ttl", "big-disks"),
        ("notebook.ttl", "cheap-computers"),
    ]
    assert in_a_row.err == repeated.err == "2 events, 2 subscriptions, 2 matches\n"


def test_either_semantics_on_request(run: Run, auction: Path, tmp_path: Path, offer: Path) -> None:
    pattern = tmp_path / "two-names.ops"
    pattern.write_text(
        "(_:H, ?1, (Selling, seller, Customer))\n(_:H, ?2, (Selling, party, Customer))", encoding="utf-8"
    )
    arguments = ("match", "-o", auction, "-s", pattern, "-e", offer, "--format", "json")
    assert run(*arguments).objects == []
    assert run(*arguments, "--injective").objects == []
    assert [o["subscription"] for o in run(*arguments, "--no-injective").objects] == ["two-names"]


def test_contexts_from_files(run: Run, auction: Path, subscriptions: Path, tmp_path: Path) -> None:
    document = {"@context": "https://example.com/c=1", "@type": "Selling", "seller": {"phone": "42"}}
    (tmp_path / "event.jsonld").write_text(json.dumps(document), encoding="utf-8")
    context = {
        "@context": {"@vocab": "http://example.org/auction#", "phone": "http://example.org/auction#cellPhoneNumber"}
    }
    (tmp_path / "context.jsonld").write_text(json.dumps(context), encoding="utf-8")
    arguments = ("match", "-o", auction, "-s", subscriptions, "-e", tmp_path / "event.jsonld", "--format", "json")
    given = run(*arguments, "--context", f"https://example.com/c=1={tmp_path / 'context.jsonld'}")
    assert [o["bindings"] for o in given.objects] == [{"number": '"42"'}]
    refused = run(*arguments)
    assert refused.code == 1
    assert "https://example.com/c=1" in refused.errors[0]


@pytest.mark.parametrize("url", ["http://example.org/auction#", "http://example.org/auction"])
def test_the_ontology_answers_for_its_own_namespace(
    run: Run, auction: Path, subscriptions: Path, tmp_path: Path, url: str
) -> None:
    document = {"@context": url, "@type": "Selling", "seller": {"cellPhoneNumber": "42"}}
    (tmp_path / "event.jsonld").write_text(json.dumps(document), encoding="utf-8")
    done = run("match", "-o", auction, "-s", subscriptions, "-e", tmp_path / "event.jsonld", "--format", "json")
    assert [o["bindings"] for o in done.objects] == [{"number": '"42"'}]


def test_warnings_about_events_and_subscriptions(run: Run, auction: Path, tmp_path: Path) -> None:
    (tmp_path / "island.ttl").write_text(
        '@prefix a: <http://example.org/auction#> . _:H a:target [] . a:x a:name "far away" .', encoding="utf-8"
    )
    (tmp_path / "never.ops").write_text("(_:H, ?1, (Selling, title, xsd:string), ?1 < 2 && ?1 > 3)", encoding="utf-8")
    done = run("match", "-o", auction, "-s", tmp_path / "never.ops", "-e", tmp_path / "island.ttl")
    assert done.code == 0
    warnings = [line for line in done.err.splitlines() if line.startswith("warning: ")]
    assert any("never.ops" in line for line in warnings)
    assert any("island.ttl" in line and "auction#x" in line for line in warnings)


def test_explain_prints_a_tree(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    done = run(
        "explain",
        "-o",
        auction,
        "-s",
        subscriptions,
        "-e",
        events / "jinling-wang-desktop.ttl",
        "--id",
        "cheap-computers",
    )
    assert done.code == 0
    assert done.out.startswith("event jinling-wang-desktop.ttl does not match cheap-computers\n")
    assert "✗ ?3 < 400.00: 450.00 is not < 400.00" in done.out
    assert "✓ ?1 is a Computer: _:pc is a DesktopPC ⊑ Computer" in done.out


def test_explain_as_json(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    done = run("explain", "-o", auction, "-s", subscriptions, "-e", events / "notebook.ttl", "--format", "json")
    assert [o["subscription"] for o in done.objects] == sorted(path.stem for path in subscriptions.iterdir())
    (cheap,) = [o for o in done.objects if o["subscription"] == "cheap-computers"]
    assert cheap["matched"] is True
    steps = [r["step"] for r in cheap["alternatives"][0]["requirements"]]
    assert "NotebookPC ⊑ Computer" in steps
    assert "349.90 < 400.00" in steps


def test_explain_one_event_of_many(run: Run, auction: Path, subscriptions: Path, events: Path) -> None:
    chosen = "http://example.org/market/1"
    done = run("explain", "-o", auction, "-s", subscriptions, "-e", events, "--event", chosen, "--format", "json")
    assert {o["event"] for o in done.objects} == {chosen}


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [("--id", "cheap-computer", "did you mean cheap-computers?"), ("--event", "nobody", "check --event")],
)
def test_nothing_to_explain(
    run: Run, auction: Path, subscriptions: Path, events: Path, option: str, value: str, words: str
) -> None:
    done = run("explain", "-o", auction, "-s", subscriptions, "-e", events, option, value)
    assert done.code == 1
    assert len(done.errors) == 1
    assert words in done.errors[0]


def test_an_event_is_the_same_in_every_syntax(run: Run, auction: Path, subscriptions: Path, offer: Path) -> None:
    event = Event.load(offer)
    found = []
    for ending, syntax in (
        (".ttl", "turtle"),
        (".nt", "nt"),
        (".rdf", "xml"),
        (".jsonld", "json-ld"),
        (".nq", "nquads"),
    ):
        path = offer.with_name(f"copy{ending}")
        path.write_text(event.to_text(syntax), encoding="utf-8")
        done = run("match", "-o", auction, "-s", subscriptions, "-e", path, "--format", "json")
        found.append([(o["subscription"], o["bindings"]) for o in done.objects])
    assert found == [found[0]] * 5
    assert found[0]
