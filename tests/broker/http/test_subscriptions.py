"""`/subscriptions`: the forms they are made in, reading, paging, replacing, pausing, ending."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from semantic_pubsub.broker import BrokerLimits
from tests.broker.conftest import HandClock, event, pattern
from tests.broker.http.conftest import Api, MakeApi

SPARQL = {"content-type": "application/sparql-query"}
HOOK = "https://example.org/in"


def made(api: Api, **document: Any) -> dict[str, Any]:
    answer = api.client.post("/subscriptions", json={"pattern": pattern(), **document})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_three_forms(api: Api) -> None:
    sparql = api.client.post("/subscriptions?id=a&format=nt&throttling=5", content=pattern(), headers=SPARQL)
    statements = api.client.post(
        "/subscriptions?id=b&injective=false", content="(_:H, ?v, (A, p, A))", headers={"content-type": "text/plain"}
    )
    document = api.client.post("/subscriptions", json={"pattern": pattern(), "id": "c", "expiresAt": "2030-01-01"})
    assert sparql.status_code == document.status_code == 201, sparql.text
    assert sparql.headers["location"] == "/subscriptions/a"
    assert (sparql.json()["notification"]["format"], sparql.json()["throttling"]) == ("nt", 5.0)
    assert document.json()["expiresAt"] == "2030-01-01T00:00:00Z"
    assert statements.json()["injective"] is False


def test_reading_shows_how_it_goes(api: Api) -> None:
    made(api, id="a")
    api.broker.publish(event(1))
    position = api.broker.pull("local")[0].position
    assert api.client.post("/subscriptions/a/ack", json={"position": position}).status_code == 204
    found = api.client.get("/subscriptions/a").json()
    assert found["status"] == "active"
    assert found["isActive"] is True
    assert found["notification"]["timesSent"] == 1
    assert found["notification"]["lastSuccess"] == "1970-01-12T13:46:40Z"


def test_a_page_leads_to_the_next(api: Api) -> None:
    for number in range(5):
        made(api, id=f"s{number}")
    seen, after = [], 0
    while after is not None:
        page = api.client.get("/subscriptions", params={"after": after, "limit": 2}).json()
        seen += [found["id"] for found in page["subscriptions"]]
        after = page.get("next")
    assert seen == [f"s{number}" for number in range(5)]


def test_a_document_that_was_read_can_be_sent_back(api: Api) -> None:
    before = made(api, id="a", throttling=3, notification={"endpoint": {"uri": HOOK, "secret": "top"}})
    assert "top" not in str(before)
    assert before["notification"]["endpoint"] == {"uri": HOOK, "signed": True}
    after = api.client.put("/subscriptions/a", json=before).json()
    assert {**after, "modifiedAt": before["modifiedAt"]} == before
    moved = {**before, "notification": {"endpoint": {"uri": "https://example.org/other"}}}
    assert api.client.put("/subscriptions/a", json=moved).json()["notification"]["endpoint"]["signed"] is False


def test_replacing_changes_what_matches(api: Api) -> None:
    made(api, id="a")
    answer = api.client.put("/subscriptions/a", content=pattern("q"), headers=SPARQL)
    assert answer.status_code == 200
    assert api.broker.publish(event(1)).matches == 0
    assert api.broker.publish(event(1, prop="q")).matches == 1
    assert api.client.put("/subscriptions/a", json={"pattern": pattern(), "id": "b"}).status_code == 400
    assert api.client.put("/subscriptions/b", json={"pattern": pattern()}).status_code == 404


def test_replacing_all_of_it_makes_a_paused_one_active(api: Api) -> None:
    made(api, id="a", isActive=False)
    kept = api.client.put("/subscriptions/a", json={"pattern": pattern("q"), "isActive": False})
    assert kept.json()["status"] == "paused"
    api.broker.publish(event(1, prop="q"))
    resumed = api.client.put("/subscriptions/a", json={"pattern": pattern("q"), "isActive": True})
    assert (resumed.json()["status"], resumed.json()["isActive"]) == ("active", True)
    assert len(api.client.get("/deliveries").json()["deliveries"]) == 1


def test_the_document_of_another_is_not_taken_for_ones_own(api: Api) -> None:
    root = api.key("root", "admin")
    document = {"pattern": pattern(), "id": "a", "subscriber": "ann"}
    assert api.client.post("/subscriptions", json=document, headers=root).status_code == 400
    made = api.client.post("/subscriptions?subscriber=ann", json=document, headers=root)
    assert (made.status_code, made.json()["subscriber"]) == (201, "ann")
    bobs = {**document, "subscriber": "bob"}
    assert api.client.put("/subscriptions/a?subscriber=ann", json=bobs, headers=root).status_code == 400


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/subscriptions/a"),
        ("PATCH", "/subscriptions/a"),
        ("DELETE", "/subscriptions/a"),
        ("POST", "/events"),
        ("POST", "/ontology"),
    ],
)
def test_a_misspelt_parameter_does_nothing(api: Api, method: str, path: str) -> None:
    made(api, id="a")
    content = {"POST": event(1).encode(), "PATCH": b'{"isActive": false}'}.get(method)
    kind = "text/turtle" if path == "/events" else "application/json"
    answer = api.client.request(
        method, f"{path}?subsriber=ann", content=content, headers={"content-type": kind} if content else {}
    )
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (400, "bad-query")
    assert api.client.get("/subscriptions/a").json()["status"] == "active"
    assert api.broker.pull("local") == []


def test_pause_and_resume(api: Api) -> None:
    made(api, id="a")
    paused = api.client.patch("/subscriptions/a", json={"isActive": False}).json()
    assert (paused["isActive"], paused["status"]) == (False, "paused")
    api.broker.publish(event(1))
    assert api.client.get("/deliveries").json() == {"deliveries": []}
    resumed = api.client.patch("/subscriptions/a", json={"isActive": True}).json()
    assert resumed["status"] == "active"
    assert len(api.client.get("/deliveries").json()["deliveries"]) == 1
    assert made(api, id="b", isActive=False)["status"] == "paused"


def test_a_patch_keeps_the_rest(api: Api) -> None:
    made(api, id="a", throttling=3, expiresAt="2030-01-01T00:00:00Z", isActive=False)
    changed = api.client.patch("/subscriptions/a", json={"expiresAt": None}).json()
    assert "expiresAt" not in changed
    assert (changed["throttling"], changed["status"]) == (3.0, "paused")
    assert api.client.patch("/subscriptions/a", json={"throttling": 4}).json()["throttling"] == 4.0
    assert api.client.patch("/subscriptions/a", json={"pattern": "x"}).status_code == 400


def test_patches_at_the_same_time_do_not_undo_each_other(api: Api) -> None:
    made(api, id="a")
    patches: list[dict[str, Any]] = [{"expiresAt": "2030-01-01T00:00:00Z"}, {"throttling": 7}, {"isActive": False}]
    begin = threading.Barrier(len(patches))

    def patch(document: dict[str, Any]) -> None:
        begin.wait(60)
        assert api.client.patch("/subscriptions/a", json=document).status_code == 200

    threads = [threading.Thread(target=patch, args=(document,)) for document in patches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = api.client.get("/subscriptions/a").json()
    assert {name: found[name] for patch in patches for name in patch} == {
        name: value for patch in patches for name, value in patch.items()
    }


def test_a_patch_comes_between_the_reading_and_the_writing_of_another(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that comes last changes what it names, and not what it has read of the rest."""
    made(api, id="a")
    adjust = api.broker.adjust

    def late(*place: str, **given: Any) -> Any:
        monkeypatch.setattr(api.broker, "adjust", adjust)
        api.broker.adjust("local", "a", expires_at=2e9)
        return adjust(*place, **given)

    monkeypatch.setattr(api.broker, "adjust", late)
    found = api.client.patch("/subscriptions/a", json={"throttling": 7}).json()
    assert (found["throttling"], found["expiresAt"]) == (7.0, "2033-05-18T03:33:20Z")


def test_a_patch_looks_at_what_it_names_alone(api: Api, clock: HandClock) -> None:
    """What was made in Python may have a format or an end that no document could give."""
    api.broker.subscribe("local", pattern(), id="a", format="trig", expires_at=clock.time + 10.123456789)
    assert api.client.patch("/subscriptions/a", json={"isActive": False}).json()["status"] == "paused"
    clock.time += 20
    api.broker.housekeeper.sweep()
    found = api.client.patch("/subscriptions/a", json={"throttling": 5}).json()
    assert (found["throttling"], found["status"]) == (5.0, "expired")


@pytest.mark.parametrize(
    "patch",
    [
        {"throttling": -1}, {"throttling": True}, {"throttling": "5"}, {"expiresAt": 5}, {"expiresAt": "soon"},
        {"expiresAt": "1970-01-01"}, {"isActive": "no"}, {"pattern": "x"}, {"isActive": False, "throttling": -1},
    ],
)  # fmt: skip
def test_a_patch_that_is_refused_changes_nothing(api: Api, patch: dict[str, Any]) -> None:
    before = made(api, id="a")
    answer = api.client.patch("/subscriptions/a", json=patch)
    assert (answer.status_code, bool(answer.json()["hint"])) == (400, True)
    assert api.client.get("/subscriptions/a").json() == before


def test_null_takes_a_value_away(api: Api) -> None:
    made(api, id="a", throttling=3, expiresAt="2030-01-01", isActive=False)
    found = api.client.patch("/subscriptions/a", json={"throttling": None, "expiresAt": None, "isActive": None}).json()
    assert (found["throttling"], found.get("expiresAt"), found["isActive"]) == (0.0, None, True)


def test_a_secret_that_comes_while_another_document_is_read_is_kept(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = {"endpoint": {"uri": HOOK}}
    made(api, id="a", notification=hook)
    replace = api.broker.replace

    def late(*given: Any, **more: Any) -> Any:
        monkeypatch.setattr(api.broker, "replace", replace)
        signed = {"pattern": pattern(), "notification": {"endpoint": {"uri": HOOK, "secret": "s"}}}
        assert api.client.put("/subscriptions/a", json=signed).status_code == 200
        return replace(*given, **more)

    monkeypatch.setattr(api.broker, "replace", late)
    found = api.client.put("/subscriptions/a", json={"pattern": pattern("q"), "notification": hook}).json()
    assert found["notification"]["endpoint"]["signed"] is True


def test_warnings_come_with_the_answer_alone(api: Api) -> None:
    never = pattern(filter_="FILTER(?v < 1 && ?v > 2)")
    assert "never true" in made(api, id="a", pattern=never)["warnings"][0]
    assert "warnings" not in api.client.get("/subscriptions/a").json()
    assert "warnings" not in api.client.patch("/subscriptions/a", json={"throttling": 1}).json()
    assert "never true" in api.client.put("/subscriptions/a", json={"pattern": never}).json()["warnings"][0]
    assert "warnings" not in api.client.put("/subscriptions/a", json={"pattern": pattern()}).json()


def test_an_end_in_time(api: Api, clock: HandClock) -> None:
    made(api, id="a", expiresAt="1970-01-12T13:46:50Z")
    clock.time += 20
    api.broker.housekeeper.sweep()
    assert api.client.get("/subscriptions/a").json()["status"] == "expired"
    again = api.client.patch("/subscriptions/a", json={"isActive": True, "throttling": 9})
    assert again.status_code == 409
    assert api.client.get("/subscriptions/a").json()["throttling"] == 0
    later = api.client.patch("/subscriptions/a", json={"expiresAt": "2030-01-01", "isActive": True})
    assert later.json()["status"] == "active"


def test_ending_it(api: Api) -> None:
    made(api, id="a")
    assert api.client.delete("/subscriptions/a").status_code == 204
    assert api.client.delete("/subscriptions/a").status_code == 404
    assert api.broker.publish(event(1)).matches == 0


def test_an_id_with_strange_characters(api: Api) -> None:
    name = "ü ?&#%2e:"
    location = api.client.post("/subscriptions", json={"pattern": pattern(), "id": name}).headers["location"]
    assert api.client.get(location).json()["id"] == name


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"pattern": ""},
        {"pattern": 5},
        {"pattern": "SELECT"},
        {"pattern": "SELECT ?v { _:H ?p ?v }"},
        {"pattern": pattern(), "patern": 1},
        {"pattern": pattern(), "id": "a/b"},
        {"pattern": pattern(), "id": ".."},
        {"pattern": pattern(), "id": "x" * 300},
        {"pattern": pattern(), "syntax": "cypher"},
        {"pattern": pattern(), "type": "Other"},
        {"pattern": pattern(), "throttling": -1},
        {"pattern": pattern(), "throttling": True},
        {"pattern": pattern(), "throttling": 1e300},
        {"pattern": pattern(), "isActive": "yes"},
        {"pattern": pattern(), "expiresAt": "soon"},
        {"pattern": pattern(), "expiresAt": "9999-12-31T23:59:59Z"},
        {"pattern": pattern(), "notification": {"format": "trig"}},
        {"pattern": pattern(), "notification": {"format": "csv"}},
        {"pattern": pattern(), "notification": {"endpoint": {}}},
        {"pattern": pattern(), "notification": {"endpoint": {"uri": "ftp://example.org"}}},
        {"pattern": pattern(), "notification": {"endpoint": {"uri": "http://a@b/"}}},
        {"pattern": "# \ud800\n" + pattern()},
        {"pattern": "# \0\n" + pattern()},
    ],
)
def test_what_is_refused_says_why(api: Api, document: dict[str, Any]) -> None:
    answer = api.client.post(
        "/subscriptions", content=json.dumps(document), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400, answer.text
    assert answer.json()["hint"]
    assert api.client.get("/subscriptions").json() == {"subscriptions": []}


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=-1", "limit=x", "after=٣", "limit=99999", "nonsense=1", "after=" + "9" * 30]
)
def test_bad_queries(api: Api, query: str) -> None:
    answer = api.client.get(f"/subscriptions?{query}")
    assert answer.status_code == 400
    assert answer.json()["hint"]


def test_a_place_in_the_past_and_a_taken_id(api: Api) -> None:
    made(api, id="a")
    assert api.client.post("/subscriptions", json={"pattern": pattern(), "id": "a"}).status_code == 409
    past = api.client.post("/subscriptions", json={"pattern": pattern(), "expiresAt": "1970-01-01"})
    assert (past.status_code, past.json()["detail"]) == (400, "its end is no time to come")


def test_limits(make_api: MakeApi) -> None:
    api = make_api(limits=BrokerLimits(subscriptions_per_subscriber=1, subscription_characters=200))
    made(api)
    assert api.client.post("/subscriptions", json={"pattern": pattern()}).status_code == 413
    long = api.client.post("/subscriptions", content=pattern() + "#" * 300, headers=SPARQL)
    assert long.status_code == 413
    huge = api.client.post("/subscriptions", content="#" * 300_000, headers=SPARQL)
    assert huge.status_code == 413
