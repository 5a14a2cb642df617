"""`POST /events`: every syntax, CloudEvents, repetitions, and what is refused."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rdflib

from semantic_pubsub import Event, EventValidator
from semantic_pubsub.broker import BrokerLimits
from semantic_pubsub.broker.http.luggage import Luggage
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.http.settings import HttpLimits, Settings
from semantic_pubsub.broker.limits import Limits
from tests.broker.conftest import event, pattern
from tests.broker.http.conftest import TURTLE, Api, MakeApi

SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://example.org/> .
:S a sh:NodeShape ; sh:targetSubjectsOf :p ; sh:property [ sh:path :p ; sh:minCount 1 ; sh:maxCount 1 ;
  sh:message "one p" ] .
"""
RDF_XML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="http://example.org/">'
    '<rdf:Description rdf:nodeID="H">{}</rdf:Description></rdf:RDF>'
)
CLOUD = {"specversion": "1.0", "id": "7", "source": "/shop", "type": "offer", "datacontenttype": "text/turtle"}


@pytest.fixture
def listening(api: Api) -> Api:
    api.broker.subscribe("local", pattern(), id="s")
    return api


@pytest.mark.parametrize(
    ("media_type", "syntax"),
    [
        ("text/turtle", "turtle"),
        ("application/n-triples", "nt"),
        ("application/rdf+xml", "xml"),
        ("application/ld+json", "json-ld"),
        ("text/turtle; charset=UTF-8", "turtle"),
    ],
)
def test_one_event_in_each_syntax(listening: Api, media_type: str, syntax: str) -> None:
    body = Event.parse(event(5), id="e").to_text(syntax)
    answer = listening.client.post("/events", content=body, headers={"content-type": media_type})
    assert answer.status_code == 201, answer.text
    assert answer.json()["matches"] == 1
    assert answer.json()["event"] == listening.broker.pull("local")[0].event_id


@pytest.mark.parametrize("media_type", ["application/trig", "application/n-quads"])
def test_a_dataset_is_many_events(listening: Api, media_type: str) -> None:
    body = "\n".join(f'_:H <http://example.org/p> "{n}" <http://example.org/e{n}> .' for n in (1, 2, 3))
    if media_type == "application/trig":
        body = "\n".join(f"<http://example.org/e{n}> {{ _:H <http://example.org/p> {n} }}" for n in (1, 2, 3))
    answer = listening.client.post("/events", content=body, headers={"content-type": media_type})
    assert answer.status_code == 201, answer.text
    assert [entry["matches"] for entry in answer.json()["events"]] == [1, 1, 1]
    ids = [delivery.event_id for delivery in listening.broker.pull("local")]
    assert ids == [f"http://example.org/e{n}" for n in (1, 2, 3)]


def test_of_many_events_the_good_ones_are_published(listening: Api) -> None:
    body = (
        "<http://e.org/1> { _:H <http://example.org/p> 1 } <http://e.org/2> { <a:a> <b:b> <c:c> . <d:d> <b:b> <e:e> }"
    )
    answer = listening.client.post("/events", content=body, headers={"content-type": "application/trig"})
    assert answer.status_code == 207
    assert answer.json()["accepted"] == answer.json()["refused"] == 1
    assert answer.json()["events"][1]["problem"]["type"].endswith("unreadable-event")
    assert len(listening.broker.pull("local")) == 1


def test_a_dataset_with_a_key_is_harmless_when_repeated(listening: Api) -> None:
    headers = {"content-type": "application/trig", "idempotency-key": "k"}
    body = "<http://e.org/1> { _:H <http://example.org/p> [] } <http://e.org/2> { _:H <http://example.org/p> 2 }"
    first = listening.client.post("/events", content=body, headers=headers)
    again = listening.client.post("/events", content=body, headers=headers)
    assert [entry["repeated"] for entry in first.json()["events"]] == [False, False]
    assert [entry["repeated"] for entry in again.json()["events"]] == [True, True]
    assert len(listening.broker.pull("local")) == 2
    other = listening.client.post("/events", content=body.replace("2 }", "3 }"), headers=headers)
    assert other.status_code == 409


@pytest.mark.parametrize(
    "data",
    [
        {"data": event(1)},
        {"data_base64": base64.b64encode(event(1).encode()).decode()},
        {
            "data": {"@id": "_:H", "http://example.org/p": 1},
            "datacontenttype": "application/ld+json",
        },
        {"data": {"@id": "_:H", "http://example.org/p": 1}, "datacontenttype": None},
    ],
)
def test_a_structured_cloudevent(listening: Api, data: dict[str, Any]) -> None:
    document = {name: value for name, value in {**CLOUD, **data}.items() if value is not None}
    headers = {"content-type": "application/cloudevents+json"}
    first, again = (listening.client.post("/events", json=document, headers=headers) for _ in range(2))
    assert first.status_code == 201, first.text
    assert first.json() == {"event": "/shop#7", "matches": 1, "undecided": 0, "repeated": False}
    assert again.status_code == 200
    assert again.json() == {**first.json(), "repeated": True}
    assert len(listening.broker.pull("local")) == 1


def test_a_binary_cloudevent(listening: Api) -> None:
    headers = {"ce-specversion": "1.0", "ce-id": "a%20b", "ce-source": "/s", "ce-type": "t", **TURTLE}
    answers = [listening.client.post("/events", content=event(1), headers=headers).json() for _ in range(2)]
    assert [answer["event"] for answer in answers] == ["/s#a b", "/s#a b"]
    assert [answer["repeated"] for answer in answers] == [False, True]


def test_a_batch_of_cloudevents(listening: Api) -> None:
    batch = [{**CLOUD, "id": str(n), "data": event(n)} for n in range(3)]
    headers = {"content-type": "application/cloudevents-batch+json"}
    answer = listening.client.post("/events", json=batch, headers=headers)
    assert [entry["event"] for entry in answer.json()["events"]] == ["/shop#0", "/shop#1", "/shop#2"]


def test_of_a_batch_the_good_ones_are_published(listening: Api) -> None:
    good = {**CLOUD, "data": event(1)}
    batch = [{"specversion": "1.0"}, good, 5, {**good, "id": "8", "datacontenttype": "text/csv"}]
    headers = {"content-type": "application/cloudevents-batch+json"}
    answer = listening.client.post("/events", json=batch, headers=headers)
    assert (answer.status_code, answer.json()["accepted"], answer.json()["refused"]) == (207, 1, 3)
    assert answer.json()["events"][1]["event"] == "/shop#7"
    assert [entry["problem"]["status"] for entry in answer.json()["events"] if "problem" in entry] == [400, 400, 415]
    assert len(listening.broker.pull("local")) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"specversion": "0.3"},
        {"id": ""},
        {"source": None},
        {"type": 5},
        {"data_base64": "%%"},
        {"data": 5},
        {"datacontenttype": 5},
        {"id": "a\nb"},
    ],
)
def test_a_broken_cloudevent(api: Api, change: dict[str, Any]) -> None:
    headers = {"content-type": "application/cloudevents+json"}
    answer = api.client.post("/events", json={**CLOUD, "data": event(1), **change}, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["type"].endswith("unreadable-cloudevent")


def test_a_key_makes_a_repeat_harmless(listening: Api) -> None:
    headers = {**TURTLE, "idempotency-key": "k"}
    first, again = (listening.client.post("/events", content=event("[]"), headers=headers) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == {**first.json(), "repeated": True}
    other = listening.client.post("/events", content=event(2), headers=headers)
    assert other.status_code == 409
    assert other.json()["detail"] == "the idempotency key was used for another event"
    assert other.json()["hint"].startswith("take a new key")


def test_a_key_counts_for_its_publisher_alone(api: Api) -> None:
    answers = []
    for who in ("ann", "bob"):
        headers = {**TURTLE, "idempotency-key": "k", **api.key(who, "publish")}
        answers.append(api.client.post("/events", content=event(len(answers)), headers=headers))
    assert [answer.json()["repeated"] for answer in answers] == [False, False]


def test_an_invalid_event_has_a_report(make_api: MakeApi, tmp_path: Path) -> None:
    shapes = tmp_path / "shapes.ttl"
    shapes.write_text(SHAPES)
    api = make_api(validator=EventValidator(shapes))
    answer = api.client.post("/events", content=event(1, 2), headers=TURTLE)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["report"]["violations"][0]["message"] == "one p"
    assert answer.json()["hint"]
    graph = api.client.post("/events", content=event(1, 2), headers={**TURTLE, "accept": "text/turtle"})
    assert graph.status_code == 422
    assert graph.headers["content-type"].startswith("text/turtle")
    report = rdflib.Graph().parse(data=graph.text, format="turtle")
    assert (None, rdflib.SH.conforms, rdflib.Literal(False)) in report
    assert api.client.post("/events", content=event(1), headers={**TURTLE, "accept": "text/turtle"}).status_code == 201


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"content-type": "text/csv"}, "a,b", 415),
        ({"content-type": ""}, "a,b", 415),
        ({"content-type": "text/turtle; charset=latin-1"}, event(1), 415),
        ({**TURTLE, "content-encoding": "gzip"}, event(1), 415),
        ({**TURTLE, "accept": "image/png"}, event(1), 406),
        ({**TURTLE, "idempotency-key": "k" * 300}, event(1), 400),
        (TURTLE, "_:H :p", 400),
        (TURTLE, "<a:a> <b:b> <c:c> . <d:d> <b:b> <e:e> .", 400),
        ({"content-type": "application/trig"}, "", 400),
        ({"content-type": "application/cloudevents+json"}, "[]", 400),
        ({"content-type": "application/cloudevents+json"}, "{", 400),
        ({"content-type": "application/cloudevents+json"}, '{"a":' * 3000, 400),
        ({"content-type": "application/cloudevents+json"}, '{"id": "\\ud800"}', 400),
        ({"content-type": "application/cloudevents-batch+json"}, "{}", 400),
        ({"content-type": "application/ld+json"}, "[" * 5000, 400),
    ],
)
def test_what_cannot_be_read_says_why(api: Api, headers: dict[str, str], body: str, status: int) -> None:
    answer = api.client.post("/events", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["detail"]
    assert problem["hint"]
    assert api.broker.store.events.count() == 0


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("application/ld+json", '{"@id": "_:H", "http://example.org/p": {"@id": "_:a:b"}}'),
        ("application/rdf+xml", RDF_XML.format('<p:p rdf:nodeID="a."/>')),
    ],
)
def test_labels_that_cannot_be_read_again_are_refused(listening: Api, media_type: str, text: str) -> None:
    answer = listening.client.post("/events", content=text, headers={"content-type": media_type})
    assert answer.status_code == 400
    assert "no label" in answer.json()["detail"]


def test_what_cannot_be_written_as_asked_for_is_delivered_as_it_is(listening: Api) -> None:
    """RDF/XML has no word for such a property; what comes after it arrives as asked for."""
    listening.broker.subscribe("local", pattern(), id="xml", format="xml")
    odd = event(1) + "\n_:H <http://example.org/p/1> 2 ."
    for text in (odd, event(2)):
        assert listening.client.post("/events", content=text, headers=TURTLE).json()["matches"] == 2
    first, second = listening.client.get("/subscriptions/xml/deliveries").json()["deliveries"]
    assert (first["event"]["format"], first["event"]["data"]) == ("turtle", odd)
    assert first["bindings"]["v"]["value"] == "1"
    assert second["event"]["format"] == "xml"
    assert second["event"]["data"].startswith("<?xml")


def test_a_text_that_is_damaged_holds_nothing_up(listening: Api) -> None:
    for number in range(2):
        listening.broker.publish(event(number))
    broken = b"\0nonsense"
    listening.broker.store.write(lambda c: c.execute("UPDATE events SET body = ? WHERE number = 1", (broken,))).result()
    first, second = listening.client.get("/deliveries").json()["deliveries"]
    assert (first["event"]["data"], first["bindings"]) == ("nonsense", None)
    assert second["bindings"]["v"]["value"] == "1"


def test_a_syntax_error_names_its_place(api: Api) -> None:
    answer = api.client.post("/events", content="<a:a> <b:b> <c:c> .\n<a:a> oops .", headers=TURTLE)
    assert answer.json()["line"] == 2


def test_a_body_is_refused_as_soon_as_it_is_too_large(make_api: MakeApi) -> None:
    limits = BrokerLimits(event=Limits(bytes=1000))
    api = make_api(Settings(http=HttpLimits(body_bytes=1500)), limits=limits)
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 50_000:
            sent += 500
            yield b"#" * 500

    announced = api.client.post("/events", content=b"#" * 5000, headers=TURTLE)
    streamed = api.client.post("/events", content=endless(), headers=TURTLE)
    for answer in (announced, streamed):
        assert answer.status_code == 413
        assert answer.headers["connection"] == "close"
    assert api.client.post("/events", content=event(1) + "#" * 1200, headers=TURTLE).status_code == 400


def test_all_bodies_together_have_a_limit(make_api: MakeApi) -> None:
    api = make_api(Settings(http=HttpLimits(bodies_bytes=1000)))
    refused = api.client.post("/events", content=event(1) + "#" * 1000, headers=TURTLE)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert refused.headers["connection"] == "close"
    for _ in range(3):  # what was read is free again after the answer, whatever that was
        assert api.client.post("/events", content="#" * 900, headers=TURTLE).status_code == 400
        assert api.client.post("/events", content=event(1) + "#" * 800, headers=TURTLE).status_code == 201
    assert api.service.luggage.held == 0


def test_the_bodies_of_others_count() -> None:
    luggage = Luggage(10)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"1234"}

    async def main() -> None:
        with luggage.of_one() as mine, luggage.of_one() as others:
            await mine(receive)()
            await others(receive)()
            with pytest.raises(ProblemError, match="too much"):
                await mine(receive)()
            assert luggage.held == 8
        assert luggage.held == 0

    asyncio.run(main())


def test_too_many_events(make_api: MakeApi) -> None:
    api = make_api(Settings(http=HttpLimits(events_per_request=2)))
    body = "".join(f"<http://e.org/{n}> {{ _:H <http://example.org/p> {n} }}" for n in range(3))
    answer = api.client.post("/events", content=body, headers={"content-type": "application/trig"})
    assert answer.status_code == 413
    assert api.broker.store.events.count() == 0


def test_a_full_store_says_when_to_come_again(make_api: MakeApi) -> None:
    api = make_api(limits=BrokerLimits(store_bytes=1))
    answer = api.client.post("/events", content=event(1), headers=TURTLE)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "30"
    assert api.client.get("/ready").status_code == 503
    assert api.client.get("/health").status_code == 200


def test_too_much_that_waits_says_when_to_come_again(make_api: MakeApi) -> None:
    api = make_api(limits=BrokerLimits(waiting_writes=0))
    answer = api.client.post("/events", content=event(1), headers=TURTLE)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
