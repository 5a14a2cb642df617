"""The clients against a server: both do the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from semantic_pubsub import EventError
from semantic_pubsub.broker.client import ApiError, AsyncClient, Client, ClientDelivery
from semantic_pubsub.broker.client_calls import Messages
from tests.broker.conftest import event, pattern
from tests.broker.http.conftest import Running, start


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    made = start(tmp_path_factory.mktemp("server"))
    yield made
    stop(made)


def test_all_calls(server: Running) -> None:
    with Client(server.url, key=server.keys["ann"]) as client:
        made = client.subscribe(pattern(), id="a b", format="nt", throttling=0, expires_at="2090-01-01T00:00:00Z")
        assert (made.id, made.is_active, made.status) == ("a b", True, "active")
        receipt = client.publish(event('"1"'), "nt", idempotency_key="k")
        assert client.publish(event('"1"'), "nt", idempotency_key="k").repeated
        (delivery,) = client.pull("a b")
        assert (delivery.event_id, delivery.format) == (receipt.event_id, "nt")
        assert delivery.bindings is not None
        assert delivery.bindings["v"]["value"] == "1"
        assert client.pull() == client.pull("a b", after=0) == [delivery]
        client.ack(delivery)
        assert client.pull() == []
        assert client.explain(event(1), "a b")["matched"]
        assert not client.pause("a b").is_active
        assert client.resume("a b").is_active
        assert client.replace("a b", pattern("q")).pattern == pattern("q")
        assert [found.id for found in client.subscriptions()] == ["a b"] == [client.subscription("a b").id]
        assert client.dead_letters() == []
        for call in (lambda: client.replay(1), lambda: client.discard(1)):
            with pytest.raises(ApiError) as caught:
                call()
            assert caught.value.status == 404
        client.unsubscribe("a b")
        with pytest.raises(ApiError, match="list your subscriptions"):
            client.subscription("a b")


def test_all_that_a_subscription_can_be_asked_for(server: Running) -> None:
    never = pattern("t", "FILTER(?v < 1 && ?v > 2)")
    with Client(server.url, key=server.keys["ann"]) as client:
        made = client.subscribe(never, id="all", syntax="sparql", injective=True, paused=True)
        assert (made.status, made.document["injective"], made.document["syntax"]) == ("paused", True, "sparql")
        assert "never true" in made.warnings[0]
        assert client.subscription("all").warnings == ()
        with pytest.raises(ApiError):
            client.replace("all", pattern("t"), syntax="statements")
        assert client.replace("all", pattern("t"), paused=True).status == "paused"
        assert client.replace("all", pattern("t"), injective=False).document["injective"] is False
        changed = client.adjust("all", throttling=3, expires_at="2090-01-01T00:00:00Z", paused=True)
        assert (changed.document["throttling"], changed.status) == (3.0, "paused")
        assert client.adjust("all", throttling=4).document["expiresAt"] == "2090-01-01T00:00:00Z"
        assert "expiresAt" not in client.adjust("all", expires_at=None).document
        assert client.subscription("all").status == "paused"
        assert client.adjust("all", paused=False).is_active
        for call in (client.subscribe, partial(client.replace, "all")):
            with pytest.raises(TypeError, match="trottling"):
                call(pattern(), trottling=3)
        client.unsubscribe("all")


@pytest.mark.parametrize("syntax", ["trig", "nquads"])
def test_many_events_are_not_one(server: Running, syntax: str) -> None:
    with Client(server.url, key=server.keys["ann"]) as client:
        client.subscribe(pattern("t"), id=syntax)
        with pytest.raises(EventError, match="many events"):
            client.publish("<http://e.org/1> { _:H <http://example.org/t> 1 }", syntax)
        assert client.pull(syntax) == []
        client.unsubscribe(syntax)

    async def publish() -> None:
        async with AsyncClient(server.url, key=server.keys["ann"]) as client:
            await client.publish("", syntax)

    with pytest.raises(EventError, match="many events"):
        asyncio.run(publish())


def test_a_stream_acknowledges_what_was_taken(server: Running) -> None:
    with Client(server.url, key=server.keys["ann"]) as client:
        client.subscribe(pattern("s"), id="s")
        for number in range(3):
            client.publish(event(number, prop="s"))
        taken = list(islice(client.stream("s"), 2))
        assert [delivery.bindings["v"]["value"] for delivery in taken if delivery.bindings] == ["0", "1"]
        assert [delivery.position for delivery in client.pull("s")] == [taken[1].position, taken[1].position + 1]
        client.unsubscribe("s")
        with pytest.raises(ApiError):
            next(client.stream("s"))


def test_the_same_with_asyncio(server: Running) -> None:
    async def run() -> None:
        async with AsyncClient(server.url, key=server.keys["bob"]) as client:
            made = await client.subscribe(pattern("r"), id="r", webhook=None)
            await client.publish(event("'é\u2028ü'", prop="r"))
            async for delivery in client.stream("r"):
                assert delivery.bindings is not None
                assert delivery.bindings["v"]["value"] == "é\u2028ü"
                await client.ack(delivery)
                break
            assert await client.pull("r") == []
            assert [found.id async for found in client.subscriptions()] == [made.id]
            assert (await client.replace("r", pattern("r"), throttling=2)).document["throttling"] == 2
            adjusted = await client.adjust("r", throttling=0, expires_at="2090-01-01T00:00:00Z")
            assert (adjusted.document["throttling"], adjusted.document["injective"]) == (0, False)
            assert (await client.replace("r", pattern("r"), injective=True)).document["injective"] is True
            assert not (await client.pause("r")).is_active
            assert (await client.resume("r")).is_active
            assert (await client.subscription("r")).status == "active"
            assert not (await client.explain(event(1), "r"))["matched"]
            assert await client.dead_letters() == []
            for call in (client.replay(1), client.discard(1)):
                with pytest.raises(ApiError):
                    await call
            await client.unsubscribe("r")

    asyncio.run(run())


def test_a_stream_goes_on_after_a_restart(tmp_path: Path) -> None:
    first = start(tmp_path)
    with Client(first.url, key=first.keys["ann"]) as client:
        client.subscribe(pattern(), id="a")
        client.publish(event(0))
        deliveries = client.stream("a")
        assert value(next(deliveries)) == "0"
        client.publish(event(1))
        stop(first)
        again = start(tmp_path, port=int(first.url.rpartition(":")[2]))
        try:
            assert value(next(delivery for delivery in deliveries if value(delivery) != "0")) == "1"
        finally:
            stop(again)


def value(delivery: ClientDelivery) -> str:
    assert delivery.bindings is not None
    return delivery.bindings["v"]["value"]


def stop(server: Running) -> None:
    server.process.kill()
    server.process.wait()
    assert server.process.stdout is not None
    server.process.stdout.close()


def test_lines_to_deliveries() -> None:
    messages = Messages()
    text = (
        '{"position": 1, "subscription": "s", "event": {"id": "e", "format": "nt", "home": "_:H", "data": ""},'
        ' "bindings": null, "publishedAt": "1970-01-01T00:00:01Z"}'
    )
    lines = ["retry: 5", "", ": still here", "", "id: 1", "event: match", f"data: {text}"]
    assert [messages.line(line) for line in lines] == [None] * 7
    found = messages.line("")
    assert found is not None
    assert found.position == 1
    assert messages.line("") is None
