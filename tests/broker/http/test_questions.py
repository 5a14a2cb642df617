"""Explanations, the ontology, health, metrics, documents, and what is at no path."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Ontology
from semantic_pubsub.broker.http.metrics import Metrics
from semantic_pubsub.broker.http.openapi import document
from semantic_pubsub.broker.http.routes import ROUTES
from semantic_pubsub.broker.http.settings import HttpLimits, Settings
from tests.broker.conftest import HandClock, event, pattern
from tests.broker.http.conftest import TURTLE, Api, MakeApi


@pytest.fixture
def asked(api: Api) -> Api:
    api.broker.subscribe("local", pattern(filter_="FILTER(?v > 3)"), id="a")
    return api


def test_why_and_why_not(asked: Api) -> None:
    no = asked.client.post("/explain?subscription=a", content=event(1), headers=TURTLE)
    assert no.json()["matched"] is False
    assert "> 3" in no.json()["text"]
    yes = asked.client.post("/explain", json={"subscription": "a", "event": event(5)})
    assert yes.json()["matched"] is True
    text = asked.client.post("/explain?subscription=a", content=event(1), headers={**TURTLE, "accept": "text/plain"})
    assert text.text.rstrip("\n").splitlines()[1:] == no.json()["text"].splitlines()[1:]
    assert asked.broker.store.events.count() == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"subscription": "b", "event": event(1)}, 404),
        ({"event": event(1)}, 400),
        ({"subscription": "a", "event": 1}, 400),
        ({"subscription": "a", "event": ":"}, 400),
        ({"subscription": "a", "event": event(1), "format": "csv"}, 400),
        ({"subscription": "a", "event": "#" * 70_000}, 413),
    ],
)
def test_bad_questions(asked: Api, body: dict[str, Any], status: int) -> None:
    assert asked.client.post("/explain", json=body).status_code == status


def test_explaining_is_limited_in_rate(make_api: MakeApi, clock: HandClock) -> None:
    api = make_api(Settings(http=HttpLimits(explain_per_second=0.5, explain_burst=2)))
    api.broker.subscribe("local", pattern(), id="a")

    def ask() -> int:
        return api.client.post("/explain", json={"subscription": "a", "event": event(1)}).status_code

    assert [ask(), ask(), ask()] == [200, 200, 429]
    answer = api.client.post("/explain", json={"subscription": "a", "event": event(1)})
    assert answer.headers["retry-after"] == "2"
    clock.time += 2
    assert [ask(), ask()] == [200, 429]


def test_the_ontology(make_api: MakeApi, project: Path) -> None:
    api = make_api(ontology=Ontology.load(project / "ontology/auction.ttl"))
    answer = api.client.get("/ontology")
    classes = {entry["iri"].rpartition("#")[2]: entry for entry in answer.json()["classes"]}
    assert "http://example.org/auction#Computer" in classes["NotebookPC"]["parents"]
    prices = [entry for entry in answer.json()["properties"] if entry["iri"].endswith("#price")]
    assert prices
    again = api.client.get("/ontology", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_reloading_reports_what_fits_no_more_and_loses_nothing(make_api: MakeApi, tmp_path: Path) -> None:
    def write(*names: str) -> None:
        kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#"
        lines = [f"<http://example.org/{n}> {kind}ObjectProperty> ." for n in names]
        (tmp_path / "o.nt").write_text("\n".join([*lines, f"<http://example.org/A> {kind}Class> ."]))

    write("p", "q")
    api = make_api(Settings(ontology=(str(tmp_path / "o.nt"),)), ontology=Ontology.load(tmp_path / "o.nt"))
    api.broker.subscribe("local", "(_:H, ?1, (A, q, A))", id="bare")
    api.broker.subscribe("local", pattern(), id="full")
    write("p")
    answer = api.client.post("/ontology")
    assert answer.status_code == 200, answer.text
    assert [entry["id"] for entry in answer.json()["refused"]] == ["bare"]
    assert api.client.get("/subscriptions/bare").json()["status"] == "invalid"
    assert api.broker.publish(event(1)).matches == 1
    write("p", "q")
    assert api.client.post("/ontology").json()["refused"] == []
    assert api.client.get("/subscriptions/bare").json()["status"] == "active"
    (tmp_path / "o.nt").write_text("broken")
    assert api.client.post("/ontology").status_code == 409
    assert api.broker.publish(event(1)).matches == 1


def test_while_the_ontology_is_read_changes_wait_and_nothing_else_does(api: Api) -> None:
    api.broker.subscribe("local", pattern(), id="mine")
    with ThreadPoolExecutor(20) as threads, api.broker._desk.at_rest():
        changes = [
            threads.submit(api.client.put, "/subscriptions/mine", json={"pattern": pattern("q")}) for _ in range(20)
        ]
        assert api.client.post("/events", content=event(1), headers=TURTLE).json()["matches"] == 1
        found = api.client.get("/subscriptions/mine/deliveries").json()["deliveries"]
        assert api.client.post("/subscriptions/mine/ack", json={"position": found[0]["position"]}).status_code == 204
        assert not any(change.done() for change in changes)
    assert all(change.result().status_code == 200 for change in changes)


def test_metrics(asked: Api) -> None:
    asked.client.post("/events", content=event(5), headers=TURTLE)
    asked.client.post("/events", content="broken", headers=TURTLE)
    page = asked.client.get("/metrics").text
    values = dict(line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
    assert values["semantic_pubsub_events_total"] == "1"
    assert values["semantic_pubsub_matches_total"] == "1"
    assert values["semantic_pubsub_refused_total"] == "1"
    assert values["semantic_pubsub_queue_depth"] == "1"
    assert values['semantic_pubsub_http_requests_total{method="POST",route="/events",status="400"}'] == "1"
    assert values["semantic_pubsub_matching_seconds_count"] == "1"
    assert values['semantic_pubsub_commit_seconds_bucket{le="+Inf"}'] == "1"
    names = re.findall(r"^# TYPE (\S+)", page, re.MULTILINE)
    assert len(names) == len(set(names))
    assert all(f"# HELP {name} " in page for name in names)


def test_a_histogram_counts_what_is_below() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.002, 100.0):
        metrics.published(seconds, 0.0)
    lines = metrics._matching.samples()
    assert lines[0] == ('_bucket{le="0.001"}', 1)
    assert lines[1] == ('_bucket{le="0.0025"}', 2)
    assert lines[-3] == ('_bucket{le="+Inf"}', 3)


def test_the_document_describes_each_route_and_no_other() -> None:
    described = {(method.upper(), path) for path, entry in document()["paths"].items() for method in entry}
    assert described == {(route.method, route.path) for route in ROUTES}
    public = {path for path, entry in document()["paths"].items() if entry.get("get", {}).get("security") == []}
    assert public == {route.path for route in ROUTES if route.role is None}


def test_the_page_loads_nothing_from_elsewhere(api: Api) -> None:
    answer = api.client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert "http" not in answer.text.replace("http_", "")
    assert "<script" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert all(route.path in answer.text for route in ROUTES)


def test_nothing_is_at_other_paths(api: Api) -> None:
    missing = api.client.get("/nothing")
    assert (missing.status_code, missing.json()["hint"]) == (404, "see /docs")
    wrong = api.client.put("/events")
    assert wrong.status_code == 405
    assert wrong.headers["allow"] == "POST"
    assert api.client.head("/health").status_code == 200
    assert api.client.get("/events/").status_code == 404


def test_an_error_that_nobody_foresaw_tells_nothing(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(api.broker, "subscriptions", broken)
    answer = api.client.get("/subscriptions")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.json()["type"].endswith("internal")
