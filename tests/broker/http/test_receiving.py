"""Pull with cursor and acknowledgement; dead letters."""

from __future__ import annotations

from typing import Any

import pytest

from semantic_pubsub.broker import RetryPolicy
from semantic_pubsub.broker.model import Webhook
from tests.broker.conftest import Receivers, event, eventually, pattern
from tests.broker.http.conftest import Api, MakeApi

HOOK = "https://example.org/in"


def pulled(api: Api, path: str, **params: Any) -> list[dict[str, Any]]:
    answer = api.client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["deliveries"]
    return found


def test_a_cursor_and_acknowledgement(api: Api) -> None:
    api.broker.subscribe("local", pattern(), id="a", format="nt")
    for number in range(5):
        api.broker.publish(event(number))
    first = pulled(api, "/subscriptions/a/deliveries", limit=2)
    assert [d["bindings"]["v"]["value"] for d in first] == ["0", "1"]
    assert first[0]["event"]["format"] == "nt"
    assert pulled(api, "/subscriptions/a/deliveries", limit=2) == first
    assert len(pulled(api, "/subscriptions/a/deliveries", after=first[1]["position"])) == 3
    assert api.client.post("/subscriptions/a/ack", json={"position": first[1]["position"]}).status_code == 204
    assert [d["bindings"]["v"]["value"] for d in pulled(api, "/deliveries")] == ["2", "3", "4"]
    assert len(pulled(api, "/subscriptions/a/deliveries", after=0)) == 5


def test_acknowledging_one_subscription_leaves_the_others(api: Api) -> None:
    for name in ("a", "b"):
        api.broker.subscribe("local", pattern(), id=name)
    api.broker.publish(event(1))
    position = max(d["position"] for d in pulled(api, "/deliveries"))
    api.client.post("/subscriptions/b/ack", json={"position": position})
    assert [d["subscription"] for d in pulled(api, "/deliveries")] == ["a"]


@pytest.mark.parametrize("body", [{}, {"position": "1"}, {"position": True}, {"position": -1}, {"position": 2**70}])
def test_bad_acknowledgements(api: Api, body: dict[str, Any]) -> None:
    api.broker.subscribe("local", pattern(), id="a")
    assert api.client.post("/subscriptions/a/ack", json=body).status_code == 400


def test_a_webhook_is_not_pulled(api: Api) -> None:
    api.broker.subscribe("local", pattern(), Webhook(HOOK), id="a")
    assert api.client.get("/subscriptions/a/deliveries").status_code == 404
    assert api.client.post("/subscriptions/a/ack", json={"position": 1}).status_code == 404


def test_dead_letters_are_listed_replayed_and_discarded(make_api: MakeApi, receivers: Receivers) -> None:
    api = make_api(retry=RetryPolicy(attempts=1))
    receivers.behaviour[HOOK] = "fail"
    api.broker.subscribe("local", pattern(), Webhook(HOOK), id="a")
    for number in range(3):
        api.broker.publish(event(number))

    def letters(**params: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = api.client.get("/dead-letters", params=params).json()["deadLetters"]
        return found

    def notified() -> dict[str, Any]:
        found: dict[str, Any] = api.client.get("/subscriptions/a").json()["notification"]
        return found

    eventually(lambda: len(letters()) == 3)
    first = api.client.get("/dead-letters", params={"limit": 2}).json()
    assert [letter["reason"] for letter in first["deadLetters"]] == ["answered 500"] * 2
    assert len(letters(after=first["next"], subscription="a")) == 1
    assert letters(subscription="b") == []
    assert notified()["status"] == "failed"  # the last attempt did, though nobody tries again
    assert notified()["timesFailed"] == 3
    receivers.behaviour[HOOK] = "accept"
    numbers = [letter["number"] for letter in letters()]
    position = api.client.post(f"/dead-letters/{numbers[0]}/replay").json()["position"]
    eventually(lambda: receivers.of(HOOK) == [position])
    eventually(lambda: notified()["status"] == "ok")
    assert api.client.delete(f"/dead-letters/{numbers[1]}").status_code == 204
    assert [letter["number"] for letter in letters()] == numbers[2:]
    for missing in (numbers[0], "x", "9" * 40):
        assert api.client.post(f"/dead-letters/{missing}/replay").status_code == 404
        assert api.client.delete(f"/dead-letters/{missing}").status_code == 404
